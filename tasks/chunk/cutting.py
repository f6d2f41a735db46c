"""Where to cut: content-defined groups of things, and spans cut to a part of their rendered text.

Group boundaries depend on what stands near them, not on how far they are from the start, so that an edit moves only the
boundaries beside it (content-defined chunking: Muthitacharoen et al. 2001, "A low-bandwidth network file system").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from schemas.ids import content_hash, normalize_text
from schemas.render import Span, render, rendered_pieces

_TOKEN = re.compile(r"\w+|[^\w\s]")
_ONE_IN = 3


def count_tokens(text: str) -> int:
    """Words and marks: the profile's counter."""
    return len(_TOKEN.findall(text))


def group(texts: Sequence[str], target: int, most: int, least: int) -> list[tuple[int, int]]:
    """Half-open index ranges that cover `texts` in order, each about `target` tokens and at most `most`.

    A single text longer than `most` has a range of its own. All in one where they fit. A last group of fewer than `least`
    tokens joins the one before, where it fits.
    """
    sizes = [count_tokens(text) for text in texts]
    if not texts:
        return []
    if sum(sizes) <= most:
        return [(0, len(texts))]
    out: list[tuple[int, int]] = []
    start = size = 0
    for i, own in enumerate(sizes):
        if i > start and size + own > most:
            out.append((start, i))
            start, size = i, 0
        size += own
        if size >= target or (2 * size >= target and _is_boundary(texts[i])):
            out.append((start, i + 1))
            start, size = i + 1, 0
    if start < len(texts):
        out.append((start, len(texts)))
    if len(out) > 1:
        (a, b), (_, end) = out[-2:]
        if sum(sizes[b:end]) < least and sum(sizes[a:end]) <= most:
            out[-2:] = [(a, end)]
    return out


def _is_boundary(text: str) -> bool:
    return int(content_hash(normalize_text(text))[:8], 16) % _ONE_IN == 0


class Cutter:
    """Cuts one element's spans to parts of its text. One pass over the rendering, however many cuts."""

    def __init__(self, kind: str, source: str, spans: Sequence[Span]) -> None:
        self.kind, self.source, self.spans = kind, source, list(spans)
        self.starts: list[int] = []  # text offset of each rendered piece
        self.pieces: list[tuple[str, int, int, int]] = []  # piece, source start and end, index of its span
        at = number = 0
        for text, start, end in rendered_pieces(kind, source, spans):
            while number < len(self.spans) - 1 and not (self.spans[number][0] <= start and end <= self.spans[number][1]):
                number += 1
            self.starts.append(at)
            self.pieces.append((text, start, end, number))
            at += len(text)
        self.text = "".join(piece[0] for piece in self.pieces)

    def _find(self, offset: int) -> tuple[int, int, int]:
        """(index of span, first source offset, end) of the character at a text offset."""
        from bisect import bisect_right

        index = bisect_right(self.starts, offset) - 1
        text, start, end, number = self.pieces[index]
        if len(text) == end - start and self.source[start:end] == text:
            start += offset - self.starts[index]
            end = start + 1
        return number, start, end

    def cut(self, first: int, until: int) -> list[Span] | None:
        """Spans that render to the half-open [first, until) of the text; None where no such spans exist."""
        if first == 0 and until == len(self.text):
            return self.spans
        a, start, _ = self._find(first)
        b, _, end = self._find(until - 1)
        if a == b:
            spans = [(start, end)]
        else:
            spans = [(start, self.spans[a][1]), *self.spans[a + 1 : b], (self.spans[b][0], end)]
        return spans if render(self.kind, self.source, spans) == self.text[first:until] else None


def parts_of(
    kind: str, source: str, spans: Sequence[Span], bounds: Callable[[str], Sequence[Span]], target: int, most: int, least: int
) -> list[tuple[list[Span], int, int]]:
    """(spans, first, until) of the parts that a long text is cut into, at the given unit bounds; one part where it fits."""
    cutter = Cutter(kind, source, spans)
    text = cutter.text
    whole = [(cutter.spans, 0, len(text))]
    if count_tokens(text) <= most:
        return whole
    units = list(bounds(text))
    out = []
    for a, b in group([text[s:e] for s, e in units], target, most, least):
        first, until = units[a][0], units[b - 1][1]
        cut = cutter.cut(first, until)
        if cut is None:  # the renderer reads the edge otherwise than the middle: rather one long part than a wrong one
            return whole
        out.append((cut, first, until))
    return out


def code_units(text: str, most: int) -> list[Span]:
    """Runs of lines between blank lines; a run of more than `most` tokens line by line. Newlines at the ends left out."""
    runs: list[list[Span]] = [[]]
    at = 0
    for line in text.split("\n"):
        if line.strip():
            runs[-1].append((at, at + len(line)))
        elif runs[-1]:
            runs.append([])
        at += len(line) + 1
    out: list[Span] = []
    for run in runs:
        if run and count_tokens(text[run[0][0] : run[-1][1]]) > most:
            out += run
        elif run:
            out.append((run[0][0], run[-1][1]))
    return out
