"""`kill -9` of a whole run (parent, workers, server's client) in every stage and at every durable step.

Meanwhile the old release stays readable; the same command again gives what an undisturbed run gives, byte for byte.
"""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from flows.publish import check_release, refuse_unsound
from retrieval.search import QueryOptions, search
from tasks.registry import all_stages
from tests.flows.conftest import LODE
from tests.flows.small import PAGES, table_hashes, write_pages
from warehouse.layout import Warehouse
from warehouse.reader import Reader
from warehouse.releases import open_release
from warehouse.rollback import missing_part

pytestmark = pytest.mark.slow

STEPS = [f"shard.{step.name}:1" for stage in all_stages() for step in stage.steps]
WRITES = ["scan:1", "file.before_fsync:1", "file.before_rename:1", "file.after_rename:1", "write.before_fsync:5", "write.before_rename:4",
          "write.after_rename:3"]
ENDS = ["index:1", "ref.before:1", "ref.after:1"]


@pytest.fixture(scope="module")
def corpora_pair(tmp_path_factory):
    """The corpus that is published first, and the one whose build is killed."""
    root = tmp_path_factory.mktemp("pair")
    old = write_pages(root / "old" / "pages", {k: v for k, v in PAGES.items() if k != "tower.html"})
    new = write_pages(root / "new" / "pages", {**PAGES, "borin.md": PAGES["borin.md"] + "\nEva Lie became mayor of Borin in 2019.\n"})
    return old, new


@pytest.fixture(scope="module")
def undisturbed(corpora_pair, lode, tmp_path_factory):
    old, new = corpora_pair
    wh = tmp_path_factory.mktemp("undisturbed") / "wh"
    first = lode.json("build", old, "--acl", "public", "--name", "pages", "--workers", "1", "-w", wh)
    before = wh.with_name("before")
    shutil.copytree(wh, before)  # a warehouse is its folder: the tests start from copies of it
    second = lode.json("build", new, "--acl", "public", "--name", "pages", "--workers", "1", "-w", wh)
    return before, first["release"], second["release"], table_hashes(wh)


def readable(warehouse: Path) -> str:
    """The current release, after reading it as a reader does: an answer from its stores, every store and text compared."""
    wh = Warehouse.open(warehouse)
    release = open_release(wh)
    with Reader(release) as reader:
        found = search(reader, "Who was chief executive officer of Acme Corporation in 2005?", QueryOptions()).to_json()
        assert found["results"][0]["object"] == "Ada Long"
    audits, result = check_release(wh, release.body, release.tables())
    refuse_unsound(wh, release.id, audits, result)
    assert missing_part(release) is None
    return release.id


@pytest.mark.parametrize("points", [WRITES, STEPS, ENDS], ids=["writes", "steps", "ends"])
def test_killed_and_run_again(points, corpora_pair, undisturbed, lode, tmp_path):
    """Killed at one point, run again and killed at the next: each run stands on what the killed ones have left."""
    old, new = corpora_pair
    before, first, second, hashes = undisturbed
    wh = tmp_path / "wh"
    shutil.copytree(before, wh)
    for point in points:
        killed = lode("build", new, "--acl", "public", "--name", "pages", "--workers", "1", "-w", wh, "--quiet", ok=False, env={"LODE_FAULT": point, "LODE_FAULT_GROUP": "1"})
        assert killed.returncode == -signal.SIGKILL, f"{point} was not reached\n{killed.stdout}\n{killed.stderr}"
        assert readable(wh) == (second if point == "ref.after:1" else first), point
    lode("build", new, "--acl", "public", "--name", "pages", "--workers", "1", "-w", wh, "--quiet")
    assert readable(wh) == second
    assert table_hashes(wh) == hashes


def test_killed_at_random_moments(corpora_pair, undisturbed, lode, server, tmp_path):
    """From outside, at moments spread over the run: `kill -9` of the process group until a run gets through."""
    old, new = corpora_pair
    before, first, second, hashes = undisturbed
    wh = tmp_path / "wh"
    shutil.copytree(before, wh)
    for tenths in (15, 25, 35, 45, 55, 65):
        run = subprocess.Popen([str(LODE), "build", str(new), "--acl", "public", "--name", "pages", "-w", str(wh), "--quiet"],
                               env={**os.environ, **server}, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            run.wait(timeout=tenths / 10)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
        assert readable(wh) in (first, second)
    lode("build", new, "--acl", "public", "--name", "pages", "--workers", "1", "-w", wh, "--quiet")
    assert readable(wh) == second
    assert table_hashes(wh) == hashes
