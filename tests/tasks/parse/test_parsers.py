"""The parsers of a shard: work sent ahead and the heads of pages never meet in one of them."""

import threading
import time

import pytest

from tasks.parse import parsers
from tasks.parse.wikitext import parse_page

CONFIG = {"parse": {"page_timeout_seconds": 5.0, "page_memory_mb": 512, "max_depth": 40}}


def row(number):
    return {"document_id": f"d{number}", "title": f"T{number}"}


class Watched:
    """Parses in this process, slowly, and fails where two threads are in it at once."""

    def __init__(self):
        self.busy = threading.Lock()

    def parse(self, *call):
        assert self.busy.acquire(blocking=False), "two calls in one parser"
        try:
            time.sleep(0.003)
            return parse_page(*call), []
        finally:
            self.busy.release()

    def close(self):
        pass


@pytest.fixture
def watched(monkeypatch):
    monkeypatch.setattr(parsers, "LimitedParser", Watched)
    wiki = parsers.WikiParsers(CONFIG)
    yield wiki
    wiki.close()


@pytest.mark.parametrize("blocks", [1, parsers.BATCH_BLOCKS, 3 * parsers.BATCH_BLOCKS + 1])
@pytest.mark.parametrize("asked", [0, 1])
def test_a_head_waits_for_what_was_sent_ahead_and_not_asked_for(watched, blocks, asked):
    for page in range(3):
        ahead = watched.ahead(row(page))
        given = [(f"{page}-{n}", f"Block {n} of page {page}.") for n in range(blocks)]
        for block in given:
            ahead.add(*block)
        found = ahead.parsed(given[:asked])
        assert [r[0]["text"] for r, _ in found] == [text for _, text in given[:asked]]
        assert ahead.parsed([]) == []
        rows, notes = watched.parse(row(page + 1), "v", "The head.")
        assert [r["text"] for r in rows] == ["The head."] and not notes


def test_real_parsers_give_each_page_its_own():
    wiki = parsers.WikiParsers(CONFIG)
    try:
        for page in range(30):
            ahead = wiki.ahead(row(page))
            for n in range(70):
                ahead.add(f"{page}-{n}", f"Block {n} of page {page}.")
            ahead.parsed([])
            rows, _ = wiki.parse(row(page), "v", f"Head {page}.\n\nSecond.")
            assert [r["text"] for r in rows] == [f"Head {page}.", "Second."]
    finally:
        wiki.close()
