"""Progress as it happens: a bar per stage for people, nothing for machines; numbers are kept for the summary."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn


@dataclass
class StageStats:
    """What one stage did: shards made and reused, units (documents or keys) run and seen, seconds, peak memory."""

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


class Reporter:
    """Collects the statistics of a run and shows its progress on the console, unless quiet."""

    def __init__(self, console: Console | None = None) -> None:
        self.stats: dict[str, StageStats] = {}
        self.console = console
        self._progress: Progress | None = None
        self._bars: dict[str, int] = {}
        self._began: dict[str, float] = {}

    def __enter__(self) -> Reporter:
        if self.console is not None:
            self._progress = Progress(
                SpinnerColumn(), TextColumn("{task.description:<10}"), BarColumn(bar_width=24), MofNCompleteColumn(),
                TimeElapsedColumn(), TextColumn("{task.fields[note]}"), console=self.console,
            )
            self._progress.start()
        return self

    def __exit__(self, *_) -> None:
        if self._progress is not None:
            self._progress.stop()

    def begin(self, stage: str, shards: int, reused: int) -> None:
        """A step of a stage begins: `shards` are to be computed, `reused` are there already."""
        stats = self.stats.setdefault(stage, StageStats(stage))
        stats.shards_run += shards
        stats.shards_reused += reused
        self._began[stage] = time.perf_counter()
        if self._progress is None:
            return
        if stage not in self._bars:
            self._bars[stage] = self._progress.add_task(stage, total=0, note="")
        bar = self._bars[stage]
        task = next(t for t in self._progress.tasks if t.id == bar)
        self._progress.update(bar, total=(task.total or 0) + shards + reused)
        self._progress.update(bar, advance=reused)

    def shard(self, stage: str, done: dict) -> None:
        stats = self.stats[stage]
        stats.units_run += done.get("units_run", 0)
        stats.units_total += done.get("units_total", 0)
        stats.peak_mb = max(stats.peak_mb, done.get("peak_mb", 0.0))
        if self._progress is not None:
            self._progress.update(self._bars[stage], advance=1)

    def end(self, stage: str, rows: dict[str, int] | None = None) -> None:
        stats = self.stats[stage]
        stats.seconds += time.perf_counter() - self._began[stage]
        stats.rows.update(rows or {})
        if self._progress is not None:
            shown = ", ".join(f"{n:,} {t}" for t, n in stats.rows.items() if n and t != "quarantine")
            self._progress.update(self._bars[stage], note=shown)

    def to_json(self) -> list[dict]:
        return [s.to_json() for s in self.stats.values()]
