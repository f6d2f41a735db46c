"""Segments of a page's revisions from the names of their stretches: what `wikiblocks.segments` gives for the texts.

Guarantees: the segments are those of the text, whatever was asked before. A stretch in which nothing is open is looked at
once per page. From one in which something is open, texts are joined and read up to where its section ends, once for each
sequence of stretches that could make a difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tasks.parse.stretches import SEPARATOR, rebuild
from tasks.parse.wikiblocks import Analysis, Section, analyse, joined

_MAX_HELD = 4_000_000  # names in remembered runs

Run = tuple[int, list[str]]  # how many stretches it takes, its segments


class Segmenter:
    """Segments of the texts of one page. `texts` gives each stretch by name; `memo` the analysis of each segment."""

    def __init__(self, texts: Mapping[int, str]) -> None:
        self.texts = texts
        self.memo: dict[str, Analysis] = {}
        self._closed: dict[int, str | None] = {}  # by name; None where something is open
        self._clear()

    def _clear(self) -> None:
        # By the name of the first stretch: runs that rest on so many stretches, and those that rest on all to the end.
        self._inner: dict[int, dict[int, dict[tuple[int, ...], Run]]] = {}
        self._final: dict[tuple[int, ...], Run] = {}
        self._held = 0

    def segments(self, names: Sequence[int]) -> list[str]:
        """Segments in order. Equal segments of one page are one object mostly, so that looking them up is cheap."""
        out: list[str] = []
        closed = self._closed
        at, count = 0, len(names)
        while at < count:
            name = names[at]
            segment = closed[name] if name in closed else self._look(name)
            if segment is not None:
                out.append(segment)
                at += 1
            else:
                taken, found = self._run(names, at)
                out += found
                at += taken
        return out

    def length(self, names: Sequence[int]) -> int:
        """Characters of the text."""
        return sum(map(len, map(self.texts.__getitem__, names))) + len(SEPARATOR) * (len(names) - 1)

    def _look(self, name: int) -> str | None:
        text = self.texts[name]
        known = self.memo.get(text)
        if known is None:
            known = self.memo[text] = analyse(text)
        self._closed[name] = None if known[1] else text
        return self._closed[name]

    def _run(self, names: Sequence[int], at: int) -> Run:
        """From an open stretch on, until what was read ends: nothing that comes later depends on it."""
        inner = self._inner.get(names[at], {})
        for size, runs in inner.items():
            found = runs.get(tuple(names[at : at + size]))
            if found is not None:
                return found
        rest = tuple(names[at:])
        found = self._final.get(rest)
        if found is None:
            if self._held > _MAX_HELD:
                self._clear()
            found, size = self._read(rest)
            if size > len(rest):
                self._final[rest] = found
            else:
                self._inner.setdefault(names[at], {}).setdefault(size, {})[rest[:size]] = found
            self._held += min(size, len(rest))
        return found

    def _read(self, names: Sequence[int]) -> tuple[Run, int]:
        """The run, and how many stretches it rests on: one more than there are where it rests on the end of the text."""
        text = rebuild(names, self.texts)
        stretches = [self.texts[name] for name in names]
        section = Section(text)
        out: list[str] = []
        at = index = 0
        while index < len(stretches):
            start = at
            index, at = joined(stretches, index, at, section, self.memo)
            segment = text[start : at - 2]
            out.append(stretches[index - 1] if len(segment) == len(stretches[index - 1]) else segment)
            if section.limit <= at:
                break
        end, size = -2, 0
        while end < section.seen and size < len(stretches):
            end += len(stretches[size]) + 2
            size += 1
        return (index, out), max(index, size) + (end < section.seen)
