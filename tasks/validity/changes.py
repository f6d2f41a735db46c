"""What changed from one standing revision to the next, slot by slot, and what kind of change it was: the table `changes`.

Guarantees: read from the lifetimes of blocks alone, so a change of markup is no change and noise cuts nothing; one row
per slot that differs between the last revision that showed the old text and the first that showed the new one; a row of the
slot `page` for each revision that counts for nothing and for each that undid one. The rows of a page depend on that page.
"""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from rapidfuzz import fuzz

from schemas.ids import make_id
from schemas.stage import Tables
from schemas.tables import TABLES
from tasks.text.media import FILE_NAME
from tasks.text.sentences import split_sentences
from tasks.validity.boxes import beside, has_ended, pair_boxes
from tasks.validity.kinds import ADDITION, REMOVAL, RENAME, REVERT, VANDALISM, folded, same_text, tell_kind
from tasks.validity.lives import NOISE

PAGE, TEXT = "page", "text"
_PROSE = ("paragraph", "list_item", "caption", "row")
_ALIKE, _MOVED = 45.0, 95.0
_MAX_PAIRS = 40_000

Row = dict[str, Any]


@dataclass
class _Reading:
    """What a block says: its infobox fields as key -> value, and its sentences."""

    fields: dict[str, str] = field(default_factory=dict)
    sentences: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass
class _Edit:
    """Blocks that went and came between two neighbouring standing revisions."""

    gone: list[str] = field(default_factory=list)
    came: list[str] = field(default_factory=list)


def find_changes(config: Mapping[str, Any], tables: Tables) -> Tables:
    """elements, blocks, lifetimes, versions -> changes."""
    readings = _readings(tables["elements"])
    same = _same(tables["blocks"])
    lives = _group(tables["lifetimes"], ("from_time", "to_time", "gone_time"))
    versions = _group(tables["versions"], ("time",))
    out: list[Row] = []
    for document in sorted(versions):
        out += _page(document, versions[document], lives.get(document, []), readings, same)
    return {"changes": TABLES["changes"].from_rows(out)}


def _group(table: pa.Table, instants: Iterable[str]) -> dict[str, list[Row]]:
    for name in instants:
        table = table.set_column(table.column_names.index(name), name, table[name].cast(pa.int64()))
    out: dict[str, list[Row]] = defaultdict(list)
    for row in table.to_pylist():
        out[row["document_id"]].append(row)
    return out


def _same(blocks: pa.Table) -> dict[str, str]:
    rows = blocks.filter(pc.is_valid(blocks["same_as"]))
    return dict(zip(rows["block_id"].to_pylist(), rows["same_as"].to_pylist(), strict=True))


def _readings(elements: pa.Table) -> dict[str, _Reading]:
    """Block id -> what it says. Block ids are unique over documents."""
    out: dict[str, _Reading] = defaultdict(_Reading)
    rows = elements.filter(pc.is_valid(elements["block_id"])).sort_by([("document_id", "ascending"), ("ordinal", "ascending")])
    for block, kind, text, cells in zip(*(rows[n].to_pylist() for n in ("block_id", "kind", "text", "cells")), strict=True):
        if kind == "field" and cells:
            value = "; ".join(c["text"] for c in cells if c["text"])
            out[block].fields.setdefault(cells[0]["name"] or "", "" if FILE_NAME.fullmatch(value) else value)
        elif kind == "footnote":
            out[block].notes.append(" ".join(text.split()))
        elif kind in _PROSE:
            out[block].sentences += _split(text)
    return out


@lru_cache(maxsize=200_000)
def _split(text: str) -> tuple[str, ...]:
    return tuple(text[a:b].strip() for a, b in split_sentences(text, "en") if text[a:b].strip())


def _order(row: Row) -> tuple:
    number = int(row["revision"]) if row["revision"].isascii() and row["revision"].isdigit() else -1
    return (row["time"] is not None, row["time"] or 0, number, row["revision"])


def _page(document: str, versions: list[Row], lives: list[Row], readings: Mapping[str, _Reading], same: Mapping[str, str]) -> list[Row]:
    ordered = sorted(versions, key=_order)
    standing: list[Row] = []
    shown_until: list[Row] = []
    for v in ordered:  # a null edit shows what stood before it
        if v["noise"] == "duplicate" and standing:
            shown_until[-1] = v
        elif not v["noise"] and v["status"] != "suppressed":
            standing.append(v)
            shown_until.append(v)
    place = {v["revision"]: n for n, v in enumerate(standing)}
    edits: dict[int, _Edit] = defaultdict(_Edit)
    for row in lives:
        if row["status"] in NOISE:
            continue
        block = same.get(row["block_id"], row["block_id"])
        if row["first_revision"] in place and place[row["first_revision"]] > 0:
            edits[place[row["first_revision"]]].came.append(block)
        if row["gone_revision"] in place:
            edits[place[row["gone_revision"]]].gone.append(block)
    page = _Page(document, standing, shown_until)
    out: list[Row] = []
    for n in sorted(edits):
        out += page.edit(n, edits[n], readings)
    return out + _undone(document, ordered)


def _undone(document: str, ordered: list[Row]) -> list[Row]:
    """Rows of revisions that count for nothing, and of those that undid them."""
    out, named = [], set()
    by_id = {v["revision"]: n for n, v in enumerate(ordered)}
    for n, v in enumerate(ordered):
        if v["noise"] in NOISE:
            out.append(_row(document, PAGE, "", "", ordered[n - 1] if n else None, v, VANDALISM, v["noise"]))
            undoer = v["undone_by"]
            if undoer in by_id and undoer not in named:
                named.add(undoer)
                at = by_id[undoer]
                out.append(_row(document, PAGE, "", "", ordered[at - 1] if at else None, ordered[at], REVERT, "undid"))
    return out


def _row(document: str, slot: str, old: str, new: str, last: Row | None, first: Row, verdict: str, reason: str, n: int = 0) -> Row:
    return {
        "change_id": make_id("change", document, slot, "" if last is None else last["revision"], first["revision"], old, new, verdict if slot == PAGE else "", n),
        "document_id": document, "slot": slot, "old_text": old, "new_text": new,
        "last_revision": None if last is None else last["revision"], "first_revision": first["revision"],
        "to_time": None if last is None else last["time"], "from_time": first["time"], "verdict": verdict, "reason": reason,
    }


class _Page:
    """Goes through the edits of one page in order; remembers what each slot showed before."""

    def __init__(self, document: str, standing: list[Row], shown_until: list[Row]) -> None:
        self.document, self.standing, self.shown_until = document, standing, shown_until
        self.before: dict[str, set[str]] = defaultdict(set)  # slot -> what it showed, folded

    def edit(self, n: int, edit: _Edit, readings: Mapping[str, _Reading]) -> list[Row]:
        gone = [b for b in edit.gone if b not in edit.came]
        came = [b for b in edit.came if b not in edit.gone]
        last, first = self.shown_until[n - 1], self.standing[n]
        counts: dict[tuple[str, ...], int] = defaultdict(int)
        out = []
        boxes = [[readings[b].fields for b in sorted(blocks) if b in readings and readings[b].fields] for blocks in (gone, came)]
        for old, new in pair_boxes(*boxes):
            for k, a, b, verdict, rule in self.fields(old, new):
                out.append(_row(self.document, f"parameter:{k}", a, b, last, first, verdict, rule, counts[k, a, b]))
                counts[k, a, b] += 1
        for a, b, citation in self.said(gone, came, readings):
            verdict, rule = tell_kind(a, b, prose=True, citation=citation)
            if a and b and verdict and folded(b) in self.before[TEXT]:
                verdict, rule = REVERT, "shown_before"
            if a:
                self.before[TEXT].add(folded(a))
            if verdict and not (a and b and same_text(a, b)):
                out.append(_row(self.document, TEXT, a, b, last, first, verdict, rule, counts[a, b]))
                counts[a, b] += 1
        return out

    def said(self, gone: list[str], came: list[str], readings: Mapping[str, _Reading]) -> Iterable[tuple[str, str, bool]]:
        """(old, new, whether it is a footnote) of the sentences that differ."""
        for name in ("sentences", "notes"):
            old, new = ([s for b in blocks if b in readings for s in getattr(readings[b], name)] for blocks in (gone, came))
            for a, b in pair_sentences(old, new):
                yield a, b, name == "notes"

    def fields(self, old: Mapping[str, str], new: Mapping[str, str]) -> Iterable[tuple[str, str, str, str, str]]:
        ended = has_ended(old, new)
        changed = [k for k in sorted({*old, *new}) if not same_text(old.get(k, ""), new.get(k, ""))]
        left = {k: old[k] for k in changed if old.get(k)}
        arrived = {k: new[k] for k in changed if new.get(k)}
        for key in changed:
            a, b, before = old.get(key, ""), new.get(key, ""), self.before[f"parameter:{key}"]
            moved = next((k for k, v in arrived.items() if k != key and a and _same_value(v, a, not b and not old.get(k))), None)
            origin = next((k for k, v in left.items() if k != key and b and _same_value(v, b, not a and not new.get(k))), None)
            if moved is not None or (origin is not None and not a):
                verdict, rule = RENAME, "moved"
            elif a and b and folded(b) in before:
                verdict, rule = REVERT, "shown_before"
            else:
                verdict, rule = tell_kind(a, b, slot=key, ended=ended, beside=beside(key, old, new))
            if a:
                before.add(folded(a))
            if verdict:
                yield key, a, b, verdict, rule


def _same_value(some: str, other: str, emptied: bool) -> bool:
    """Whether a value moved to another key; where one key emptied as the other filled, in a fuller or shorter form too."""
    if same_text(some, other):
        return True
    return emptied and fuzz.token_set_ratio(some.casefold(), other.casefold()) >= _MOVED


def pair_sentences(old: list[str], new: list[str]) -> list[tuple[str, str]]:
    """(old, new) of the sentences that differ, '' where one has no partner; in order. Likeness decides who is whose."""
    left, right = _minus(old, new), _minus(new, old)
    if len(left) * len(right) > _MAX_PAIRS:
        matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
        return [
            (a, b)
            for tag, i, j, k, m in matcher.get_opcodes() if tag != "equal"
            for a, b in zip([*left[i:j], *[""] * max(0, m - k - j + i)], [*right[k:m], *[""] * max(0, j - i - m + k)], strict=True)
        ]
    scored = sorted(
        ((fuzz.token_sort_ratio(a, b), -i, -j) for i, a in enumerate(left) for j, b in enumerate(right)), reverse=True
    )
    partner: dict[int, int] = {}
    taken: set[int] = set()
    for score, i, j in scored:
        if score < _ALIKE:
            break
        if -i not in partner and -j not in taken:
            partner[-i] = -j
            taken.add(-j)
    pairs = [(a, right[partner[i]] if i in partner else "") for i, a in enumerate(left)]
    return pairs + [("", b) for j, b in enumerate(right) if j not in taken]


def _minus(some: list[str], others: list[str]) -> list[str]:
    counts: dict[str, int] = defaultdict(int)
    for s in others:
        counts[s] += 1
    out = []
    for s in some:
        if counts[s] > 0:
            counts[s] -= 1
        else:
            out.append(s)
    return out


__all__ = ["ADDITION", "REMOVAL", "find_changes", "pair_sentences"]
