"""Scans: what was read from one source, as `raw`, `stretches` and `quarantine` per shard. Written once, named by a hash
of what was read.

Memory stays bounded whatever is read: rows go through an external merge sort into scratch files, and a shard's table is
several objects. Where an object ends depends on its rows alone, so equal input gives equal objects.
"""

from __future__ import annotations

import heapq
import json
import pickle
import struct
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path

import pyarrow as pa

from schemas.ids import shard_of
from schemas.tables import TABLES
from warehouse import faults
from warehouse.layout import Warehouse
from warehouse.objects import put_table
from warehouse.releases import read_scan

SPOOL_BYTES = 32_000_000  # rows of one table in memory
BLOCK_BYTES = 256_000  # rows read from a scratch file at once
OBJECT_BYTES = 32_000_000  # rows of one object
FAN_IN = 64

DISTINCT = {"raw": False, "stretches": True, "quarantine": True}  # whether of rows with one key the last is kept
_LENGTH = struct.Struct("<QQ")


def _size(row: dict) -> int:
    """About the bytes that a row takes in memory; a function of its content."""
    return 1000 + len(row.get("text") or "") + len(row.get("raw") or b"") + 8 * len(row.get("stretches") or ())


class Spool:
    """Rows of one table in any number and order; gives them back by shard and in the table's total order.

    Rows that no column of the order tells apart come in the order in which they were added.
    """

    def __init__(self, folder: Path, table: str, shards: int) -> None:
        self._folder, self._table, self._shards = folder, table, shards
        self._key = self._sort_key()
        self._codec = pa.Codec("zstd")
        self._rows: list[dict] = []
        self._size = self._made = 0
        self._parts: list[Path] = []

    def _sort_key(self) -> Callable[[dict], tuple]:
        spec, shards = TABLES[self._table], self._shards
        unit = spec.unit
        if not any(spec.schema().field(name).nullable for name in spec.order):
            return lambda row: (shard_of(row[unit], shards), *[row[name] for name in spec.order])
        # Nulls last, as Arrow sorts them.
        return lambda row: (shard_of(row[unit] or "", shards), *[(row[name] is None, row[name]) for name in spec.order])

    def add(self, row: dict) -> None:
        self._rows.append(row)
        self._size += _size(row)
        if self._size > SPOOL_BYTES:
            self._rows.sort(key=self._key)
            self._parts.append(self._write(self._rows))
            self._rows, self._size = [], 0

    def by_shard(self) -> Iterator[tuple[int, Iterator[dict]]]:
        """(shard, its rows) in order, of the shards that have rows."""
        while len(self._parts) >= FAN_IN:
            some, self._parts = self._parts[:FAN_IN], self._parts[FAN_IN:]
            self._parts.insert(0, self._write(heapq.merge(*map(self._read, some), key=self._key)))
            for path in some:
                path.unlink()
        self._rows.sort(key=self._key)
        rows = heapq.merge(*map(self._read, self._parts), self._rows, key=self._key)
        distinct = self._last_of_equal(rows) if DISTINCT[self._table] else rows
        unit = TABLES[self._table].unit
        return groupby(distinct, key=lambda row: shard_of(row[unit] or "", self._shards))

    def _last_of_equal(self, rows: Iterable[dict]) -> Iterator[dict]:
        for _, equal in groupby(rows, key=self._key):
            for row in equal:
                last = row
            yield last

    def _write(self, rows: Iterable[dict]) -> Path:
        path = self._folder / f"{self._table}-{self._made}"
        self._made += 1
        with path.open("wb") as out:
            for block in _cut(rows, BLOCK_BYTES):
                data = pickle.dumps(block, pickle.HIGHEST_PROTOCOL)
                packed = self._codec.compress(data, asbytes=True)
                out.write(_LENGTH.pack(len(packed), len(data)))
                out.write(packed)
        return path

    def _read(self, path: Path) -> Iterator[dict]:
        with path.open("rb") as file:
            while head := file.read(_LENGTH.size):
                packed, size = _LENGTH.unpack(head)
                yield from pickle.loads(self._codec.decompress(file.read(packed), size, asbytes=True))


def _cut(rows: Iterable[dict], limit: int) -> Iterator[list[dict]]:
    """Groups of rows of at most `limit` bytes, or of one row; where one ends depends on the rows before it alone."""
    group: list[dict] = []
    size = 0
    for row in rows:
        more = _size(row)
        if group and size + more > limit:
            yield group
            group, size = [], 0
        group.append(row)
        size += more
    if group:
        yield group


def store_scan(wh: Warehouse, key: str, rows: Iterable[tuple[str, dict]]) -> dict:
    """Stores the rows of a scan (pairs of table and row); the scan's file is written last."""
    done = read_scan(wh, key)
    if done is not None:
        return done
    documents: set[str] = set()
    newest: int | None = None
    count = errors = 0
    tables: dict[str, list[list[dict]]] = {name: [[] for _ in range(wh.shards)] for name in DISTINCT}
    with wh.scratch_folder() as folder:
        spools = {name: Spool(folder, name, wh.shards) for name in DISTINCT}
        for table, row in rows:
            spools[table].add(row)
            if table == "raw":
                count += 1
                documents.add(row["document_id"])
                when = row.get("time") or row.get("source_date")
                newest = when if newest is None or (when is not None and when > newest) else newest
        for name, spool in spools.items():
            for shard, found in spool.by_shard():
                for group in _cut(found, OBJECT_BYTES):
                    tables[name][shard].append(put_table(wh, name, TABLES[name].from_rows(group)).to_json())
                    errors += sum(1 for row in group if row.get("severity") == "error")
    body = {
        "key": key, "tables": tables, "documents": sorted(documents), "rows": count, "newest": _seconds(newest),
        "errors": errors,
    }
    faults.point("scan")
    wh.write(wh.path("scans", key + ".json"), json.dumps(body).encode())
    return body


def _seconds(when) -> int | None:
    if when is None or isinstance(when, int):
        return when
    return int(when.timestamp())
