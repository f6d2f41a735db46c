"""Every command shows an example in its --help, and every example works on the sample as it is written."""

import bz2
import re
import shlex
import shutil

import pytest
import typer

import flows.cli
from tests.conftest import ROOT

flows.cli.add_commands()
EXAMPLES = re.compile(r"^Examples?: ")
# What moves the release, or makes one, comes after what only reads; in this order.
LAST = ("pin", "gc", "init", "build")
BEFORE = ("rerun", "rollback")  # run first: they give the warehouse a `previous`


def _commands():
    """('config check', command) of every command and every command of a group."""
    for name, command in typer.main.get_command(flows.cli.app).commands.items():
        inner = getattr(command, "commands", None)
        if inner is None:
            yield name, command
        else:
            yield from ((f"{name} {n}", c) for n, c in inner.items())


def _examples(command) -> list[str]:
    text = " ".join((command.epilog or "").split())
    return EXAMPLES.sub("", text).split(" · ") if EXAMPLES.match(text) else []


COMMANDS = dict(_commands())
ALL = [(name, example) for name, command in COMMANDS.items() for example in _examples(command)]
READING = [(n, e) for n, e in ALL if n not in LAST and n not in BEFORE]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_an_example_of_itself(name):
    examples = _examples(COMMANDS[name])
    assert examples and all(e.startswith(f"lode {name}") for e in examples)


@pytest.fixture(scope="module")
def place(sample_warehouse, lode, tmp_path_factory):
    """A folder that holds what the examples name, and a copy of the sample's warehouse with a `previous` release."""
    folder = tmp_path_factory.mktemp("examples")
    shutil.copytree(sample_warehouse[0], folder / "warehouse")
    for name in ("configs", "data/sample"):
        shutil.copytree(ROOT / name, folder / name)
    (folder / "docs").mkdir()
    (folder / "docs" / "acme.md").write_text("# Acme\n\nAcme was founded in 1951.\n")
    (folder / "dump.xml.bz2").write_bytes(bz2.compress((ROOT / "data" / "sample" / "wiki.xml").read_bytes()))
    (folder / "lode.toml").write_text("[embed]\nenabled = false\n[sources.docs]\npath = 'docs'\ndefault_acl = ['public']\n")
    (folder / "smaller-chunks.toml").write_text("[chunk]\ntarget_tokens = 90\n")

    def run(example):
        return lode(*shlex.split(example)[1:], env={"LODE_WAREHOUSE": str(folder / "warehouse")}, cwd=folder)

    for name in BEFORE:
        for example in _examples(COMMANDS[name]):
            assert "release" in run(example).stdout
    return run


@pytest.mark.parametrize(("name", "example"), READING, ids=[e for _, e in READING])
def test_reading_examples_work(place, name, example):
    assert place(example).stdout.strip()


def test_help_shows_the_examples(lode_offline):
    for name in COMMANDS:
        shown = " ".join(lode_offline(*name.split(), "--help", env={"COLUMNS": "200"}).stdout.split())
        assert all(e in shown for e in _examples(COMMANDS[name])), name


def test_writing_examples_work(place):
    for name in LAST:
        for example in _examples(COMMANDS[name]):
            assert place(example).stdout.strip(), example
