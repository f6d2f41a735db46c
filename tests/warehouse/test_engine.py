"""The engine: reuse by shard and by unit, order and shard independence, shuffles, and kills at every point."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.errors import IntegrityError
from schemas.stage import Read
from tests.warehouse.dummy import objects, raw_tables, run_all, texts
from warehouse.layout import Warehouse
from warehouse.objects import ObjectRef, get_table, object_path
from warehouse.shuffle import shuffled

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def wh(tmp_path):
    return Warehouse.init(tmp_path / "wh", 4)


def test_a_second_run_computes_nothing(wh):
    _, _, first, _ = run_all(wh, texts(40))
    assert first == {"dummy.words": 4, "dummy.count": 1}
    _, _, second, _ = run_all(wh, texts(40))
    assert second == {"dummy.words": 0, "dummy.count": 0}


def test_one_changed_document_runs_one_unit(wh):
    _, keys, _, _ = run_all(wh, texts(40))
    changed = {**texts(40), "d7.md": "other"}
    tables, _, shards, units = run_all(wh, changed, base=keys)
    assert shards["dummy.words"] == 1 and units["dummy.words"] == 1
    assert "OTHER" in tables.read(wh, "documents")["title"].to_pylist()


def test_a_changed_config_runs_its_stage_alone(wh):
    _, keys, _, _ = run_all(wh, texts(40))
    _, _, shards, units = run_all(wh, texts(40), config={"chunk": {"upper": False}}, base=keys)
    assert shards["dummy.words"] == 4 and units["dummy.words"] == 40


def test_equal_output_stops_the_cascade(wh):
    run_all(wh, {k: v.upper() for k, v in texts(40).items()})
    _, _, shards, _ = run_all(wh, {k: v.upper() for k, v in texts(40).items()}, config={"chunk": {"upper": False}})
    assert shards == {"dummy.words": 4, "dummy.count": 0}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from([f"d{i}.md" for i in range(12)]), st.sampled_from(["a", "b", "c"])),
       st.dictionaries(st.sampled_from([f"d{i}.md" for i in range(12)]), st.sampled_from(["a", "b", "c"])))
def test_incremental_equals_full(tmp_path_factory, before, after):
    one = Warehouse.init(tmp_path_factory.mktemp("inc") / "wh", 4)
    _, keys, _, _ = run_all(one, before)
    incremental, *_ = run_all(one, after, base=keys)
    other = Warehouse.init(tmp_path_factory.mktemp("full") / "wh", 4)
    full, *_ = run_all(other, after, order=-1)
    assert objects(incremental) == objects(full)


def test_a_lost_object_is_made_anew(wh):
    tables, keys, _, _ = run_all(wh, texts(40))
    lost = next(r for r in tables.all_refs("documents") if r.rows)
    object_path(wh, lost.hash).unlink()
    again, _, shards, _ = run_all(wh, texts(40), base=keys)
    assert shards["dummy.words"] == 1 and object_path(wh, lost.hash).exists()
    assert objects(again) == objects(tables)


def test_what_failed_for_want_of_time_is_tried_again(wh):
    _, keys, _, _ = run_all(wh, texts(40), config={"chunk": {"upper": True, "slow": "text 7"}})
    _, _, shards, units = run_all(wh, texts(40), config={"chunk": {"upper": True, "slow": "text 7"}}, base=keys)
    assert shards["dummy.words"] == 1 and units["dummy.words"] == 1


def test_shuffle_moves_every_row_once(wh):
    tables = raw_tables(wh, texts(30))
    moved = shuffled(wh, tables, Read("raw", "shuffle"), "content_hash")
    got = [row for shard in moved for ref in shard for row in get_table(wh, ref)["content_hash"].to_pylist()]
    assert sorted(got) == sorted(tables.read(wh, "raw")["content_hash"].to_pylist())
    assert shuffled(wh, tables, Read("raw", "shuffle"), "content_hash") == moved


def test_a_missing_or_damaged_object_is_named(wh):
    tables = raw_tables(wh, texts(4))
    ref = next(r for r in tables.all_refs("raw") if r.rows)
    path = object_path(wh, ref.hash)
    path.write_bytes(b"not parquet")
    with pytest.raises(IntegrityError, match=ref.hash):
        get_table(wh, ref)
    path.unlink()
    with pytest.raises(IntegrityError, match="missing"):
        get_table(wh, ObjectRef(ref.hash, ref.rows, ref.size_bytes))


def _run(folder: Path, fault: str = "") -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "tests.warehouse.dummy", str(folder)], cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, "LODE_FAULT": fault}, check=False,
    )


@pytest.mark.parametrize(("point", "passage"), [
    *((p, n) for p in ("write.before_fsync", "write.before_rename", "write.after_rename", "shard.dummy.words") for n in (1, 3)),
    ("shard.dummy.count", 1),
])
def test_a_kill_at_any_point_loses_nothing(tmp_path, point, passage):
    whole = _run(tmp_path / "whole")
    killed = _run(tmp_path / "killed", f"{point}:{passage}")
    assert killed.returncode == -signal.SIGKILL
    again = _run(tmp_path / "killed")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout) == json.loads(whole.stdout)
