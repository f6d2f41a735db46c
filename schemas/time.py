"""Days and four-day intervals.

A day is an `int`: days since 1970-01-01 in the proleptic Gregorian calendar with astronomical years (44 BC = -43).
No datetime type is used, so years before 1 and after 9999 work. Day arithmetic: Howard Hinnant, "chrono-Compatible
Low-Level Date Algorithms".

An interval knows its two bounds only to lie in ranges (DESIGN section 4): the first day on which the fact holds lies in
[start_min, start_max], the first day on which it no longer holds in [end_min, end_max]; both inclusive; None is the
uninformative bound on its own side.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime

Day = int

_ISO = re.compile(r"^([+-]?\d{4,6})(?:-(\d{1,2}))?(?:-(\d{1,2}))?$")


def day_from_civil(year: int, month: int, day: int) -> Day:
    """Days since 1970-01-01 of a proleptic Gregorian date. Raises ValueError on a date that does not exist."""
    if not 1 <= month <= 12 or not 1 <= day <= days_in_month(year, month):
        raise ValueError(f"no such day: {year}-{month}-{day}")
    y = year - (month <= 2)
    era = y // 400
    yoe = y - era * 400
    doy = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    doe = yoe * 365 + yoe // 4 - yoe // 100 + doy
    return era * 146097 + doe - 719468


def civil_from_day(day: Day) -> tuple[int, int, int]:
    """(astronomical year, month, day of month)."""
    z = day + 719468
    era = z // 146097
    doe = z - era * 146097
    yoe = (doe - doe // 1460 + doe // 36524 - doe // 146096) // 365
    doy = doe - (365 * yoe + yoe // 4 - yoe // 100)
    mp = (5 * doy + 2) // 153
    month = mp + (3 if mp < 10 else -9)
    return yoe + era * 400 + (month <= 2), month, doy - (153 * mp + 2) // 5 + 1


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in_month(year: int, month: int) -> int:
    if month == 2:
        return 29 if is_leap(year) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def year_of(day: Day) -> int:
    return civil_from_day(day)[0]


def iso(day: Day | None) -> str | None:
    """ISO 8601 text; years outside 0..9999 carry a sign (44 BC = -0043)."""
    if day is None:
        return None
    year, month, dom = civil_from_day(day)
    if year > 9999:
        return f"+{year:05d}-{month:02d}-{dom:02d}"
    return f"{'-' if year < 0 else ''}{abs(year):04d}-{month:02d}-{dom:02d}"


@dataclass(frozen=True, slots=True)
class DayRange:
    """A day known only to lie in [first, last], both inclusive: what a date expression means."""

    first: Day
    last: Day

    def __post_init__(self) -> None:
        if self.first > self.last:
            raise ValueError(f"empty range {iso(self.first)}..{iso(self.last)}")

    @property
    def precision(self) -> str:
        days = self.last - self.first + 1
        for name, limit in (("day", 1), ("month", 31), ("year", 366), ("decade", 3660)):
            if days <= limit:
                return name
        return "century"


def year_range(year: int) -> DayRange:
    return DayRange(day_from_civil(year, 1, 1), day_from_civil(year, 12, 31))


def month_range(year: int, month: int) -> DayRange:
    return DayRange(day_from_civil(year, month, 1), day_from_civil(year, month, days_in_month(year, month)))


def day_range(year: int, month: int, day: int) -> DayRange:
    d = day_from_civil(year, month, day)
    return DayRange(d, d)


def years_range(first_year: int, last_year: int) -> DayRange:
    return DayRange(day_from_civil(first_year, 1, 1), day_from_civil(last_year, 12, 31))


def parse_iso(text: str) -> DayRange:
    """YYYY, YYYY-MM or YYYY-MM-DD (astronomical years, optional sign) to the range it denotes.

    Raises ValueError with what was expected.
    """
    match = _ISO.match(text.strip())
    if not match:
        raise ValueError(f"not a date: {text!r}; expected YYYY, YYYY-MM or YYYY-MM-DD")
    year, month, day = int(match[1]), match[2], match[3]
    if day:
        return day_range(year, int(month), int(day))
    if month:
        if not 1 <= int(month) <= 12:
            raise ValueError(f"no such month: {text!r}")
        return month_range(year, int(month))
    return year_range(year)


def instant_from_iso(text: str) -> int:
    """Seconds since the epoch, UTC, of an ISO instant. A time without a zone is UTC."""
    stamp = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    if stamp.tzinfo is None:
        stamp = stamp.replace(tzinfo=UTC)
    return int(stamp.timestamp())


def day_of_instant(seconds: int) -> Day:
    """The UTC day of an instant in seconds since the epoch."""
    return seconds // 86400


@dataclass(frozen=True, slots=True)
class Interval:
    """Four-day validity of a fact. See the module's text for what each bound means."""

    start_min: Day | None = None
    start_max: Day | None = None
    end_min: Day | None = None
    end_max: Day | None = None

    def possibly(self, day: Day) -> bool:
        """start_min <= day < end_max, None being open."""
        return (self.start_min is None or self.start_min <= day) and (self.end_max is None or day < self.end_max)

    def certainly(self, day: Day) -> bool:
        """start_max <= day < end_min; an unknown inner bound is never certain."""
        return self.start_max is not None and self.end_min is not None and self.start_max <= day < self.end_min

    def possibly_meets(self, first: Day, until: Day) -> bool:
        """The possible range meets the half-open [first, until)."""
        return (self.start_min is None or self.start_min < until) and (self.end_max is None or first < self.end_max)

    def certainly_contains(self, first: Day, until: Day) -> bool:
        """The certain range contains the half-open [first, until)."""
        return (
            self.start_max is not None
            and self.end_min is not None
            and self.start_max <= first
            and until <= self.end_min
        )

    def problems(self) -> list[str]:
        """Why this is not a legal interval; empty when it is."""
        out = []
        if None not in (self.start_min, self.start_max) and self.start_min > self.start_max:  # type: ignore[operator]  # None is ruled out, in a way that mypy does not follow
            out.append("start_min > start_max")
        if None not in (self.end_min, self.end_max) and self.end_min > self.end_max:  # type: ignore[operator]  # None is ruled out, in a way that mypy does not follow
            out.append("end_min > end_max")
        if None not in (self.start_min, self.end_max) and self.start_min >= self.end_max:  # type: ignore[operator]  # None is ruled out, in a way that mypy does not follow
            out.append("start_min >= end_max: can hold on no day")
        return out

    def starting(self, day: DayRange) -> Interval:
        return replace(self, start_min=day.first, start_max=day.last)

    def ending(self, day: DayRange) -> Interval:
        """The fact ended on a day of this range (resigned, replaced): that day is the first without it."""
        return replace(self, end_min=day.first, end_max=day.last)

    def until(self, day: DayRange) -> Interval:
        """Held through a day of this range. Day precision: end = D + 1. A year Y: Y-01-01 .. (Y+1)-01-01."""
        if day.first == day.last:
            return replace(self, end_min=day.first + 1, end_max=day.first + 1)
        return replace(self, end_min=day.first, end_max=day.last + 1)

    def still_on(self, day: Day) -> Interval:
        """Said to hold still on this day: open, not unknown."""
        return replace(self, end_min=day + 1, end_max=None)
