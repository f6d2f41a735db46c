"""The killable wikitext parsers of a shard: one for the heads of pages; more, ahead of need, for a page with a long history.

Guarantees: what is parsed ahead is what would be parsed later: each block by itself, its spans in its own text; the order of
work changes nothing; a parser is used by its own thread alone, so that no answer is taken for another's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from tasks.parallel import cores
from tasks.parse.limited import LimitedParser

Row = dict[str, Any]
Parsed = tuple[list[Row], list[Row]]
BATCH_BLOCKS, MAX_PARSERS = 64, 4


class WikiParsers:
    """Started when the first page wants one."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.config = {"parse": config["parse"]}
        self._parsers: list[LimitedParser] = []
        self._threads: list[ThreadPoolExecutor] = []

    def parser(self, number: int = 0) -> LimitedParser:
        while len(self._parsers) <= number:
            self._parsers.append(LimitedParser())
        return self._parsers[number]

    def thread(self, number: int) -> ThreadPoolExecutor:
        """The one thread that may use a parser."""
        while len(self._threads) <= number:
            self._threads.append(ThreadPoolExecutor(1))
        return self._threads[number]

    def parse(self, row: Row, version: str, text: str) -> Parsed:
        """Elements and faults of the head of a page; after what the first parser still has to do."""
        done = self.thread(0).submit(self.parser().parse, row["document_id"], version, row["title"] or "", text, self.config)
        return done.result()

    def ahead(self, row: Row) -> Ahead:
        return Ahead(self, row)

    def close(self) -> None:
        for thread in self._threads:
            thread.shutdown(cancel_futures=True)
        for parser in self._parsers:
            parser.close()


class Ahead:
    """Parses blocks of one page as they are met, beside the reading of its revisions."""

    def __init__(self, parsers: WikiParsers, row: Row) -> None:
        self._parsers, self._document, self._title = parsers, row["document_id"], row["title"] or ""
        self._waiting: list[tuple[str, str]] = []
        self._batches = 0
        self._where: dict[str, tuple[Future[list[Parsed]], int]] = {}

    def add(self, block: str, text: str) -> None:
        """A block that will be asked for."""
        self._waiting.append((block, text))
        if len(self._waiting) >= BATCH_BLOCKS:
            self._send()

    def _send(self) -> None:
        number = self._batches % min(cores(), MAX_PARSERS)
        self._batches += 1
        batch, self._waiting = self._waiting, []
        parser = self._parsers.parser(number)
        done = self._parsers.thread(number).submit(self._parse, parser, batch)
        for n, (block, _) in enumerate(batch):
            self._where[block] = (done, n)

    def _parse(self, parser: LimitedParser, batch: Sequence[tuple[str, str]]) -> list[Parsed]:
        return [parser.parse(self._document, block, self._title, text, self._parsers.config) for block, text in batch]

    def parsed(self, blocks: Sequence[tuple[str, str]]) -> list[Parsed]:
        """Elements and faults of each (id, wikitext), in order."""
        if not blocks:
            return []
        for block, text in blocks:
            if block not in self._where and all(block != waiting for waiting, _ in self._waiting):
                self.add(block, text)
        if self._waiting:
            self._send()
        out = []
        for block, _ in blocks:
            done, n = self._where[block]
            out.append(done.result()[n])
        return out
