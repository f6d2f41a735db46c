"""Stretches of time as written: "1799–1815", "May–June 2010", "2001 to present". What is none gives None."""

from __future__ import annotations

import re
from dataclasses import dataclass

from schemas.time import Day, DayRange, year_range, years_range
from tasks.dates.expressions import parse_expression, second_year
from tasks.dates.words import fold_date, strip_lead

_OPEN = {
    "present",
    "now",
    "incumbent",
    "current",
    "currently",
    "today",
    "date",
    "to date",
    "ongoing",
    "onwards",
    "onward",
    "the present",
    "present day",
    "the present day",
    "still",
    "still active",
    "so far",
    "to the present",
    "to present",
    "until now",
    "until present",
}


def is_open(text: str) -> bool:
    """The expression says that the fact still holds ("present", "incumbent")."""
    folded = fold_date(text)
    return folded in _OPEN or strip_lead(folded) in _OPEN


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time as written: its first and its last day (inclusive), each a range; `open` = goes on."""

    start: DayRange | None
    end: DayRange | None
    open: bool = False


def parse_span(text: str, *, language: str = "en", anchor: Day | None = None, day_first: bool = False) -> Span | None:
    """A stretch of time: "1799–1815", "from May to June 2010", "1997–present", "since 1990". None if it is none.

    What the first side leaves out ("6–8 April 2020", "May–June 2010") is taken from the second, and "2010–12" from the
    first.
    """
    folded = fold_date(text)
    for lead, cut in (("from ", 5), ("between ", 8)):
        if folded.startswith(lead):
            folded = folded[cut:]
            if lead == "between ":
                folded = re.sub(r"\s+and\s+", "–", folded, count=1)

    def one(part: str) -> DayRange | None:
        return parse_expression(part, language=language, anchor=anchor, day_first=day_first)

    if match := re.fullmatch(r"since\s+(.+)", folded):
        start = one(match[1])
        return Span(start, None, True) if start else None
    for match in _splits(folded):
        a, b = match
        if not a and not b:
            continue
        if (is_open(b) and b) or (a and not b):
            start = one(a)
            if start:
                return Span(start, None, True)
            continue
        end = one(b) if b else None
        if not a:
            return Span(None, end) if end else None
        if (md := re.fullmatch(r"([^\W\d_]{3,12}\.?)\s+\d{1,2}", a)) and re.match(r"\d{1,2}\b", b):
            end = one(f"{md[1]} {b}") or end  # "April 6-8, 2020"
            b = f"{md[1]} {b}"
        start = _with_borrowed(a, b, end, one) if end else one(a)
        if end is None and start is not None and re.fullmatch(r"\d{1,4}", b) and re.fullmatch(r".*\b\d{4}", a):
            last = second_year(int(a[-4:]), b)
            end = year_range(last) if last is not None else None
        if start and end and re.fullmatch(r"\d{2}00s", b) and start.precision == "decade":
            end = years_range(int(b[:4]), int(b[:4]) + 9)  # "1990s-2000s": decades
        if start is None and end is None:
            continue
        if start and end and start.first <= end.last:
            return Span(start, end)
    return None


def _splits(text: str):
    """(left, right) at every dash or word that may join two dates, first one first."""
    for match in re.finditer(
        r"–|\s+(?:to|through|thru|until|till|til)\s+|(?<=\d)-(?=\d{2,4}$)|(?<=\d)-(?=present|now)", text
    ):
        yield text[: match.start()].strip(" ,"), text[match.end() :].strip(" ,")


def _with_borrowed(a: str, b: str, end: DayRange, one) -> DayRange | None:
    """The first side, with the month, year or era that it leaves to the second."""
    era = re.search(r"\s*(bce?|b\.c\.)$", b)
    if era and re.fullmatch(r"(?:c\.?\s*)?\d{1,5}", a):
        return one(a + " " + era[1])
    tail = re.search(r",?\s*(\d{3,4})(\s*(?:bce?|b\.c\.))?$", b)
    if tail and not re.search(r"\d{3,4}", a):
        if re.fullmatch(r"\d{1,2}(?:st|nd|rd|th)?", a):
            rest = re.sub(r"^\d{1,2}(?:st|nd|rd|th)?\s+", "", b)
            return one(f"{a} {rest}") if rest != b else None
        found = one(f"{a}{', ' if re.search(r'[0-9]$', a) else ' '}{tail[1]}{tail[2] or ''}")
        if found and found.first > end.last:  # "November to March 2010"
            found = one(f"{a}{', ' if re.search(r'[0-9]$', a) else ' '}{int(tail[1]) - 1}")
        return found
    found = one(a)
    if found is not None:
        return found
    if re.fullmatch(r"\d{1,2}", b) and (lead := re.match(r"([^\W\d_]+)\s+\d", a)):
        return one(f"{lead[1]} {a}")
    return None
