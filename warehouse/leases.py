"""Leases: who reads which release, and who writes, as files that count only while their process lives.

A lease is a small file in `refs/leases/` under an exclusive `flock`. The kernel frees the lock when the process ends, in
whatever way, so a lease that can be locked is stale. Nothing about the data rests on leases: they only tell `gc` what it
must leave alone.
"""

from __future__ import annotations

import atexit
import fcntl
import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from schemas.errors import LodeError
from warehouse.keep import sweep_lock
from warehouse.layout import Warehouse, new_file

FOLDER = "leases"
READER, WRITER = "reader", "writer"


@dataclass(frozen=True)
class LeaseInfo:
    """A lease as found. `since_ns` is the file system's time of its making, in nanoseconds; `live` = its process lives."""

    path: Path
    kind: str
    release: str | None
    pid: int
    host: str
    command: str
    since_ns: int
    live: bool


class Lease:
    """A lease that this process holds, until `free` or the end of the process."""

    def __init__(self, path: Path | None, handle: int | None) -> None:
        self.path, self._handle = path, handle

    def free(self) -> None:
        """Removes it; a second call does nothing."""
        handle, self._handle = self._handle, None
        if handle is not None and self.path is not None:
            self.path.unlink(missing_ok=True)
            os.close(handle)


def _folder(wh: Warehouse) -> Path:
    return wh.path("refs", FOLDER)


def _take(wh: Warehouse, kind: str, release: str | None) -> Lease:
    """Call under the shared sweep lock: `gc` then sees the file only with its lock taken."""
    body = {"kind": kind, "release": release, "pid": os.getpid(), "host": socket.gethostname(),
            "command": " ".join([Path(sys.argv[0]).name, *sys.argv[1:2]]), "time": int(time.time())}
    try:
        _folder(wh).mkdir(exist_ok=True)
        handle, name = new_file(_folder(wh), f"{kind}-{os.getpid()}-", ".json")
    except OSError:
        return Lease(None, None)  # who may not write holds nothing: docs/api.md says so
    fcntl.flock(handle, fcntl.LOCK_EX)
    os.write(handle, json.dumps(body).encode())
    return Lease(Path(name), handle)


@contextmanager
def writer_lease(wh: Warehouse) -> Iterator[Lease]:
    """Held for a whole build: nothing that is made or reused from now on is collected."""
    with sweep_lock(wh):
        lease = _take(wh, WRITER, None)
    try:
        yield lease
    finally:
        lease.free()


_held: dict[tuple[str, str], tuple[Lease, int]] = {}
_guard = Lock()


def hold_release(wh: Warehouse, release: str) -> None:
    """Keeps a release readable for this process. LodeError where it was collected before. Counted: free as often."""
    key = (str(wh.root), release)
    with _guard, sweep_lock(wh):
        if not wh.path("releases", release + ".json").exists():
            raise LodeError(f"release {release} is no longer there", expected="a release from `lode releases`")
        lease, count = _held.get(key) or (_take(wh, READER, release), 0)
        _held[key] = (lease, count + 1)


def free_release(root: str, release: str) -> None:
    """Undoes one `hold_release`."""
    with _guard:
        lease, count = _held.get((root, release), (None, 0))
        if lease is None:
            return
        if count > 1:
            _held[root, release] = (lease, count - 1)
        else:
            del _held[root, release]
            lease.free()


def _free_all() -> None:
    for root, release in list(_held):
        _held[root, release] = (_held[root, release][0], 1)
        free_release(root, release)


atexit.register(_free_all)


def _body(raw: bytes) -> dict[str, Any]:
    """What a lease says. One without sense counts as a writer's: while it lives nothing new is deleted."""
    try:
        found = json.loads(raw)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"kind": WRITER}


def list_leases(wh: Warehouse) -> list[LeaseInfo]:
    """All leases, oldest first. One that is gone by now is passed over; LodeError on one that cannot be read."""
    out = []
    for path in sorted(_folder(wh).glob("*.json")):
        try:
            handle = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise LodeError(f"the lease {path.name} cannot be read: {error.strerror}", expected="to learn which release it keeps",
                            fix="run it as the user who builds here") from None
        try:
            body = _body(os.read(handle, 65536))
            since = os.fstat(handle).st_mtime_ns
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                live = False
            except BlockingIOError:
                live = True
        finally:
            os.close(handle)
        out.append(LeaseInfo(path, body.get("kind", READER), body.get("release"), body.get("pid", 0), body.get("host", ""),
                             body.get("command", ""), since, live))
    return sorted(out, key=lambda lease: (lease.since_ns, lease.path.name))
