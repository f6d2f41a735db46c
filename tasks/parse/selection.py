"""Takes from the rows of an export what was asked for: pages, a stretch of time, the last revisions of each page.

Guarantees: rows keep their order; memory is bounded by `max_revisions` rows and the pieces of one revision; what is left
out is counted in one `quarantine` row of severity info. Pieces of text that only left-out revisions show may stay: they are
named by nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from schemas.sources import Selection, SourceSpec
from schemas.tables import quarantine_row

Row = tuple[str, dict[str, Any]]


def select_rows(spec: SourceSpec, rows: Iterator[Row]) -> Iterator[Row]:
    """The rows of a scan that `spec.select` wants."""
    if spec.select.everything:
        yield from rows
        return
    chooser = _Chooser(spec.select)
    for table, row in rows:
        yield from chooser.take(table, row)
    yield from chooser.flush()
    if chooser.left_out:
        pages, revisions = len(chooser.pages_left_out), chooser.left_out
        yield "quarantine", quarantine_row(
            "parse", Path(spec.path).name, Path(spec.path).name, "not_selected",
            f"{revisions} revision(s) were not asked for, {pages} page(s) as a whole: --pages, --from, --to, --max-revisions", "info",
        )


class _Chooser:
    def __init__(self, select: Selection) -> None:
        self.select = select
        self.pages = {_folded(p) for p in select.pages}
        self.document = ""
        self.waiting: list[Row] = []  # pieces of text, told before the revision that shows them
        self.last: deque[Row] = deque()
        self.left_out = 0
        self.pages_left_out: set[str] = set()

    def take(self, table: str, row: dict[str, Any]) -> Iterator[Row]:
        if table == "quarantine":
            yield table, row
            return
        if row["document_id"] != self.document:
            yield from self.flush()
            self.document = row["document_id"]
        if table != "raw":
            self.waiting.append((table, row))
            return
        if self.pages and not self.pages & {_folded(row["title"] or ""), row["native_key"]}:
            self.waiting.clear()
            self.left_out += 1
            self.pages_left_out.add(self.document)
            return
        yield from self.waiting
        self.waiting.clear()
        time = row["time"]
        if time is not None and ((self.select.first is not None and time < self.select.first)
                                 or (self.select.until is not None and time >= self.select.until)):
            self.left_out += 1
            return
        if not self.select.max_revisions:
            yield table, row
            return
        self.last.append((table, row))
        if len(self.last) > self.select.max_revisions:
            self.last.popleft()
            self.left_out += 1

    def flush(self) -> Iterator[Row]:
        """What was held back of the page that ends."""
        yield from self.last
        self.last.clear()
        self.waiting.clear()


def _folded(title: str) -> str:
    return " ".join(title.replace("_", " ").split()).casefold()
