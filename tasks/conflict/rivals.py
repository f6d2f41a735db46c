"""Which tenures of a functional key are rivals: two values that cannot both hold, at a time when both would.

Guarantees: symmetric; no rivalry between tenures that can lie one after the other (bounds that merely touch within the
precision of a year), nor where the one hands over to the other (its stated last day is the stated first day of the next:
sources count that day for both), nor with one that is only said to have held once, nor between values of which one is the other told less precisely. `Small` and `Large`
give the same answers (tested); the second does it by whole rows of numpy for keys of many values.

Kinds of rivalry:
- `count`: both hold at the same time, so independent sources are counted;
- `undated`: one of them carries no date of its own;
- `period`: neither does, and the documents that date them are so far apart that it may be a change;
- `unit`: quantities whose units cannot be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Set

import numpy as np

from tasks.conflict.codes import AGAINST_MAX
from tasks.conflict.unite import NEG, POS, Tenure

KINDS = ("count", "undated", "period", "unit")
BLOCK = 256
SMALL = 24  # up to so many tenures plain Python is faster than numpy
HANDOVER_DAYS = 1  # "until 30 May" and "from 30 May": "until" counts its day, so the bounds cross by one
PERIOD_SHARE = 10  # a gap of a tenth of the predicate's half-life: the chance of a change within it is 7 %


def _seen(t: Tenure) -> tuple[int, int] | None:
    """First and last day on which documents show an undated value."""
    return (t.shi, t.elo) if t.shi < POS and t.elo > NEG else None


def _hands_over(a: Tenure, b: Tenure) -> bool:
    """Whether the stated end of `a` passes the stated start of the later `b` by no more than the day of the handover."""
    return a.end_dated and a.ehi < POS and b.start_dated and a.shi < b.shi and a.elo - b.shi <= HANDOVER_DAYS


def rivalry(a: Tenure, b: Tenure, half_life_days: int, kin: Set[tuple[str, str]]) -> str:
    """The kind of rivalry of two tenures, '' where there is none."""
    if a.value == b.value or a.past or b.past or (a.value, b.value) in kin:
        return ""
    if not (a.elo > b.shi and b.elo > a.shi) and not (a.ehi == POS and b.ehi == POS):
        return ""
    if _hands_over(a, b) or _hands_over(b, a):
        return ""
    if a.unit != b.unit:
        return "unit"
    loose_a, loose_b = not (a.start_dated or a.end_dated), not (b.start_dated or b.end_dated)
    if loose_a != loose_b:
        return "undated"
    if loose_a:
        seen_a, seen_b = _seen(a), _seen(b)
        if seen_a and seen_b and PERIOD_SHARE * (max(seen_a[0], seen_b[0]) - min(seen_a[1], seen_b[1])) > half_life_days:
            return "period"
    return "count"


class Small:
    """Rivals of each tenure, by comparing all pairs."""

    def __init__(self, tenures: list[Tenure], half_life_days: int, kin: Set[tuple[str, str]]) -> None:
        self.tenures = tenures
        self.of: list[list[tuple[int, str]]] = [[] for _ in tenures]
        for i, a in enumerate(tenures):
            for j in range(i):
                kind = rivalry(a, tenures[j], half_life_days, kin)
                if kind:
                    self.of[i].append((j, kind))
                    self.of[j].append((i, kind))

    def rivals(
        self, i: int, kinds: tuple[str, ...], floor: float = 0, gone: Set[int] = frozenset(), pinned_only: bool = False
    ) -> list[int]:
        """The first AGAINST_MAX rivals of tenure i of these kinds, with at least `floor` sources, not in `gone`."""
        if not self.of[i]:
            return []
        found = sorted(
            j for j, kind in self.of[i]
            if kind in kinds and j not in gone and self.tenures[j].count >= floor
            and (not pinned_only or self.tenures[j].pinned)
        )
        return found[:AGAINST_MAX]


class Large:
    """The same, a row of the matrix at a time."""

    def __init__(self, tenures: list[Tenure], half_life_days: int, kin: Set[tuple[str, str]]) -> None:
        def column(get: Callable) -> np.ndarray:
            return np.array([get(t) for t in tenures])

        codes: dict[str, int] = {}
        units: dict[str, int] = {}
        self.value = column(lambda t: codes.setdefault(t.value, len(codes)))
        self.unit = column(lambda t: units.setdefault(t.unit, len(units)))
        self.shi, self.elo = column(lambda t: t.shi), column(lambda t: t.elo)
        self.open = column(lambda t: t.ehi == POS)
        self.start_dated, self.end_dated = column(lambda t: t.start_dated), column(lambda t: t.end_dated)
        self.loose = ~(self.start_dated | self.end_dated)
        self.past = column(lambda t: t.past)
        self.seen = column(lambda t: _seen(t) is not None)
        self.pinned, self.counts = column(lambda t: t.pinned), column(lambda t: t.count)
        self.kin: dict[int, list[int]] = {}
        for a, b in kin:
            if a in codes and b in codes:
                self.kin.setdefault(codes[a], []).append(codes[b])
        self.half_life_days = half_life_days
        self.most, self.any_pinned = int(self.counts.max(initial=0)), bool(self.pinned.any())
        self.row, self.met = -1, np.empty(0, np.int64)  # the last row asked for

    def _meet(self, i: int) -> np.ndarray:
        """Rows that cannot hold beside row i, ascending; kept, since a row is asked for several times running."""
        if self.row != i:
            met = ((self.elo[i] > self.shi) & (self.elo > self.shi[i])) | (self.open[i] & self.open)
            met &= (self.value != self.value[i]) & ~self.past & ~self.past[i]
            if self.end_dated[i] and not self.open[i]:
                met &= ~(self.start_dated & (self.shi[i] < self.shi) & (self.elo[i] - self.shi <= HANDOVER_DAYS))
            if self.start_dated[i]:
                met &= ~(self.end_dated & ~self.open & (self.shi < self.shi[i]) & (self.elo - self.shi[i] <= HANDOVER_DAYS))
            for other in self.kin.get(int(self.value[i]), ()):
                met &= self.value != other
            self.row, self.met = i, np.flatnonzero(met)
        return self.met

    def rivals(
        self, i: int, kinds: tuple[str, ...], floor: float = 0, gone: Set[int] = frozenset(), pinned_only: bool = False
    ) -> list[int]:
        """See `Small.rivals`."""
        if floor > self.most or (pinned_only and not self.any_pinned):
            return []
        met = self._meet(i)
        found = self._filter(met[:BLOCK], i, kinds, floor, gone, pinned_only)  # few are asked for: mostly found at once
        if len(found) < AGAINST_MAX and len(met) > BLOCK:
            found = self._filter(met, i, kinds, floor, gone, pinned_only)
        return found[:AGAINST_MAX].tolist()

    def _filter(self, met: np.ndarray, i: int, kinds, floor: float, gone: Set[int], pinned_only: bool) -> np.ndarray:
        if floor:
            met = met[self.counts[met] >= floor]
        if pinned_only:
            met = met[self.pinned[met]]
        if gone:
            met = met[~np.isin(met, list(gone))]
        if len(kinds) == len(KINDS) or not len(met):
            return met
        other_unit = self.unit[met] != self.unit[i]
        undated = ~other_unit & (self.loose[met] != self.loose[i])
        if self.loose[i] and self.seen[i]:
            gap = np.maximum(self.shi[met], self.shi[i]) - np.minimum(self.elo[met], self.elo[i])
            period = ~other_unit & ~undated & self.seen[met] & (PERIOD_SHARE * gap > self.half_life_days)
        else:
            period = np.zeros(len(met), bool)
        kind = {"unit": other_unit, "undated": undated, "period": period}
        wanted = np.zeros(len(met), bool)
        for name in kinds:
            wanted |= kind[name] if name in kind else ~(other_unit | undated | period)
        return met[wanted]


def rivals_of(tenures: list[Tenure], half_life_days: int, kin: Set[tuple[str, str]]) -> Small | Large:
    """The faster of the two for this many tenures."""
    return (Small if len(tenures) <= SMALL else Large)(tenures, half_life_days, kin)
