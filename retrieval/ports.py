"""What retrieval asks of the rest of the house: two stores and the rows of one release, as small protocols.

Nothing here knows where a release lies. The stores filter *before* they rank; the reader has already applied denials
(a revoked document, its chunks and claims, and every nugget that rests on them, do not come back).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from schemas.search import SearchFilter
from schemas.time import Day

STORES = ("nuggets", "chunks")


class SparseStore(Protocol):
    """BM25 over one store (`nuggets` or `chunks`)."""

    def search(self, query_text: str, filter: SearchFilter, k: int) -> list[tuple[str, float]]:
        """At most k (id, score), best first, of documents that pass the filter. Any text is legal."""
        ...


class DenseStore(Protocol):
    """Nearest vectors of one store."""

    def search(self, query_vector: np.ndarray, filter: SearchFilter, k: int) -> list[tuple[str, float]]:
        """At most k (id, cosine), best first, of documents that pass the filter. The vector has unit length."""
        ...


class ReleaseReader(Protocol):
    """One release, opened for reading."""

    @property
    def release_id(self) -> str: ...

    @property
    def as_of(self) -> Day | None:
        """The day of the newest source instant; None where no source says when it was written."""
        ...

    @property
    def config(self) -> dict[str, Any]:
        """The release's resolved config: {section: plain data}."""
        ...

    def sparse(self, store: str) -> SparseStore: ...

    def dense(self, store: str) -> DenseStore | None:
        """None in a release without vectors."""
        ...

    def encode(self, text: str) -> np.ndarray | None:
        """The query's unit vector, or None in a release without vectors."""
        ...

    def rows(self, table: str, column: str, values: list[str]) -> pa.Table:
        """Rows of a table whose id column holds one of the values, in any order; no row for an unknown id.

        Asked for: nuggets by nugget_id and key_id, chunks by chunk_id, claims by claim_id, mentions by mention_id,
        documents by document_id. Where `nuggets` carries no `hidden_for` column (as in `schemas.search.INDEX_DOCS`),
        `retrieval.gate` derives it as the stage `index` does: the labels of the key's nuggets that are not public.
        """
        ...


@dataclass
class Candidate:
    """One nugget or chunk on its way through the funnel.

    `legs` holds the rank (from 1) in every leg that found it, `fused` its reciprocal rank fusion score, `row` its
    plain row (days as ints). `match` says how it meets the question (see `retrieval.match`), `score` is what the final
    order goes by. `merged` are duplicates folded into it; `rivals` are rows of the nuggets that contradict it.
    """

    id: str
    store: str
    legs: dict[str, int] = field(default_factory=dict)
    fused: float = 0.0
    row: dict[str, Any] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    cosine: float = 0.0
    match: Any = None
    score: float = 0.0
    merged: list[Candidate] = field(default_factory=list)
    rivals: list[dict] = field(default_factory=list)
    group: str = ""
    outcome: str = ""

    @property
    def from_store(self) -> bool:
        """A store gave it, so it has passed the filter there; else a supplement named it."""
        return any(":supplement" not in leg for leg in self.legs)

    @property
    def is_fact(self) -> bool:
        return self.store == "nuggets" and self.row.get("kind") != "statement"


@dataclass
class Context:
    """What a hook is told about the query. `siblings` gives the readable rows of keys, whatever their view or time."""

    question: Any
    filter: SearchFilter
    time: Any
    reader: ReleaseReader
    gate: Any
    as_of: Day | None = None
    k: int = 10
    notes: list[str] = field(default_factory=list)

    def siblings(self, keys: Sequence[str]) -> list[dict]:
        return self.gate.siblings(keys)
