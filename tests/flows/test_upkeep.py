"""gc, pin, doctor and config check as commands, on real warehouses."""

import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from tests.conftest import ROOT
from warehouse.layout import Warehouse
from warehouse.objects import object_path
from warehouse.releases import open_release


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notes") / "notes"
    folder.mkdir()
    for name, year in (("alpha", 1951), ("beta", 1962), ("gamma", 1973)):
        (folder / f"{name}.md").write_text(f"# {name.title()} Works\n\n{name.title()} Works was founded in {year}.\n")
    return folder


@pytest.fixture(scope="module")
def three(lode, notes, without_vectors, tmp_path_factory):
    """A warehouse with three releases: (warehouse, their ids)."""
    wh = tmp_path_factory.mktemp("upkeep") / "wh"
    made = []
    for year in (1973, 1974, 1975):
        (notes / "gamma.md").write_text(f"# Gamma Works\n\nGamma Works was founded in {year}.\n")
        made.append(lode.json("build", notes, "--acl", "public", "-c", without_vectors, "-w", wh)["release"])
    return wh, made


@pytest.fixture
def copy(three, tmp_path):
    shutil.copytree(three[0], tmp_path / "wh", copy_function=shutil.copy2)
    return tmp_path / "wh", three[1]


def test_gc_frees_old_releases_and_costs_no_later_build_anything(copy, notes, lode, lode_offline, without_vectors):
    wh, made = copy
    lode_offline("pin", made[0], "--name", "first", "-w", wh)
    time.sleep(0.05)
    planned = lode_offline.json("gc", "--keep", 1, "-w", wh)
    assert planned["dry_run"] and planned["releases"] == [made[1]]
    assert lode_offline.json("releases", "-w", wh), "nothing was deleted"
    done = lode_offline.json("gc", "--keep", 1, "--apply", "-w", wh)
    assert done["files"] == planned["files"] > 0 and set(done["kept"]) == {made[0], made[2]}
    assert lode_offline.json("verify", "--full", "-w", wh)["clean"]
    again = lode.json("build", notes, "--acl", "public", "-c", without_vectors, "-w", wh)
    assert again["unchanged"] and set(again["computed"].values()) == {0}, "all that the kept release rests on stayed"
    assert lode_offline.json("rollback", "first", "-w", wh)["release"] == made[0]
    assert lode_offline.json("verify", "--full", "-w", wh)["clean"]
    refused = lode_offline("rollback", made[1], "-w", wh, code=1)
    assert "no release named" in refused.stderr
    assert lode_offline.json("gc", "--keep", 1, "--apply", "-w", wh)["releases"] == [made[2]], "readers saw another one last"


def test_gc_beside_a_running_query_leaves_it_its_release(copy, lode_offline):
    """A reader in another process opens the oldest release, waits while all is collected, and then reads every table."""
    wh, made = copy
    code = (
        "import sys; from pathlib import Path; from warehouse.layout import Warehouse; from warehouse.reader import Reader\n"
        "with Reader.open(Warehouse.open(Path(sys.argv[1])), sys.argv[2]) as reader:\n"
        "    print('open', flush=True); sys.stdin.readline()\n"
        "    from retrieval.search import QueryOptions, search\n"
        "    print(len(search(reader, 'When was Alpha Works founded?', QueryOptions()).results), reader.release.read('chunks').num_rows)\n"
    )
    reader = subprocess.Popen([sys.executable, "-c", code, str(wh), made[0]], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert reader.stdout.readline().strip() == "open"
    done = lode_offline.json("gc", "--keep", 1, "--apply", "-w", wh)
    assert done["releases"] == [made[1]] and "read by process" in done["kept"][made[0]][0]
    told, _ = reader.communicate("go on\n", timeout=120)
    assert reader.returncode == 0 and [int(n) > 0 for n in told.split()] == [True, True]
    assert lode_offline.json("gc", "--keep", 1, "--apply", "-w", wh)["releases"] == [made[0]]


@pytest.mark.slow
def test_a_build_that_runs_beside_gc_is_whole(copy, notes, lode, lode_offline, without_vectors, tmp_path):
    wh, made = copy
    other = tmp_path / "other"
    shutil.copytree(notes, other)
    (other / "delta.md").write_text("# Delta Works\n\nDelta Works was founded in 1984.\n")
    from tests.flows.conftest import LODE

    build = subprocess.Popen([str(LODE), "build", str(other), "--name", "notes", "--acl", "public", "-c", str(without_vectors), "-w", str(wh), "-q"],
                             cwd=ROOT, env={**os.environ, **lode.environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    rounds = 0
    from warehouse.collect import collect

    while build.poll() is None:
        collect(Warehouse.open(wh), keep=1, grace_hours=0, dry_run=False)
        rounds += 1
        time.sleep(0.05)
    assert build.returncode == 0, build.stdout.read()
    assert rounds > 3
    assert lode_offline.json("verify", "--full", "-w", wh)["clean"]


def test_pins_are_names_of_releases(copy, lode_offline):
    wh, made = copy
    assert lode_offline.json("pin", "current~1", "--name", "middle", "-w", wh) == {"middle": made[1]}
    assert json.loads(lode_offline("sql", "SELECT 1 AS one", "--release", "middle", "--json", "-w", wh).stdout) == [{"one": 1}]
    assert lode_offline.json("pin", "--remove", "middle", "-w", wh) == {}
    assert "a name for it" in lode_offline("pin", "current", "-w", wh, code=2).stderr
    assert "no pin named" in lode_offline("pin", "--remove", "none", "-w", wh, code=1).stderr


def _doctor(lode_offline, wh, code=0):
    found = json.loads(lode_offline("doctor", "--json", "-w", wh, code=code).stdout)
    return found["healthy"], {c["check"]: c for c in found["checks"]}


def test_doctor_finds_a_sound_warehouse_sound(copy, lode_offline):
    healthy, checks = _doctor(lode_offline, copy[0])
    assert healthy and {c["status"] for c in checks.values()} <= {"ok", "note"}
    assert "Lucene 10" in checks["java"]["found"] and "384" in checks["embedding model"]["found"]


def test_doctor_names_what_is_wrong_and_what_mends_it(copy, lode_offline):
    wh, made = copy
    opened = Warehouse.open(wh)
    ref = next(r for r in open_release(opened).tables().all_refs("chunks") if r.rows)
    object_path(opened, ref.hash).unlink()
    (wh / "refs" / "leases").mkdir(exist_ok=True)
    (wh / "refs" / "leases" / "reader-1-x.json").write_text(json.dumps({"kind": "reader", "release": made[0], "pid": 1, "host": "gone"}))
    left = wh / "scratch" / "plan-abc-1.json"
    left.write_text("{}")
    os.utime(left, (1, 1))
    with open(wh / "refs" / "log.jsonl", "a") as log:
        log.write(json.dumps({"time": 0, "ref": "current", "from": made[2], "to": "f" * 24, "action": "publish"}) + "\n")
    healthy, checks = _doctor(lode_offline, wh, code=1)
    assert not healthy
    assert checks["release"]["status"] == "fail" and ref.hash in checks["release"]["found"] and "lode build" in checks["release"]["fix"]
    assert checks["leases"]["status"] == "note" and "1 stale" in checks["leases"]["found"] and "lode gc" in checks["leases"]["fix"]
    assert checks["leftovers"]["status"] == "note" and "killed" in checks["leftovers"]["found"]
    assert checks["log"]["status"] == "note" and "before it took effect" in checks["log"]["found"]
    shown = lode_offline("doctor", "-w", wh, code=1).stdout
    assert "to mend it:" in shown and "fail" in shown


def test_doctor_without_a_warehouse_still_looks_at_the_machine(lode_offline, tmp_path):
    healthy, checks = _doctor(lode_offline, tmp_path / "none", code=1)
    assert not healthy and checks["warehouse"]["status"] == "fail" and checks["java"]["status"] == "ok"


def test_doctor_sees_an_old_format(copy, lode_offline):
    wh, _ = copy
    body = json.loads((wh / "lode.json").read_text())
    (wh / "lode.json").write_text(json.dumps({**body, "format": 0}))
    _, checks = _doctor(lode_offline, wh, code=1)
    assert "format 0" in checks["warehouse"]["found"] and checks["warehouse"]["expected"] == "format 1"


def test_config_check_says_what_would_run_again(three, lode_offline, tmp_path):
    path = tmp_path / "lode.toml"
    path.write_text("[embed]\nenabled = false\n[chunk]\ntarget_tokens = 90\n")
    found = lode_offline.json("config", "check", path, "-w", three[0])
    assert [c["key"] for c in found["changed_from_release"]] == ["chunk.target_tokens"] and found["reruns"] == ["chunk"]
    assert {c["key"]: c["new"] for c in found["changed_from_defaults"]} == {"chunk.target_tokens": 90, "embed.enabled": False}
    assert "lode rerun chunk" in lode_offline("config", "check", path, "-w", three[0]).stdout


@pytest.mark.parametrize(("text", "told"), [
    ("[chnk]\ntarget_tokens = 1\n", "unknown key `chnk`"),
    ("[chunk]\ntarget_tokens = 'many'\n", "chunk.target_tokens"),
    ("not toml", "not valid TOML"),
    ("[aliases]\nfile = 'absent.toml'\n", "absent.toml"),
    ("[sources.a]\npath = 'nowhere'\ndefault_acl = ['public']\n", "no such file or folder"),
    ("[sources.a]\npath = '.'\n", "declares no access"),
    ("[extract]\nspacy_model = 'xx_not_there'\n", "not installed"),
])
def test_config_check_refuses_what_a_build_would_refuse(three, lode_offline, tmp_path, text, told):
    path = tmp_path / "lode.toml"
    path.write_text(text)
    done = lode_offline("config", "check", path, "-w", three[0], code=1)
    assert told in done.stderr


def test_config_check_reads_the_files_that_stages_read(three, lode_offline, tmp_path):
    (tmp_path / "mine.toml").write_text("[[pin]]\nsubject = 'IBM'\n")
    (tmp_path / "lode.toml").write_text("[overrides]\nfile = 'mine.toml'\n")
    assert "lacks predicate" in lode_offline("config", "check", tmp_path / "lode.toml", "-w", three[0], code=1).stderr


def test_the_shell_completes_commands_and_releases(three, lode_offline):
    wh, made = three
    script = lode_offline("--show-completion", "bash", env={"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"})
    assert "_LODE_COMPLETE" in script.stdout

    def complete(words):
        env = {"_LODE_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1), "LODE_WAREHOUSE": str(wh)}
        return set(lode_offline(env=env).stdout.split())

    assert {"build", "gc", "doctor"} <= complete("lode ")
    assert {"current", "previous", *made} <= complete("lode rollback ")
    assert complete("lode rerun ch") == {"chunk"}
