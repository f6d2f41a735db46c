"""Passages of the past are found by questions about their time, inside it, and by no others."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.filters import make_filter, time_asked
from retrieval.gate import as_doc
from retrieval.lexicon import Lexicon
from retrieval.query import analyse
from retrieval.search import QueryOptions, search
from schemas.search import PAST, matches
from schemas.time import instant_from_iso
from tests.retrieval.world import World

OLD, NOW = "The harbour works of Acme burnt.", "The hill works of Acme stand."
SHOWN = (instant_from_iso("2010-01-10T08:00:00Z"), instant_from_iso("2016-08-01T08:00:00Z"))


@pytest.fixture(scope="module")
def world():
    w = World()
    w.chunk(OLD, doc="Acme", shown=SHOWN)
    w.chunk(NOW, doc="Acme")
    return w


def found(world, text="works of Acme", **options) -> dict[str, str]:
    """Text of each passage that is found -> its state."""
    got = search(world, text, QueryOptions(**options)).to_json()
    return {r["text"]: r["state"] for r in got["results"] if "chunk_id" in r}


def test_without_a_time_it_is_not_found(world):
    for text in ("works of Acme", "Which works does Acme have?", "harbour works burnt"):
        for view in ("active", "full"):
            assert OLD not in found(world, text, view=view)
    assert found(world) == {NOW: "active"}


@pytest.mark.parametrize("time", ["2010-01-10", "2012", "2012-05-05", "2016-08-01", "2016"])
def test_it_is_found_at_a_time_when_it_was_shown(world, time):
    assert found(world, at=time) == {OLD: PAST, NOW: "active"}


@pytest.mark.parametrize("time", ["2010-01-09", "2009", "2016-08-02", "2020"])
def test_it_is_not_found_at_another_time(world, time):
    assert found(world, at=time) == {NOW: "active"}


def test_a_date_in_the_question_is_a_time(world):
    assert OLD in found(world, "Which works did Acme have in 2012?")
    assert OLD not in found(world, "Which works did Acme have in 2018?")


@pytest.mark.parametrize(("first", "until", "meets"), [
    ("2005-01-01", "2010-01-10", False), ("2005-01-01", "2010-01-11", True), ("2016-08-01", "2020-01-01", True), ("2016-08-02", "2020-01-01", False),
    (None, "2011-01-01", True), ("2012-01-01", None, True), (None, "2000-01-01", False), ("2018-01-01", None, False),
])
def test_between(world, first, until, meets):
    assert (OLD in found(world, first=first, until=until)) is meets


@pytest.mark.parametrize(("instant", "known"), [
    ("2010-01-10T07:59:59Z", False), ("2010-01-10T08:00:00Z", True), ("2013-01-01", True), ("2016-08-01T07:59:59Z", True),
    ("2016-08-01T08:00:00Z", False), ("2016-08-01", False), ("2020-01-01", False),
])
def test_known_at(world, instant, known):
    assert (OLD in found(world, known_at=instant)) is known


def test_a_time_and_what_was_known_then_must_both_hold(world):
    assert OLD in found(world, at="2015-01-01", known_at="2012-01-01")
    assert OLD not in found(world, at="2015-01-01", known_at="2018-01-01")
    assert OLD not in found(world, at="2018-01-01", known_at="2012-01-01")


def test_nothing_is_certain_of_a_passage(world):
    assert OLD not in found(world, at="2012-01-01", certain=True)


def test_access_holds_for_the_past():
    w = World()
    w.chunk(OLD, doc="Acme", shown=SHOWN, acl=("board",))
    assert found(w, at="2012-01-01") == {} and found(w, at="2012-01-01", principal="board") == {OLD: PAST}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.tuples(st.integers(-10**9, 10**9), st.integers(0, 10**9)), st.integers(-12000, 24000), st.sampled_from(["at", "known_at", "none"]))
def test_the_gate_and_the_index_agree(shown, day, how):
    """A row that is looked up passes the filter just when its index document does."""
    w = World()
    w.chunk(OLD, doc="Acme", shown=(shown[0], shown[0] + shown[1]))
    options = QueryOptions(**{how: day * 86400 if how == "known_at" else _iso(day)} if how != "none" else {})
    time, _ = time_asked(options, analyse("works", Lexicon({})), None)
    asked = make_filter(options, time, w.config)
    (doc,), (row,) = w.docs("chunks"), w.tables["chunks"]
    assert matches(as_doc(row), asked) is matches(doc, asked)
    assert how != "none" or not matches(doc, asked)
    names = ("state", "start_min", "start_max", "end_min", "end_max", "recorded_from", "recorded_to")
    assert {n: as_doc(row)[n] for n in names} == {n: doc[n] for n in names}


def _iso(day: int) -> str:
    from schemas.time import iso

    return iso(day) or ""
