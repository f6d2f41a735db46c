"""Plain text to elements: paragraphs by blank lines, underlined headings, list items. Every visible word is kept.

A heading is one line that stands at the start of a paragraph, underlined by a line of `=` (level 1) or `-` (level 2) of
about its own length. An item starts with a bullet or a number; lines indented below it belong to it.
"""

from __future__ import annotations

import re

from schemas.render import Span
from tasks.parse.build import ElementBuilder, literal_spans

_UNDERLINE = re.compile(r"^\s{0,3}(=+|-+)\s*$")
_ITEM = re.compile(r"^(\s*)(?:[-*•·‣]|\(?\d{1,3}[.)]|\(?[a-z][.)])[ \t]+(?=\S)")


def lines_of(text: str) -> list[Span]:
    """Half-open offsets of the lines of `text`, newlines left out."""
    out, at = [], 0
    for line in text.split("\n"):
        out.append((at, at + len(line)))
        at += len(line) + 1
    return out


def find_title(text: str) -> str | None:
    """The first line, if it is an underlined heading."""
    filled = [(s, e) for s, e in lines_of(text) if text[s:e].strip()][:2]
    if len(filled) == 2 and _is_heading(text, *filled):
        return text[slice(*filled[0])].strip()
    return None


def _is_heading(text: str, line: Span, below: Span) -> bool:
    match = _UNDERLINE.match(text[below[0] : below[1]])
    length = len(text[line[0] : line[1]].strip())
    return bool(match) and length > 0 and len(match[1]) >= max(3, length // 2) and not _ITEM.match(text[line[0] : line[1]])


def parse_plain(document_id: str, version_id: str, title: str | None, text: str, config: dict) -> list[dict]:
    """`elements` rows of a plain text; spans count in `text` itself."""
    build = ElementBuilder(document_id, version_id, text, title)
    lines = lines_of(text)
    group: list[Span] = []
    indent: int | None = None  # indent of the open list item's marker
    indents: list[int] = []
    i = 0

    def close() -> None:
        nonlocal group, indent
        if group:
            start, end = group[0][0], group[-1][1]
            spans = literal_spans(text, start, end)
            if indent is None:
                build.add("paragraph", spans)
            else:
                build.add("list_item", spans, level=len(indents))
        group, indent = [], None

    while i < len(lines):
        start, end = lines[i]
        line = text[start:end]
        if not line.strip():
            close()
        elif not group and i + 1 < len(lines) and _is_heading(text, lines[i], lines[i + 1]):
            indents = []
            level = 1 if "=" in text[slice(*lines[i + 1])] else 2
            build.add("heading", literal_spans(text, start, end), level=level)
            i += 1
        elif match := _ITEM.match(line):
            close()
            indent = len(match[1].expandtabs(4))
            while indents and indents[-1] > indent:
                indents.pop()
            if not indents or indents[-1] < indent:
                indents.append(indent)
            group = [(start + match.end(), end)]
        else:
            if not group and not line[0].isspace():
                indents = []
            group.append((start, end))
        i += 1
    close()
    return build.rows
