"""Small documents for the tests of extract: plain lines to `chunks`, `elements` and `texts` tables, spans and all."""

from __future__ import annotations

from schemas import ids
from schemas.config import CONFIG_DIR, Config, resolve
from schemas.render import render
from schemas.tables import TABLES
from tasks.extract import run

CONFIG = resolve(Config(), CONFIG_DIR)


def fill(table: str, row: dict) -> dict:
    """The row with a neutral value in every required column that it lacks."""
    out = dict(row)
    for column in TABLES[table].schema():
        if not column.nullable and column.name not in out:
            kind = str(column.type)
            out[column.name] = [] if kind.startswith("list") else 0 if "int" in kind else 0.0 if "float" in kind else ""
    return out


class Doc:
    """One document: its canonical text is written line by line, each chunk made of pieces of it."""

    def __init__(self, title: str, key: str | None = None, language: str = "en"):
        self.title, self.id, self.language = title, ids.document_id("test", key or title), language
        self.canonical = ""
        self.chunks: list[dict] = []
        self.elements: list[dict] = []

    def add(self, kind: str, pieces: list[tuple], heading: tuple[str, ...] = (), header: str = "") -> Doc:
        """`pieces`: (piece kind, text, cells or None, links or None); a field's text is written `key=item`."""
        text, rows, names, links = "", [], [], []
        for piece_kind, source, cells, piece_links in pieces:
            start = len(self.canonical)
            spans = []
            if piece_kind == "field":
                key, _, items = source.partition("=")
                spans.append((start, start + len(key)))
                spans.append((start + len(key), start + len(key) + 1))
                at = start + len(key) + 1
                for n, item in enumerate(items.split("\n")):
                    if n:
                        spans.append((at, at))
                        at += 1
                    spans.append((at, at + len(item)))
                    at += len(item)
                cells = [{"name": key, "text": i, "source_spans": []} for i in items.split("\n")]
            else:
                spans.append((start, start + len(source)))
            self.canonical += source + "\n"
            shown = render(piece_kind, self.canonical, spans)
            at = len(text) + 1 if text else 0
            text = text + "\n" + shown if text else shown
            as_dicts = [{"start": a, "end": b} for a, b in spans]
            rows.append({"kind": piece_kind, "source_spans": as_dicts, "start": at, "end": at + len(shown)})
            element = ids.element_id(self.id, spans, piece_kind)
            names.append(element)
            for surface, target in piece_links or ():
                offset = text.index(surface, at)
                links.append({"start": offset, "end": offset + len(surface), "target": target})
            self.elements.append(fill("elements", {
                "element_id": element, "document_id": self.id, "version_id": "v", "kind": piece_kind, "text": shown, "cells": cells or [],
                "source_spans": as_dicts, "heading_path": list(heading), "ordinal": len(self.elements)}))
        self.chunks.append(fill("chunks", {
            "chunk_id": ids.chunk_id(self.id, "passage", kind, text, len(self.chunks)), "document_id": self.id, "version_id": "v",
            "text_object": "t", "kind": kind, "ordinal": len(self.chunks), "title": self.title, "heading_path": list(heading), "header": header,
            "text": text, "pieces": rows, "element_ids": names, "links": links, "language": self.language}))
        return self

    def paragraph(self, text: str, heading: tuple[str, ...] = (), links: list | None = None) -> Doc:
        return self.add("paragraph", [("paragraph", text, None, links)], heading)

    def items(self, lines: list[str], heading: tuple[str, ...] = ()) -> Doc:
        return self.add("list_item", [("list_item", line, None, None) for line in lines], heading)

    def infobox(self, fields: list[str]) -> Doc:
        """Fields as "key=item\\nitem"."""
        return self.add("infobox", [("field", f, None, None) for f in fields])

    def table(self, columns: list[str], rows: list[list[str]], heading: tuple[str, ...] = (), caption: str = "") -> Doc:
        pieces = [
            ("row", " | ".join(row), [{"name": c, "text": t, "source_spans": []} for c, t in zip(columns, row, strict=False)], None) for row in rows
        ]
        return self.add("table", pieces, heading, "\n".join(x for x in (caption, " | ".join(columns)) if x))


def tables_of(docs: list[Doc]) -> dict:
    return {
        "chunks": TABLES["chunks"].from_rows([c for d in docs for c in d.chunks]),
        "elements": TABLES["elements"].from_rows([e for d in docs for e in d.elements]),
        "texts": TABLES["texts"].from_rows([{"document_id": d.id, "text_object": "t", "canonical_text": d.canonical} for d in docs]),
    }


def extract(*docs: Doc, config: dict | None = None) -> dict[str, list[dict]]:
    """Runs the stage; gives each output table as rows."""
    out = run(config or CONFIG, tables_of(list(docs)))
    return {name: table.to_pylist() for name, table in out.items()}


def triples(mentions: list[dict], closed: bool = True) -> set[tuple[str, str, str]]:
    """(subject, predicate, object); with `closed` only those of the predicate file."""
    return {(m["subject"], m["predicate"], m["object"]) for m in mentions if not closed or m["predicate"] in CONFIG["predicates"]}
