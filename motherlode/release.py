"""A release opened for reading: tables, SQL, search. It never changes the warehouse.

A `Release` may be shared between threads. Searches take turns (Lucene is used by one thread at a time); `table`,
`batches`, `pandas` and `sql` run beside them and each other. After `close` every read raises LodeError.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from motherlode import arguments
from motherlode.catalog import StrPath, as_of, warehouse_at
from motherlode.results import SearchResult, result_of
from motherlode.rows import Chunk, Nugget, chunk_of, nugget_of, plain_row
from motherlode.times import When, first_day, known_by
from schemas.errors import LodeError, UsageError

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import pyarrow as pa

    from warehouse.reader import Reader

_Made = TypeVar("_Made")
Params = Sequence[Any] | Mapping[str, Any]


def open_release(warehouse: StrPath | None = None, release: str | None = None) -> Release:
    """Opens a release; use it as a context manager, or `close` it.

    `warehouse` is a folder made by `lode`; without it that of LODE_WAREHOUSE, else `data/warehouse`. `release` is an id,
    the beginning of one, or another name that `lode query --release` takes; without it the current release. Raises
    LodeError where there is no warehouse, no such release, or nothing is published.
    """
    from warehouse.reader import Reader

    if release is not None:
        arguments.name_of(release, "release", "a name from `lode releases`, or None for the current release")
    return Release(Reader.open(warehouse_at(warehouse), release))


class Release:
    """One release, read-only. Made by `open_release`."""

    def __init__(self, reader: Reader) -> None:
        self._reader: Reader | None = reader
        self._body = reader.release.body
        self._turn = threading.RLock()  # searches, and what they open
        self._sql: duckdb.DuckDBPyConnection | None = None

    def __enter__(self) -> Release:
        self._open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<motherlode.Release {self.id}{' (closed)' if self._reader is None else ''}>"

    def close(self) -> None:
        """Lets go of stores, connections and the lease that keeps the release from collection, after a search that is
        under way. A second call does nothing."""
        with self._turn:
            if self._reader is not None:
                self._reader.close()
                self._reader = None
            if self._sql is not None:
                self._sql.close()
                self._sql = None

    def _open(self) -> Reader:
        if self._reader is None:
            raise LodeError(f"release {self.id} is closed", expected="an open release", fix="call motherlode.open_release again")
        return self._reader

    @property
    def id(self) -> str:
        """The release's id: a hash of all it names."""
        return str(self._body["id"])

    @property
    def as_of(self) -> str | None:
        """The ISO day of the newest source instant; None where no source says when it was written."""
        return as_of(self._body)

    @property
    def config(self) -> dict[str, Any]:
        """The config that it was built with, as plain data: {section: {key: value}}. A copy."""
        return copy.deepcopy(self._body["config"])

    @property
    def sources(self) -> dict[str, dict[str, Any]]:
        """The sources by name: kind, acl, tenant and what else `lode status --json` shows. A copy."""
        found = self._body["sources"]
        return {name: copy.deepcopy(found[name]["spec"]) for name in sorted(found)}

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables of the data dictionary. (Those between stages can be read too.)"""
        from schemas.tables import TABLES

        return tuple(name for name, spec in TABLES.items() if spec.public)

    @property
    def counts(self) -> dict[str, int]:
        """Rows of each of `tables`, without reading them."""
        held = self._open().release.tables()
        return {name: held.rows(name) for name in self.tables}

    def table(
        self, name: str, columns: Sequence[str] | None = None, where: str | None = None, params: Params | None = None
    ) -> pa.Table:
        """Operator call, reads everything whatever the access: a table, with the types of the data dictionary.

        `where` is a DuckDB condition over the table's columns, `params` its values for `?` or `$name`; the rows keep their
        order. A condition reads no more than `sql` may. All of it is held in memory: `batches` is there for what does not
        fit. Raises UsageError on an unknown table or column and on a condition that DuckDB does not take.
        """
        schema = self._schema(name, columns)
        if where is None and not params:
            return self._open().release.read(name, schema.names)
        cursor, found = self._select(name, schema, where, params)
        with closing(cursor):
            return _guarded(lambda: found.to_arrow_table()).cast(schema)

    def batches(
        self, name: str, columns: Sequence[str] | None = None, where: str | None = None, params: Params | None = None,
        rows: int = 100_000,
    ) -> Iterator[pa.RecordBatch]:
        """Operator call, reads everything whatever the access: `table`, at most `rows` rows at a time."""
        schema = self._schema(name, columns)
        rows = arguments.number(rows, "rows", 1)
        cursor, found = self._select(name, schema, where, params)
        return _batches(self._open(), cursor, _guarded(lambda: found.to_arrow_reader(rows)), schema)

    def pandas(
        self, name: str, columns: Sequence[str] | None = None, where: str | None = None, params: Params | None = None
    ) -> pd.DataFrame:
        """Operator call, reads everything whatever the access: `table` as a pandas frame.

        Days are `datetime64[s]`, so every year survives, also before year 1; instants are `datetime64[s, UTC]`. Integers and
        booleans are pandas' nullable types; lists and structs are objects. `motherlode.iso_day` writes a day as ISO text.
        """
        from motherlode.frames import to_pandas

        return to_pandas(self.table(name, columns, where, params))

    def sql(self, query: str, params: Params | None = None) -> pa.Table:
        """Operator call, reads everything whatever the access: DuckDB SQL over the release's tables.

        One statement that reads: SELECT, WITH, VALUES, FROM, DESCRIBE, SUMMARIZE, SHOW or EXPLAIN. Nothing is written, no
        file and no setting, and no call leaves anything for the next. `params` are values for `?` (a sequence) or `$name`
        (a mapping). Raises UsageError on any other statement, and with DuckDB's message.
        """
        cursor, found = self._run(query, params)
        with closing(cursor):
            return _guarded(lambda: found.to_arrow_table())

    def search(
        self, text: str, *, at: When | None = None, between: tuple[When, When] | None = None, known_at: When | None = None,
        certain: bool = False, view: str = "active", principal: str | None = None, k: int | None = None,
        budget_tokens: int | None = None, explain: bool | str = False, plugins: Sequence[Any] = (),
    ) -> SearchResult:
        """Asks a question as `principal`, and shows nothing that this reader may not see.

        `principal` is one or more group names joined by commas; None is the anonymous reader, who holds `public` alone.
        The caller vouches for it: it is not checked against anything. Times are ISO text or a `date` (of a `datetime` its
        UTC day; for `known_at` its instant): `at` a day that the facts must hold on (of a month or year its first), or
        `between` two days, half open; `known_at` leaves what sources said by then. `view` is active, full or all. `k` and
        `budget_tokens` (of the packed context) default to the release's config. `explain` is True for the funnel, or the
        id of one nugget or chunk. `plugins` are objects with hooks of `retrieval.hooks`. Raises UsageError on options
        that make no sense; any text is a legal query.
        """
        from retrieval.options import QueryOptions
        from retrieval.search import search

        arguments.text(text, "text", "a question: any text")
        if between is not None and at is not None:
            raise UsageError("at and between are both given", expected="one of them")
        first, until = (None, None) if between is None else arguments.pair(between, "between")
        if principal is not None:
            arguments.text(principal, "principal", 'group names joined by commas, as in "staff,board", or None')
        if not isinstance(explain, bool):
            arguments.name_of(explain, "explain", "True, False, or the id of a nugget or chunk")
        options = QueryOptions(
            at=first_day(at, "at"), first=first_day(first, "between"), until=first_day(until, "between"), known_at=known_by(known_at),
            certain=arguments.flag(certain, "certain"), view=arguments.text(view, "view", "active, full or all"), principal=principal,
            k=arguments.optional_number(k, "k", 1), budget_tokens=arguments.optional_number(budget_tokens, "budget_tokens", 0),
            explain=explain, plugins=arguments.hooks(plugins),
        )
        with self._turn:
            return result_of(search(self._open(), text, options).to_json())

    def nugget(self, nugget_id: str) -> Nugget:
        """Operator call, reads everything whatever the access: one nugget. Raises LodeError where there is none."""
        return nugget_of(self._row("nuggets", "nugget_id", nugget_id))

    def chunk(self, chunk_id: str) -> Chunk:
        """Operator call, reads everything whatever the access: one chunk. Raises LodeError where there is none."""
        return chunk_of(self._row("chunks", "chunk_id", chunk_id))

    def _row(self, table: str, column: str, wanted: str) -> dict[str, Any]:
        arguments.text(wanted, column, f"an id of the table {table}")
        with self._turn:
            reader = self._open()
            found = _guarded(lambda: reader.rows(table, column, [wanted]))
            if found.num_rows:
                return plain_row(found)
            successors = reader.rows("lineage", "old_id", [wanted])["new_id"].drop_null().to_pylist()
        raise LodeError(
            f"release {self.id} holds no {column} {wanted}", expected=f"an id of the table {table}",
            fix=f"it was retired: ask for {successors[0]}, which took its place" if successors else "",
        )

    def _schema(self, table: str, columns: Sequence[str] | None) -> pa.Schema:
        """The wanted columns as the registry has them."""
        import pyarrow as pa

        from schemas.tables import TABLES

        if arguments.text(table, "name", "the name of a table") not in TABLES:
            raise UsageError(f"no table {table!r}", expected=", ".join(self.tables))
        schema = TABLES[table].schema()
        if columns is None:
            return schema
        wanted = arguments.names(columns, "columns")
        if unknown := [c for c in wanted if c not in schema.names]:
            raise UsageError(f"table {table} has no column {', '.join(map(repr, unknown))}", expected=", ".join(schema.names))
        return pa.schema([schema.field(c) for c in wanted])

    def _select(
        self, table: str, schema: pa.Schema, where: str | None, params: Params | None
    ) -> tuple[duckdb.DuckDBPyConnection, duckdb.DuckDBPyRelation]:
        from warehouse.duck import quote
        from warehouse.readonly import check_condition

        if where is not None:
            check_condition(arguments.text(where, "where", "a condition over the table's columns, or None"))
        names = ", ".join(quote(n) for n in schema.names)
        return self._run(f"SELECT {names} FROM {quote(table)}" + (f" WHERE ({where}\n)" if where is not None else ""), params)

    def _run(self, query: str, params: Params | None) -> tuple[duckdb.DuckDBPyConnection, duckdb.DuckDBPyRelation]:
        """A cursor of its own per call, so that threads do not meet in one result; the caller closes it."""
        from warehouse.readonly import connect_readonly, reading

        arguments.text(query, "query", "SQL")
        values = arguments.parameters(params)
        with self._turn:
            reader = self._open()
            if self._sql is None:
                self._sql = connect_readonly(reader.release)
            cursor = self._sql.cursor()
        try:
            return cursor, _guarded(lambda: cursor.sql(reading(cursor, query, self.id), params=values))
        except BaseException:
            cursor.close()
            raise


def _batches(
    reader: Reader, cursor: duckdb.DuckDBPyConnection, found: pa.RecordBatchReader, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """`reader` is held, and with it the release's lease, until the last batch: its files must stay."""
    import pyarrow as pa

    with closing(cursor):
        for batch in iter(lambda: _guarded(lambda: next(found, None)), None):
            yield from pa.Table.from_batches([batch]).cast(schema).combine_chunks().to_batches()


def _guarded(made: Callable[[], _Made]) -> _Made:
    """DuckDB's errors as ours; some come only when the rows are read."""
    import duckdb

    try:
        return made()
    except duckdb.Error as error:
        from warehouse.readonly import first_line

        raise UsageError(f"SQL: {first_line(error)}", expected="DuckDB SQL over the tables of the release") from error
