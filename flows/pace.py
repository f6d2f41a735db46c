"""How long the stages of this warehouse took before: what the time left in a run is told by.

A stage's pace is its seconds per document that the parse of the same run computed. Runs that computed less than half of
their documents, or fewer than 20, tell nothing: their time is mostly fixed cost.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warehouse.layout import Warehouse
from warehouse.releases import seen_releases

if TYPE_CHECKING:
    from flows.progress import Reporter

ORDER = ("scan", "parse", "chunk", "extract", "link", "normalize", "validity", "origins", "dedupe", "conflict", "embed", "index", "verify")
MIN_DOCUMENTS = 20
LOOK_BACK = 20


@dataclass(frozen=True)
class Pace:
    """Seconds per document by stage, and the documents of the run that each was measured in."""

    seconds: dict[str, float]
    documents: dict[str, int]

    def left_seconds(self, report: Reporter) -> float | None:
        """What the stages to come took before, for as many documents as this run's parse computes, plus the step's own rest."""
        parse = report.stats.get("parse")
        if not self.seconds or report.step is None or parse is None or not parse.units_run:
            return None
        now = ORDER.index(report.step.stage) if report.step.stage in ORDER else 0
        if now <= ORDER.index("parse"):
            return None
        later = ORDER[now + 1 :]
        if any(stage not in self.seconds for stage in later):
            return None
        rest = report.step_left()
        if rest is None:
            spent = report.elapsed() - (report.step.began - report.began)
            rest = max(0.0, self.seconds.get(report.step.stage, 0.0) * parse.units_run - spent)
        return rest + sum(self.seconds[stage] for stage in later) * parse.units_run


def read_pace(wh: Warehouse) -> Pace:
    """The newest usable figure of each stage, from the reports of the last releases; empty where there is none."""
    seconds: dict[str, float] = {}
    documents: dict[str, int] = {}
    for release in list(dict.fromkeys(reversed(seen_releases(wh))))[:LOOK_BACK]:
        try:
            stages = {s["stage"]: s for s in json.loads(wh.path("reports", release, "report.json").read_text())["stages"]}
        except (OSError, ValueError, KeyError, TypeError):
            continue
        parse = stages.get("parse", {})
        run, total = parse.get("units_run", 0), parse.get("units_total", 0)
        if run < MIN_DOCUMENTS or run * 2 < total:
            continue
        for name, found in stages.items():
            if name not in seconds and found.get("shards_run"):
                seconds[name], documents[name] = found["seconds"] / run, run
    return Pace(seconds, documents)
