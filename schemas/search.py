"""What the stores index, what a search may filter by, and what it gives back.

Both stores (sparse and vector) hold the same documents, one per nugget and one per chunk, each with the same filter
fields, so that a filter means the same in both and reconciliation can compare them field by field.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

from schemas.fields import DAY, INSTANT, STRINGS
from schemas.time import Day

# Text fields are searched (BM25, weighted); filter fields are matched; `text_hash` and the filter fields are read back.
TEXT_FIELDS = ("title", "subject", "predicate", "object", "text")
INDEX_DOCS = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),  # nugget_id or chunk_id
        pa.field("store", pa.string(), nullable=False),  # nuggets | chunks
        pa.field("title", pa.string()),  # chunks: title and heading path
        pa.field("subject", pa.string()),  # nuggets: subject name and its aliases
        pa.field("predicate", pa.string()),  # nuggets: predicate and its wordings
        pa.field("object", pa.string()),
        pa.field("text", pa.string(), nullable=False),  # nuggets: text; chunks: header and text
        pa.field("text_hash", pa.string(), nullable=False),
        pa.field("rendition_hash", pa.string(), nullable=False),
        pa.field("acl", STRINGS, nullable=False),  # groups any of which may read; empty = nobody
        pa.field("label", pa.string(), nullable=False),
        pa.field("hidden_for", STRINGS, nullable=False),  # labels whose own verdict on the key replaces this public one
        pa.field("tenant", pa.string(), nullable=False),
        pa.field("key_id", pa.string(), nullable=False),  # '' for chunks
        pa.field("kind", pa.string(), nullable=False),  # fact | event | statement, or the chunk's kind
        pa.field("state", pa.string(), nullable=False),  # chunks: active
        pa.field("language", pa.string(), nullable=False),
        pa.field("start_min", DAY),
        pa.field("start_max", DAY),
        pa.field("end_min", DAY),
        pa.field("end_max", DAY),
        pa.field("recorded_from", INSTANT),
        pa.field("recorded_to", INSTANT),
    ]
)

VIEWS = {"active": ("active",), "full": ("active", "contested"), "all": ("active", "contested", "deprecated")}


@dataclass(frozen=True)
class SearchFilter:
    """Applied before ranking, in every store alike.

    `groups` are the reader's groups (`public` is always among them): a document is readable if its acl meets them, and
    not shown if `hidden_for` holds a label that meets them. Days: `at` asks possibly-on (certainly-on with `certain`);
    `first`..`until` (half open) asks as `--between`: the possible range meets it, or with `certain` the certain range
    contains it. A null bound is uninformative. `known_at` (seconds): recorded_from <= known_at < recorded_to, null
    recorded bounds being open. An empty tuple of states, kinds or languages filters nothing.
    """

    groups: tuple[str, ...] = ("public",)
    tenant: str = "default"
    states: tuple[str, ...] = ("active",)
    at: Day | None = None
    first: Day | None = None
    until: Day | None = None
    certain: bool = False
    known_at: int | None = None
    kinds: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hit:
    """One candidate of one leg. `rank` from 1; `leg` names store and method, e.g. `nuggets:bm25`."""

    id: str
    store: str
    leg: str
    rank: int
    score: float
    extra: dict = field(default_factory=dict)
