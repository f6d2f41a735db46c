"""Small real releases over the dummy stages: what collection is tested with."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from pathlib import Path

from schemas.errors import LodeError, StaleBaseError
from schemas.ids import make_id
from tests.warehouse import dummy
from warehouse.collect import collect
from warehouse.layout import Warehouse
from warehouse.leases import writer_lease
from warehouse.objects import get_table, object_path, put_file
from warehouse.refs import move_ref, read_ref
from warehouse.releases import Release, current_release, open_release, read_scan, release_id, write_release
from warehouse.rollback import missing_part
from warehouse.snapshots import write_snapshot
from warehouse.tableset import TableSet


def publish(wh: Warehouse, texts: dict[str, str]) -> str:
    """Builds, writes and publishes one release of these texts as a build does: under a lease, on the current base."""
    with writer_lease(wh):
        for _ in range(20):
            base = current_release(wh)
            tables, keys, *_ = dummy.run_all(wh, texts, base=base.stage_keys() if base else {})
            stages = {}
            for stage in dummy.STAGES:
                mine = TableSet(wh.shards)
                for step in stage.steps:
                    for name in step.writes:
                        mine.set(name, tables.get(name))
                stages[stage.name] = write_snapshot(wh, stage.name, stage.version, {s.name: keys[s.name] for s in stage.steps}, mine)
            scan = make_id("scan", json.dumps(texts, sort_keys=True))
            if read_scan(wh, scan) is None:
                body = {"key": scan, "tables": {"raw": [[r.to_json() for r in s] for s in tables.get("raw")]}, "documents": [], "rows": 0,
                        "newest": None, "errors": 0}
                wh.write(wh.path("scans", scan + ".json"), json.dumps(body).encode())
            body = {
                "format": 1, "stages": stages, "sources": {"dummy": {"spec": {}, "complete": True, "newest": scan, "scans": [scan]}},
                "config": {}, "indexes": {"chunks": {"sparse": _index(wh, texts)}}, "parent": base.id if base else None, "as_of": None,
            }
            body["id"] = release_id(body)
            write_release(wh, body)
            try:
                if base is None or base.id != body["id"]:
                    move_ref(wh, base.id if base else None, body["id"], "publish")
                return body["id"]
            except StaleBaseError:
                continue
    raise AssertionError("never won")


def _index(wh: Warehouse, texts: dict[str, str]) -> str:
    from warehouse.indexes import read_index

    key = make_id("index", json.dumps(texts, sort_keys=True))
    if read_index(wh, key) is None:
        with wh.scratch_folder() as folder:
            (folder / "data").write_text(json.dumps(texts, sort_keys=True))
            ref = put_file(wh, folder / "data")
        body = {"key": key, "store": "chunks", "leg": "sparse", "manifest": {}, "docs": 0, "files": [{"name": "data", **ref.to_json()}]}
        wh.write(wh.path("indexes", key + ".json"), json.dumps(body).encode())
    return key


def readable(release: Release) -> None:
    """Raises where anything that a release names is not there or cannot be read."""
    missing = missing_part(release)
    assert missing is None, f"release {release.id} lacks {missing}"
    for refs in release.tables().tables.values():
        for ref in (r for shard in refs for r in shard):
            get_table(release.wh, ref)
    for step, keys in release.stage_keys().items():
        for key in keys:
            manifest = json.loads(release.wh.path("shards", step, key + ".json").read_text())
            if manifest["units"]:
                assert object_path(release.wh, manifest["units"]["hash"]).exists(), "units of a shard"


POOL = [{f"d{i}.md": f"text {i} {variant}" for i in range(8) if i % (variant + 1) != 1} for variant in range(4)]


def main(role: str, folder: str, seconds: str) -> None:
    """One process of the crowd: a writer, a reader or a collector, for so long. Dies with a traceback where something is lost."""
    wh = Warehouse.open(Path(folder))
    rng = random.Random(f"{role}{os.getpid()}")
    end = time.monotonic() + float(seconds)
    done = 0
    while time.monotonic() < end:
        if role == "write":
            publish(wh, rng.choice(POOL))
            now = read_ref(wh)
            try:
                readable(open_release(wh, now))
            except LodeError as error:  # another writer moved on, and it was collected before we opened it
                assert "no longer there" in str(error) or "no release named" in str(error), error
        elif role == "read":
            try:
                release = open_release(wh, rng.choice(["current", "previous"]))
            except LodeError as error:
                assert "no longer there" in str(error) or "no release named" in str(error) or "there is no previous" in str(error), error
                continue
            for _ in range(5):
                readable(release)
        else:
            collect(wh, keep=1, grace_hours=0, dry_run=False)
            time.sleep(0.02)
        done += 1
    print(done)


if __name__ == "__main__":
    main(*sys.argv[1:])
