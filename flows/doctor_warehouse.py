"""The checks of `lode doctor` inside one warehouse: disk, locks, leases, leftovers, formats, the current release."""

from __future__ import annotations

import fcntl
import json
import time

from flows.doctor import FAIL, MIN_FREE_BYTES, NOTE, OK, Finding, can_write, free_bytes
from tasks.registry import load_stage
from warehouse.layout import FORMAT, Warehouse
from warehouse.leases import list_leases
from warehouse.refs import CURRENT, read_log, read_ref
from warehouse.releases import current_release, lost_current, published
from warehouse.rollback import missing_part
from warehouse.snapshots import read_snapshot

LEFTOVER_SECONDS = 3600


def check_disk(wh: Warehouse) -> Finding:
    size = sum(p.stat().st_size for p in wh.path("objects").rglob("*") if p.is_file())
    free = free_bytes(wh.root)
    wanted = max(MIN_FREE_BYTES, size)
    return Finding("disk", OK if free >= wanted else FAIL, f"{free / 1e9:.1f} GB free, the warehouse's objects take {size / 1e9:.2f} GB",
                   f"{wanted / 1e9:.1f} GB free: a full rebuild writes as much again",
                   "" if free >= wanted else "see what `lode gc` would free, or move the warehouse")


def check_file_system(wh: Warehouse) -> Finding:
    problem = can_write(wh.path("scratch"))
    return Finding("file system", FAIL if problem else OK, problem or "files can be locked, renamed and synced",
                   "a file system with flock, atomic rename and fsync", "check the permissions and the mount" if problem else "")


def check_locks(wh: Warehouse) -> Finding:
    held = []
    for name in (".lock", ".sweep.lock"):
        path = wh.path("refs", name)
        if not path.exists():
            continue
        with open(path) as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                held.append(name)
    return Finding("locks", NOTE if held else OK, f"held just now: {', '.join(held)}" if held else "no lock is held",
                   "locks that are held for an instant", "look again; if it lasts, see the processes under `leases`" if held else "")


def check_leases(wh: Warehouse) -> Finding:
    leases = list_leases(wh)
    live = [f"{lease.kind} {lease.pid} on {lease.host} ({lease.command})" for lease in leases if lease.live]
    stale = [lease for lease in leases if not lease.live]
    shown = "; ".join([*live, *([f"{len(stale)} stale: their process is gone"] if stale else [])])
    return Finding("leases", NOTE if stale else OK, shown or "nobody reads or writes", "no stale ones", "run `lode gc --apply`" if stale else "")


def check_leftovers(wh: Warehouse) -> Finding:
    old = [p for p in wh.path("scratch").iterdir() if time.time() - p.lstat().st_mtime > LEFTOVER_SECONDS]
    plans = sum(p.name.startswith("plan-") for p in old)
    what = f"{len(old)} old entries in scratch/" + (", left by a build that was killed" if plans else "")
    return Finding("leftovers", NOTE if old else OK, what if old else "scratch/ holds nothing old", "an empty scratch/ when nothing runs",
                   "run the killed command again to take up its work, then `lode gc --apply`" if old else "")


def check_format(wh: Warehouse) -> Finding:
    """Formats of the warehouse and of the current release against this code."""
    from flows.build import RELEASE_FORMAT

    found = json.loads(wh.path("lode.json").read_text()).get("format")
    release = current_release(wh)
    if release is None:
        return Finding("format", OK if found == FORMAT else FAIL, f"warehouse {found}, nothing published", f"warehouse {FORMAT}")
    same = release.body.get("format") == RELEASE_FORMAT
    return Finding("format", OK if same and found == FORMAT else FAIL, f"warehouse {found}, release {release.body.get('format')}",
                   f"warehouse {FORMAT}, release {RELEASE_FORMAT}",
                   "" if same else "run `lode build` on the sources again, or use the version of motherlode that made it")


def check_stages(wh: Warehouse) -> Finding:
    """Versions of the stages that made the current release against the code's."""
    release = current_release(wh)
    if release is None:
        return Finding("stages", NOTE, "nothing is published", "a release", "run `lode build PATH --acl public`")
    old = []
    for stage, fingerprint in release.body["stages"].items():
        made, now = read_snapshot(wh, stage, fingerprint)["version"], load_stage(stage).version
        if made != now:
            old.append(f"{stage} was built with version {made}, this code has {now}")
    first = old[0].split()[0] if old else ""
    return Finding("stages", NOTE if old else OK, "; ".join(old) or f"all {len(release.body['stages'])} stages are of this code",
                   "the versions of this code", f"run `lode rerun {first}`" if old else "")


def check_release(wh: Warehouse) -> Finding:
    release = current_release(wh)
    if lost := lost_current(wh):
        return Finding("release", FAIL, lost.found, lost.expected, lost.fix)
    if release is None:
        return Finding("release", NOTE, "nothing is published", "a release", "run `lode build PATH --acl public`")
    missing = missing_part(release)
    return Finding("release", FAIL if missing else OK, f"release {release.id} lacks {missing}" if missing else f"release {release.id} has all its files",
                   "every object and index file that it names", "run the same `lode build` again: lost objects are made anew" if missing else "")


def check_log(wh: Warehouse) -> Finding:
    told = [m for m in read_log(wh) if m["ref"] == CURRENT]
    done = published(wh)
    lost = len(told) - len(done)
    now = read_ref(wh)
    good = now is None or (bool(done) and done[-1]["to"] == now)
    if not good:
        return Finding("log", FAIL, f"current is {now}, the log's last move is to {done[-1]['to'] if done else 'nothing'}",
                       "the last move to be where current points", "run `lode rollback RELEASE` to write it anew")
    return Finding("log", NOTE if lost else OK, f"{len(done)} move(s)" + (f", and {lost} that a kill stopped before it took effect" if lost else ""),
                   "every move to have taken effect", "nothing to do: readers never saw it" if lost else "")


CHECKS = (check_disk, check_file_system, check_locks, check_leases, check_leftovers, check_format, check_stages, check_release, check_log)
