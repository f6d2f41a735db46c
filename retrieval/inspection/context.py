"""Evidence in its context: canonical text with the span marked, and whether the text made anew equals what is stored.

A mark is `{start, end, before, span, after}`: half-open code-point offsets into the canonical text, and up to AROUND
characters on either side. `verified` is true where the stored text equals what its spans render to, false where it does
not, null where the canonical text is not kept (older revisions).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from retrieval.inspection.rows import Rows, names
from schemas.render import locate_in_pieces, render, render_pieces
from warehouse.duck import literal

AROUND = 120


def marks(source: str, spans: Iterable[tuple[int, int]]) -> list[dict[str, Any]]:
    """One mark per span that holds characters."""
    return [
        {"start": s, "end": e, "before": source[max(0, s - AROUND) : s], "span": source[s:e], "after": source[e : e + AROUND]}
        for s, e in spans if s < e
    ]


class Contexts:
    """Makes evidence entries for rows of one release; canonical texts are read once each."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self._texts: dict[tuple[str, str], str | None] = {}
        self._documents: dict[str, dict] = {}

    def text(self, document: str, text_object: str | None) -> str | None:
        if text_object is None:
            return None
        if (document, text_object) not in self._texts:
            self._texts[document, text_object] = self.rows.canonical(document, text_object)
        return self._texts[document, text_object]

    def document(self, document: str) -> dict:
        if document not in self._documents:
            found = self.rows.all(f"SELECT title, uri, source, version_id, label FROM documents WHERE document_id = {literal(document)}")
            self._documents[document] = found[0] if found else {"title": None, "uri": None, "source": None, "version_id": None, "label": ""}
        return self._documents[document]

    def head_text(self, document: str) -> tuple[str | None, str | None]:
        """(text_object, canonical text) of a document's head."""
        found = self.rows.value(f"SELECT text_object FROM versions WHERE document_id = {literal(document)} AND version_id = "
                                f"{literal(self.document(document)['version_id'] or '')}")
        return found, self.text(document, found)

    def entry(self, document: str, text_object: str | None, spans: list[tuple[int, int]], text: str, verified: bool | None,
              **more: str | None) -> dict[str, Any]:
        source = self.text(document, text_object)
        about = self.document(document)
        return {
            "document_id": document, "title": about["title"], "uri": about["uri"], "source": about["source"], "text_object": text_object,
            **more, "text": text, "verified": verified, "marks": [] if source is None else marks(source, spans),
        }

    def chunk(self, row: dict[str, Any]) -> dict[str, Any]:
        """A row of `chunks`."""
        source = self.text(row["document_id"], row["text_object"])
        same = None if source is None else render_pieces(source, row["pieces"]) == row["text"]
        return self.entry(row["document_id"], row["text_object"], pairs(row["source_spans"]), row["text"], same,
                          version_id=row["version_id"], chunk_id=row["chunk_id"])

    def element(self, row: dict[str, Any]) -> dict[str, Any]:
        """A row of `elements`: they are parsed from the head, or from a block of the past, which has a text of its own."""
        text_object = row["text_object"]
        source = self.text(row["document_id"], text_object) if text_object else None
        if text_object is None:
            text_object, source = self.head_text(row["document_id"])
        spans = pairs(row["source_spans"])
        same = None if source is None else render(row["kind"], source, spans) == row["text"]
        return self.entry(row["document_id"], text_object, spans, row["text"], same, version_id=row["version_id"], element_id=row["element_id"])

    def block(self, row: dict[str, Any]) -> dict[str, Any]:
        """A row of `blocks`: its wikitext, where the head still holds it."""
        text_object, source = self.head_text(row["document_id"])
        at = -1 if source is None else source.find(row["text"])
        spans = [] if at < 0 else [(at, at + len(row["text"]))]
        return self.entry(row["document_id"], text_object, spans, row["text"], None if at < 0 else True)

    def sentences(self, which: str, limit: int, spans_of: str = "sentences") -> list[dict[str, Any]]:
        """Evidence of rows of `sentences` or `mentions`, chosen by a SQL condition on `m`, in order of document and place."""
        own = "sentence_id" if spans_of == "sentences" else "mention_id"
        spans = "NULL" if spans_of == "sentences" else "m.source_spans"
        found = self.rows.all(
            f"SELECT m.{own} AS own, m.document_id, m.chunk_id, m.sentence, m.sentence_start, {spans} AS marked, "
            f"{names('version_id text_object pieces', 'c.')}, c.text AS chunk_text "
            f"FROM {spans_of} m JOIN chunks c ON c.document_id = m.document_id AND c.chunk_id = m.chunk_id WHERE {which} "
            f"ORDER BY m.document_id, c.ordinal, m.sentence_start, m.{own} LIMIT {limit}"
        )
        return [self._sentence(r, own) for r in found]

    def _sentence(self, r: dict[str, Any], own: str) -> dict[str, Any]:
        source = self.text(r["document_id"], r["text_object"])
        first, last = r["sentence_start"], r["sentence_start"] + len(r["sentence"])
        same, spans = None, pairs(r["marked"])
        if source is not None:
            located = locate_in_pieces(source, r["pieces"], first, last)
            spans = located if r["marked"] is None else spans
            same = r["chunk_text"][first:last] == r["sentence"] and spans == located and render_pieces(source, r["pieces"]) == r["chunk_text"]
        return self.entry(r["document_id"], r["text_object"], spans, r["sentence"], same, version_id=r["version_id"],
                          chunk_id=r["chunk_id"], **{own: r["own"]})


def pairs(spans: Iterable[dict] | None) -> list[tuple[int, int]]:
    """Spans as half-open pairs, empty separators kept: renderers need them."""
    return [(s["start"], s["end"]) for s in spans or ()]
