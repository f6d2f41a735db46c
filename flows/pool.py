"""Worker processes: started with `spawn`, sized by config, and gone when their parent is gone."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from flows.counters import Counters, join


def _watch_parent(parent: int) -> None:
    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _start(parent: int, array: Any, next_row: Any) -> None:
    _watch_parent(parent)
    join(array, next_row)
    # One thread per worker: the cores are shared out by processes, and results do not depend on thread counts.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"):
        os.environ[name] = "1"


def make_pool(workers: int) -> tuple[ProcessPoolExecutor, Counters]:
    """A pool of `workers` processes, to be used as a context manager, and the counters that they raise."""
    context = multiprocessing.get_context("spawn")
    counters = Counters(context, workers)
    pool = ProcessPoolExecutor(
        max_workers=workers, mp_context=context, initializer=_start, initargs=(os.getpid(), counters.array, counters.next_row)
    )
    return pool, counters
