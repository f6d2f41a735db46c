"""Wikitext to top-level blocks.

Guarantees: the blocks are in order, do not overlap and cover every character that is not white space; equal text gives
equal blocks; a mark that is never closed does not swallow the page (a table ends at the next heading, anything else is
text of its paragraph). The split is by lines, cheap, and does not parse: each distinct stretch between blank lines is
looked at once per page, however many revisions repeat it.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator, Sequence

from tasks.parse.wikinodes import COMMENT, LINK, LITERAL, TABLE, TAG, TEMPLATE, parse_nodes

PARAGRAPH, HEADING, LIST, TABLE_BLOCK, TEMPLATE_BLOCK, COMMENT_BLOCK, CODE, GALLERY = (
    "paragraph", "heading", "list", "table", "template", "comment", "code", "gallery"
)
CODE_TAGS = frozenset({"pre", "syntaxhighlight", "source"})

_SPANNING = frozenset({TEMPLATE, TABLE, COMMENT, LITERAL, TAG, LINK})

Block = tuple[int, int, str]
Analysis = tuple[tuple[Block, ...], bool]  # blocks, and whether something is open

_OPENERS = re.compile(
    r"\{\{|\}\}|\{\||<!--|<(?:ref|gallery|poem|nowiki|pre|syntaxhighlight|source|math|timeline|score|imagemap|graph|templatedata)\b",
    re.IGNORECASE,
)
_NEXT_HEADING = re.compile(r"\n=+[^=\n][^\n]*=[ \t]*(?:<!--[^\n]*-->[ \t]*)*(?=\n|\Z)")
HEADING_LINE = re.compile(r"(={1,6})(?!=*[ \t]*$)(.+?)(={1,6})[ \t]*(?:<!--(?:(?!-->).)*-->[ \t]*)*$", re.DOTALL)
_BLANK = re.compile(r"\s*")
_LINE_KINDS = {"*": LIST, "#": LIST, ":": LIST, ";": LIST}
_MAX_EXTENSIONS = 50


def split_blocks(wikitext: str) -> list[tuple[int, int]]:
    """Half-open code-point ranges of the top-level blocks."""
    return [(start, end) for start, end, _ in split_kinds(wikitext)]


def split_kinds(wikitext: str, memo: dict | None = None) -> list[Block]:
    """(start, end, kind) of the top-level blocks; `memo` may be shared by calls and changes no result."""
    out: list[Block] = []
    memo = {} if memo is None else memo
    for start, segment in segments(wikitext, memo):
        for s, e, kind in memo[segment][0]:
            out.append((start + s, start + e, kind))
    return out


def segments(text: str, memo: dict[str, Analysis]) -> Iterator[tuple[int, str]]:
    """Stretches between blank lines, joined where a construct spans them. Each one's analysis is in `memo`."""
    stretches = text.split("\n\n")
    section = Section(text)
    at = index = 0
    while index < len(stretches):
        start = at
        index, at = joined(stretches, index, at, section, memo)
        yield start, text[start : at - 2]


def joined(stretches: Sequence[str], index: int, start: int, section: Section, memo: dict[str, Analysis]) -> tuple[int, int]:
    """(index, offset) of the stretch behind the segment that begins with stretch `index` at offset `start`."""
    segment = stretches[index]
    known = memo.get(segment)
    if known is None:
        known = memo[segment] = analyse(segment)
    end = start + len(segment)
    index += 1
    if known[1]:
        section.reach_to(start, end)
        reach = _reach(section.ranges, start, end)
        while reach > end and index < len(stretches):
            while end < reach and index < len(stretches):
                end += 2 + len(stretches[index])
                index += 1
            section.read_to(end)
            reach = _reach(section.ranges, start, end)
        if end - start != len(segment):
            segment = section.text[start:end]
            if segment not in memo:
                memo[segment] = analyse(segment)
    return index, end + 2


class Section:
    """What is known of a text's sections, as far as it was read: closed constructs of more than one stretch, up to `limit`.

    Nothing of the text from offset `seen` on was looked at, but whether it ends there.
    """

    def __init__(self, text: str) -> None:
        self.text, self.limit, self.seen = text, -1, 0
        self.ranges: list[tuple[int, int]] = []  # outermost first, in order

    def reach_to(self, start: int, end: int) -> None:
        """Reads on from `start`, or from the limit where that lies behind it, until `end` is read."""
        if self.limit < end:
            self.ranges = [r for r in self.ranges if r[1] > start]
            self.limit = max(self.limit, start)
            self.read_to(end)

    def read_to(self, end: int) -> None:
        while self.limit < end:
            self.ranges += self._next(self.limit)

    def _next(self, start: int) -> list[tuple[int, int]]:
        """Constructs of the section of `start`; sets the limit to its end.

        A comment or literal tag that is closed behind the next heading carries the section on past its end.
        """
        text, limit = self.text, start
        for _ in range(_MAX_EXTENSIONS):
            heading = _NEXT_HEADING.search(text, limit)
            limit = heading.start() if heading else len(text)
            self.seen = max(self.seen, heading.end() if heading else len(text) + 1)
            longer = self._open_literal(start, limit)
            if longer <= limit:
                break
            limit = longer
        self.limit = max(limit, start + 1)
        nodes = parse_nodes(text, start, _strip(text, start, limit), outline=True)
        return [(n.start, n.end) for n in nodes if n.kind in _SPANNING and text.find("\n\n", n.start, n.end) >= 0]

    def _open_literal(self, start: int, limit: int) -> int:
        """End of a comment or literal tag that is open at `limit` and closed later; else `limit`."""
        at, text = start, self.text
        while (match := _LITERAL_OPEN.search(text, at, limit)) is not None:
            if match[1] is None:
                close = text.find("-->", match.end())
                end = close + 3 if close >= 0 else -1
            else:
                closing = re.compile(rf"</{match[1]}\s*>", re.IGNORECASE).search(text, match.end())
                end = closing.end() if closing else -1
            self.seen = max(self.seen, end if end >= 0 else len(text) + 1)
            at = end if end >= 0 else match.end()
            if at > limit:
                return at
        return limit


def _reach(ranges: list[tuple[int, int]], start: int, end: int) -> int:
    """End of the construct that begins in [start, end) and goes on past `end`; `end` without one. Ranges are in order."""
    index = bisect.bisect_left(ranges, (end, 0)) - 1
    return ranges[index][1] if index >= 0 and start <= ranges[index][0] and ranges[index][1] > end else end


_LITERAL_OPEN = re.compile(r"<!--|<(pre|syntaxhighlight|source|nowiki|math|timeline)(?:\s[^<>]*)?(?<!/)>", re.IGNORECASE)


def analyse(segment: str) -> Analysis:
    """(blocks relative to the segment, whether a construct is left open at its end or closed without an opening)."""
    if not segment or segment.isspace():
        return (), False
    blocks: list[Block] = []
    at, cuts = 0, 0
    while True:
        piece = segment[at:]
        nodes = _spanning_nodes(piece)
        heading = None
        if nodes and _runs_on(piece, nodes[-1]):
            heading = _NEXT_HEADING.search(piece, nodes[-1].start)
        if heading is None or cuts > _MAX_EXTENSIONS:
            blocks += [(s + at, e + at, kind) for s, e, kind in _lines(piece, [(n.start, n.end, n) for n in nodes])]
            return tuple(blocks), _is_open(piece, nodes)
        # What was never closed ends here; the rest is looked at anew.
        above = piece[: heading.start()]
        nodes = _spanning_nodes(above)
        blocks += [(s + at, e + at, kind) for s, e, kind in _lines(above, [(n.start, n.end, n) for n in nodes])]
        at += heading.start() + 1
        cuts += 1


def _spanning_nodes(segment: str) -> list:
    """Nodes that can span lines. Links do so seldom (a picture's caption with a list): only then is everything looked at."""
    links = "[[" in segment and "\n" in segment and any(line.count("[[") != line.count("]]") for line in segment.split("\n"))
    if not links and not _OPENERS.search(segment):
        return []
    return [n for n in parse_nodes(segment, 0, len(segment), outline=not links) if n.kind in _SPANNING]


_OPENING = re.compile(
    r"\{\{|^[ \t:]*\{\||<!--|<(?:ref|gallery|poem|nowiki|pre|syntaxhighlight|source|math|timeline|score|imagemap|graph)(?=[\s>])[^<>/]*(?:/[^<>]+)*>",
    re.IGNORECASE | re.MULTILINE,
)


def _is_open(segment: str, nodes) -> bool:
    """Whether some opening mark of the segment stands outside every closed construct."""
    at = 0
    for node in nodes:
        if node.kind == LINK:
            continue
        if _OPENING.search(segment, at, node.start):
            return True
        at = node.end
        if _runs_on(segment, node):
            return True
    return _OPENING.search(segment, at) is not None


def _runs_on(segment: str, node) -> bool:
    """A comment or table that was never closed: it has been taken to the end."""
    if node.kind == COMMENT:
        return not segment.startswith("-->", node.end - 3)
    return node.kind == TABLE and not segment.startswith("|}", node.end - 2)


def _lines(segment: str, spans) -> Iterable[Block]:
    """Groups the lines of one stretch; a line goes on while a construct is open."""
    begin, until, kind = -1, -1, ""
    at, size, node_index = 0, len(segment), 0
    while at < size:
        end = segment.find("\n", at)
        end = size if end < 0 else end
        while node_index < len(spans) and spans[node_index][1] <= at:
            node_index += 1
        first = node_index
        look = node_index
        while look < len(spans) and spans[look][0] < end:
            if spans[look][1] > end:
                end = segment.find("\n", spans[look][1])
                end = size if end < 0 else end
            look += 1
        line_kind = _kind(segment, at, end, spans, first)
        if line_kind in (PARAGRAPH, LIST) and line_kind == kind:
            until = end
        elif line_kind:
            if kind:
                yield begin, _strip(segment, begin, until), kind
            begin, until, kind = at, end, line_kind
        elif kind:
            yield begin, _strip(segment, begin, until), kind
            kind = ""
        if kind and kind not in (PARAGRAPH, LIST):
            yield begin, _strip(segment, begin, until), kind
            kind = ""
        at = end + 1
    if kind:
        yield begin, _strip(segment, begin, until), kind


def _strip(segment: str, start: int, end: int) -> int:
    while end > start and segment[end - 1].isspace():
        end -= 1
    return end


def _kind(segment: str, start: int, end: int, spans, first: int) -> str:
    """Kind of one logical line; '' for a blank one."""
    body = _BLANK.match(segment, start, end).end()
    if body >= end:
        return ""
    char = segment[body]
    if char == "=" and body == start and HEADING_LINE.match(segment[start:end]):
        return HEADING
    node = spans[first][2] if first < len(spans) and spans[first][0] < end else None
    if node is not None:
        lead = segment[start : node.start].strip(" \t:")
        if node.kind == TABLE and not lead:
            return TABLE_BLOCK
        if node.start == body:
            if node.kind == TEMPLATE and not segment[node.end : end].strip():
                return TEMPLATE_BLOCK
            if node.kind == COMMENT and not segment[node.end : end].strip():
                return COMMENT_BLOCK
            if node.kind == LITERAL and node.name in CODE_TAGS and not segment[node.end : end].strip():
                return CODE
            if node.kind == TAG and node.name == "gallery":
                return GALLERY
    return _LINE_KINDS.get(char, PARAGRAPH) if body == start else PARAGRAPH


def revision_order(time: int | None, revision: str) -> tuple:
    """Sort key of revisions: time (unknown first), then the numeric id, then the id as text."""
    return (time is not None, time or 0, int(revision) if revision.isascii() and revision.isdigit() else -1, revision)
