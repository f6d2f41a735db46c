"""Copies are one source: golden cases and order independence of the grouping."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.config import OriginsConfig
from schemas.tables import TABLES
from tasks.origins import STAGE

CONFIG = {"origins": OriginsConfig().model_dump(mode="json")}
MAP, REDUCE = STAGE.steps


def text(seed: int, words: int = 120) -> str:
    rng = random.Random(seed)
    return " ".join("".join(rng.choice("abcdefghij") for _ in range(5)) for _ in range(words))


def edited(base: str, at: int) -> str:
    words = base.split()
    words[at] = "changed"
    return " ".join(words)


def chunk_rows(document: str, body: str, block: str | None = None, ordinal: int = 0) -> dict:
    return {"document_id": document, "chunk_id": f"{document}-{ordinal}", "block_id": block, "ordinal": ordinal, "text": body}


def table(rows, name, columns):
    schema = pa.schema([TABLES[name].schema().field(c) for c in columns])
    return pa.Table.from_pylist(rows, schema=schema)


def run(documents: list[tuple], config=CONFIG, lifetimes=()) -> dict[str, pa.Table]:
    """documents: (id, text or [(block, text)], year or None, label)."""
    chunks, docs = [], []
    for document, body, year, label in documents:
        parts = body if isinstance(body, list) else [(None, body)]
        chunks += [chunk_rows(document, t, b, n) for n, (b, t) in enumerate(parts)]
        date = None if year is None else datetime(year, 1, 1, tzinfo=UTC)
        docs.append({"document_id": document, "source_date": date, "label": label, "tenant": "default", "status": "ok"})
    mapped = MAP.run(config, {
        "chunks": table(chunks, "chunks", MAP.reads[0].columns),
        "lifetimes": table(list(lifetimes), "lifetimes", MAP.reads[1].columns),
        "documents": table(docs, "documents", MAP.reads[2].columns),
    })
    return {**mapped, **REDUCE.run(config, {
        "sketches": mapped["sketches"], "documents": table(docs, "documents", REDUCE.reads[1].columns),
    })}


def groups(out) -> dict[str, str]:
    return dict(zip(*(out["origins"][c].to_pylist() for c in ("document_id", "source_group")), strict=True))


def edges(out) -> list[tuple[str, str]]:
    return list(zip(*(out["source_edges"][c].to_pylist() for c in ("from_id", "to_id")), strict=True))


A, B = text(1), text(2)


def test_exact_and_near_copies_share_a_group_and_point_to_the_oldest():
    out = run([("a", A, 2010, "public"), ("b", A, 2005, "public"), ("c", edited(A, 60), 2012, "public"), ("d", B, 2001, "public")])
    assert groups(out) == {"a": "a", "b": "a", "c": "a", "d": "d"}
    assert edges(out) == [("a", "b"), ("c", "b")]
    assert out["source_edges"]["evidence"].to_pylist()[0] == "jaccard=1.00"
    assert 0.8 <= out["source_edges"]["confidence"].to_pylist()[1] < 1
    assert out["groups"].to_pylist() == out["origins"].to_pylist()


def test_a_tie_of_dates_goes_to_the_smaller_id_and_no_date_is_younger():
    assert edges(run([("a", A, 2010, "public"), ("b", A, 2010, "public")])) == [("b", "a")]
    assert edges(run([("a", A, None, "public"), ("b", A, 2010, "public")])) == [("a", "b")]


def test_unlike_short_and_empty_documents_are_not_grouped():
    out = run([("a", "Only six words stand in here.", 2001, "public"), ("b", "Only six words stand in there.", 2002, "public"),
               ("c", "", 2003, "public"), ("d", "  ", 2004, "public"), ("e", A, 2005, "public"), ("f", B, 2006, "public")])
    assert groups(out) == {d: d for d in "abcdef"}
    assert out["sketches"]["sketch"].null_count == 4
    assert "affine32" in out["sketches"]["scheme"][0].as_py() and "seed=1" in out["sketches"]["scheme"][0].as_py()


def test_equal_short_documents_are_grouped_by_their_hash():
    out = run([("a", "Six words stand in this  one.", 2001, "public"), ("b", "six words stand in this one", 2002, "public")])
    assert groups(out) == {"a": "a", "b": "a"}


def test_paragraphs_removed_from_a_page_are_left_out():
    gone = [{"document_id": "a", "block_id": "old", "first_revision": "1", "last_revision": "2"},
            {"document_id": "a", "block_id": "now", "first_revision": "2", "last_revision": None}]
    out = run([("a", [("old", B), ("now", A)], 2001, "public"), ("b", A, 2002, "public")], lifetimes=gone)
    assert groups(out) == {"a": "a", "b": "a"}


def test_restricted_documents_move_no_public_group():
    bridge = " ".join(A.split()[:60] + B.split()[:60])
    loose = {"origins": {**CONFIG["origins"], "threshold": 0.2, "bands": 64}}
    public = [("m", A, 2010, "public"), ("n", B, 2011, "public")]
    alone = run(public, loose)
    both = run([*public, ("a", bridge, 2001, "staff"), ("z", A, 2000, "board")], loose)
    assert {d: g for d, g in groups(both).items() if d in "mn"} == groups(alone) == {"m": "m", "n": "n"}
    assert groups(both)["a"] == "m" and groups(both)["z"] == "m"
    assert [e for e in edges(both) if e[0] in "mn"] == []
    assert run([*public, ("a", bridge, 2001, "public")], loose)["origins"]["source_group"].to_pylist() == ["a"] * 3


def test_labels_other_than_public_never_meet():
    out = run([("a", A, 2010, "staff"), ("b", A, 2011, "board"), ("c", A, 2012, "staff")])
    assert groups(out) == {"a": "a", "b": "b", "c": "a"}


def test_a_capped_band_is_reported():
    capped = {"origins": {**CONFIG["origins"], "band_cap": 2}}
    out = run([(f"d{n}", edited(A, n), 2000 + n, "public") for n in range(5)], capped)
    rows = out["quarantine"].to_pylist()
    assert rows and {r["reason"] for r in rows} == {"band_capped"} and {r["severity"] for r in rows} == {"info"}
    assert run([(f"d{n}", edited(A, n), 2000 + n, "public") for n in range(5)])["quarantine"].num_rows == 0


def test_unspaced_scripts_are_compared_by_letter():
    base = "".join(chr(0x4E00 + (n * 7919) % 4000) for n in range(200))
    out = run([("a", base, 2001, "public"), ("b", base[:100] + "一" + base[101:], 2002, "public")])
    assert groups(out) == {"a": "a", "b": "a"}


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([2001, 2002, None]),
                          st.sampled_from(["public", "staff"])), min_size=1, max_size=7), st.randoms())
def test_the_order_of_documents_does_not_matter(picks, rng):
    documents = [(f"d{n}", edited(text(base, 40), place), year, label) for n, (base, place, year, label) in enumerate(picks)]
    shuffled = documents[:]
    rng.shuffle(shuffled)
    one, two = run(documents), run(shuffled)
    assert all(one[t].equals(two[t]) for t in one)
    public = [d for d in documents if d[3] == "public"]
    if public:
        assert groups(run(public)).items() <= groups(one).items()


def test_sketches_of_two_schemes_are_refused():
    out = run([("a", A, 2001, "public"), ("b", B, 2002, "public")])["sketches"]
    mixed = out.set_column(out.schema.get_field_index("scheme"), TABLES["sketches"].schema().field("scheme"), pa.array(["x", "y"]))
    docs = [{"document_id": d, "source_date": None, "label": "public", "tenant": "default"} for d in "ab"]
    with pytest.raises(Exception, match="scheme"):
        REDUCE.run(CONFIG, {"sketches": mixed, "documents": table(docs, "documents", REDUCE.reads[1].columns)})
