"""What changed since the parent release: ids that came, went and stayed, and the states that moved.

Guarantees: counts are anti joins on ids between the two releases' own tables; at most EXAMPLES rows of each kind of
change are listed, in a total order. A parent that is no longer stored is said to be, and nothing is guessed.
"""

from __future__ import annotations

import duckdb

from flows.report.base import BOUNDS, add_views, one, rows, with_valid
from schemas.errors import LodeError
from warehouse.layout import Warehouse
from warehouse.objects import object_path
from warehouse.releases import Release, open_release
from warehouse.tableset import TableSet

EXAMPLES = 20
PARENT = "parent_release"

_FACT = "n.subject, n.predicate, n.scope, n.label, n.object"
_DAYS = ", ".join(f"n.{b}" for b in BOUNDS)
# table -> id, the columns that say in what way a kept row changed, and what an example shows (over alias n)
_COMPARED: dict[str, tuple[str, tuple[str, ...], str]] = {
    "documents": ("document_id", ("version_id", "acl", "tenant"), "n.title, n.uri, n.source, n.status"),
    "chunks": ("chunk_id", ("rendition_hash", "acl", "tenant", "valid_from", "valid_to"),
               "n.title, array_to_string(n.heading_path, ' › ') AS place, left(n.text, 160) AS text"),
    "claims": ("claim_id", (*BOUNDS, "label", "recorded_from", "recorded_to"), f"{_FACT}, {_DAYS}"),
    "nuggets": ("nugget_id", ("state", "reason", "claim_ids", *BOUNDS), f"{_FACT}, n.state, n.reason, {_DAYS}"),
}


def changes(con: duckdb.DuckDBPyConnection, release: Release) -> dict:
    """{parent, stored, tables: [{table, added, removed, kept, changed, examples}], moves: […], replaced}."""
    parent = release.body.get("parent")
    if not parent:
        return {"parent": None, "stored": False, "tables": [], "moves": [], "move_examples": [], "replaced": 0}
    before = _stored(release.wh, parent)
    if before is None:
        return {"parent": parent, "stored": False, "tables": [], "moves": [], "move_examples": [], "replaced": 0}
    add_views(con, release.wh, before, PARENT)
    con.execute(f"CREATE TEMP VIEW moved AS SELECT n.*, o.state AS old_state FROM {PARENT}.nuggets o JOIN nuggets n ON n.nugget_id = o.nugget_id "
                "WHERE n.state <> o.state")
    moved = rows(con, f"""SELECT n.nugget_id, {_FACT}, n.old_state AS "from", n.state AS "to", n.reason, {_DAYS} FROM moved n
        ORDER BY n.subject, n.predicate, n.nugget_id LIMIT {EXAMPLES}""")
    return {
        "parent": parent, "stored": True,
        "tables": [_compare(con, table) for table in _COMPARED],
        "moves": rows(con, 'SELECT old_state AS "from", state AS "to", count(*) AS nuggets FROM moved GROUP BY ALL ORDER BY ALL'),
        "move_examples": [with_valid(r) for r in moved],
        "replaced": one(con, "SELECT count(*) FROM lineage WHERE lineage_kind = 'nugget' AND new_id IS NOT NULL"),
    }


def _stored(wh: Warehouse, parent: str) -> TableSet | None:
    """The parent's tables, or None where its file or one of its objects was collected."""
    try:
        tables = open_release(wh, parent).tables()
    except (LodeError, FileNotFoundError):
        return None
    wanted = {r.hash for t in (*_COMPARED, "lineage") for r in tables.all_refs(t)}
    return tables if all(object_path(wh, h).exists() for h in wanted) else None


def _compare(con: duckdb.DuckDBPyConnection, table: str) -> dict:
    key, compared, shown = _COMPARED[table]
    old = f"{PARENT}.{table}"
    differs = " OR ".join(f"n.{c} IS DISTINCT FROM o.{c}" for c in compared)
    parts = {
        "added": f"{table} n ANTI JOIN {old} o ON o.{key} = n.{key}",
        "removed": f"{old} n ANTI JOIN {table} o ON o.{key} = n.{key}",
        "changed": f"{table} n JOIN {old} o ON o.{key} = n.{key} WHERE {differs}",
    }
    counts = {name: one(con, f"SELECT count(*) FROM {part}") for name, part in parts.items()}
    examples = {}
    for name, part in parts.items():
        order = f"{shown.split(', ')[0]}, n.{key}"
        found = rows(con, f"SELECT n.{key} AS id, {shown} FROM {part} ORDER BY {order} LIMIT {EXAMPLES}")
        examples[name] = [with_valid(r) for r in found] if BOUNDS[0] in (found[0] if found else {}) else found
    if table == "nuggets" and examples["removed"]:
        found = rows(con, """SELECT old_id, min(new_id) AS new_id FROM lineage WHERE lineage_kind = 'nugget'
            AND list_contains($ids, old_id) GROUP BY old_id""", ids=[e["id"] for e in examples["removed"]])
        after = {r["old_id"]: r["new_id"] for r in found}
        for e in examples["removed"]:
            e["new_id"] = after.get(e["id"])
    kept = one(con, f"SELECT count(*) FROM {table} n SEMI JOIN {old} o ON o.{key} = n.{key}")
    return {"table": table, **counts, "kept": kept, "examples": examples}
