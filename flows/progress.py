"""Progress that tells the truth: what was done, how fast, what was taken over, and how long it may still take.

Nothing is estimated from nothing. The time left in a stage is told once one of its shards is done, by rows. The time left
in the whole run is told where an earlier release of this warehouse was built by at least half a run of the same stages.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from flows.counters import Counters, Counts
from flows.pace import Pace

TICK_SECONDS = 0.5


@dataclass
class StageStats:
    """What one stage did: shards made and reused, units (documents or keys) run and seen, seconds, peak memory in MB."""

    stage: str
    seconds: float = 0.0
    shards_run: int = 0
    shards_reused: int = 0
    units_run: int = 0
    units_total: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    peak_mb: float = 0.0

    def to_json(self) -> dict:
        return {**self.__dict__, "seconds": round(self.seconds, 3), "peak_mb": round(self.peak_mb)}


@dataclass
class Step:
    """The step of a stage that runs now. `weights` are input rows per shard that is to be computed."""

    stage: str
    began: float
    weights: dict[int, int]
    done_weight: int = 0
    done_shards: int = 0

    @property
    def shards(self) -> int:
        return len(self.weights)

    def left_seconds(self, now: float) -> float | None:
        """By rows done, once there are some; None before."""
        total = sum(self.weights.values())
        if not self.done_weight or total <= self.done_weight:
            return 0.0 if self.shards and self.done_shards >= self.shards else None
        return (now - self.began) * (total - self.done_weight) / self.done_weight


class View:
    """How a run is shown. Every method is called from one thread at a time."""

    def begin(self, report: Reporter, step: Step) -> None: ...
    def tick(self, report: Reporter) -> None: ...
    def end(self, report: Reporter, stats: StageStats) -> None: ...
    def close(self) -> None: ...


class Reporter:
    """Collects the statistics of a run and hands them to a view. Use as a context manager."""

    def __init__(self, view: View | None = None, pace: Pace | None = None) -> None:
        self.view = view or View()
        self.pace = pace or Pace({}, {})
        self.stats: dict[str, StageStats] = {}
        self.step: Step | None = None
        self.counters: Counters | None = None
        self.began = time.perf_counter()
        self._began: dict[str, float] = {}
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._ticker: threading.Thread | None = None

    def __enter__(self) -> Reporter:
        self.began = time.perf_counter()
        if type(self.view) is not View:
            self._ticker = threading.Thread(target=self._tick, daemon=True)
            self._ticker.start()
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        if self._ticker is not None:
            self._ticker.join()
        self.view.close()

    def _tick(self) -> None:
        while not self._stop.wait(TICK_SECONDS):
            with self._lock:
                self.view.tick(self)

    def begin(self, stage: str, shards: int, reused: int, weights: Sequence[tuple[int, int]] = ()) -> None:
        """A step of a stage begins: `shards` are to be computed (`weights`: shard -> input rows), `reused` are there already."""
        with self._lock:
            stats = self.stats.setdefault(stage, StageStats(stage))
            stats.shards_run += shards
            stats.shards_reused += reused
            now = time.perf_counter()
            self._began[stage] = now
            self.step = Step(stage, now, dict(weights) or dict.fromkeys(range(shards), 1))
            self.view.begin(self, self.step)

    def shard(self, stage: str, done: dict) -> None:
        """A shard is done; `done` is what the worker tells of it."""
        with self._lock:
            stats = self.stats[stage]
            stats.units_run += done.get("units_run", 0)
            stats.units_total += done.get("units_total", 0)
            stats.peak_mb = max(stats.peak_mb, done.get("peak_mb", 0.0))
            if self.step is not None and self.step.stage == stage:
                self.step.done_shards += 1
                self.step.done_weight += self.step.weights.get(done.get("shard", -1), 1)

    def end(self, stage: str, rows: dict[str, int] | None = None) -> None:
        with self._lock:
            stats = self.stats[stage]
            stats.seconds += time.perf_counter() - self._began[stage]
            stats.rows.update(rows or {})
            self.view.end(self, stats)

    def counts(self) -> Counts:
        return self.counters.read() if self.counters is not None else Counts(0, 0, None)

    def elapsed(self) -> float:
        return time.perf_counter() - self.began

    def cached(self) -> tuple[int, int]:
        """(shards taken over, shards in all) so far."""
        reused = sum(s.shards_reused for s in self.stats.values())
        return reused, reused + sum(s.shards_run for s in self.stats.values())

    def peak_mb(self) -> float:
        import resource

        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return max([own, *(s.peak_mb for s in self.stats.values())])

    def step_left(self) -> float | None:
        """Seconds left in the step that runs: by the file's position in a scan, by rows elsewhere."""
        if self.step is None:
            return None
        read = self.counts().read_fraction
        now = time.perf_counter()
        if self.step.stage == "scan" and read:
            return (now - self.step.began) * (1 - read) / read
        return self.step.left_seconds(now)

    def left_seconds(self) -> float | None:
        """Seconds left in the whole run, or None where no earlier run tells."""
        return self.pace.left_seconds(self)

    def to_json(self) -> list[dict]:
        return [s.to_json() for s in self.stats.values()]
