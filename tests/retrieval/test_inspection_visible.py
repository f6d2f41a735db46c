"""What `visible` counts and explains is what the stores' filter and the gate of retrieval let through."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.gate import Gate
from retrieval.inspection.rows import Rows
from retrieval.inspection.visible import Access, explain, listing, visible
from retrieval.options import groups_of
from schemas.errors import UsageError
from schemas.search import SearchFilter, matches, plain_docs
from schemas.tables import TABLES
from tests.retrieval.stored import rows_of, store
from tests.retrieval.world import World, ceo_world
from warehouse.reader import Reader

FACTS = st.lists(
    st.tuples(
        st.sampled_from(["Acme", "Bolt"]), st.sampled_from(["headquarters", "founder"]), st.sampled_from(["active", "contested", "deprecated"]),
        st.sampled_from([("public",), ("board",), ("board", "legal"), ("legal", "public"), ()]), st.sampled_from(["default", "other"]),
    ),
    min_size=1, max_size=8,
)


def build(rows) -> World:
    w = World()
    for n, (subject, predicate, state, acl, tenant) in enumerate(rows):
        w.fact(subject, predicate, f"Object{n}", acl=acl, tenant=tenant, state=state, doc=f"Paper {n}", n=n)
    return w


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(FACTS, st.sampled_from([None, "board", "legal,board", "staff"]), st.sampled_from(["default", "other"]))
def test_sql_gate_and_filter_agree(tmp_path_factory, facts, principal, tenant):
    w = build(facts)
    release = store(w, tmp_path_factory.mktemp("world") / "wh")
    groups = groups_of(principal, {})
    filter = SearchFilter(groups=groups, tenant=tenant, states=())
    tables = rows_of(w)
    docs = {s: plain_docs(TABLES[f"{s[:-1]}_docs"].from_rows(tables[f"{s[:-1]}_docs"])) for s in ("nuggets", "chunks")}
    wanted = {s: sorted(d["id"] for d in found if matches(d, filter)) for s, found in docs.items()}
    with Rows(release) as rows, Reader(release) as reader:
        access = Access(groups, tenant)
        for what, found in wanted.items():
            got = listing(rows, access, what, 1000)
            assert sorted(i["id"] for i in got["visible"]["items"]) == found and got["visible"]["n"] == len(found)
            assert len(got["hidden"]["items"]) == len(docs[what]) - len(found) and all(i["why"] for i in got["hidden"]["items"])
        gate = Gate(reader, filter)
        assert sorted(gate.nuggets([d["id"] for d in docs["nuggets"]])) == wanted["nuggets"]
        assert sorted(gate.chunks([d["id"] for d in docs["chunks"]])) == wanted["chunks"]
        counted = visible(rows, access)
        assert sum(r["visible"] for r in counted["nuggets"]) == len(wanted["nuggets"])
        assert sum(r["hidden"] for r in counted["nuggets"]) == len(docs["nuggets"]) - len(wanted["nuggets"])
        assert sum(r["chunks"]["visible"] for r in counted["sources"]) == len(wanted["chunks"])
        for d in docs["nuggets"]:
            told = explain(rows, access, d["id"], "active")
            assert told["visible"] == (d["id"] in wanted["nuggets"])
            assert told["shown"] == matches(d, replace(filter, states=("active",)))
            assert told["visible"] == all(told["checks"][c]["passed"] for c in ("acl", "tenant", "hidden_for"))


def test_a_labels_own_verdict_is_named(tmp_path):
    w = World()
    public = w.fact("Acme", "headquarters", "Oslo", doc="A")
    own = w.fact("Acme", "headquarters", "Bergen", doc="B", acl=("board",), n=1)
    with Rows(store(w, tmp_path / "wh")) as rows:
        told = explain(rows, Access(("board", "public")), public)
        assert not told["visible"] and not told["checks"]["hidden_for"]["passed"] and told["replaced_by"] == [own]
        assert told["checks"]["acl"]["passed"], "the reason is the verdict, not the acl"
        assert explain(rows, Access(("public",)), public)["visible"]
        hidden = explain(rows, Access(("public",)), own)
        assert not hidden["checks"]["acl"]["passed"] and hidden["evidence"] == {"readable": 0, "hidden": 1}


def test_every_kind_of_row_has_an_answer(tmp_path):
    w = ceo_world()
    secret = next(d for d in w.tables["documents"] if d["acl"] == ["board"])
    with Rows(store(w, tmp_path / "wh")) as rows:
        for table, column in (("documents", "document_id"), ("chunks", "chunk_id"), ("mentions", "mention_id"), ("claims", "claim_id")):
            for row in w.tables[table]:
                told = explain(rows, Access(("public",)), row[column])
                assert told["visible"] == (row["document_id"] != secret["document_id"]), table
        key = next(n for n in w.tables["nuggets"] if n["object"] == "Gus Secretus")["key_id"]
        counts = [explain(rows, Access(groups), key)["nuggets"] for groups in (("public",), ("board", "public"))]
        assert counts == [{"visible": 3, "hidden": 1}, {"visible": 1, "hidden": 3}]
        with pytest.raises(UsageError):
            listing(rows, Access(("public",)), "claims", 5)


def test_quotes_in_group_names_are_only_names(tmp_path):
    w = World()
    w.fact("Acme", "founder", "Ann", acl=("o'brien",), doc="A")
    with Rows(store(w, tmp_path / "wh")) as rows:
        for groups, n in itertools.product([("public", "o'brien"), ("public", "') OR true --")], [1]):
            seen = sum(r["visible"] for r in visible(rows, Access(groups))["nuggets"])
            assert seen == (n if "o'brien" in groups else 0)
