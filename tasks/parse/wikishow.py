"""What of a stretch of wikitext is shown, as spans: markup is cut out by leaving it out.

Guarantees: spans lie within the stretch (a blank that joins two parts may be borrowed from the block), text made by the
renderer from them is what a reader sees, and links, notes, captions, tables and infoboxes met on the way are collected,
not lost.
"""

from __future__ import annotations

import re

from tasks.parse.wikinodes import ARGUMENT, BULLET, COMMENT, EXTERNAL, LINK, LITERAL, MARK, TABLE, TAG, TEMPLATE, Node
from tasks.parse.wikisite import CATEGORY_PREFIXES, FILE_PREFIXES, LANGUAGES, page_title
from tasks.parse.wikispans import Shown
from tasks.parse.wikitemplates import CITE_KEYS, how_shown, is_infobox_name, template_name

_FILE_OPTION = re.compile(
    r"\s*(?:thumb(?:nail)?|mini(?:atur)?|frame(?:d|less)?|border|left|right|center|centre|none|gauche|droite|centré|links|rechts|zentriert|"
    r"upright.*|redresse.*|hochkant.*|\d*\s*(?:x\s*\d+)?\s*p(?:x|ixels?)|alt\s*=.*|link\s*=.*|lien\s*=.*|class\s*=.*|lang\s*=.*|page\s*=.*|thumb\s*=.*|"
    r"start(?:time)?\s*=.*|end(?:time)?\s*=.*|thumbtime\s*=.*|baseline|sub|super|top|text-top|middle|bottom|text-bottom|vignette|miniatura|"
    r"sinistra|destra|centro|izquierda|derecha|мини|справа|слева|)\s*",
    re.IGNORECASE | re.DOTALL,
)
_URL = re.compile(r"\[(?:(?:https?:|ftp:)?//|mailto:)[^\s\]\[<>\"]*")
_LEADING_BULLETS = re.compile(r"\s*[*#:;]+(?=\s*\S)")
_KEY = re.compile(r"\s*(\d+)\s*")
_BREAKING_MARKS = frozenset({"br", "li", "p", "/p", "div", "/div", "tr", "td", "th", "hr", "dd", "dt", "/li", "ul", "/ul", "ol", "/ol"})
_UNIT_PAIRS = frozenset({("ft", "in"), ("lb", "oz"), ("st", "lb"), ("mi", "yd"), ("yd", "ft"), ("foot", "in"), ("ft", "8in"), ("mi", "ch")})
_CONNECTORS = frozenset(["to", "and", "by", "x", "×", "-", "–", "—", "or", "+/-", "±", "&", "*", ",", "and(-)", "to(-)", "xx", "to", "about"]) | {"to about"}
_LIST_LIKE = frozenset({"plainlist", "plain list", "flatlist", "flat list", "startplainlist", "longitem", "bulleted", "vlist"})


class Show:
    """Collects what one element shows. `cites`: citations are shown; `generous`: so are the arguments of unknown templates."""

    __slots__ = ("boxes", "captions", "cites", "depth", "generous", "links", "notes", "spans", "tables", "text")

    def __init__(self, text: str, cites: bool = False, generous: bool = False) -> None:
        self.text, self.cites, self.generous = text, cites, generous
        self.spans: list[Shown] = []
        self.links: list[tuple[int, int, str]] = []
        self.notes: list[Node] = []
        self.captions: list[tuple[list[Node], int, int]] = []
        self.tables: list[Node] = []
        self.boxes: list[Node] = []
        self.depth = 0

    def walk(self, nodes, start: int, end: int) -> None:
        """Shows text[start:end], of which `nodes` are the nodes in order (others may stand before and after)."""
        at, spans = start, self.spans
        for node in nodes:
            if node.start < at:
                continue
            if node.start >= end:
                break
            if node.start > at:
                spans.append((at, node.start, 0))
            at = node.end
            kind = node.kind
            if kind == MARK:
                name = node.name
                if name == "br":
                    spans.append((node.start, node.end, 1))
                elif name in _BREAKING_MARKS:
                    spans.append((node.start, node.start, 1))
                elif name == "sup" and self.text[node.start - 1 : node.start].isdigit() and self.text[node.end : node.end + 1].isdigit():
                    spans.append((node.start, node.start, 2))
            elif kind == TEMPLATE:
                self.template(node)
            elif kind == LINK:
                self.link(node)
            elif kind == TAG:
                if node.name == "ref":
                    self.notes.append(node)
                elif node.name == "gallery":
                    self.captions += gallery_captions(self.text, node)
                elif node.name == "poem":
                    self.walk(node.children, node.inner, node.inner_end)
            elif kind == BULLET:
                spans.append((node.start, node.start + 1, 1))
            elif kind == EXTERNAL:
                url = _URL.match(self.text, node.start, node.inner_end)
                if url:
                    self.walk(node.children, url.end(), node.inner_end)
            elif kind == LITERAL:
                self.literal(node)
            elif kind == TABLE:
                self.tables.append(node)
            else:
                assert kind in (COMMENT, ARGUMENT)
        if at < end:
            spans.append((at, end, 0))

    def literal(self, node: Node) -> None:
        if node.name in ("nowiki", "pre", "source", "syntaxhighlight"):
            self.spans.append((node.inner, node.inner_end, 0))
        elif node.name in ("math", "chem", "ce"):
            formula = self.text[node.inner : node.inner_end]
            if len(formula) <= 60 and not any(c in "\\{}^_" for c in formula):
                self.spans.append((node.inner, node.inner_end, 0))

    def link(self, node: Node) -> None:
        target_part = node.parts[0]
        raw = self.text[target_part[0] : target_part[2]]
        target = raw.strip()
        prefix, colon, _ = target.partition(":")
        if colon and prefix:
            prefix = prefix.strip()
            lower = prefix.lower().replace(" ", "_")
            if lower in FILE_PREFIXES:
                self.captions += _file_caption(self.text, node)
                return
            if lower in CATEGORY_PREFIXES or (prefix in LANGUAGES and len(node.parts) == 1):
                return
        before = len(self.spans)
        if len(node.parts) > 1 and self.text[node.parts[1][0] : node.inner_end].strip():
            self.walk(node.children[node.parts[1][3] :], node.parts[1][0], node.inner_end)
        else:
            start, end = target_part[0], target_part[2]
            while start < end and self.text[start] in " \t\n:":
                start += 1
            self.walk(node.children[: target_part[5]], start, end)
        if len(self.spans) > before:
            title = page_title(target)
            if title and "[" not in title and "{" not in title and "<" not in title:
                self.links.append((self.spans[before][0], self.spans[-1][1], title))

    # --- templates

    def template(self, node: Node) -> None:
        name = template_name(self.text[node.parts[0][0] : node.parts[0][2]])
        how = how_shown(name)
        if how is None:
            if is_infobox_name(name):
                self.boxes.append(node)
            elif self.generous and not name.startswith(("flagicon", "flag icon", "pp-", "#", "clear", "citation needed", "cn", "increase", "decrease")):
                how = "all"
        if how is None or self.depth > 12:
            return
        self.depth += 1
        try:
            self._template(node, name, how)
        finally:
            self.depth -= 1

    def _template(self, node: Node, name: str, how: object) -> None:
        if how == "note":
            self.notes.append(node)
            return
        if how == "cite":
            if self.cites:
                self.citation(node)
            return
        if how == "colon":
            head = node.parts[0]
            colon = self.text.find(":", head[0], head[2])
            if colon >= 0:
                self.walk(node.children[: head[5]], colon + 1, head[2])
            return
        if how == "blank":
            self.spans.append((node.start, node.start, 2))
            return
        if how == "name":
            self.spans.append((node.parts[0][0], node.parts[0][2], 0))
            return
        arguments = positional(self.text, node)
        if isinstance(how, tuple):
            first = True
            for number in how:
                if number <= len(arguments):
                    self.argument(node, arguments[number - 1], not first, 0, name in _LIST_LIKE)
                    first = False
            return
        if how == "named" or (how == "either" and not any(self.filled(a) for a in arguments)):
            self.spans.append((node.parts[0][0], node.parts[0][2], 0))
            if how == "named":
                for argument in arguments:
                    self.argument(node, argument, True)
            return
        filled = [a for a in arguments if self.filled(a)]
        if how in ("first", "either"):
            chosen = filled[:1]
        elif how == "last":
            chosen = filled[-1:]
        elif how == "label":
            chosen = filled[1:2] or filled[:1]
        elif how == "convert":
            chosen = self.quantity(arguments)
        elif how == "val":
            chosen = filled[:1] + [p for p in node.parts[1:] if p[1] >= 0 and self.key(p) in ("u", "ul", "up", "upl", "end", "e")]
        elif how == "date3":
            chosen = self.date(arguments)
        else:
            chosen = arguments
        for index, argument in enumerate(chosen):
            self.argument(node, argument, index > 0 or how == "items", 1 if how == "items" else 0, how == "items")

    def argument(self, node: Node, part, joined: bool, item: int = 0, bullets: bool = False) -> None:
        """One argument's value; `joined`: parted from what precedes by its pipe, which renders as a blank."""
        start, low = (part[1] + 1, part[4]) if part[1] >= 0 else (part[0], part[3])
        pipe = part[0] - 1
        if joined and self.text[pipe : part[0]] == "|":
            self.spans.append((pipe, part[0], item))
        if bullets or item:
            bullet = _LEADING_BULLETS.match(self.text, start, part[2])
            if bullet:
                start = bullet.end()
        self.walk(node.children[low : part[5]], start, part[2])

    def filled(self, part) -> bool:
        start = part[1] + 1 if part[1] >= 0 else part[0]
        return bool(self.text[start : part[2]].strip())

    def key(self, part) -> str:
        return self.text[part[0] : part[1]].strip().casefold() if part[1] >= 0 else ""

    def value(self, part) -> str:
        start = part[1] + 1 if part[1] >= 0 else part[0]
        return self.text[start : part[2]].strip()

    def quantity(self, arguments) -> list:
        """{{convert}}: numbers with their connectors and the first unit (5|to|10|km, 5|ft|3|in); not the units converted to."""
        out, unit, index = [], "", 0
        while index < len(arguments):
            value = self.value(arguments[index])
            number = bool(value) and (value[0].isdigit() or value[0] in "+-−.~(" or value in _CONNECTORS) and not value.isalpha()
            if unit:
                following = self.value(arguments[index + 1]) if index + 1 < len(arguments) else ""
                if not (number and (unit, following) in _UNIT_PAIRS):
                    break
                out += arguments[index : index + 2]
                unit, index = following, index + 2
                continue
            out.append(arguments[index])
            if not number and value not in _CONNECTORS:
                unit = value
            index += 1
        return out

    def date(self, arguments) -> list:
        """Year, month, day; a first argument that is not a number stands alone ({{birth date|4 June 1970}})."""
        out = []
        for argument in arguments:
            value = self.value(argument)
            if not value:
                continue
            if not out and not value.isdigit():
                return [argument]
            if not value.isdigit() and not value.isalpha():
                break
            out.append(argument)
            if len(out) == 3:
                break
        return out

    def citation(self, node: Node) -> None:
        """What a reader of the reference list sees, in the order written: authors, title, work, date."""
        for part in node.parts[1:]:
            if (part[1] < 0 or self.key(part) in CITE_KEYS) and self.filled(part):
                self.argument(node, part, True)


def positional(text: str, node: Node) -> list:
    """Unnamed arguments in order, and those named by a number; {{x|a|2=b}} -> a, b."""
    out = []
    for part in node.parts[1:]:
        if part[1] < 0:
            out.append(part)
        else:
            key = _KEY.fullmatch(text, part[0], part[1])
            # A key with white space or marks of an address inside is no key: {{url|http://x?a=b}}.
            if key or any(c in "/?&:" for c in text[part[0] : part[1]]):
                out.append(part if key else [part[0], -1, part[2], part[3], part[3], part[5]])
    return out


def _file_caption(text: str, node: Node) -> list[tuple[list[Node], int, int]]:
    for part in reversed(node.parts[1:]):
        if not _FILE_OPTION.fullmatch(text, part[0], part[2]):
            return [(node.children[part[3] : part[5]], part[0], part[2])]
    return []


def gallery_captions(text: str, node: Node) -> list[tuple[list[Node], int, int]]:
    """Captions of <gallery> lines `File:x.jpg|caption`."""
    out = []
    at = node.inner
    while at < node.inner_end:
        end = text.find("\n", at, node.inner_end)
        end = node.inner_end if end < 0 else end
        inside = [n for n in node.children if at <= n.start < end]
        if inside:
            end = max(end, inside[-1].end)
        pipe = text.find("|", at, end)
        while pipe >= 0:
            stop = pipe + 1
            nxt = text.find("|", stop, end)
            while nxt >= 0 and any(n.start <= nxt < n.end for n in inside):
                nxt = text.find("|", nxt + 1, end)
            if not _FILE_OPTION.fullmatch(text, stop, nxt if nxt >= 0 else end):
                out.append((inside, stop, end))
                break
            pipe = nxt
        at = end + 1
    return out
