"""The tree of an HTML page as a reader sees it: what is dropped, what breaks the flow, its title and its date."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from schemas.ids import normalize_text

DROPPED = frozenset(
    ["head", "script", "style", "noscript", "template", "nav", "aside", "iframe", "noframes", "noembed", "object", "embed", "audio", "video", "canvas", "datalist", "annotation", "annotation-xml", "metadata", "defs", "desc", "title"]
)
BLOCKS = frozenset(
    ["address", "article", "blockquote", "body", "center", "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html", "legend", "li", "listing", "main", "menu", "nav", "ol", "optgroup", "option", "p", "plaintext", "pre", "search", "section", "select", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "xmp", "caption", "aside"]
)
HEADINGS = {f"h{n}": n for n in range(1, 7)}
_CONTENT = ("article", "main", "section", "blockquote", "td", "li", "figure")
_NOTES = frozenset(["footnotes", "footnote", "references", "endnotes", "reflist"])
_NOTE_ROLES = frozenset(["doc-footnote", "doc-endnote", "doc-endnotes"])
_WHITE = re.compile(r"\s+")
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)\b[^>]*?(/?)>")
_VOID = frozenset(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr", "p", "li", "td", "th", "tr", "dt", "dd", "option"])
_PARSER_DEPTH = 10_000  # lexbor's tree builder takes time quadratic in the depth


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
    if tag == "aside" and is_note(attributes):
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


def is_note(attributes: Mapping[str, Any]) -> bool:
    words = set((attributes.get("class") or "").lower().split())
    return bool(words & _NOTES) or (attributes.get("role") or "").lower() in _NOTE_ROLES


def children(node) -> list:
    """The child nodes, first to last."""
    out, child = [], node.first_child
    while child is not None:
        out.append(child)
        child = child.next
    return out
