"""Infobox templates to fields: which templates are infoboxes, and the items of each value."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.render import render
from tasks.parse.wikinodes import Node
from tasks.parse.wikishow import Show
from tasks.parse.wikispans import Shown, Span, tidy, trim
from tasks.parse.wikitemplates import NOT_INFOBOXES, is_infobox_name

_MIN_NAMED, _MIN_PLAIN = 4, 2


@dataclass(slots=True)
class Field:
    """One key of an infobox: spans of 'key: item; item', and the items as (text, spans)."""

    key: str
    spans: list[Span]
    items: list[tuple[str, list[Span]]]
    show: Show


def is_infobox(text: str, node: Node, name: str) -> bool:
    """By its name, and it has a named parameter."""
    return is_infobox_name(name) and any(p[1] >= 0 for p in node.parts[1:])


def lead_infobox(text: str, node: Node) -> bool:
    """A template of the lead with at least 4 named parameters, 2 of them with plain values (a taxobox, a 'Bio')."""
    if len(node.parts) <= _MIN_NAMED:
        return False
    name = " ".join(text[node.parts[0][0] : node.parts[0][2]].replace("_", " ").split()).casefold()
    if name in NOT_INFOBOXES or name.startswith(("cite ", "pp-", "#")) or ":" in name:
        return False
    named = [p for p in node.parts[1:] if p[1] >= 0]
    plain = [p for p in named if text[p[1] + 1 : p[2]].strip() and "{{" not in text[p[1] : p[2]]]
    return len(named) >= _MIN_NAMED and len(plain) >= _MIN_PLAIN


def infobox_fields(text: str, node: Node) -> list[Field]:
    """Fields in order; a key without a shown value has no items (its `show` may hold notes or nested boxes)."""
    out = []
    for part in node.parts[1:]:
        if part[1] < 0:
            continue
        start, end = part[0], part[1]
        for child in node.children[part[3] : part[4]]:  # a comment before the key
            if child.end <= end:
                start = max(start, child.end)
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        key = text[start:end]
        if not key or "\n" in key:
            continue
        pipe = (part[0] - 1, part[0]) if text[part[0] - 1 : part[0]] == "|" else None
        for generous in (False, True):
            show = Show(text, generous=generous)
            show.argument(node, part, False, bullets=True)
            items = value_items(text, show.spans, pipe)
            if items or show.boxes or show.tables:
                break
        spans: list[Span] = [(start, end), (part[1], part[1] + 1)]
        for index, (_, item, separator) in enumerate(items):
            if index:
                spans.append(separator)
            spans += item
        out.append(Field(" ".join(key.split()), spans, [(t, s) for t, s, _ in items], show))
    return out


def value_items(text: str, shown: list[Shown], pipe: Span | None) -> list[tuple[str, list[Span], Span]]:
    """(text, spans, the separator before it) per item of a value.

    Items are parted at line breaks, bullets and list arguments. One that begins with '(' or falls inside open
    parentheses belongs to the item before it: "Arvind Krishna<br>(Chairman and CEO)" is one.
    """
    groups: list[tuple[list[Shown], Span]] = [([], (0, 0))]
    for piece in shown:
        if piece[2] == 1:
            start, end, _ = piece
            groups.append(([], (start, end) if end - start > 1 else (start, start)))
        else:
            groups[-1][0].append(piece)
    merged: list[tuple[list[Span], Span]] = []
    depth = 0  # parentheses open in the item so far
    for pieces, separator in groups:
        spans = tidy(text, "field", pieces, pipe)
        value = render("field", text, spans)
        if not value.strip(" ;,·•"):
            continue
        if merged and (value[0] in "(（" or depth > 0):
            merged[-1][0].extend([pipe, *spans] if pipe else spans)
        else:
            merged.append((spans, separator))
            depth = 0
        depth += value.count("(") - value.count(")")
    return [(render("field", text, spans), trim(text, spans), separator) for spans, separator in merged]
