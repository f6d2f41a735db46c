"""What the parts of the report share: a DuckDB connection over a release, and rows as plain data.

Guarantees: days come as int days, instants as seconds UTC (no date type, so years below 1 work); every query that the
report shows is ordered in full, so equal releases give equal rows.
"""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow as pa

from schemas.time import day_of_instant, iso
from warehouse.duck import connect, quote
from warehouse.layout import Warehouse
from warehouse.releases import view_statements
from warehouse.tableset import TableSet

BOUNDS = ("start_min", "start_max", "end_min", "end_max")


def open_tables(wh: Warehouse, tables: TableSet, memory_limit_mb: int = 2048) -> duckdb.DuckDBPyConnection:
    """A connection with a view per table, internal ones included."""
    con = connect(threads=2, memory_limit_mb=memory_limit_mb)
    add_views(con, wh, tables)
    return con


def add_views(con: duckdb.DuckDBPyConnection, wh: Warehouse, tables: TableSet, schema: str = "main") -> None:
    """Makes the views of a set of tables in a schema of their own."""
    if schema != "main":
        con.execute(f"CREATE SCHEMA {quote(schema)}")
    con.execute(f"USE memory.{quote(schema)}")
    for statement in view_statements(wh, tables, internal=True):
        con.execute(statement)
    con.execute("USE memory.main")


def rows(con: duckdb.DuckDBPyConnection, sql: str, **params: Any) -> list[dict]:
    """Rows as dicts; days as int days, instants as int seconds UTC."""
    table = con.sql(sql, params=params or None).to_arrow_table()
    names, columns = table.column_names, []
    for column in table.columns:
        if pa.types.is_date32(column.type):
            column = column.cast(pa.int32())
        elif pa.types.is_timestamp(column.type):
            column = column.cast(pa.timestamp("us", column.type.tz)).cast(pa.int64())
            columns.append([None if v is None else v // 1_000_000 for v in column.to_pylist()])
            continue
        columns.append(column.to_pylist())
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def one(con: duckdb.DuckDBPyConnection, sql: str, **params: Any) -> Any:
    """The single value of a query."""
    return con.execute(sql, params or None).fetchall()[0][0]


def day_text(seconds: int | None) -> str:
    """The UTC day of an instant, '' for none."""
    return iso(day_of_instant(seconds)) or "" if seconds is not None else ""


def with_valid(row: dict) -> dict:
    """The row with its four days replaced by `valid` (ISO text per bound) and `days` (the int days)."""
    days = {b: row.pop(b) for b in BOUNDS}
    return {**row, "days": days, "valid": {b: iso(d) for b, d in days.items()}}
