"""Collection deletes what no kept release needs, and nothing else, whoever runs beside it."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from schemas.errors import LodeError, UsageError
from schemas.tables import TABLES
from tests.warehouse.releases import POOL, main, publish, readable
from warehouse.collect import collect
from warehouse.layout import FILE_MODE, Warehouse
from warehouse.leases import hold_release, list_leases, writer_lease
from warehouse.objects import object_path, put_table
from warehouse.refs import read_pins, read_ref, remove_pin, write_pin
from warehouse.releases import find_release, list_releases, open_release
from warehouse.rollback import rollback

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def wh(tmp_path):
    return Warehouse.init(tmp_path / "wh", 2)


def _files(wh):
    return {str(p.relative_to(wh.root)) for p in wh.root.rglob("*") if p.is_file() and "refs" not in p.parts}


def _age(wh, hours):
    then = time.time() - hours * 3600
    for path in wh.root.rglob("*"):
        if path.is_file() and "leases" not in path.parts:
            os.utime(path, (then, then))


def _collect(wh, **more):
    time.sleep(0.02)  # the clock of the file system ticks every few milliseconds
    return collect(wh, **{"grace_hours": 0, "dry_run": False, **more})


def _refuses(wh, match):
    """A collection that says why and deletes nothing."""
    before = _files(wh)
    with pytest.raises(LodeError, match=match):
        _collect(wh, keep=1)
    assert _files(wh) == before


def test_a_dry_run_deletes_nothing_and_says_what_would_go(wh):
    first = publish(wh, POOL[0])
    publish(wh, POOL[1])
    before = _files(wh)
    planned = _collect(wh, keep=1, dry_run=True)
    assert _files(wh) == before and planned.releases == [first] and planned.files > 0
    done = _collect(wh, keep=1)
    assert (done.files, done.size_bytes, done.by_folder) == (planned.files, planned.size_bytes, planned.by_folder)
    assert len(before) - len(_files(wh)) == done.files


def test_what_is_left_is_what_a_fresh_warehouse_of_the_kept_release_holds(wh, tmp_path):
    for texts in POOL:
        publish(wh, texts)
    _collect(wh, keep=1)
    readable(open_release(wh))
    fresh = Warehouse.init(tmp_path / "fresh", 2)
    publish(fresh, POOL[-1])
    kept = {f for f in _files(wh) if f.startswith(("objects/", "snapshots/", "shards/", "scans/", "indexes/"))}
    assert kept == {f for f in _files(fresh) if f.startswith(("objects/", "snapshots/", "shards/", "scans/", "indexes/"))}


def test_pins_last_ones_and_readers_stay(wh):
    made = [publish(wh, texts) for texts in POOL]
    write_pin(wh, "audit", made[0])
    held = open_release(wh, made[1])
    done = _collect(wh, keep=1)
    assert set(list_releases(wh)) == {made[0], made[1], made[3]} and done.releases == [made[2]]
    assert done.kept[made[0]] == ["pin audit"] and "read by process" in done.kept[made[1]][0]
    for release in (made[0], made[1], made[3]):
        readable(open_release(wh, release))
    del held
    remove_pin(wh, "audit")
    _collect(wh, keep=1)
    assert list_releases(wh) == [made[3]]


def test_a_collected_release_cannot_be_opened_or_gone_back_to(wh):
    first, second = publish(wh, POOL[0]), publish(wh, POOL[1])
    assert find_release(wh, "previous") == first
    _collect(wh, keep=1)
    for call in (lambda: open_release(wh, first), lambda: rollback(wh, first), lambda: hold_release(wh, first), lambda: open_release(wh, "previous")):
        with pytest.raises(LodeError, match=r"no release named|no longer there"):
            call()
    assert read_ref(wh) == second


@pytest.mark.parametrize("damage", ["release gone", "release damaged", "snapshot gone", "snapshot damaged", "scan gone", "index damaged",
                                    "snapshot emptied", "scan emptied", "index emptied"])
def test_a_damaged_kept_release_stops_the_collection(wh, damage):
    """What it needs is not known then: nothing at all is deleted."""
    publish(wh, POOL[0])
    now = publish(wh, POOL[1])
    body = open_release(wh, now).body
    what, how = damage.split()
    path = {
        "release": wh.path("releases", now + ".json"), "snapshot": wh.path("snapshots", "parse", body["stages"]["parse"] + ".json"),
        "scan": wh.path("scans", body["sources"]["dummy"]["scans"][0] + ".json"),
        "index": wh.path("indexes", body["indexes"]["chunks"]["sparse"] + ".json"),
    }[what]
    if how == "gone":
        path.unlink()
    else:
        path.write_text("{}" if how == "emptied" else path.read_text()[:20])
    _refuses(wh, "cannot be read")


@pytest.mark.parametrize("damage", ["missing", "empty", "a path", "no text"])
def test_without_a_sound_current_nothing_is_collected(wh, damage):
    publish(wh, POOL[0])
    now = publish(wh, POOL[1])
    ref = wh.path("refs", "current")
    if damage == "missing":
        ref.unlink()
    else:
        ref.write_bytes({"empty": b"", "a path": b"../../x", "no text": b"\xff\xfe\x00"}[damage])
    _age(wh, 72)
    _refuses(wh, r"refs/current is")
    if damage != "missing":
        with pytest.raises(LodeError, match=r"refs/current is damaged"):
            open_release(wh)  # never another release in its place
    assert rollback(wh, now) == now and read_ref(wh) == now, "the command that the message names mends it"
    _collect(wh, keep=1)
    readable(open_release(wh))


@pytest.mark.parametrize("damage", ["gone", "cut", "no object"])
def test_a_damaged_log_hides_no_release_and_stops_the_collection(wh, damage):
    publish(wh, POOL[0])
    now = publish(wh, POOL[1])
    log = wh.path("refs", "log.jsonl")
    if damage == "gone":
        log.unlink()
    else:
        whole = log.read_bytes()
        log.write_bytes(whole[:-30] if damage == "cut" else whole.splitlines()[0] + b"\n[1]\n")
    before = _files(wh)
    assert open_release(wh).id == now
    with pytest.raises(LodeError, match="log.jsonl"):
        _collect(wh, keep=5)
    assert _files(wh) == before
    rollback(wh, now)
    _collect(wh, keep=5)
    third = publish(wh, POOL[2])
    assert find_release(wh, "previous") == now and find_release(wh) == third


@pytest.mark.parametrize("content", ['{"id":"x","stages":{},"sources":{},"indexes":{}}', "{}", "[]"])
def test_a_release_file_of_other_content_stops_the_collection(wh, content):
    now = publish(wh, POOL[0])
    wh.path("releases", now + ".json").write_text(content)
    _refuses(wh, "cannot be read")


@pytest.mark.parametrize("content", [b"", b"gone", b"\xff\xfe", b"../../x"])
def test_a_damaged_pin_is_named_and_stops_the_collection(wh, content):
    now = publish(wh, POOL[0])
    write_pin(wh, "audit", now)
    wh.path("refs", "pins", "audit").write_bytes(content)
    _refuses(wh, "the pin audit names")
    assert open_release(wh).id == now
    remove_pin(wh, "audit")
    _collect(wh, keep=1)


def test_a_clock_set_back_under_a_writer_deletes_nothing_of_it(wh):
    publish(wh, POOL[0])
    with writer_lease(wh) as lease:
        assert lease.path is not None
        later = time.time() + 3600
        os.utime(lease.path, (later, later))  # it began by a clock that has been set back since
        made = put_table(wh, "quarantine", TABLES["quarantine"].empty())
        _collect(wh, keep=1)
        assert object_path(wh, made.hash).exists()


@pytest.mark.parametrize("hidden", [".sweep.lock", ".json"])
def test_who_cannot_take_the_lock_or_read_a_lease_deletes_nothing(wh, monkeypatch, hidden):
    publish(wh, POOL[0])
    publish(wh, POOL[1])
    _age(wh, 72)
    before = _files(wh)
    real = os.open

    def refuse(path, *more, **options):
        if str(path).endswith(hidden):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *more, **options)

    with writer_lease(wh), monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        with pytest.raises(LodeError, match="Permission denied"):
            _collect(wh, keep=1)
    assert _files(wh) == before


def test_a_lease_without_sense_counts_as_a_writer(wh):
    publish(wh, POOL[0])
    with writer_lease(wh) as lease:
        lease.path.write_bytes(b"\xff nonsense")
        found, = list_leases(wh)
        assert found.live and found.kind == "writer"


def test_files_are_readable_by_whom_the_umask_lets(wh):
    publish(wh, POOL[0])
    with writer_lease(wh):
        modes = {p.stat().st_mode & 0o777 for p in wh.root.rglob("*") if p.is_file() and p.name != ".sweep.lock"}
    assert modes == {FILE_MODE}


def test_an_empty_name_is_no_release(wh):
    publish(wh, POOL[0])
    with pytest.raises(UsageError, match="empty name"):
        find_release(wh, "")


def test_where_nothing_can_be_written_nothing_is_collected(wh, monkeypatch):
    publish(wh, POOL[0])

    def refuse(**_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("warehouse.collect.tempfile.NamedTemporaryFile", refuse)
    with pytest.raises(LodeError, match="cannot be written: Read-only"):
        collect(wh, dry_run=False)


def test_unfinished_work_stays_for_the_grace_time(wh):
    publish(wh, POOL[0])
    from tests.warehouse import dummy

    with writer_lease(wh):
        dummy.run_all(wh, POOL[1])  # a build that was killed before its release
    before = _files(wh)
    done = _collect(wh, keep=1, grace_hours=1)
    assert done.unfinished_files > 0
    assert {f for f in before if f.startswith("shards/")} == {f for f in _files(wh) if f.startswith("shards/")}
    _, _, shards_run, _ = dummy.run_all(wh, POOL[1])
    assert set(shards_run.values()) == {0}, "the rerun takes it up"
    _age(wh, 2)
    _collect(wh, keep=1, grace_hours=1)
    readable(open_release(wh))
    assert len(_files(wh)) < len(before)


def test_nothing_newer_than_a_live_writer_goes(wh):
    publish(wh, POOL[0])
    from tests.warehouse import dummy

    with writer_lease(wh):
        time.sleep(0.02)
        dummy.run_all(wh, POOL[1])
        before = _files(wh)
        done = _collect(wh, keep=1)
        assert _files(wh) == before and done.live_leases == 1


def test_old_files_that_a_live_writer_reuses_stay(wh):
    publish(wh, POOL[0])
    publish(wh, POOL[1])
    _age(wh, 48)
    from tests.warehouse import dummy

    with writer_lease(wh):
        time.sleep(0.02)
        _, _, shards_run, _ = dummy.run_all(wh, POOL[0])
        assert set(shards_run.values()) == {0}, "all of it was there already"
        done = _collect(wh, keep=1)
        assert done.releases
        tables, _, shards_run, _ = dummy.run_all(wh, POOL[0])
        assert set(shards_run.values()) == {0}
        assert tables.read(wh, "documents").num_rows == len(POOL[0])


def test_a_lease_of_a_killed_process_is_stale(wh):
    publish(wh, POOL[0])
    code = ("import sys, os, signal; from pathlib import Path; from warehouse.layout import Warehouse; from warehouse.leases import *\n"
            "wh = Warehouse.open(Path(sys.argv[1])); lease = writer_lease(wh); lease.__enter__(); hold_release(wh, sys.argv[2]);"
            "os.kill(os.getpid(), signal.SIGKILL)")
    subprocess.run([sys.executable, "-c", code, str(wh.root), read_ref(wh)], cwd=ROOT, check=False)
    assert [(lease.kind, lease.live) for lease in list_leases(wh)] == [("writer", False), ("reader", False)]
    assert _collect(wh, keep=1).stale_leases == 2 and list_leases(wh) == []


@pytest.mark.parametrize("point", ["gc.release:1", "gc.manifests:1", "gc.file:1", "gc.file:7"])
def test_a_killed_collection_leaves_every_release_whole(wh, point):
    for texts in POOL:
        publish(wh, texts)
    code = ("import sys; from pathlib import Path; from warehouse.layout import Warehouse; from warehouse.collect import collect\n"
            "collect(Warehouse.open(Path(sys.argv[1])), keep=2, grace_hours=0, dry_run=False)")
    time.sleep(0.02)
    died = subprocess.run([sys.executable, "-c", code, str(wh.root)], cwd=ROOT, env={**os.environ, "LODE_FAULT": point}, check=False)
    assert died.returncode == -9
    for release in list_releases(wh):
        readable(open_release(wh, release))
    _collect(wh, keep=1)
    assert len(list_releases(wh)) == 1
    publish(wh, POOL[0])
    readable(open_release(wh))


def test_beside_writers_and_readers_nothing_is_lost(wh):
    """Two writers, two readers and a collector that keeps one release, at once."""
    publish(wh, POOL[0])
    roles = ["write", "write", "read", "read", "collect"]
    crowd = [subprocess.Popen([sys.executable, "-m", "tests.warehouse.releases", role, str(wh.root), "6"], cwd=ROOT,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for role in roles]
    ends = [p.communicate(timeout=120) for p in crowd]
    for role, process, (out, err) in zip(roles, crowd, ends, strict=True):
        assert process.returncode == 0, f"{role}: {err}"
        assert int(out) > 0, f"{role} did nothing"
    publish(wh, {"last.md": "what the crowd left behind is garbage now"})
    assert _collect(wh, keep=1).files > 0
    readable(open_release(wh))


def test_pins_have_names_that_nothing_else_has(wh):
    release = publish(wh, POOL[0])
    for name in ("current", "previous", "abcdef12", "1st", "a/b", "", "../x"):
        with pytest.raises(UsageError):
            write_pin(wh, name, release)
    write_pin(wh, "before-migration", release)
    assert read_pins(wh) == {"before-migration": release} and open_release(wh, "before-migration").id == release
    with pytest.raises(LodeError, match="no pin named x"):
        remove_pin(wh, "x")
    before = _files(wh), read_ref(wh)
    for name in ("../current", "../../lode.json", "..", ".", "", "/etc/hostname", "a/../../current"):
        with pytest.raises(UsageError):
            remove_pin(wh, name)
    assert (_files(wh), read_ref(wh)) == before and wh.path("lode.json").exists()


def test_names_of_releases_go_back_in_time(wh):
    made = [publish(wh, texts) for texts in POOL[:3]]
    assert [find_release(wh, f"current~{n}") for n in range(3)] == made[::-1]
    rollback(wh, made[0])
    assert find_release(wh, "previous") == made[2] and find_release(wh) == made[0]
    with pytest.raises(LodeError, match="readers saw 4 release"):
        find_release(wh, "current~9")


def test_a_move_that_was_killed_before_its_ref_is_no_move(wh):
    made = [publish(wh, texts) for texts in POOL[:2]]
    with open(wh.path("refs", "log.jsonl"), "a") as log:
        log.write(json.dumps({"time": 0, "ref": "current", "from": made[1], "to": "f" * 24, "action": "publish"}) + "\n")
    assert find_release(wh, "previous") == made[0]


__all__ = ["main"]
