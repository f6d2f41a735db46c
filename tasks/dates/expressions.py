"""Date expressions to ranges of days. Nothing is ever filled in from today.

`parse_expression` reads one date ("6 April 2020", "early 1990s", "44 BC"), `parse_bounds` a date that may be known from
one side only ("before 1990"); stretches of time are read in `tasks.dates.spans`. What is not understood, or names a
day that does not exist, gives None. Conventions:

- early, mid and late: of a decade years 0-3, 4-6, 7-9; of a century thirds; of a year thirds of four months; of a month
  days 1-10, 11-20, 21-end. "Beginning of" = early, "end of" = late.
- "19th century" = 1801..1900; "1990s" = 1990..1999; "1900s" may be a decade or a century, so the century.
- Seasons are those of the northern hemisphere; a winter named by one year may be either, so both.
- "c. 1850" is 1845..1855; of a month the year, of a day the month. A fiscal year is taken as the calendar year of its name.
- A year before Christ is astronomical: 44 BC = -43.
- Relative expressions ("the following year") want an anchor; a date without a year ("6 April") takes the anchor's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from schemas.time import (
    Day,
    DayRange,
    civil_from_day,
    day_range,
    days_in_month,
    month_range,
    parse_iso,
    year_range,
    years_range,
)
from tasks.dates import relative
from tasks.dates.words import MONTHS, fold_date, ordinal, strip_lead

_ERA = r"(?:\s*(?P<era>bce?|b\.\s?c\.?(?:\s?e\.?)?|ce|c\.\s?e\.?|ad|a\.\s?d\.?))?"
_ERA_LAST = r"(?P<era>bce?|b\.\s?c\.?(?:\s?e\.?)?)"
_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th|er|\.|º)?"
_YEAR = r"(?P<y>\d{1,5})"
_WORD = r"(?P<m>[^\W\d_]{3,12})\.?"

_DAY_MONTH_YEAR = re.compile(
    rf"{_DAY}(?:\s+(?:of|de|di|del)(?=\s))?\s*[\s-]?{_WORD},?(?:\s+(?:of|de|del))?[\s,-]+{_YEAR}{_ERA}"
)
_MONTH_DAY_YEAR = re.compile(rf"{_WORD}\s+(?:the\s+)?{_DAY}(?:\s*,\s*|\s+){_YEAR}{_ERA}")
_MONTH_YEAR = re.compile(rf"{_WORD},?(?:\s+(?:of|de|del|in))?[\s,-]+(?:the\s+year\s+)?(?P<y>\d{{3,5}}){_ERA}")
_DAY_MONTH = re.compile(
    rf"{_DAY}(?:\s+(?:of|de|di)(?=\s))?\s+{_WORD}|(?P<m2>[^\W\d_]{{3,12}})\.?\s+(?:the\s+)?(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?"
)
_YEAR_MONTH_DAY = re.compile(rf"(?P<y>\d{{3,4}}),?\s+{_WORD}(?:\s+(?P<d>\d{{1,2}}))?")
_NUMBERS = re.compile(
    r"(\d{3,4})[ |](\d{1,2})(?:[ |](\d{1,2}))?(?:[ |]\d{3,4}[ |]\d{1,2}[ |]\d{1,2})?(?:\s+[dm]f\s*=?\s*\w+)?"
)
_SLASHED = re.compile(r"(\d{1,2})([/.-])\s?(\d{1,2})\2\s?(\d{4})")
_YMD = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})")
_BARE_YEAR = re.compile(r"(?:(?:the\s+)?year\s+)?(?:(?:ad|a\.d\.)\s*)?(\d{3,4})(?:\s*(?:ad|ce|a\.d\.|c\.e\.))?")
_AD_YEAR = re.compile(r"(?:ad|a\.d\.)\s*(\d{1,5})|(\d{1,5})\s*(?:ad|ce|a\.d\.?|c\.e\.?)")
_BC_YEAR = re.compile(rf"(?:(?:the\s+)?year\s+)?(\d{{1,5}}),?\s*{_ERA_LAST}")
_DECADE = re.compile(r"(?:(?:the|decade\s+of\s+the)\s+)?(\d{3,4})'?s(?:\s*(bce?|b\.c\.))?")
_SHORT_DECADE = re.compile(r"(?:the\s+)?'(\d)0s")
_CENTURY = re.compile(
    r"(?:the\s+)?([a-z]+(?:[ -]first)?|\d{1,2}(?:st|nd|rd|th))[ -](century|millennium)(?:\s*(bce?|b\.c\.(?:e\.)?|ad|ce))?"
)
_QUARTER = re.compile(
    r"(?:q([1-4])|([1-4])q|(first|second|third|fourth|last)\s+quarter)(?:\s+of)?[\s,/'–-]*(?:fy\s?)?(\d{4})|(\d{4})\s*[-/–]?\s*q([1-4])"
)
_HALF = re.compile(r"(?:h([12])|(first|second)\s+half)(?:\s+of)?[\s/-]*(\d{4})|(\d{4})\s*[-/]?\s*h([12])")
_SEASON = re.compile(r"(?:the\s+)?(spring|summer|autumn|fall|winter)(?:\s+of)?,?\s+(\d{4})(?:\s*[–/-]\s*(\d{2,4}))?")
_FISCAL = re.compile(r"(?:fy|fiscal(?:\s+year)?|financial\s+year)\s*'?\s?(\d{4})|(\d{4})\s+(?:fiscal|financial)\s+year")
_FISCAL_PAIR = re.compile(
    r"(?:fy|fiscal(?:\s+year)?|financial\s+year|tax\s+year)?\s*(\d{4})\s*[/–-]\s*(\d{2}|\d{4})(?:\s+(?:season|fiscal\s+year|financial\s+year|school\s+year|academic\s+year|campaign|term))?"
)
_YEAR_ENDED = re.compile(
    r"(?:the\s+)?(?:(?:fiscal|financial)\s+)?(?:year|quarter|period)\s+end(?:ed|ing)\s+(?:on\s+)?(.+)"
)
_PART = re.compile(
    r"(?:the\s+)?(early|mid|late|middle|beginning|start|end|close|latter\s+(?:half|part)|later|first\s+part|first\s+half|second\s+half|later\s+part)(?:[\s–-]+|\s+)(?:in\s+|of\s+)?(?:the\s+)?(.+)"
)
_CIRCA = re.compile(
    r"(?:circa|ca\.?(?=[\s\d])|c\.?(?=[\s\d])|c\.\s?a\.|about|around|approximately|approx\.?|roughly|probably|possibly|perhaps|likely|some time in|sometime in|~|≈)\s*(?=[\da-z])(.+)"
)
_BETWEEN = re.compile(r"(?:sometime\s+)?between\s+(.+?)\s+and\s+(.+)")
_SIDED = re.compile(r"(before|prior to|no later than|by|after|following|no earlier than|as early as|as late as)\s+(.+)")
_PART_NAMES = {
    "beginning": "early",
    "start": "early",
    "first part": "early",
    "middle": "mid",
    "end": "late",
    "close": "late",
    "later": "late",
    "latter part": "late",
    "later part": "late",
    "latter half": "second half",
}


@dataclass(frozen=True, slots=True)
class Bounds:
    """A day known to lie in [first, last]; None = not bounded on that side."""

    first: Day | None
    last: Day | None


def parse_expression(
    text: str, *, language: str = "en", anchor: Day | None = None, day_first: bool = False
) -> DayRange | None:
    """The range of days that one date expression means, or None. See the module's text for the conventions.

    `anchor` is the day that relative expressions count from. `day_first` decides 04/06/2020 (else the month is first).
    """
    folded = strip_lead(fold_date(text))
    if not folded or len(folded) > 80:
        return None
    try:
        return _parse(folded, MONTHS.get(language, {}), anchor, day_first)
    except ValueError:  # a day that does not exist
        return None


def _parse(text: str, months: dict[str, int], anchor: Day | None, day_first: bool) -> DayRange | None:
    found = _plain(text, months, day_first)
    if found is not None:
        return found
    if match := _YEAR_ENDED.fullmatch(text):
        return _parse(match[1], months, anchor, day_first)
    if match := _BETWEEN.fullmatch(text):
        first, last = _parse(match[1], months, anchor, day_first), _parse(match[2], months, anchor, day_first)
        return DayRange(first.first, last.last) if first and last and first.first <= last.last else None
    if match := _CIRCA.fullmatch(text):
        inner = _parse(strip_lead(match[1]), months, anchor, day_first)
        return _widen(inner) if inner else None
    if match := _PART.fullmatch(text):
        inner = _parse(match[2], months, anchor, day_first)
        name = _PART_NAMES.get(match[1], match[1])
        return _part(name, inner) if inner else None
    if anchor is None:
        return None
    if match := _DAY_MONTH.fullmatch(text):
        month = months.get(match["m"] or match["m2"])
        if month:
            return day_range(civil_from_day(anchor)[0], month, int(match["d"] or match["d2"]))
    if text in months:
        return month_range(civil_from_day(anchor)[0], months[text])
    return relative.parse_relative(text, anchor, months)


def _plain(text: str, months: dict[str, int], day_first: bool) -> DayRange | None:
    """Expressions that need no anchor and no modifier. Raises ValueError for a day that does not exist."""
    if re.fullmatch(r"[+-]?\d{4}-\d{1,2}(-\d{1,2})?|[+-]\d{4,6}|0\d{3}", text) and not re.fullmatch(
        r"\d{4}-(1[3-9]|[2-9]\d)", text
    ):
        return parse_iso(text)
    if match := _BARE_YEAR.fullmatch(text):
        year = int(match[1])
        return year_range(year) if 100 <= year < 3001 else None
    for pattern in (_DAY_MONTH_YEAR, _MONTH_DAY_YEAR):
        match = pattern.fullmatch(text)
        if match and match["m"] in months and (year := _year(match)) is not None:
            return day_range(year, months[match["m"]], int(match["d"]))
    if (match := _MONTH_YEAR.fullmatch(text)) and match["m"] in months and (year := _year(match)) is not None:
        return month_range(year, months[match["m"]])
    if (match := _YEAR_MONTH_DAY.fullmatch(text)) and match["m"] in months:
        year, month = int(match["y"]), months[match["m"]]
        return day_range(year, month, int(match["d"])) if match["d"] else month_range(year, month)
    if match := _NUMBERS.fullmatch(text):
        year, month = int(match[1]), int(match[2])
        return (
            day_range(year, month, int(match[3]))
            if match[3]
            else month_range(year, month)
            if 1 <= month <= 12
            else None
        )
    if match := _YMD.fullmatch(text):
        return day_range(int(match[1]), int(match[2]), int(match[3]))
    if match := _SLASHED.fullmatch(text):
        a, b, year = int(match[1]), int(match[3]), int(match[4])
        first_is_day = day_first or match[2] == "." or a > 12
        return day_range(year, b, a) if first_is_day else day_range(year, a, b)
    if match := _BC_YEAR.fullmatch(text):
        year = int(match[1])
        return year_range(1 - year) if year > 0 else None
    if match := _AD_YEAR.fullmatch(text):
        year = int(match[1] or match[2])
        return year_range(year) if year > 0 else None
    return _period(text)


def _period(text: str) -> DayRange | None:
    """Decades, centuries, quarters, halves, seasons, fiscal years."""
    if match := _DECADE.fullmatch(text):
        first = int(match[1])
        width = 100 if first % 100 == 0 else 10
        if first % 10:
            return None
        if match[2]:
            return years_range(1 - (first + width - 1), 1 - max(first, 1))
        return years_range(first, first + width - 1)
    if match := _CENTURY.fullmatch(text):
        n, size = ordinal(match[1]), 100 if match[2] == "century" else 1000
        if not n:
            return None
        if match[3] and match[3].startswith("b"):
            return years_range(1 - n * size, 1 - ((n - 1) * size + 1))
        return years_range((n - 1) * size + 1, n * size)
    if match := _QUARTER.fullmatch(text):
        word = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}.get(match[3] or "")
        q, year = int(match[1] or match[2] or match[6] or word), int(match[4] or match[5])
        return DayRange(month_range(year, 3 * q - 2).first, month_range(year, 3 * q).last)
    if match := _HALF.fullmatch(text):
        h = int(match[1] or match[5] or (1 if match[2] == "first" else 2))
        year = int(match[3] or match[4])
        return DayRange(month_range(year, 6 * h - 5).first, month_range(year, 6 * h).last)
    if match := _SEASON.fullmatch(text):
        return _season(match[1], int(match[2]), match[3])
    if match := _FISCAL.fullmatch(text):
        return year_range(int(match[1] or match[2]))
    if (match := _FISCAL_PAIR.fullmatch(text)) and ("/" in text or re.search(r"[a-z]", text)):
        first = int(match[1])
        last = second_year(first, match[2])
        return years_range(first, last) if last is not None and first < last <= first + 2 else None
    return None


def _season(name: str, year: int, second: str | None) -> DayRange | None:
    if name == "winter":
        if second:
            last = second_year(year, second)
            return DayRange(month_range(year, 12).first, month_range(year + 1, 2).last) if last == year + 1 else None
        return DayRange(month_range(year - 1, 12).first, month_range(year + 1, 2).last)
    month = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9}[name]
    return None if second else DayRange(month_range(year, month).first, month_range(year, month + 2).last)


def _year(match: re.Match) -> int | None:
    year, era = int(match["y"]), match["era"]
    if era is None:
        return year if year >= 100 else None  # two-digit years are not guessed
    if year == 0:
        return None
    return 1 - year if era.startswith("b") else year


def second_year(first: int, text: str) -> int | None:
    """The year that `11` means after 2010, `2` after 1901."""
    if len(text) >= len(str(first)):
        return int(text)
    base = 10 ** len(text)
    year = first - first % base + int(text)
    return year if year > first else year + base


def _widen(day: DayRange) -> DayRange:
    year, month, _ = civil_from_day(day.first)
    if day.precision == "day":
        return month_range(year, month)
    if day.precision == "month":
        return year_range(year)
    if day.precision == "year" and day == year_range(year):
        return years_range(year - 5, year + 5)
    return day


def _part(name: str, whole: DayRange) -> DayRange | None:
    (y1, m1, _), (y2, _, _) = civil_from_day(whole.first), civil_from_day(whole.last)
    thirds = {"early": 0, "mid": 1, "late": 2}
    if whole == month_range(y1, m1):
        cuts = [1, 11, 21, days_in_month(y1, m1) + 1]
        if name in thirds:
            n = thirds[name]
            return DayRange(whole.first + cuts[n] - 1, whole.first + cuts[n + 1] - 2)
        return None
    if whole == year_range(y1):
        if name in thirds:
            n = thirds[name]
            return DayRange(month_range(y1, 4 * n + 1).first, month_range(y1, 4 * n + 4).last)
        return (
            DayRange(month_range(y1, 1).first, month_range(y1, 6).last)
            if name == "first half"
            else DayRange(month_range(y1, 7).first, whole.last)
        )
    years = y2 - y1 + 1
    if whole != years_range(y1, y2) or years < 10:
        return None
    if name in thirds:
        cuts = [0, 4, 7, 10] if years == 10 else [0, years // 3, 2 * (years // 3), years]
        n = thirds[name]
        return years_range(y1 + cuts[n], y1 + cuts[n + 1] - 1)
    return years_range(y1, y1 + years // 2 - 1) if name == "first half" else years_range(y1 + years // 2, y2)


def parse_bounds(
    text: str, *, language: str = "en", anchor: Day | None = None, day_first: bool = False
) -> Bounds | None:
    """Like `parse_expression`, and "before / by / after X", which bound the day on one side."""
    folded = strip_lead(fold_date(text))
    found = parse_expression(folded, language=language, anchor=anchor, day_first=day_first)
    if found:
        return Bounds(found.first, found.last)
    match = _SIDED.fullmatch(folded)
    inner = parse_expression(match[2], language=language, anchor=anchor, day_first=day_first) if match else None
    if inner is None:
        return None
    word = match[1]
    if word in ("before", "prior to"):
        return Bounds(None, inner.first - 1)
    if word in ("by", "no later than", "as late as"):
        return Bounds(None, inner.last)
    if word in ("after", "following"):
        return Bounds(inner.last + 1, None)
    return Bounds(inner.first, None)
