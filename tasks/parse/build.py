"""Builds element rows from spans: texts are always rendered, ids are unique within a version, headings nest.

Every parser of files hands its spans to an `ElementBuilder`; none writes a text of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from schemas.ids import element_id, normalize_text
from schemas.render import Span, render, rendered_pieces

# What the renderer would read as markup inside a slice; see schemas.render.
_MARKUP = re.compile(r"<br\b[^>]*>|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});", re.IGNORECASE)


def literal_spans(source: str, start: int, end: int) -> list[Span]:
    """[start, end) as spans that render as they stand: cut behind each `&` or `<` that the renderer would decode."""
    out: list[Span] = []
    at = start
    match = _MARKUP.search(source, start, end)
    while match:
        out.append((at, match.start() + 1))
        at = match.start() + 1
        match = _MARKUP.search(source, at, end)
    if at < end:
        out.append((at, end))
    return out


def add_span(out: list[Span], source: str, start: int, end: int) -> None:
    """Appends a slice, joined to the one before where they touch and joining changes no rendering."""
    if start < end and out and out[-1][1] == start and out[-1][0] < start and source[start - 1] not in "&<":
        out[-1] = (out[-1][0], end)
    else:
        out.append((start, end))


def shield_bars(source: str, spans: Iterable[Span]) -> list[Span]:
    """A slice that is just `|` would render as a blank; it takes a neighbouring character along instead."""
    out = []
    for start, end in spans:
        if end - start == 1 and source[start] == "|":
            if source[end : end + 1].isspace() or start == 0:
                end = min(end + 1, len(source))
            else:
                start -= 1
        out.append((start, end))
    return out


def extents(kind: str, source: str, spans: Sequence[Span]) -> list[Span | None]:
    """Half-open offsets in the rendered text that each span shows, blanks at its ends left out; None for none."""
    out: list[Span | None] = [None] * len(spans)
    at = number = 0
    for text, start, end in rendered_pieces(kind, source, spans):
        here, at = at, at + len(text)
        if start == end or text.isspace():
            continue
        while number < len(spans) and not (spans[number][0] <= start and end <= spans[number][1]):
            number += 1
        if number < len(spans):
            known = out[number]
            out[number] = (known[0] if known else here, at)
    return out


def as_dicts(spans: Iterable[Span]) -> list[dict]:
    """Spans as the `source_spans` column holds them."""
    return [{"start": s, "end": e} for s, e in spans]


def as_pairs(spans: Iterable[dict]) -> list[Span]:
    """The inverse of `as_dicts`."""
    return [(s["start"], s["end"]) for s in spans]


class ElementBuilder:
    """Collects the `elements` rows of one version, in document order.

    `title` is the document's title: the first heading that says just that is no part of any heading path.
    """

    def __init__(self, document_id: str, version_id: str, canonical: str, title: str | None = None) -> None:
        self.document_id, self.version_id, self.canonical = document_id, version_id, canonical
        self.rows: list[dict] = []
        self._ids: set[str] = set()
        self._title = normalize_text(title) if title else None
        self._stack: list[tuple[int, str | None]] = []

    @property
    def heading_path(self) -> list[str]:
        return [text for _, text in self._stack if text is not None]

    def add(
        self,
        kind: str,
        spans: Sequence[Span],
        *,
        level: int | None = None,
        parent_id: str | None = None,
        locator: str | None = None,
        cells: list[dict] | None = None,
        links: Sequence[tuple[int, int, str]] = (),
    ) -> str | None:
        """Adds one element and gives its id; None where it renders to nothing (a table may: it stands for its rows).

        `links` are (first span, one past the last span, target) by index into `spans`.
        """
        spans = shield_bars(self.canonical, spans)
        text = render(kind, self.canonical, spans)
        if not text.strip() and kind != "table":
            return None
        if kind == "heading":
            while self._stack and self._stack[-1][0] >= (level or 1):
                self._stack.pop()
        ident = element_id(self.version_id, spans, kind)
        if ident in self._ids:  # the same slice said twice, as a row made of nothing but cells that span rows
            return None
        self._ids.add(ident)
        self.rows.append(
            {
                "element_id": ident, "document_id": self.document_id, "version_id": self.version_id, "block_id": None,
                "parent_id": parent_id, "kind": kind, "level": level, "ordinal": len(self.rows),
                "heading_path": self.heading_path, "text": text, "source_spans": as_dicts(spans), "locator": locator,
                "cells": cells, "links": self._links(kind, spans, text, links),
            }
        )
        if kind == "heading":
            own: str | None = text
            if self._title is not None and normalize_text(text) == self._title:
                own, self._title = None, None
            self._stack.append((level or 1, own))
        return ident

    def _links(self, kind: str, spans: Sequence[Span], text: str, links: Sequence[tuple[int, int, str]]) -> list[dict]:
        if not links:
            return []
        shown = extents(kind, self.canonical, spans)
        out = []
        for first, until, target in links:
            inside = [extent for extent in shown[first:until] if extent]
            if inside:
                out.append({"start": inside[0][0], "end": inside[-1][1], "target": target})
        return out

    def cell(self, name: str, spans: Sequence[Span]) -> dict:
        """A cell of a row: `name` is its column's header."""
        spans = shield_bars(self.canonical, spans)
        return {"name": name, "text": render("row", self.canonical, spans), "source_spans": as_dicts(spans)}

    def row(
        self, cells: Sequence[tuple[str, Sequence[Span]]], table_id: str | None, number: int,
        links: Sequence[tuple[int, int, int, str]] = (),
    ) -> str | None:
        """Adds one table row from (column header, spans) pairs; `links` are (cell, first span, until span, target)."""
        spans: list[Span] = []
        firsts: list[int] = []
        for _, part in cells:
            if spans and part:
                spans.append((part[0][0], part[0][0]))
            firsts.append(len(spans))
            spans += part
        shifted = [(firsts[c] + a, firsts[c] + b, target) for c, a, b, target in links]
        return self.add(
            "row", spans, parent_id=table_id, locator=f"row={number}",
            cells=[self.cell(name, part) for name, part in cells], links=shifted,
        )
