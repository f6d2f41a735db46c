"""Moves rows from shards of one column to shards of another, deterministically, and remembers having done so."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.ids import make_id, shard_of
from schemas.stage import Read
from schemas.tables import TABLES
from warehouse.duck import connect, quote
from warehouse.keep import hold
from warehouse.layout import Warehouse
from warehouse.objects import ObjectRef, get_tables, object_path, put_raw_table
from warehouse.tableset import Shards, TableSet


def shard_numbers(units: pa.ChunkedArray, shards: int) -> np.ndarray:
    """`schemas.ids.shard_of` for a whole column: int32 per row."""
    text = units.to_pylist()
    table = {t: shard_of(t, shards) for t in set(text)}
    return np.fromiter((table[t] for t in text), np.int32, len(text))


def split_by_shard(table: pa.Table, unit: str, shards: int) -> list[pa.Table]:
    """One table per shard of the unit column; row order is kept."""
    if shards == 1 or not table.num_rows:
        return [table] + [table.slice(0, 0)] * (shards - 1)
    numbers = shard_numbers(table[unit], shards)
    return [table.filter(pa.array(numbers == i)) for i in range(shards)]


def shuffled(wh: Warehouse, tables: TableSet, read: Read, by: str) -> Shards:
    """Objects per shard of `by`. With `columns`, rows are projected and made distinct first."""
    refs = tables.all_refs(read.table)
    columns = list(read.columns) if read.columns else list(TABLES[read.table].fields)
    key = make_id("shuffle", read.table, by, columns if read.columns else None, tables.shards, [r.hash for r in refs if r.rows])
    memo = wh.path("shards", "shuffle", key + ".json")
    if memo.exists():
        found = json.loads(memo.read_text())
        held = [[ObjectRef.from_json(r) for r in shard] for shard in found["shards"]] if isinstance(found, dict) else []
        if held and hold(wh, [memo, *(object_path(wh, r.hash) for shard in held for r in shard)]):
            return held
    table = get_tables(wh, read.table, refs, columns)
    if read.columns:
        order = columns
        con = connect()
        con.register("t", table)
        names = ", ".join(quote(c) for c in order)
        table = con.sql(f"SELECT DISTINCT {names} FROM t ORDER BY {names}").to_arrow_table().cast(table.schema)
        con.close()
    else:
        order = [by, *TABLES[read.table].order]
        table = table.take(pc.sort_indices(table, sort_keys=[(n, "ascending") for n in dict.fromkeys(order)]))
    out = [[put_raw_table(wh, part.combine_chunks())] for part in split_by_shard(table, by, tables.shards)]
    wh.write(memo, json.dumps({
        "from": sorted({r.hash for r in refs}), "shards": [[r.to_json() for r in shard] for shard in out],
    }).encode())
    return out
