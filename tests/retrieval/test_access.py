"""Nothing that the reader may not see is anywhere in an answer; hidden documents change no byte of it."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.options import groups_of
from retrieval.search import QueryOptions, search
from tests.retrieval.world import World, ceo_world

QUERIES = ["Who is the CEO of Acme?", "CEO of Acme in 2019", "Who is the chief executive of Bolt?", "headquarters", "secretmark", "Acme Bolt Oslo weather",
           "Where is Acme based?", "Who was CEO of Nowhere in 1999?"]
HIDDEN = st.lists(
    st.tuples(
        st.sampled_from(["Acme", "Bolt", "Nowhere"]), st.sampled_from(["chief_executive_officer", "headquarters", "states"]),
        st.sampled_from(["active", "contested", "deprecated"]), st.sampled_from([(), ("board",), ("board", "legal"), ("public",)]),
        st.sampled_from([("1999-01-01", "1999-12-31"), ("2019-01-01", "2019-01-01"), (None, None)]),
    ),
    min_size=1, max_size=6,
)


def add_hidden(world: World, rows) -> list[str]:
    ids = []
    for n, (subject, predicate, state, acl, start) in enumerate(rows):
        tenant = "other" if acl == ("public",) else "default"  # public, but another tenant's
        ids.append(world.fact(subject, predicate, f"Secretmark{n}", acl=acl, tenant=tenant, doc=f"Secretmark paper {n}", state=state,
                              start=start, kind="statement" if predicate == "states" else "fact", n=n))
    world.chunk("secretmark about the CEO of Acme and Bolt in Oslo", doc="Secretmark chunk", acl=("board",))
    return ids


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(HIDDEN, st.sampled_from(QUERIES), st.sampled_from(["active", "full", "all"]), st.sampled_from([None, "staff", "anonymous"]),
       st.sampled_from([None, "2019-06-01"]), st.booleans())
def test_hidden_rows_leave_no_trace(rows, text, view, principal, at, focus):
    options = QueryOptions(view=view, principal=principal, at=at, explain=True, focus=focus)
    plain, mixed = ceo_world(), ceo_world()
    ids = add_hidden(mixed, rows)
    got = json.dumps(search(mixed, text, options).to_json())
    assert got == json.dumps(search(plain, text, options).to_json()), "not one byte differs, counts and explanation included"
    assert not any(i in got for i in ids)
    if "secretmark" not in text:
        assert "ecretmark" not in got
    for i in ids[:2]:
        named = QueryOptions(view=view, principal=principal, at=at, explain=i)
        missing = QueryOptions(view=view, principal=principal, at=at, explain="f" * 24)
        hidden_answer = search(mixed, text, named).to_json()["explain"]
        missing_answer = search(mixed, text, missing).to_json()["explain"]
        assert {**hidden_answer, "id": ""} == {**missing_answer, "id": ""}, "hidden and missing are alike"


def test_the_holder_of_a_label_sees_its_facts():
    got = search(ceo_world(), "Who is the CEO of Acme?", QueryOptions(principal="board", at="2023-01-01")).to_json()
    assert "Gus Secretus" in [r["object"] for r in got["results"]]


def test_a_labels_own_verdict_replaces_the_public_one():
    w = World()
    w.fact("Acme", "headquarters", "Oslo", "Acme is based in Oslo.", doc="A")
    w.fact("Acme", "headquarters", "Oslo", "Acme left Oslo in 2015.", doc="B", acl=("board",), end=("2015-01-01", "2015-12-31"), n=1)
    def ends(who):
        got = search(w, "Where was Acme based?", QueryOptions(principal=who)).to_json()
        return [r["valid"]["end_min"] for r in got["results"] if "nugget_id" in r]
    assert ends(None) == [None]
    assert ends("board") == ["2015-01-01"]


def test_only_readable_claims_are_evidence():
    w = World()
    public = w.fact("Acme", "headquarters", "Oslo", "Acme is based in Oslo.", doc="A")
    w.fact("Acme", "headquarters", "Oslo", "Secret: Acme is based in Oslo.", doc="B", acl=("board",), n=1)
    row = next(r for r in w.tables["nuggets"] if r["nugget_id"] == public)
    row["claim_ids"] += [c["claim_id"] for c in w.tables["claims"] if c["label"] == "board"]  # a fault upstream
    got = json.dumps(search(w, "Where is Acme based?").to_json())
    assert "Secret" not in got and "Acme is based in Oslo." in got


def test_a_fact_without_readable_evidence_is_not_shown():
    w = World()
    w.fact("Acme", "headquarters", "Oslo", "Acme is based in Oslo.", doc="A")
    for table in ("documents",):  # its document was revoked after the release was made
        for row in w.tables[table]:
            row["acl"] = ["board"]
    got = search(w, "Where is Acme based?", QueryOptions(explain=True)).to_json()
    assert got["results"] == [] and "Oslo" not in json.dumps(got)


class Leaky:
    """A store whose filter is broken: it gives every id."""

    def __init__(self, docs):
        self.docs = docs

    def search(self, query, filter, k):
        return [(d["id"], 1.0) for d in self.docs][:k]


@pytest.mark.parametrize("view", ["active", "all"])
def test_the_gate_holds_though_a_store_leaks(view):
    w = ceo_world()
    ids = add_hidden(w, [("Acme", "chief_executive_officer", "active", ("board",), (None, None))])
    add_hidden(w, [("Acme", "chief_executive_officer", "active", ("public",), (None, None))])  # of another tenant
    w.chunk("secretmark: the CEO of Acme", doc="Secretmark tenant", tenant="other")
    w.sparse = w.dense = lambda store: Leaky(w.docs(store))
    got = json.dumps(search(w, "Who is the CEO of Acme?", QueryOptions(view=view, explain=True, focus=False)).to_json())
    assert "ecret" not in got and not any(i in got for i in ids)


def test_a_reader_of_two_labels_sees_one_fact_once():
    w = World()
    for n, label in enumerate(("board", "legal")):
        w.fact("Acme", "headquarters", "Oslo", "Acme is based in Oslo.", doc=label, acl=(label,), n=n)
    got = search(w, "Where is Acme based?", QueryOptions(principal="board,legal")).to_json()
    assert [len(r["evidence"]) for r in got["results"]] == [2], "with the evidence of both"


def test_principals():
    known = {"ann": ["board", "legal"], "bob": "staff"}
    assert groups_of(None, known) == ("public",) == groups_of("anonymous", known) == groups_of("", known)
    assert groups_of("ann", known) == ("board", "legal", "public")
    assert groups_of("bob", known) == ("public", "staff")
    assert groups_of("board", known) == ("board", "public")
    assert groups_of("board,legal", {}) == ("board", "legal", "public")
