"""One line for each kind of row: how a list names what it holds."""

from __future__ import annotations

from typing import Any

from retrieval.inspection.rows import iso_instant
from schemas.time import iso

CUT = 160

# kind -> (table, id column, columns read, total order)
LABELLED: dict[str, tuple[str, str, str, str]] = {
    "document": ("documents", "document_id", "document_id source title uri native_key label status", "document_id"),
    "version": ("versions", "version_id", "version_id document_id revision time status", "document_id time version_id"),
    "block": ("blocks", "block_id", "block_id document_id text", "document_id block_id"),
    "element": ("elements", "element_id", "element_id document_id kind ordinal text", "document_id ordinal element_id"),
    "chunk": ("chunks", "chunk_id", "chunk_id document_id kind ordinal title heading_path text", "document_id ordinal chunk_id"),
    "sentence": ("sentences", "sentence_id", "sentence_id document_id chunk_id sentence analysis", "document_id chunk_id sentence_start sentence_id"),
    "mention": ("mentions", "mention_id", "mention_id document_id subject predicate object extractor", "document_id mention_id"),
    "claim": ("claims", "claim_id", "claim_id document_id subject predicate scope object start_min start_max end_min end_max",
              "document_id claim_id"),
    "nugget": ("nuggets", "nugget_id", "nugget_id label subject predicate scope object state start_min start_max end_min end_max",
               "start_min NULLS FIRST, start_max NULLS FIRST, object, nugget_id"),
}


def cut(text: str, size: int = CUT) -> str:
    """A text on one line, at most `size` characters."""
    line = " ".join(text.split())
    return line if len(line) <= size else line[: size - 1] + "…"


def bound(low: int | None, high: int | None) -> str:
    """A day known to lie in [low, high]: '2012-01-01', '2012-01-01..2012-12-31', '≥ 2012-01-01', '?'."""
    if low == high:
        return iso(low) or "?"
    if low is None or high is None:
        return f"≥ {iso(low)}" if high is None else f"≤ {iso(high)}"
    return f"{iso(low)}..{iso(high)}"


def days(row: dict[str, Any]) -> str:
    """'start → end' of four days (ints); '' where nothing is known."""
    start, end = bound(row["start_min"], row["start_max"]), bound(row["end_min"], row["end_max"])
    return "" if start == end == "?" else f"{start} → {end}"


def triple(row: dict[str, Any]) -> str:
    """Subject — predicate (scope): object."""
    scope = f" ({row['scope']})" if row.get("scope") else ""
    return f"{row['subject']} — {row['predicate']}{scope}: {row['object']}"


def label(kind: str, row: dict[str, Any]) -> str:
    """The line for a row of `LABELLED[kind]`, as plain data."""
    if kind == "document":
        parts = [row["title"] or row["uri"] or row["native_key"], row["source"], row["label"] or "nobody"]
        parts += [] if row["status"] == "ok" else [row["status"]]
    elif kind == "version":
        parts = [f"revision {row['revision']}", iso_instant(row["time"]) or "", "" if row["status"] == "ok" else row["status"]]
    elif kind == "element":
        parts = [row["kind"], row["text"]]
    elif kind == "chunk":
        parts = [row["kind"], " > ".join([row["title"] or "", *row["heading_path"]]), row["text"]]
    elif kind == "sentence":
        parts = [row["sentence"], "" if row["analysis"] == "analysed" else row["analysis"]]
    elif kind == "mention":
        parts = [f"{row['subject']} — {row['predicate']}: {row['object']}", row["extractor"]]
    elif kind == "claim":
        parts = [triple(row), days(row)]
    elif kind == "nugget":
        parts = [triple(row), days(row), row["state"], "" if row["label"] == "public" else f"for {row['label']}"]
    else:
        parts = [row["text"]]
    return cut(" · ".join(p for p in parts if p))
