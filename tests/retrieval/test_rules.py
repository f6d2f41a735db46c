"""The default hooks one by one: rivals, duplicates, groups, time fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.filters import TimeAsked
from retrieval.match import time_fit
from retrieval.ports import Candidate
from retrieval.rules import evidence_dedupe, rivals, same_evidence, wording
from tests.retrieval.world import day


def nugget(text="Acme is in Oslo.", **more) -> Candidate:
    row = dict(nugget_id=more.pop("id", "n1"), key_id="k", kind="statement", subject="", subject_id="", object="", object_id="", predicate="states",
               scope="", unit="", value=None, condition="", state="active", text=text, cardinality="functional", start_min=None, start_max=None,
               end_min=None, end_max=None, claim_ids=[])
    return Candidate(row["nugget_id"], "nuggets", row={**row, **more})


def chunk(text: str, document="d1", **more) -> Candidate:
    row = dict(chunk_id=more.pop("id", document + text), document_id=document, text=text, valid_from=None, valid_to=None)
    return Candidate(row["chunk_id"], "chunks", row={**row, **more})


DIFFER = [
    ("Sales rose by 5 percent.", "Sales rose by 6 percent."),
    ("Sales rose by 1.5 percent.", "Sales rose by 15 percent."),
    ("The limit is -5 degrees.", "The limit is 5 degrees."),
    ("It cost $5.", "It cost €5."),
    ("Staff may enter.", "Staff may not enter."),
    ("No one may enter.", "One may enter."),
    ("Ann founded Acme.", "Acme founded Ann."),
    ("Ann founded Acme.", "Bob founded Acme."),
    ("It opened on 3 May 2010.", "It opened on 4 May 2010."),
    ("It opened before noon.", "It opened after noon."),
    ("It has five rooms.", "It has six rooms."),
    ("Heat to 5%.", "Heat to 5."),
    ("", ""),
    ("...", "…"),
]


@pytest.mark.parametrize(("one", "other"), DIFFER)
def test_what_differs_never_merges(one, other):
    assert not same_evidence(chunk(one), chunk(other, "d2"))
    assert not same_evidence(nugget(one), nugget(other, id="n2"))


@pytest.mark.parametrize(
    ("one", "other"),
    [("The pump needs oil.", "A pump needs  oil"), ("Acme, also, is “in” Oslo!", "acme is in oslo"), ("It opened on 3 May 2010.", "It opened on 3 May 2010")],
)
def test_the_same_words_merge(one, other):
    assert same_evidence(chunk(one), chunk(other, "d2"))
    assert same_evidence(nugget(one), nugget(other, id="n2"))


def test_two_places_of_one_document_both_stay():
    assert not same_evidence(chunk("The pump needs oil.", "d1"), chunk("The pump needs oil", "d1"))


def test_chunks_of_another_force_never_merge():
    assert not same_evidence(chunk("The fee is due."), chunk("The fee is due.", "d2", valid_from=day("2020-01-01")))


@pytest.mark.parametrize(
    "change",
    [dict(object_id="o2"), dict(object_id=""), dict(subject_id=""), dict(start_min=1), dict(end_max=2), dict(condition="if wet"), dict(unit="kg"),
     dict(value=1.0), dict(state="contested"), dict(scope="acting"), dict(predicate="other")],
)
def test_facts_merge_on_whole_identity_only(change):
    base = dict(kind="fact", subject_id="s", object_id="o")
    assert same_evidence(nugget(**base), nugget(id="n2", **base))
    assert not same_evidence(nugget(**base), nugget(id="n2", **{**base, **change}))


def test_a_duplicate_names_the_one_above_it():
    rows = [chunk("A pump.", "d1"), chunk("The pump", "d2"), chunk("pump", "d3"), chunk("valve", "d4")]
    assert evidence_dedupe(None, rows) == {rows[1].id: rows[0].id, rows[2].id: rows[0].id}


@given(st.text(max_size=40), st.text(max_size=40))
def test_digits_always_tell_texts_apart(one, other):
    if [c for c in one if c.isdigit()] != [c for c in other if c.isdigit()]:
        assert not wording(one) or wording(one) != wording(other)


def interval(a, b, c, d, **more) -> dict:
    return nugget(start_min=day(a), start_max=day(b), end_min=day(c), end_max=day(d), **more).row


def test_rivals():
    a = interval("2000-01-01", "2000-01-01", "2010-01-01", "2010-01-01", object_id="a")
    b = interval("2005-01-01", "2005-01-01", "2015-01-01", "2015-01-01", object_id="b", id="n2")
    assert rivals(a, b) and rivals(b, a)
    assert not rivals(a, {**b, "object_id": "a"}), "one value is no rival of itself"
    assert not rivals(a, {**b, "object_id": "", "object": ""}), "an empty object is no rival"
    assert not rivals(a, {**b, "key_id": "k2"}) and not rivals(a, {**b, "condition": "if wet"})
    assert not rivals({**a, "cardinality": "multi"}, b)
    assert not rivals(a, {**b, "state": "deprecated"})
    year = interval("2010-01-01", "2010-12-31", None, None, object_id="b", id="n3")
    assert not rivals(interval("2000-01-01", "2000-01-01", "2010-01-01", "2011-01-01", object_id="a"), year), "one may follow the other"
    assert rivals({**interval("2000-01-01", "2000-01-01", "2010-01-01", "2011-01-01", object_id="a"), "state": "contested"}, year)


def test_time_fit():
    at = TimeAsked("at", day("2010-06-01"), day("2010-06-02"))
    known = interval("2009-01-01", "2009-01-01", "2011-01-01", "2011-01-01")
    opened = interval("2009-01-01", "2009-01-01", None, None)
    nothing = interval(None, None, None, None)
    over = interval("2000-01-01", "2000-01-01", "2001-01-01", "2001-01-01")
    assert [time_fit(r, at) for r in (known, opened, nothing, over)] == [1.0, 0.7, 0.5, 0.0]
    years = TimeAsked("question", day("2000-01-01"), day("2010-01-01"))
    whole = interval("1999-01-01", "1999-01-01", "2011-01-01", "2011-01-01")
    rim = interval("1990-01-01", "1990-12-31", "2000-01-01", "2001-01-01")
    assert time_fit(whole, years) == 1.0 and time_fit(rim, years) < 0.1
    assert time_fit(whole, TimeAsked("none")) == time_fit(nothing, TimeAsked("none")) == 0.5


DAYS = st.none() | st.integers(-20000, 20000)


@given(DAYS, DAYS, DAYS, DAYS, DAYS, DAYS)
def test_time_fit_is_a_share(a, b, c, d, first, until):
    row = nugget(start_min=a, start_max=b, end_min=c, end_max=d).row
    assert 0.0 <= time_fit(row, TimeAsked("between", first, until)) <= 1.0


def test_statements_of_one_document_both_stay():
    class Claims:
        def claims(self, ids):
            return {i: {"document_id": i[:2]} for i in ids}

    class Ctx:
        gate = Claims()

    one = nugget("The pump needs oil.", claim_ids=["d1a"])
    same = nugget("A pump needs oil.", id="n2", claim_ids=["d1b"])
    other = nugget("A pump needs oil.", id="n3", claim_ids=["d2a"])
    assert evidence_dedupe(Ctx(), [one, same, other]) == {"n3": "n1"}
