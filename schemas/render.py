"""Text from spans: the pure renderers.

A text that we store is never written twice: the parser gives spans (half-open code-point offsets into the version's
canonical text) and `render` makes the text from them. So text recomputed from spans equals what is stored by
construction, any part of a rendered text can be traced back to source characters (`locate`), and an offset shifted by
one is caught.

A slice renders as itself, except:
- `code` and `linear` kinds are literal: nothing is changed;
- an empty span is a separator put by the parser: `; ` in a field, ` | ` between the cells of a row, else a space;
- a line-break tag is `; ` in fields and rows, else a space; a slice that is exactly `|` (between two parts of a
  template: `{{convert|5|km}}` -> `5`, `|`, `km` -> "5 km") is a space; a slice that is exactly `=` in a field is `: `;
- HTML entities are decoded and a run of white space becomes one space. Backslash escapes are never inside a slice: the
  parser cuts them out.
Blanks and separators are folded: of several in a row the strongest stays, at the ends none.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

Span = tuple[int, int]

LITERAL_KINDS = frozenset({"code", "linear"})

# Line-break tags, entities, and white space except a lone blank between two other characters: that renders as itself.
_TOKEN = re.compile(
    r"<br\b[^>]*>|&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
    r"|[^\S ]\s*| \s+|^ | \Z| (?=[&<])|(?<=[;>]) ",
    re.IGNORECASE,
)


_SEPARATOR = {"field": "; ", "row": " | "}
_STRENGTH = {" ": 0, "; ": 1, " | ": 2, ": ": 3}


Piece = tuple[str, int, int]  # rendered, source start, source end; either literal (as long as its source) or atomic


def _pieces(kind: str, source: str, spans: Sequence[Span]) -> list[Piece]:
    if kind in LITERAL_KINDS:
        return [(source[start:end], start, end) for start, end in spans]
    out: list[Piece] = []
    broken, separator = "; " if kind in ("field", "row") else " ", _SEPARATOR.get(kind, " ")
    for start, end in spans:
        if start == end:
            out.append((separator, start, end))
            continue
        piece = source[start:end]
        if piece == "|":
            out.append((" ", start, end))
            continue
        if piece == "=" and kind == "field":
            out.append((": ", start, end))
            continue
        at = 0
        for match in _TOKEN.finditer(piece):
            low, high = match.span()
            if low > at:
                out.append((piece[at:low], start + at, start + low))
            shown = " "
            if piece[low] == "&":
                shown = html.unescape(match.group())
                if shown.isspace():
                    shown = " "
            elif piece[low] == "<":
                shown = broken
            out.append((shown, start + low, start + high))
            at = high
        if at < len(piece):
            out.append((piece[at:] if at else piece, start + at, end))
    return out


def _rendered(kind: str, source: str, spans: Sequence[Span]) -> list[Piece]:
    """The pieces with runs of blanks and separators folded and the ends stripped."""
    pieces = _pieces(kind, source, spans)
    if kind in LITERAL_KINDS:
        return pieces
    out: list[Piece] = []
    held: Piece | None = None
    strongest = -1
    for piece in pieces:
        strength = _STRENGTH.get(piece[0])
        if strength is None:
            if held is not None:
                out.append(held)
                held, strongest = None, -1
            out.append(piece)
        elif out and strength > strongest:
            held, strongest = piece, strength
    return out


def rendered_pieces(kind: str, source: str, spans: Sequence[Span]) -> list[Piece]:
    """What `render` joins: (piece, source start, source end) in order. A piece is literal (as long as its source) or atomic."""
    return _rendered(kind, source, spans)


def render(kind: str, source: str, spans: Sequence[Span]) -> str:
    """The text of an element of this kind from its spans into `source`."""
    return "".join(text for text, _, _ in _rendered(kind, source, spans))


def locate(kind: str, source: str, spans: Sequence[Span], first: int, last: int) -> list[Span]:
    """Source spans of the half-open [first, last) of the rendered text, adjacent spans merged."""
    out: list[list[int]] = []
    at = 0
    for text, start, end in _rendered(kind, source, spans):
        here, at = at, at + len(text)
        lo, hi = max(first, here), min(last, at)
        if lo >= hi:
            continue
        if len(text) == end - start and source[start:end] == text:
            piece = [start + lo - here, start + hi - here]
        else:
            if start == end:  # a separator that the parser put: nothing of the source
                continue
            piece = [start, end]
        if out and out[-1][1] == piece[0]:
            out[-1][1] = piece[1]
        else:
            out.append(piece)
    return [(s, e) for s, e in out]


def locate_in_pieces(source: str, pieces: Sequence[dict], first: int, last: int) -> list[Span]:
    """Source spans of the half-open [first, last) of a chunk's text, by its `pieces` column.

    `pieces` are dicts with `kind`, `source_spans` (list of dicts with start and end) and the half-open `start`, `end`
    of the piece in the chunk's text; characters between pieces (newlines) have no source.
    """
    out: list[Span] = []
    for piece in pieces:
        lo, hi = max(first, piece["start"]), min(last, piece["end"])
        if lo < hi:
            spans = [(s["start"], s["end"]) for s in piece["source_spans"]]
            out += locate(piece["kind"], source, spans, lo - piece["start"], hi - piece["start"])
    return out


def render_pieces(source: str, pieces: Sequence[dict]) -> str:
    """A chunk's text made anew from its pieces: must equal what is stored."""
    out: list[str] = []
    for piece in pieces:
        out.append(render(piece["kind"], source, [(s["start"], s["end"]) for s in piece["source_spans"]]))
    return "\n".join(out)
