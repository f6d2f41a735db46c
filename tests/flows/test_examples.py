"""Every command shows an example in its --help, and every example works on the sample as it is written.

Examples that only read run in this process, on a copy of the sample that has a `previous` release. Those that build run as
a user would run them, in a small warehouse of their own.
"""

from __future__ import annotations

import bz2
import os
import shlex
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

import flows.cli
import motherlode
from flows.cli_page import commands, examples
from tests.conftest import ROOT
from warehouse.layout import Warehouse

COMMANDS = {name.removeprefix("lode "): command for name, command in commands()}
BEFORE = ("rerun", "rollback")  # run first: they give the warehouse its `previous`
BUILDING = ("init", "build", "backfill")
LAST = ("pin", "gc")  # they change what is kept; in this order
READING = [e for name, c in COMMANDS.items() if name not in (*BEFORE, *BUILDING, *LAST) for e in examples(c)]

# Without vectors and facts, where no example needs them: a fraction of the time.
SMALL = "[embed]\nenabled = false\n[extract]\nextractor = 'none'\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_an_example_of_itself(name):
    """…and its --help shows it."""
    shown = examples(COMMANDS[name])
    assert shown and all(e == f"lode {name}" or e.startswith(f"lode {name} ") for e in shown)
    done = CliRunner().invoke(flows.cli.app, [*name.split(), "--help"], env={"COLUMNS": "200"})
    assert done.exit_code == 0 and all(e in " ".join(done.stdout.split()) for e in shown)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder that holds what the examples name."""
    folder = tmp_path_factory.mktemp("examples")
    for name in ("configs", "data/sample"):
        shutil.copytree(ROOT / name, folder / name)
    (folder / "docs").mkdir()
    (folder / "docs" / "acme.md").write_text("# Acme\n\nAcme was founded in 1951.\n")
    (folder / "dump.xml.bz2").write_bytes(bz2.compress((ROOT / "data" / "sample" / "wiki.xml").read_bytes()))
    (folder / "lode.toml").write_text(f"{SMALL}[sources.docs]\npath = 'docs'\ndefault_acl = ['public']\n")
    (folder / "smaller-chunks.toml").write_text(f"{SMALL}[chunk]\ntarget_tokens = 30\nmax_tokens = 60\nmin_tokens = 5\n")
    return folder


@pytest.fixture(scope="module")
def copied(sample_warehouse, lode, folder) -> Path:
    """A copy of the sample's warehouse, after a rerun and a rollback: current is the sample, previous is what the rerun made."""
    wh = folder / "warehouse"
    shutil.copytree(sample_warehouse[0], wh)
    for name in BEFORE:
        for example in examples(COMMANDS[name]):
            assert "release" in _typed(lode, example, folder, wh).stdout
    return wh


def _typed(lode, example: str, folder: Path, wh: Path):
    return lode(*shlex.split(example)[1:], env={"LODE_WAREHOUSE": str(wh)}, cwd=folder)


def _run(example: str, folder: Path, wh: Path) -> str:
    """What an example prints, run in this process; it must end well."""
    home = Path.cwd()
    os.chdir(folder)
    try:
        done = CliRunner().invoke(flows.cli.app, shlex.split(example)[1:], env={"LODE_WAREHOUSE": str(wh)})
    finally:
        os.chdir(home)
    assert done.exit_code == 0, f"{example}: exit {done.exit_code}\n{done.output}"
    return done.stdout


@pytest.mark.parametrize("example", READING)
def test_reading_examples_work(copied, folder, example):
    assert _run(example, folder, copied).strip()


def test_examples_of_keeping_work(copied, folder):
    for name in LAST:
        for example in examples(COMMANDS[name]):
            assert _run(example, folder, copied).strip(), example


def test_building_examples_work(lode, folder):
    """The one with a config comes first: it is the config of the builds that follow."""
    wh = folder / "small"
    Warehouse.init(wh, 2)
    for example in sorted((e for name in BUILDING for e in examples(COMMANDS[name])), key=lambda e: " -c " not in e):
        assert _typed(lode, example, folder, wh).stdout.strip(), example


def test_the_python_api_takes_the_same_names_and_says_what_took_the_place_of_a_chunk(copied):
    with motherlode.open_release(copied, "previous") as before, motherlode.open_release(copied) as now:
        assert {before.id, now.id} == {r.id for r in motherlode.releases(copied)} and before.id != now.id
        old, new = before.sql("SELECT old_id, new_id FROM lineage WHERE lineage_kind = 'chunk' AND new_id IS NOT NULL LIMIT 1").to_pylist()[0].values()
        assert now.chunk(old).text
        with pytest.raises(motherlode.LodeError, match=f"retired: ask for {new}"):
            before.chunk(old)
        assert before.chunk(new).document_id == now.chunk(old).document_id
