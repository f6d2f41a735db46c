"""Temporal cues of a mention as bounds: what day each cue means, with what basis and how surely.

A cue text is read alone; only what it leaves out (a year, "the following year") is taken from the nearest date before
it in the text, or, for "last year", from the document's date. Nothing else is filled in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from schemas.time import Day, DayRange, civil_from_day, year_range
from tasks.dates.expressions import Bounds, parse_bounds, parse_expression
from tasks.dates.relative import anchor_kind
from tasks.dates.spans import is_open, parse_span

BASIS = {"infobox": "infobox", "table": "table"}
CONFIDENCE = {"explicit": 0.95, "table": 0.9, "infobox": 0.85, "revision": 0.6, "document": 0.5}
RELATIVE_FACTOR, CIRCA_FACTOR = 0.8, 0.85

_CIRCA = re.compile(
    r"^\W*(?:c\.|ca\.?|circa|about|around|approximately|roughly|probably|possibly|perhaps)", re.IGNORECASE
)
_DATE_BEFORE = re.compile(
    r"(?:\b\d{1,2}(?:st|nd|rd|th)?\s+[A-Z][a-z]{2,8}\.?,?\s+|\b[A-Z][a-z]{2,8}\.?\s+\d{1,2}(?:st|nd|rd|th)?,\s+|\b[A-Z][a-z]{2,8}\.?\s+)?"
    r"\b(?:1\d{3}|20\d{2})\b(?!s)"
)
_LOOK_BACK_CHARS = 600


@dataclass(frozen=True, slots=True)
class Cue:
    """One cue as written: role, text, offset in the sentence."""

    role: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Read:
    """What a cue says: its role, the days it allows, and the share of the basis' confidence that it deserves."""

    role: str
    bounds: Bounds
    factor: float
    start: int

    @property
    def width_days(self) -> float:
        if self.bounds.first is None or self.bounds.last is None:
            return float("inf")
        return self.bounds.last - self.bounds.first


@dataclass(frozen=True, slots=True)
class Context:
    """What a cue may be read against: the document's day, the text before the sentence, language, order of 04/06."""

    source_day: Day | None
    before: str
    sentence: str
    language: str
    day_first: bool


@lru_cache(maxsize=65_536)
def needs_text(text: str) -> bool:
    """Whether the cue counts from another date in the text, so that the text must be at hand."""
    return anchor_kind(text) is not None


def read_cues(cues: list[Cue], context: Context) -> tuple[list[Read], set[str]]:
    """Dated cues in text order, and the flags among {'current', 'former'}. Cues that are not understood are left out."""
    reads: list[Read] = []
    flags: set[str] = set()
    for cue in sorted(cues, key=lambda c: (c.start, c.role, c.text)):
        if cue.role in ("current", "former"):
            flags.add(cue.role)
            continue
        if is_open(cue.text):
            if cue.role in ("until", "since", "point", "end", "asof"):
                flags.add("current")
            continue
        found = _one(cue, reads, context)
        if found is not None:
            reads.append(found)
            continue
        span = parse_span(cue.text, language=context.language, day_first=context.day_first)
        if span is not None:
            if span.start:
                reads.append(Read("start", Bounds(span.start.first, span.start.last), 1.0, cue.start))
            if span.end:
                reads.append(Read("until", Bounds(span.end.first, span.end.last), 1.0, cue.start))
            if span.open:
                flags.add("current")
    return reads, flags


def _one(cue: Cue, earlier: list[Read], context: Context) -> Read | None:
    if re.fullmatch(r"\d{2}", cue.text.strip()):
        return _short_year(cue, earlier)
    found = parse_bounds(cue.text, language=context.language, day_first=context.day_first)
    if found is not None:
        return Read(cue.role, found, CIRCA_FACTOR if _CIRCA.match(cue.text) else 1.0, cue.start)
    kind = anchor_kind(cue.text) if context.language == "en" else None
    if kind is None:
        return None
    anchor = _document_anchor(context) if kind == "document" else _text_anchor(cue, earlier, context)
    if anchor is None:
        return None
    found = _against(cue.text, anchor, context)
    return Read(cue.role, found, RELATIVE_FACTOR, cue.start) if found else None


def _against(text: str, anchor: DayRange, context: Context) -> Bounds | None:
    """Read from both ends of the anchor, so that an anchor known to the year gives no false precision."""
    low = parse_expression(text, language=context.language, anchor=anchor.first, day_first=context.day_first)
    high = parse_expression(text, language=context.language, anchor=anchor.last, day_first=context.day_first)
    if low is None or high is None:
        return None
    return Bounds(min(low.first, high.first), max(low.last, high.last))


def _document_anchor(context: Context) -> DayRange | None:
    return None if context.source_day is None else DayRange(context.source_day, context.source_day)


def _text_anchor(cue: Cue, earlier: list[Read], context: Context) -> DayRange | None:
    text = (context.before + "\n" + context.sentence[: cue.start])[-_LOOK_BACK_CHARS:]
    found = None
    for match in _DATE_BEFORE.finditer(text):
        for candidate in (match[0], match[0][-4:]):
            found = parse_expression(candidate, language=context.language) or found
            if parse_expression(candidate, language=context.language):
                break
    return found


def _short_year(cue: Cue, earlier: list[Read]) -> Read | None:
    """The `03` of "1997–03": the first year after the start that ends so."""
    starts = [r for r in earlier if r.role in ("start", "since", "point") and r.bounds.first is not None]
    if not starts:
        return None
    year = civil_from_day(starts[-1].bounds.first)[0]
    last = year - year % 100 + int(cue.text)
    last = last if last > year else last + 100
    found = year_range(last)
    return Read(cue.role, Bounds(found.first, found.last), 1.0, cue.start)


def best(reads: list[Read], roles: tuple[str, ...]) -> Read | None:
    """Of the cues with one of these roles (first role first) the most precise, then the first in the text."""
    for role in roles:
        found = [r for r in reads if r.role == role]
        if found:
            return min(found, key=lambda r: (r.width_days, r.start))
    return None
