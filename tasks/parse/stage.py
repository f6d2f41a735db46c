"""Raw rows to documents: versions united over sources, the head chosen, the head parsed.

A document's rows depend on its own raw rows alone, in whatever order they come. A fault of one document is a
`quarantine` row and leaves the others as they are. Original bytes are taken row by row, so that a page with a long
history is not held in memory as text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from schemas.ids import content_hash, label_of, version_id
from schemas.stage import Tables
from schemas.tables import TABLES, quarantine_row
from tasks.parse import WRITES, files
from tasks.parse.parsers import WikiParsers
from tasks.parse.stretches import WIKITEXT, Originals, rebuild

PUBLIC = "public"

Row = dict[str, Any]


@dataclass
class _Out:
    """Rows of the tables that the stage writes."""

    rows: dict[str, list[Row]] = field(default_factory=lambda: {name: [] for name in WRITES})

    def note(self, row: Row, reason: str, detail: str, severity: str) -> None:
        where = row["native_key"] if row["mime"] != WIKITEXT else f"page {row['title']}"
        self.rows["quarantine"].append(quarantine_row("parse", row["document_id"], where, reason, detail, severity))


def restrict(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """The groups that may read by both lists; `public` is a group that everyone holds."""
    a, b = set(first), set(second)
    if PUBLIC in a:
        return sorted(b)
    if PUBLIC in b:
        return sorted(a)
    return sorted(a & b)


def recency(row: Row) -> tuple:
    """Sort key of versions: time (unknown first), then numeric revision id, then the id as text."""
    revision = row["revision"]
    number = int(revision) if revision.isascii() and revision.isdigit() else -1
    return (row["time"] is not None, row["time"] or 0, number, revision)


def run(config: Mapping[str, Any], tables: Tables) -> Tables:
    """`raw` to the tables of `WRITES`. `config` holds the section `parse`."""
    raw = tables["raw"]  # not combined: that would copy the bytes
    light = raw.drop_columns(["raw", "stretches"])
    # Instants as integers: the schema counts whole seconds.
    for name in ("time", "source_date", "fetched_at"):
        light = light.set_column(light.column_names.index(name), name, light[name].cast(pa.int64()))
    groups: dict[str, list[Row]] = {}
    for index, row in enumerate(light.to_pylist()):
        row["index"] = index
        groups.setdefault(row["document_id"], []).append(row)
    originals = Originals(raw, tables["stretches"])
    out = _Out()
    wiki = WikiParsers(config)
    try:
        for document in sorted(groups):
            _document(groups[document], _Contents(originals, document, groups[document]), config, wiki, out)
    finally:
        wiki.close()
    return {name: TABLES[name].from_rows(_unique(name, rows)) for name, rows in out.rows.items()}


class _Contents:
    """Original contents of one document's rows: the bytes of files; of revisions the names of their stretches, and texts."""

    def __init__(self, originals: Originals, document: str, rows: list[Row]) -> None:
        self._originals = originals
        self._page = originals.page(document, rows)
        self.stretches: Mapping[int, str] = self._page.texts

    def names(self, row: Row) -> list[int] | None:
        """What `stretches` knows the revision's text by; None where the text cannot be made again."""
        names = self._page.split.get(row["index"])
        if names is None:
            names = self._originals.names(row["index"])
        return None if names is None else self._page.resolve(names, row["content_hash"])

    def read(self, row: Row) -> str | bytes:
        """Text of a revision for which there are names; bytes of a file."""
        if row["mime"] == WIKITEXT:
            return rebuild(self.names(row) or (), self.stretches)
        return self._originals.data(row["index"]) or b""


def _unique(name: str, rows: list[Row]) -> list[Row]:
    """Rows by primary key, the first of equal keys (only `quarantine` can say a thing twice)."""
    if name != "quarantine":
        return rows
    return list({row["quarantine_id"]: row for row in reversed(rows)}.values())


def merge_versions(rows: list[Row]) -> list[Row]:
    """One row per revision, oldest first: of equal revisions the one with the smallest content hash, least readable.

    Every row carries the access of the whole document: what may be read by all of its rows.
    """
    acl = sorted(set(rows[0]["acl"] or ()))
    for row in rows[1:]:
        acl = restrict(acl, row["acl"] or ())
    best: dict[str, Row] = {}
    for row in sorted(rows, key=lambda r: (r["status"] == "suppressed", r["content_hash"], r["source"], r["uri"] or "", r["tenant"])):
        kept = best.get(row["revision"])
        if kept is None:
            best[row["revision"]] = {**row, "acl": acl}
        elif row["status"] == "suppressed":  # a text that some source withholds is withheld
            kept["status"] = "suppressed"
    return sorted(best.values(), key=recency)


def _document(rows: list[Row], contents: _Contents, config: Mapping[str, Any], wiki: WikiParsers, out: _Out) -> None:
    rows = [row for row in rows if not _is_lost(row, contents, out)]
    if not rows:
        return
    versions = merge_versions(rows)
    shown = [row for row in versions if row["status"] != "suppressed"]
    head = shown[-1] if shown else None
    row = head or versions[-1]
    for tenant in sorted({r["tenant"] for r in rows} - {row["tenant"]}):
        out.note(row, f"tenant_conflict:{tenant}", f"two tenants give this document; it is kept for {row['tenant']}, not for {tenant}", "error")
    text_objects: dict[str, str] = {}
    title, valid_from, valid_to, status = row["title"], None, None, "deleted"
    if head is not None:
        status = head["status"] if head["status"] in ("redirect", "empty") else "ok"
        version = version_id(head["document_id"], head["revision"])
        try:
            parsed = _parse(head, version, contents.read(head), status, config["parse"], wiki, out)
        except Exception as error:
            out.note(head, "parser_failed", f"{type(error).__name__}: {error}. The document is kept without elements; please report it", "error")
            parsed = files.Parsed("", title or head["native_key"], None, None, [])
        title, valid_from, valid_to = parsed.title, parsed.valid_from, parsed.valid_to
        text_objects[head["revision"]] = content_hash(parsed.canonical)
        out.rows["texts"].append({
            "document_id": head["document_id"], "text_object": text_objects[head["revision"]], "canonical_text": parsed.canonical,
        })
        out.rows["elements"] += [{**e, "text_object": None} for e in parsed.elements]
    else:
        out.note(row, "suppressed", "every revision of this page is suppressed: nothing of it is indexed", "info")
    noise: Mapping[str, tuple[str, str | None]] = {}
    if row["mime"] == WIKITEXT:
        noise = _history(row["document_id"], versions, contents, parsed.elements if head is not None else [], config, wiki, out)
    for item in versions:
        why, undone_by = noise.get(item["revision"], ("", None))
        out.rows["versions"].append({
            "version_id": version_id(item["document_id"], item["revision"]), "document_id": item["document_id"],
            "revision": item["revision"], "parent_revision": item["parent_revision"], "time": item["time"],
            "text_object": _text_object(item, text_objects),
            # The hash of a withheld text would let anyone who guesses the text confirm it.
            "content_hash": None if item["status"] == "suppressed" else item["content_hash"],
            "status": item["status"] if item["status"] in ("suppressed", "empty") else "ok",
            "contributor": item["contributor"], "comment": item["comment"], "minor": item["minor"], "noise": why, "undone_by": undone_by,
        })
    out.rows["documents"].append({
        **{name: row[name] for name in ("document_id", "source", "native_key", "uri", "namespace", "language", "mime", "source_date",
                                        "fetched_at", "acl", "tenant")},
        "version_id": version_id(row["document_id"], row["revision"]) if head is not None else None,
        "title": title, "label": label_of(row["acl"]), "valid_from": valid_from, "valid_to": valid_to, "status": status,
        "redirect_to": row["redirect_to"] if status == "redirect" else None,
    })


def _is_lost(row: Row, contents: _Contents, out: _Out) -> bool:
    """Whether a revision's text cannot be made again; says so in `quarantine`."""
    if row["mime"] != WIKITEXT or row["status"] == "suppressed" or contents.names(row) is not None:
        return False
    out.note(row, f"text_lost:{row['revision']}", f"the text of revision {row['revision']} cannot be made from its stretches: one is missing, or too "
             "many of them share their names. The revision is left out: build the export again", "error")
    return True


def _text_object(item: Row, known: Mapping[str, str]) -> str | None:
    if item["status"] == "suppressed":
        return None
    # The canonical text of a revision is its wikitext, whose hash the scan has taken already.
    return known.get(item["revision"]) or (item["content_hash"] if item["mime"] == WIKITEXT else None)


def _history(
    document: str, versions: list[Row], contents: _Contents, head: list[Row], config: Mapping[str, Any], wiki: WikiParsers, out: _Out
) -> Mapping[str, tuple[str, str | None]]:
    """Adds blocks, lifetimes and what the past says; gives revision -> (why it counts for nothing, what undid it)."""
    from tasks.parse import past
    from tasks.parse.history import Options, Revision, read_history

    options = dict(config["history"])
    with_past = options.pop("past")
    del options["correction_hours"]  # of the stage `validity`
    several = with_past and len(versions) > 1
    ahead = wiki.ahead(versions[-1]) if several else None
    numbering = past.BlockNumbers(document, None if ahead is None else ahead.add, contents.stretches)
    revisions = []
    for row in versions:
        if row["status"] == "suppressed":
            revisions.append(Revision(row["revision"], row["time"], "", 0, (), suppressed=True))
            continue
        size, found = numbering.read_names(row["content_hash"], lambda row=row: contents.names(row) or ())
        revisions.append(Revision(row["revision"], row["time"], row["content_hash"], size, found, row["contributor"], row["comment"]))
    history = read_history(revisions, Options(**options))
    told = past.Past()
    if ahead is not None:
        told = past.past_elements(document, history, numbering.blocks, head, ahead.parsed, len(head))
    out.rows["blocks"] += past.block_rows(document, numbering.blocks, told)
    out.rows["lifetimes"] += past.lifetime_rows(document, history, numbering.blocks)
    out.rows["elements"] += told.elements
    out.rows["texts"] += told.texts
    out.rows["quarantine"] += told.notes
    return past.verdict_rows(history)


def _parse(
    head: Row, version: str, raw: str | bytes, status: str, config: Mapping[str, Any], wiki: WikiParsers, out: _Out
) -> files.Parsed:
    document = head["document_id"]
    if head["mime"] == WIKITEXT:
        assert isinstance(raw, str)
        text = raw.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        elements: list[Row] = []
        if status == "ok":
            elements, notes = wiki.parse(head, version, text)
            out.rows["quarantine"] += notes
        return files.Parsed(text, head["title"], None, None, elements)
    assert isinstance(raw, bytes)
    decoded = files.decode(raw, head["mime"])
    if isinstance(decoded, files.Refusal):
        out.note(head, decoded.reason, decoded.detail, "error")
        return files.Parsed("", head["title"] or head["native_key"], None, None, [])
    parsed = files.parse_file(document, version, head["native_key"], head["mime"], decoded.text, config)
    if status == "ok" and not parsed.elements:
        out.note(head, "no_content", "the file has no text outside of what is left out (front matter, navigation, comments)", "info")
    return parsed
