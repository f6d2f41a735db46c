"""Write, audit, publish: a release becomes current only when its audits pass and its stores were read back and agree."""

from __future__ import annotations

import resource
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
from prefect import flow, task
from prefect.cache_policies import NO_CACHE

from flows.pipeline import Run
from flows.report import write_report
from schemas.errors import LodeError
from warehouse.auditing import audit_tables
from warehouse.layout import Warehouse
from warehouse.lineage import lineage
from warehouse.reconcile import Reconciliation, reconcile
from warehouse.refs import CURRENT, move_ref, read_ref
from warehouse.releases import open_release, write_release
from warehouse.rollback import rollback
from warehouse.tableset import TableSet

COUNTED = ("documents", "versions", "elements", "chunks", "sentences", "mentions", "claims", "values", "nuggets", "decisions")


@dataclass
class Outcome:
    """What a build, rerun, publish or rollback came to."""

    release: str
    published: bool
    unchanged: bool
    counts: dict[str, int] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)
    errors: int = 0
    error_fraction: float = 0.0
    above_threshold: bool = False
    left_out: dict[str, int] = field(default_factory=dict)
    report: str = ""
    seconds: float = 0.0
    stages: list[dict] = field(default_factory=list)
    computed: dict[str, int] = field(default_factory=dict)
    peak_mb: float = 0.0

    def to_json(self) -> dict:
        return {**asdict(self), "seconds": round(self.seconds, 3), "peak_mb": round(self.peak_mb)}


def publish_release(run: Run, body: dict[str, Any], tables: TableSet, began: float) -> Outcome:
    """Audits and reconciles a built release, writes its report, moves the ref. LodeError where it may not be published."""
    wh = run.wh
    unchanged = run.base is not None and run.base.id == body["id"]
    if not unchanged:
        check = check_or_refuse(run, body, tables)
        if run.base is not None:
            body["lineage"] = lineage(wh, run.base.tables(), tables, body["id"])
        release = write_release(wh, body)
        write_report(release, tables, check["audits"], check["reconciliation"], run.report.to_json())
        move_ref(wh, run.base.id if run.base else None, body["id"], "publish")
    outcome = summarize(run, body["id"], tables)
    outcome.unchanged, outcome.published = unchanged, not unchanged
    outcome.seconds = time.perf_counter() - began
    outcome.report = str(wh.path("reports", body["id"], "report.html"))
    return outcome


def check_or_refuse(run: Run, body: dict[str, Any], tables: TableSet) -> dict:
    """Audits and reconciliation, as one reported step. Raises LodeError with the first problems when either fails."""
    run.report.begin("verify", 1, 0)
    audits, result = check_release(run.wh, body, tables, run.config["run"]["memory_limit_mb"])
    run.report.shard("verify", {})
    run.report.end("verify")
    refuse_unsound(run.wh, body["id"], audits, result)
    return {"audits": audits, "reconciliation": result}


def check_release(
    wh: Warehouse, body: dict[str, Any], tables: TableSet, memory_limit_mb: int = 4096
) -> tuple[list[dict], Reconciliation]:
    """Audits and reconciliation of a release that is built."""
    from tasks.index import manifest

    return audit_tables(wh, tables, memory_limit_mb), reconcile(wh, tables, body["indexes"], manifest(body["config"]))


def refuse_unsound(wh: Warehouse, release: str, audits: list[dict], result: Reconciliation) -> None:
    failed = [a for a in audits if a["blocking"] and a["bad_rows"]]
    lines = [f"audit {a['audit']}: {a['bad_rows']} row(s), e.g. {a['examples'][0]['id']}: {a['examples'][0]['problem']}" for a in failed]
    lines += [f"{p['store']} ({p['leg']}) {p['id']}: {p['problem']}" for p in result.problems[:10]]
    if lines:
        raise LodeError(
            f"release {release} is not published: " + "; ".join(lines[:10]),
            expected="audits without rows, and stores that hold the same ids, fields and texts as the metadata",
            fix="the current release stays as it was; run `lode verify --full` to look for damaged objects, then build again",
        )


def summarize(run: Run, release: str, tables: TableSet) -> Outcome:
    """Counts of a release and how many inputs failed."""
    counts = {t: tables.rows(t) for t in COUNTED}
    states = tables.read(run.wh, "nuggets", ["state"])["state"].value_counts().to_pylist()
    rows = tables.read(run.wh, "quarantine", ["severity", "stage", "reason"])
    errors = pc.sum(pc.equal(rows["severity"], "error")).as_py() or 0
    left = rows.filter(pc.equal(rows["stage"], "parse"))["reason"].value_counts().to_pylist()
    fraction = errors / max(1, counts["documents"] + errors)
    peak = max([s["peak_mb"] for s in run.report.to_json()] + [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024])
    return Outcome(
        release, False, False, counts, {s["values"]: s["counts"] for s in sorted(states, key=lambda s: s["values"])},
        errors, fraction, fraction > run.config["run"]["error_threshold"], stages=run.report.to_json(),
        computed=dict(run.computed), peak_mb=peak,
        left_out={s["values"]: s["counts"] for s in sorted(left, key=lambda s: (-s["counts"], s["values"]))},
    )


@task(name="move-ref", cache_policy=NO_CACHE, persist_result=False, retries=0)
def move_task(root: str, expected: str | None, new: str, action: str) -> None:
    move_ref(Warehouse.open(Path(root)), expected, new, action)


@flow(name="rollback", validate_parameters=False, persist_result=False, retries=0)
def rollback_flow(root: str, target: str) -> str:
    """Rollback as a flow, for schedules; `lode rollback` moves the ref without a server."""
    return rollback(Warehouse.open(Path(root)), target)


@flow(name="publish", validate_parameters=False, persist_result=False, retries=0)
def publish_flow(root: str, release: str) -> str:
    """Publishes a release that was built before (for schedules that build and publish apart): checks it, then moves the ref."""
    wh = Warehouse.open(Path(root))
    found = open_release(wh, release)
    base = read_ref(wh, CURRENT)
    audits, result = check_release(wh, found.body, found.tables())
    refuse_unsound(wh, found.id, audits, result)
    move_task(root, base, found.id, "publish")
    return found.id
