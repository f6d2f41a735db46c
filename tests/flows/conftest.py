"""A real Prefect server for the flows, and `lode` as a command."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from warehouse.layout import Warehouse

ROOT = Path(__file__).resolve().parents[2]
LODE = Path(sys.executable).parent / "lode"


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """Starts one Prefect server for the session; gives the environment that points to it."""
    old = {k: os.environ.get(k) for k in ("PREFECT_HOME", "PREFECT_API_URL")}
    if not os.environ.get("PREFECT_API_URL"):
        os.environ["PREFECT_HOME"] = str(tmp_path_factory.mktemp("prefect"))
    from flows.server import start_server, stop_server, wait_for_server

    start_server()
    wait_for_server()
    yield {k: os.environ[k] for k in ("PREFECT_HOME", "PREFECT_API_URL") if k in os.environ}
    stop_server()
    for key, value in old.items():
        if value is None:
            os.environ.pop(key, None)
        else:
            os.environ[key] = value


class Lode:
    """Runs `lode` as a user would: a process of its own."""

    def __init__(self, environment: dict[str, str], shards: int = 0) -> None:
        self.environment, self.shards = environment, shards

    def __call__(self, *args, ok: bool = True, env: dict | None = None, code: int | None = None, cwd=None):
        if self.shards and args[0] == "build" and "-w" in args:  # a small warehouse and one worker for a small corpus
            wh = Path(args[args.index("-w") + 1])
            if not wh.exists():
                Warehouse.init(wh, self.shards)
            if "--workers" not in args:
                args = (*args, "--workers", "1")
        done = subprocess.run(
            [str(LODE), *map(str, args)], capture_output=True, text=True, start_new_session=True, check=False, timeout=600,
            env={**os.environ, **self.environment, **(env or {})}, cwd=cwd or ROOT,
        )
        if code is not None:
            assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        elif ok:
            assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def json(self, *args, **more):
        return json.loads(self(*args, "--json", **more).stdout)


@pytest.fixture(scope="session")
def lode(server) -> Lode:
    return Lode(server, shards=2)


@pytest.fixture(scope="session")
def without_vectors(tmp_path_factory) -> Path:
    """A config without vectors: half the time of a small build."""
    path = tmp_path_factory.mktemp("config") / "lode.toml"
    path.write_text("[embed]\nenabled = false\n")
    return path


@pytest.fixture(scope="session")
def lode_offline() -> Lode:
    """For commands that need no server."""
    return Lode({})


@pytest.fixture(scope="session")
def sample_warehouse(lode, tmp_path_factory):
    """The bundled sample, built once for all of pytest's processes, each of which has a copy: (warehouse, outcome)."""
    mine = tmp_path_factory.mktemp("sample") / "wh"
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared-sample"
    shared.mkdir(exist_ok=True)
    with open(shared / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        told = shared / "outcome.json"
        if not told.exists():
            Warehouse.init(shared / "wh", 2)
            outcome = lode.json("build", "--config", ROOT / "configs" / "sample.toml", "-w", shared / "wh", "--workers", "2")
            told.write_text(json.dumps(outcome))
    shutil.copytree(shared / "wh", mine, copy_function=shutil.copy2)
    outcome = json.loads(told.read_text())
    return mine, {**outcome, "report": outcome["report"].replace(str(shared / "wh"), str(mine))}
