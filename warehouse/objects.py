"""Content-addressed objects: immutable Parquet and index files, named by the hash of their bytes.

Equal tables give equal bytes: rows in the total order of their schema, fixed writer settings, one thread.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import IntegrityError
from schemas.tables import TABLES
from warehouse import faults
from warehouse.keep import hold
from warehouse.layout import Warehouse, fsync_folder, new_file

ROW_GROUP_ROWS = 65_536


@dataclass(frozen=True)
class ObjectRef:
    """A stored object: hash of its bytes, rows (0 for plain files), size."""

    hash: str
    rows: int
    size_bytes: int

    def to_json(self) -> dict:
        return asdict(self)

    @staticmethod
    def from_json(data: dict) -> ObjectRef:
        return ObjectRef(data["hash"], data["rows"], data["size_bytes"])


def object_path(wh: Warehouse, digest: str, suffix: str = ".parquet") -> Path:
    return wh.path("objects", digest[:2], digest + suffix)


def parquet_bytes(table: pa.Table) -> bytes:
    """Deterministic Parquet: zstd, fixed row groups, no wall clock."""
    sink = io.BytesIO()
    pq.write_table(
        table, sink, compression="zstd", compression_level=3, row_group_size=ROW_GROUP_ROWS, version="2.6",
        data_page_version="2.0", use_dictionary=True, write_statistics=True, store_schema=True,
    )
    return sink.getvalue()


def put_table(wh: Warehouse, name: str, table: pa.Table) -> ObjectRef:
    """Conforms a table to its schema and order and stores it; storing it again is free."""
    return put_raw_table(wh, TABLES[name].conform(table))


def put_raw_table(wh: Warehouse, table: pa.Table) -> ObjectRef:
    """Stores a table that is in its final order already."""
    data = parquet_bytes(table)
    digest = hashlib.blake2b(data, digest_size=16).hexdigest()
    path = object_path(wh, digest)
    if not hold(wh, [path]):
        wh.write(path, data)
    return ObjectRef(digest, table.num_rows, len(data))


def get_table(wh: Warehouse, ref: ObjectRef, columns: Sequence[str] | None = None) -> pa.Table:
    """Reads an object. Raises IntegrityError where it is missing or not Parquet."""
    path = object_path(wh, ref.hash)
    try:
        return pq.read_table(path, columns=list(columns) if columns else None, use_threads=False, memory_map=True)
    except FileNotFoundError:
        raise IntegrityError(
            f"object {ref.hash} is missing", expected="every object of a release to be there",
            fix="run the build again: lost objects are made anew",
        ) from None
    except pa.ArrowInvalid as error:
        raise IntegrityError(f"object {ref.hash} is damaged: {error}", fix="delete it and run the build again") from None


def get_tables(wh: Warehouse, name: str, refs: Iterable[ObjectRef], columns: Sequence[str] | None = None) -> pa.Table:
    """Concatenates objects of one table; empty with the right schema where there are none."""
    schema, later = TABLES[name].schema(), TABLES[name].later
    if columns:
        schema = pa.schema([schema.field(c) for c in columns])
    parts = [get_table(wh, r, columns) for r in refs if r.rows]
    if later:
        parts = [_with_later(part, schema, later) for part in parts]
    # Parquet knows no whole seconds: instants come back in milliseconds and are cast to what the registry says.
    return pa.concat_tables([p if p.schema.equals(schema) else p.cast(schema) for p in parts]) if parts else schema.empty_table()


def _with_later(table: pa.Table, schema: pa.Schema, later: tuple[str, ...]) -> pa.Table:
    """Null columns for those that an earlier version did not write."""
    for at, column in enumerate(schema):
        if column.name in later and column.name not in table.column_names:
            table = table.add_column(at, column, pa.nulls(table.num_rows, column.type))
    return table


def put_file(wh: Warehouse, source: Path) -> ObjectRef:
    """Stores a plain file (of an index) by moving a copy in; gives its ref with rows = 0."""
    digest = hash_file(source)
    path = object_path(wh, digest, ".bin")
    size = source.stat().st_size
    if not hold(wh, [path]):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = new_file(wh.path("scratch"))
        with os.fdopen(handle, "wb") as out, open(source, "rb") as data:
            while piece := data.read(1 << 20):
                out.write(piece)
            out.flush()
            faults.point("file.before_fsync")
            os.fsync(out.fileno())
        faults.point("file.before_rename")
        os.replace(name, path)
        faults.point("file.after_rename")
        fsync_folder(path.parent)
    return ObjectRef(digest, 0, size)


def hash_file(path: Path) -> str:
    digest = hashlib.blake2b(digest_size=16)
    with open(path, "rb") as data:
        while piece := data.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def set_aside(wh: Warehouse, ref: ObjectRef, suffix: str = ".parquet") -> None:
    """Moves a damaged object out of the way, into scratch/: the next build makes it anew."""
    path = object_path(wh, ref.hash, suffix)
    if path.exists():
        os.replace(path, wh.path("scratch", f"damaged-{path.name}"))


def check_object(wh: Warehouse, ref: ObjectRef, suffix: str = ".parquet") -> str | None:
    """What is wrong with a stored object, or None: re-hashes its bytes."""
    path = object_path(wh, ref.hash, suffix)
    if not path.exists():
        return f"object {ref.hash} is missing"
    if hash_file(path) != ref.hash:
        return f"object {ref.hash} is damaged"
    return None
