"""Scans: objects that depend on the rows alone, in bounded pieces, whatever is spooled how; and scans of earlier versions."""

from __future__ import annotations

import json
import random

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.ids import content_hash, document_id, shard_of
from schemas.tables import TABLES, quarantine_row
from warehouse import scans
from warehouse.layout import Warehouse
from warehouse.marks import Marks, mark_scan
from warehouse.objects import get_table, get_tables, object_path, put_raw_table
from warehouse.releases import add_scans, view_statements
from warehouse.scans import Spool, store_scan
from warehouse.tableset import TableSet


@pytest.fixture
def wh(tmp_path):
    return Warehouse.init(tmp_path / "wh", 4)


def revision(page, number, names, time=0, **more):
    return "raw", {
        "document_id": document_id("w", str(page)), "source": "w", "native_key": str(page), "uri": None, "title": f"P{page}", "namespace": 0,
        "mime": "text/x-wiki", "language": "en", "revision": str(number), "parent_revision": None, "time": time, "source_date": time,
        "fetched_at": None, "contributor": None, "comment": None, "minor": False, "content_hash": content_hash(str(names)), "raw": None,
        "stretches": names, "redirect_to": None, "acl": ["public"], "tenant": "default", "status": "ok",
    } | more


def stretch(page, name, text):
    return "stretches", {"document_id": document_id("w", str(page)), "stretch": name, "text": text}


def rows(pages=12, seed=1, size=200):
    rng = random.Random(seed)
    for page in range(pages):
        for number in range(rng.randint(1, 9)):
            for name in rng.sample(range(-5, 5), 3):
                yield stretch(page, name, f"{page} {name} " + "é" * size)
            yield revision(page, 100 * page + number, rng.sample(range(-5, 5), 3), time=rng.choice([None, 5, 6]))
        yield "quarantine", quarantine_row("parse", document_id("w", str(page)), "p", "r", f"detail {rng.random()}", rng.choice(["info", "error"]))
    yield "quarantine", quarantine_row("parse", document_id("w", "0"), "p", "r", "said again", "error")


def small(monkeypatch, spool=5000, block=700, objects=9000, fan_in=3):
    for name, value in (("SPOOL_BYTES", spool), ("BLOCK_BYTES", block), ("OBJECT_BYTES", objects), ("FAN_IN", fan_in)):
        monkeypatch.setattr(scans, name, value)


def test_objects_do_not_depend_on_what_was_spooled_when(tmp_path, monkeypatch):
    found = []
    for n, spool in enumerate((10**9, 40_000, 3000, 0)):
        small(monkeypatch, spool, fan_in=(2, 3, 64)[n % 3])
        body = store_scan(Warehouse.init(tmp_path / str(n), 4), "k", rows())
        found.append(body)
    assert all(body == found[0] for body in found)
    assert max(len(shard) for shard in found[0]["tables"]["stretches"]) > 1, "one object per shard: nothing was cut"


def test_objects_are_bounded_sorted_and_complete(wh, monkeypatch):
    small(monkeypatch)
    body = store_scan(wh, "k", rows())
    tables = TableSet.from_json(4, body["tables"])
    for name, spec in ((n, TABLES[n]) for n in body["tables"]):
        wanted = [row for table, row in rows() if table == name]
        if scans.DISTINCT[name]:
            wanted = list({tuple(row[k] for k in spec.order): row for row in wanted}.values())
        assert tables.read(wh, name).num_rows == len(wanted)
        for shard, refs in enumerate(tables.get(name)):
            whole = get_tables(wh, name, refs)
            assert all(shard_of(d, 4) == shard for d in whole["document_id"].to_pylist())
            assert spec.conform(whole).equals(whole.combine_chunks())
            for ref in refs:
                rows_of = get_table(wh, ref).to_pylist()
                assert len(rows_of) == 1 or sum(map(scans._size, rows_of)) <= scans.OBJECT_BYTES
    assert body["rows"] == sum(1 for table, _ in rows() if table == "raw")
    said = [row for table, row in rows() if table == "quarantine"]
    kept = list({row["quarantine_id"]: row for row in said}.values())
    assert body["errors"] == sum(row["severity"] == "error" for row in kept) and body["newest"] == 6
    assert "said again" in tables.read(wh, "quarantine")["detail"].to_pylist()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2), st.sampled_from(["", "a", "b", "é", "𝄞", "\n"])), max_size=40), st.integers(0, 9000))
def test_a_spool_is_a_sorted_set(tmp_path_factory, monkeypatch, items, limit):
    small(monkeypatch, spool=limit)
    spool = Spool(tmp_path_factory.mktemp("spool"), "stretches", 2)
    for item in items:
        spool.add(stretch(*item)[1])
    got = [(shard, tuple(row.values())) for shard, found in spool.by_shard() for row in found]
    wanted = {(shard_of(row["document_id"], 2), tuple(row.values())) for row in (stretch(*item)[1] for item in items)}
    assert got == sorted(wanted)


def test_rows_of_one_key_keep_their_order(tmp_path, monkeypatch):
    small(monkeypatch, spool=2500)
    spool = Spool(tmp_path, "raw", 1)
    for n in range(30):
        spool.add(revision(1, 7, [n])[1])
    assert [row["stretches"] for _, found in spool.by_shard() for row in found] == [[n] for n in range(30)]


def test_a_scan_without_rows(wh):
    body = store_scan(wh, "k", iter(()))
    assert body["rows"] == 0 and body["documents"] == [] and body["newest"] is None
    assert TableSet.from_json(4, body["tables"]).read(wh, "stretches").num_rows == 0


def test_a_scan_that_fails_leaves_no_scan(wh):
    def broken():
        yield from rows(2)
        raise RuntimeError("cut")

    with pytest.raises(RuntimeError):
        store_scan(wh, "k", broken())
    assert not wh.path("scans", "k.json").exists() and list(wh.path("scratch").iterdir()) == []
    assert store_scan(wh, "k", rows(2)) == store_scan(wh, "k", iter(())), "a scan that is there is not made again"


def test_collection_keeps_all_objects_of_a_scan(wh, monkeypatch):
    small(monkeypatch)
    body = store_scan(wh, "k", rows())
    marks = Marks()
    mark_scan(wh, wh.path("scans", "k.json"), marks)
    refs = [ref for shards in body["tables"].values() for shard in shards for ref in shard]
    assert {object_path(wh, ref["hash"]) for ref in refs} | {wh.path("scans", "k.json")} == marks.paths


def test_a_scan_of_an_earlier_version_is_read_beside_new_ones(wh):
    import duckdb

    old = TABLES["raw"].from_rows([revision(1, 1, None, raw=b"as bytes")[1]]).drop_columns(["stretches"])
    shard = shard_of(document_id("w", "1"), 4)
    refs = [[put_raw_table(wh, old).to_json()] if n == shard else [] for n in range(4)]
    wh.write(wh.path("scans", "old.json"), json.dumps({"key": "old", "tables": {"raw": refs}, "documents": [], "rows": 1}).encode())
    store_scan(wh, "new", [stretch(1, 7, "in stretches"), revision(1, 2, [7])])
    tables = TableSet(4)
    add_scans(wh, tables, {"w": {"scans": ["new", "old"], "newest": "new"}})
    read = tables.read(wh, "raw")
    assert read.schema.equals(TABLES["raw"].schema())
    assert sorted((r["raw"], r["stretches"]) for r in read.select(["raw", "stretches"]).to_pylist() if r["raw"]) == [(b"as bytes", None)]
    assert isinstance(read["stretches"].type, pa.ListType) and [7] in read["stretches"].to_pylist()
    con = duckdb.connect()
    for statement in view_statements(wh, tables, internal=True):
        con.execute(statement)
    assert sorted(con.sql("SELECT revision, raw IS NULL, stretches FROM raw").fetchall()) == [("1", False, None), ("2", True, [7])]
    assert con.sql("SELECT stretch, text FROM stretches").fetchall() == [(7, "in stretches")]
