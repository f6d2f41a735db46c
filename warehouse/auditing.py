"""Runs the SQL audits of `schemas.audits` over a set of tables."""

from __future__ import annotations

import duckdb

from schemas.audits import AUDITS, Audit
from warehouse.duck import connect
from warehouse.layout import Warehouse
from warehouse.releases import view_statements
from warehouse.tableset import TableSet

EXAMPLES = 20


def run_audits(con: duckdb.DuckDBPyConnection, audits: list[Audit] | None = None) -> list[dict]:
    """Per audit: name, rows found, examples. `con` has the views of a release, internal tables included."""
    out = []
    for audit in audits if audits is not None else AUDITS:
        rows = con.execute(f"SELECT id, problem, count(*) OVER () AS n FROM ({audit.sql}) ORDER BY id, problem LIMIT {EXAMPLES}").fetchall()
        out.append({
            "audit": audit.name, "description": audit.description, "blocking": audit.blocking,
            "bad_rows": rows[0][2] if rows else 0, "examples": [{"id": r[0], "problem": r[1]} for r in rows],
        })
    return out


def audit_tables(wh: Warehouse, tables: TableSet, memory_limit_mb: int = 2048) -> list[dict]:
    con = connect(threads=2, memory_limit_mb=memory_limit_mb)
    for statement in view_statements(wh, tables, internal=True):
        con.execute(statement)
    try:
        return run_audits(con)
    finally:
        con.close()
