"""Date expressions: golden cases, refusals, and round trips over six thousand years."""

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.time import (
    DayRange,
    civil_from_day,
    day_from_civil,
    days_in_month,
    iso,
    month_range,
    parse_iso,
    year_range,
)
from tasks.dates.expressions import Bounds, parse_bounds, parse_expression
from tasks.dates.relative import anchor_kind
from tasks.dates.spans import is_open, parse_span

GOLDEN = [
    ("2020-04-06", "2020-04-06"), ("6 April 2020", "2020-04-06"), ("April 6, 2020", "2020-04-06"), ("6 Apr 2020", "2020-04-06"),
    ("Apr. 6, 2020", "2020-04-06"), ("6th of April 2020", "2020-04-06"), ("April 1st, 1976", "1976-04-01"),
    ("Monday, 6 April 2020", "2020-04-06"), ("on 6 April 2020", "2020-04-06"), ("April 6 , 2020", "2020-04-06"),
    ("2020 April 6", "2020-04-06"), ("6-Apr-2020", "2020-04-06"), ("2020/04/06", "2020-04-06"), ("06.04.2020", "2020-04-06"),
    ("04/06/2020", "2020-04-06"), ("25/12/2020", "2020-12-25"), ("2008-03-12T10:00:00Z", "2008-03-12"),
    ("1976 4 1", "1976-04-01"), ("2011 10 5 1955 2 24", "2011-10-05"), ("1955 2 28 df=y", "1955-02-28"),
    ("February 28, 1955 (age 69)", "1955-02-28"), ("1 April 1976; 48 years ago", "1976-04-01"),
    ("1 April 1976 (1976-04-01)", "1976-04-01"), ("12 March 2008 [1]", "2008-03-12"), ("29 February 2020", "2020-02-29"),
    ("15 March 44 BC", "-0043-03-15"), ("2 September 31 BC", "-0030-09-02"),
    ("April 2020", "2020-04-01..2020-04-30"), ("Sept. 2001", "2001-09-01..2001-09-30"), ("September, 2001", "2001-09-01..2001-09-30"),
    ("2020-04", "2020-04-01..2020-04-30"), ("2010-11", "2010-11-01..2010-11-30"), ("March of 2011", "2011-03-01..2011-03-31"),
    ("February 1900", "1900-02-01..1900-02-28"), ("2020", "2020-01-01..2020-12-31"), ("in 2020", "2020-01-01..2020-12-31"),
    ("the year 2020", "2020-01-01..2020-12-31"), ("850", "0850-01-01..0850-12-31"), ("AD 69", "0069-01-01..0069-12-31"),
    ("69 AD", "0069-01-01..0069-12-31"), ("44 BC", "-0043-01-01..-0043-12-31"), ("44 B.C.", "-0043-01-01..-0043-12-31"),
    ("1 BC", "0000-01-01..0000-12-31"), ("3000 BCE", "-2999-01-01..-2999-12-31"), ("-0043", "-0043-01-01..-0043-12-31"),
    ("Q3 2019", "2019-07-01..2019-09-30"), ("2019 Q3", "2019-07-01..2019-09-30"), ("3Q 2019", "2019-07-01..2019-09-30"),
    ("third quarter of 2008", "2008-07-01..2008-09-30"), ("H1 2012", "2012-01-01..2012-06-30"),
    ("second half of 2012", "2012-07-01..2012-12-31"),
    ("1990s", "1990-01-01..1999-12-31"), ("the 1990s", "1990-01-01..1999-12-31"), ("1990's", "1990-01-01..1999-12-31"),
    ("early 1990s", "1990-01-01..1993-12-31"), ("the mid-1990s", "1994-01-01..1996-12-31"), ("mid 1990s", "1994-01-01..1996-12-31"),
    ("late 1990s", "1997-01-01..1999-12-31"), ("1800s", "1800-01-01..1899-12-31"), ("1820s", "1820-01-01..1829-12-31"),
    ("19th century", "1801-01-01..1900-12-31"), ("the nineteenth century", "1801-01-01..1900-12-31"),
    ("early 19th century", "1801-01-01..1833-12-31"), ("late 19th century", "1867-01-01..1900-12-31"),
    ("the end of the 19th century", "1867-01-01..1900-12-31"), ("1st century BC", "-0099-01-01..0000-12-31"),
    ("2nd millennium", "1001-01-01..2000-12-31"), ("21st century", "2001-01-01..2100-12-31"),
    ("first half of the 18th century", "1701-01-01..1750-12-31"),
    ("spring 2010", "2010-03-01..2010-05-31"), ("the summer of 1999", "1999-06-01..1999-08-31"),
    ("autumn 2001", "2001-09-01..2001-11-30"), ("fall 2001", "2001-09-01..2001-11-30"),
    ("winter 2010–11", "2010-12-01..2011-02-28"), ("winter 2010", "2009-12-01..2011-02-28"),
    ("early 2010", "2010-01-01..2010-04-30"), ("mid-2010", "2010-05-01..2010-08-31"), ("late 2010", "2010-09-01..2010-12-31"),
    ("the end of 2005", "2005-09-01..2005-12-31"), ("early March 2011", "2011-03-01..2011-03-10"),
    ("late February 2012", "2012-02-21..2012-02-29"),
    ("FY2019", "2019-01-01..2019-12-31"), ("fiscal year 2019", "2019-01-01..2019-12-31"), ("FY 2019", "2019-01-01..2019-12-31"),
    ("fiscal year ended March 31, 2019", "2019-03-31"), ("2010/11", "2010-01-01..2011-12-31"),
    ("2010–11 season", "2010-01-01..2011-12-31"),
    ("c. 1850", "1845-01-01..1855-12-31"), ("circa 1850", "1845-01-01..1855-12-31"), ("ca. 1850", "1845-01-01..1855-12-31"),
    ("about 1850", "1845-01-01..1855-12-31"), ("c. March 1850", "1850-01-01..1850-12-31"),
    ("between 1990 and 1995", "1990-01-01..1995-12-31"),
]
NOTHING = [
    "", " ", "31 February 2020", "29 February 2019", "30 Feb 2012", "31 April 2001", "32 May 2001", "2020-13", "2020-02-30", "13/13/2020",
    "0 May 2010", "0 BC", "AD 0", "unknown", "present", "the 90s", "44", "12", "1995s", "yesterday", "the following year", "6 April",
    "March", "last year", "three years later", "99999", "4 apples", "IBM", "1997–2003", "Smarch 2010", "between 2000 and 1990", "1,234",
    "version 2.0", "twenty-third century of", "Q5 2019", "6 April 20",
]


def _shown(found: DayRange | None) -> str | None:
    if found is None:
        return None
    return iso(found.first) if found.first == found.last else f"{iso(found.first)}..{iso(found.last)}"


@pytest.mark.parametrize("text, expected", GOLDEN)
def test_golden(text, expected):
    assert _shown(parse_expression(text)) == expected


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_no_date_gives_nothing(text):
    assert parse_expression(text) is None


@pytest.mark.parametrize("text, language, expected", [
    ("12. März 2008", "de", "2008-03-12"), ("1er janvier 1999", "fr", "1999-01-01"), ("5 de mayo de 1862", "es", "1862-05-05"),
    ("3 marzo 1861", "it", "1861-03-03"), ("7 de setembro de 1822", "pt", "1822-09-07"), ("5 mei 1945", "nl", "1945-05-05"),
    ("2008-03-12", "xx", "2008-03-12"), ("12 March 2008", "de", None),
])
def test_languages(text, language, expected):
    assert _shown(parse_expression(text, language=language)) == expected


def test_day_first():
    assert _shown(parse_expression("04/06/2020", day_first=True)) == "2020-06-04"


ANCHOR = parse_iso("2005-06-15").first


@pytest.mark.parametrize("text, expected, kind", [
    ("the following year", "2006-01-01..2006-12-31", "text"), ("the next year", "2006-01-01..2006-12-31", "text"),
    ("the previous year", "2004-01-01..2004-12-31", "text"), ("the same year", "2005-01-01..2005-12-31", "text"),
    ("that year", "2005-01-01..2005-12-31", "text"), ("three years later", "2008-01-01..2008-12-31", "text"),
    ("two years earlier", "2003-01-01..2003-12-31", "text"), ("a decade later", "2015-01-01..2015-12-31", "text"),
    ("two months later", "2005-08-01..2005-08-31", "text"), ("ten days later", "2005-06-25", "text"),
    ("the following day", "2005-06-16", "text"), ("the following March", "2006-03-01..2006-03-31", "text"),
    ("later that year", "2005-09-01..2005-12-31", "text"), ("early the next year", "2006-01-01..2006-04-30", "text"),
    ("6 April", "2005-04-06", "text"), ("April 6", "2005-04-06", "text"), ("March", "2005-03-01..2005-03-31", "text"),
    ("last year", "2004-01-01..2004-12-31", "document"), ("this year", "2005-01-01..2005-12-31", "document"),
    ("five years ago", "2000-01-01..2000-12-31", "document"), ("yesterday", "2005-06-14", "document"),
    ("last month", "2005-05-01..2005-05-31", "document"), ("next month", "2005-07-01..2005-07-31", "document"),
])
def test_relative_only_with_an_anchor(text, expected, kind):
    assert _shown(parse_expression(text, anchor=ANCHOR)) == expected
    assert parse_expression(text) is None
    assert anchor_kind(text) == kind


def test_29_february_of_a_year_without_one():
    assert parse_expression("29 February", anchor=ANCHOR) is None


@pytest.mark.parametrize("text, start, end, opened", [
    ("1799–1815", "1799", "1815", False), ("1799-1815", "1799", "1815", False), ("1799 — 1815", "1799", "1815", False),
    ("from 1990 to 1995", "1990", "1995", False), ("between 1997 and 2003", "1997", "2003", False),
    ("1997 until 2001", "1997", "2001", False), ("1997–present", "1997", None, True), ("1997–", "1997", None, True),
    ("1997 to date", "1997", None, True), ("since 1990", "1990", None, True), ("–1997", None, "1997", False), ("2010–12", "2010", "2012", False),
    ("1998–03", "1998", "2003", False), ("6–8 April 2020", "2020-04-06", "2020-04-08", False), ("April 6–8, 2020", "2020-04-06", "2020-04-08", False),
    ("May–June 2010", "2010-05", "2010-06", False), ("6 April – 8 May 2020", "2020-04-06", "2020-05-08", False),
    ("April 28 – May 3, 2009", "2009-04-28", "2009-05-03", False), ("January 2010 – March 2012", "2010-01", "2012-03", False),
    ("November to March 2010", "2009-11", "2010-03", False), ("100–44 BC", "-0099", "-0043", False), ("27 BC – 14 AD", "-0026", "0014", False),
    ("2001-01-05 – 2003-06-07", "2001-01-05", "2003-06-07", False), ("1 January 2001 – 5 May 2003", "2001-01-01", "2003-05-05", False),
])
def test_spans(text, start, end, opened):
    found = parse_span(text)
    assert found is not None
    assert (found.start, found.end, found.open) == (parse_iso(start) if start else None, parse_iso(end) if end else None, opened)


@pytest.mark.parametrize("text", ["mid-1990s", "2020-04-06", "1815–1799", "present", "1990", "a–b", "–", ""])
def test_no_span(text):
    assert parse_span(text) is None


def test_decades_as_a_span():
    found = parse_span("1990s–2000s")
    assert (_shown(found.start), _shown(found.end)) == ("1990-01-01..1999-12-31", "2000-01-01..2009-12-31")


@pytest.mark.parametrize("text", ["present", "now", "Incumbent", "current", "to date", "the present", "ongoing"])
def test_open_markers(text):
    assert is_open(text) and parse_expression(text) is None


@pytest.mark.parametrize("text, expected", [
    ("before 1990", Bounds(None, parse_iso("1989-12-31").first)), ("by March 2001", Bounds(None, parse_iso("2001-03-31").first)),
    ("after 5 May 2010", Bounds(parse_iso("2010-05-06").first, None)), ("1990", Bounds(year_range(1990).first, year_range(1990).last)),
    ("before lunch", None),
])
def test_bounds(text, expected):
    assert parse_bounds(text) == expected


YEARS = st.integers(-2999, 3000)
DAYS = st.integers(day_from_civil(-2999, 1, 1), day_from_civil(3000, 12, 31))
MONTH_NAMES = [date(2000, m, 1).strftime("%B") for m in range(1, 13)]


def _spoken(year: int) -> str:
    return f"{1 - year} BC" if year <= 0 else f"AD {year}" if year < 100 else str(year)


@given(DAYS)
def test_iso_round_trip(day):
    assert parse_expression(iso(day)) == DayRange(day, day)


@given(DAYS, st.booleans())
def test_written_days_round_trip(day, month_first):
    year, month, dom = civil_from_day(day)
    shown = f"{1 - year} BC" if year <= 0 else f"{year} AD" if year < 100 else str(year)
    text = f"{MONTH_NAMES[month - 1]} {dom}, {shown}" if month_first else f"{dom} {MONTH_NAMES[month - 1]} {shown}"
    assert parse_expression(text) == DayRange(day, day)


@given(YEARS)
def test_years_round_trip(year):
    assert parse_expression(_spoken(year)) == year_range(year)


@given(st.integers(100, 3000), st.integers(1, 12))
def test_months_round_trip(year, month):
    assert parse_expression(f"{MONTH_NAMES[month - 1]} {year}") == month_range(year, month)


@given(st.integers(1000, 2990), st.integers(0, 400))
def test_year_spans_round_trip(first, width):
    found = parse_span(f"{first}–{first + width}")
    assert (found.start, found.end) == (year_range(first), year_range(first + width))


@given(st.integers(1000, 2999), st.integers(1, 12), st.integers(29, 40))
def test_days_that_do_not_exist(year, month, dom):
    found = parse_expression(f"{dom} {MONTH_NAMES[month - 1]} {year}")
    assert (found is None) == (dom > days_in_month(year, month))


@given(st.text(max_size=60))
def test_any_text_is_legal(text):
    found = parse_expression(text)
    assert found is None or found.first <= found.last
    parse_span(text), parse_bounds(text), is_open(text), anchor_kind(text)


@given(st.from_regex(re.compile(r"[0-9]{1,4}[ /.–-][0-9]{1,2}[ /.–-][0-9]{1,4}"), fullmatch=True))
def test_numeric_dates_never_raise(text):
    parse_expression(text), parse_span(text)
