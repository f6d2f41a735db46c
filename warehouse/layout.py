"""One warehouse on disk: its folders, its format, and durable writes.

Every write is scratch, fsync, rename: a reader sees a file whole or not at all. Nothing outside `scratch/` is ever
half-written, so `scratch/` may be emptied when no writer runs.
"""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import LodeError
from warehouse import faults

FORMAT = 1
_UMASK = os.umask(0o022)
os.umask(_UMASK)
FILE_MODE = 0o666 & ~_UMASK
FOLDERS = ("objects", "shards", "scans", "snapshots", "releases", "refs", "indexes", "reports", "scratch")


@dataclass(frozen=True)
class Warehouse:
    """A warehouse folder. `shards` is a power of two fixed by `lode init`."""

    root: Path
    shards: int

    @staticmethod
    def init(root: Path, shards: int = 8) -> Warehouse:
        """Creates an empty warehouse; one that is there already with the same shard count is taken as it is."""
        if shards < 1 or shards > 4096 or shards & (shards - 1):
            raise LodeError(f"{shards} shards", expected="a power of two from 1 to 4096")
        root = root.resolve()
        marker = root / "lode.json"
        if marker.exists():
            found = Warehouse.open(root)
            if found.shards != shards:
                raise LodeError(
                    f"the warehouse at {root} has {found.shards} shards", expected=f"{shards}",
                    fix="leave --shards out, or choose another --warehouse",
                )
            return found
        if root.exists() and {p.name for p in root.iterdir()} - set(FOLDERS):  # a killed init may have made folders
            raise LodeError(
                f"{root} is not empty and is not a warehouse", expected="an empty or new folder",
                fix="choose another --warehouse",
            )
        for folder in FOLDERS:
            (root / folder).mkdir(parents=True, exist_ok=True)
        write_atomic(root, marker, json.dumps({"format": FORMAT, "shards": shards}).encode())
        return Warehouse(root, shards)

    @staticmethod
    def open(root: Path) -> Warehouse:
        root = root.resolve()
        marker = root / "lode.json"
        if not marker.exists():
            raise LodeError(
                f"no warehouse at {root}", expected="a folder made by `lode init`",
                fix=f"run `lode init --warehouse {root}`, or give --warehouse or LODE_WAREHOUSE",
            )
        found = json.loads(marker.read_text())
        if found.get("format") != FORMAT:
            raise LodeError(
                f"the warehouse has format {found.get('format')}", expected=f"format {FORMAT}",
                fix="open it with the release of motherlode that made it, or build a new one",
            )
        return Warehouse(root, int(found["shards"]))

    def path(self, *parts: str) -> Path:
        return self.root.joinpath(*parts)

    def write(self, path: Path, data: bytes) -> None:
        """Durable, atomic write of a small file inside the warehouse."""
        write_atomic(self.root, path, data)

    @contextmanager
    def scratch_folder(self):
        """A folder in `scratch/` that is removed afterwards (a killed run leaves it; nothing reads it)."""
        with tempfile.TemporaryDirectory(dir=self.root / "scratch") as folder:
            yield Path(folder)


def new_file(folder: Path, prefix: str = "tmp", suffix: str = "") -> tuple[int, str]:
    """An open handle and the path of a new file of a name of its own, readable by whom the umask lets: `mkstemp` alone makes
    files for their owner."""
    handle, name = tempfile.mkstemp(prefix=prefix, suffix=suffix, dir=folder)
    os.fchmod(handle, FILE_MODE)
    return handle, name


def write_atomic(root: Path, path: Path, data: bytes) -> None:
    """Scratch, fsync, rename, fsync of the folder."""
    scratch = root / "scratch"
    scratch.mkdir(parents=True, exist_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = new_file(scratch)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            faults.point("write.before_fsync")
            os.fsync(out.fileno())
        faults.point("write.before_rename")
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    faults.point("write.after_rename")
    fsync_folder(path.parent)


def fsync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
