"""Elements to chunks: ids, renditions, neighbours, parents, and what was dropped.

A chunk's text is the join of its pieces by newlines, and each piece renders from its spans, so the text can be made anew
from the canonical text (`schemas.render.render_pieces`). Ids see kind, normalized text and occurrence alone.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from schemas.ids import chunk_id, content_hash, label_of, normalize_text
from schemas.stage import Tables
from schemas.tables import TABLES, quarantine_row
from tasks.chunk.cutting import count_tokens
from tasks.chunk.drafts import Draft, Drafts

GRANULARITY = "passage"

Row = dict[str, Any]


def config_version(config: Mapping[str, Any]) -> str:
    """Hash of the chunk profile (the section `chunk`)."""
    return content_hash(json.dumps(dict(config), sort_keys=True))


def run(config: Mapping[str, Any], tables: Tables) -> Tables:
    """`elements`, `documents`, `versions`, `texts`, `blocks`, `lifetimes` to `chunks` and `quarantine`; `config` holds `chunk`."""
    texts = {(r["document_id"], r["text_object"]): r["canonical_text"] for r in tables["texts"].to_pylist()}
    objects = dict(zip(tables["versions"]["version_id"].to_pylist(), tables["versions"]["text_object"].to_pylist(), strict=True))
    elements: dict[str, list[Row]] = {}
    for row in tables["elements"].to_pylist():
        elements.setdefault(row["document_id"], []).append(row)
    chunks: list[Row] = []
    notes: list[Row] = []
    shown = shown_times(tables["blocks"], tables["lifetimes"])
    for document in _plain_days(tables["documents"]).to_pylist():
        own = elements.pop(document["document_id"], [])
        past = [e for e in own if e["text_object"] is not None]
        own = [e for e in own if e["text_object"] is None]
        made: list[Row] = []
        seen: Counter = Counter()
        if own:
            text_object = objects.get(document["version_id"])
            source = texts.get((document["document_id"], text_object))
            if source is None:
                notes += [_no_text(document, element, "the head's canonical text") for element in own]
            else:
                made, dropped = chunk_document(document, own, source, text_object, config["chunk"], seen)
                notes += dropped
        if past:
            notes += _chunk_past(document, past, texts, shown, config["chunk"], made, seen)
        chunks += made
    for document, rows in sorted(elements.items()):
        notes.append(quarantine_row("chunk", document, "", "document_missing", f"{len(rows)} elements of a document that `documents` lacks"))
    return {"chunks": TABLES["chunks"].from_rows(chunks), "quarantine": TABLES["quarantine"].from_rows(notes)}


def _no_text(document: Row, element: Row, what: str) -> Row:
    """An element that cannot be made into a chunk: the others of its document can."""
    return quarantine_row("chunk", document["document_id"], element["element_id"], "dropped:text_missing",
                          f"{what} is not in `texts`: run `lode rerun parse`")


def _plain_days(documents: pa.Table) -> pa.Table:
    """Days and instants as integers: years outside 1..9999 have no Python date."""
    for name, kind in (("valid_from", pa.int32()), ("valid_to", pa.int32()), ("source_date", pa.int64()), ("fetched_at", pa.int64())):
        documents = documents.set_column(documents.column_names.index(name), name, documents[name].cast(kind))
    return documents


def chunk_document(
    document: Row, elements: list[Row], source: str, text_object: str | None, config: Mapping[str, Any], seen: Counter | None = None,
) -> tuple[list[Row], list[Row]]:
    """(`chunks` rows, `quarantine` rows) of one document's head, or of one block of its past; `config` is the section `chunk`.

    `seen` counts equal texts of the document and is raised.
    """
    seen = Counter() if seen is None else seen
    drafts = Drafts(elements, source, document["language"] or "und", config).make()
    title = document["title"] or ""
    version = config_version(config)
    rows: list[Row] = []
    for ordinal, draft in enumerate(drafts.drafts):
        row = _row(draft, title, ordinal)
        key = (row["kind"], normalize_text(row["text"]))
        row["chunk_id"] = chunk_id(document["document_id"], GRANULARITY, row["kind"], row["text"], seen[key])
        seen[key] += 1
        rows.append(row | {
            "document_id": document["document_id"], "version_id": document["version_id"], "text_object": text_object,
            "granularity": GRANULARITY, "title": title, "acl": document["acl"], "label": label_of(document["acl"]),
            "tenant": document["tenant"], "language": document["language"], "valid_from": document["valid_from"],
            "valid_to": document["valid_to"], "source_date": document["source_date"], "config_version": version,
            "shown_from": None, "shown_to": None,
        })
    _link(rows, drafts)
    notes = [
        quarantine_row("chunk", document["document_id"], element["element_id"], f"dropped:{reason}",
                       f"{element['kind']} at ordinal {element['ordinal']}: nothing to show", "info")
        for element, reason in drafts.dropped
    ]
    return rows, notes


Shown = dict[tuple[str, str], tuple[int | None, int | None, int | None]]


def shown_times(blocks: pa.Table, lifetimes: pa.Table) -> Shown:
    """(document, block) -> first second shown, last second shown, second of the first revision without it (null while it
    stands), over all runs of the blocks that read the same."""
    pairs = zip(blocks["document_id"].to_pylist(), blocks["block_id"].to_pylist(), blocks["same_as"].to_pylist(), strict=True)
    reading = {(d, b): (d, s) for d, b, s in pairs if s is not None}
    out: Shown = {}
    columns = (lifetimes[n].cast(pa.int64()).to_pylist() for n in ("from_time", "to_time", "gone_time"))
    for document, block, first, last, gone in zip(
        lifetimes["document_id"].to_pylist(), lifetimes["block_id"].to_pylist(), *columns, strict=True
    ):
        key = reading.get((document, block), (document, block))
        if key in out:
            a, b, c = out[key]
            first = min((t for t in (a, first) if t is not None), default=None)
            last = max((t for t in (b, last) if t is not None), default=None)
            gone = None if c is None or gone is None else max(c, gone)
        out[key] = (first, last, gone)
    return out


def _chunk_past(
    document: Row, elements: list[Row], texts: Mapping[tuple[str, str], str], shown: Shown, config: Mapping[str, Any],
    made: list[Row], seen: Counter,
) -> list[Row]:
    """Adds the chunks of blocks that no longer stand to `made`, each block by itself; gives what was dropped."""
    notes: list[Row] = []
    by_block: dict[str, list[Row]] = {}
    for element in sorted(elements, key=lambda e: (e["ordinal"], e["element_id"])):
        by_block.setdefault(element["block_id"], []).append(element)
    for block, own in by_block.items():
        first, last, gone = shown.get((document["document_id"], block), (None, None, None))
        since = first or 0  # a dump without times: shown at no time that can be asked about
        until = gone if gone is not None else last if last is not None else since
        text_object = own[0]["text_object"]
        source = texts.get((document["document_id"], text_object))
        if source is None:  # one block that cannot be shown is no reason to lose the page
            notes += [_no_text(document, element, "the text of a block that stood once") for element in own]
            continue
        rows, dropped = chunk_document(
            {**document, "version_id": own[0]["version_id"], "source_date": last}, own, source, text_object, config, seen
        )
        for row in rows:
            row |= {
                "ordinal": len(made), "block_id": block, "shown_from": since, "shown_to": until, "parent_id": None, "previous_id": None,
                "next_id": None,
            }
            made.append(row)
        notes += dropped
    return notes


def _row(draft: Draft, title: str, ordinal: int) -> Row:
    pieces, links, spans = [], [], []
    at = 0
    for piece in draft.pieces:
        end = at + len(piece.text)
        own = [{"start": s, "end": e} for s, e in piece.spans]
        pieces.append({"kind": piece.kind, "source_spans": own, "start": at, "end": end})
        links += [{"start": s + at, "end": e + at, "target": target} for s, e, target in piece.links]
        spans += own
        at = end + 1
    text = "\n".join(piece.text for piece in draft.pieces)
    path = " > ".join(part for part in (title, *draft.heading_path) if part)
    rendition = "\n".join(part for part in (path, draft.header, text) if part)
    blocks = set(draft.blocks)
    return {
        "block_id": blocks.pop() if len(blocks) == 1 else None, "kind": draft.kind, "ordinal": ordinal,
        "heading_path": draft.heading_path, "header": draft.header, "text": text, "rendition": rendition,
        "text_hash": content_hash(text), "rendition_hash": content_hash(rendition), "source_spans": spans, "pieces": pieces,
        "element_ids": draft.element_ids, "links": links, "tokens": count_tokens(rendition),
    }


def _link(rows: list[Row], drafts: Drafts) -> None:
    """Neighbours in document order, and parents: the first chunk of the section, for that one of an enclosing section."""
    first: dict[int, int] = {}
    for n, draft in enumerate(drafts.drafts):
        first.setdefault(draft.section, n)
    for n, (row, draft) in enumerate(zip(rows, drafts.drafts, strict=True)):
        row["previous_id"] = rows[n - 1]["chunk_id"] if n else None
        row["next_id"] = rows[n + 1]["chunk_id"] if n + 1 < len(rows) else None
        opener = first[draft.section]
        section = draft.section
        while opener == n:
            parent = drafts.sections[section].parent
            if parent is None:
                break
            section = parent
            opener = first.get(section, n)
        row["parent_id"] = rows[opener]["chunk_id"] if opener != n else None
