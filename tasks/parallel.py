"""Shares one shard's work between processes, where cores would stand idle: the history of one page is one shard.

Guarantees: results come in the order of the pieces and depend on them alone, so the number of cores changes no byte; the
processes end with the one that started them. How many cores a shard may use is told by the runner (`set_cores`); by default
one, and then nothing is started.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

_Piece = TypeVar("_Piece")
_Result = TypeVar("_Result")
_POLL_SECONDS = 0.5
_cores = 1


def set_cores(count: int) -> None:
    """How many cores the shards of this process may use from now on."""
    global _cores
    _cores = max(1, count)


def cores() -> int:
    return _cores


def _watch(parent: int) -> None:
    def look() -> None:
        while os.getppid() == parent:
            time.sleep(_POLL_SECONDS)
        os._exit(1)

    threading.Thread(target=look, daemon=True).start()


def map_slices(work: Callable[..., _Result], pieces: Sequence[_Piece], least: int, *more: Any) -> list[_Result]:
    """`work(slice, *more)` for slices of the pieces, in order; one slice where there are fewer than `least` pieces per core.

    `work` and `more` must be picklable. Slices are small enough that no core waits long for another.
    """
    count = min(_cores, len(pieces) // max(1, least))
    if count < 2:
        return [work(pieces, *more)] if pieces else []
    size = -(-len(pieces) // (count * 4))
    slices = [pieces[at : at + size] for at in range(0, len(pieces), size)]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, mp_context=context, initializer=_watch, initargs=(os.getpid(),)) as pool:
        return [done.result() for done in [pool.submit(work, part, *more) for part in slices]]
