"""Keeps files from being collected while somebody relies on them: the one lock that readers, writers and `gc` share.

Who reuses a file marks it as used (its time of change is set to now) and learns in the same step whether it is there.
`gc` deletes a file only under the exclusive lock, and only where it was last used before every live writer began. So a
file that a running build relies on is either newer than its lease, or reported as missing and made anew.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from schemas.errors import LodeError
from warehouse.layout import Warehouse

LOCK = ".sweep.lock"


@contextmanager
def sweep_lock(wh: Warehouse, *, exclusive: bool = False) -> Iterator[bool]:
    """Shared for who relies on files, exclusive for who deletes. Gives False to who may not write here: no lock for them.

    LodeError where the exclusive lock cannot be had: without it nothing may be deleted.
    """
    try:
        handle = os.open(wh.path("refs", LOCK), os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        if exclusive:
            raise LodeError(f"refs/{LOCK} cannot be written: {error.strerror}", expected="the right to write in the whole warehouse",
                            fix="run it as the user who builds here") from None
        yield False
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
        yield True
    finally:
        os.close(handle)


def hold(wh: Warehouse, paths: Iterable[Path]) -> bool:
    """Whether all files are there; those that are count as used now."""
    with sweep_lock(wh) as locked:
        for path in paths:
            if not _touched(path, locked):
                return False
    return True


def _touched(path: Path, locked: bool) -> bool:
    if not locked:
        return path.exists()
    try:
        os.utime(path)
    except FileNotFoundError:
        return False
    except OSError:  # not ours to touch: reading it is all that is left
        return path.exists()
    return True
