"""Elements of blocks that no longer stand: what a page once said, told once for each distinct block.

Guarantees: a block is parsed by itself, once, in whatever number of revisions it stood; its spans count in the block's own
wikitext, which `texts` holds; a block that reads as another one does (only its markup differs) has no elements of its
own, and `blocks.same_as` names the one that stands for it. Newest first, then by place in the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from schemas.ids import block_id, content_hash, version_id
from tasks.parse.history import History
from tasks.parse.segments import Segmenter
from tasks.parse.wikiblocks import COMMENT_BLOCK, HEADING, segments

Row = dict[str, Any]
Parse = Callable[[Sequence[tuple[str, str]]], list[tuple[list[Row], list[Row]]]]


@dataclass(frozen=True, slots=True)
class PageBlock:
    """A distinct block of a page: id, wikitext, kind as split."""

    id: str
    text: str
    kind: str


class BlockNumbers:
    """Splits the texts of one page; equal blocks have one number, whatever revisions they stand in. `met` is told the id and
    wikitext of each new block that shows something. `stretches` gives the page's stretches by name, for `read_names`."""

    def __init__(self, document: str, met: Callable[[str, str], None] | None = None, stretches: Mapping[int, str] | None = None) -> None:
        self.document, self._met = document, met
        self._segmenter = Segmenter(stretches or {})
        self.blocks: list[PageBlock] = []
        self._numbers: dict[str, int] = {}
        self._segments: dict[str, tuple[int, ...]] = {}
        self._texts: dict[str, tuple[int, tuple[int, ...]]] = {}

    def read(self, hashed: str, content: Callable[[], str | bytes]) -> tuple[int, tuple[int, ...]]:
        """(length, numbers of the blocks in order) of the text with this hash; `content` gives it where it is new."""
        if hashed in self._texts:
            return self._texts[hashed]
        text = content()
        assert isinstance(text, str)
        return self._read(hashed, len(text), (segment for _, segment in segments(text, self._segmenter.memo)))

    def read_names(self, hashed: str, names: Callable[[], Sequence[int]]) -> tuple[int, tuple[int, ...]]:
        """As `read`, of the names of the text's stretches: no text is built where none is needed."""
        if hashed in self._texts:
            return self._texts[hashed]
        found = names()
        return self._read(hashed, self._segmenter.length(found), self._segmenter.segments(found))

    def _read(self, hashed: str, length: int, parts: Iterable[str]) -> tuple[int, tuple[int, ...]]:
        memo = self._segmenter.memo
        found: list[int] = []
        for segment in parts:
            known = self._segments.get(segment)
            if known is None:
                known = self._segments[segment] = tuple(self._number(segment[a:b], kind) for a, b, kind in memo[segment][0])
            found += known
        self._texts[hashed] = (length, tuple(found))
        return self._texts[hashed]

    def _number(self, text: str, kind: str) -> int:
        if text not in self._numbers:
            self._numbers[text] = len(self.blocks)
            block = PageBlock(block_id(self.document, text), text, kind)
            self.blocks.append(block)
            if self._met is not None and kind != COMMENT_BLOCK:
                self._met(block.id, block.text)
        return self._numbers[text]


@dataclass
class Past:
    """Rows for `elements` and `texts`, faults for `quarantine`, and block id -> id of the block that reads the same."""

    elements: list[Row] = field(default_factory=list)
    texts: list[Row] = field(default_factory=list)
    notes: list[Row] = field(default_factory=list)
    same_as: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a block stood last: index of the revision, position in it, headings above."""

    revision: int
    position: int
    path: tuple[str, ...]


def past_elements(
    document: str, history: History, blocks: Sequence[PageBlock], head: Sequence[Row], parse: Parse, first_ordinal: int
) -> Past:
    """Parses every block that the head lacks. `blocks[n]` is the block that `history` calls n; `head` are the head's
    elements; `parse` gives rows and faults of each (block id, wikitext) that it is given, each read by itself."""
    out = Past()
    standing = {run.block for run in history.runs if run.last is None}
    readings: dict[tuple, str] = {}
    readings.update(_head_readings(head))
    places = _places(history, blocks, standing, _headings(blocks, parse))
    ordinal = first_ordinal
    wanted = sorted(places.items(), key=lambda item: (-item[1].revision, item[1].position))
    parsed = parse([(blocks[number].id, blocks[number].text) for number, _ in wanted])
    for (number, place), (rows, notes) in zip(wanted, parsed, strict=True):
        block = blocks[number]
        out.notes += notes
        if not rows:
            continue
        reading = _reading(rows)
        if reading in readings:
            out.same_as[block.id] = readings[reading]
            continue
        readings[reading] = block.id
        version = version_id(document, history.order[place.revision].id)
        text_object = content_hash(block.text)
        out.texts.append({"document_id": document, "text_object": text_object, "canonical_text": block.text})
        for row in rows:
            out.elements.append(row | {
                "version_id": version, "text_object": text_object, "block_id": block.id, "ordinal": ordinal,
                "heading_path": [*place.path, *row["heading_path"]],
            })
            ordinal += 1
    return out


def _reading(rows: Sequence[Row]) -> tuple:
    """What a block says, its markup left out."""
    return tuple((row["kind"], row["text"]) for row in rows)


def _head_readings(elements: Sequence[Row]) -> dict[tuple, str]:
    by_block: dict[str, list[Row]] = {}
    for row in elements:
        if row["block_id"] is not None:
            by_block.setdefault(row["block_id"], []).append(row)
    out: dict[tuple, str] = {}
    for block, rows in by_block.items():
        out.setdefault(_reading(rows), block)
    return out


def _headings(blocks: Sequence[PageBlock], parse: Parse) -> dict[int, tuple[int, str]]:
    """Number of each heading's block -> its level and text."""
    numbers = [n for n, block in enumerate(blocks) if block.kind == HEADING]
    out = {}
    for n, (rows, _) in zip(numbers, parse([(blocks[n].id, blocks[n].text) for n in numbers]), strict=True):
        found = next((r for r in rows if r["kind"] == HEADING), None)
        if found is not None:
            out[n] = (found["level"] or 1, found["text"])
    return out


def _places(
    history: History, blocks: Sequence[PageBlock], standing: set[int], headings: Mapping[int, tuple[int, str]]
) -> dict[int, _Place]:
    """Where each block that the head lacks stood last; headings and comments are left out."""
    last: dict[int, int] = {}
    for run in history.runs:
        if run.block not in standing and run.last is not None and blocks[run.block].kind not in (HEADING, COMMENT_BLOCK):
            last[run.block] = max(last.get(run.block, -1), run.last)
    wanted: dict[int, set[int]] = {}
    for block, revision in last.items():
        wanted.setdefault(revision, set()).add(block)
    out: dict[int, _Place] = {}
    for revision, members in wanted.items():
        stack: list[tuple[int, str]] = []
        for position, number in enumerate(history.order[revision].blocks):
            if blocks[number].kind == HEADING:
                found = headings.get(number)
                if found is not None:
                    while stack and stack[-1][0] >= found[0]:
                        stack.pop()
                    stack.append(found)
            elif number in members and number not in out:
                out[number] = _Place(revision, position, tuple(text for _, text in stack))
    return out


def block_rows(document: str, blocks: Sequence[PageBlock], told: Past) -> list[Row]:
    """Rows of `blocks`, by id."""
    rows = [{"block_id": b.id, "document_id": document, "text": b.text, "same_as": told.same_as.get(b.id)} for b in blocks]
    return sorted(rows, key=lambda row: row["block_id"])


def lifetime_rows(document: str, history: History, blocks: Sequence[PageBlock]) -> list[Row]:
    """Rows of `lifetimes`, by block id and first revision."""
    order = history.order
    out = []
    for run in history.runs:
        last = None if run.last is None else order[run.last]
        gone = None if run.ended_by is None else order[run.ended_by]
        out.append({
            "block_id": blocks[run.block].id, "document_id": document, "first_revision": order[run.first].id,
            "from_time": order[run.first].time, "last_revision": None if last is None else last.id,
            "to_time": None if last is None else last.time, "gone_revision": None if gone is None else gone.id,
            "gone_time": None if gone is None else gone.time, "status": run.status,
        })
    out.sort(key=lambda row: (row["block_id"], row["first_revision"]))
    return out


def verdict_rows(history: History) -> Mapping[str, tuple[str, str | None]]:
    """Revision id -> (why it counts for nothing or '', the revision that undid it)."""
    out = {}
    for revision, verdict in zip(history.order, history.verdicts, strict=True):
        undone = None if verdict.undone_by is None else history.order[verdict.undone_by].id
        out[revision.id] = ("" if verdict.verdict == "standing" else verdict.verdict, undone)
    return out
