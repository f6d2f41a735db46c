"""Counters that worker processes raise while they work, and their parent reads: a small shared array, no locks.

Every worker has a row of its own, so nothing is ever written by two. They are for showing, and enter no result.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from multiprocessing.context import SpawnContext
from typing import Any

DOCUMENTS, REVISIONS, READ_PERMILLE, FIELDS = 0, 1, 2, 3
_POSITION_SECONDS = 0.5

_row: Any = None  # this worker's (array, offset), set by `join`


@dataclass(frozen=True)
class Counts:
    """Sums over all workers: documents and revisions read by scans; how much of the files being read is read, 0..1."""

    documents: int
    revisions: int
    read_fraction: float | None


class Counters:
    """The parent's side: made before the pool, given to its workers."""

    def __init__(self, context: SpawnContext, workers: int) -> None:
        self.array = context.Array("q", workers * FIELDS, lock=False)
        self.next_row = context.Value("i", 0)

    def read(self) -> Counts:
        rows = [self.array[i : i + FIELDS] for i in range(0, len(self.array), FIELDS)]
        parts = [r[READ_PERMILLE] for r in rows if r[READ_PERMILLE]]
        return Counts(sum(r[DOCUMENTS] for r in rows), sum(r[REVISIONS] for r in rows),
                      min(parts) / 1000 if parts else None)


def join(array: Any, next_row: Any) -> None:
    """The worker's side: takes the next free row."""
    global _row
    with next_row.get_lock():
        number = next_row.value
        next_row.value += 1
    offset = number * FIELDS
    _row = (array, offset) if offset + FIELDS <= len(array) else None


class ScanCount:
    """Counts one scan's rows as they are read, and how far its file is read. Does nothing outside a pool."""

    def __init__(self, path: str) -> None:
        self._path = os.path.realpath(path)
        self._size = os.path.getsize(path) if os.path.isfile(path) else 0
        self._last = ""
        self._looked = 0.0

    def row(self, document: str) -> None:
        if _row is None:
            return
        array, offset = _row
        array[offset + REVISIONS] += 1
        if document != self._last:
            self._last = document
            array[offset + DOCUMENTS] += 1
        if self._size and time.monotonic() - self._looked > _POSITION_SECONDS:
            self._looked = time.monotonic()
            array[offset + READ_PERMILLE] = max(1, min(999, int(1000 * self._position() / self._size)))

    def end(self) -> None:
        if _row is not None:
            _row[0][_row[1] + READ_PERMILLE] = 0

    def _position(self) -> int:
        """Bytes of the (packed) file that were read, as the system knows them; 0 where it does not tell."""
        try:
            for name in os.listdir("/proc/self/fd"):
                if os.path.realpath(f"/proc/self/fd/{name}") == self._path:
                    with open(f"/proc/self/fdinfo/{name}") as lines:
                        return int(next(line for line in lines if line.startswith("pos:")).split()[1])
        except (OSError, StopIteration, ValueError):
            pass
        return 0
