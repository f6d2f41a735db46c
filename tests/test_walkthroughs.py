"""The tutorial and the how-tos work as written: every `bash` block is run, in order, in a folder like the reader's."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.flows.conftest import server  # noqa: F401

BIN = Path(sys.executable).parent
BLOCK = re.compile(r"^( *)```bash\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
CLONE = ("data", "configs")


def script(page: str) -> str:
    """All bash blocks of a page as one script that ends at the first failure."""
    blocks = [re.sub(f"^{indent}", "", body, flags=re.MULTILINE) for indent, body in BLOCK.findall((ROOT / "docs" / page).read_text("utf-8"))]
    assert blocks, f"{page} holds no bash block"
    # what is installed is this checkout: `make setup` in a copy would install the copy
    return "set -euo pipefail\n" + "\n".join(blocks).replace("make setup\n", "")


def run(page: str, folder: Path, environment: dict[str, str], **more: str) -> str:
    env = {**os.environ, **environment, "PATH": f"{BIN}:{os.environ['PATH']}", "NO_COLOR": "1", **more}
    done = subprocess.run(["bash", "-c", script(page)], cwd=folder, env=env, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, f"{page}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.mark.slow
def test_the_tutorial_works_in_a_clone(tmp_path, server):  # noqa: F811
    for name in CLONE:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("warehouse"))
    shown = run("tutorial.md", tmp_path, server)
    assert shown.count("published release") == 2 and shown.count("current is release") == 2
    assert "contested" in shown
    assert not (tmp_path / "data" / "tutorial").exists()


@pytest.mark.slow
def test_a_scheduled_rebuild_works(tmp_path, server):  # noqa: F811
    shown = run("howto-scheduled-rebuild.md", tmp_path, server)
    assert "Ada Long" in shown and "done" in shown.splitlines()


@pytest.mark.slow
def test_a_rerun_works(tmp_path, server):  # noqa: F811
    shown = run("howto-rerun.md", tmp_path, server)
    assert "chunk.target_tokens" in shown and shown.count("published release") == 2


@pytest.mark.slow
def test_a_history_is_taken_in(tmp_path, server):  # noqa: F811
    import bz2

    (tmp_path / "dump.xml.bz2").write_bytes(bz2.compress((ROOT / "data" / "sample" / "wiki.xml").read_bytes()))
    shown = run("howto-backfill.md", tmp_path, server)
    assert "Ginni Rometty" in shown and "Arvind Krishna" in shown and "unchanged: nothing to publish" in shown


def test_the_pages_that_are_run_hold_scripts():
    for page in ("tutorial.md", "howto-scheduled-rebuild.md", "howto-rerun.md", "howto-backfill.md"):
        done = subprocess.run(["bash", "-n", "-c", script(page)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
