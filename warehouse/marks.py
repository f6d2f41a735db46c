"""What a release needs: every file of the warehouse that reading it, verifying it or building on it touches."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from schemas.errors import IntegrityError
from warehouse.engine import manifest_objects
from warehouse.layout import Warehouse
from warehouse.objects import object_path
from warehouse.releases import release_id


@dataclass
class Marks:
    """Paths that must stay, and the hashes of the Parquet objects among them."""

    paths: set[Path] = field(default_factory=set)
    objects: set[str] = field(default_factory=set)

    def add_objects(self, wh: Warehouse, hashes: Iterable[str], suffix: str = ".parquet") -> None:
        for digest in hashes:
            self.paths.add(object_path(wh, digest, suffix))
            if suffix == ".parquet":
                self.objects.add(digest)


def _read(path: Path, strict: bool, *needs: str) -> dict | None:
    """A manifest's body, which has the keys of `needs`; None where it is gone or damaged: then it keeps nothing alive. With
    `strict` that is refused."""
    try:
        body = json.loads(path.read_text())
        if isinstance(body, dict) and body.keys() >= set(needs):
            return body
        problem = f"it is no object with {', '.join(needs)}"
    except (OSError, ValueError) as error:
        problem = str(error)
    if strict:
        raise IntegrityError(
            f"{path.parent.name}/{path.name} cannot be read: {problem}", expected="every kept release to be whole: nothing is deleted",
            fix="run the same `lode build` again, or `lode rollback` to a whole release; see `lode doctor`",
        )
    return None


def _table_hashes(tables: dict) -> Iterable[str]:
    return (ref["hash"] for shards in tables.values() for shard in shards for ref in shard)


def mark_release(wh: Warehouse, release: str, marks: Marks, strict: bool = False) -> None:
    """Marks a release: its file, views and report, its snapshots, their shards and objects, its scans and indexes.

    With `strict`, raises IntegrityError where a file is missing or damaged without which its objects are not known.
    """
    path = wh.path("releases", release + ".json")
    body = _read(path, strict, "format", "stages", "sources", "config", "indexes")
    if body is None:
        return
    if strict and release_id(body) != release:  # readable, but with other content: what it does not name would go
        raise IntegrityError(f"releases/{release}.json cannot be read: it does not hold that release", expected="what its id is the hash of",
                             fix="`lode rollback` to a whole release, or build again; nothing is deleted")
    marks.paths |= {path, wh.path("releases", release + ".views.sql"), wh.path("reports", release)}
    for stage, fingerprint in body["stages"].items():
        mark_snapshot(wh, wh.path("snapshots", stage, fingerprint + ".json"), marks, strict)
    for source in body["sources"].values():
        for key in source["scans"]:
            mark_scan(wh, wh.path("scans", key + ".json"), marks, strict)
    for legs in body["indexes"].values():
        for key in legs.values():
            mark_index(wh, wh.path("indexes", key + ".json"), marks, strict)
    marks.add_objects(wh, _table_hashes(body.get("lineage") or {}))


def mark_snapshot(wh: Warehouse, path: Path, marks: Marks, strict: bool = False) -> None:
    body = _read(path, strict, "tables", "keys")
    if body is None:
        return
    marks.paths.add(path)
    marks.add_objects(wh, _table_hashes(body["tables"]))
    for step, keys in body["keys"].items():
        for key in keys:
            mark_shard(wh, wh.path("shards", step, key + ".json"), marks)


def mark_shard(wh: Warehouse, path: Path, marks: Marks) -> None:
    body = _read(path, False, "tables", "units")
    if body is not None:
        marks.paths.add(path)
        marks.add_objects(wh, manifest_objects(body))


def mark_scan(wh: Warehouse, path: Path, marks: Marks, strict: bool = False) -> None:
    body = _read(path, strict, "tables")
    if body is not None:
        marks.paths.add(path)
        marks.add_objects(wh, _table_hashes(body["tables"]))


def mark_index(wh: Warehouse, path: Path, marks: Marks, strict: bool = False) -> None:
    body = _read(path, strict, "files")
    if body is not None:
        marks.paths |= {path, path.with_suffix("")}
        marks.add_objects(wh, (f["hash"] for f in body["files"]), ".bin")


def mark_shuffles(wh: Warehouse, marks: Marks) -> None:
    """A remembered shuffle stays while all that it was made from stays."""
    for path in wh.path("shards", "shuffle").glob("*.json"):
        body = _read(path, False, "from", "shards")
        if body is not None and marks.objects.issuperset(body["from"]):
            marks.paths.add(path)
            marks.add_objects(wh, (r["hash"] for shard in body["shards"] for r in shard))


# Files that other files are reached from: folder -> how one of its files is marked.
ROOTS = {"snapshots": mark_snapshot, "scans": mark_scan, "indexes": mark_index, "shards": mark_shard}


def root_files(wh: Warehouse) -> Iterable[tuple[str, Path]]:
    """(folder, path) of every snapshot, scan, index and shard file; remembered shuffles are not among them."""
    for folder in ROOTS:
        for path in sorted(wh.path(folder).rglob("*.json")):
            # `indexes/<key>/` is an index laid out: its files are not manifests
            if path.parent.name != "shuffle" and not (folder == "indexes" and path.parent != wh.path("indexes")):
                yield folder, path
