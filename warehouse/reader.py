"""A release opened for reading: its stores, its rows by id, its query encoder. What `retrieval` searches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb
import pyarrow as pa

from schemas.tables import TABLES
from schemas.time import Day, day_of_instant
from warehouse.duck import quote
from warehouse.indexes import read_index
from warehouse.layout import Warehouse
from warehouse.reconcile import open_store
from warehouse.releases import Release, open_release


class Reader:
    """One release, read-only. Use as a context manager; stores are opened when first asked for."""

    def __init__(self, release: Release) -> None:
        self.release = release
        self._tables = release.tables()
        self._stores: dict[tuple[str, str], Any] = {}
        self._con: duckdb.DuckDBPyConnection | None = None

    @staticmethod
    def open(wh: Warehouse, name: str | None = None) -> Reader:
        return Reader(open_release(wh, name))

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        for store in self._stores.values():
            store.close()
        self._stores.clear()
        if self._con is not None:
            self._con.close()
            self._con = None

    @property
    def release_id(self) -> str:
        return self.release.id

    @property
    def config(self) -> dict[str, Any]:
        return self.release.config

    @property
    def as_of(self) -> Day | None:
        """The day of the newest source instant, None where no source has one."""
        newest = self.release.body.get("as_of")
        return None if newest is None else day_of_instant(newest)

    def sparse(self, store: str):
        """The Lucene store of `nuggets` or `chunks`."""
        return self._open(store, "sparse")

    def dense(self, store: str):
        """The vector store, or None in a profile without vectors."""
        return self._open(store, "dense") if "dense" in self.release.body["indexes"][store] else None

    def _open(self, store: str, leg: str):
        if (store, leg) not in self._stores:
            key = self.release.body["indexes"][store][leg]
            body = read_index(self.release.wh, key)
            if body is None:
                from schemas.errors import IntegrityError

                raise IntegrityError(f"index {key} of release {self.release_id} is missing", fix="run `lode rerun index`")
            self._stores[store, leg] = open_store(self.release.wh, body)
        return self._stores[store, leg]

    def encode(self, text: str):
        """The query's vector, or None in a profile without vectors."""
        embed = self.config["embed"]
        if not embed["enabled"]:
            return None
        from schemas.encoder import embed_query

        return embed_query(text, embed["model"], embed["max_tokens"])

    def rows(self, table: str, column: str, values: Sequence[str]) -> pa.Table:
        """Rows of a table whose column is among the values (list columns: holds one of them), in the table's order."""
        if not values:
            return TABLES[table].empty()
        if self._con is None:
            self._con = self.release.connect(threads=2)
        spec = TABLES[table]
        is_list = pa.types.is_list(spec.schema().field(column).type)
        test = f"list_has_any({quote(column)}, $wanted)" if is_list else f"list_contains($wanted, {quote(column)})"
        order = ", ".join(quote(c) for c in spec.order)
        names = ", ".join(quote(c) for c in spec.fields)
        query = f"SELECT {names} FROM {quote(table)} WHERE {test} ORDER BY {order}"
        found = self._con.sql(query, params={"wanted": sorted(set(values))}).to_arrow_table()
        return found.cast(spec.schema())
