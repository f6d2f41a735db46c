"""Scans: what was read from one source, as `raw` rows per shard. Written once, named by a hash of what was read."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pyarrow as pa

from schemas.ids import shard_of
from schemas.tables import TABLES
from warehouse import faults
from warehouse.layout import Warehouse
from warehouse.objects import put_table
from warehouse.releases import read_scan

SPOOL_BYTES = 64_000_000


class _Spool:
    """Rows per shard; beyond SPOOL_BYTES they go to scratch files, so that a scan holds little at a time."""

    def __init__(self, folder, shards: int) -> None:
        self.folder, self.shards = folder, shards
        self.rows: list[list[dict]] = [[] for _ in range(shards)]
        self.parts: list[list] = [[] for _ in range(shards)]
        self.size = 0

    def add(self, row: dict) -> None:
        self.rows[shard_of(row["document_id"], self.shards)].append(row)
        self.size += len(row["raw"]) + 500
        if self.size > SPOOL_BYTES:
            self.flush()

    def flush(self) -> None:
        schema = TABLES["raw"].schema()
        for shard, rows in enumerate(self.rows):
            if rows:
                path = self.folder / f"{shard}-{len(self.parts[shard])}.arrow"
                with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(
                    sink, schema, options=pa.ipc.IpcWriteOptions(compression="zstd")
                ) as out:
                    out.write_table(pa.Table.from_pylist(rows, schema=schema))
                self.parts[shard].append(path)
                self.rows[shard] = []
        self.size = 0

    def shard(self, shard: int) -> pa.Table:
        schema = TABLES["raw"].schema()
        tables = [pa.ipc.open_file(pa.memory_map(str(p))).read_all() for p in self.parts[shard]]
        tables.append(pa.Table.from_pylist(self.rows[shard], schema=schema))
        return pa.concat_tables(tables)


def store_scan(wh: Warehouse, key: str, rows: Iterable[tuple[str, dict]]) -> dict:
    """Stores the rows of a scan (`("raw", row)` or `("quarantine", row)`); the scan's file is written last."""
    done = read_scan(wh, key)
    if done is not None:
        return done
    quarantined: list[dict] = []
    documents: set[str] = set()
    newest: int | None = None
    with wh.scratch_folder() as folder:
        spool = _Spool(folder, wh.shards)
        for table, row in rows:
            if table == "quarantine":
                quarantined.append(row)
                continue
            documents.add(row["document_id"])
            when = row.get("time") or row.get("source_date")
            newest = when if newest is None or (when is not None and when > newest) else newest
            spool.add(row)
        raw, count = [], 0
        for shard in range(wh.shards):
            ref = put_table(wh, "raw", spool.shard(shard))
            raw.append([ref.to_json()])
            count += ref.rows
    unique = {r["quarantine_id"]: r for r in quarantined}
    tables = {"raw": raw}
    per_shard: list[list[dict]] = [[] for _ in range(wh.shards)]
    for row in unique.values():
        per_shard[shard_of(row["document_id"] or "", wh.shards)].append(row)
    tables["quarantine"] = [[put_table(wh, "quarantine", TABLES["quarantine"].from_rows(r)).to_json()] for r in per_shard]
    body = {
        "key": key, "tables": tables, "documents": sorted(documents), "rows": count, "newest": _seconds(newest),
        "errors": sum(1 for r in unique.values() if r["severity"] == "error"),
    }
    faults.point("scan")
    wh.write(wh.path("scans", key + ".json"), json.dumps(body).encode())
    return body


def _seconds(when) -> int | None:
    if when is None or isinstance(when, int):
        return when
    return int(when.timestamp())
