"""Runs the stages: plans each step, hands its missing shards to worker processes through Prefect tasks, collects.

Prefect tasks are given references (a plan's path and a shard number), never data; its caches are off and nothing rests
on its hooks: a killed run is taken up by the shard files of the warehouse.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.futures import wait

from flows import worker
from flows.progress import Reporter
from schemas.sources import SourceSpec
from schemas.stage import Stage
from tasks.registry import all_stages
from warehouse.engine import StepPlan, collect_step, plan_step
from warehouse.layout import Warehouse
from warehouse.releases import Release
from warehouse.snapshots import read_snapshot, snapshot_tables, write_snapshot
from warehouse.tableset import TableSet


@dataclass
class Run:
    """What a running flow shares with its tasks in this process. `pool` computes, `report` shows."""

    wh: Warehouse
    pool: ProcessPoolExecutor
    report: Reporter
    config: Mapping[str, Any]
    base: Release | None = None
    computed: dict[str, int] = field(default_factory=dict)


_RUNS: dict[str, Run] = {}


def register_run(token: str, run: Run) -> None:
    """Tasks find the run by this token: a process pool cannot be a task's parameter."""
    _RUNS[token] = run


def forget_run(token: str) -> None:
    _RUNS.pop(token, None)


@task(name="shard", task_run_name="{stage}-{shard}", cache_policy=NO_CACHE, persist_result=False, retries=0)
def shard_task(token: str, stage: str, plan_path: str, shard: int, cores: int = 1) -> dict:
    run = _RUNS[token]
    done = run.pool.submit(worker.compute_shard, str(run.wh.root), stage, plan_path, shard, cores).result()
    run.report.shard(stage, done)
    return done


@task(name="scan", task_run_name="scan-{name}", cache_policy=NO_CACHE, persist_result=False, retries=0)
def scan_task(token: str, name: str, spec: SourceSpec, config: dict, key: str, listing: str) -> dict:
    run = _RUNS[token]
    done = run.pool.submit(worker.compute_scan, str(run.wh.root), spec, config, key, listing).result()
    run.report.shard("scan", done)
    return done


@task(name="index", task_run_name="index-{store}-{leg}", cache_policy=NO_CACHE, persist_result=False, retries=0)
def index_task(token: str, store: str, leg: str, key: str, job: str) -> dict:
    run = _RUNS[token]
    done = run.pool.submit(worker.compute_index, str(run.wh.root), job).result()
    run.report.shard("index", done)
    return done


def gather(futures: list) -> list:
    """Results of all; the first failure is raised after every other shard had its chance to finish."""
    wait(futures)
    return [f.result() for f in futures]


def idle_cores(weights: list[tuple[int, int]], workers: int) -> int:
    """Cores that each shard may use: all, shared between the shards that hold most of the work. `weights`: (shard, rows)."""
    total = sum(weight for _, weight in weights)
    large = sum(weight * 4 * max(1, workers) >= total for _, weight in weights)
    return max(1, workers // max(1, large))


def run_step(token: str, stage: Stage, plan: StepPlan) -> None:
    """Computes the missing shards of a step."""
    cores = idle_cores(plan.weights, _RUNS[token].config["run"]["workers"])
    gather([shard_task.submit(token, stage.name, plan.path, shard, cores) for shard in plan.missing])


def run_stages(token: str, tables: TableSet, first: str | None = None) -> dict[str, str]:
    """Runs the stages from `first` on (None = all) and gives the fingerprint of each stage's snapshot.

    Stages before `first` are taken from the base release as they are. `tables` holds the scans' rows and is filled.
    """
    run = _RUNS[token]
    base_keys = run.base.stage_keys() if run.base else {}
    fingerprints: dict[str, str] = {}
    skipping = first is not None
    for stage in all_stages():
        if skipping and stage.name == first:
            skipping = False
        if skipping and run.base is not None:
            fingerprint = run.base.body["stages"][stage.name]
            held = snapshot_tables(run.wh, read_snapshot(run.wh, stage.name, fingerprint))
            for name, shards in held.tables.items():
                (tables.add if name == "quarantine" else tables.set)(name, shards)
            fingerprints[stage.name] = fingerprint
            continue
        fingerprints[stage.name] = _run_stage(token, run, stage, tables, base_keys)
    return fingerprints


def _run_stage(token: str, run: Run, stage: Stage, tables: TableSet, base_keys: dict[str, list[str]]) -> str:
    keys: dict[str, list[str]] = {}
    mine = TableSet(run.wh.shards)
    for step in stage.steps:
        plan = plan_step(run.wh, stage, step, run.config, tables, base_keys)
        run.report.begin(stage.name, len(plan.missing), len(plan.keys) - len(plan.missing), plan.weights)
        run.computed[step.name] = len(plan.missing)
        if plan.missing:
            run_step(token, stage, plan)
            Path(plan.path).unlink(missing_ok=True)
        step_tables = TableSet(run.wh.shards)
        collect_step(run.wh, step, plan, step_tables)
        for name, shards in step_tables.tables.items():
            (mine.add if name == "quarantine" else mine.set)(name, shards)
            (tables.add if name == "quarantine" else tables.set)(name, shards)
        keys[step.name] = plan.keys
        run.report.end(stage.name, {t: mine.rows(t) for t in mine.tables})
    return write_snapshot(run.wh, stage.name, stage.version, keys, mine)
