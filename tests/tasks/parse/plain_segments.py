"""The plain definition of segments and lifetimes, over whole texts: what the readers of stretches are compared with."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterable, Sequence

from schemas.ids import block_id
from tasks.parse.wikiblocks import (
    _LITERAL_OPEN,
    _MAX_EXTENSIONS,
    _NEXT_HEADING,
    _SPANNING,
    Block,
    _strip,
    analyse,
    revision_order,
)
from tasks.parse.wikinodes import parse_nodes


def plain_segments(text: str, memo: dict) -> Iterable[tuple[int, str]]:
    """Stretches between blank lines, joined where a construct spans them. Each one's analysis is in `memo`."""
    stretches = text.split("\n\n")
    at, index, count = 0, 0, len(stretches)
    section: tuple[int, list[tuple[int, int]]] = (-1, [])
    while index < count:
        segment = stretches[index]
        known = memo.get(segment)
        if known is None:
            known = memo[segment] = analyse(segment)
        start = at
        at += len(segment) + 2
        index += 1
        if known[1]:
            end = start + len(segment)
            while section[0] < end:
                limit, ranges = _section(text, max(start, section[0]))
                section = (limit, [*(r for r in section[1] if r[1] > start), *ranges])
            reach = _reach(section[1], start, end)
            while reach > end and index < count:
                while end < reach and index < count:
                    end = at + len(stretches[index])
                    at = end + 2
                    index += 1
                while section[0] < end:
                    limit, ranges = _section(text, section[0])
                    section = (limit, [*section[1], *ranges])
                reach = _reach(section[1], start, end)
            if end - start != len(segment):
                segment = text[start:end]
                if segment not in memo:
                    memo[segment] = analyse(segment)
        yield start, segment


def _reach(ranges: list[tuple[int, int]], start: int, end: int) -> int:
    """End of the construct that begins in [start, end) and goes on past `end`; `end` without one. Ranges are in order."""
    index = bisect.bisect_left(ranges, (end, 0)) - 1
    return ranges[index][1] if index >= 0 and start <= ranges[index][0] and ranges[index][1] > end else end


def _section(text: str, start: int) -> tuple[int, list[tuple[int, int]]]:
    """Where the section of `start` ends, and its closed constructs of more than one stretch, outermost first in order.

    A comment or literal tag that is closed behind the next heading carries the section on past its end.
    """
    limit = start
    for _ in range(_MAX_EXTENSIONS):
        heading = _NEXT_HEADING.search(text, limit)
        limit = heading.start() if heading else len(text)
        longer = _open_literal(text, start, limit)
        if longer <= limit:
            break
        limit = longer
    shown = _strip(text, start, limit)
    nodes = parse_nodes(text, start, shown, outline=True)
    return max(limit, start + 1), [(n.start, n.end) for n in nodes if n.kind in _SPANNING and text.find("\n\n", n.start, n.end) >= 0]


def _open_literal(text: str, start: int, limit: int) -> int:
    """End of a comment or literal tag that is open at `limit` and closed later; else `limit`."""
    at = start
    while (match := _LITERAL_OPEN.search(text, at, limit)) is not None:
        if match[1] is None:
            close = text.find("-->", match.end())
            at = close + 3 if close >= 0 else match.end()
        else:
            closing = re.compile(rf"</{match[1]}\s*>", re.IGNORECASE).search(text, match.end())
            at = closing.end() if closing else match.end()
        if at > limit:
            return at
    return limit


Text = str | bytes | None | Callable[[], "str | bytes | None"]


def lifetimes(document_id: str, revisions: Iterable[tuple[str, int | None, Text]]) -> tuple[list[dict], list[dict]]:
    """Rows of `blocks` (each distinct block once) and `lifetimes` over all revisions of one page.

    `revisions` are (revision, time in seconds or None, text): text as str, UTF-8 bytes, a function that gives either (so
    that not all texts need be in memory), or None where it is suppressed: such a revision neither ends nor starts
    anything. They are taken in the order of time, then numeric revision id. A block that goes and comes back has a row
    per contiguous run; of the runs that reach the last revision, `last_revision` and `to_time` are null.
    """
    ordered = sorted(revisions, key=lambda r: revision_order(r[1], r[0]))
    memo: dict[str, tuple] = {}
    keys: dict[str, tuple[str, ...]] = {}
    texts: dict[str, str] = {}
    running: dict[str, tuple[str, int | None]] = {}
    rows: list[dict] = []
    last: tuple[str, int | None] | None = None
    last_text: str | None = None
    for revision, time, text in ordered:
        text = text() if callable(text) else text
        if isinstance(text, bytes):
            text = text.decode("utf-8", "surrogatepass")
        if text is None:
            continue
        if text != last_text:
            here: dict[str, None] = {}
            for _, segment in plain_segments(text, memo):
                known = keys.get(segment)
                if known is None:
                    known = keys[segment] = _block_ids(document_id, segment, memo[segment][0], texts)
                for key in known:
                    here[key] = None
            for key in [k for k in running if k not in here]:
                rows.append(_run(document_id, key, running.pop(key), last, "gone"))
            for key in here:
                if key not in running:
                    running[key] = (revision, time)
            last_text = text
        last = (revision, time)
    rows += [_run(document_id, key, began, None, "standing") for key, began in running.items()]
    blocks = [{"block_id": key, "document_id": document_id, "text": text} for key, text in texts.items()]
    blocks.sort(key=lambda row: row["block_id"])
    rows.sort(key=lambda row: (row["block_id"], row["first_revision"]))
    return blocks, rows


def _block_ids(document_id: str, segment: str, blocks: Sequence[Block], texts: dict[str, str]) -> tuple[str, ...]:
    out = []
    for start, end, _ in blocks:
        text = segment[start:end]
        key = block_id(document_id, text)
        texts.setdefault(key, text)
        out.append(key)
    return tuple(out)


def _run(document_id: str, key: str, began: tuple[str, int | None], ended: tuple[str, int | None] | None, status: str) -> dict:
    return {
        "block_id": key, "document_id": document_id, "first_revision": began[0], "from_time": began[1],
        "last_revision": ended[0] if ended else None, "to_time": ended[1] if ended else None, "status": status,
    }
