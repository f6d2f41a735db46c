"""The comparison itself, on made-up releases: pairing of moves, symmetry, counts, and that equal shards are not opened."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.inspection.diff import diff_releases
from retrieval.inspection.settings import config_changes
from schemas.errors import IntegrityError
from schemas.ids import make_id, shard_of
from schemas.tables import TABLES
from schemas.time import day_from_civil, iso
from warehouse.layout import Warehouse
from warehouse.objects import object_path, put_table
from warehouse.releases import Release
from warehouse.snapshots import write_snapshot
from warehouse.tableset import TableSet

SHARDS = 2
KEYS = [make_id("key", n) for n in range(3)]


@pytest.fixture(scope="module")
def wh():
    with tempfile.TemporaryDirectory() as folder:
        yield Warehouse.init(Path(folder) / "wh", SHARDS)


def nugget(key: int, value: str, year: int | None, n: int = 0, state: str = "active", label: str = "public") -> dict:
    day = None if year is None else day_from_civil(year, 1, 1)
    return {
        "nugget_id": make_id("nugget", label, KEYS[key], value, year, n), "key_id": KEYS[key], "value_id": make_id("value", key, value),
        "label": label, "acl": [label], "tenant": "default", "kind": "fact", "subject_id": f"s{key}", "subject": f"Subject {key}",
        "predicate": "mayor", "scope": "", "cardinality": "functional", "object_id": value, "object": value, "object_type": "string",
        "value": None, "unit": "", "condition": "", "text": f"{key} {value}", "rendition": "r", "rendition_hash": "h", "text_hash": "h",
        "start_min": day, "start_max": day, "end_min": None, "end_max": None, "start_basis": "explicit", "end_basis": "",
        "start_confidence": 1.0, "end_confidence": 0.0, "recorded_from": None, "recorded_to": None, "state": state,
        "reason": "uncontradicted" if state == "active" else "equal_evidence", "source_count": 1, "source_groups": ["g"],
        "claim_ids": [make_id("claim", key, value, year, n)], "supersedes": [], "superseded_by": [], "confidence": 0.5, "language": "en",
    }


def filled(table: str, **given) -> dict:
    """A row with the given fields; the others empty, or null where they may be."""
    empty = {"string": "", "float": 0.0, "int32": 0}
    return {f.name: given.get(f.name, None if f.nullable else empty.get(str(f.type), [])) for f in TABLES[table].schema()}


def value(key: int, claim: str, obj: str, document: str = "d", label: str = "public", **more) -> dict:
    return filled("values", key_id=KEYS[key], value_id=make_id("value", key, obj), claim_id=claim, object_id=obj, object=obj,
                  document_id=document, label=label, **more)


def release(wh: Warehouse, rows: list[dict], values=(), decisions=(), **config) -> Release:
    tables = TableSet(SHARDS)
    for name, held in (("nuggets", rows), ("values", values), ("decisions", decisions)):
        tables.set(name, [[put_table(wh, name, TABLES[name].from_rows([r for r in held if shard_of(r["key_id"], SHARDS) == n]))]
                          for n in range(SHARDS)])
    keys = {"conflict.resolve": [r.hash for t in sorted(tables.tables) for r in tables.all_refs(t)]}
    body = {"stages": {"conflict": write_snapshot(wh, "conflict", 1, keys, tables)}, "sources": {}, "config": config, "indexes": {}}
    return Release(wh, {**body, "id": make_id("release", str(body))})


def nuggets_of(found: dict, status: str) -> list[dict]:
    return found["levels"]["nugget"][status]


NUGGET = st.builds(
    nugget, key=st.integers(0, 2), value=st.sampled_from("ab"), year=st.sampled_from([None, 1990, 1991, 1995, -43, 12000]),
    n=st.integers(0, 1), state=st.sampled_from(["active", "contested", "deprecated"]), label=st.sampled_from(["public", "board"]),
)
RELEASE = st.lists(NUGGET, max_size=12, unique_by=lambda r: r["nugget_id"])


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(a=RELEASE, b=RELEASE)
def test_what_is_told_is_the_difference_of_the_sets(wh, a, b):
    ra, rb = release(wh, a), release(wh, b)
    there, back = diff_releases(wh, ra, rb, levels=["nugget"]), diff_releases(wh, rb, ra, levels=["nugget"])
    old, new = ({r["nugget_id"]: r for r in rows} for rows in (a, b))
    added, removed, moved, changed = (nuggets_of(there, s) for s in ("added", "removed", "moved", "changed"))
    assert sorted([r["nugget_id"] for r in added] + [r["new_id"] for r in moved]) == sorted(new.keys() - old.keys())
    assert sorted([r["nugget_id"] for r in removed] + [r["old_id"] for r in moved]) == sorted(old.keys() - new.keys())
    assert {r["nugget_id"] for r in changed} == {i for i in old.keys() & new.keys() if old[i]["state"] != new[i]["state"]}
    for m in moved:
        assert all(old[m["old_id"]][c] == new[m["new_id"]][c] for c in ("key_id", "label", "object_id"))
    # Nothing that could be paired is left over on both sides.
    left = [{(r["key_id"], r["label"], r["object"]) for r in rows} for rows in (added, removed)]
    assert not left[0] & left[1]
    assert {r["nugget_id"] for r in added} == {r["nugget_id"] for r in nuggets_of(back, "removed")}
    assert {(m["old_id"], m["new_id"]) for m in moved} == {(m["new_id"], m["old_id"]) for m in nuggets_of(back, "moved")}
    assert {(s["before"], s["after"]): s["count"] for s in there["states"]} == {(s["after"], s["before"]): s["count"] for s in back["states"]}
    assert there == diff_releases(wh, ra, rb, levels=["nugget"])


def test_the_nearest_start_is_the_same_tenure(wh):
    old = release(wh, [nugget(0, "a", 1990), nugget(0, "a", 2010)])
    new = release(wh, [nugget(0, "a", 1991), nugget(0, "a", 2008), nugget(0, "b", 1990)])
    found = diff_releases(wh, old, new, levels=["nugget"])
    starts = {tuple(m["changes"]["start_min"]) for m in nuggets_of(found, "moved")}
    assert starts == {("1990-01-01", "1991-01-01"), ("2010-01-01", "2008-01-01")}
    assert [r["object"] for r in nuggets_of(found, "added")] == ["b"] and nuggets_of(found, "removed") == []


def test_days_before_our_era_and_after_9999_come_as_iso_text(wh):
    found = diff_releases(wh, release(wh, [nugget(0, "a", -43)]), release(wh, [nugget(0, "a", 12000)]), levels=["nugget"])
    moved, = nuggets_of(found, "moved")
    assert moved["changes"]["start_min"] == [iso(day_from_civil(-43, 1, 1)), iso(day_from_civil(12000, 1, 1))] == ["-0043-01-01", "+12000-01-01"]


def test_a_nugget_merged_into_another_names_its_successor(wh):
    old = release(wh, [nugget(0, "a", 1990), nugget(0, "a", 1995)])
    new = release(wh, [nugget(0, "a", 1990)])
    gone, = nuggets_of(diff_releases(wh, old, new, levels=["nugget"]), "removed")
    assert gone["successor"]["nugget_id"] == nugget(0, "a", 1990)["nugget_id"]


def test_state_moves_come_first_and_alone_if_asked(wh):
    old = release(wh, [nugget(0, "a", 1990), nugget(1, "a", 1990), nugget(2, "a", 1990)])
    new = release(wh, [{**nugget(0, "a", 1990), "source_count": 2}, nugget(1, "a", 1990, state="contested"), nugget(2, "a", 1991)])
    found = diff_releases(wh, old, new, levels=["nugget"], limit=1)
    assert [r["subject"] for r in nuggets_of(found, "changed")] == ["Subject 1"]
    assert found["levels"]["nugget"]["counts"] == {"old": 3, "new": 3, "added": 0, "removed": 0, "moved": 1, "changed": 2, "state_moved": 1}
    states = diff_releases(wh, old, new, only_states=True)
    assert [r["changes"]["state"] for r in nuggets_of(states, "changed")] == [["active", "contested"]] and nuggets_of(states, "moved") == []


def test_shards_that_are_equal_are_not_opened(wh):
    """The object that both releases share is taken away: the comparison does not miss it."""
    apart = next((a, b) for a in range(3) for b in range(3) if shard_of(KEYS[a], SHARDS) != shard_of(KEYS[b], SHARDS))
    same, other = apart
    old = release(wh, [nugget(same, "shared and nowhere else", 1990), nugget(other, "a", 1990)])
    new = release(wh, [nugget(same, "shared and nowhere else", 1990), nugget(other, "b", 1990)])
    shared, = {r.hash for r in old.tables().all_refs("nuggets")} & {r.hash for r in new.tables().all_refs("nuggets")}
    object_path(wh, shared).unlink()
    found = diff_releases(wh, old, new)
    assert [r["object"] for r in nuggets_of(found, "added")] == ["b"] and [r["object"] for r in nuggets_of(found, "removed")] == ["a"]
    with pytest.raises(IntegrityError, match=f"object {shared} of nuggets is missing"):
        diff_releases(wh, old, release(wh, []))


def test_settings_are_told_one_by_one(wh):
    old = release(wh, [], chunk={"target_tokens": 300, "kept": [1, 2]}, conflict={"outvote_ratio": 2.0})
    new = release(wh, [], chunk={"target_tokens": 20, "kept": [1, 2]}, conflict={}, dates={})
    assert diff_releases(wh, old, new)["settings"]["config"] == config_changes(old.config, new.config) == [
        {"key": "chunk.target_tokens", "old": 300, "new": 20}, {"key": "conflict", "old": None, "new": {}},
        {"key": "conflict.outvote_ratio", "old": 2.0, "new": None}, {"key": "dates", "old": None, "new": {}},
    ]


def test_other_settings_are_the_cause_where_no_claim_changed(wh):
    old = release(wh, [nugget(0, "a", 1990)], conflict={"outvote_ratio": 2.0})
    new = release(wh, [nugget(0, "a", 1990, state="contested")], conflict={"outvote_ratio": 3.0})
    row, = nuggets_of(diff_releases(wh, old, new), "changed")
    assert row["cause"]["why"][0] == "judged by other settings: conflict.outvote_ratio: 2.0 → 3.0"


def test_a_claim_that_is_now_rejected_and_one_that_is_counted_elsewhere(wh):
    a, b = ({**nugget(0, "a", year), "claim_ids": claims} for year, claims in ((1990, ["c1", "c2"]), (2000, ["c3"])))
    held = [value(0, c, "a") for c in ("c1", "c2", "c3")]
    denied = filled("decisions", decision_id="x", key_id=KEYS[0], label="public", claim_id="c1", rule="reject", verdict="rejected",
                    reason="planned")
    old, new = release(wh, [a, b], held), release(wh, [{**b, "claim_ids": ["c2", "c3"]}], held, [denied])
    gone, = nuggets_of(diff_releases(wh, old, new), "removed")
    assert gone["cause"]["why"] == ["evidence went: the claim is counted to another interval of its value",
                                    "evidence went: the claim is now rejected: planned"]
    assert [c["cause"]["kind"] for c in gone["cause"]["evidence"]["went"]] == ["rejected", "regrouped"]
    back, = nuggets_of(diff_releases(wh, new, old), "added")
    assert [c["cause"]["kind"] for c in back["cause"]["evidence"]["came"]] == ["accepted", "regrouped"]


def test_rivals_are_those_that_the_label_reads_on_a_key_of_one_value(wh):
    public, board = ({**nugget(0, "a", 1990, label=label), "claim_ids": ["c1"]} for label in ("public", "board"))
    many = {**nugget(1, "a", 1990), "cardinality": "multi", "claim_ids": ["c9"]}
    before = [value(0, "c1", "a"), value(1, "c9", "a")]
    after = [*before, value(0, "c2", "b", label="board"), value(1, "c8", "b")]
    fields = {"source_count": 2}
    found = diff_releases(wh, release(wh, [public, board, many], before),
                          release(wh, [{**r, **fields} for r in (public, board, many)], after))
    came = {(r["subject"], r["label"]): r["cause"]["rivals"]["came_n"] for r in nuggets_of(found, "changed")}
    assert came == {("Subject 0", "public"): 0, ("Subject 0", "board"): 1, ("Subject 1", "public"): 0}


def test_a_key_of_many_rivals_is_cut_and_counted(wh):
    rows = [{**nugget(0, f"v{n}", 1990, state="contested"), "claim_ids": [f"c{n:03}"]} for n in range(50)]
    values = [value(0, f"c{n:03}", f"v{n}") for n in range(50)]
    old = release(wh, [{**rows[0], "state": "active"}], values[:1])
    row, = nuggets_of(diff_releases(wh, old, release(wh, rows, values), only_states=True), "changed")
    rivals = row["cause"]["rivals"]
    assert (rivals["came_n"], len(rivals["came"])) == (49, 20) and "a rival came: 29 more claims" in row["cause"]["why"]
