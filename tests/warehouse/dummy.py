"""Two small stages over real tables, and a runner in this process: what the engine is tested with."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyarrow as pa

from schemas.ids import content_hash, document_id, key_id, shard_of
from schemas.stage import Read, Stage, Step
from schemas.tables import TABLES, quarantine_row
from warehouse.engine import collect_step, plan_step, run_shard
from warehouse.layout import Warehouse
from warehouse.objects import put_table
from warehouse.tableset import TableSet


def words(config, tables):
    """raw -> documents: one row per document, its title the upper-cased text."""
    rows = []
    for row in tables["raw"].to_pylist():
        text = row["raw"].decode()
        rows.append({
            "document_id": row["document_id"], "source": row["source"], "native_key": row["native_key"], "uri": row["uri"],
            "title": (text.upper() if config["chunk"]["upper"] else text), "namespace": 0, "language": "en", "acl": ["public"], "label": "public",
            "tenant": "default", "status": "ok",
        })
    slow = [r["document_id"] for r in tables["raw"].to_pylist() if r["raw"].decode() == config["chunk"].get("slow")]
    timeouts = [quarantine_row("parse", d, "", "parse_timeout", "too slow today") for d in slow]
    return {"documents": TABLES["documents"].from_rows(rows), "quarantine": TABLES["quarantine"].from_rows(timeouts)}


def vectors(config, tables):
    """documents -> vectors, by hash of the title: a shuffle to another unit."""
    table = tables["chunks"]
    return {"vectors": TABLES["vectors"].from_rows([
        {"rendition_hash": h, "vector": [float(len(r))]}
        for h, r in zip(table["rendition_hash"].to_pylist(), table["rendition"].to_pylist(), strict=True)
    ])}


def count(config, tables):
    """documents -> source_edges, once for the corpus."""
    ids = sorted(tables["documents"]["document_id"].to_pylist())
    rows = [{"from_id": a, "to_id": b, "edge": "cites", "evidence": str(len(ids)), "confidence": 1.0} for a, b in zip(ids, ids[1:], strict=False)]
    return {"source_edges": TABLES["source_edges"].from_rows(rows)}


FIRST = Stage("parse", 1, (Step("dummy.words", words, (Read("raw"),), ("documents", "quarantine")),), config=("chunk",))
SECOND = Stage("origins", 1, (Step("dummy.count", count, (Read("documents", "whole"),), ("source_edges",), by=None, incremental=False),))
STAGES = (FIRST, SECOND)
CONFIG = {"chunk": {"upper": True}}


def raw_tables(wh: Warehouse, texts: dict[str, str]) -> TableSet:
    """A scan's output for path -> text."""
    per_shard: list[list[dict]] = [[] for _ in range(wh.shards)]
    for path, text in texts.items():
        document = document_id("dummy", path)
        per_shard[shard_of(document, wh.shards)].append({
            "document_id": document, "source": "dummy", "native_key": path, "uri": path, "namespace": 0, "revision": content_hash(text),
            "content_hash": content_hash(text), "raw": text.encode(), "acl": ["public"], "tenant": "default", "status": "ok",
        })
    out = TableSet(wh.shards)
    out.set("raw", [[put_table(wh, "raw", TABLES["raw"].from_rows(rows))] for rows in per_shard])
    return out


def run_all(wh: Warehouse, texts: dict[str, str], config=CONFIG, base=None, order=1):
    """Runs both stages; gives (tables, shard keys, shards run per step, units run per step)."""
    tables = raw_tables(wh, texts)
    keys, shards_run, units_run = {}, {}, {}
    for stage in STAGES:
        for step in stage.steps:
            plan = plan_step(wh, stage, step, config, tables, base or {})
            done = [run_shard(wh, stage, plan.path, shard) for shard in plan.missing[::order]]
            collect_step(wh, step, plan, tables)
            keys[step.name] = plan.keys
            shards_run[step.name] = len(plan.missing)
            units_run[step.name] = sum(d["units_run"] for d in done)
    return tables, keys, shards_run, units_run


def texts(n: int) -> dict[str, str]:
    return {f"d{i}.md": f"text {i}" for i in range(n)}


def objects(tables: TableSet) -> dict[str, list[str]]:
    return {t: [r.hash for r in tables.all_refs(t)] for t in sorted(tables.tables)}


if __name__ == "__main__":  # the kill test runs this in a process of its own
    warehouse = Warehouse.init(Path(sys.argv[1]), 4)
    found, *_ = run_all(warehouse, texts(40))
    print(json.dumps(objects(found)))


__all__ = ["CONFIG", "FIRST", "SECOND", "key_id", "objects", "pa", "raw_tables", "run_all", "texts"]
