"""What a page's history says of rival values: succession, correction, removal, vandalism.

The rules, for the values of one key on one page, each value living where any sentence says it:

- Said only in revisions that count for nothing: `vandalism`.
- Gone, and a value of a functional key that came as it went took its place: `corrected` where that is the same thing told
  better (a date that cannot change, the same name spelled otherwise or in full, a figure of the same day) or where the
  old value stood but for a short while; else `succeeded`.
- Gone with nothing in its place: `removed`. That closes nothing.

A succession bounds the old value's end and the new one's start between the last revision with the old and the first with
the new, unless the text dates the new one's start: then that is the old one's end. A correction gives the new value the
old one's first day.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rapidfuzz import fuzz

from schemas.ids import fold_name
from schemas.time import day_of_instant
from tasks.validity.cues import CONFIDENCE
from tasks.validity.lives import Life, merge_spans
from tasks.validity.rules import HELD_BEFORE, Validity, mend

SUCCEEDED, REMOVED, CORRECTED, VANDALISM = "succeeded", "removed", "corrected", "vandalism"
_WEAK = ("", "revision", "document")
_REMOVED_FACTOR = 0.5
_ALIKE = 84.0  # of one word: a slip of the pen in five letters, not "Maria" for "Mario"


@dataclass(frozen=True, slots=True)
class Said:
    """One claim of a page: its value, how it may change, its life and what was decided for it alone."""

    value: str
    shown: str
    object_type: str
    one_at_a_time: bool  # a functional predicate, or a slot of an infobox that shows one value as a whole
    life: Life
    found: Validity


@dataclass(frozen=True, slots=True)
class _Value:
    key: str
    spans: tuple[tuple[int, int | None], ...]
    first: int | None
    last: int | None
    gone: int | None
    rows: tuple[int, ...]

    @property
    def stands(self) -> bool:
        return self.spans[-1][1] is None


def tell_history(said: Sequence[Said], options: Mapping[str, Any]) -> list[tuple[Validity, str]]:
    """(validity, history code) of each claim of one key on one page, in their order."""
    out = [(s.found, VANDALISM if s.life.noise else "") for s in said]
    values = _values(said)
    if all(v.stands for v in values) and len(values) < 2:
        return out
    gone = [v for v in values if not v.stands]
    heirs = {v.key: _heir(v, values) for v in gone} if any(s.one_at_a_time for s in said) else {}
    corrected = {v.key: heir for v in gone if (heir := heirs.get(v.key)) is not None and _is_correction(v, heir, said, options)}
    since = _since(values, corrected)
    for value in gone:
        heir = heirs.get(value.key)
        if heir is None:
            for row in value.rows:
                out[row] = (_weaken(out[row][0]), REMOVED)
            continue
        wrong = value.key in corrected
        while not wrong and heir.key in corrected:  # it was the right value, worded better later, that took the place
            heir = corrected[heir.key]
        for row in value.rows:
            out[row] = (out[row][0] if wrong else _close(out[row][0], value, heir, said), CORRECTED if wrong else SUCCEEDED)
        for row in heir.rows:
            out[row] = (_open(out[row][0], value, since[heir.key], wrong), out[row][1])
    return out


def _since(values: Sequence[_Value], corrected: Mapping[str, _Value]) -> dict[str, int | None]:
    """When each value was first said, in the wording of those that it corrects too, and of those that they correct."""
    since = {v.key: v.first for v in values}
    for _ in corrected:  # as many rounds as the longest chain can have links
        for key, heir in corrected.items():
            since[heir.key] = min((t for t in (since[key], since[heir.key]) if t is not None), default=None)
    return since


def _values(said: Sequence[Said]) -> list[_Value]:
    rows: dict[str, list[int]] = {}
    for n, s in enumerate(said):
        if s.life.spans:
            rows.setdefault(s.value, []).append(n)
    out = []
    for key, members in rows.items():
        lives = [said[n].life for n in members]
        spans = merge_spans(span for life in lives for span in life.spans)
        stands = spans[-1][1] is None
        last = None if stands else max((x.last for x in lives if x.last is not None), default=None)
        gone = None if stands else max((x.gone for x in lives if x.gone is not None), default=None)
        out.append(_Value(key, spans, min((x.first for x in lives if x.first is not None), default=None), last, gone, tuple(members)))
    return sorted(out, key=lambda v: (v.spans[0][0], v.key))


def _heir(value: _Value, values: Sequence[_Value]) -> _Value | None:
    """The value that came while this one stood or as it went, and stayed after it; of several the one that came last."""
    end = value.spans[-1][1]
    assert end is not None
    found = [
        other for other in values if other is not value
        and any(first > value.spans[0][0] and first <= end + 1 and (last is None or last > end) for first, last in other.spans)
    ]
    return max(found, key=lambda v: (v.spans[0][0], v.stands, v.key), default=None)


def _is_correction(value: _Value, heir: _Value, said: Sequence[Said], options: Mapping[str, Any]) -> bool:
    """Whether the heir is the same thing told better; what any claim of a value says counts, in whatever order they come."""
    old, new = ([said[n] for n in v.rows] for v in (value, heir))
    if any(s.object_type == "date" for s in old):
        return True
    if value.first is not None and value.gone is not None and value.gone - value.first <= options["correction_hours"] * 3600:
        return heir.gone is None or heir.first is None or heir.gone - heir.first > value.gone - value.first
    if any(s.object_type == "quantity" for s in old):
        return bool(_counted_on(old) & _counted_on(new))
    return any(same_name(a, b) for a in sorted({s.shown for s in old}) for b in sorted({s.shown for s in new}))


def _counted_on(said: Sequence[Said]) -> set[int]:
    """Days of which the text says the figure ("as of 2021")."""
    return {day for s in said if "asof" in s.found.rule_id and (day := s.found.interval.start_max) is not None}


def same_name(old: str, new: str) -> bool:
    """Whether one wording is the other in full, or spelled otherwise; figures that differ never are."""
    a, b = fold_name(old).split(), fold_name(new).split()
    if not a or not b or [w for w in a if any(c.isdigit() for c in w)] != [w for w in b if any(c.isdigit() for c in w)]:
        return False
    short, long = sorted((a, b), key=len)
    if set(short) <= set(long) and (len(short) > 1 or len(long) == 1):
        return True
    if len(a) != len(b):
        return False
    return all(x == y or (min(len(x), len(y)) > 2 and fuzz.ratio(x, y) >= _ALIKE) for x, y in zip(map(_bare, a), map(_bare, b), strict=True))


def _bare(text: str) -> str:
    """Letters without their accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def _weaken(found: Validity) -> Validity:
    if found.end_basis in _WEAK and found.end_confidence:
        return replace(found, end_confidence=round(found.end_confidence * _REMOVED_FACTOR, 6))
    return found


def _close(found: Validity, value: _Value, heir: _Value, said: Sequence[Said]) -> Validity:
    """The old value's end, where its own text does not say it, nor that it was over."""
    if found.end_basis not in _WEAK or value.gone is None or value.last is None or _over(found):
        return found
    told = [said[n].found for n in heir.rows if _dated(said[n].found)]
    if told:
        best = min(told, key=_width)
        first, last, basis = best.interval.start_min, best.interval.start_max, "succession"
    else:
        first, last, basis = day_of_instant(value.last) + 1, day_of_instant(value.gone), "revision"
        first = min(first, last)
    interval = replace(found.interval, end_min=first, end_max=last)
    rule = f"{found.rule_id}+succeeded" if found.rule_id else "succeeded"
    return mend(replace(found, interval=interval, end_basis=basis, end_confidence=CONFIDENCE["revision"], rule_id=rule))


def _over(found: Validity) -> bool:
    """Whether the text says that it held once ("was", "former"): it had ended before the text went."""
    return bool({HELD_BEFORE, "past"} & set(found.rule_id.split("+")))


def _dated(found: Validity) -> bool:
    """Whether the text says when it began; that it held on some day ("as of 2021") does not say so."""
    return found.start_basis not in _WEAK and found.interval.start_min is not None and found.interval.start_max is not None


def _width(found: Validity) -> tuple[int, int]:
    """Days within which a stated start lies, then the start."""
    first, last = found.interval.start_min or 0, found.interval.start_max or 0
    return last - first, first


def _open(found: Validity, value: _Value, since: int | None, corrects: bool) -> Validity:
    """The new value's start, where its own text does not say it. `since`: when it was first said, in any wording."""
    if found.start_basis not in _WEAK or since is None:
        return found
    if corrects:
        if found.interval.start_max is None:
            return found
        interval = replace(found.interval, start_max=min(found.interval.start_max, day_of_instant(since)))
        return mend(replace(found, interval=interval, start_basis="revision", start_confidence=CONFIDENCE["revision"]))
    if value.last is None or found.interval.start_min is not None or since <= value.last:
        return found
    interval = replace(found.interval, start_min=min(day_of_instant(value.last), day_of_instant(since)), start_max=day_of_instant(since))
    return mend(replace(found, interval=interval, start_basis="revision", start_confidence=CONFIDENCE["revision"]))
