"""Expressions that count from another date: "the following year", "three months later", "last May".

`anchor_kind` says which date they count from: the day the text was written ("last year", "two years ago") or a date
named before in the text ("the following year", "three years later"). Without an anchor they mean nothing.
"""

from __future__ import annotations

import re

from schemas.time import Day, DayRange, civil_from_day, month_range, year_range
from tasks.dates.words import MONTHS, NUMBER_WORDS, fold_date, number, strip_lead

_COUNT = r"(\d{1,3}|" + "|".join(sorted(NUMBER_WORDS, key=len, reverse=True)) + r")"
_UNIT = r"(day|week|month|year|decade)s?"
_LATER = re.compile(
    rf"(?:just\s+|only\s+|some\s+|about\s+)?{_COUNT}\s+{_UNIT}\s+(later|after|afterwards?|thereafter|earlier|before|ago|from now|previously)(?:\s+that)?"
)
_NEXT = re.compile(
    r"(?:the\s+)?(following|next|subsequent|previous|preceding|prior|same|last|this|that|current|past|coming)\s+(day|week|month|year|decade|spring|summer|autumn|fall|winter)"
)
_NEXT_MONTH = re.compile(r"(?:the\s+)?(following|next|previous|preceding|same|last|this|that)\s+([a-z]{3,9})")
_OF_THAT_YEAR = re.compile(
    r"([a-z]{3,9})(?:\s+(\d{1,2}))?\s+of\s+(?:that|the\s+same)\s+year|(?:later|earlier)\s+that\s+year"
)
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1, "the same day": 0, "that day": 0}
_YEARLESS = re.compile(
    r"\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?[a-z]{3,9}\.?|[a-z]{3,9}\.?(?:\s+\d{1,2}(?:st|nd|rd|th)?)?"
)
_STEP = {
    "following": 1,
    "next": 1,
    "subsequent": 1,
    "coming": 1,
    "previous": -1,
    "preceding": -1,
    "prior": -1,
    "last": -1,
    "past": -1,
}
_SEASON_MONTH = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_DOCUMENT = re.compile(r"\b(?:ago|from now|yesterday|today|tomorrow|this|current|coming|past)\b|^(?:last|next)\b")
_TEXT = re.compile(
    r"\b(?:later|after|afterwards?|thereafter|earlier|before|previously|following|subsequent|previous|preceding|prior|same|that)\b|^the\s+(?:next|last)\b"
)


def anchor_kind(text: str) -> str | None:
    """'document' or 'text': which date the expression counts from; None where it needs none (or is not relative).

    A date without a year counts from a date in the text.
    """
    folded = re.sub(r"^(?:in|on|during|until|since|by|from)\s+", "", fold_date(text))
    folded = re.sub(r"^(?:early|mid|late|later)[\s–-]+", "", strip_lead(folded)) or folded
    if _YEARLESS.fullmatch(folded) and set(re.findall(r"[^\W\d_]+", folded)) & set(MONTHS["en"]):
        return "text"
    if not parse_relative(strip_lead(folded), 0, MONTHS["en"]) and not parse_relative(folded, 0, MONTHS["en"]):
        return None
    if _TEXT.search(folded):
        return "text"
    return "document" if _DOCUMENT.search(folded) else "text"


def _shift_month(day: Day, by: int) -> DayRange:
    year, month, _ = civil_from_day(day)
    total = year * 12 + month - 1 + by
    return month_range(total // 12, total % 12 + 1)


def parse_relative(text: str, anchor: Day, months: dict[str, int]) -> DayRange | None:
    """The range that a folded relative expression means, counted from `anchor`."""
    year = civil_from_day(anchor)[0]
    if text in _DAYS:
        return DayRange(anchor + _DAYS[text], anchor + _DAYS[text])
    if match := _LATER.fullmatch(text):
        n, unit = number(match[1]), match[2]
        sign = -1 if match[3] in ("earlier", "before", "ago", "previously") else 1
        return _move(anchor, sign * n, unit)
    if match := _NEXT.fullmatch(text):
        return _neighbour(anchor, year, _STEP.get(match[1], 0), match[2])
    if (match := _NEXT_MONTH.fullmatch(text)) and match[2] in months:
        return _named_month(anchor, months[match[2]], match[1])
    if match := _OF_THAT_YEAR.fullmatch(text):
        if match[1] is None:
            return year_range(year)
        if match[1] in months:
            whole = month_range(year, months[match[1]])
            if match[2] is None:
                return whole
            day = whole.first + int(match[2]) - 1
            return DayRange(day, day) if day <= whole.last else None
    return None


def _move(anchor: Day, n: int, unit: str) -> DayRange:
    if unit == "day":
        return DayRange(anchor + n, anchor + n)
    if unit == "week":
        return DayRange(anchor + 7 * n - 3, anchor + 7 * n + 3)
    if unit == "month":
        return _shift_month(anchor, n)
    return year_range(civil_from_day(anchor)[0] + n * (10 if unit == "decade" else 1))


def _neighbour(anchor: Day, year: int, step: int, unit: str) -> DayRange:
    if unit in _SEASON_MONTH:
        first = month_range(year + step, _SEASON_MONTH[unit]).first
        return DayRange(first, _shift_month(first, 2).last)
    if unit == "decade":
        start = year - year % 10 + 10 * step
        return DayRange(year_range(start).first, year_range(start + 9).last)
    if unit == "week":
        monday = anchor - (anchor + 3) % 7 + 7 * step
        return DayRange(monday, monday + 6)
    return _move(anchor, step, unit)


def _named_month(anchor: Day, month: int, word: str) -> DayRange:
    """ "The following March": the first one after the anchor's month; "last March": the last one before it."""
    year, here, _ = civil_from_day(anchor)
    if word in ("following", "next"):
        return month_range(year if month > here else year + 1, month)
    if word in ("previous", "preceding", "last"):
        return month_range(year if month < here else year - 1, month)
    return month_range(year, month)
