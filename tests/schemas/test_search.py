"""The days of chunks in the index: what the document states, or when a passage of the past was shown."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from schemas.fields import DAY, INSTANT
from schemas.search import PAST, VIEWS, chunk_window
from schemas.time import instant_from_iso, parse_iso


def window(*rows) -> list[tuple]:
    """(valid_from, valid_to, shown_from, shown_to) -> (state, start_min, end_max), days and seconds as ints."""
    columns = list(zip(*rows, strict=True)) if rows else [(), (), (), ()]
    types = (DAY, DAY, INSTANT, INSTANT)
    plain = [pa.int32(), pa.int32(), pa.int64(), pa.int64()]
    arrays = [pa.array(c, p).cast(t) for c, p, t in zip(columns, plain, types, strict=True)]
    out = chunk_window(pa.table(arrays, ["valid_from", "valid_to", "shown_from", "shown_to"]))
    assert out["start_min"].type == out["end_max"].type == DAY
    days = [out[n].cast(pa.int32()).to_pylist() for n in ("start_min", "end_max")]
    return list(zip(out["state"].to_pylist(), *days, strict=True))


def at(text: str) -> int:
    return instant_from_iso(text)


def day(text: str) -> int:
    return parse_iso(text).first


def test_a_chunk_of_the_head_has_its_documents_days():
    assert window((None, None, None, None), (10, 20, None, None), (-5, None, None, None)) == [
        ("active", None, None), ("active", 10, 20), ("active", -5, None)]
    assert window() == []


def test_a_passage_of_the_past_has_the_days_on_which_it_was_shown():
    """The day on which it was seen to be gone is one of them, unless it was gone as that day began."""
    assert window((10, 20, at("2010-01-10T08:00:00Z"), at("2012-06-01T09:00:00Z"))) == [(PAST, day("2010-01-10"), day("2012-06-02"))]
    assert window((None, None, at("2010-01-10T00:00:00Z"), at("2012-06-01T00:00:00Z"))) == [(PAST, day("2010-01-10"), day("2012-06-01"))]
    assert window((None, None, at("2010-01-10T23:59:59Z"), at("2012-06-01T00:00:01Z"))) == [(PAST, day("2010-01-10"), day("2012-06-02"))]
    assert window((None, None, 0, 0)) == [(PAST, 0, 0)], "shown at no time that is known: on no day"


def test_days_before_1970():
    rows = [(None, None, at("1969-12-31T08:00:00Z"), at("1969-12-31T20:00:00Z")), (None, None, at("1955-03-01T00:00:00Z"), at("1955-03-02T00:00:00Z")),
            (None, None, at("1955-03-01T00:00:01Z"), -1), (None, None, -86400, -86399)]
    assert window(*rows) == [(PAST, -1, 0), (PAST, day("1955-03-01"), day("1955-03-02")), (PAST, day("1955-03-01"), 0), (PAST, -1, 0)]


@given(st.integers(-10**11, 10**11), st.integers(0, 10**9))
def test_the_days_are_the_fewest_that_hold_the_stretch(first, length):
    ((state, start, end),) = window((None, None, first, first + length))
    assert state == PAST
    assert start * 86400 <= first < (start + 1) * 86400
    assert (end - 1) * 86400 < first + length <= end * 86400


@given(st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 12, 30)))
def test_the_first_day_is_the_calendars(moment):
    seconds = int((moment.replace(microsecond=0) - dt.datetime(1970, 1, 1)).total_seconds())
    assert window((None, None, seconds, seconds))[0][1] == (moment.date() - dt.date(1970, 1, 1)).days


def test_no_view_shows_the_past():
    assert all(PAST not in states for states in VIEWS.values())
