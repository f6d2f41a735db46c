"""Judges the tenures of one functional key: succession, independent sources, overrides.

Guarantees: a function of the set of tenures. Rules, in order:

1. **Overrides.** A suppressed tenure is deprecated and takes part in nothing. A pinned one is active; what cannot hold
   beside it is deprecated. Two pins that exclude each other are both contested.
2. **Succession.** An open tenure (its end unknown, or only shown to go on by documents or revisions) is closed by the earliest
   other that began later, if that start is dated: its end is the later one's start, basis `succession`. What revisions,
   or the facts themselves ("as of 2015", a table by years), show on days orders values too: one that is first shown when
   another has last been shown closes that other, between these two days. Both stay active. Values known only by the
   dates of documents never close one another.
3. **Counting.** Where two values hold at the same time, independent sources (distinct source groups) are counted. One
   outvotes the other if it has at least `outvote_ratio` times as many and at least `min_sources_to_outvote`. With the
   defaults (2.0 and 2): 1:1 → both contested; 2:1 → the second is deprecated, `outvoted`; 3:2 → both contested;
   4:2 → outvoted. A value that is itself outvoted outvotes nobody. An infobox and the text of one document are one source.
4. **Undated.** A value without a date of its own that meets a dated one is contested alone, unless it would outvote it:
   then both are contested. Two undated values, shown by documents far apart in time (see `rivals`), are both contested
   and never counted: the later may have followed the earlier. A value that is only said, in the past tense, to have held
   once meets no other: it is active, `held_before`.

After a deprecation the rest is judged again, as if the deprecated were not there.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Set
from dataclasses import dataclass

from tasks.conflict.codes import AGAINST_MAX
from tasks.conflict.rivals import KINDS, rivals_of
from tasks.conflict.unite import NEG, POS, RANK, WEAK, Tenure

SUCCESSION_FACTOR = 0.8  # an inferred end is less sure than the stated start that it is inferred from


@dataclass(frozen=True)
class Rules:
    """The part of the config that judging needs, for one predicate."""

    ratio: float = 2.0
    min_sources: int = 2
    half_life_days: int = 1500

    def outvotes(self, more: int, fewer: int) -> bool:
        return more >= self.ratio * fewer and more >= self.min_sources


def close_by_succession(tenures: list[Tenure]) -> None:
    """Sets the effective end of each tenure: its own, or the start of the one that follows."""
    for t in tenures:
        t.elo, t.ehi, t.erank, t.econf = t.stated_end
        t.closed_by = None
    if len(tenures) < 2:
        return
    starts = sorted((t.slo, t.shi, n) for n, t in enumerate(tenures) if t.start_dated)
    by_last = sorted((t.shi, t.slo, n) for n, t in enumerate(tenures) if t.start_dated and t.shi < POS)
    shown = sorted((t.shi, n) for n, t in enumerate(tenures) if t.srank < WEAK and t.slo == NEG and t.shi < POS)
    for t in tenures:
        if (t.ehi < POS and t.erank < WEAK) or t.shi == POS:
            continue
        closed = [c for c in (_dated_successor(t, starts, by_last), _shown_successor(t, shown, tenures)) if c]
        if closed:
            ehi, elo, n = min(closed)
            t.elo, t.ehi, t.closed_by = elo, ehi, tenures[n]
            t.erank, t.econf = RANK["succession"], round(SUCCESSION_FACTOR * tenures[n].sconf, 6)


def _dated_successor(t: Tenure, starts: list[tuple], by_last: list[tuple]) -> tuple[int, int, int] | None:
    """(ehi, elo, n) by the first dated start after that of `t`."""
    if t.start_dated:
        later = starts[bisect_right(starts, (t.shi, POS, POS)) :]
    else:  # shown on a day before the later one has surely begun
        later = [(slo, shi, n) for shi, slo, n in by_last[bisect_left(by_last, (t.shi + 1,)) :]]
    for slo, shi, n in later:
        if shi < POS and not (t.end_dated and t.elo > shi) and slo < t.ehi:
            return min(shi, t.ehi), max(slo, t.elo) if t.elo <= shi else slo, n
    return None


def _shown_successor(t: Tenure, shown: list[tuple[int, int]], tenures: list[Tenure]) -> tuple[int, int, int] | None:
    """(ehi, elo, n) by the first value that is shown from the day on which `t` is last shown."""
    for shi, n in shown[bisect_left(shown, (max(t.shi + 1, t.elo - 1),)) :]:
        if tenures[n].value != t.value and shi < t.ehi:
            return shi, min(t.elo, shi), n
    return None


def judge(tenures: list[Tenure], rules: Rules, kin: Set[tuple[str, str]] = frozenset()) -> None:
    """Sets state, reason, rule, kind, against and the effective ends of the tenures of one key and condition."""
    tenures = sorted(tenures, key=lambda t: (not t.pinned, -t.count, t.order()))
    alive = [t for t in tenures if not t.suppressed]
    while True:
        close_by_succession(alive)
        table = rivals_of(alive, rules.half_life_days, kin)
        gone: set[int] = set()
        for i, t in enumerate(alive):
            if t.pinned:
                continue
            over = table.rivals(i, KINDS, gone=gone, pinned_only=True)
            rule = "override_pin" if over else "count_sources"
            if not over:
                floor = max(rules.ratio * t.count, rules.min_sources)
                over = table.rivals(i, ("count",), floor=floor, gone=gone)
            if over:
                gone.add(i)
                t.state, t.reason, t.rule, t.kind = "deprecated", "outvoted", rule, "contradiction"
                t.against = [alive[j] for j in over]
        if not gone:
            break
        alive = [t for i, t in enumerate(alive) if i not in gone]
    for i, t in enumerate(alive):
        _settle(i, t, alive, table, rules)
    _note_winners(tenures)


def _settle(i: int, t: Tenure, alive: list[Tenure], table, rules: Rules) -> None:
    """Sets the verdict on one tenure that nothing outvotes."""
    if t.pinned:
        over = table.rivals(i, KINDS, pinned_only=True)
        t.state, t.reason, t.rule = ("contested", "pins_disagree", "override_pin") if over else ("active", "pinned", "override_pin")
        t.kind, t.against = ("contradiction" if over else ""), [alive[j] for j in over]
        return
    for kinds, reason, conflict_type, rule in (
        (("count",), "equal_evidence", "contradiction", "count_sources"),
        (("unit",), "units_differ", "unit", "compare"),
        (("period",), "undated_rivals", "period", "count_sources"),
    ):
        over = table.rivals(i, kinds)
        if over:
            t.state, t.reason, t.kind, t.rule = "contested", reason, conflict_type, rule
            t.against = [alive[j] for j in over]
            return
    loose = not (t.start_dated or t.end_dated)
    floor = 0 if loose else max(rules.ratio * t.count, rules.min_sources)
    over = table.rivals(i, ("undated",), floor=floor)
    if over:
        t.state, t.reason, t.kind, t.rule = "contested", "undated" if loose else "equal_evidence", "contradiction", "undated"
    elif not loose and (over := table.rivals(i, ("undated",))):
        t.reason, t.rule = "better_dated", "undated"
    t.against = [alive[j] for j in over]


def _note_winners(tenures: list[Tenure]) -> None:
    """Reasons of those that stand: they outvoted somebody, or were followed."""
    for t in tenures:
        if t.state == "deprecated":
            for winner in t.against:
                if winner.state == "active" and winner.reason in ("uncontradicted", "outvotes"):
                    winner.reason, winner.rule = "outvotes", "count_sources"
                    if len(winner.against) < AGAINST_MAX:
                        winner.against.append(t)
    for t in tenures:
        if t.state == "active" and t.reason == "uncontradicted" and t.closed_by is not None:
            t.reason, t.rule, t.against = "succeeded", "succession", [t.closed_by]


def chain(tenures: list[Tenure]) -> None:
    """Sets supersedes and superseded_by among the tenures that are not deprecated: each follows the nearest before it."""
    line = sorted((t for t in tenures if t.state != "deprecated" and t.shi < POS), key=lambda t: (t.shi, t.slo, *t.order()))
    ended: list[Tenure] = []
    first_end = POS
    for t in line:
        if first_end <= t.shi:
            last = None
            for other in reversed(ended):
                if last is not None and (other.slo, other.shi) != (last.slo, last.shi):
                    break
                if other.elo <= t.shi and other.slo <= t.slo and (other.value != t.value or other.ehi <= t.shi):
                    last = last or other
                    t.supersedes.append(other)
                    other.superseded_by.append(t)
                    if len(t.supersedes) == AGAINST_MAX:
                        break
        if t.ehi < POS:
            ended.append(t)
            first_end = min(first_end, t.elo)
