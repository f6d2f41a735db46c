"""Elements to drafts of chunks: structure first, then size, by rules that look at what stands there only.

A draft never crosses a heading. One paragraph is one draft, however short: what joins neighbours moves their ids when
one of them changes. Joined are only things that belong together as written: the items of a list, with the sentence that
leads in to it; the rows of a table; the fields of an infobox. The profile `merged` also joins runs of short paragraphs.
A long text is cut between sentences. Every element is in a draft, or in `dropped` with a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from schemas.ids import content_hash, normalize_text
from schemas.render import Span
from tasks.chunk.cutting import code_units, count_tokens, group, parts_of
from tasks.text.sentences import split_sentences

Row = dict[str, Any]

_LITERAL = "code"
_MEMBERS = {"row": "table", "field": "infobox"}
_LEAD_ENDS = (":", "：")


@dataclass
class Piece:
    """A slice of an element: renderer kind, spans, text, and its links by offset in that text."""

    kind: str
    spans: list[Span]
    text: str
    links: list[tuple[int, int, str]] = field(default_factory=list)


@dataclass
class Draft:
    """One chunk to be. `section` is the index of its section in `Drafts.sections`."""

    kind: str
    section: int
    heading_path: list[str]
    pieces: list[Piece]
    element_ids: list[str]
    blocks: list[str | None]
    header: str = ""


@dataclass
class Section:
    """What stands below one heading up to the next; the first section (level 0) stands before all headings."""

    level: int
    parent: int | None


class Drafts:
    """Drafts of one document, in document order. `config` is the section `chunk`."""

    def __init__(self, elements: Sequence[Row], source: str, language: str, config: Mapping[str, Any]) -> None:
        self.source, self.language, self.config = source, language, config
        self.elements = sorted(elements, key=lambda e: (e["ordinal"], e["element_id"]))
        self.by_id = {e["element_id"]: e for e in self.elements}
        self.sections: list[Section] = [Section(0, None)]
        self.drafts: list[Draft] = []
        self.dropped: list[tuple[Row, str]] = []
        self._here = 0
        self._waiting: list[Row] = []  # headings whose content is still to come
        self._members: dict[str, list[Row]] = {}
        self._captions: dict[str, list[Row]] = {}
        for element in self.elements:
            if element["kind"] in _MEMBERS and element["parent_id"] in self.by_id:
                self._members.setdefault(element["parent_id"], []).append(element)
            elif element["kind"] == "caption" and element["parent_id"] is not None:
                self._captions.setdefault(element["parent_id"], []).append(element)

    def make(self) -> Drafts:
        run: list[Row] = []
        for element in self.elements:
            kind = element["kind"]
            if kind in _MEMBERS and element["parent_id"] in self.by_id:
                continue
            if kind in ("list_item", "paragraph") and element["text"].strip():
                run.append(element)
                continue
            self._texts(run)
            run = []
            if kind == "heading":
                self._heading(element)
            elif kind in ("table", "infobox"):
                self._members_of(element, self._members.get(element["element_id"], []))
            elif kind in _MEMBERS:
                self._members_of(None, [element])
            elif element["text"].strip():
                self._single(element)
            else:
                self.dropped.append((element, "empty"))
        self._texts(run)
        self._close_headings(0)
        return self

    # --- headings

    def _heading(self, element: Row) -> None:
        level = max(1, element["level"] or 1)
        self._close_headings(level)
        self._waiting.append(element)
        parent = self._here
        while self.sections[parent].level >= level:
            parent = self.sections[parent].parent
        self.sections.append(Section(level, parent))
        self._here = len(self.sections) - 1
        element["section"] = self._here

    def _close_headings(self, level: int) -> None:
        """Headings below which nothing came are chunks of their own."""
        keep = [h for h in self._waiting if max(1, h["level"] or 1) < level]
        empty = [h for h in self._waiting if max(1, h["level"] or 1) >= level]
        self._waiting = []
        for heading in empty:
            if heading["text"].strip():
                self._add("heading", [heading], [self._piece(heading)], section=heading["section"], path=heading["heading_path"])
            else:
                self.dropped.append((heading, "empty"))
        self._waiting = keep

    # --- drafts

    def _add(
        self, kind: str, elements: Sequence[Row], pieces: list[Piece], *, header: str = "", section: int | None = None,
        path: list[str] | None = None,
    ) -> None:
        waiting, self._waiting = self._waiting, []
        if kind == "heading":
            waiting, self._waiting = [], waiting
        self.drafts.append(Draft(
            kind=kind, section=self._here if section is None else section,
            heading_path=list(elements[-1]["heading_path"] if path is None else path), pieces=pieces,
            element_ids=list(dict.fromkeys(e["element_id"] for e in [*waiting, *elements])),
            blocks=[e["block_id"] for e in elements], header=header,
        ))

    def _piece(self, element: Row) -> Piece:
        return Piece(element["kind"], _spans(element), element["text"], _links(element, 0, len(element["text"])))

    def _parts(self, element: Row) -> list[Piece]:
        """The element whole, or cut between sentences (code: between lines) where it is too long."""
        if count_tokens(element["text"]) <= self.config["max_tokens"]:
            return [self._piece(element)]
        bounds: Callable[[str], Sequence[Span]] = (
            (lambda text: code_units(text, self.config["max_tokens"])) if element["kind"] == _LITERAL
            else lambda text: split_sentences(text, self.language)
        )
        cuts = parts_of(element["kind"], self.source, _spans(element), bounds, self.config["target_tokens"],
                        self.config["max_tokens"], self.config["min_tokens"])
        return [Piece(element["kind"], spans, element["text"][a:b], _links(element, a, b)) for spans, a, b in cuts]

    def _single(self, element: Row) -> None:
        for piece in self._parts(element):
            self._add(element["kind"], [element], [piece])

    def _texts(self, run: list[Row]) -> None:
        """Paragraphs and items of one section, in order."""
        i = 0
        while i < len(run):
            j = i
            if run[i]["kind"] == "paragraph" and run[i]["parent_id"] is None:
                if run[i]["text"].endswith(_LEAD_ENDS) and i + 1 < len(run) and run[i + 1]["kind"] == "list_item":
                    j = self._list_end(run, i + 1)
                    self._list(run[i], run[i + 1 : j])
                else:
                    j = self._short_run(run, i)
                    if j > i + 1:
                        self._add("paragraph", run[i:j], [self._piece(e) for e in run[i:j]])
                    else:
                        self._single(run[i])
                        j = i + 1
            elif run[i]["kind"] == "paragraph":  # of an item that other things part it from
                self._single(run[i])
                j = i + 1
            else:
                j = self._list_end(run, i)
                self._list(None, run[i:j])
            i = j

    def _short_run(self, run: list[Row], i: int) -> int:
        """Profile `merged`: end of the run of short paragraphs that begins here. Two are joined by their own texts alone."""
        if self.config["profile"] != "merged":
            return i + 1
        size, j = 0, i
        while j < len(run) and run[j]["kind"] == "paragraph" and run[j]["parent_id"] is None:
            own = count_tokens(run[j]["text"])
            if own >= self.config["min_tokens"] or (j > i and size + own > self.config["target_tokens"]):
                break
            if run[j]["text"].endswith(_LEAD_ENDS) and j + 1 < len(run) and run[j + 1]["kind"] == "list_item":
                break
            size += own
            j += 1
            if int(content_hash(normalize_text(run[j - 1]["text"]))[:8], 16) % 4 == 0:
                break
        return max(j, i + 1)

    def _list_end(self, run: list[Row], i: int) -> int:
        """End of the list that begins at an item: its items and the paragraphs that belong to them."""
        while i < len(run) and (run[i]["kind"] == "list_item" or run[i]["parent_id"] is not None):
            i += 1
        return i

    def _list(self, lead: Row | None, items: list[Row]) -> None:
        """One list: whole if it fits, else cut between its outermost items; an item too long is cut like a paragraph."""
        target, most, least = (self.config[name] for name in ("target_tokens", "max_tokens", "min_tokens"))
        outermost = min(e["level"] or 1 for e in items if e["kind"] == "list_item")
        units: list[list[Row]] = []
        for item in items:
            if units and not (item["kind"] == "list_item" and (item["level"] or 1) <= outermost):
                units[-1].append(item)
            else:
                units.append([item])
        units = [u for unit in units for u in ([unit] if self._size(unit) <= most else [[e] for e in unit])]
        if lead is not None and self._size([lead, *units[0]]) > most:
            self._single(lead)
            lead = None
        if lead is not None:
            units[0] = [lead, *units[0]]
        for a, b in group(["\n".join(e["text"] for e in unit) for unit in units], target, most, least):
            members = [e for unit in units[a:b] for e in unit]
            if len(members) == 1:
                for piece in self._parts(members[0]):
                    self._add("list_item", members, [piece])
            else:
                self._add("list_item", members, [self._piece(e) for e in members])

    def _size(self, elements: Sequence[Row]) -> int:
        return sum(count_tokens(e["text"]) for e in elements)

    def _members_of(self, parent: Row | None, members: list[Row]) -> None:
        """Rows of a table, fields of an infobox: groups that carry the header. The parent counts with its first group."""
        kind = parent["kind"] if parent is not None else _MEMBERS[members[0]["kind"]]
        shown = [m for m in members if m["text"].strip()]
        self.dropped += [(m, "empty") for m in members if not m["text"].strip()]
        if not shown:
            if parent is not None and parent["text"].strip():
                self._single(parent)
            elif parent is not None:
                self.dropped.append((parent, f"{kind}_without_text"))
            return
        header = _header(parent, members, self._captions.get(parent["element_id"], ()) if parent is not None else ())
        target, most = self.config["target_tokens"], self.config["max_tokens"]
        for n, (a, b) in enumerate(group([m["text"] for m in shown], target, most, self.config["min_tokens"])):
            own = shown[a:b]
            elements = [parent, *own] if parent is not None and n == 0 else own
            self._add(kind, elements, [self._piece(m) for m in own], header=header, path=own[0]["heading_path"])


def _header(parent: Row | None, members: Sequence[Row], captions: Sequence[Row] = ()) -> str:
    """Caption, then the column headers; for an infobox its name."""
    own = normalize_text(parent["text"]) if parent is not None else ""
    if members[0]["kind"] != "row":
        return own
    names = [c["name"] or "" for c in (parent or {}).get("cells") or []]
    caption = own
    if not any(names):
        # A name that stands in its own row is a row's label, not a column's header.
        names = list(dict.fromkeys(
            c["name"] or "" for m in members for c in m["cells"] or [] if c["name"] not in [o["text"] for o in m["cells"]]
        ))
        if any(names):  # the table's text has the column headers in it
            caption = " ".join(normalize_text(c["text"]) for c in captions)
    named = " | ".join(normalize_text(n) for n in names if n.strip())
    return "\n".join(line for line in (caption, named) if line)


def _spans(element: Row) -> list[Span]:
    return [(s["start"], s["end"]) for s in element["source_spans"]]


def _links(element: Row, first: int, until: int) -> list[tuple[int, int, str]]:
    return [
        (link["start"] - first, link["end"] - first, link["target"]) for link in element["links"] or []
        if first <= link["start"] and link["end"] <= until
    ]
