"""Which units (documents, keys) of a shard changed: one hash per unit over all the rows it reads.

The hash is a multiset hash in DuckDB: md5 of the sorted md5s of the rows. Big columns that another column already
hashes are left out, and so are the stretches of texts, since `raw` tells the hash of each text. Of `raw` equal rows count
once: a revision that a later dump tells again changes nothing.
"""

from __future__ import annotations

import pyarrow as pa

from schemas.stage import Step
from schemas.tables import TABLES
from warehouse.duck import connect, quote

# column -> the column of the same table that stands for it
HASHED_BY = {
    ("raw", "raw"): "content_hash", ("raw", "stretches"): "content_hash",
    ("texts", "canonical_text"): "text_object",
}
STANDS_FOR = {"stretches": "raw"}  # where a step reads the second too; a text that is lost is tried again by its reason
SETS = frozenset({"raw"})

UNITS = pa.schema([pa.field("unit", pa.string(), nullable=False), pa.field("hash", pa.string(), nullable=False)])


def unit_hashes(step: Step, tables: dict[str, pa.Table], shared: str) -> pa.Table:
    """(unit, hash) sorted by unit, for the step's sharded inputs. `shared` hashes what every unit reads."""
    if step.by is None:
        raise ValueError(f"{step.name} runs once for the corpus: it has no units")
    con = connect(threads=1)
    parts = []
    read_too = {read.table for read in step.reads}
    for n, read in enumerate(step.reads):
        if read.mode == "whole" or STANDS_FOR.get(read.table) in read_too:
            continue
        table = tables[read.table]
        names = [c for c in table.column_names if (read.table, c) not in HASHED_BY]
        con.register(f"t{n}", table.select(names))
        cols = ", ".join(quote(c) for c in names)
        distinct = "DISTINCT " if read.table in SETS else ""
        parts.append(
            f"SELECT {distinct}{quote(step.by)} AS unit, md5({n}::VARCHAR || CAST(row({cols}) AS VARCHAR)) AS h FROM t{n}"
        )
    if not parts:
        return UNITS.empty_table()
    query = (
        "SELECT unit, md5(string_agg(h, '' ORDER BY h) || $shared) AS hash FROM ("
        + " UNION ALL ".join(parts)
        + ") GROUP BY unit ORDER BY unit"
    )
    out = con.sql(query, params={"shared": shared}).to_arrow_table()
    con.close()
    return out.cast(UNITS)


def unit_column(table: str, step: Step) -> str:
    """The column of an output table that carries the step's unit; raises where there is none."""
    if step.by in TABLES[table].fields:
        return step.by
    raise ValueError(f"{step.name} is incremental by {step.by}, but {table} has no such column")
