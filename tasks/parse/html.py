"""HTML to a linear text and elements whose spans count in it. No visible word of the body is lost.

The linear text has one line per block (heading, paragraph, item, row, line of code) with white space collapsed as a
browser does, and ` | ` between cells. What pages repeat around their content is left out (navigation, page headers and
footers, asides, forms, scripts, what is hidden). The walk uses no recursion; below `max_depth` blocks are flattened.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from schemas.ids import normalize_text
from schemas.render import Span
from tasks.parse.build import ElementBuilder, literal_spans
from tasks.parse.htmltable import Grid, is_layout, read_grid

DROPPED = frozenset(
    "head script style noscript template nav aside iframe noframes noembed object embed audio video canvas datalist "
    "annotation annotation-xml metadata defs desc title".split()
)
_BLOCKS = frozenset(
    "address article blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form "
    "frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup option p plaintext pre search "
    "section select summary table tbody td tfoot th thead tr ul xmp caption aside".split()
)
_HEADINGS = {f"h{n}": n for n in range(1, 7)}
_CONTENT = ("article", "main", "section", "blockquote", "td", "li", "figure")
_NOTES = frozenset("footnotes footnote references endnotes reflist".split())
_NOTE_ROLES = frozenset("doc-footnote doc-endnote doc-endnotes".split())
_WHITE = re.compile(r"\s+")
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)\b[^>]*?(/?)>")
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr p li td th tr dt dd option".split())
_PARSER_DEPTH = 10_000  # lexbor's tree builder takes time quadratic in the depth


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


class Flow:
    """Text that collapses white space as it grows, with the links that lie in it."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0
        self.blank = True
        self.links: list[tuple[int, int, str]] = []
        self.open: list[tuple[int, str]] = []

    def add(self, text: str) -> None:
        text = _WHITE.sub(" ", text)
        if self.blank:
            text = text.lstrip(" ")
        if text:
            self.parts.append(text)
            self.length += len(text)
            self.blank = text.endswith(" ")

    def link(self, target: str) -> None:
        self.open.append((self.length, target))

    def unlink(self) -> None:
        if self.open:
            start, target = self.open.pop()
            self.links.append((start, self.length, target))

    def take(self) -> tuple[str, list[tuple[int, int, str]]]:
        """The text so far, and the links as offsets in it; links still open go on in what follows."""
        text = "".join(self.parts).rstrip(" ")
        links = []
        for start, end, target in [*self.links, *((s, self.length, t) for s, t in self.open)]:
            while start < end and text[start : start + 1] == " ":
                start += 1
            end = min(end, len(text))
            if text[start:end].strip():
                links.append((start, end, target))
        self.open = [(0, target) for _, target in self.open]
        self.parts, self.links, self.length, self.blank = [], [], 0, True
        return text, sorted(links)


def open_tree(text: str):
    """The parsed document (selectolax, Lexbor). Input nested too deeply to be markup is taken without its tags."""
    from selectolax.lexbor import LexborHTMLParser

    depth = deepest = 0
    for match in _TAG.finditer(text):
        if not match[3] and match[2].lower() not in _VOID:
            depth += -1 if match[1] else 1
            deepest = max(deepest, depth)
    if deepest > _PARSER_DEPTH:
        text = _TAG.sub(" ", text)
    return LexborHTMLParser(text)


def find_title(tree) -> str | None:
    """The first h1 with a text, else the page's `<title>`."""
    for node in [*tree.css("h1"), *tree.css("head > title")]:
        text = normalize_text(node.text(deep=True))
        if text:
            return text
    return None


def find_date(tree) -> str | None:
    """The date that the page states in its meta tags: when it was modified, else when it was published."""
    found: dict[str, str] = {}
    for node in tree.css("meta"):
        attributes = node.attributes
        name = (attributes.get("name") or attributes.get("property") or attributes.get("itemprop") or "").lower()
        if name and attributes.get("content"):
            found.setdefault(name, attributes["content"])
    names = ("article:modified_time", "dcterms.modified", "datemodified", "last-modified", "article:published_time",
             "datepublished", "dcterms.date", "dc.date", "date")
    return next((found[n] for n in names if n in found), None)


def dropped(node) -> bool:
    """Whether the node and all below it is left out."""
    tag = node.tag
    if tag is None or tag[0] in "-!":
        return tag != "-document"
    attributes = node.attributes
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    style = (attributes.get("style") or "").replace(" ", "").lower()
    if "display:none" in style or "visibility:hidden" in style:
        return True
    if tag == "aside" and _is_note(attributes):
        return False
    if tag in ("header", "footer"):
        return not _within(node, _CONTENT)
    if tag == "form":
        return not node.css_first("h1, main, article") and not _most_of_page(node)
    return tag in DROPPED


def _within(node, tags) -> bool:
    node = node.parent
    while node is not None:
        if node.tag in tags:
            return True
        node = node.parent
    return False


def _most_of_page(node) -> bool:
    body = node.parser.body
    return body is not None and 2 * len(node.text(deep=True)) > len(body.text(deep=True))


def _is_note(attributes: Mapping[str, Any]) -> bool:
    words = set((attributes.get("class") or "").lower().split())
    return bool(words & _NOTES) or (attributes.get("role") or "").lower() in _NOTE_ROLES


def children(node) -> list:
    """The child nodes, first to last."""
    out, child = [], node.first_child
    while child is not None:
        out.append(child)
        child = child.next
    return out


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
        tag = next((t for t in reversed(self.blocks) if t in _HEADINGS or t in ("figcaption", "caption", "li", "dt", "dd")), "")
        if tag in _HEADINGS:
            event.kind, event.level, event.parent = "heading", _HEADINGS[tag], None
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
        if tag not in _BLOCKS:
            return
        if len(self.blocks) >= self.max_depth:
            self.blocks.append(tag)
            self.flow.add(" ")
            return
        self.flush()  # what stands before the block is none of it
        self.blocks.append(tag)
        if tag in ("li", "dt", "dd"):
            self.items.append(None)
        if _is_note(node.attributes):
            self.notes += 1

    def _leave(self, node, tag: str) -> None:
        if tag == "a" and node.attributes.get("href"):
            self.flow.unlink()
        if tag not in _BLOCKS:
            return
        if len(self.blocks) > self.max_depth:
            self.flow.add(" ")
        else:
            self.flush()
            if tag in ("li", "dt", "dd"):
                self.items.pop()
            if _is_note(node.attributes):
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
    for a, b in zip(marks, marks[1:], strict=False):
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
        if event.kind == "code":
            spans, links = [(event.start, event.end)], []
        elif event.start == event.end:
            spans, links = [(event.start, event.end)], []
        else:
            spans, links = _cut(canonical, event.start, event.end, event.links)
        cells = None
        if event.cells:
            cells = [build.cell(name, literal_spans(canonical, *part[0])) for name, part in event.cells if part]
        ids.append(build.add(event.kind, spans, level=event.level, parent_id=parent, cells=cells, links=links, locator=event.locator))
    return canonical, build.rows
