"""Points at which a test may kill the process: proof that `kill -9` at any moment loses nothing.

`LODE_FAULT=<point>:<n>` kills the process with SIGKILL when the n-th passage of that point is reached (default 1); with
`LODE_FAULT_GROUP=1` its whole process group: parent, workers and server, as when a machine dies.
Points stand before and after each fsync, rename and ref. Without the variable a point costs one dictionary look-up.
"""

from __future__ import annotations

import os
import signal

_WANTED = os.environ.get("LODE_FAULT", "")
_NAME, _, _COUNT = _WANTED.partition(":")
_LEFT = {_NAME: int(_COUNT or 1)} if _NAME else {}


def point(name: str) -> None:
    """Dies here if the test asked for it."""
    if name in _LEFT:
        _LEFT[name] -= 1
        if _LEFT[name] == 0:
            if os.environ.get("LODE_FAULT_GROUP") == "1":
                os.killpg(os.getpgid(0), signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)
