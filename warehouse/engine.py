"""Plans a step and runs its shards: reuse what equal input already made, recompute only units that changed.

A shard key hashes the stage's name and version, its config part, the schema version, the versions of its libraries and
the content hashes of the objects it reads. `shards/<step>/<key>.json` is written last, so a shard that has one is whole;
a killed run finds its finished shards there. A plan is a JSON file: tasks are given its path and a shard number, never
data.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import IntegrityError
from schemas.ids import make_id
from schemas.stage import Stage, Step
from schemas.tables import RETRY_REASONS, SCHEMA_VERSION, TABLES
from warehouse import faults
from warehouse.keep import hold
from warehouse.layout import Warehouse
from warehouse.objects import ObjectRef, get_table, get_tables, object_path, put_raw_table, put_table
from warehouse.shuffle import shuffled, split_by_shard
from warehouse.tableset import Shards, TableSet
from warehouse.units import unit_column, unit_hashes


@dataclass(frozen=True)
class StepPlan:
    """What a step will do: per shard its key, and which keys have no result yet. `weights`: (shard, input rows) of those."""

    stage: str
    step: str
    path: str
    keys: list[str]
    missing: list[int]
    weights: list[tuple[int, int]] = field(default_factory=list)


def library_versions(stage: Stage) -> dict[str, str]:
    """Installed versions of the distributions that a stage declares."""
    out = {}
    for name in stage.libraries:
        try:
            out[name] = version(name)
        except PackageNotFoundError:
            out[name] = "absent"
    return out


def compat_key(stage: Stage, step: Step, config: Mapping[str, Any], shards: int) -> str:
    """Everything but the input that a shard's output depends on."""
    part = {name: config[name] for name in stage.config}
    return make_id(
        "compat", stage.name, stage.version, step.name, SCHEMA_VERSION, shards,
        json.dumps(part, sort_keys=True, ensure_ascii=False), json.dumps(library_versions(stage), sort_keys=True),
    )


def _inputs(wh: Warehouse, step: Step, tables: TableSet) -> list[dict]:
    """Per shard: table -> objects, after moving rows of shuffled inputs to the shard of their unit."""
    count = tables.shards if step.by else 1
    out: list[dict] = [{} for _ in range(count)]
    for n, read in enumerate(step.reads):
        if read.mode == "whole":
            whole = tables.all_refs(read.table)
            per_shard: Shards = [whole] * count
        elif step.by is None:
            raise ValueError(f"{step.name} runs once for the corpus: its reads must be `whole`")
        elif read.mode == "shuffle":
            per_shard = shuffled(wh, tables, read, step.by)
        else:
            per_shard = tables.get(read.table)
        for shard, refs in enumerate(per_shard):
            out[shard][str(n)] = [r.to_json() for r in refs]
    return out


def plan_step(
    wh: Warehouse, stage: Stage, step: Step, config: Mapping[str, Any], tables: TableSet, base: Mapping[str, list[str]]
) -> StepPlan:
    """Plans one step. `base` gives the shard keys of the base release per step, for reuse of unchanged units."""
    compat = compat_key(stage, step, config, tables.shards)
    inputs = _inputs(wh, step, tables)
    keys = []
    for shard, reads in enumerate(inputs):
        content = [[n, [r["hash"] for r in refs if r["rows"]]] for n, refs in sorted(reads.items())]
        keys.append(make_id("shard", compat, shard, json.dumps(content)))
    missing = [i for i, key in enumerate(keys) if not _is_done(wh, step, read_manifest(wh, step, key))]
    old = base.get(step.name) or []
    plan = {
        "stage": stage.name, "step": step.name, "compat": compat, "shards": tables.shards,
        "config": {name: config[name] for name in stage.config}, "keys": keys, "inputs": inputs,
        "base": old if len(old) == len(keys) else [None] * len(keys),
    }
    # The process is in the name: two writers may plan the same step, and each removes its plan when it is done.
    path = wh.path("scratch", f"plan-{make_id('plan', step.name, keys)}-{os.getpid()}.json")
    if missing:
        wh.write(path, json.dumps(plan).encode())
    own = [str(n) for n, read in enumerate(step.reads) if read.mode != "whole"] or ["0"]
    weights = [(i, 1 + sum(r["rows"] for n in own for r in inputs[i].get(n, ()))) for i in missing]
    return StepPlan(stage.name, step.name, str(path), keys, missing, weights)


def _manifest_path(wh: Warehouse, step: Step, key: str):
    return wh.path("shards", step.name, key + ".json")


def _is_done(wh: Warehouse, step: Step, manifest: dict | None) -> bool:
    """Whether a shard need not be run: its objects are there (lost ones are made anew) and nothing wants another try."""
    if manifest is None or manifest.get("retry"):
        return False
    return hold(wh, [_manifest_path(wh, step, manifest["key"]), *(object_path(wh, digest) for digest in manifest_objects(manifest))])


def manifest_objects(manifest: dict) -> list[str]:
    """Hashes of the objects that a shard's manifest names."""
    refs = [ref for parts in manifest["tables"].values() for _, ref in parts] + ([manifest["units"]] if manifest["units"] else [])
    return [ref["hash"] for ref in refs]


def read_manifest(wh: Warehouse, step: Step, key: str) -> dict | None:
    try:
        return json.loads(_manifest_path(wh, step, key).read_text())
    except FileNotFoundError:
        return None


def run_shard(wh: Warehouse, stage: Stage, plan_path: str, shard: int) -> dict:
    """Computes one shard of a plan and stores it; gives its manifest. Safe to run twice or by two writers."""
    with open(plan_path) as handle:
        plan = json.load(handle)
    step = next(s for s in stage.steps if s.name == plan["step"])
    key = plan["keys"][shard]
    done = read_manifest(wh, step, key)
    if done is not None and _is_done(wh, step, done):
        return done
    began = time.perf_counter()
    refs = {n: [ObjectRef.from_json(r) for r in rs] for n, rs in plan["inputs"][shard].items()}
    tables = _load(wh, step, refs)
    config = plan["config"]
    units_total = units_run = 0
    units_ref = None
    if step.by and step.incremental:
        shared = make_id("shared", [[r.hash for r in refs[str(n)]] for n, rd in enumerate(step.reads) if rd.mode == "whole"])
        units = unit_hashes(step, tables, shared)
        base = read_manifest(wh, step, plan["base"][shard]) if plan["base"][shard] else None
        if base is not None and base["compat"] == plan["compat"] and base["units"] and _is_done(wh, step, {**base, "retry": False}):
            outputs, units_run = _run_changed(wh, step, config, tables, units, base)
        else:
            outputs, units_run = _run(step, config, tables), units.num_rows
        units_total = units.num_rows
        # What failed for want of time or memory is not held against the next run: those units are run again.
        again = _wants_retry(outputs)
        if len(again):
            units = units.filter(pc.invert(pc.is_in(units["unit"], value_set=again)))
        units_ref = put_raw_table(wh, units)
    else:
        outputs = _run(step, config, tables)
    stored: dict[str, list] = {}
    for name in step.writes:
        if step.by and TABLES[name].unit == step.by:
            stored[name] = [[shard, put_table(wh, name, outputs[name]).to_json()]]
        else:  # written once for the corpus, or sharded by another column than the step's unit
            parts = split_by_shard(TABLES[name].conform(outputs[name]), TABLES[name].unit, plan["shards"])
            stored[name] = [[i, put_table(wh, name, part).to_json()] for i, part in enumerate(parts)]
    manifest = {
        "step": step.name, "shard": shard, "key": key, "compat": plan["compat"], "tables": stored,
        "units": units_ref.to_json() if units_ref else None, "units_total": units_total, "units_run": units_run,
        "retry": bool(len(_wants_retry(outputs))),
    }
    faults.point(f"shard.{step.name}")
    wh.write(_manifest_path(wh, step, key), json.dumps(manifest).encode())
    return {**manifest, "computed": True, "seconds": time.perf_counter() - began}


def _wants_retry(outputs: dict[str, pa.Table]) -> pa.Array:
    """Documents with a row in `quarantine` whose reason may not hold next time."""
    rows = outputs.get("quarantine")
    if rows is None or not rows.num_rows:
        return pa.array([], pa.string())
    reasons = pc.list_element(pc.split_pattern(rows["reason"], ":", max_splits=1), 0)
    return rows.filter(pc.is_in(reasons, value_set=pa.array(RETRY_REASONS)))["document_id"].combine_chunks()


def _load(wh: Warehouse, step: Step, refs: dict[str, list[ObjectRef]]) -> dict[str, pa.Table]:
    return {r.table: get_tables(wh, r.table, refs[str(n)], r.columns) for n, r in enumerate(step.reads)}


def _run(step: Step, config: Mapping[str, Any], tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    outputs = step.run(config, tables)
    missing = [w for w in step.writes if w not in outputs]
    if missing:
        raise IntegrityError(f"{step.name} gave no table {', '.join(missing)}", expected=", ".join(step.writes))
    return outputs


def _run_changed(
    wh: Warehouse, step: Step, config: Mapping[str, Any], tables: dict[str, pa.Table], units: pa.Table, base: dict
) -> tuple[dict[str, pa.Table], int]:
    """Runs only the units whose hash differs from the base's; takes the others' rows over."""
    old_units = get_table(wh, ObjectRef.from_json(base["units"]))
    old = dict(zip(old_units["unit"].to_pylist(), old_units["hash"].to_pylist(), strict=True))
    new = dict(zip(units["unit"].to_pylist(), units["hash"].to_pylist(), strict=True))
    changed = pa.array([u for u, h in new.items() if old.get(u) != h], pa.string())
    kept = pa.array([u for u, h in new.items() if old.get(u) == h], pa.string())
    fresh = {}
    for read in step.reads:
        table = tables[read.table]
        fresh[read.table] = (
            table if read.mode == "whole" else table.filter(pc.is_in(table[step.by], value_set=changed))
        )
    outputs = _run(step, config, fresh) if len(changed) else {w: TABLES[w].empty() for w in step.writes}
    merged = {}
    for name in step.writes:
        column = unit_column(name, step)
        parts = [ObjectRef.from_json(ref) for _, ref in base["tables"].get(name, [])]
        held = get_tables(wh, name, parts)
        held = held.filter(pc.is_in(held[column], value_set=kept))
        merged[name] = pa.concat_tables([held, TABLES[name].conform(outputs[name])])
    return merged, len(changed)


def collect_step(wh: Warehouse, step: Step, plan: StepPlan, tables: TableSet) -> list[dict]:
    """The manifests of all shards; adds what they wrote to `tables`."""
    manifests = []
    for key in plan.keys:
        found = read_manifest(wh, step, key)
        if found is None:
            raise IntegrityError(f"{step.name}: shard {key} was not made", fix="run the command again")
        manifests.append(found)
    for name in step.writes:
        shards: Shards = [[] for _ in range(tables.shards)]
        for manifest in manifests:
            for shard, ref in manifest["tables"][name]:
                shards[shard].append(ObjectRef.from_json(ref))
        if name == "quarantine":
            tables.add(name, shards)
        else:
            tables.set(name, shards)
    return manifests

