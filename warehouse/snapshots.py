"""Snapshots: the immutable output of one stage, as objects per shard, rows and hashes."""

from __future__ import annotations

import json

from schemas.errors import IntegrityError
from schemas.ids import make_id
from warehouse.keep import hold
from warehouse.layout import Warehouse
from warehouse.tableset import TableSet


def write_snapshot(wh: Warehouse, stage: str, version: int, keys: dict[str, list[str]], tables: TableSet) -> str:
    """Stores a snapshot and gives its fingerprint: a hash of the shard keys of every step."""
    fingerprint = make_id("snapshot", stage, json.dumps(keys, sort_keys=True))
    path = wh.path("snapshots", stage, fingerprint + ".json")
    if not hold(wh, [path]):
        body = {
            "stage": stage, "version": version, "fingerprint": fingerprint, "keys": keys, "shards": wh.shards,
            "rows": {t: tables.rows(t) for t in sorted(tables.tables)}, "tables": tables.to_json(),
        }
        wh.write(path, json.dumps(body, sort_keys=True, indent=1).encode())
    return fingerprint


def read_snapshot(wh: Warehouse, stage: str, fingerprint: str) -> dict:
    try:
        return json.loads(wh.path("snapshots", stage, fingerprint + ".json").read_text())
    except FileNotFoundError:
        raise IntegrityError(
            f"snapshot {stage} @ {fingerprint} is missing", fix=f"run `lode rerun {stage}` to make it anew"
        ) from None


def snapshot_tables(wh: Warehouse, snapshot: dict) -> TableSet:
    return TableSet.from_json(wh.shards, snapshot["tables"])
