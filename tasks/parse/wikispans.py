"""From what is shown to the spans, the text and the link offsets of an element.

Guarantees: the text is the renderer's; spans carry no white space at their ends; a link's offsets hold exactly what it shows.
"""

from __future__ import annotations

from schemas.render import rendered_pieces

Span = tuple[int, int]
# start, end, and: 0 text, 1 a break between two items of a list, 2 a blank
Shown = tuple[int, int, int]


def soften(text: str, shown: list[Shown]) -> list[Shown]:
    """Breaks before an opening parenthesis become blanks: "1937<br>(10th)" is one item."""
    if not any(flag == 1 for _, _, flag in shown):
        return shown
    out: list[Shown] = []
    after = ""
    for start, end, flag in reversed(shown):
        if flag == 1 and after == "(":
            out.append((start, start, 2))
            continue
        if flag == 1:
            after = ""
        elif flag == 0:
            after = text[start:end].strip()[:1] or after
        out.append((start, end, flag))
    return out[::-1]


def tidy(text: str, kind: str, shown: list[Shown], blank: Span | None = None) -> list[Span]:
    """Spans for the renderer: ends stripped, neighbours merged, list breaks as the kind wants them.

    A break is an empty span in a field (`; `); elsewhere it is the character that made it (newline, pipe, <br>).
    `blank`: a slice that renders as a blank, for breaks that no character made.
    """
    out: list[Span] = []
    field = kind == "field"
    for start, end, flag in shown:
        if flag == 2 or (flag == 1 and start == end and not field):
            if blank is not None:
                out.append(blank)
            elif kind not in ("field", "row"):
                out.append((start, start))
            continue
        if flag == 1 and field and end - start == 1:
            out.append((start, start))
            continue
        if flag == 0 and start >= end:
            continue
        if not flag and out and out[-1][1] == start and out[-1][0] < start and text[start] not in "|=" and text[start - 1] not in "|=":
            out[-1] = (out[-1][0], end)
        else:
            out.append((start, end))
    return trim(text, out)


def trim(text: str, spans: list[Span]) -> list[Span]:
    """Without white space and separators at both ends."""
    low, high = 0, len(spans)
    while low < high and _is_gap(text, spans[low]):
        low += 1
    while high > low and _is_gap(text, spans[high - 1]):
        high -= 1
    spans = spans[low:high]
    if spans:
        start, end = spans[0]
        while start < end and text[start].isspace():
            start += 1
        spans[0] = (start, end)
        start, end = spans[-1]
        while end > start and text[end - 1].isspace():
            end -= 1
        spans[-1] = (start, end)
    return spans


def _is_gap(text: str, span: Span) -> bool:
    piece = text[span[0] : span[1]]
    return not piece or piece == "|" or piece.isspace() or (piece[0] == "<" and piece[:3].lower() == "<br" and piece.endswith(">"))


def render_with_links(kind: str, text: str, spans: list[Span], links: list[tuple[int, int, str]]) -> tuple[str, list[dict]]:
    """The element's text, and its links with half-open offsets in it. `links` are source ranges with a title."""
    if not links:
        return "".join(piece for piece, _, _ in rendered_pieces(kind, text, spans)), []
    pieces, at = [], 0
    for piece, start, end in rendered_pieces(kind, text, spans):
        pieces.append((start, end, at, piece))
        at += len(piece)
    whole = "".join(p[3] for p in pieces)
    out = []
    position = 0
    for low, high, title in links:
        found = _pieces_within(pieces, position, low, high)
        if found is None and position:
            found = _pieces_within(pieces, 0, low, high)
        if found is None:
            continue
        first, last, position = found
        while first < last and whole[first].isspace():
            first += 1
        while last > first and whole[last - 1].isspace():
            last -= 1
        if first < last:
            out.append({"start": first, "end": last, "target": title})
    return whole, out


def _pieces_within(pieces, position: int, low: int, high: int) -> tuple[int, int, int] | None:
    """(first offset, last offset, next piece) of the run of pieces that come from the source range [low, high)."""
    count = len(pieces)
    while position < count and not (pieces[position][0] < high and pieces[position][1] > low and pieces[position][3].strip()):
        position += 1
    if position == count:
        return None
    start, _, at, piece = pieces[position]
    first = at + max(0, low - start) if len(piece) == pieces[position][1] - start else at
    last = first
    begin = position
    while position < count and pieces[position][0] < high and pieces[position][1] > low:
        start, end, at, piece = pieces[position]
        last = at + (min(high, end) - start if len(piece) == end - start else len(piece))
        if end >= high:
            break
        position += 1
    return first, last, max(begin, position)
