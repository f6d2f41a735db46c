"""`build` and `rerun`: from sources, or from a stage on, to a published release.

Both end the same way: audits and reconciliation, then one move of the ref. Who loses a race rebases on the winner's
release and reuses every finished shard.
"""

from __future__ import annotations

import json
import os
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from prefect import flow
from prefect.futures import PrefectFuture
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from flows.pipeline import Run, forget_run, gather, index_task, register_run, run_stages, scan_task
from flows.pool import make_pool
from flows.progress import Reporter
from flows.publish import Outcome, publish_release
from flows.sources import (
    SourceRequest,
    deleted_documents,
    merge_source,
    refuse_mass_deletion,
    refuse_other_path,
    scan_key,
    to_spec,
)
from schemas.errors import LodeError, StaleBaseError
from schemas.sources import SourceSpec, listing_hash
from schemas.stage import STAGE_NAMES
from tasks.registry import load_stage
from warehouse.indexes import DOC_TABLES, LEGS, index_key, read_index
from warehouse.layout import Warehouse
from warehouse.leases import writer_lease
from warehouse.releases import Release, add_scans, current_release, need_scan, read_scan, release_id
from warehouse.snapshots import read_snapshot
from warehouse.tableset import TableSet

RELEASE_FORMAT = 1
ATTEMPTS = 8


@dataclass
class BuildRequest:
    """What `lode build` or `lode rerun` asks for. `stage` = None builds from sources."""

    sources: list[SourceRequest] = field(default_factory=list)
    only: bool = False
    allow_delete: bool = False
    stage: str | None = None


def run_build(wh: Warehouse, request: BuildRequest, config: dict[str, Any], report: Reporter) -> Outcome:
    """Runs the flow in this process; retries on a base that moved. LodeError on refusal."""
    workers = config["run"]["workers"]
    token = uuid.uuid4().hex  # names this run to its tasks; enters no data
    pool, report.counters = make_pool(workers)
    with writer_lease(wh), pool:
        run = Run(wh, pool, report, config)
        register_run(token, run)
        try:
            runner = cast("TaskRunner[PrefectFuture[Any]]", ThreadPoolTaskRunner(max_workers=workers))
            shaped = build_flow.with_options(name="rerun" if request.stage else "build", task_runner=runner)
            for attempt in range(ATTEMPTS):
                try:
                    return shaped(token, request)
                except StaleBaseError:
                    if attempt == ATTEMPTS - 1:
                        raise
        finally:
            forget_run(token)
    raise AssertionError("unreachable")


@flow(name="build", validate_parameters=False, persist_result=False, retries=0)
def build_flow(token: str, request: BuildRequest) -> Outcome:
    from flows.pipeline import _RUNS

    run = _RUNS[token]
    began = time.perf_counter()
    run.base = current_release(run.wh)
    if request.stage is not None:
        load_stage(request.stage)
        if run.base is None:
            raise LodeError("there is no release to rerun a stage of", fix="run `lode build PATH --acl public` first")
        sources, paths = run.base.body["sources"], run.base.body.get("paths", {})
        _check_scan_config(run.base, dict(run.config))
        _effective_config(run, request.stage)  # refuses before anything is computed
    else:
        sources, paths = scan_sources(token, run, request)
    tables = TableSet(run.wh.shards)
    add_scans(run.wh, tables, sources)
    stages = run_stages(token, tables, request.stage)
    indexes = build_indexes(token, run, tables)
    body = {
        "format": RELEASE_FORMAT, "stages": stages, "sources": sources, "config": _effective_config(run, request.stage),
        "indexes": indexes, "parent": run.base.id if run.base else None, "as_of": _newest(run.wh, sources),
        "paths": paths,  # where the sources were read: no part of the id
    }
    body["id"] = release_id(body)
    return publish_release(run, body, tables, began)


def _effective_config(run: Run, stage: str | None) -> dict[str, Any]:
    """The config the release was made with: for a rerun, sections of earlier stages alone stay as they were."""
    new = {k: v for k, v in run.config.items() if k not in ("run", "sources")}
    if stage is None or run.base is None:
        return new
    later = {s for name in STAGE_NAMES[STAGE_NAMES.index(stage):] for s in load_stage(name).config}
    earlier = {s for name in STAGE_NAMES[: STAGE_NAMES.index(stage)] for s in load_stage(name).config}
    shared = sorted(k for k in earlier & later if run.base.config.get(k) != new.get(k))
    if shared:
        first = next(n for n in STAGE_NAMES if set(shared) & set(load_stage(n).config))
        raise LodeError(
            f"[{'], ['.join(shared)}] changed, which a stage before {stage} reads too", expected="one config for all stages of a release",
            fix=f"run `lode rerun {first}` with this config",
        )
    return {k: run.base.config.get(k, v) if k in earlier - later else v for k, v in new.items()}


def _check_scan_config(base: Release, config: dict[str, Any]) -> None:
    from flows.sources import SCAN_CONFIG

    changed = [k for k in SCAN_CONFIG if base.config["parse"].get(k) != config["parse"][k]]
    if changed:
        raise LodeError(
            f"[parse] {', '.join(changed)} changed, which decides what is read from the sources",
            expected="the sources to be read again", fix="run `lode build` with their paths instead of `lode rerun`",
        )


def scan_sources(token: str, run: Run, request: BuildRequest) -> tuple[dict[str, dict], dict[str, str]]:
    """Reads what changed of the sources asked for; gives the release's sources, and where they were read from."""
    from tasks.parse.scan import list_inputs

    specs = [(r, to_spec(r)) for r in request.sources]
    version = load_stage("parse").version
    wanted: list[tuple[SourceRequest, SourceSpec, str]] = []
    listings: dict[str, str] = {}
    for asked, spec in specs:
        listing = listing_hash(list_inputs(Path(spec.path)))
        wanted.append((asked, spec, scan_key(spec, dict(run.config), listing, run.wh.shards, version)))
        listings[spec.name] = listing
    missing = [(spec, key) for _, spec, key in wanted if read_scan(run.wh, key) is None]
    run.report.begin("scan", len(missing), len(wanted) - len(missing))
    run.computed["scan"] = len(missing)
    part = {"parse": dict(run.config["parse"])}
    gather([scan_task.submit(token, spec.name, spec, part, key, listings[spec.name]) for spec, key in missing])
    old = {} if request.only or run.base is None else run.base.body["sources"]
    before = run.base.body["sources"] if run.base else {}
    sources = dict(old)
    paths = dict(run.base.body.get("paths", {})) if run.base else {}
    for asked, spec, key in wanted:
        refuse_other_path(spec.name, before.get(spec.name), paths.get(spec.name), asked, spec)
        paths[spec.name] = str(Path(spec.path).resolve())
        entry = merge_source(run.wh, before.get(spec.name), asked, spec, key)
        gone, count = deleted_documents(run.wh, before.get(spec.name), entry)
        if not request.allow_delete:
            refuse_mass_deletion(spec.name, gone, count, run.config["publish"]["max_deleted_fraction"])
        sources[spec.name] = entry
    if request.only and not request.allow_delete:
        for name in sorted(set(before) - set(sources)):
            gone, count = deleted_documents(run.wh, before[name], {"scans": []})
            refuse_mass_deletion(name, gone, count, run.config["publish"]["max_deleted_fraction"])
    rows = sum(need_scan(run.wh, k, name)["rows"] for name, e in sources.items() for k in e["scans"])
    run.report.end("scan", {"raw": rows})
    return {name: sources[name] for name in sorted(sources)}, {name: paths[name] for name in sorted(sources) if name in paths}


def build_indexes(token: str, run: Run, tables: TableSet) -> dict[str, dict[str, str]]:
    """Builds the stores that the config wants and that are not there; store -> leg -> index key."""
    from tasks.index import manifest

    wanted = manifest(run.config)
    legs = LEGS if run.config["embed"]["enabled"] else ("sparse",)
    keys = {store: {leg: index_key(store, leg, wanted, tables) for leg in legs} for store in DOC_TABLES}
    missing = [(s, leg, k) for s, by_leg in keys.items() for leg, k in by_leg.items() if read_index(run.wh, k) is None]
    run.report.begin("index", len(missing), len(legs) * len(DOC_TABLES) - len(missing))
    run.computed["index.stores"] = len(missing)
    futures, jobs = [], []
    for store, leg, key in missing:
        used = TableSet(run.wh.shards)
        for name in (DOC_TABLES[store], "vectors"):
            used.set(name, tables.get(name))
        job = run.wh.path("scratch", f"index-{key}-{os.getpid()}.json")
        jobs.append(job)
        run.wh.write(job, json.dumps({"key": key, "store": store, "leg": leg, "manifest": wanted, "tables": used.to_json()}).encode())
        futures.append(index_task.submit(token, store, leg, key, str(job)))
    gather(futures)
    for job in jobs:
        job.unlink(missing_ok=True)
    run.report.end("index")
    return keys


def _newest(wh: Warehouse, sources: dict[str, dict]) -> int | None:
    """The newest source instant, in seconds: what `as_of` is by default."""
    found = [need_scan(wh, k, name)["newest"] for name, e in sources.items() for k in e["scans"]]
    return max((n for n in found if n is not None), default=None)


__all__ = ["RELEASE_FORMAT", "BuildRequest", "build_flow", "read_snapshot", "run_build"]
