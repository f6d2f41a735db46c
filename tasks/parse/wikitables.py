"""Wikitext tables to a grid of cells with offsets: `{| … |}` as MediaWiki reads it (Parser::doTableStuff), by lines.

Guarantees: every cell's range lies in the table; a colspan or rowspan cell stands in each column and row it covers;
attributes are never content. Work is bounded: spans are capped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tasks.parse.wikinodes import Node

MAX_COLUMNS = 100
MAX_ROWSPAN = 1000

_MARK = re.compile(r"^[ \t]*(\|-+|\|\+|\|\}|\||!)|\|\||!!|\|", re.MULTILINE)
_SPAN = re.compile(r"\b(col|row)span\s*=\s*[\"']?\s*(\d{1,4})", re.IGNORECASE)


@dataclass(slots=True)
class Cell:
    """Content range, and the nodes inside."""

    header: bool
    start: int
    end: int
    colspan: int = 1
    rowspan: int = 1
    attributes: tuple[int, int] | None = None
    nodes: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Table:
    """Captions, and rows as written; `grid` has one cell (or None) per column, and whether it began in this row."""

    captions: list[Cell]
    rows: list[list[Cell]]

    def grid(self) -> list[list[tuple[Cell, bool] | None]]:
        out = []
        carried: dict[int, tuple[Cell, int]] = {}
        for row in self.rows:
            line: list[tuple[Cell, bool] | None] = []
            cells = iter(row)
            cell = next(cells, None)
            column = 0
            while column < MAX_COLUMNS and (cell is not None or any(c >= column for c in carried)):
                if column in carried:
                    held, left = carried.pop(column)
                    line.append((held, False))
                    if left > 1:
                        carried[column] = (held, left - 1)
                    column += 1
                elif cell is not None:
                    for _ in range(cell.colspan):
                        if column in carried or column >= MAX_COLUMNS:
                            break
                        line.append((cell, True))
                        if cell.rowspan > 1:
                            carried[column] = (cell, cell.rowspan - 1)
                            # not to be popped again in this row
                        column += 1
                    cell = next(cells, None)
                else:
                    line.append(None)
                    column += 1
            out.append(line)
        return out


def read_table(text: str, table: Node) -> Table:
    """Cells of one table node; nested constructs are never split."""
    captions: list[Cell] = []
    rows: list[list[Cell]] = [[]]
    cell: Cell | None = None
    children = table.children
    index, count = 0, len(children)
    header_line = False
    waiting = True  # in the attributes of the table or of a row, until a line starts a cell
    last_line_end = table.inner

    def close(at: int) -> None:
        nonlocal cell
        if cell is not None:
            cell.end = max(cell.start, at)
            cell = None

    for match in _MARK.finditer(text, table.inner, table.inner_end):
        at = match.start()
        while index < count and children[index].end <= at:
            index += 1
        token_at = match.start(1) if match[1] else at
        if index < count and children[index].start <= token_at:
            continue
        mark = match[1]
        if mark:
            if mark[0] == "|" and len(mark) > 1 and mark[1] == "-":
                close(at)
                rows.append([])
                waiting = True
            elif mark == "|+":
                close(at)
                cell = Cell(False, match.end(), match.end())
                captions.append(cell)
                header_line, waiting = False, False
            elif mark == "|}":
                close(at)
                waiting = True
            else:
                close(at)
                header_line, waiting = mark == "!", False
                cell = Cell(header_line, match.end(), match.end())
                rows[-1].append(cell)
            last_line_end = match.end()
            continue
        if waiting or cell is None:
            continue
        token = match.group()
        if token == "|" or (token == "||" and captions and cell is captions[-1]):
            if cell.attributes is None and text.find("\n", cell.start, at) < 0:
                cell.attributes = (cell.start, at)
                cell.start = match.end()
        elif token == "||" or header_line:
            if text.find("\n", last_line_end, at) >= 0 and token == "!!":
                continue
            header = cell.header
            close(at)
            cell = Cell(header, match.end(), match.end())
            rows[-1].append(cell)
    close(table.inner_end)
    rows = [row for row in rows if row]
    position = 0
    for cell in sorted((c for row in [captions, *rows] for c in row), key=lambda c: c.start):
        if cell.attributes:
            for axis, number in _SPAN.findall(text[cell.attributes[0] : cell.attributes[1]]):
                value = max(1, int(number))
                if axis.lower() == "col":
                    cell.colspan = min(value, MAX_COLUMNS)
                else:
                    cell.rowspan = min(value, MAX_ROWSPAN)
        while position < count and children[position].end <= cell.start:
            position += 1
        look = position
        while look < count and children[look].start < cell.end:
            cell.nodes.append(children[look])
            look += 1
    return Table(captions, rows)


def header_rows(text: str, table: Table) -> int:
    """How many leading rows are headers: rows of `!` cells only; in a table without any, a first row all in bold."""
    count = 0
    for row in table.rows:
        if not all(cell.header for cell in row):
            break
        count += 1
    if count == len(table.rows):
        return min(count, 1)
    if count == 0 and len(table.rows) > 1 and not any(c.header for row in table.rows for c in row):
        first = [text[c.start : c.end].strip() for c in table.rows[0]]
        if len(first) > 1 and all(t.startswith("'''") and t.endswith("'''") for t in first if t) and any(first):
            return 1
    return count
