"""SQL from outside: it reads one release, and changes nothing.

Three things hold together, all of them DuckDB's own. Its parser says what a text is, down to every part: only one
statement that reads is let through, made of queries alone. Its locks bind the connection: no file but the warehouse's
objects, no network, no extension, no setting. And a connection is in memory and has a name for nothing but its views.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import duckdb

from schemas.errors import UsageError
from warehouse.duck import literal
from warehouse.releases import Release

READS = "one statement that reads: SELECT, WITH, VALUES, FROM, DESCRIBE, SUMMARIZE, SHOW or EXPLAIN"
_QUERIES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
_TABLE_FUNCTIONS = frozenset({  # those that make rows of their arguments, or tell of the connection
    "unnest", "range", "generate_series", "repeat", "repeat_row", "json_each", "json_tree", "query_table", "histogram", "histogram_values",
    "duckdb_columns", "duckdb_functions", "duckdb_keywords", "duckdb_settings", "duckdb_tables", "duckdb_types", "duckdb_views",
    "pragma_table_info", "pragma_version", "pg_timezone_names", "icu_calendar_names",
})
_CHANGING = frozenset({"write_log", "setval", "nextval"})


def connect_readonly(release: Release, *, threads: int = 2, memory_limit_mb: int = 2048) -> duckdb.DuckDBPyConnection:
    """A view per table of the release, those between stages too; locked. Instants are in UTC on every machine."""
    con = release.connect(threads=threads, memory_limit_mb=memory_limit_mb, internal=True)
    try:
        con.execute("SET GLOBAL TimeZone = 'UTC'")
        con.execute(f"SET allowed_directories = [{literal(str(release.wh.path('objects')))}]")
        con.execute("SET enable_external_access = false")
        con.execute("SET lock_configuration = true")
    except BaseException:
        con.close()
        raise
    return con


def reading(con: duckdb.DuckDBPyConnection, query: str, release: str) -> duckdb.Statement:
    """The one statement of a text, if it reads and does nothing else; to be run on `con`, made by `connect_readonly`.

    `release` is the id that a message names. UsageError on anything else; duckdb.Error where it is no SQL.
    """
    _check_text(query, "SQL")
    found = _parsed(con, query)
    if not found:
        raise UsageError("SQL: no statement", expected=READS, fix='for example "SELECT state, count(*) FROM nuggets GROUP BY state"')
    if len(found) > 1:
        raise _refused(f"{len(found)} statements", release, "give them one by one, or ")
    [(kind, statement)] = found
    if kind == "EXPLAIN":  # what it explains begins at a word after it; EXPLAIN ANALYZE runs it
        query, kind = _explained(con, query)
        if kind != "SELECT":
            raise _refused(f"EXPLAIN of a {kind} statement", release)
    elif kind == "MULTI":
        raise _refused("a PIVOT that first asks for its columns", release, "name them, as in PIVOT … ON state IN ('active', 'contested'), or ")
    elif kind != "SELECT":
        raise _refused(f"a {kind} statement", release)
    if problem := _beyond_reading(con, query):
        raise _refused(problem, release)
    return statement


def check_condition(where: str) -> None:
    """UsageError unless the text is one expression, which cannot leave the brackets that it is put into."""
    _check_text(where, "where")
    try:
        duckdb.SQLExpression(where)
    except duckdb.Error as error:
        raise UsageError(f"where {where!r}: {first_line(error)}", expected="one condition over the table's columns") from None


def first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _parsed(con: duckdb.DuckDBPyConnection, query: str) -> list[tuple[str, duckdb.Statement]]:
    """Each statement of a text with its kind."""
    out = []
    for statement in con.extract_statements(query):
        try:
            kind = statement.type.name
        except ValueError:  # a kind that DuckDB's Python has no name for
            kind = "non-SELECT"
        out.append((kind, statement))
    return out


def _explained(con: duckdb.DuckDBPyConnection, query: str) -> tuple[str, str]:
    """What an EXPLAIN is about, and its kind: the longest rest of the text that is a statement."""
    raw = query.encode()
    for offset, _ in duckdb.tokenize(query)[1:]:
        rest = raw[offset:].decode(errors="replace")
        try:
            [(kind, _)] = _parsed(con, rest)
        except (duckdb.Error, ValueError):
            continue
        return rest, kind
    return query, "non-SELECT"


def _beyond_reading(con: duckdb.DuckDBPyConnection, query: str) -> str:
    """What a SELECT holds that does more than read: a COPY or INSERT among its CTEs, a function that writes, opens a file
    or runs a text. '' where there is none."""
    with closing(con.cursor()) as cursor:
        text = cursor.execute("SELECT json_serialize_sql($query)", {"query": query}).fetchall()[0][0]
    try:
        tree = json.loads(text)
    except RecursionError:
        raise UsageError("SQL: expressions nested too deeply", expected="a statement of fewer levels") from None
    if tree["error"]:
        return f"a statement that DuckDB cannot take apart ({tree.get('error_message', '')})"
    for part in _parts(tree["statements"]):
        kind = part.get("type")
        if isinstance(kind, str) and kind.endswith("_NODE") and kind not in _QUERIES:
            return f"{kind.removesuffix('_NODE').removesuffix('_QUERY')} in a WITH"
        for inner in ("node", "query_node"):
            if isinstance(part.get(inner), dict) and part[inner].get("type") not in _QUERIES:
                return f"{str(part[inner].get('type')).removesuffix('_NODE').removesuffix('_QUERY')} in a WITH"
        name = part.get("function_name")
        if isinstance(name, str) and name.lower() in _CHANGING:
            return f"the function {name}"
        if kind == "TABLE_FUNCTION":
            name = str((part.get("function") or {}).get("function_name", "")).lower()
            if name not in _TABLE_FUNCTIONS:
                return f"the table function {name or '(unnamed)'}"
    return ""


def _parts(tree: Any) -> Iterator[dict[str, Any]]:
    """Every object of a JSON value, outermost first."""
    left = [tree]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            yield part
            left += part.values()
        elif isinstance(part, list):
            left += part


def _check_text(text: str, what: str) -> None:
    if "\0" in text or any("\ud800" <= c <= "\udfff" for c in text):
        raise UsageError(f"{what}: a character that is no text (a zero byte, or half of a pair)", expected="Unicode text")


def _refused(found: str, release: str, hint: str = "") -> UsageError:
    return UsageError(
        f"SQL: {found}", expected=READS,
        fix=f"{hint}keep a result with `lode sql --json … > file` or `release.pandas`; for anything else run DuckDB on releases/{release}.views.sql",
    )
