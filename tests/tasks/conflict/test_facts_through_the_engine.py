"""origins, dedupe and conflict through the warehouse: incremental equals full, and one document reruns its own keys only."""

from __future__ import annotations

import pyarrow as pa
import pytest

from schemas.ids import content_hash, document_id, make_id, shard_of
from schemas.tables import TABLES
from tasks.conflict import STAGE as CONFLICT
from tasks.dedupe import STAGE as DEDUPE
from tasks.origins import STAGE as ORIGINS
from tests.tasks.conflict.conflict_cases import CONFIG, claim, table
from warehouse.engine import collect_step, plan_step, run_shard
from warehouse.layout import Warehouse
from warehouse.objects import put_table
from warehouse.tableset import TableSet

TEXT = " ".join(f"word{n}" for n in range(60))


def documents(count: int, changed: int | None = None) -> dict[str, tuple[str, list[dict]]]:
    """Document -> (text, claims). Documents 0 and 1 are copies; document n speaks of subject n // 2."""
    out = {}
    for n in range(count):
        doc = document_id("test", str(n))
        text = TEXT if n < 2 else f"{TEXT} {n} " * 2 if n % 3 else " ".join(f"other{n}x{i}" for i in range(50))
        obj = "Changed" if n == changed else f"Person {n % 3}"
        rows = [claim(make_id("claim", str(n)), obj, "2010", doc=doc, subject=f"Firm {n // 2}")]
        out[doc] = (text, rows)
    return out


def build(wh: Warehouse, docs: dict, base: dict | None = None):
    """Runs the three stages; gives (tables, shard keys, units run per step)."""
    tables = TableSet(wh.shards)
    split: dict[str, list[list[dict]]] = {n: [[] for _ in range(wh.shards)] for n in ("documents", "chunks", "claims")}
    for doc, (text, claims) in docs.items():
        at = shard_of(doc, wh.shards)
        split["documents"][at].append({
            "document_id": doc, "version_id": doc, "source": "test", "native_key": doc, "uri": doc, "title": doc, "namespace": 0,
            "language": "en", "acl": ["public"], "label": "public", "tenant": "default", "status": "ok"})
        empty = {"heading_path": [], "source_spans": [], "pieces": [], "element_ids": [], "links": [], "acl": ["public"]}
        split["chunks"][at].append({
            **{f: "" for f in TABLES["chunks"].fields if TABLES["chunks"].schema().field(f).type == pa.string()}, **empty,
            "chunk_id": content_hash(doc), "document_id": doc, "block_id": None, "ordinal": 0, "tokens": 1, "text": text})
        split["claims"][at] += claims
    for name in ("documents", "chunks"):
        tables.set(name, [[put_table(wh, name, TABLES[name].from_rows(rows))] for rows in split[name]])
    tables.set("claims", [[put_table(wh, "claims", TABLES["claims"].conform(table(rows)))] for rows in split["claims"]])
    tables.set("lifetimes", [[] for _ in range(wh.shards)])
    keys, units = {}, {}
    for stage in (ORIGINS, DEDUPE, CONFLICT):
        for step in stage.steps:
            plan = plan_step(wh, stage, step, {**CONFIG, "overrides": {}}, tables, base or {})
            done = [run_shard(wh, stage, plan.path, shard) for shard in plan.missing]
            collect_step(wh, step, plan, tables)
            keys[step.name], units[step.name] = plan.keys, sum(d["units_run"] for d in done)
    return tables, keys, units


@pytest.fixture
def warehouses(tmp_path):
    return [Warehouse.init(tmp_path / name, 4) for name in ("one", "two")]


def test_one_changed_document_reruns_its_own_units_and_equals_a_full_build(warehouses):
    one, two = warehouses
    before, keys, _ = build(one, documents(40))
    nuggets = before.read(one, "nuggets")
    assert nuggets.num_rows == 40 and set(nuggets["state"].to_pylist()) == {"contested"}
    groups = before.read(one, "origins")["source_group"].to_pylist()
    assert len(set(groups)) < len(groups)
    incremental, _, units = build(one, documents(40, changed=21), keys)
    assert units["dedupe.prepare"] == units["dedupe.values"] == units["conflict.resolve"] == 1
    full, *_ = build(two, documents(40, changed=21))
    for name in ("origins", "source_edges", "sourced", "values", "nuggets", "decisions"):
        assert [r.hash for r in incremental.all_refs(name)] == [r.hash for r in full.all_refs(name)]


def test_a_new_document_does_not_invalidate_the_corpus(warehouses):
    one, _ = warehouses
    _, keys, _ = build(one, documents(40))
    tables, _, units = build(one, documents(41), keys)
    # The new one, and a document whose group it may join; never the other forty.
    assert units["dedupe.prepare"] <= 2 and units["conflict.resolve"] <= 2
    assert tables.read(one, "nuggets").num_rows == 41
