"""What a worker process runs: references in, references out."""

from __future__ import annotations

import resource
from pathlib import Path

from flows.counters import ScanCount
from schemas.errors import LodeError
from schemas.sources import SourceSpec, listing_hash
from tasks.parallel import set_cores
from tasks.registry import load_stage
from warehouse.engine import run_shard
from warehouse.layout import Warehouse
from warehouse.scans import store_scan


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def compute_shard(root: str, stage: str, plan_path: str, shard: int, cores: int = 1) -> dict:
    """One shard of one step, on so many cores; gives what the parent reports: units run, seconds, peak memory."""
    set_cores(cores)
    done = run_shard(Warehouse.open(Path(root)), load_stage(stage), plan_path, shard)
    return {
        "shard": shard, "units_total": done["units_total"], "units_run": done["units_run"] if done.get("computed") else 0,
        "seconds": done.get("seconds", 0.0), "peak_mb": _peak_mb(),
    }


def _read_unchanged(spec: SourceSpec, config: dict, listing: str):
    """Rows of a source; LodeError at the end where it is no longer what was listed: the scan is stored by that listing."""
    from tasks.parse.scan import list_inputs, scan_source
    from tasks.parse.selection import select_rows

    count = ScanCount(spec.path)
    for table, row in select_rows(spec, scan_source(spec, config)):
        if table == "raw":
            count.row(row["document_id"])
        yield table, row
    count.end()
    if listing_hash(list_inputs(spec.path)) != listing:
        raise LodeError(f"{spec.path} changed while it was read", expected="sources that stand still", fix="run the command again")


def compute_scan(root: str, spec: SourceSpec, config: dict, key: str, listing: str) -> dict:
    """Reads one source into `raw` shards."""
    body = store_scan(Warehouse.open(Path(root)), key, _read_unchanged(spec, config, listing))
    return {"documents": body["documents"], "rows": body["rows"], "errors": body["errors"], "peak_mb": _peak_mb()}


def compute_index(root: str, job: str) -> dict:
    """Builds one index; `job` is the path of a JSON file with its key, store, leg, manifest and tables."""
    import json

    from warehouse.indexes import build
    from warehouse.tableset import TableSet

    wh = Warehouse.open(Path(root))
    with open(job) as handle:
        wanted = json.load(handle)
    tables = TableSet.from_json(wh.shards, wanted["tables"])
    body = build(wh, wanted["key"], wanted["store"], wanted["leg"], wanted["manifest"], tables)
    return {"key": body["key"], "docs": body["docs"], "peak_mb": _peak_mb()}
