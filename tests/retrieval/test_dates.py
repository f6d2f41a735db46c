"""Dates in questions: golden readings, and that any text is legal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.dates import find_date
from schemas.time import iso

GOLDEN = [
    ("Who led it in 2018?", "2018-01-01", "2019-01-01"),
    ("Who led it on 31 March 2020?", "2020-03-31", "2020-04-01"),
    ("Who led it on March 31, 2020?", "2020-03-31", "2020-04-01"),
    ("Who led it on the 3rd of May 1999?", "1999-05-03", "1999-05-04"),
    ("as of 2015", "2015-01-01", "2016-01-01"),
    ("as of 2015-06-30", "2015-06-30", "2015-07-01"),
    ("between 2010 and 2012", "2010-01-01", "2013-01-01"),
    ("from May 2004 to 2007", "2004-05-01", "2008-01-01"),
    ("from 1975 to Feb 2016?", "1975-01-01", "2016-03-01"),
    ("In the years 1997\u20132002 who", "1997-01-01", "2003-01-01"),
    ("in the 1990s", "1990-01-01", "2000-01-01"),
    ("in the early 1990s", "1990-01-01", "1994-01-01"),
    ("in the late 1990s", "1996-01-01", "2000-01-01"),
    ("in the 19th century", "1801-01-01", "1901-01-01"),
    ("in the 5th century BC", "-0499-01-01", "-0399-01-01"),
    ("in 44 BC", "-0043-01-01", "-0042-01-01"),
    ("on 15 March 44 BC", "-0043-03-15", "-0043-03-16"),
    ("in summer 2010", "2010-06-01", "2010-09-01"),
    ("in late 2004", "2004-09-01", "2005-01-01"),
    ("since 2010", "2010-01-01", None),
    ("after May 2010", "2010-06-01", None),
    ("before 2010", None, "2010-01-01"),
    ("until 2010", None, "2011-01-01"),
    ("in 830?", "0830-01-01", "0831-01-01"),
    ("In 2008 Acme was led by whom?", "2008-01-01", "2009-01-01"),
]


@pytest.mark.parametrize(("text", "first", "until"), GOLDEN)
def test_reads_what_is_worded_as_a_time(text, first, until):
    asked = find_date(text)
    assert asked is not None
    assert (iso(asked.first), iso(asked.until)) == (first, until)
    assert text[asked.start : asked.end] == asked.text


@pytest.mark.parametrize(
    "text",
    ["Who won the 2008 Olympics?", "Blade Runner 2049", "who won in the 2008 election", "seen in 2008 Summer Olympics", "in 1,500 cities",
     "on February 30, 2019", "call 555-1234", "room 101", "pages 10-12", "", "in"],
)
def test_leaves_names_and_numbers_alone(text):
    assert find_date(text) is None


def test_a_range_wins_over_the_date_of_a_side_clause():
    asked = find_date("What did the man born on 2 March 1911 hold from Apr 1935 to Apr 1937?")
    assert (iso(asked.first), iso(asked.until)) == ("1935-04-01", "1937-05-01")
    asked = find_date("Whom did the man born on 2 March 1911 serve in 1938?")
    assert iso(asked.first) == "1938-01-01"


@given(st.text(alphabet=st.sampled_from("in the from to and 0123456789-/.,s early century BC May \n"), max_size=200))
def test_any_text_is_legal(text):
    asked = find_date(text)
    if asked is not None and asked.first is not None and asked.until is not None:
        assert asked.first < asked.until


@given(st.integers(100, 2100), st.integers(100, 2100))
def test_years_and_ranges_agree(a, b):
    first, last = min(a, b), max(a, b)
    asked = find_date(f"held from {first} to {last}")
    assert asked.first == find_date(f"in {first}").first
    assert asked.until == find_date(f"in {last}").until
