"""How a run is shown: bars in a terminal, one line per stage in a log, JSON lines for machines, nothing when quiet."""

from __future__ import annotations

import json
import time
from typing import Any, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from flows.progress import Reporter, StageStats, Step, View

UNITS = {"dedupe": "keys", "conflict": "keys", "embed": "texts"}
JSON_SECONDS = 5.0
UNIT_STAGES = ("parse", "chunk", "extract", "normalize", "validity", "dedupe", "conflict", "embed")


def clock(seconds: float | None) -> str:
    """'0:42', '12:05', '1:02:03'; '?' where unknown."""
    if seconds is None:
        return "?"
    whole = int(seconds + 0.5)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"


def rate(count: int, seconds: float, unit: str) -> str:
    return f"{count / seconds:,.0f} {unit}/s" if count and seconds > 0 else ""


def step_facts(report: Reporter) -> dict[str, Any]:
    """Where the running step stands, as plain data: what the JSON lines hold, and the other views show."""
    step = report.step
    if step is None:
        return {}
    counts = report.counts()
    stats = report.stats[step.stage]
    left, whole = report.step_left(), report.left_seconds()
    reused, shards = report.cached()
    running = time.perf_counter() - step.began
    out: dict[str, Any] = {
        "stage": step.stage, "shards_done": step.done_shards, "shards": step.shards, "units_run": stats.units_run,
        "elapsed_seconds": round(report.elapsed(), 1), "stage_left_seconds": None if left is None else round(left, 1),
        "left_seconds": None if whole is None else round(whole, 1), "shards_reused": reused, "shards_seen": shards,
        "peak_mb": round(report.peak_mb()),
    }
    if step.stage == "scan":
        out |= {"documents": counts.documents, "revisions": counts.revisions, "read_fraction": counts.read_fraction,
                "documents_per_second": round(counts.documents / running, 1) if running else None,
                "revisions_per_second": round(counts.revisions / running, 1) if running else None}
    return out


def summary_line(stats: StageStats) -> str:
    """One stage in one line."""
    unit = UNITS.get(stats.stage, "documents")
    rows = ", ".join(f"{n:,} {t}" for t, n in stats.rows.items() if n and t != "quarantine")
    parts = [f"{stats.shards_run} run, {stats.shards_reused} reused", f"{stats.seconds:.1f} s"]
    if stats.stage in UNIT_STAGES and stats.units_run:
        parts += [f"{stats.units_run:,} of {stats.units_total:,} {unit}", rate(stats.units_run, stats.seconds, unit)]
    if stats.peak_mb:
        parts.append(f"peak {stats.peak_mb:,.0f} MB")
    return f"{stats.stage:<10} " + " · ".join(p for p in [*parts, rows] if p)


class TerminalView(View):
    """A bar per stage, and a line for the whole run."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            SpinnerColumn(), TextColumn("{task.description:<10}"), BarColumn(bar_width=20), MofNCompleteColumn(), TimeElapsedColumn(),
            TextColumn("{task.fields[note]}"), console=console,
        )
        self._bars: dict[str, TaskID] = {}
        self._total = self._progress.add_task("all", total=None, note="")
        self._progress.start()

    def begin(self, report: Reporter, step: Step) -> None:
        stats = report.stats[step.stage]
        if step.stage not in self._bars:
            self._bars[step.stage] = self._progress.add_task(step.stage, total=0, note="")
        self._progress.update(self._bars[step.stage], total=stats.shards_run + stats.shards_reused,
                              completed=stats.shards_run + stats.shards_reused - step.shards, note="")

    def tick(self, report: Reporter) -> None:
        facts = step_facts(report)
        if report.step is None or not facts:
            return
        stats = report.stats[report.step.stage]
        seen = stats.shards_run + stats.shards_reused
        running = time.perf_counter() - report.step.began
        if facts["stage"] == "scan":
            speed = " · ".join(p for p in (rate(facts["documents"], running, "documents"), rate(facts["revisions"], running, "revisions")) if p)
        else:
            speed = rate(stats.units_run, running, UNITS.get(facts["stage"], "documents"))
        left = "" if facts["stage_left_seconds"] is None else f"{clock(facts['stage_left_seconds'])} left in this stage"
        self._progress.update(self._bars[facts["stage"]], completed=seen - report.step.shards + report.step.done_shards,
                              note=" · ".join(p for p in (speed, left) if p))
        whole = facts["left_seconds"]
        shown = f"about {clock(whole)} left, by the last full run" if whole is not None else "time left: not known before a first full run"
        self._progress.update(self._total, note=f"{shown} · {facts['shards_reused']} of {facts['shards_seen']} shards reused · "
                                                f"peak {facts['peak_mb']:,} MB")

    def end(self, report: Reporter, stats: StageStats) -> None:
        shown = ", ".join(f"{n:,} {t}" for t, n in stats.rows.items() if n and t != "quarantine")
        seen = stats.shards_run + stats.shards_reused
        self._progress.update(self._bars[stats.stage], completed=seen, total=seen, note=shown)
        self._progress.stop_task(self._bars[stats.stage])

    def close(self) -> None:
        self._progress.update(self._total, note="", total=1, completed=1)
        self._progress.stop()


class PlainView(View):
    """One line when a stage has ended: for logs."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._shown: dict[str, str] = {}
        self._stage = ""

    def begin(self, report: Reporter, step: Step) -> None:
        if step.stage != self._stage:
            self._flush(report)
            self._stage = step.stage

    def end(self, report: Reporter, stats: StageStats) -> None:
        self._shown[stats.stage] = summary_line(stats)

    def _flush(self, report: Reporter) -> None:
        if self._stage in self._shown:
            print(self._shown.pop(self._stage), file=self._out, flush=True)

    def close(self) -> None:
        for line in self._shown.values():
            print(line, file=self._out, flush=True)


class JsonLinesView(View):
    """One JSON object a line: `begin`, `progress` every few seconds, `end`. The command adds `done` or `error`."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._last = time.perf_counter()

    def _write(self, event: str, body: dict[str, Any]) -> None:
        print(json.dumps({"event": event, **body}, ensure_ascii=False), file=self._out, flush=True)

    def begin(self, report: Reporter, step: Step) -> None:
        self._write("begin", step_facts(report))

    def tick(self, report: Reporter) -> None:
        if time.perf_counter() - self._last >= JSON_SECONDS and report.step is not None:
            self._last = time.perf_counter()
            self._write("progress", step_facts(report))

    def end(self, report: Reporter, stats: StageStats) -> None:
        self._write("end", {**stats.to_json(), "elapsed_seconds": round(report.elapsed(), 1)})
