"""One page of wikitext to `elements` rows.

Guarantees: every element's text is `render(kind, wikitext, source_spans)`; spans lie in the page; element ids are unique in
the page; rows depend on the arguments alone. Each top-level block is parsed by itself, so that a block that stood before
gives the same elements wherever it stands, and any block can be left out (`skip`) or taken alone (`only`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from schemas.ids import block_id, element_id
from tasks.parse.wikiblocks import (
    CODE,
    COMMENT_BLOCK,
    GALLERY,
    HEADING,
    HEADING_LINE,
    LIST,
    TEMPLATE_BLOCK,
    split_kinds,
)
from tasks.parse.wikiinfobox import infobox_fields, is_infobox, lead_infobox
from tasks.parse.wikinodes import BULLET, COMMENT, LITERAL, MARK, TABLE, TAG, TEMPLATE, Node, parse_nodes
from tasks.parse.wikishow import Show, gallery_captions, positional
from tasks.parse.wikispans import Shown, Span, render_with_links, soften, tidy
from tasks.parse.wikitables import header_rows, read_table
from tasks.parse.wikitemplates import CONTAINERS, HOW, NOT_INFOBOXES, QUOTES, how_shown, template_name

_MAX_NESTING = 4


def parse_page(
    document_id: str,
    version_id: str,
    title: str,
    wikitext: str,
    config: Mapping[str, Any],
    only: Collection[int] | None = None,
    skip: Collection[int] = (),
    progress: Callable[[int], None] | None = None,
) -> list[dict]:
    """Rows of `elements` in document order.

    `config["parse"]["max_depth"]` bounds the nesting of marks. `only` and `skip` are indexes into `split_blocks(wikitext)`;
    headings are always read, since what stands below needs them. `progress` is called with the index of each block before
    it is read.
    """
    page = _Page(document_id, version_id, wikitext, config["parse"]["max_depth"])
    for index, (start, end, kind) in enumerate(split_kinds(wikitext)):
        if index in skip or (only is not None and index not in only and kind != HEADING):
            continue
        if progress is not None:
            progress(index)
        page.shown = only is None or index in only
        page.block = None
        page.block_range = (start, end)
        page.read(start, end, kind)
    return page.rows


class _Page:
    def __init__(self, document: str, version: str, text: str, max_depth: int) -> None:
        self.document, self.version, self.text, self.max_depth = document, version, text, max_depth
        self.rows: list[dict] = []
        self.headings: list[tuple[int, str]] = []
        self.path: list[str] = []
        self.ids: set[str] = set()
        self.block: str | None = None
        self.block_range: Span = (0, 0)
        self.shown = True
        self.nesting = 0

    # --- rows

    def add(
        self, kind: str, spans: list[Span], parent: str | None = None, *, level: int | None = None, links=(), cells=None,
        locator: str | None = None, keep_empty: bool = False,
    ) -> str | None:
        """Appends a row; None where the spans show nothing (unless `keep_empty`)."""
        text, placed = render_with_links(kind, self.text, spans, list(links))
        if not text.strip() and not keep_empty:
            return None
        key = element_id(self.version, spans, kind)
        while key in self.ids:
            end = spans[-1][1] if spans else self.block_range[0]
            spans = [*spans, (end, end)]
            key = element_id(self.version, spans, kind)
        if not self.shown:
            return key
        self.ids.add(key)
        if self.block is None:
            self.block = block_id(self.document, self.text[self.block_range[0] : self.block_range[1]])
        self.rows.append({
            "element_id": key, "document_id": self.document, "version_id": self.version, "block_id": self.block,
            "parent_id": parent, "kind": kind, "level": level, "ordinal": len(self.rows), "heading_path": self.path,
            "text": text, "source_spans": _dicts(spans), "locator": locator, "cells": cells, "links": placed,
        })
        return key

    def spans(self, kind: str, shown: list[Shown]) -> list[Span]:
        return tidy(self.text, kind, shown, self.blank())

    def blank(self) -> Span | None:
        """Some slice of the block that renders as a blank."""
        start, end = self.block_range
        for mark in " \n|":
            at = self.text.find(mark, start, end)
            if at >= 0:
                return (at, at + 1)
        return None

    def extras(self, show: Show, parent: str | None) -> None:
        """What an element cites or holds: footnotes, captions, tables, infoboxes."""
        for node in show.notes:
            self.footnote(node, parent)
        for nodes, start, end in show.captions:
            self.stretch("caption", nodes, start, end, parent)
        if self.nesting < _MAX_NESTING:
            self.nesting += 1
            for node in show.tables:
                self.table(node, parent)
            for node in show.boxes:
                self.infobox(node, parent)
            self.nesting -= 1

    def stretch(self, kind: str, nodes, start: int, end: int, parent: str | None = None, level: int | None = None, cites: bool = False) -> str | None:
        show = Show(self.text, cites=cites)
        show.walk(nodes, start, end)
        key = self.add(kind, self.spans(kind, show.spans), parent, level=level, links=show.links)
        if show.notes or show.captions or show.tables or show.boxes:
            self.extras(show, key or parent)
        return key

    def footnote(self, node: Node, parent: str | None) -> None:
        show = Show(self.text, cites=True)
        if node.kind == TAG:
            show.walk(node.children, node.inner, node.inner_end)
        else:
            for index, part in enumerate(positional(self.text, node)):
                show.argument(node, part, index > 0)
        self.add("footnote", self.spans("footnote", show.spans), parent, links=show.links)
        for nested in show.notes:
            if self.nesting < _MAX_NESTING:
                self.nesting += 1
                self.footnote(nested, parent)
                self.nesting -= 1

    # --- blocks

    def read(self, start: int, end: int, kind: str) -> None:
        text = self.text
        if kind == HEADING:
            self.heading(start, end)
            return
        if kind == COMMENT_BLOCK:
            return
        nodes = parse_nodes(text, start, end, self.max_depth)
        if kind == LIST:
            self.list(nodes, start, end)
        elif kind == CODE:
            for node in nodes:
                if node.kind == LITERAL:
                    self.add("code", _inside_lines(text, node.inner, node.inner_end))
        elif kind == GALLERY:
            for node in nodes:
                if node.kind == TAG and node.name == "gallery":
                    for inside, low, high in gallery_captions(text, node):
                        self.stretch("caption", inside, low, high)
        elif kind == TEMPLATE_BLOCK:
            for node in nodes:
                if node.kind == TEMPLATE:
                    self.template(node, start, end)
        else:
            first = next((n for n in nodes if n.kind == MARK), None)
            quoted = first is not None and first.name == "blockquote" and not text[start : first.start].strip()
            low = start
            table = next((n for n in nodes if n.kind == TABLE), None)
            if table is not None and not text[start : table.start].strip(" \t:"):
                low = table.start
            if text.startswith("----", low):
                while low < end and text[low] == "-":
                    low += 1
            self.stretch("quote" if quoted else "paragraph", nodes, low, end)

    def heading(self, start: int, end: int) -> None:
        match = HEADING_LINE.match(self.text[start:end])
        if match is None:
            self.stretch("paragraph", parse_nodes(self.text, start, end, self.max_depth), start, end)
            return
        level = min(len(match[1]), len(match[3]))
        low, high = start + level, start + match.end(3) - level
        nodes = parse_nodes(self.text, low, high, self.max_depth)
        show = Show(self.text)
        show.walk(nodes, low, high)
        spans = self.spans("heading", show.spans)
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        self.path = [name for _, name in self.headings]
        self.add("heading", spans, level=level, links=show.links)
        name = render_with_links("heading", self.text, spans, [])[0]
        if name:
            self.headings.append((level, name))
        self.path = [name for _, name in self.headings]
        self.extras(show, None)

    def list(self, nodes: list[Node], start: int, end: int, parent: str | None = None) -> None:
        """One list item per line; a deeper item is the child of the one above it."""
        text = self.text
        starts: list[tuple[int, int, int]] = []  # (line start, content start, first node)
        at = start
        while at < end and text[at] in "*#:; \t":
            at += 1
        starts.append((start, at, 0))
        for index, node in enumerate(nodes):
            if node.kind == BULLET:
                starts.append((node.start + 1, node.end, index + 1))
        above: list[tuple[int, str]] = []
        for index, (line, content, first) in enumerate(starts):
            stop, last = end, len(nodes)
            if index + 1 < len(starts):
                stop, last = starts[index + 1][0] - 1, starts[index + 1][2] - 1
            level = len(text[line:content].strip())
            while above and above[-1][0] >= level:
                above.pop()
            key = self.stretch("list_item", nodes[first:last], content, stop, above[-1][1] if above else parent, max(level, 1), cites=True)
            if key:
                above.append((level, key))

    def template(self, node: Node, start: int, end: int) -> None:
        name = template_name(self.text[node.parts[0][0] : node.parts[0][2]])
        if is_infobox(self.text, node, name) or (
            not self.headings and name not in NOT_INFOBOXES and how_shown(name) is None and lead_infobox(self.text, node)
        ):
            self.infobox(node, None)
        elif name in QUOTES:
            chosen = [p for p in node.parts[1:] if p[1] >= 0 and self.text[p[0] : p[1]].strip().casefold() in ("text", "quote", "texte", "cita")]
            for part in (chosen or positional(self.text, node))[:1]:
                show = Show(self.text)
                show.argument(node, part, False)
                key = self.add("quote", self.spans("quote", show.spans), links=show.links)
                self.extras(show, key)
        elif name in CONTAINERS:
            for part in positional(self.text, node)[:1]:
                self.inner_blocks(part[1] + 1 if part[1] >= 0 else part[0], part[2])
        elif HOW.get(name) != "cite":
            self.stretch("paragraph", [node], node.start, node.end)

    def inner_blocks(self, start: int, end: int) -> None:
        """Blocks inside a container template: theirs is the container's block id."""
        if self.nesting >= _MAX_NESTING:
            return
        self.nesting += 1
        for low, high, kind in split_kinds(self.text[start:end]):
            if kind != HEADING:
                self.read(start + low, start + high, kind)
        self.nesting -= 1

    # --- infoboxes and tables

    def infobox(self, node: Node, parent: str | None) -> None:
        name_part = node.parts[0]
        show = Show(self.text)
        show.walk([n for n in node.children[: name_part[5]] if n.kind == COMMENT], name_part[0], name_part[2])
        name = self.spans("infobox", show.spans) or [(node.start, node.start)]
        key = self.add("infobox", name, parent, keep_empty=True)
        for box in infobox_fields(self.text, node):
            text_cells = [{"name": box.key, "text": t, "source_spans": _dicts(s)} for t, s in box.items]
            field_id = None
            if box.items:
                field_id = self.add("field", box.spans, key, links=box.show.links, cells=text_cells, locator=f"key={box.key}")
            self.extras(box.show, field_id or key)

    def table(self, node: Node, parent: str | None) -> None:
        text = self.text
        table = read_table(text, node)
        grid = table.grid()
        heads = header_rows(text, table)
        shows: dict[int, Show] = {}

        def show_of(cell) -> Show:
            show = shows.get(id(cell))
            if show is None:
                for generous in (False, True):
                    show = Show(text, generous=generous)
                    show.walk(cell.nodes, cell.start, cell.end)
                    if generous or any(text[s:e].strip() for s, e, _ in show.spans):
                        break
                show.spans = soften(text, show.spans)
                shows[id(cell)] = show
            return show

        values: dict[int, tuple[str, list[Span]]] = {}

        def value_of(cell) -> tuple[str, list[Span]]:
            known = values.get(id(cell))
            if known is None:
                spans = self.spans("field", show_of(cell).spans)
                known = values[id(cell)] = (render_with_links("field", text, spans, [])[0], spans)
            return known

        spans: list[Span] = []
        links: list = []
        for cell in [*table.captions, *(c for row in table.rows[:heads] for c in row)]:
            spans += [(cell.start, cell.start), *self.spans("table", show_of(cell).spans)]
            links += show_of(cell).links
        spans = [s for s in spans[1:]] or [(node.start, node.start)]
        key = self.add("table", spans, parent, links=links, keep_empty=True)
        for cell in table.captions:
            show = show_of(cell)
            self.add("caption", self.spans("caption", show.spans), key, links=show.links)
        for cell in [*table.captions, *(c for row in table.rows[:heads] for c in row)]:
            self.extras(show_of(cell), key)
        names = self.column_names(grid[:heads], value_of)
        number = 0
        for row, line in zip(table.rows[heads:], grid[heads:], strict=True):
            if names and len(row) > 1 and all(c.header for c in row) and len(line) >= len(names):
                names = self.column_names([line], value_of)  # a header repeated inside the table
                continue
            number += 1
            self.row(key, number, row, line, names, show_of, value_of)

    def column_names(self, lines, value_of) -> list[str]:
        """Per column the texts of its header cells from above, each once; a title over all columns is left out."""
        width = max((len(line) for line in lines), default=0)
        names: list[list[str]] = [[] for _ in range(width)]
        for index, line in enumerate(lines):
            if len(lines) > 1 and width > 1 and len({id(c[0]) for c in line if c}) == 1 and index < len(lines) - 1:
                continue
            for column, entry in enumerate(line):
                if entry:
                    name = value_of(entry[0])[0]
                    if name and name not in names[column]:
                        names[column].append(name)
        return [" ".join(n) for n in names]

    def row(self, table: str | None, number: int, row, line, names, show_of, value_of) -> None:
        spans: list[Span] = []
        links: list = []
        cells = []
        seen: set[int] = set()
        head = value_of(line[0][0])[0] if line and line[0] and line[0][0].header else ""
        for column, entry in enumerate(line):
            if entry is None:
                continue
            cell = entry[0]
            value, value_spans = value_of(cell)
            name = names[column] if column < len(names) else ""
            if not name and column and not cell.header:
                name = head
            cells.append({"name": name, "text": value, "source_spans": _dicts(value_spans)})
            if id(cell) in seen:
                continue
            seen.add(id(cell))
            here = self.spans("row", show_of(cell).spans)
            if here:
                spans += [(cell.start, cell.start), *here] if spans else here
                links += show_of(cell).links
        key = self.add("row", spans, table, links=links, cells=cells, locator=f"row={number}")
        for cell in row:
            self.extras(show_of(cell), key or table)


def _dicts(spans: list[Span]) -> list[dict]:
    return [{"start": s, "end": e} for s, e in spans]


def _inside_lines(text: str, start: int, end: int) -> list[Span]:
    """A literal range without the line breaks at its ends."""
    while start < end and text[start] in "\r\n":
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return [(start, end)] if start < end else []
