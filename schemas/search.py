"""What the stores index, what a search may filter by, and what it gives back.

Both stores (sparse and vector) hold the same documents, one per nugget and one per chunk, each with the same filter
fields, so that a filter means the same in both and reconciliation can compare them field by field.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

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
        pa.field("state", pa.string(), nullable=False),  # chunks: active, past
        pa.field("language", pa.string(), nullable=False),
        pa.field("start_min", DAY),
        pa.field("start_max", DAY),
        pa.field("end_min", DAY),
        pa.field("end_max", DAY),
        pa.field("recorded_from", INSTANT),
        pa.field("recorded_to", INSTANT),
    ]
)

PAST = "past"  # the state of a chunk that its document shows no longer: found only where a time is asked about
VIEWS = {"active": ("active",), "full": ("active", "contested"), "all": ("active", "contested", "deprecated")}


def chunk_window(chunks: pa.Table) -> dict[str, pa.ChunkedArray]:
    """`state`, `start_min` and `end_max` of chunks: their document's stated force, or for a passage of the past the days on
    which it was shown. `chunks` has valid_from, valid_to, shown_from, shown_to."""
    past = pc.or_(chunks["shown_from"].is_valid(), chunks["shown_to"].is_valid())
    return {
        "state": pc.if_else(past, PAST, "active"),
        "start_min": pc.if_else(past, _days(chunks["shown_from"], up=False), chunks["valid_from"]),
        "end_max": pc.if_else(past, _days(chunks["shown_to"], up=True), chunks["valid_to"]),
    }


def _days(instants: pa.ChunkedArray, up: bool) -> pa.ChunkedArray:
    """Days of instants; with `up` the first day that begins with it or after it."""
    seconds = pc.add(pc.cast(instants, pa.int64()), 86399 if up else 0)
    whole = pc.divide(seconds, 86400)  # cut towards zero
    days = pc.subtract(whole, pc.cast(pc.less(seconds, pc.multiply(whole, 86400)), pa.int64()))
    return pc.cast(pc.cast(days, pa.int32()), DAY)


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


def plain_docs(docs: pa.Table) -> list[dict]:
    """Rows of an INDEX_DOCS table as dicts with days and instants as ints (date32 as Python dates fails before year 1)."""
    for name, type_ in (("recorded_from", pa.int64()), ("recorded_to", pa.int64())):
        docs = docs.set_column(docs.schema.get_field_index(name), name, docs[name].cast(type_))
    for name in ("start_min", "start_max", "end_min", "end_max"):
        docs = docs.set_column(docs.schema.get_field_index(name), name, docs[name].cast(pa.int32()))
    return docs.to_pylist()  # type: ignore[no-any-return]


def hidden_groups(hidden_for: list[str] | None) -> set[str]:
    """The groups that a `hidden_for` list names: "board,legal" is the label of a document that either group may read."""
    return {group for label in hidden_for or () for group in label.split(",") if group}


def matches(doc: dict, filter: SearchFilter) -> bool:
    """Whether a document (a row of `plain_docs`) passes the filter: the meaning that both stores must have.

    A possible or recorded range that holds no day, and an empty window (`first >= until`), meet nothing.
    """
    groups = set(filter.groups)
    if not groups & set(doc["acl"] or ()) or groups & hidden_groups(doc["hidden_for"]):
        return False
    if doc["tenant"] != filter.tenant:
        return False
    for name, wanted in (("state", filter.states), ("kind", filter.kinds), ("language", filter.languages)):
        if wanted and doc[name] not in wanted:
            return False
    if filter.known_at is not None and not _holds(doc["recorded_from"], doc["recorded_to"], filter.known_at):
        return False
    if filter.at is not None:
        if filter.certain:
            if not _contains(doc["start_max"], doc["end_min"], filter.at, filter.at + 1):
                return False
        elif not _holds(doc["start_min"], doc["end_max"], filter.at):
            return False
    if filter.first is not None or filter.until is not None:
        first, until = filter.first, filter.until
        if first is not None and until is not None and first >= until:
            return False
        if filter.certain:
            return first is not None and until is not None and _contains(doc["start_max"], doc["end_min"], first, until)
        return _meets(doc["start_min"], doc["end_max"], first, until)
    return True


def _holds(start: int | None, end: int | None, moment: int) -> bool:
    return (start is None or start <= moment) and (end is None or moment < end)


def _contains(start: int | None, end: int | None, first: int, until: int) -> bool:
    return start is not None and end is not None and start <= first and until <= end


def _meets(start: int | None, end: int | None, first: int | None, until: int | None) -> bool:
    if start is not None and end is not None and start >= end:
        return False
    return (start is None or until is None or start < until) and (end is None or first is None or first < end)
