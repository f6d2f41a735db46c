"""HTML to a linear text and elements whose spans count in it. No visible word of the body is lost.

The linear text has one line per block (heading, paragraph, item, row, line of code) with white space collapsed as a
browser does, and ` | ` between cells. What pages repeat around their content is left out (navigation, page headers and
footers, asides, forms, scripts, what is hidden). The walk uses no recursion; below `max_depth` blocks are flattened.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from schemas.render import Span
from tasks.parse.build import ElementBuilder, literal_spans
from tasks.parse.htmltable import Grid, is_layout, read_grid
from tasks.parse.htmltree import BLOCKS, HEADINGS, Flow, children, dropped, is_note


@dataclass
class _Event:
    """One element to be: half-open range of the linear text, links as ranges, and for rows the cells."""

    kind: str
    start: int
    end: int
    level: int | None = None
    parent: int | None = None
    links: list[tuple[int, int, str]] = field(default_factory=list)
    cells: list[tuple[str, list[Span]]] | None = None
    number: int = 0
    spans: list[Span] | None = None
    row_links: list[tuple[int, int, int, str]] = field(default_factory=list)
    locator: str | None = None


class _Linear:
    """Walks the tree and writes the linear text and the events."""

    def __init__(self, max_depth: int) -> None:
        self.parts: list[str] = []
        self.length = 0
        self.events: list[_Event] = []
        self.flow = Flow()
        self.max_depth = max_depth
        self.blocks: list[str] = []  # open block tags
        self.items: list[int | None] = []  # events of the open items
        self.notes = 0

    def write(self, text: str) -> tuple[int, int]:
        start = self.length
        self.parts.append(text)
        self.length += len(text)
        return start, self.length

    def flush(self) -> None:
        text, links = self.flow.take()
        if not text:
            return
        start, end = self.write(text)
        self.write("\n")
        event = _Event("paragraph", start, end, links=[(s + start, e + start, t) for s, e, t in links])
        event.parent = next((i for i in reversed(self.items) if i is not None), None)
        tag = next((t for t in reversed(self.blocks) if t in HEADINGS or t in ("figcaption", "caption", "li", "dt", "dd")), "")
        if tag in HEADINGS:
            event.kind, event.level, event.parent = "heading", HEADINGS[tag], None
        elif tag in ("figcaption", "caption"):
            event.kind = "caption"
        elif self.notes:
            event.kind = "footnote"
        elif self.items and self.items[-1] is None:
            event.kind, event.level = "list_item", len(self.items)
            self.items[-1] = len(self.events)
        self.events.append(event)

    def walk(self, root) -> None:
        stack: list[tuple[Any, bool]] = [(root, True)]
        while stack:
            node, entering = stack.pop()
            tag = node.tag
            if tag == "-text":
                self.flow.add(node.text_content or "")
                continue
            if not entering:
                self._leave(node, tag)
                continue
            if dropped(node):
                continue
            if tag == "br":
                self.flow.add(" ")
            elif tag in ("pre", "listing", "xmp", "plaintext") and len(self.blocks) <= self.max_depth:
                self._code(node)
            elif tag == "table" and len(self.blocks) <= self.max_depth and not is_layout(node):
                self.flush()
                self._table(read_grid(node))
            else:
                self._enter(node, tag)
                stack.append((node, False))
                stack.extend((child, True) for child in reversed(children(node)))
        self.flush()

    def _enter(self, node, tag: str) -> None:
        if tag == "a" and node.attributes.get("href"):
            self.flow.link(node.attributes["href"].strip())
        if tag not in BLOCKS:
            return
        if len(self.blocks) >= self.max_depth:
            self.blocks.append(tag)
            self.flow.add(" ")
            return
        self.flush()  # what stands before the block is none of it
        self.blocks.append(tag)
        if tag in ("li", "dt", "dd"):
            self.items.append(None)
        if is_note(node.attributes):
            self.notes += 1

    def _leave(self, node, tag: str) -> None:
        if tag == "a" and node.attributes.get("href"):
            self.flow.unlink()
        if tag not in BLOCKS:
            return
        if len(self.blocks) > self.max_depth:
            self.flow.add(" ")
        else:
            self.flush()
            if tag in ("li", "dt", "dd"):
                self.items.pop()
            if is_note(node.attributes):
                self.notes -= 1
        self.blocks.pop()

    def _code(self, node) -> None:
        self.flush()
        text, stack = [], [node]
        while stack:
            inner = stack.pop()
            if inner.tag == "-text":
                text.append(inner.text_content or "")
            elif inner.tag == "br":
                text.append("\n")
            elif inner is node or not dropped(inner):
                stack.extend(reversed(children(inner)))
        code = "".join(text).strip("\n")
        if code.strip():
            start, end = self.write(code)
            self.write("\n")
            parent = next((i for i in reversed(self.items) if i is not None), None)
            self.events.append(_Event("code", start, end, parent=parent, locator=_language(node)))

    def _table(self, grid: Grid) -> None:
        parent = next((i for i in reversed(self.items) if i is not None), None)
        at = self.length
        if grid.caption:
            start, end = self.write(grid.caption)
            self.write("\n")
        else:
            start = end = at
        table = _Event("table", start, end, parent=parent, cells=[])
        number = len(self.events)
        self.events.append(table)
        written: dict[int, tuple[int, int]] = {}
        for n, row in enumerate([*grid.header, *grid.rows]):
            first = True
            for cell in row:
                if id(cell) in written:
                    continue
                if not first:
                    self.write(" | ")
                written[id(cell)] = self.write(cell.text)
                first = False
            self.write("\n")
            parts = [(name, [written[id(cell)]] if cell.text else []) for name, cell in zip(grid.names(row), row, strict=True)]
            if n < len(grid.header):
                table.cells += [(cell.text, spans) for cell, (_, spans) in zip(row, parts, strict=True) if cell.text]
                continue
            event = _Event("row", 0, 0, parent=number, cells=parts, number=n - len(grid.header) + 1)
            for c, cell in enumerate(row):
                base = written[id(cell)][0]
                event.row_links += [(c, s + base, e + base, target) for s, e, target in cell.links]
            self.events.append(event)


def _language(node) -> str | None:
    for part in (node, node.css_first("code")):
        for word in ((part.attributes.get("class") or "") if part is not None else "").split():
            if word.startswith(("language-", "lang-")):
                return f"language={word.split('-', 1)[1]}"
    return None


def _cut(canonical: str, start: int, end: int, links: list[tuple[int, int, str]]) -> tuple[list[Span], list[tuple[int, int, str]]]:
    """Spans of [start, end) cut where links begin and end, and the links as indexes of spans."""
    marks = sorted({start, end, *(m for s, e, _ in links for m in (s, e) if start < m < end)})
    spans: list[Span] = []
    first_at: dict[int, int] = {}
    for a, b in itertools.pairwise(marks):
        first_at[a] = len(spans)
        spans += literal_spans(canonical, a, b)
    first_at[end] = len(spans)
    return spans, [(first_at[s], first_at[e], t) for s, e, t in links if s in first_at and e in first_at and s < e]


def parse_html(document_id: str, version_id: str, title: str | None, tree, config: Mapping[str, Any]) -> tuple[str, list[dict]]:
    """(linear text, `elements` rows) of a tree from `open_tree`. `config` is the section `parse` (max_depth)."""
    linear = _Linear(config["max_depth"])
    root = tree.body or tree.root
    if root is not None:
        linear.walk(root)
    canonical = "".join(linear.parts)
    build = ElementBuilder(document_id, version_id, canonical, title)
    ids: list[str | None] = []
    for event in linear.events:
        parent = ids[event.parent] if event.parent is not None else None
        if event.kind == "row":
            cells, links = [], []
            for c, (name, spans) in enumerate(event.cells or []):
                mine = [(s, e, t) for at, s, e, t in event.row_links if at == c]
                cut, indexed = _cut(canonical, *spans[0], mine) if spans else ([], [])
                cells.append((name, cut))
                links += [(c, *link) for link in indexed]
            ids.append(build.row(cells, parent, event.number, links))
            continue
        if event.kind == "code" or event.start == event.end:
            spans, links = [(event.start, event.end)], []
        else:
            spans, links = _cut(canonical, event.start, event.end, event.links)
        cells = None
        if event.cells:
            cells = [build.cell(name, literal_spans(canonical, *part[0])) for name, part in event.cells if part]
        ids.append(build.add(event.kind, spans, level=event.level, parent_id=parent, cells=cells, links=links, locator=event.locator))
    return canonical, build.rows
