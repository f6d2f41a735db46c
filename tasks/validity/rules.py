"""From cues to the four days. Pure: one mention in, one `Validity` out; the interval is always legal.

The rules, by name (`rule_id`; parts are joined with `+`):

- `date_object`: the object itself is a date (birth, foundation). It holds without bounds, so that rival dates meet.
- `event`: an event is on one day of its range, and over right after: start = [first, last], end = [first+1, last+1].
- `start`, `since`: the first day lies in the cue's range. `since` in the present
  tense also says "still so" on the document's day.
- `end`: on a day D, D is the first day without the fact; on a month or year, the end lies between its first day and
  the day after its last. `until`: through D, so D + 1; a month or year as with `end`.
- `on`: "in 2012 he was": it held on some day of the range, so start_max = last and end_min = first + 1.
- `asof`: of a quantity or text ("population as of 2015") the value is that of the whole period named, by its first day:
  start_max = first, end_min = first + 1; of other facts like `on`.
- `open`: "present", "incumbent": end_min = the document's day + 1, no end_max.
- `past`: "former": end_max = the document's day.
- `document`, `revision`: no cue, present tense: it held while the text was shown; `revision` where the history of the
  page shows since when (start_max = first day shown, end_min = last day shown + 1).
- `held_before`: no cue, past tense: it held at some time that nobody states. No bound is known.
- `undated`: nothing is known.
- `-start`, `-end`: two cues contradicted each other; the one with the weaker basis or confidence was dropped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from schemas.time import Day, Interval
from tasks.validity.cues import BASIS, CONFIDENCE, Context, Cue, Read, best, read_cues

_PAST = re.compile(
    r"\b(?:was|were|had|did|became|served|used to|began|held|led|took|won|wrote|made|left|went|came|ran|sold|bought|built|stood|"
    r"found(?=ed)|[a-z]{3,}ed)\b"
)
_PRESENT = re.compile(r"\b(?:is|are|has|have|remains|continues|serves|holds|leads)\b")
HELD_BEFORE = "held_before"
_RANK = {"explicit": 6, "table": 5, "infobox": 4, "succession": 3, "revision": 2, "document": 1, "": 0}


@dataclass(frozen=True, slots=True)
class Shown:
    """When the document shows the text: first and last day known, and whether the page's history tells it."""

    first: Day | None
    last: Day | None
    by_revision: bool


@dataclass(frozen=True, slots=True)
class Validity:
    """The four days with their bases, confidences (0..1) and the rule that set them."""

    interval: Interval
    start_basis: str = ""
    end_basis: str = ""
    start_confidence: float = 0.0
    end_confidence: float = 0.0
    rule_id: str = "undated"


def is_past(sentence: str, trigger: tuple[int, int] | None, extractor: str) -> bool:
    """Whether the mention's verb is in the past tense. Tables, lists and infoboxes have no tense.

    Looks at the trigger, else at the nearest finite verb before it, else at the sentence's first.
    """
    if extractor in ("infobox", "table", "list"):
        return False
    if trigger:
        own = sentence[trigger[0] : trigger[1]].casefold()
        if _PRESENT.search(own):
            return False
        if _PAST.search(own):
            return not re.search(r"\b(?:is|are|has|have|has been|have been)\s+(?:\w+ly\s+)?$", sentence[: trigger[0]].casefold())
        before, after = sentence[: trigger[0]].casefold(), sentence[trigger[1] :].casefold()
    else:
        before, after = "", sentence.casefold()
    past, present = list(_PAST.finditer(before)), list(_PRESENT.finditer(before))
    if past or present:
        return (past[-1].end() if past else -1) > (present[-1].end() if present else -1)
    past, present = _PAST.search(after), _PRESENT.search(after)
    return past is not None and (present is None or past.start() < present.start())


def decide(
    cues: list[Cue],
    context: Context,
    shown: Shown,
    *,
    cardinality: str,
    object_type: str,
    extractor: str,
    asserted: bool,
    past: bool,
    use_document_date: bool,
) -> Validity:
    """The validity of one mention. `cardinality` and `object_type` as in `keyed`; `asserted` = not planned or supposed."""
    if object_type == "date" and cardinality != "event":
        return Validity(Interval(), rule_id="date_object")
    reads, flags = read_cues(cues, context)
    basis = BASIS.get(extractor, "explicit")
    start = best(reads, ("start", "since"))
    end = best(reads, ("end", "until"))
    point = best(reads, ("point", "asof"))
    if cardinality == "event":
        found = _event(start, end, point, basis)
        if found is not None:
            return found
        return _undated(shown, flags, asserted, past=True, use_document_date=use_document_date)
    found = Validity(Interval(), rule_id="")
    if start is not None:
        found = _set_start(found, start, basis)
    if end is not None:
        found = _set_end(found, end, basis)
    if point is not None and (start is None or end is None):
        found = _set_point(found, point, basis, valued=object_type in ("quantity", "string"))
    said = shown.last
    still = "current" in flags or (not past and any(r.role == "since" for r in reads))
    standing = still and end is None and asserted and said is not None and "former" not in flags
    if standing and (found.interval.start_min is None or found.interval.start_min <= said):
        found = _open(found, said, shown.by_revision)
    if "former" in flags and end is None and said is not None:
        interval = replace(found.interval, end_max=said)
        if interval.end_min is None or interval.end_min <= said:
            found = _add(replace(found, interval=interval), "past")
            if not found.end_basis:
                found = replace(found, end_basis="document", end_confidence=CONFIDENCE["document"])
    if found.rule_id:
        if (
            still
            and start is None
            and point is None
            and said is not None
            and found.interval.start_max is None
            and asserted
        ):
            found = _shown_start(found, shown)
        return mend(found)
    return _undated(shown, flags, asserted, past=past, use_document_date=use_document_date)


def _add(found: Validity, rule: str) -> Validity:
    return replace(found, rule_id=f"{found.rule_id}+{rule}" if found.rule_id else rule)


def _set_start(found: Validity, read: Read, basis: str) -> Validity:
    interval = replace(found.interval, start_min=read.bounds.first, start_max=read.bounds.last)
    return _add(
        replace(found, interval=interval, start_basis=basis, start_confidence=CONFIDENCE[basis] * read.factor),
        read.role,
    )


def _set_end(found: Validity, read: Read, basis: str) -> Validity:
    first, last = read.bounds.first, read.bounds.last
    one_day = first is not None and first == last
    if one_day and read.role == "until":
        first, last = first + 1, last + 1
    elif not one_day and last is not None:
        last += 1
    interval = replace(found.interval, end_min=first, end_max=last)
    return _add(
        replace(found, interval=interval, end_basis=basis, end_confidence=CONFIDENCE[basis] * read.factor), read.role
    )


def _set_point(found: Validity, read: Read, basis: str, valued: bool) -> Validity:
    """It held on a day of the range; fills only sides that no other cue set, and only where they agree."""
    first, last = read.bounds.first, read.bounds.last
    strong = read.role == "asof" and valued
    start_max = first if strong and first is not None else last
    end_min = first + 1 if first is not None else None
    confidence = CONFIDENCE[basis] * read.factor
    out = found
    if (
        not out.start_basis
        and start_max is not None
        and (out.interval.end_max is None or start_max < out.interval.end_max)
    ):
        out = replace(
            out, interval=replace(out.interval, start_max=start_max), start_basis=basis, start_confidence=confidence
        )
    if (
        not out.end_basis
        and end_min is not None
        and (out.interval.start_min is None or end_min > out.interval.start_min)
    ):
        out = replace(out, interval=replace(out.interval, end_min=end_min), end_basis=basis, end_confidence=confidence)
    return out if out is found else _add(out, "asof" if read.role == "asof" else "on")


def _open(found: Validity, said: Day, by_revision: bool) -> Validity:
    basis = "revision" if by_revision else "document"
    interval = found.interval.still_on(said)
    return _add(replace(found, interval=interval, end_basis=basis, end_confidence=CONFIDENCE[basis]), "open")


def _shown_start(found: Validity, shown: Shown) -> Validity:
    """A fact said to hold now held when it was first said."""
    basis = "revision" if shown.by_revision else "document"
    day = shown.first if shown.first is not None else shown.last
    interval = replace(found.interval, start_max=day)
    return replace(found, interval=interval, start_basis=basis, start_confidence=CONFIDENCE[basis])


def _event(start: Read | None, end: Read | None, point: Read | None, basis: str) -> Validity | None:
    day = point or start
    if start is not None and end is not None:
        return mend(_set_end(_set_start(Validity(Interval(), rule_id="event"), start, basis), end, basis))
    day = day or end
    if day is None:
        return None
    first, last = day.bounds.first, day.bounds.last
    interval = Interval(first, last, None if first is None else first + 1, None if last is None else last + 1)
    confidence = CONFIDENCE[basis] * day.factor
    return Validity(interval, basis, basis, confidence, confidence, "event")


def _undated(shown: Shown, flags: set[str], asserted: bool, *, past: bool, use_document_date: bool) -> Validity:
    """No cue gives a day: the document's own date is the last resort, and only for the present tense."""
    if asserted and past and "former" not in flags:
        return Validity(Interval(), rule_id=HELD_BEFORE)
    if not use_document_date or shown.last is None or not asserted or "former" in flags:
        return Validity(Interval())
    rule = "revision" if shown.by_revision else "document"
    first = shown.first if shown.first is not None else shown.last
    confidence = CONFIDENCE[rule]
    return Validity(Interval(None, first, shown.last + 1, None), rule, rule, confidence, confidence, rule)


def mend(found: Validity) -> Validity:
    """Drops the weaker side where start and end contradict each other, and notes it in the rule."""
    interval = found.interval
    crossed = interval.start_min is not None and interval.end_max is not None and interval.start_min >= interval.end_max
    if not crossed and not interval.problems():
        return found
    start_rank = (_RANK[found.start_basis], found.start_confidence)
    end_rank = (_RANK[found.end_basis], found.end_confidence)
    if end_rank > start_rank:
        return replace(
            found,
            interval=replace(interval, start_min=None, start_max=None),
            start_basis="",
            start_confidence=0.0,
            rule_id=found.rule_id + "-start",
        )
    return replace(
        found,
        interval=replace(interval, end_min=None, end_max=None),
        end_basis="",
        end_confidence=0.0,
        rule_id=found.rule_id + "-end",
    )
