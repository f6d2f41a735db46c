"""What the files of a warehouse say about an id: release, snapshot, scan, shard, index, object."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from retrieval.inspection.rows import Rows, iso_instant
from warehouse.objects import object_path
from warehouse.releases import list_releases, published

NAMED = 40  # releases that are looked into for who names a file


def describe(rows: Rows, kind: str, name: str) -> dict[str, Any]:
    """{record, related, notes} of a file of the warehouse."""
    record = {
        "release": _release, "snapshot": _snapshot, "scan": _scan, "shard": _shard, "index": _index, "object": _object,
    }[kind](rows, name)
    return {"record": record, "related": [{"relation": "named by", "kind": "release", "id": i, "text": ""} for i in _named_by(rows, kind, name)]}


def _bodies(rows: Rows) -> Iterator[dict[str, Any]]:
    """The newest releases' bodies, by name where no ref ever moved to them."""
    moved = [m["to"] for m in reversed(published(rows.wh))]
    known = set(list_releases(rows.wh))
    for i in [i for i in dict.fromkeys([*moved, *sorted(known)]) if i in known][:NAMED]:
        yield json.loads(rows.wh.path("releases", i + ".json").read_text())


def _named_by(rows: Rows, kind: str, name: str) -> list[str]:
    if kind == "snapshot":
        return [b["id"] for b in _bodies(rows) if name in b["stages"].values()]
    if kind == "index":
        return [b["id"] for b in _bodies(rows) if any(name in legs.values() for legs in b["indexes"].values())]
    if kind == "scan":
        return [b["id"] for b in _bodies(rows) if any(name in s["scans"] for s in b["sources"].values())]
    return []


def _release(rows: Rows, name: str) -> dict[str, Any]:
    body = json.loads(rows.wh.path("releases", name + ".json").read_text())
    moves = [{"when": iso_instant(m["time"]), "action": m["action"]} for m in published(rows.wh) if m["to"] == name]
    return {
        "id": name, "parent": body.get("parent"), "format": body["format"], "as_of": iso_instant(body.get("as_of")),
        "sources": {n: {**s["spec"], "scans": s["scans"]} for n, s in sorted(body["sources"].items())},
        "stages": body["stages"], "indexes": body["indexes"], "published": moves,
    }


def _snapshot(rows: Rows, name: str) -> dict[str, Any]:
    path = next(iter(sorted(rows.wh.path("snapshots").glob(f"*/{name}.json"))))
    body = json.loads(path.read_text())
    return {k: body[k] for k in ("stage", "version", "fingerprint", "shards", "rows", "keys")}


def _scan(rows: Rows, name: str) -> dict[str, Any]:
    body = json.loads(rows.wh.path("scans", name + ".json").read_text())
    return {k: (sorted(v) if k == "tables" else v) for k, v in body.items()}


def _shard(rows: Rows, name: str) -> dict[str, Any]:
    path = next(iter(sorted(rows.wh.path("shards").rglob(f"{name}.json"))))
    return json.loads(path.read_text())


def _index(rows: Rows, name: str) -> dict[str, Any]:
    body = json.loads(rows.wh.path("indexes", name + ".json").read_text())
    return {**body, "size_bytes": sum(f["size_bytes"] for f in body["files"])}


def _object(rows: Rows, name: str) -> dict[str, Any]:
    tables = rows.release.tables()
    used = sorted((t, n) for t in tables.tables for n, shard in enumerate(tables.get(t)) for ref in shard if ref.hash == name)
    path = object_path(rows.wh, name)
    parquet = path.exists()
    record: dict[str, Any] = {"hash": name, "format": "parquet" if parquet else "index file",
                              "holds": [{"table": t, "shard": n} for t, n in used]}
    if parquet:
        import pyarrow.parquet as pq

        about = pq.read_metadata(path)
        return {**record, "size_bytes": path.stat().st_size, "rows": about.num_rows, "columns": about.schema.to_arrow_schema().names}
    return {**record, "size_bytes": object_path(rows.wh, name, ".bin").stat().st_size}
