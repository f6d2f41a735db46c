"""The Python API on the sample: the page's examples, the same answers as the command, access, threads, closing."""

from __future__ import annotations

import dataclasses
import datetime as dt
import gc
import hashlib
import json
import pickle
import re
import shutil
import threading
import time
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import motherlode
from schemas.time import iso
from warehouse.layout import Warehouse
from warehouse.leases import READER, list_leases

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "api.md"
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)
CEO = "Who was chief executive officer of IBM?"


def test_the_page_shows_what_its_blocks_print(warehouse, tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "warehouse").symlink_to(warehouse)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LODE_WAREHOUSE", raising=False)
    blocks = BLOCK.findall(PAGE.read_text("utf-8"))
    assert len(blocks) > 10 and all(shown for _, shown in blocks)
    names: dict = {}
    for code, shown in blocks:
        said = StringIO()
        with redirect_stdout(said):
            exec(compile(code, str(PAGE), "exec"), names)
        assert said.getvalue() == shown, code


# --- the same answers as the command


@pytest.mark.parametrize(("text", "arguments", "options"), [
    (CEO, ["--at", "2015-06-30"], {"at": "2015-06-30"}),
    (CEO, ["--at", "2015-06-30", "--explain", "-k", "3"], {"at": dt.date(2015, 6, 30), "explain": True, "k": 3}),
    (CEO, ["--at", "2015"], {"at": "2015"}),
    (CEO, ["--between", "1990-01-01", "2003", "--certain"], {"between": ("1990-01-01", dt.date(2003, 1, 1)), "certain": True}),
    (CEO, ["--known-at", "2019-12-31"], {"known_at": "2019-12-31"}),
    (CEO, ["--known-at", "2019-12-31"], {"known_at": dt.datetime(2019, 12, 31, 18, 59, 59, tzinfo=dt.timezone(dt.timedelta(hours=-5)))}),
    ("How tall is Blackpool Tower?", ["--view", "full", "--budget", "200"], {"view": "full", "budget_tokens": 200}),
    ("Who is the chief executive officer of Lodestar Minerals?", ["--as", "board"], {"principal": "board"}),
    ("qwertz ☃ \ud800", [], {}),
], ids=str)
def test_the_answer_is_that_of_the_command(warehouse, release, text, arguments, options):
    from typer.testing import CliRunner

    import flows.cli

    flows.cli.add_commands()
    done = CliRunner().invoke(flows.cli.app, ["query", text, "-w", str(warehouse), "--json", *arguments])
    assert done.exit_code == 0, done.output
    answer = release.search(text, **options)
    assert json.loads(done.stdout) == answer.to_json()
    assert [r.id for r in answer] == [r.get("nugget_id") or r["chunk_id"] for r in answer.to_json()["results"]]


def test_typed_results_hold_what_the_json_holds(release):
    answer = release.search("How tall is Blackpool Tower?", view="full", explain=True)
    seen = {type(r) for r in answer} | {type(r) for r in release.search("tower by the sea")}
    assert seen == {motherlode.Fact, motherlode.Passage}
    for typed, plain in zip(answer, answer.to_json()["results"], strict=True):
        assert (typed.rank, typed.score, typed.kind, typed.text, typed.state) == tuple(plain[n] for n in ("rank", "score", "kind", "text", "state"))
        assert (typed.subject, typed.predicate, typed.object) == (plain["subject"], plain["predicate"], plain["object"])
        assert dict(typed.legs) == plain["legs"] and dataclasses.asdict(typed.valid) == plain["valid"]
        assert [[list(s) for s in e.spans] for e in typed.evidence] == [e["spans"] for e in plain["evidence"]]
        assert [r.nugget_id for r in typed.conflicts] == [c["nugget_id"] for c in plain["conflicts"]]
    assert answer.explain and any(r.conflicts for r in answer)


def test_results_can_be_pickled_hashed_and_not_changed(release):
    answer = release.search(CEO, at="2015-06-30")
    assert pickle.loads(pickle.dumps(answer)) == answer and hash(answer) == hash(release.search(CEO, at="2015-06-30"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        answer.facts[0].text = "other"
    changed = answer.to_json()
    changed["results"][0]["legs"].clear()
    assert answer.to_json() != changed and answer.results[0].legs


# --- access


def test_search_is_for_readers_and_tables_are_for_operators(release):
    question = "Who is the chief executive officer of Lodestar Minerals?"
    held = set(release.table("nuggets", ["nugget_id"], where="acl = ['board']")["nugget_id"].to_pylist())
    assert held
    for principal in (None, "", "staff", "board-of-others"):
        answer = release.search(question, principal=principal, view="all", k=50)
        assert not held & {r.id for r in answer} and "Lindqvist" not in json.dumps(answer.to_json())
    assert held & {r.id for r in release.search(question, principal="board", view="all", k=50)}


# --- tables


def test_a_table_has_the_types_of_the_registry_however_it_is_read(release):
    from schemas.tables import TABLES

    for name in ("nuggets", "chunks", "versions", "lineage"):
        whole = release.table(name)
        assert whole.schema == TABLES[name].schema()
        assert release.table(name, where="true -- all") == whole
        parts = list(release.batches(name, rows=7))
        assert all(p.num_rows <= 7 for p in parts) and sum(p.num_rows for p in parts) == whole.num_rows == release.counts[name]
        assert pa.Table.from_batches(parts, schema=whole.schema).to_pylist() == whole.to_pylist()
    assert set(release.counts) == set(release.tables)


def test_columns_come_in_the_order_asked_for(release):
    wanted = ["text", "nugget_id", "acl"]
    assert release.table("nuggets", wanted).column_names == release.table("nuggets", wanted, where="true").column_names == wanted


def test_conditions_and_parameters(release):
    found = release.table("nuggets", ["state", "start_min"], where="state = ? AND start_min IS NULL", params=["contested"])
    assert found.num_rows and set(found["state"].to_pylist()) == {"contested"}
    assert release.sql("SELECT $a + 1 AS b", {"a": 2}).to_pylist() == [{"b": 3}]
    assert release.table("nuggets", ["subject"], where="subject = $s", params={"s": "'; DROP VIEW nuggets; --"}).num_rows == 0


@pytest.mark.parametrize("call", [
    lambda r: r.table("nugets"), lambda r: r.table("nuggets", ["stat"]), lambda r: r.table("nuggets", "state"), lambda r: r.table("nuggets", []),
    lambda r: r.table("nuggets", ["state", "state"]), lambda r: r.table("nuggets", where="stat = 1"), lambda r: r.table("nuggets", where="true; SET threads = 1"),
    lambda r: r.pandas("nuggets", where="error('x')"), lambda r: list(r.batches("nuggets", where="error('x')")),
    lambda r: r.sql("SELEC"), lambda r: r.sql("SELECT error('late')"), lambda r: r.sql("SELECT ?"), lambda r: r.sql("SELECT 1", [1, 2]),
    lambda r: r.search("x", at="2015-13"), lambda r: r.search("x", at="2015", between=("2015", "2016")), lambda r: r.search("x", between=("2016", "2015")),
    lambda r: r.search("x", view="every"), lambda r: r.search("x", k=0), lambda r: r.search("x", known_at="soon"),
], ids=lambda c: "-".join(map(str, c.__code__.co_consts[1:]))[:50])
def test_a_wrong_call_is_a_usage_error(release, call):
    with pytest.raises(motherlode.UsageError):
        call(release)


def test_instants_are_utc_on_every_machine(warehouse, monkeypatch):
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        with motherlode.open_release(warehouse) as release:
            found = release.sql("SELECT time, time::DATE AS day FROM versions WHERE revision = '10761'")
    finally:
        monkeypatch.undo()
        time.tzset()
    assert found.schema.field("time").type.tz == "UTC"
    assert found["time"].cast(pa.timestamp("s", "UTC")).cast(pa.int64()).to_pylist() == [1586249251]
    assert motherlode.iso_day(found["day"][0]) == "2020-04-07"


def test_frames(release):
    frame = release.pandas("nuggets", ["nugget_id", "start_min", "recorded_from", "source_count", "acl"])
    table = release.table("nuggets", ["nugget_id", "start_min"])
    assert [str(t) for t in frame.dtypes] == ["str", "datetime64[s]", "datetime64[s, UTC]", "Int32", "object"]
    assert list(frame["nugget_id"]) == table["nugget_id"].to_pylist()
    assert [motherlode.iso_day(d) for d in frame["start_min"]] == [iso(d) for d in table["start_min"].cast(pa.int32()).to_pylist()]


def test_one_row(release):
    row = release.table("nuggets", where="start_min IS NOT NULL AND end_max IS NOT NULL").slice(0, 1)
    nugget = release.nugget(row["nugget_id"][0].as_py())
    assert (nugget.subject, nugget.object, nugget.state) == (row["subject"][0].as_py(), row["object"][0].as_py(), row["state"][0].as_py())
    assert nugget.valid.start_min == motherlode.iso_day(row["start_min"][0]) and nugget.claim_ids == tuple(row["claim_ids"][0].as_py())
    chunk = release.chunk(release.table("chunks", ["chunk_id"])["chunk_id"][0].as_py())
    assert chunk.text and all(a < b for a, b in chunk.source_spans)
    for call in (release.nugget, release.chunk):
        with pytest.raises(motherlode.LodeError, match="holds no"):
            call("0" * 24)


# --- arguments of any type

ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**30), 10**30), st.floats(), st.text(max_size=8), st.binary(max_size=4), st.dates(), st.datetimes(),
    st.sampled_from(["2015", "2015-06-30", "nuggets", "state", "active", "public", "true", "state = ?", "current", "\ud800", "\0", "SELECT ?", "SELECT $a"]),
    st.sampled_from([object(), int, [], {}, (), set(), [1], {"a": 1}, {1: 2}, ["2015"], ("2015", "2016"), ("2015", None), ["2015", "2016", "2017"], range(3),
                     Path("x"), np.int64(3), np.float64(2), np.datetime64("2015-01-01"), pd.NaT, pd.Timestamp("2015-01-01"), 1j, b"2015", len]),
)
CALLS = {
    "search": ("text", "at", "between", "known_at", "certain", "view", "principal", "k", "budget_tokens", "explain", "plugins"),
    "table": ("name", "columns", "where", "params"), "pandas": ("name", "columns", "where", "params"),
    "batches": ("name", "columns", "where", "params", "rows"), "sql": ("query", "params"), "nugget": ("nugget_id",), "chunk": ("chunk_id",),
}
USUAL = {"text": "IBM", "name": "nuggets", "columns": ["state"], "query": "SELECT 1", "nugget_id": "x", "chunk_id": "x"}


@settings(max_examples=250, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_whatever_the_arguments_are_only_our_errors_come_out(release, data):
    call = data.draw(st.sampled_from(sorted(CALLS)))
    changed = data.draw(st.sets(st.sampled_from(CALLS[call]), min_size=1, max_size=2))
    given_ = {n: USUAL[n] for n in CALLS[call] if n in USUAL} | {n: data.draw(ANYTHING) for n in sorted(changed)}
    try:
        found = getattr(release, call)(**given_)
        list(found if call == "batches" else ())
    except motherlode.LodeError as error:
        assert error.found and (error.expected or error.fix)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.one_of(ANYTHING, st.just("…" * 3000)), ANYTHING)
def test_whatever_is_opened_only_our_errors_come_out(warehouse, release, name, other):
    del release
    for call in (lambda: motherlode.open_release(name, other), lambda: motherlode.open_release(warehouse, other), lambda: motherlode.releases(name)):
        try:
            opened = call()
        except motherlode.LodeError as error:
            assert error.found and (error.expected or error.fix)
        else:
            if isinstance(opened, motherlode.Release):
                opened.close()


@pytest.mark.parametrize("call", [
    lambda r: r.search(None), lambda r: r.search(5), lambda r: r.search("x", between="2015"), lambda r: r.search("x", between=("2015",)),
    lambda r: r.search("x", between=("2015", "2016", "2017")), lambda r: r.search("x", between=("2015", None)), lambda r: r.search("x", between="12"),
    lambda r: r.search("x", at=2015), lambda r: r.search("x", known_at=2015), lambda r: r.search("x", k="a"), lambda r: r.search("x", k=True),
    lambda r: r.search("x", k=2.0), lambda r: r.search("x", k=2**31), lambda r: r.search("x", budget_tokens="1"), lambda r: r.search("x", budget_tokens=-1),
    lambda r: r.search("x", principal=["board"]), lambda r: r.search("x", explain=5), lambda r: r.search("x", explain=""), lambda r: r.search("x", certain="no"),
    lambda r: r.search("x", view=None), lambda r: r.search("x", plugins="abc"), lambda r: r.search("x", plugins=[3]),
    lambda r: r.batches("nuggets", rows=0), lambda r: r.batches("nuggets", rows=-1), lambda r: r.batches("nuggets", rows="a"),
    lambda r: r.batches("nuggets", rows=True), lambda r: r.nugget(None), lambda r: r.chunk(5), lambda r: r.table(5), lambda r: r.table(["nuggets"]),
    lambda r: r.table("nuggets", columns=[1]), lambda r: r.table("nuggets", columns=5), lambda r: r.table("nuggets", where=5), lambda r: r.table("nuggets", params=[1]),
    lambda r: r.sql(5), lambda r: r.sql("SELECT ?", "a"), lambda r: r.sql("SELECT ?", 5), lambda r: r.sql("SELECT $a", {1: 2}),
    lambda r: motherlode.open_release(5), lambda r: motherlode.open_release(""), lambda r: motherlode.open_release(b"x"),
    lambda r: motherlode.open_release(r.wh, release=5), lambda r: motherlode.open_release(r.wh, release=""), lambda r: motherlode.releases(5),
    lambda r: motherlode.Interval().possibly(5),
], ids=lambda c: "-".join(map(str, (*c.__code__.co_names, *c.__code__.co_consts)))[:60])
def test_an_argument_of_a_wrong_type_or_value_is_a_usage_error(warehouse, release, call, monkeypatch):
    monkeypatch.setattr(type(release), "wh", warehouse, raising=False)
    with pytest.raises(motherlode.UsageError) as caught:
        call(release)
    assert caught.value.found and caught.value.expected


def test_numbers_of_numpy_are_numbers(release):
    assert len(release.search(CEO, k=np.int64(2))) == 2
    assert next(release.batches("nuggets", rows=np.int32(3))).num_rows == 3


# --- opening, closing, threads


def test_opening(warehouse, release, monkeypatch, tmp_path):
    monkeypatch.setenv("LODE_WAREHOUSE", str(warehouse))
    with motherlode.open_release() as found, motherlode.open_release(warehouse, release.id[:8]) as named:
        assert found.id == named.id == release.id
    [info] = motherlode.releases()
    assert info.id == release.id and info.current and info.as_of == release.as_of and info.published.endswith("Z")
    for arguments in ((tmp_path,), (warehouse, "ffffffff")):
        with pytest.raises(motherlode.LodeError):
            motherlode.open_release(*arguments)


def test_what_is_handed_out_is_a_copy(release):
    release.config["retrieval"].clear()
    release.sources.clear()
    assert release.config["retrieval"] and release.sources


def test_after_close_every_read_raises(warehouse):
    release = motherlode.open_release(warehouse)
    started = release.batches("nuggets", ["nugget_id"], rows=5)
    next(started)
    release.close()
    release.close()
    calls = (lambda: release.search("x"), lambda: release.table("nuggets"), lambda: release.sql("SELECT 1"), lambda: release.nugget("x"),
             lambda: release.pandas("nuggets"), lambda: release.counts, lambda: list(release.batches("nuggets")), release.__enter__)
    for call in calls:
        with pytest.raises(motherlode.LodeError, match="is closed"):
            call()
    assert release.id and release.config and "closed" in repr(release)
    assert next(started).num_rows == 5  # what runs may finish


def test_an_open_release_is_kept_from_collection_until_it_is_closed(warehouse, tmp_path):
    own = tmp_path / "wh"  # other tests have the sample open
    shutil.copytree(warehouse, own)

    def held() -> int:
        return sum(lease.release == release.id for lease in list_leases(Warehouse.open(own)) if lease.kind == READER and lease.live)

    release = motherlode.open_release(own)
    assert held()
    running = release.batches("nuggets", ["nugget_id"], rows=5)
    next(running)
    release.close()
    assert held()  # a batch is still to come
    list(running)
    del running
    gc.collect()
    assert not held()


def test_threads_share_a_release(warehouse, release):
    days = [f"{year}-06-30" for year in (1980, 1990, 1995, 2004, 2015, 2021)]
    wanted = {d: release.search(CEO, at=d).to_json() for d in days}
    count = release.counts["nuggets"]
    wrong: list = []

    def ask(n: int) -> None:
        try:
            for day in days[n:] + days[:n]:
                if shared.search(CEO, at=day).to_json() != wanted[day]:
                    wrong.append(day)
                if shared.sql("SELECT count(*) AS n FROM nuggets").to_pylist() != [{"n": count}] or shared.table("nuggets", ["state"]).num_rows != count:
                    wrong.append("sql")
        except Exception as error:
            wrong.append(error)

    with motherlode.open_release(warehouse) as shared:
        threads = [threading.Thread(target=ask, args=(n,)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_nothing_is_written(warehouse):
    def files() -> dict:  # leases come and go with readers
        held = (p for p in warehouse.rglob("*") if p.is_file() and "leases" not in p.parts)
        return {p: hashlib.sha256(p.read_bytes()).digest() for p in held}

    before = files()
    with motherlode.open_release(warehouse) as release:
        release.search(CEO)
        release.sql("SUMMARIZE nuggets")
        release.pandas("chunks", where="true")
    assert files() == before
