"""Texts of revisions as stretches between blank lines: each distinct one is stored once per page and named by a hash.

Guarantees: a text is exactly its stretches joined by a blank line; what is rebuilt has the content hash that the scan
took, also where two stretches of a page share a 64-bit name; a text that cannot be rebuilt is never guessed.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from schemas.ids import content_hash

WIKITEXT = "text/x-wiki"
SEPARATOR = "\n\n"
_SEPARATOR, _NEWLINE = SEPARATOR.encode(), ord("\n")
KNOWN_BYTES = 64_000_000
_MAX_TRIALS = 1024
_BEFORE_STRETCHES = 200_000


def stretch_id(data: bytes) -> int:
    """The 8 bytes of a BLAKE2b of the UTF-8, big-endian, signed."""
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big", signed=True)


def rebuild(names: Sequence[int], texts: Mapping[int, str]) -> str:
    """The text of a revision. KeyError where a stretch is not there."""
    return SEPARATOR.join([texts[name] for name in names])


class Splitter:
    """Splits the texts of one page after another.

    It remembers the stretches of the page, up to `limit` bytes of them, and the last text: of the next one only what
    lies between their common beginning and their common end is split and looked up. What comes back is known by its hash.
    """

    def __init__(self, limit: int = KNOWN_BYTES) -> None:
        self._limit = limit
        self.forget()

    def forget(self) -> None:
        """A new page begins."""
        self._known: dict[bytes, int] = {}
        self._held = 0
        self._last = np.zeros(0, np.uint8)
        self._names: list[int] = []
        self._starts = np.zeros(0, np.int64)  # where the stretches of the last text begin
        self._before: dict[str, tuple[list[int], np.ndarray]] = {}  # names and beginnings, by hash of the text
        self._before_count = 0

    def split(self, data: bytes, hashed: str | None = None) -> tuple[list[int], list[tuple[int, str]]]:
        """UTF-8 (and its content hash) to (names of the stretches in order, those not named before with their texts).

        Beyond the limit the stretches are forgotten, and told again.
        """
        new = np.frombuffer(data, np.uint8)
        known = self._before.get(hashed) if hashed is not None else None
        if known is not None:
            self._names, self._starts = known
            self._last = new
            return self._names, []
        kept, begin, rest, end = self._common(new)
        pieces = data[begin:end].split(_SEPARATOR)
        names, told = self._name(pieces)
        sizes = np.fromiter(map(len, pieces), np.int64, len(pieces)) + len(_SEPARATOR)
        middle = begin + np.cumsum(sizes) - sizes
        shift = len(new) - len(self._last)
        self._starts = np.concatenate([self._starts[:kept], middle, self._starts[rest:] + shift])
        self._names = self._names[:kept] + names + self._names[rest:]
        self._last = new
        if hashed is None:
            return self._names, told
        if self._before_count > _BEFORE_STRETCHES:
            self._before, self._before_count = {}, 0
        self._before[hashed] = self._names, self._starts
        self._before_count += len(self._names) + 50
        return self._names, told

    def _common(self, new: np.ndarray) -> tuple[int, int, int, int]:
        """(stretches kept from the beginning, where the others begin, first stretch of the end kept, where the others end).

        A blank line is one where the newlines before it are the same: so it is all through the common beginning, and in
        the common end from the first one on that follows no newline.
        """
        last, starts = self._last, self._starts
        size = min(len(last), len(new))
        if not len(starts):
            return 0, 0, 0, len(new)
        head = _agree(last[:size], new[:size])
        kept = int(np.searchsorted(starts, head, "right")) - 1
        begin = int(starts[kept])
        size -= head
        tail = _agree_back(last[len(last) - size :], new[len(new) - size :])
        rest = int(np.searchsorted(starts, len(last) - tail + 3))
        rest = max(rest, kept + 1)
        while rest < len(starts) and last[starts[rest] - 3] == _NEWLINE:
            rest += 1
        if rest >= len(starts):
            return kept, begin, len(starts), len(new)
        return kept, begin, rest, int(starts[rest]) - len(_SEPARATOR) + len(new) - len(last)

    def _name(self, pieces: list[bytes]) -> tuple[list[int], list[tuple[int, str]]]:
        if self._held > self._limit:
            self._known, self._held = {}, 0
        names, told = [], []
        for piece in pieces:
            name = self._known.get(piece)
            if name is None:
                name = self._known[piece] = stretch_id(piece)
                told.append((name, piece.decode("utf-8", "surrogatepass")))
                self._held += len(piece) + 100
            names.append(name)
        return names, told


def _agree(a: np.ndarray, b: np.ndarray) -> int:
    """How many of the first elements are equal; `a` and `b` are of one length."""
    same = a == b
    first = int(same.argmin()) if len(same) else 0
    return first if len(same) and not same[first] else len(same)


def _agree_back(a: np.ndarray, b: np.ndarray) -> int:
    """How many of the last elements are equal; `a` and `b` are of one length."""
    return len(a) - 1 - (a == b).tobytes().rfind(b"\0")


class PageTexts:
    """The stretches of one document, from all scans that hold it.

    `texts` (name to text) serves `rebuild`. Where texts share a name, each has a name of its own in there, beyond 64 bits,
    and `resolve` finds by the content hash which are meant.
    """

    def __init__(self) -> None:
        self.texts: dict[int, str] = {}
        self.split: dict[int, list[int]] = {}  # names of what was stored as bytes, by row number
        self._shared: dict[int, list[int]] = {}
        self._aliases = 1 << 64

    def add(self, name: int, text: str) -> None:
        if name in self._shared:
            if all(self.texts[alias] != text for alias in self._shared[name]):
                self._shared[name].append(self._alias(text))
            return
        held = self.texts.setdefault(name, text)
        if held != text:
            self._shared[name] = [self._alias(held), self._alias(text)]
            del self.texts[name]

    def _alias(self, text: str) -> int:
        self._aliases += 1
        self.texts[self._aliases] = text
        return self._aliases

    def resolve(self, ints: list[int], hashed: str) -> list[int] | None:
        """Names that `rebuild` can use for the text of this content hash; None where no text of that hash can be made."""
        if not self._shared:
            return ints if all(map(self.texts.__contains__, ints)) else None
        choices = [self._shared.get(i) or ([i] if i in self.texts else []) for i in ints]
        if all(len(choice) == 1 for choice in choices):
            return ints
        for trial, chosen in enumerate(product(*choices)):
            if trial == _MAX_TRIALS:
                break
            if content_hash(rebuild(chosen, self.texts)) == hashed:
                return list(chosen)
        return None


class Originals:
    """Original contents of `raw` rows by row number, taken when asked for. `stretches` holds those of the same documents."""

    def __init__(self, raw: pa.Table, stretches: pa.Table) -> None:
        self._raw = raw["raw"]
        self._lists = [
            (chunk, np.asarray(chunk.offsets), np.asarray(chunk.values)) for chunk in raw["stretches"].chunks
        ]
        self._starts = [0]
        for chunk, _, _ in self._lists:
            self._starts.append(self._starts[-1] + len(chunk))
        self._runs: dict[str, list[tuple[pa.RecordBatch, int, int]]] = {}
        for batch in stretches.select(["document_id", "stretch", "text"]).to_batches():
            for document, start, end in _runs(batch.column(0)):
                self._runs.setdefault(document, []).append((batch, start, end))

    def data(self, row: int) -> bytes | None:
        """The bytes of a file; None for a revision."""
        return self._raw[row].as_py()

    def names(self, row: int) -> list[int] | None:
        """The stretches of a revision, by name; None for a file."""
        which = bisect_right(self._starts, row) - 1
        chunk, offsets, values = self._lists[which]
        row -= self._starts[which]
        return values[offsets[row] : offsets[row + 1]].tolist() if chunk[row].is_valid else None

    def page(self, document: str, rows: Iterable[Mapping[str, Any]] = ()) -> PageTexts:
        """The stretches of a document, and those of its `rows` that hold a revision as bytes (scans of earlier versions).

        `rows` are of `raw`, with their row number as `index`.
        """
        out = PageTexts()
        splitter = Splitter()
        for row in rows:
            data = self.data(row["index"]) if row["mime"] == WIKITEXT else None
            if data is not None:
                out.split[row["index"]], told = splitter.split(data)
                for name, text in told:
                    out.add(name, text)
        for batch, start, end in self._runs.get(document, ()):
            names = batch.column(1).slice(start, end - start).to_pylist()
            for name, text in zip(names, batch.column(2).slice(start, end - start).to_pylist(), strict=True):
                out.add(name, text)
        return out


def _runs(column: pa.Array) -> Iterator[tuple[str, int, int]]:
    """(value, start, end) of equal values in a row."""
    if not len(column):
        return
    coded = column.dictionary_encode()
    indices = np.asarray(coded.indices)
    starts = [0, *(np.flatnonzero(np.diff(indices)) + 1).tolist()]
    for start, end in zip(starts, [*starts[1:], len(column)], strict=True):
        yield coded.dictionary[int(indices[start])].as_py(), start, end
