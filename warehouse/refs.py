"""Refs: the only mutable things. A move is an `os.replace` under `flock` with compare-and-swap on what was read."""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from contextlib import contextmanager
from pathlib import Path

from schemas.errors import IntegrityError, LodeError, StaleBaseError, UsageError
from warehouse import faults
from warehouse.layout import Warehouse

CURRENT = "current"
_ID = re.compile(r"[0-9A-Za-z]{1,64}")


def _text(path: Path) -> str:
    """A small file's text; bytes that are none come as marks that no name or JSON holds."""
    return path.read_bytes().decode("utf-8", "replace").strip()


def read_ref(wh: Warehouse, name: str = CURRENT) -> str | None:
    """The release id a ref points to; None where it was never written. IntegrityError where it holds no id."""
    try:
        found = _text(wh.path("refs", name))
    except FileNotFoundError:
        return None
    if not _ID.fullmatch(found):
        raise IntegrityError(f"refs/{name} is damaged: it holds {found[:40]!r}", expected="the id of a release",
                             fix="run `lode rollback ID` with the release that readers should see; releases/ holds them")
    return found


@contextmanager
def _locked(wh: Warehouse):
    with open(wh.path("refs", ".lock"), "a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(handle, fcntl.LOCK_UN)


def move_ref(wh: Warehouse, expected: str | None, new: str, action: str, name: str = CURRENT) -> None:
    """Points `name` at `new` if it still points at `expected`; else raises StaleBaseError and changes nothing."""
    with _locked(wh):
        try:
            found = read_ref(wh, name)
        except IntegrityError:
            if action != "rollback":
                raise
            found = expected  # a rollback mends a damaged ref
        if found != expected:
            raise StaleBaseError(
                f"{name} points to {found}, not to {expected}", expected="nobody else to have published meanwhile",
                fix="run the command again: finished shards are reused",
            )
        # The log is written first: a kill between the two leaves a line too many, never a move without a line.
        line = json.dumps({"time": int(time.time()), "ref": name, "from": found, "to": new, "action": action})
        path = wh.path("refs", "log.jsonl")
        cut = path.exists() and path.stat().st_size and not path.read_bytes().endswith(b"\n")
        with open(path, "a") as log:
            log.write(("\n" if cut else "") + line + "\n")
            log.flush()
            os.fsync(log.fileno())
        faults.point("ref.before")
        wh.write(wh.path("refs", name), new.encode())
        faults.point("ref.after")


PINS = "pins"
_PIN = re.compile(r"[A-Za-z][\w.-]{0,63}")


def read_pins(wh: Warehouse) -> dict[str, str]:
    """Name -> release id of every pin: releases that are never collected."""
    return {p.name: _text(p) for p in sorted(wh.path("refs", PINS).glob("*")) if _PIN.fullmatch(p.name)}


def write_pin(wh: Warehouse, name: str, release: str) -> None:
    """Keeps a release under a name; an existing name is moved. UsageError on a name that could be something else."""
    if not _PIN.fullmatch(name) or name in ("current", "previous") or re.fullmatch(r"[0-9a-f]{4,24}", name):
        raise UsageError(f"pin named {name!r}", expected="a letter, then letters, digits and . _ -; not `current`, `previous`, or like an id")
    wh.write(wh.path("refs", PINS, name), release.encode())


def remove_pin(wh: Warehouse, name: str) -> None:
    if not _PIN.fullmatch(name):  # a name is never a path
        raise UsageError(f"pin named {name!r}", expected=", ".join(read_pins(wh)) or "a pin: there is none")
    try:
        wh.path("refs", PINS, name).unlink()
    except FileNotFoundError:
        raise LodeError(f"no pin named {name}", expected=", ".join(read_pins(wh)) or "a pin: there is none") from None


def read_log(wh: Warehouse) -> list[dict]:
    """Every move, oldest first. A line cut off by a crash is passed over."""
    out: list[dict] = []
    try:
        lines = _text(wh.path("refs", "log.jsonl")).splitlines()
    except FileNotFoundError:
        return out
    for line in lines:
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(row, dict) and {"time", "ref", "from", "to", "action"} <= row.keys():
            out.append(row)
    return out
