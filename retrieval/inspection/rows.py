"""Rows of one release by SQL, as plain data: days and instants come back as ints, and leave as ISO text.

Nothing is loaded whole: DuckDB reads the Parquet of the release's shards, and where a row's unit (document or key) is
known it is part of the condition, so that files and row groups of other units are passed over.
"""

from __future__ import annotations

from typing import Any

from retrieval.gate import plain_rows
from schemas.fields import DAY, FIELDS, INSTANT
from schemas.tables import TABLES
from schemas.time import day_of_instant, iso
from warehouse.duck import literal, quote
from warehouse.layout import Warehouse
from warehouse.releases import Release

HEAVY = ("raw", "sketch", "vector", "canonical_text")  # columns that are not shown


def iso_instant(seconds: int | None) -> str | None:
    """ISO 8601 in UTC of seconds since the epoch, for any year."""
    if seconds is None:
        return None
    rest = seconds % 86400
    return f"{iso(day_of_instant(seconds))}T{rest // 3600:02d}:{rest % 3600 // 60:02d}:{rest % 60:02d}Z"


def shown(row: dict[str, Any]) -> dict[str, Any]:
    """A plain row with days and instants as ISO text and floats rounded: what is printed."""
    out = {}
    for name, value in row.items():
        type_ = FIELDS[name].type if name in FIELDS else None
        if type_ == DAY:
            value = iso(value)
        elif type_ == INSTANT:
            value = iso_instant(value)
        elif isinstance(value, float):
            value = round(value, 6)
        out[name] = value
    return out


def names(columns: str | tuple[str, ...], prefix: str = "") -> str:
    """A column list, quoted: `where` and `values` are key words."""
    wanted = columns.split() if isinstance(columns, str) else columns
    return ", ".join(prefix + quote(c) for c in wanted)


def listed(values) -> str:
    """A list of string literals for IN; never empty SQL."""
    return "(" + ", ".join(literal(v) for v in sorted(set(values))) + ")" if values else "(NULL)"


class Rows:
    """One release, opened for SQL. A context manager; the connection holds temporary tables of the caller."""

    def __init__(self, release: Release, threads: int = 2) -> None:
        self.release = release
        self.wh: Warehouse = release.wh
        self.con = release.connect(threads=threads, internal=True)
        self.con.execute("SET parquet_metadata_cache = true")  # a page asks the same files many times

    def __enter__(self) -> Rows:
        return self

    def __exit__(self, *_) -> None:
        self.con.close()

    def all(self, query: str) -> list[dict[str, Any]]:
        """All rows of a query, as dicts; days and instants as ints."""
        table = self.con.sql(query).to_arrow_table()
        return plain_rows(table, table.column_names)

    def value(self, query: str) -> Any:
        """The first value of the first row; None where there is no row. Not for days."""
        found = self.con.execute(query).fetchall()  # in full: an unfinished result blocks the connection
        return found[0][0] if found else None

    def keep(self, name: str, query: str) -> int:
        """Makes the temporary table `name` from a query, replacing an earlier one; gives its number of rows."""
        self.con.execute(f"CREATE OR REPLACE TEMP TABLE {quote(name)} AS {query}")
        return self.value(f"SELECT count(*) FROM {quote(name)}")

    def by_id(self, table: str, column: str, value: str, limit: int | None = None) -> list[dict[str, Any]]:
        """The rows of a table whose column is the value, in the table's order, heavy columns left out."""
        spec = TABLES[table]
        light = tuple(f for f in spec.fields if f not in HEAVY)
        cut = "" if limit is None else f" LIMIT {limit}"
        return self.all(f"SELECT {names(light)} FROM {quote(table)} WHERE {quote(column)} = {literal(value)} "
                        f"ORDER BY {names(spec.order)}{cut}")

    def canonical(self, document: str, text_object: str) -> str | None:
        """The canonical text under which spans count; None where it is not kept."""
        return self.value(f"SELECT canonical_text FROM texts WHERE document_id = {literal(document)} AND text_object = {literal(text_object)}")

