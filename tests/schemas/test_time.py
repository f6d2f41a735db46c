"""Days and four-day intervals."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import time as t

years = st.integers(-9999, 12000)
days = st.integers(t.day_from_civil(-9999, 1, 1), t.day_from_civil(12000, 12, 31))


@given(days)
def test_civil_round_trip(day):
    assert t.day_from_civil(*t.civil_from_day(day)) == day


@given(days)
def test_next_day_is_one_later(day):
    assert t.civil_from_day(day) < t.civil_from_day(day + 1)


@given(st.dates())
def test_agrees_with_the_standard_library(date):
    assert t.day_from_civil(date.year, date.month, date.day) == (date - datetime.date(1970, 1, 1)).days


@given(days)
def test_iso_round_trip(day):
    assert t.parse_iso(t.iso(day)) == t.DayRange(day, day)


@given(years)
def test_a_year_covers_its_days(year):
    span = t.year_range(year)
    assert span.last - span.first + 1 == (366 if t.is_leap(year) else 365)
    assert t.year_of(span.first) == t.year_of(span.last) == year


@pytest.mark.parametrize(("text", "first", "last"), [
    ("1997", "1997-01-01", "1997-12-31"), ("2020-02", "2020-02-01", "2020-02-29"), ("-0043", "-0043-01-01", "-0043-12-31"),
    ("2020-04-06", "2020-04-06", "2020-04-06"),
])
def test_parse_iso(text, first, last):
    span = t.parse_iso(text)
    assert (t.iso(span.first), t.iso(span.last)) == (first, last)


@pytest.mark.parametrize("text", ["", "20", "2020-13", "2020-02-30", "2021-02-29", "yesterday", "2020/01/01", "2020-0-1"])
def test_parse_iso_refuses(text):
    with pytest.raises(ValueError):
        t.parse_iso(text)


def test_instants_go_to_utc_before_their_day():
    late = t.instant_from_iso("2020-01-01T23:30:00-05:00")
    assert t.iso(t.day_of_instant(late)) == "2020-01-02"
    assert t.instant_from_iso("2020-01-02T04:30:00Z") == late == t.instant_from_iso("2020-01-02T04:30:00")
    assert t.iso(t.day_of_instant(-1)) == "1969-12-31"


bounds = st.none() | st.integers(-1000, 1000)
intervals = st.builds(t.Interval, bounds, bounds, bounds, bounds)


@given(intervals, st.integers(-1100, 1100))
def test_certain_implies_possible(interval, day):
    if not interval.problems() and interval.certainly(day):
        assert interval.possibly(day)


@given(intervals, st.integers(-1100, 1100), st.integers(1, 50))
def test_ranges_agree_with_days(interval, first, length):
    until = first + length
    assert interval.certainly_contains(first, until) == all(interval.certainly(d) for d in range(first, until))
    if not interval.problems():
        held = any(interval.possibly(d) for d in range(first, until))
        assert not held or interval.possibly_meets(first, until)


def test_ends_and_untils():
    day = t.parse_iso("2020-04-06")
    assert t.Interval().ending(day).end_min == day.first
    assert t.Interval().until(day).end_min == day.first + 1
    year = t.parse_iso("1997")
    ended = t.Interval().until(year)
    assert (t.iso(ended.end_min), t.iso(ended.end_max)) == ("1997-01-01", "1998-01-01")
    still = t.Interval().still_on(day.first)
    assert still.end_min == day.first + 1 and still.end_max is None
