"""`lode backfill` killed at ten random moments and at every kind of point of its own, then given again: what an undisturbed one gives."""

import os
import random
import shutil
import signal
import subprocess
import time

import pytest

from tests.flows.conftest import LODE
from tests.flows.histories import HEAD, REVISIONS, page_xml, write_export
from tests.flows.small import table_hashes
from warehouse.layout import Warehouse
from warehouse.refs import read_ref
from warehouse.releases import open_release

pytestmark = pytest.mark.slow

KILLS, PAGES, SEED = 10, 24, 4
POINTS = ["scan:1", "shard.parse.parse:1", "shard.extract.extract:1", "shard.validity.validity:1", "file.before_rename:1", "ref.before:1"]


def long_export(path):
    """Pages of the small wiki's history, many times over under other names: more work, so that a kill meets some of it."""
    pages = [
        (n, f"{name} Pumps", 0, [(1000 * n + r, when, who, text.replace("Acme", name)) for r, when, who, text in REVISIONS])
        for n, name in ((n, f"Firm{chr(65 + n)}") for n in range(PAGES))
    ]
    path.write_text(HEAD + "".join(page_xml(*p) for p in pages) + "</mediawiki>")
    return path


@pytest.fixture(scope="module")
def dumps(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exports")
    (folder / "old").mkdir()
    return write_export(folder / "old" / "wiki.xml", REVISIONS[:5]), long_export(folder / "wiki.xml")


@pytest.fixture(scope="module")
def undisturbed(dumps, lode, without_vectors, tmp_path_factory):
    """The warehouse before, the two releases, the tables of the second, and the seconds that it took."""
    old, new = dumps
    wh = tmp_path_factory.mktemp("undisturbed") / "wh"
    Warehouse.init(wh, 4)
    first = lode.json("backfill", old, "--acl", "public", "-c", without_vectors, "-w", wh)
    before = wh.with_name("before")
    shutil.copytree(wh, before)
    begun = time.monotonic()
    second = lode.json("backfill", new, "--acl", "public", "-c", without_vectors, "-w", wh)
    return before, first["release"], second["release"], table_hashes(wh), time.monotonic() - begun


def held(warehouse):
    """The current release, its every object read back."""
    wh = Warehouse.open(warehouse)
    release = open_release(wh)
    for name in release.tables().tables:
        release.read(name)
    return release.id


def finish(lode, dump, config, warehouse, undisturbed):
    _, _, second, hashes, _ = undisturbed
    lode("backfill", dump, "--acl", "public", "-c", config, "-w", warehouse, "--quiet")
    assert held(warehouse) == second and table_hashes(warehouse) == hashes


def test_killed_at_ten_random_moments(dumps, undisturbed, lode, lode_offline, server, without_vectors, tmp_path):
    """Each kill meets what the ones before have left; a run that was quicker than its kill is given a new start."""
    _, new = dumps
    before, first, second, _, seconds = undisturbed
    moments = random.Random(SEED)
    wh, killed = tmp_path / "0", 0
    shutil.copytree(before, wh)
    for attempt in range(3 * KILLS):
        run = subprocess.Popen([str(LODE), "backfill", str(new), "--acl", "public", "-c", str(without_vectors), "-w", str(wh), "--quiet"],
                               env={**os.environ, **server}, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            run.wait(timeout=moments.uniform(0.1, 1) * seconds)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
            killed += 1
        assert held(wh) in (first, second)
        if killed == KILLS:
            break
        if read_ref(Warehouse.open(wh)) == second:
            finish(lode, new, without_vectors, wh, undisturbed)
            wh = tmp_path / str(attempt + 1)
            shutil.copytree(before, wh)
    assert killed == KILLS
    finish(lode, new, without_vectors, wh, undisturbed)
    assert lode_offline.json("verify", "--full", "-w", wh)["clean"]


def test_killed_at_its_own_points(dumps, undisturbed, lode, without_vectors, tmp_path):
    """Each run stands on what the killed one before has left."""
    _, new = dumps
    before, first, _, _, _ = undisturbed
    wh = tmp_path / "wh"
    shutil.copytree(before, wh)
    for point in POINTS:
        killed = lode("backfill", new, "--acl", "public", "-c", without_vectors, "-w", wh, "--quiet", ok=False,
                      env={"LODE_FAULT": point, "LODE_FAULT_GROUP": "1"})
        assert killed.returncode == -signal.SIGKILL, f"{point} was not reached\n{killed.stderr}"
        assert held(wh) == first
    finish(lode, new, without_vectors, wh, undisturbed)
