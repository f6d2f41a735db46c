"""Progress tells what was done, and of the future only what can be known."""

import io
import json
import multiprocessing
import time

import pytest
from rich.console import Console

from flows.counters import Counters, ScanCount, join
from flows.pace import Pace, read_pace
from flows.progress import Reporter
from flows.views import JsonLinesView, PlainView, TerminalView, clock, step_facts
from tests.conftest import ROOT
from warehouse.layout import Warehouse


def _stage(report, name, shards, reused=0, units=0, weights=()):
    report.begin(name, shards, reused, weights)
    for n in range(shards):
        report.shard(name, {"shard": n, "units_run": units, "units_total": units, "peak_mb": 10.0})
    report.end(name, {"things": units * shards})


def test_time_left_is_unknown_until_something_is_done_and_then_goes_by_rows():
    report = Reporter()
    report.begin("chunk", 3, 0, [(0, 10), (1, 10), (2, 80)])
    assert report.step_left() is None
    time.sleep(0.05)
    report.shard("chunk", {"shard": 0})
    left = report.step_left()
    assert left == pytest.approx(9 * (time.perf_counter() - report.step.began), rel=0.3), "90 rows of 100 are left"
    report.shard("chunk", {"shard": 1})
    report.shard("chunk", {"shard": 2})
    assert report.step_left() == 0


def test_the_whole_run_is_estimated_from_an_earlier_one_alone():
    stages = ("scan", "parse", "chunk", "extract", "link", "normalize", "validity", "origins", "dedupe", "conflict", "embed", "index", "verify")
    report = Reporter()
    _stage(report, "parse", 2, units=5)
    report.begin("chunk", 4, 0)
    assert report.left_seconds() is None
    known = Reporter(pace=Pace(dict.fromkeys(stages, 0.5), dict.fromkeys(stages, 100)))
    _stage(known, "parse", 2, units=5)
    known.begin("chunk", 1, 0)
    known.shard("chunk", {"shard": 0, "units_run": 10})
    assert known.left_seconds() == pytest.approx(10 * 0.5 * (len(stages) - 3))


def test_what_was_taken_over_is_counted():
    report = Reporter()
    _stage(report, "parse", 1, reused=7, units=3)
    _stage(report, "chunk", 0, reused=8)
    assert report.cached() == (15, 16)
    assert [s["units_run"] for s in report.to_json()] == [3, 0]


def _count(array, next_row, path, documents, revisions):
    join(array, next_row)
    counter = ScanCount(path)
    with open(path, "rb") as handle:
        for d in range(documents):
            for _ in range(revisions):
                handle.read(50)
                counter._looked = 0.0
                counter.row(f"d{d}")
        # no end: what is being read is still open


def test_workers_counters_add_up_across_processes(tmp_path):
    context = multiprocessing.get_context("spawn")
    path = tmp_path / "dump"
    path.write_bytes(b"x" * 1_000_000)
    counters = Counters(context, 2)
    crowd = [context.Process(target=_count, args=(counters.array, counters.next_row, str(path), 20, 5)) for _ in range(2)]
    for p in crowd:
        p.start()
    for p in crowd:
        p.join()
    found = counters.read()
    assert (found.documents, found.revisions) == (40, 200)
    assert 0 < found.read_fraction < 1


@pytest.mark.parametrize(("seconds", "shown"), [(None, "?"), (0, "0:00"), (42.4, "0:42"), (59.6, "1:00"), (725, "12:05"), (3723, "1:02:03")])
def test_clock(seconds, shown):
    assert clock(seconds) == shown


@pytest.mark.parametrize("made", [lambda out: PlainView(out), lambda out: JsonLinesView(out), lambda out: TerminalView(Console(file=out, force_terminal=True, width=150))])
def test_every_view_shows_every_stage(made):
    out = io.StringIO()
    with Reporter(made(out)) as report:
        for name in ("scan", "parse", "chunk"):
            _stage(report, name, 2, reused=1, units=4)
            report.view.tick(report)
    text = out.getvalue()
    assert all(name in text for name in ("scan", "parse", "chunk"))


def test_plain_lines_come_once_each_and_in_order():
    out = io.StringIO()
    with Reporter(PlainView(out)) as report:
        for name in ("parse", "parse", "chunk"):  # a stage of two steps
            _stage(report, name, 1, units=2)
    assert [line.split()[0] for line in out.getvalue().splitlines()] == ["parse", "chunk"]


def test_a_step_is_told_as_data():
    report = Reporter()
    report.begin("scan", 1, 1)
    facts = step_facts(report)
    assert facts["stage"] == "scan" and facts["documents"] == 0 and facts["left_seconds"] is None and facts["shards_reused"] == 1


# --- as commands


@pytest.fixture(scope="module")
def wiki(tmp_path_factory, lode, without_vectors):
    """A warehouse of the sample's wiki, and the lines of its build."""
    wh = tmp_path_factory.mktemp("progress") / "wh"
    Warehouse.init(wh, 2)
    args = ["build", ROOT / "data" / "sample" / "wiki.xml", "--acl", "public", "-c", without_vectors, "-w", wh]
    return wh, args, lode(*args, "--json-lines")


def test_json_lines_hold_every_stage_and_the_outcome(wiki, lode_offline):
    wh, _, done = wiki
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert events[-1]["event"] == "done" and events[-1]["published"]
    ended = [e["stage"] for e in events if e["event"] == "end"]
    assert list(dict.fromkeys(ended)) == ["scan", "parse", "chunk", "extract", "link", "normalize", "validity", "origins", "dedupe", "conflict", "embed",
                                          "index", "verify"]
    assert all(e["left_seconds"] is None for e in events if e["event"] == "begin"), "a first build knows nothing of its end"
    assert done.stderr == ""
    counts = events[-1]["counts"]
    parse = next(e for e in reversed(events) if e["event"] == "end" and e["stage"] == "parse")
    assert parse["units_run"] == counts["documents"] and parse["rows"]["versions"] == counts["versions"]


def test_quiet_says_nothing_and_errors_are_still_told(wiki, lode, tmp_path):
    wh, args, _ = wiki
    done = lode(*args, "--quiet")
    assert done.stdout == done.stderr == ""
    refused = lode("build", tmp_path / "absent", "--acl", "public", "-w", wh, "--quiet", code=1)
    assert "no such file" in refused.stderr


def test_a_log_gets_a_line_a_stage_and_a_summary(wiki, lode):
    wh, args, _ = wiki
    done = lode(*args)
    assert [line.split()[0] for line in done.stderr.splitlines()][:3] == ["scan", "parse", "chunk"]
    assert "0 run, 2 reused" in done.stderr and "unchanged: nothing to publish" in done.stdout


def test_a_second_full_build_knows_how_long_it_takes(wiki, lode, tmp_path):
    wh, args, _ = wiki
    pace = read_pace(Warehouse.open(wh))
    assert pace.documents["parse"] >= 20
    config = tmp_path / "lode.toml"
    config.write_text("[embed]\nenabled = false\n[parse]\nmax_depth = 39\n")
    again = [config if a == args[5] else a for a in args]
    events = [json.loads(line) for line in lode(*again, "--json-lines").stdout.splitlines()]
    told = {e["stage"]: e["left_seconds"] for e in events if e["event"] == "begin"}
    assert told["scan"] is None and told["index"] is not None and told["chunk"] > told["index"] >= 0


def test_an_error_is_the_last_line_of_json_lines(wiki, lode, tmp_path):
    done = lode("build", tmp_path / "absent", "--acl", "public", "-w", wiki[0], "--json-lines", code=1)
    assert json.loads(done.stdout.splitlines()[-1])["event"] == "error"
