"""Two releases side by side in DuckDB, over the Parquet objects in which they differ.

Guarantees: objects of equal hash in the same shard are never opened, for they hold the same rows; rows come as plain
JSON data (days and instants as ISO text), in the order that the SQL gives.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from schemas.errors import IntegrityError
from schemas.ids import shard_of
from schemas.tables import TABLES
from schemas.time import day_of_instant, iso
from warehouse.duck import connect, literal
from warehouse.layout import Warehouse
from warehouse.objects import ObjectRef, object_path
from warehouse.releases import Release

OLD, NEW = "old", "new"
SIDES = (OLD, NEW)


class Pair:
    """An old and a new release. Use as a context manager: it holds a DuckDB connection."""

    def __init__(self, wh: Warehouse, old: Release, new: Release, *, memory_limit_mb: int = 2048) -> None:
        self.wh, self.old, self.new = wh, old, new
        self.tables = {OLD: old.tables()}
        self.tables[NEW] = self.tables[OLD] if old.id == new.id else new.tables()
        self.con = connect(threads=2, memory_limit_mb=memory_limit_mb)
        self._names = 0

    def __enter__(self) -> Pair:
        return self

    def __exit__(self, *_) -> None:
        self.con.close()

    def release(self, side: str) -> Release:
        return self.old if side == OLD else self.new

    def changed(self, side: str, table: str) -> str:
        """A FROM item: the rows of the objects of this side that the other side lacks."""
        refs: list[ObjectRef] = []
        other = self.tables[NEW if side == OLD else OLD]
        for mine, theirs in zip(self.tables[side].get(table), other.get(table), strict=True):
            held = {r.hash for r in theirs}
            refs += [r for r in mine if r.hash not in held]
        return self._from(table, refs)

    def differs(self, table: str) -> bool:
        """Whether any object of the table is in one release alone."""
        mine, theirs = (
            [[r.hash for r in shard if r.rows] for shard in self.tables[side].get(table)] for side in SIDES
        )
        return mine != theirs

    def whole(self, side: str, table: str, units: Iterable[str] | None = None) -> str:
        """A FROM item: all rows of the table on this side, or those of the shards of these units alone."""
        shards = self.tables[side].get(table)
        if units is not None:
            wanted = {shard_of(u, self.wh.shards) for u in units}
            shards = [s for n, s in enumerate(shards) if n in wanted]
        return self._from(table, [r for s in shards for r in s])

    def _from(self, table: str, refs: list[ObjectRef]) -> str:
        return from_objects(self.con, self.wh, table, refs)

    def ids(self, values: Iterable[str]) -> str:
        """A FROM item of one column `id` that holds these values."""
        self._names += 1
        name = f"wanted_{self._names}"
        self.con.register(name, pa.table({"id": pa.array(sorted(set(values)), pa.string())}))
        return name

    def rows(self, sql: str) -> list[dict[str, Any]]:
        return plain_rows(self.con.sql(sql).to_arrow_table())

    def lookup(self, side: str, table: str, column: str, values: Iterable[str], names: Iterable[str],
               *, units: Iterable[str] | None = None, changed: bool = False) -> list[dict[str, Any]]:
        """Columns `names` of the rows whose `column` is among the values, in the table's order. `units`, where known,
        names the shards to read; `changed` reads only objects in which the releases differ."""
        values = set(values) - {None}
        if not values:
            return []
        source = self.changed(side, table) if changed else self.whole(side, table, units)
        order = ", ".join(f't."{c}"' for c in TABLES[table].order)
        listed = ", ".join(f't."{n}"' for n in names)
        return self.rows(f"SELECT {listed} FROM {source} t WHERE t.\"{column}\" IN (FROM {self.ids(values)}) ORDER BY {order}")


def from_objects(con, wh: Warehouse, table: str, refs: Iterable[ObjectRef], filename: bool = False) -> str:
    """A FROM item over these objects of a table; with no rows among them, an empty table of its schema. IntegrityError
    where one is missing."""
    files = dict.fromkeys(object_path(wh, r.hash) for r in refs if r.rows)
    if lost := next((f for f in files if not f.exists()), None):
        raise IntegrityError(f"object {lost.stem} of {table} is missing", expected="every object of a release to be there",
                             fix="run the build again: lost objects are made anew")
    if not files:
        name = f"empty_{table}"
        empty = TABLES[table].empty()
        con.register(name, empty.append_column("filename", pa.array([], pa.string())) if filename else empty)
        return f'"{name}"'
    return f"read_parquet([{', '.join(literal(str(f)) for f in files)}]{', filename = true' if filename else ''})"


def plain_rows(table: pa.Table) -> list[dict[str, Any]]:
    """Rows as JSON data: days and instants as ISO text, 32-bit floats rounded to what they hold."""
    columns = [_plain(table.column(n)) for n in range(table.num_columns)]
    return [dict(zip(table.column_names, values, strict=True)) for values in zip(*columns, strict=True)] if columns else []


def _plain(column: pa.ChunkedArray) -> list[Any]:
    kind = column.type
    if pa.types.is_date32(kind):
        return [iso(d) for d in column.cast(pa.int32()).to_pylist()]
    if pa.types.is_timestamp(kind):
        return [instant(s) for s in column.cast(pa.timestamp("s", kind.tz)).cast(pa.int64()).to_pylist()]
    if pa.types.is_float32(kind):
        return [None if v is None else round(v, 6) for v in column.to_pylist()]
    return column.to_pylist()


def instant(seconds: int | None) -> str | None:
    """ISO text of an instant in seconds since the epoch, UTC."""
    if seconds is None:
        return None
    rest = seconds % 86400
    return f"{iso(day_of_instant(seconds))}T{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}Z"
