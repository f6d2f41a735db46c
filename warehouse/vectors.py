"""The vector store: exact nearest neighbours over a memory-mapped float16 matrix, filtered before ranking.

A vector is stored once per distinct rendition; documents point to rows. A filter is a numpy mask over the documents, so
a document that it excludes is never scored. Scores are inner products of unit vectors (cosines), computed in float32
over fixed blocks of the matrix; equal scores stand in the order of the ids.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from schemas.errors import LodeError
from schemas.fields import INSTANT
from schemas.search import INDEX_DOCS, SearchFilter, hidden_groups
from warehouse.manifest import check_manifest, read_manifest, write_manifest

__all__ = ["VectorStore", "build_vectors", "check_manifest"]

MATRIX_FILE, DOCS_FILE = "vectors.npy", "docs.parquet"
READ_BACK_COLUMNS = (
    "id",
    "text_hash",
    "rendition_hash",
    "label",
    "state",
    "start_min",
    "start_max",
    "end_min",
    "end_max",
    "language",
    "kind",
    "tenant",
)
_KEPT = (*READ_BACK_COLUMNS, "store", "acl", "hidden_for", "recorded_from", "recorded_to")
_BLOCK_ROWS = 16_384
KEEP_FLOAT32_BYTES = 400_000_000  # about 260,000 vectors; larger matrices are converted block by block at each search
_LOW, _HIGH = np.iinfo(np.int64).min, np.iinfo(np.int64).max
_MASKS_KEPT = 64


def build_vectors(docs: pa.Table, vectors: pa.Table, manifest: dict, folder: Path) -> None:
    """Writes a fresh store of an INDEX_DOCS table; `vectors` (rendition_hash, vector) may hold more renditions than
    needed.

    Raises LodeError where a document's rendition has no vector, or a vector has another dimension than the manifest's.
    """
    docs = docs.select(INDEX_DOCS.names).cast(INDEX_DOCS).sort_by("id")
    if pc.count_distinct(docs["id"]).as_py() != docs.num_rows:
        raise LodeError("an id occurs twice among the documents to index", expected="each id once")
    dimension = manifest["embedding"].get("dimension", 0)
    wanted = pc.unique(docs["rendition_hash"]).sort()
    vectors = vectors.select(["rendition_hash", "vector"]).combine_chunks()
    places = pc.index_in(wanted, value_set=vectors["rendition_hash"].combine_chunks())
    if places.null_count:
        raise LodeError(
            f"{places.null_count} rendition(s) have no vector, one is {wanted.filter(pc.is_null(places))[0].as_py()}",
            expected="a vector for each document's rendition",
            fix="lode rerun embed",
        )
    chosen = vectors["vector"].combine_chunks().take(places)
    matrix = chosen.flatten().to_numpy(zero_copy_only=False).astype(np.float16, copy=False)
    lengths = pc.unique(pc.list_value_length(chosen)).to_pylist()
    if len(wanted) and lengths != [dimension]:
        raise LodeError(
            f"vectors of {lengths} numbers", expected=f"{dimension}, as the manifest says", fix="lode rerun embed"
        )
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / MATRIX_FILE, matrix.reshape(len(wanted), dimension), allow_pickle=False)
    rows = pc.index_in(docs["rendition_hash"], value_set=wanted).combine_chunks()
    table = docs.select(list(_KEPT)).append_column("row", rows.cast(pa.int32()))
    pq.write_table(table, folder / DOCS_FILE, compression="zstd")
    write_manifest(folder, manifest)


class VectorStore:
    """An open store. `open` it, `search` it, `close` it (or use it as a context manager)."""

    def __init__(self, folder: Path, manifest: dict) -> None:
        self.folder, self.manifest = folder, manifest
        try:
            self._docs = pq.read_table(folder / DOCS_FILE)
            self._matrix = np.load(folder / MATRIX_FILE, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, pa.ArrowInvalid) as error:
            raise LodeError(f"the vector index in {folder} does not open: {error}", fix="lode rerun index") from error
        self._float32: np.ndarray | None = None
        self.count = self._docs.num_rows
        self._ids = self._docs["id"].to_numpy()
        self._row = self._docs["row"].to_numpy()
        if self.count and (self._row.min() < 0 or self._row.max() >= len(self._matrix)):
            raise LodeError(f"the vector index in {folder} points outside its matrix", fix="lode rerun index")
        self._masks: dict[tuple, np.ndarray] = {}
        self._columns: dict[str, Any] = {}

    @classmethod
    def open(cls, folder: Path, expected: dict | None = None) -> VectorStore:
        """Opens a store. With `expected`, a manifest that differs from it is refused (LodeError)."""
        manifest = read_manifest(Path(folder))
        if expected is not None:
            check_manifest(manifest, expected)
        return cls(Path(folder), manifest)

    def close(self) -> None:
        self._matrix, self._float32 = np.zeros((0, 0), np.float16), None  # lets go of the memory map

    def __enter__(self) -> VectorStore:
        return self

    def __exit__(self, *exception) -> None:
        self.close()

    # --- search

    def search(self, query_vector: np.ndarray, filter: SearchFilter, k: int) -> list[tuple[str, float]]:
        """The k nearest (id, cosine) of the documents that pass the filter, nearest first. The query has unit
        length."""
        query = np.asarray(query_vector, np.float32).reshape(-1)
        passing = np.flatnonzero(self.mask(filter))
        if k <= 0 or not len(passing):
            return []
        if len(query) != self._matrix.shape[1]:
            raise LodeError(
                f"a query vector of {len(query)} numbers", expected=f"{self._matrix.shape[1]}, as the index holds"
            )
        scores = self._scores(query, self._row[passing])
        if k < len(passing):  # all that reach the k-th best score, so that ties are settled by id
            least = np.partition(scores, len(scores) - k)[len(scores) - k]
            kept = scores >= least
            passing, scores = passing[kept], scores[kept]
        order = np.lexsort((passing, -scores))[:k]  # documents lie in the order of their ids
        return [(str(self._ids[passing[i]]), float(scores[i])) for i in order]

    def _scores(self, query: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Inner products of these rows, each computed once however many documents share it.

        A row's product must not depend on which other rows are scored with it, so it is a sum along the row (`einsum`
        without BLAS), not a matrix product whose blocking varies with the number of rows.
        """
        needed = np.zeros(len(self._matrix), bool)
        needed[rows] = True
        whole = self._whole(int(np.count_nonzero(needed)))
        out = np.zeros(len(self._matrix), np.float32)
        for first in range(0, len(self._matrix), _BLOCK_ROWS):
            last = min(first + _BLOCK_ROWS, len(self._matrix))
            here = np.flatnonzero(needed[first:last])
            if (2 if whole is None else 8) * len(here) > last - first:  # cheaper to score all than to gather
                block = self._matrix[first:last].astype(np.float32) if whole is None else whole[first:last]
                out[first:last] = np.einsum("ij,j->i", block, query)
            elif len(here):
                here += first
                block = self._matrix[here].astype(np.float32) if whole is None else whole[here]
                out[here] = np.einsum("ij,j->i", block, query)
        return out[rows]

    def _whole(self, needed: int) -> np.ndarray | None:
        """The matrix in float32, made at the first search that needs half of it and kept where it is small enough."""
        if self._float32 is None and 2 * needed > len(self._matrix) and 2 * self._matrix.nbytes <= KEEP_FLOAT32_BYTES:
            self._float32 = self._matrix.astype(np.float32)
        return self._float32

    # --- filters

    def mask(self, filter: SearchFilter) -> np.ndarray:
        """Which documents pass, in the order of the ids; the meaning is `schemas.search.matches`."""
        fixed = (filter.groups, filter.tenant, filter.states, filter.kinds, filter.languages)
        if fixed not in self._masks:
            if len(self._masks) >= _MASKS_KEPT:
                self._masks.clear()
            self._masks[fixed] = self._fixed_mask(filter)
        return self._masks[fixed] & self._time_mask(filter)

    def _fixed_mask(self, filter: SearchFilter) -> np.ndarray:
        groups = set(filter.groups)
        out = self._lists_pass("acl", lambda acl: bool(groups & set(acl or ())))
        out &= ~self._lists_pass("hidden_for", lambda labels: bool(groups & hidden_groups(labels)))
        out &= self._is_in("tenant", (filter.tenant,))
        for name, wanted in (("state", filter.states), ("kind", filter.kinds), ("language", filter.languages)):
            if wanted:
                out &= self._is_in(name, wanted)
        return out

    def _is_in(self, name: str, wanted: tuple[str, ...]) -> np.ndarray:
        return pc.is_in(self._docs[name], value_set=pa.array(sorted(set(wanted)), pa.string())).to_numpy()

    def _lists_pass(self, name: str, test) -> np.ndarray:
        """A test of list values, run once per distinct list."""
        known: dict[tuple, bool] = {}
        out = np.zeros(self.count, bool)
        for i, value in enumerate(self._lists(name)):
            if value not in known:
                known[value] = test(list(value))
            out[i] = known[value]
        return out

    def _lists(self, name: str) -> list[tuple]:
        if name not in self._columns:
            self._columns[name] = [tuple(v or ()) for v in self._docs[name].to_pylist()]
        return self._columns[name]

    def _bound(self, name: str, null: int) -> np.ndarray:
        """Days or seconds as int64, nulls at the uninformative end."""
        if name not in self._columns:
            column = self._docs[name]  # Parquet has no seconds: instants come back in milliseconds
            whole = column.cast(pa.int32()) if pa.types.is_date32(column.type) else column.cast(INSTANT)
            self._columns[name] = whole.cast(pa.int64()).fill_null(null).to_numpy()
        return self._columns[name]

    def _time_mask(self, filter: SearchFilter) -> np.ndarray:
        out = np.ones(self.count, bool)
        if filter.known_at is not None:
            out &= (self._bound("recorded_from", _LOW) <= filter.known_at) & (
                filter.known_at < self._bound("recorded_to", _HIGH)
            )
        if filter.at is not None:
            out &= (
                self._certain(filter.at, filter.at + 1) if filter.certain else self._possible(filter.at, filter.at + 1)
            )
        first, until = filter.first, filter.until
        if first is None and until is None:
            return out
        if first is not None and until is not None and first >= until:
            return np.zeros(self.count, bool)
        if filter.certain:
            return np.zeros(self.count, bool) if first is None or until is None else out & self._certain(first, until)
        return out & self._possible(_LOW if first is None else first, _HIGH if until is None else until)

    def _possible(self, first: int, until: int) -> np.ndarray:
        """The possible range holds a day, and one of [first, until)."""
        start, end = self._bound("start_min", _LOW), self._bound("end_max", _HIGH)
        return (start < end) & (start < until) & (first < end)

    def _certain(self, first: int, until: int) -> np.ndarray:
        """The certain range contains [first, until); an unknown inner bound never does."""
        return (self._bound("start_max", _HIGH) <= first) & (until <= self._bound("end_min", _LOW))

    # --- read back

    def read_back(self) -> pa.Table:
        """Every document's id, text_hash, rendition_hash, label, state, four days, language, kind and tenant, by id."""
        return self._docs.select(list(READ_BACK_COLUMNS)).combine_chunks()
