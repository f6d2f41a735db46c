"""A set of tables, each as objects per shard: what flows from step to step instead of data."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from warehouse.layout import Warehouse
from warehouse.objects import ObjectRef, get_tables

Shards = list[list[ObjectRef]]  # per shard, the objects that together hold its rows


class TableSet:
    """table name -> objects per shard."""

    def __init__(self, shards: int) -> None:
        self.shards = shards
        self.tables: dict[str, Shards] = {}

    def copy(self) -> TableSet:
        other = TableSet(self.shards)
        other.tables = dict(self.tables)
        return other

    def get(self, table: str) -> Shards:
        return self.tables.get(table) or [[] for _ in range(self.shards)]

    def set(self, table: str, shards: Shards) -> None:
        self.tables[table] = shards

    def add(self, table: str, shards: Shards) -> None:
        """Adds objects beside those a table has already (quarantine is written by many steps)."""
        self.tables[table] = [a + b for a, b in zip(self.get(table), shards, strict=True)]

    def all_refs(self, table: str) -> list[ObjectRef]:
        return [ref for shard in self.get(table) for ref in shard]

    def read(self, wh: Warehouse, table: str, columns: Iterable[str] | None = None) -> pa.Table:
        return get_tables(wh, table, self.all_refs(table), list(columns) if columns else None)

    def rows(self, table: str) -> int:
        return sum(r.rows for r in self.all_refs(table))

    def to_json(self) -> dict:
        return {t: [[r.to_json() for r in shard] for shard in s] for t, s in sorted(self.tables.items())}

    @staticmethod
    def from_json(shards: int, data: dict) -> TableSet:
        out = TableSet(shards)
        out.tables = {t: [[ObjectRef.from_json(r) for r in shard] for shard in s] for t, s in data.items()}
        return out
