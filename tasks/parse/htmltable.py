"""HTML tables as grids: column and row spans resolved, header rows told from body rows, layout tables recognised.

After the HTML standard's table model: a cell that spans rows stands in each of them, one that spans columns once per row.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tasks.parse.htmltree import BLOCKS, Flow, children, dropped

_MAX_COLUMNS = 1000


@dataclass
class Cell:
    """One cell: its text with white space collapsed, links as offsets in it, and whether it is a header."""

    text: str
    links: list[tuple[int, int, str]]
    header: bool
    columns: tuple[int, int] = (0, 1)


@dataclass
class Grid:
    """Header rows and body rows of cells, in column order; a cell appears once per row that it covers."""

    caption: str = ""
    header: list[list[Cell]] = field(default_factory=list)
    rows: list[list[Cell]] = field(default_factory=list)

    def names(self, row: list[Cell]) -> list[str]:
        """Column header of each cell of a row: header texts above it, outermost first, joined by ` / `.

        Without header rows a data cell goes by the header cell before it in its row.
        """
        out = []
        label = ""
        for cell in row:
            first, until = cell.columns
            found: list[str] = []
            for above in self.header:
                for other in above:
                    if other.columns[0] < until and first < other.columns[1] and other.text and other.text not in found:
                        found.append(other.text)
            if not self.header:
                out.append("" if cell.header else label)
                label = cell.text if cell.header else label
            else:
                out.append(" / ".join(found))
        return out


def is_layout(table) -> bool:
    """A table that only places things: no header, no caption, and tables or headings within, or a single column."""
    role = (table.attributes.get("role") or "").lower()
    if role in ("presentation", "none"):
        return True
    rows = [(_cells(row), in_head) for row, in_head in _rows(table)]
    if any(in_head or any(cell.tag == "th" for cell in cells) for cells, in_head in rows):
        return False
    if any(child.tag == "caption" for child in children(table)):
        return False
    if table.css_first("table table, h1, h2, h3, h4, h5, h6, pre") is not None:
        return True
    return all(len(cells) <= 1 for cells, _ in rows)


def _rows(table) -> list[tuple[object, bool]]:
    """(tr, whether in thead) of a table itself, nested tables left out; tfoot last."""
    head, body, foot = [], [], []
    for child in children(table):
        if dropped(child):
            continue
        if child.tag == "tr":
            body.append((child, False))
        elif child.tag in ("thead", "tbody", "tfoot"):
            into = {"thead": head, "tbody": body, "tfoot": foot}[child.tag]
            into += [(tr, child.tag == "thead") for tr in children(child) if tr.tag == "tr" and not dropped(tr)]
    return head + body + foot


def _cells(row) -> list:
    return [cell for cell in children(row) if cell.tag in ("td", "th") and not dropped(cell)]


def _text(node) -> tuple[str, list[tuple[int, int, str]]]:
    """All visible text below a node, blocks parted by blanks."""
    flow = Flow()
    stack = [(child, True) for child in reversed(children(node))]
    while stack:
        inner, entering = stack.pop()
        tag = inner.tag
        if tag == "-text":
            flow.add(inner.text_content or "")
            continue
        if entering and dropped(inner):
            continue
        linked = tag == "a" and inner.attributes.get("href")
        if tag in BLOCKS or tag == "br":
            flow.add(" ")
        if linked and entering:
            flow.link(inner.attributes["href"].strip())
        elif linked:
            flow.unlink()
        if entering:
            stack.append((inner, False))
            stack.extend((child, True) for child in reversed(children(inner)))
    return flow.take()


def _number(value: str | None, most: int) -> int:
    digits = (value or "").strip()
    return min(int(digits), most) if digits.isascii() and digits.isdigit() and len(digits) < 6 else 1


def read_grid(table) -> Grid:
    """The grid of a `<table>` node."""
    grid = Grid()
    grid.caption = " ".join(t for t in (_text(c)[0] for c in children(table) if c.tag == "caption" and not dropped(c)) if t)
    rows = _rows(table)
    held: dict[int, tuple[int, Cell]] = {}  # column -> rows still to cover, cell
    heading = True
    for number, (tr, in_head) in enumerate(rows):
        row: list[Cell] = []
        column = 0

        def carry(row=row) -> None:
            nonlocal column
            while column in held:
                left, cell = held[column]
                row.append(cell)
                for c in range(*cell.columns):
                    if left > 1:
                        held[c] = (left - 1, cell)
                    else:
                        held.pop(c, None)
                column = cell.columns[1]

        for node in _cells(tr):
            carry()
            attributes = node.attributes
            wide = max(1, _number(attributes.get("colspan"), _MAX_COLUMNS))
            tall = _number(attributes.get("rowspan"), len(rows) - number) or len(rows) - number
            text, links = _text(node)
            cell = Cell(text, links, node.tag == "th", (column, column + wide))
            row.append(cell)
            if tall > 1:
                for c in range(*cell.columns):
                    held[c] = (tall - 1, cell)
            column += wide
        carry()
        for c in sorted(held):  # columns that the row itself left open
            if c >= column:
                column = c
                carry()
        filled = [cell for cell in row if cell.text]
        # A row of header cells alone may be a row's label (a pivot table): below the first it must span the whole width.
        width = max((c.columns[1] for r in grid.header for c in r), default=0)
        full = bool(filled) and len(row) > 1 and all(cell.header for cell in filled) and row[-1].columns[1] >= width
        heading = heading and (in_head or full)
        if heading and number + 1 < len(rows):
            grid.header.append(row)
        else:
            grid.rows.append(row)
    return grid
