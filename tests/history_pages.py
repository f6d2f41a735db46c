"""Pages with a history for tests: revisions in a few words to the tables that the stage `parse` writes, by its own code.

The wikitext parser is called in this process, without the child that guards it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from schemas.ids import content_hash, document_id, version_id
from schemas.tables import TABLES
from schemas.time import instant_from_iso
from tasks.parse.history import Options, Revision, read_history
from tasks.parse.past import BlockNumbers, PageBlock, Past, block_rows, lifetime_rows, past_elements, verdict_rows
from tasks.parse.wikitext import parse_page

HOUR, DAY = 3600, 86400
CONFIG = {"parse": {"max_depth": 40}}
DOCUMENT = document_id("test", "page")


def at(text: str) -> int:
    """Seconds of a day, or of a day and an hour ("2020-03-31T12")."""
    return instant_from_iso(text + (":00:00Z" if "T" in text else "T00:00:00Z"))


def table_of(name: str, rows: Iterable[dict[str, Any]]) -> pa.Table:
    """A table with a neutral value in every required column that a row lacks; days and instants as ints."""
    schema = TABLES[name].schema()
    given = [{**_neutral(schema), **row} for row in rows]
    plain = {"date32[day]": pa.int32(), "timestamp[s, tz=UTC]": pa.int64()}
    columns = []
    for field in schema:
        kind = plain.get(str(field.type))
        array = pa.array([row.get(field.name) for row in given], kind or field.type)
        columns.append(array.cast(field.type) if kind else array)
    return pa.Table.from_arrays(columns, schema=schema)


def _neutral(schema: pa.Schema) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for field in schema:
        if not field.nullable:
            kind = str(field.type)
            out[field.name] = [] if kind.startswith("list") else 0 if "int" in kind else 0.0 if kind in ("float", "double") else ""
    return out


class Page:
    """One page. `steps`: (day or instant in ISO, wikitext or None where it is withheld, contributor), oldest first or not;
    revisions are numbered 101, 102, ..."""

    def __init__(self, *steps: tuple, options: Options | None = None, document: str = DOCUMENT) -> None:
        self.document = document
        self.parsed: list[str] = []  # wikitext of each block that was parsed by itself
        numbering = BlockNumbers(document)
        revisions = []
        for n, (when, text, *who) in enumerate(steps):
            name, time = str(101 + n), at(when)
            if text is None:
                revisions.append(Revision(name, time, "", 0, (), suppressed=True))
                continue
            size, blocks = numbering.read(content_hash(text), lambda text=text: text)
            revisions.append(Revision(name, time, content_hash(text), size, blocks, who[0] if who else None))
        self.texts = {str(101 + n): step[1] for n, step in enumerate(steps)}
        self.blocks: list[PageBlock] = numbering.blocks
        self.history = read_history(revisions, options)
        shown = [r.id for r in self.history.order if not r.suppressed]
        self.head: list[dict] = []
        if shown:
            self.head = parse_page(document, version_id(document, shown[-1]), "Page", self.texts[shown[-1]], CONFIG)
        self.past: Past = past_elements(document, self.history, self.blocks, self.head, self._parse, len(self.head))

    def _parse(self, blocks):
        self.parsed += [text for _, text in blocks]
        return [(parse_page(self.document, block, "Page", text, CONFIG), []) for block, text in blocks]

    def tables(self) -> dict[str, pa.Table]:
        noise = verdict_rows(self.history)
        elements = [{**row, "text_object": None} for row in self.head] + self.past.elements
        return {
            "elements": table_of("elements", elements),
            "texts": table_of("texts", self.past.texts),
            "blocks": table_of("blocks", block_rows(self.document, self.blocks, self.past)),
            "lifetimes": table_of("lifetimes", lifetime_rows(self.document, self.history, self.blocks)),
            "versions": table_of("versions", [
                {"document_id": self.document, "version_id": version_id(self.document, r.id), "revision": r.id, "time": r.time,
                 "status": "suppressed" if r.suppressed else "ok", "noise": noise[r.id][0], "undone_by": noise[r.id][1]}
                for r in self.history.order
            ]),
        }
