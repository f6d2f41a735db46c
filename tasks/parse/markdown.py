"""Markdown to elements: headings, paragraphs, nested items, tables, code, footnotes, with exact spans into the source.

Texts hold what a reader sees: marks, escapes and link targets lie outside the spans. HTML blocks keep the text between
their tags. Front matter is read by `tasks.parse.files` and gives no element; link reference definitions give none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from schemas.ids import normalize_text
from schemas.render import Span, locate, render
from tasks.parse.build import ElementBuilder, add_span, shield_bars
from tasks.parse.inline import InlineSpans, make_parser
from tasks.text.sentences import split_sentences

_TAG = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)|</?([A-Za-z][\w.:-]*)(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>|<[!?][^>]*>",
                  re.IGNORECASE | re.DOTALL)
_INLINE_TAGS = frozenset(["a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "img", "ins", "kbd", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"])
_CAPTION_CHARS = 400


@lru_cache(maxsize=4)
def _parser(max_depth: int):
    return make_parser(max_depth)


class Markdown:
    """A text read once: its title, and its elements. `config` is the section `parse` (max_depth)."""

    def __init__(self, text: str, config: Mapping[str, Any]) -> None:
        self.text = text
        self.env: dict[str, Any] = {}
        self.tokens = _parser(config["max_depth"]).parse(text, self.env) if text.strip() else []

    def title(self) -> str | None:
        """The text of the first heading of level 1, else None."""
        for token, inline in zip(self.tokens, self.tokens[1:], strict=False):
            if token.type == "heading_open" and token.tag == "h1":
                chars = self.env["chars"].get(id(inline), [])
                spans = InlineSpans(self.text, self.env).read(inline.children or [], chars, inline.content).spans
                text = render("heading", self.text, shield_bars(self.text, spans))
                if text:
                    return text
        return None

    def elements(self, document_id: str, version_id: str, title: str | None) -> list[dict]:
        """`elements` rows; spans count in the text."""
        return _Walk(self, ElementBuilder(document_id, version_id, self.text, title)).run()


def parse_markdown(document_id: str, version_id: str, title: str | None, text: str, config: Mapping[str, Any]) -> list[dict]:
    """`elements` rows of a Markdown text; spans count in `text`. `config` is the section `parse` (max_depth)."""
    return Markdown(text, config).elements(document_id, version_id, title)


class _Walk:
    """One pass over the block tokens."""

    def __init__(self, read: Markdown, build: ElementBuilder) -> None:
        self.build, self.source = build, read.text
        self.env, self.tokens = read.env, read.tokens
        self.depth = 0
        self.items: list[str | None] = []  # ids of the open list items; None = its first block is still to come
        self.notes = 0

    def run(self) -> list[dict]:
        i = 0
        while i < len(self.tokens):
            i = self._block(i)
        return self.build.rows

    def _block(self, i: int) -> int:
        token = self.tokens[i]
        kind = token.type
        if kind in ("bullet_list_open", "ordered_list_open"):
            self.depth += 1
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self.depth -= 1
        elif kind == "list_item_open":
            self.items.append(None)
        elif kind == "list_item_close":
            self.items.pop()
        elif kind == "footnote_reference_open":
            self.notes += 1
        elif kind == "footnote_reference_close":
            self.notes -= 1
        elif kind == "heading_open":
            inline = self._inline(self.tokens[i + 1])
            self._put("heading", inline, level=int(token.tag[1]))
        elif kind == "paragraph_open":
            self._text(self._inline(self.tokens[i + 1]))
        elif kind in ("fence", "code_block"):
            self._code(token)
        elif kind == "html_block":
            self._html(token)
        elif kind == "table_open":
            return self._table(i)
        return i + 1

    def _inline(self, token) -> InlineSpans:
        return self._read(token.children or [], self.env["chars"].get(id(token), []), token.content)

    def _read(self, tokens, chars: list[int], content: str) -> InlineSpans:
        return InlineSpans(self.source, self.env).read(tokens, chars, content)

    def _parent(self) -> str | None:
        return next((ident for ident in reversed(self.items) if ident), None)

    def _text(self, inline: InlineSpans) -> None:
        """A paragraph, by its place: a footnote's, an item's first, or a plain one."""
        if self.notes:
            self._put("footnote", inline, parent_id=self._parent())
        elif self.items and self.items[-1] is None:
            self.items[-1] = self._put("list_item", inline, level=self.depth, parent_id=self._parent())
        else:
            self._put("paragraph", inline, parent_id=self._parent())

    def _put(self, kind: str, inline: InlineSpans, **more) -> str | None:
        ident = self.build.add(kind, inline.spans, links=inline.links, **more)
        for tokens, chars in inline.notes:
            self._put("footnote", self._read(tokens, chars, self.env["contents"][id(tokens)]), parent_id=ident)
        return ident

    def _code(self, token) -> None:
        spans: list[Span] = []
        for start, end in self.env["chars"].get(id(token), []):
            if spans and spans[-1][1] == start:
                spans[-1] = (spans[-1][0], end)
            elif start < end:
                spans.append((start, end))
        while spans and self.source[spans[-1][1] - 1] == "\n":
            start, end = spans.pop()
            if end - 1 > start:
                spans.append((start, end - 1))
        words = token.info.split()
        self.build.add("code", spans, parent_id=self._parent(), locator=f"language={words[0]}" if words else None)

    def _html(self, token) -> None:
        """The text between the tags, one paragraph; a tag that breaks the flow parts words."""
        lines = self.env["chars"].get(id(token), [])
        if not lines:
            return
        start, end = lines[0][0], lines[-1][1]
        inline = InlineSpans(self.source, self.env)
        at = start
        for match in _TAG.finditer(self.source, start, end):
            self._pieces(inline, at, match.start(), lines)
            if (match[2] or "").lower() not in _INLINE_TAGS and inline.spans:
                inline.spans.append((match.start(), match.start()))
            at = match.end()
        self._pieces(inline, at, end, lines)
        self._text_if_any(inline)

    def _text_if_any(self, inline: InlineSpans) -> None:
        if render("paragraph", self.source, inline.spans):
            self._text(inline)

    def _pieces(self, inline: InlineSpans, start: int, end: int, lines: list[Span]) -> None:
        for first, until in lines:
            lo, hi = max(start, first), min(end, until)
            if lo < hi:
                add_span(inline.spans, self.source, lo, hi)

    def _caption(self) -> list[Span]:
        """The sentence that ends in a colon just before, if it is what the document last said."""
        if not self.build.rows:
            return []
        row = self.build.rows[-1]
        if row["kind"] != "paragraph" or not row["text"].endswith(":") or len(row["text"]) > _CAPTION_CHARS:
            return []
        first, until = split_sentences(row["text"])[-1]
        spans = [(s["start"], s["end"]) for s in row["source_spans"]]
        if first:
            spans = locate("paragraph", self.source, spans, first, until)
            if render("table", self.source, spans) != row["text"][first:until]:
                return []
        return spans

    def _table(self, i: int) -> int:
        caption = self._caption()
        rows: list[list[InlineSpans]] = []
        begin = None
        while self.tokens[i].type != "table_close":
            token = self.tokens[i]
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                chars = self.env["chars"].get(id(token), [])
                begin = chars[0] if begin is None and chars else begin
                rows[-1].append(self._inline(token))
            i += 1
        begin = begin or 0
        names = [normalize_text(render("row", self.source, cell.spans)) for cell in rows[0]]
        body = rows[1:] if len(rows) > 1 else rows
        header = [self.build.cell(name, cell.spans) for name, cell in zip(names, rows[0], strict=True)]
        table = self.build.add("table", caption or [(begin, begin)], parent_id=self._parent(), cells=header if len(rows) > 1 else None)
        if len(rows) == 1:
            names = [""] * len(names)
        for number, row in enumerate(body, 1):
            links = [(c, *link) for c, cell in enumerate(row) for link in cell.links]
            self.build.row([(name, cell.spans) for name, cell in zip(names, row, strict=True)], table, number, links)
            for cell in row:
                for tokens, chars in cell.notes:
                    self._put("footnote", self._read(tokens, chars, self.env["contents"][id(tokens)]), parent_id=table)
        return i + 1
