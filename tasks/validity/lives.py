"""When a page said a sentence: lifetimes of its blocks, united over all blocks that say it.

Guarantees: positions count the revisions that stand (noise is passed over), so two runs with nothing but noise between
them are one; a sentence that only noise ever said has a life of noise; the order of rows does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import pyarrow as pa

Seconds = int | None
NOISE = ("reverted", "vandalism", "blanked")


@dataclass(frozen=True, slots=True)
class Life:
    """Half-known time of a saying on one page.

    `spans` are inclusive positions of standing revisions, in order, merged; the last one's end is None while it stands.
    `first`, `last`, `gone` are seconds: first shown, last shown (None while it stands), first seen to be gone. `noise`
    names why it counts for nothing, '' where it counts.
    """

    spans: tuple[tuple[int, int | None], ...]
    first: Seconds
    last: Seconds
    gone: Seconds
    noise: str = ""

    @property
    def stands(self) -> bool:
        return bool(self.spans) and self.spans[-1][1] is None


@dataclass
class PageHistory:
    """The standing revisions of one page: position of each revision, and their times."""

    position: dict[str, int] = field(default_factory=dict)
    times: list[Seconds] = field(default_factory=list)

    def time(self, position: int | None) -> Seconds:
        return self.times[position] if position is not None and 0 <= position < len(self.times) else None


@dataclass(frozen=True, slots=True)
class _Run:
    first: str
    last: str | None
    from_time: Seconds
    to_time: Seconds
    gone_time: Seconds
    status: str


class Lives:
    """Lives of the sentences of a shard."""

    def __init__(self, versions: pa.Table, blocks: pa.Table, lifetimes: pa.Table, sightings: pa.Table) -> None:
        self.pages = _pages(versions)
        reading = {
            (d, b): s
            for d, b, s in zip(*(blocks[n].to_pylist() for n in ("document_id", "block_id", "same_as")), strict=True) if s is not None
        }
        self.runs: dict[tuple[str, str], list[_Run]] = {}
        times = [lifetimes[n].cast(pa.int64()).to_pylist() for n in ("from_time", "to_time", "gone_time")]
        names = ("document_id", "block_id", "first_revision", "last_revision", "status")
        for document, block, first, last, status, a, b, c in zip(*(lifetimes[n].to_pylist() for n in names), *times, strict=True):
            self.runs.setdefault((document, reading.get((document, block), block)), []).append(_Run(first, last, a, b, c, status))
        self.blocks: dict[str, list[str]] = {}
        for sentence, block in zip(sightings["sentence_id"].to_pylist(), sightings["block_id"].to_pylist(), strict=True):
            self.blocks.setdefault(sentence, []).append(block)
        self._known: dict[str, Life | None] = {}

    def versions_of(self, document: str) -> int:
        page = self.pages.get(document)
        return len(page.times) if page else 0

    def of(self, document: str, sentence: str) -> Life | None:
        """The life of a sentence; None where the document has no blocks."""
        if sentence not in self._known:
            runs = [run for block in self.blocks.get(sentence, ()) for run in self.runs.get((document, block), ())]
            self._known[sentence] = self._unite(self.pages.get(document, PageHistory()), runs) if runs else None
        return self._known[sentence]

    def _unite(self, page: PageHistory, runs: list[_Run]) -> Life:
        clean = [run for run in runs if run.status not in NOISE]
        if not clean:
            first = min((r.from_time for r in runs if r.from_time is not None), default=None)
            last = max((r.to_time for r in runs if r.to_time is not None), default=None)
            gone = max((r.gone_time for r in runs if r.gone_time is not None), default=None)
            return Life((), first, last, gone, min(r.status for r in runs))
        spans = merge_spans(
            (page.position.get(r.first, 0), None if r.last is None else page.position.get(r.last, 0)) for r in clean
        )
        end = spans[-1][1]
        gone = None if end is None else page.time(end + 1)
        return Life(spans, page.time(spans[0][0]), page.time(end), gone)


def merge_spans(spans: Iterable[tuple[int, int | None]]) -> tuple[tuple[int, int | None], ...]:
    """Sorted; spans that touch or overlap are one. None as an end is the head."""
    out: list[tuple[int, int | None]] = []
    for first, last in sorted(spans, key=lambda s: (s[0], s[1] is None, s[1] or 0)):
        if out and (out[-1][1] is None or first <= out[-1][1] + 1):
            end = out[-1][1]
            out[-1] = (out[-1][0], None if end is None or last is None else max(end, last))
        else:
            out.append((first, last))
    return tuple(out)


def _pages(versions: pa.Table) -> dict[str, PageHistory]:
    columns = (versions[n].to_pylist() for n in ("document_id", "revision", "noise", "status"))
    seconds = versions["time"].cast(pa.int64()).to_pylist()
    by_page: dict[str, list[tuple]] = {}
    for (document, revision, noise, status), time in zip(zip(*columns, strict=True), seconds, strict=True):
        number = int(revision) if revision.isascii() and revision.isdigit() else -1
        by_page.setdefault(document, []).append(((time is not None, time or 0, number, revision), revision, time, noise, status))
    out: dict[str, PageHistory] = {}
    for document, rows in by_page.items():
        page = PageHistory()
        for _, revision, time, noise, status in sorted(rows):
            if not noise and status != "suppressed":
                page.times.append(time)
            page.position[revision] = max(0, len(page.times) - 1)
        out[document] = page
    return out
