"""Worker processes: started with `spawn`, sized by config, and gone when their parent is gone."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from concurrent.futures import ProcessPoolExecutor


def _watch_parent(parent: int) -> None:
    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _start(parent: int) -> None:
    _watch_parent(parent)
    # One thread per worker: the cores are shared out by processes, and results do not depend on thread counts.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"):
        os.environ[name] = "1"


def make_pool(workers: int) -> ProcessPoolExecutor:
    """A pool of `workers` processes; use it as a context manager."""
    return ProcessPoolExecutor(
        max_workers=workers, mp_context=multiprocessing.get_context("spawn"), initializer=_start, initargs=(os.getpid(),)
    )
