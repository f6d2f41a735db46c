"""What became of ids between two releases: which went, and what stands at the same place now."""

from __future__ import annotations

import pyarrow as pa

from schemas.tables import TABLES
from warehouse.duck import connect
from warehouse.layout import Warehouse
from warehouse.objects import put_table
from warehouse.shuffle import split_by_shard
from warehouse.tableset import TableSet

# old id -> the nearest new id of the same place, by the given columns; only ids that went are listed
_QUERIES = {
    "chunk": """
        WITH gone AS (SELECT * FROM old_chunks WHERE chunk_id NOT IN (SELECT chunk_id FROM new_chunks)),
        fresh AS (SELECT * FROM new_chunks WHERE chunk_id NOT IN (SELECT chunk_id FROM old_chunks)),
        pairs AS (SELECT g.chunk_id AS old_id, f.chunk_id AS new_id, row_number() OVER (PARTITION BY g.chunk_id
            ORDER BY (g.heading_path <> f.heading_path), (g.kind <> f.kind), abs(g.ordinal - f.ordinal), f.chunk_id) AS n
            FROM gone g LEFT JOIN fresh f ON f.document_id = g.document_id)
        SELECT old_id, new_id FROM pairs WHERE n = 1""",
    "nugget": """
        WITH gone AS (SELECT * FROM old_nuggets WHERE nugget_id NOT IN (SELECT nugget_id FROM new_nuggets)),
        pairs AS (SELECT g.nugget_id AS old_id, f.nugget_id AS new_id, row_number() OVER (PARTITION BY g.nugget_id
            ORDER BY (g.object_id <> f.object_id), abs(coalesce(g.start_min, g.start_max) - coalesce(f.start_min, f.start_max)) NULLS LAST,
            f.nugget_id) AS n
            FROM gone g LEFT JOIN new_nuggets f ON f.key_id = g.key_id AND f.label = g.label AND f.object_id = g.object_id)
        SELECT old_id, new_id FROM pairs WHERE n = 1""",
    "document": "SELECT document_id AS old_id, NULL AS new_id FROM old_documents "
                "WHERE document_id NOT IN (SELECT document_id FROM new_documents)",
}
_COLUMNS = {
    "chunks": ["chunk_id", "document_id", "heading_path", "kind", "ordinal"],
    "nuggets": ["nugget_id", "key_id", "label", "object_id", "start_min", "start_max"],
    "documents": ["document_id"],
}


def lineage(wh: Warehouse, old: TableSet, new: TableSet, release: str) -> dict:
    """Stores the `lineage` rows from `old` to `new`; gives them as the release file's entry."""
    con = connect(threads=1)
    for table, columns in _COLUMNS.items():
        con.register(f"old_{table}", old.read(wh, table, columns))
        con.register(f"new_{table}", new.read(wh, table, columns))
    parts = []
    for kind, query in _QUERIES.items():
        found = con.sql(query).to_arrow_table()
        found = found.append_column("lineage_kind", pa.array([kind] * found.num_rows, pa.string()))
        found = found.append_column("release", pa.array([release] * found.num_rows, pa.string()))
        parts.append(TABLES["lineage"].conform(found))
    con.close()
    table = TABLES["lineage"].conform(pa.concat_tables(parts))
    shards = split_by_shard(table, "old_id", wh.shards)
    return {"lineage": [[put_table(wh, "lineage", part).to_json()] for part in shards]}
