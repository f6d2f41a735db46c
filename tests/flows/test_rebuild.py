"""Rebuilds: nothing twice, incremental equals full, rollback, reruns of every stage, two writers."""

import subprocess
import sys

import pytest

from tests.flows.conftest import LODE
from tests.flows.small import PAGES, table_hashes, write_pages

STEPS = {
    "parse": ("parse", "max_depth = 39"),
    "chunk": ("chunk", "target_tokens = 20\nmin_tokens = 4"),
    "extract": ("extract", "max_sentence_chars = 60"),
    "link": ("link", "use_redirects = false"),
    "normalize": ("normalize", "keep_unknown_predicates = false"),
    "validity": ("validity", "use_document_date = false"),
    "origins": ("origins", "min_words = 4"),
    "dedupe": ("dedupe", "jaccard_threshold = 0.99"),
    "conflict": ("conflict", "outvote_ratio = 3.0"),
    "embed": ("embed", "max_tokens = 16"),
    "index": ("index", "k1 = 1.2"),
}


@pytest.fixture(scope="module")
def built(lode, tmp_path_factory):
    folder = write_pages(tmp_path_factory.mktemp("pages") / "pages")
    wh = tmp_path_factory.mktemp("built") / "wh"
    return folder, wh, lode.json("build", folder, "--acl", "public", "-w", wh)


def test_a_second_build_computes_nothing(built, lode):
    folder, wh, first = built
    again = lode.json("build", folder, "--acl", "public", "-w", wh)
    assert again["unchanged"] and again["release"] == first["release"]
    assert set(again["computed"].values()) == {0}


def test_a_changed_document_is_the_only_one_recomputed_and_equals_a_full_build(built, lode, tmp_path):
    folder, wh, first = built
    pages = {**PAGES, "borin.md": PAGES["borin.md"] + "\nBorin lies on the river Ald.\n", "new.md": "# New\n\nNew Works was founded in 1999.\n"}
    pages.pop("plain.txt")
    changed = write_pages(tmp_path / "pages", pages)
    incremental = lode.json("build", changed, "--acl", "public", "--name", "pages", "-w", wh)
    assert incremental["published"] and incremental["release"] != first["release"]
    parse = next(s for s in incremental["stages"] if s["stage"] == "parse")
    assert parse["units_run"] == 2, "one edited, one new"
    full_wh = tmp_path / "full"
    full = lode.json("build", changed, "--acl", "public", "-w", full_wh)
    assert full["release"] == incremental["release"]
    assert table_hashes(wh) == table_hashes(full_wh)
    lode("rollback", first["release"], "-w", wh)
    assert lode.json("status", "-w", wh)["release"] == first["release"]
    assert "Erik Dahl" in lode("query", "Who founded Dahl Works?", "-w", wh).stdout


FAST = ("parse", "normalize", "index")  # the first, one between, the last; the others are slow proofs


@pytest.mark.parametrize("stage", [s if s in FAST else pytest.param(s, marks=pytest.mark.slow) for s in STEPS])
def test_rerun_of_each_stage(built, lode, tmp_path, stage):
    folder, wh, first = built
    section, lines = STEPS[stage]
    config = tmp_path / "lode.toml"
    config.write_text(f"[{section}]\n{lines}\n")
    lode("rollback", first["release"], "-w", wh)
    done = lode.json("rerun", stage, "--config", config, "-w", wh)
    order = list(STEPS)
    ran = {step.split(".")[0]: 0 for step in done["computed"]}
    for step, shards in done["computed"].items():
        ran[step.split(".")[0]] += shards
    assert not set(ran) & set(order[: order.index(stage)]), "nothing before the stage"
    assert ran[stage] > 0, "the stage itself"
    again = lode.json("rerun", stage, "--config", config, "-w", wh)
    assert set(again["computed"].values()) == {0} and again["unchanged"]
    lode("rollback", first["release"], "-w", wh)


@pytest.mark.slow
def test_two_writers_lose_nothing(lode, server, tmp_path):
    import os

    wh = tmp_path / "wh"
    folders = [write_pages(tmp_path / name, {f"{name}.md": f"# {name}\n\n{name} Works was founded in 19{n}0.\n"}) for n, name in enumerate(["north", "south"], 5)]
    lode("init", "-w", wh, "--shards", "2")
    writers = [
        subprocess.Popen([str(LODE), "build", str(f), "--acl", "public", "-w", str(wh), "--quiet", "--workers", "1"],
                         env={**os.environ, **server}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for f in folders
    ]
    for w in writers:
        output = w.communicate(timeout=300)
        assert w.returncode == 0, output
    status = lode.json("status", "-w", wh)
    assert set(status["sources"]) == {"north", "south"} and status["rows"]["documents"] == 2
    assert lode.json("verify", "-w", wh)["clean"]


def test_a_profile_without_vectors(lode, tmp_path):
    folder = write_pages(tmp_path / "pages")
    (tmp_path / "lode.toml").write_text("[embed]\nenabled = false\n")
    wh = tmp_path / "wh"
    outcome = lode.json("build", folder, "--acl", "public", "-w", wh, "-c", tmp_path / "lode.toml")
    assert outcome["published"]
    verified = lode.json("verify", "-w", wh)
    assert verified["clean"] and {s["leg"] for s in verified["stores"]} == {"sparse"}
    result = lode.json("query", "Who was chief executive officer of Acme Corporation in 2005?", "-w", wh)
    assert any(r.get("object") == "Ada Long" for r in result["results"])


@pytest.mark.slow
def test_workers_order_and_clock_change_no_byte(built, lode, tmp_path):
    """One worker, files written in reverse, and a system date years away: the same Parquet bytes."""
    folder, wh, first = built
    other = tmp_path / "pages"
    write_pages(other, dict(reversed(PAGES.items())))
    clock = tmp_path / "clock"
    clock.mkdir()
    (clock / "sitecustomize.py").write_text(
        "import datetime, time_machine\n"
        "time_machine.travel(datetime.datetime(2031, 5, 17, 3, 4, 5, tzinfo=datetime.timezone.utc), tick=True).start()\n"
    )
    away = tmp_path / "wh"
    code = "import time; print(time.gmtime().tm_year)"
    env = {"PYTHONPATH": str(clock), "TZ": "Pacific/Kiritimati"}
    seen = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(clock)}, capture_output=True, text=True, check=True)
    assert seen.stdout.strip() == "2031", "the clock of child processes is moved"
    moved = lode.json("build", other, "--acl", "public", "-w", away, "--workers", "1", env=env)
    lode("rollback", first["release"], "-w", wh)
    assert moved["release"] == first["release"]
    assert table_hashes(away) == table_hashes(wh)


@pytest.mark.slow
def test_a_restricted_document_changes_no_public_fact(lode, tmp_path):
    """Titles, values, copies and redirects of a restricted folder: every public row and answer stays what it was."""
    from warehouse.layout import Warehouse
    from warehouse.releases import open_release

    public = write_pages(tmp_path / "pages")
    secret = write_pages(tmp_path / "memos", {
        "memo.md": "# Acme Corporation\n\nCarl Secret became chief executive officer of Acme Corporation in 2012. Borin is the capital of Lund.\n",
        "copy.md": PAGES["acme.md"],
    })
    wh = tmp_path / "wh"
    first = lode.json("build", public, "--acl", "public", "-w", wh)
    question = "Who is chief executive officer of Acme Corporation?"
    before = lode.json("query", question, "-w", wh)
    second = lode.json("build", secret, "--acl", "board", "-w", wh)
    opened = Warehouse.open(wh)
    for table, label in (("nuggets", "label"), ("claims", "label"), ("decisions", "label"), ("documents", "label"), ("chunks", "label")):
        old = open_release(opened, first["release"]).read(table).to_pylist()
        new = [r for r in open_release(opened, second["release"]).read(table).to_pylist() if r[label] == "public"]
        assert old == new, table
    after = lode.json("query", question, "-w", wh)
    assert [r["nugget_id"] for r in after["results"] if "nugget_id" in r] == [r["nugget_id"] for r in before["results"] if "nugget_id" in r]
    assert "Secret" not in lode("query", question, "-w", wh, "--json", "--view", "all").stdout
    assert "Carl Secret" in lode("query", question, "-w", wh, "--json", "--as", "board", "--view", "full").stdout
