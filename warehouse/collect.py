"""Collection: deletes what no kept release needs, beside running readers and writers.

Kept are the release that `current` points to, pinned ones, the last N that readers saw, and those that a live lease
names. What belongs to releases that are let go is deleted. What never was part of a release (an unfinished build) stays
for a grace time, since a rerun takes it up. Whatever was made or used after the oldest live writer began, or after this
collection began, stays. Releases go first, then manifests, then objects: a killed collection leaves no release without
its parts, and the next one goes on.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from schemas.errors import IntegrityError, LodeError
from warehouse import faults
from warehouse.keep import sweep_lock
from warehouse.layout import Warehouse
from warehouse.leases import WRITER, LeaseInfo, list_leases
from warehouse.marks import ROOTS, Marks, mark_release, mark_shuffles, root_files
from warehouse.refs import CURRENT, read_log, read_pins, read_ref
from warehouse.releases import list_releases, lost_current, published, seen_releases

BATCH = 200
KEEP_RELEASES = 5
GRACE_HOURS = 24.0


@dataclass
class Collection:
    """What a collection kept and deleted (or would delete). Sizes in bytes; `kept` is release -> why."""

    dry_run: bool
    kept: dict[str, list[str]] = field(default_factory=dict)
    releases: list[str] = field(default_factory=list)
    files: int = 0
    size_bytes: int = 0
    by_folder: dict[str, dict[str, int]] = field(default_factory=dict)
    unfinished_files: int = 0
    unfinished_bytes: int = 0
    in_use_files: int = 0
    stale_leases: int = 0
    live_leases: int = 0

    def to_json(self) -> dict:
        return dict(self.__dict__)

    def count(self, wh: Warehouse, path: Path, size: int) -> None:
        self.files += 1
        self.size_bytes += size
        entry = self.by_folder.setdefault(path.relative_to(wh.root).parts[0], {"files": 0, "size_bytes": 0})
        entry["files"] += 1
        entry["size_bytes"] += size


def kept_releases(wh: Warehouse, keep: int, leases: list[LeaseInfo]) -> dict[str, list[str]]:
    """Release id -> the reasons why it stays."""
    out: dict[str, list[str]] = {}

    def why(release: str | None, reason: str) -> None:
        if release is not None and reason not in out.setdefault(release, []):
            out[release].append(reason)

    why(read_ref(wh, CURRENT), "current")
    for name, release in read_pins(wh).items():
        why(release, f"pin {name}")
    distinct = list(dict.fromkeys(reversed(seen_releases(wh))))
    for release in distinct[:keep]:
        why(release, f"one of the last {keep}")
    for lease in leases:
        if lease.live and lease.release:
            why(lease.release, f"read by process {lease.pid}")
    return out


def collect(wh: Warehouse, *, keep: int = KEEP_RELEASES, grace_hours: float = GRACE_HOURS, dry_run: bool = True) -> Collection:
    """Finds what may go, and deletes it unless `dry_run`. `keep` = how many of the last releases stay (≥ 1)."""
    out = Collection(dry_run)
    began = _now_ns(wh)
    with sweep_lock(wh, exclusive=True):
        # Under the lock nobody can take a lease: who comes later finds the release gone, or is seen here.
        leases = list_leases(wh)
        out.live_leases = sum(lease.live for lease in leases)
        limit = _limit(began, leases)
        _refuse_unknown_current(wh)
        out.kept = kept_releases(wh, keep, leases)
        seen = set(seen_releases(wh))
        grace = began - int(grace_hours * 3600e9)
        doomed = [r for r in list_releases(wh) if r not in out.kept
                  and _mtime(wh.path("releases", r + ".json")) < (limit if r in seen else min(limit, grace))]
        former = Marks()
        for release in doomed:
            mark_release(wh, release, former)
        out.stale_leases = sum(not lease.live for lease in leases)
        if not dry_run:
            for lease in leases:
                if not lease.live:
                    lease.path.unlink(missing_ok=True)
        _refuse_damaged(wh, out.kept)
        out.releases = doomed
        for release in doomed:
            path = wh.path("releases", release + ".json")
            out.count(wh, path, path.stat().st_size)
            if not dry_run:
                path.unlink()
                faults.point("gc.release")
    _sweep(wh, out, limit, grace, former, set(doomed))
    return out


def _limit(began: int, leases: list[LeaseInfo]) -> int:
    """Files last used before this time are no live writer's. None are, where a clock was set back under a writer."""
    since = [lease.since_ns for lease in leases if lease.live and lease.kind == WRITER]
    return 0 if max(since, default=0) > began else min([began, *since])


def _refuse_unknown_current(wh: Warehouse) -> None:
    """Nothing is deleted where it is not known for certain what readers see, and saw before."""
    if lost := lost_current(wh):
        raise lost
    now = read_ref(wh, CURRENT)
    told = published(wh)
    if now is None and read_log(wh):
        raise IntegrityError("refs/current and all releases are missing, but refs/log.jsonl tells of some",
                             expected="what readers saw to be there", fix="bring the warehouse back from a copy, or build again")
    if now is not None and (not told or told[-1]["to"] != now):
        raise IntegrityError("refs/log.jsonl does not end with what refs/current names", expected="a log that tells which releases were seen last",
                             fix=f"run `lode rollback {now}` to write it anew, pin what else should stay, then collect again")


def _refuse_damaged(wh: Warehouse, kept: dict[str, list[str]]) -> None:
    """Raises IntegrityError, before anything is deleted, where a kept release cannot tell what it needs."""
    known = set(list_releases(wh))
    for name, target in read_pins(wh).items():
        if target not in known:
            raise IntegrityError(f"the pin {name} names {target[:40]!r}, and there is no such release", expected="every pin to name a release",
                                 fix=f"`lode pin RELEASE --name {name}` with the right one, or `lode pin --remove {name}`")
    for release, reasons in kept.items():
        # one that was collected before may stand among the last that readers saw; current and pins may not be gone
        if release in known or any(r == "current" or r.startswith("pin ") for r in reasons):
            mark_release(wh, release, Marks(), strict=True)


def _sweep(wh: Warehouse, out: Collection, limit: int, grace: int, former: Marks, doomed: set[str]) -> None:
    marks = Marks()
    for release in list_releases(wh):
        if release not in doomed:
            mark_release(wh, release, marks)
    manifests: list[Path] = []
    for folder, path in root_files(wh):
        if path in marks.paths:
            continue
        when = _mtime(path)
        # In use, or work that a rerun takes up: what it names stays with it.
        if when >= limit or (path not in former.paths and when >= grace):
            before = len(marks.paths)
            ROOTS[folder](wh, path, marks)
            if when < limit:
                out.unfinished_files += len(marks.paths) - before
        else:
            manifests.append(path)
    mark_shuffles(wh, marks)
    manifests += [p for p in sorted(wh.path("shards", "shuffle").glob("*.json")) if p not in marks.paths]
    known = set(list_releases(wh)) - doomed
    manifests += [p for p in sorted(wh.path("releases").glob("*.views.sql")) if p.name.removesuffix(".views.sql") not in known]
    _delete(wh, out, manifests, limit)
    faults.point("gc.manifests")
    laid = [p for p in sorted(wh.path("indexes").iterdir()) if p.is_dir() and p not in marks.paths]
    laid += [p for p in sorted(wh.path("reports").iterdir()) if p.is_dir() and p.name not in known]
    _delete_folders(wh, out, laid, limit)
    _delete(wh, out, (p for p in sorted(wh.path("objects").rglob("*")) if p.is_file() and p not in marks.paths), limit)
    _delete_scratch(wh, out, limit)


def _delete(wh: Warehouse, out: Collection, paths, limit: int) -> None:
    """Deletes files last used before `limit`, a batch at a time under the exclusive lock."""
    batch: list[Path] = []

    def flush() -> None:
        with sweep_lock(wh, exclusive=True):
            for path in batch:
                try:
                    found = path.stat()
                except FileNotFoundError:
                    continue
                if found.st_mtime_ns >= limit:
                    out.in_use_files += 1
                    continue
                if not out.dry_run:
                    path.unlink(missing_ok=True)
                    faults.point("gc.file")
                # a hard link of an index that is laid out shares its bytes: they are counted where they are freed
                out.count(wh, path, found.st_size)
        batch.clear()

    for path in paths:
        batch.append(path)
        if len(batch) >= BATCH:
            flush()
    flush()


def _delete_folders(wh: Warehouse, out: Collection, folders: list[Path], limit: int) -> None:
    """Indexes laid out (hard links of objects) and reports: moved out of sight, then removed. The bytes of an index count
    with its objects."""
    for folder in folders:
        if _mtime(folder) >= limit:
            out.in_use_files += 1
            continue
        report = folder.parent.name == "reports"
        out.count(wh, folder, sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) if report else 0)
        if not out.dry_run:
            with wh.scratch_folder() as away:
                os.rename(folder, away / "gone")


def _delete_scratch(wh: Warehouse, out: Collection, limit: int) -> None:
    """What killed processes left behind: older than every live writer, and than this collection by an hour (readers
    without a lease lay out indexes there)."""
    hour_ago = limit - int(3600e9)
    for path in sorted(wh.path("scratch").iterdir()):
        try:
            found = [path.stat(), *(p.stat() for p in path.rglob("*"))] if path.is_dir() else [path.stat()]
        except FileNotFoundError:  # in use: its owner removed it just now
            continue
        if max(s.st_mtime_ns for s in found) >= hour_ago:
            continue
        out.count(wh, path, sum(s.st_size for s in found if stat.S_ISREG(s.st_mode)))
        if out.dry_run:
            continue
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _mtime(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def _now_ns(wh: Warehouse) -> int:
    """Now, by the clock of the file system: what all other times here are compared with."""
    try:
        with tempfile.NamedTemporaryFile(dir=wh.path("scratch")) as probe:
            os.utime(probe.name)
            return os.stat(probe.name).st_mtime_ns
    except OSError as error:
        raise LodeError(f"{wh.root} cannot be written: {error.strerror}", expected="a warehouse on a file system that can be written",
                        fix="check the mount and the permissions with `lode doctor`") from None
