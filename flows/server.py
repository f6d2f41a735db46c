"""A Prefect server for the flows: the one that PREFECT_API_URL names, else one of our own that dies with us.

Prefect's own temporary server outlives a killed run and holds its standard output; ours is killed by the kernel with
its parent (Linux) and writes to a log file.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from schemas.errors import LodeError

QUIET = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_TO_API_ENABLED": "false",
    "PREFECT_RESULTS_PERSIST_BY_DEFAULT": "false",
    "PREFECT_CLI_PROMPT": "false",
}
START_TIMEOUT_SECONDS = 120

_server: subprocess.Popen | None = None


def quiet_environment() -> None:
    """Sets what Prefect reads at import: telemetry off, logs quiet. What the user set stays."""
    for key, value in QUIET.items():
        os.environ.setdefault(key, value)


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_server() -> None:
    """Starts the server without waiting for it. Call from the main thread, before `prefect` is imported."""
    global _server
    quiet_environment()
    if os.environ.get("PREFECT_API_URL") or _server is not None:
        return
    home = Path(os.environ.get("PREFECT_HOME", "~/.prefect")).expanduser()
    home.mkdir(parents=True, exist_ok=True)
    port = _free_port()
    import importlib.util

    found = importlib.util.find_spec("prefect")
    if found is None or found.origin is None:
        raise LodeError("the package prefect is not installed", fix="run `make setup`")
    folder = Path(found.origin).parent
    with open(home / "lode-server.log", "ab") as log:
        _server = subprocess.Popen(
            [sys.executable, "-m", "uvicorn", "--app-dir", str(folder), "--factory",
             "prefect.server.api.server:create_app", "--host", "127.0.0.1", "--port", str(port),
             "--log-level", "error", "--lifespan", "on"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=_die_with_parent,
            env={**os.environ, "PREFECT_UI_ENABLED": "0", "PREFECT__SERVER_EPHEMERAL": "1", "PREFECT__SERVER_FINAL": "1"},
        )
    atexit.register(stop_server)
    os.environ["PREFECT_API_URL"] = f"http://127.0.0.1:{port}/api"


def wait_for_server() -> float:
    """Waits until the server answers; seconds waited. LodeError where it does not come up."""
    began = time.perf_counter()
    url = os.environ["PREFECT_API_URL"].rstrip("/") + "/health"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.perf_counter() - began < START_TIMEOUT_SECONDS:
        if _server is not None and _server.poll() is not None:
            raise LodeError(
                f"the Prefect server stopped with code {_server.returncode}",
                expected="it to answer", fix="read lode-server.log in PREFECT_HOME (~/.prefect), or set PREFECT_API_URL",
            )
        try:
            with opener.open(url, timeout=5) as answer:
                if answer.status == 200:
                    return time.perf_counter() - began
        except OSError:
            time.sleep(0.05)
    raise LodeError(
        f"no Prefect server answers at {os.environ['PREFECT_API_URL']}", expected=f"an answer within {START_TIMEOUT_SECONDS} s",
        fix="start it (`prefect server start`), or unset PREFECT_API_URL",
    )


def stop_server() -> None:
    global _server
    if _server is not None:
        _server.terminate()
        try:
            _server.wait(timeout=3)
        except subprocess.TimeoutExpired:
            _server.kill()
            _server.wait()
        _server = None
