"""What an id names: by its beginning, with several kinds, gone, or in another release."""

import pytest

from retrieval.inspection.find import find
from retrieval.inspection.rows import Rows, iso_instant
from retrieval.inspection.show import show
from retrieval.inspection.visible import Access
from schemas.errors import LodeError, UsageError
from tests.retrieval.stored import store
from tests.retrieval.world import World, ceo_world

A, B = "abcdef" + "0" * 18, "abcdef" + "1" * 18


def alike() -> World:
    """A chunk's and a nugget's id that begin alike."""
    w = ceo_world()
    old = w.tables["nuggets"][0]["nugget_id"]
    w.tables["nuggets"][0]["nugget_id"] = A
    w.tables["nuggets"][1]["supersedes"] = [A]
    lone = next(c for c in w.tables["chunks"] if c["title"] == "Weather")
    lone["chunk_id"] = B
    assert old != A
    return w


def test_a_beginning_finds_what_it_names_alone(tmp_path):
    w = ceo_world()
    with Rows(store(w, tmp_path / "wh")) as rows:
        for table, column, kind in (("nuggets", "nugget_id", "nugget"), ("chunks", "chunk_id", "chunk"), ("mentions", "mention_id", "mention")):
            for row in w.tables[table][:3]:
                for text in (row[column], row[column][:10], f" {row[column][:10].upper()} "):
                    assert (found := find(rows, text)).id == row[column] and found.kind == kind
        assert show(rows, rows.release.id[:8])["record"]["id"] == rows.release.id
        snapshot = rows.release.body["stages"]["conflict"]
        assert show(rows, snapshot)["related"] == [{"relation": "named by", "kind": "release", "id": rows.release.id, "text": ""}]
        one = rows.release.tables().get("nuggets")[0][0]
        assert show(rows, one.hash)["record"]["holds"] == [{"table": "nuggets", "shard": 0}]


def test_an_ambiguous_beginning_names_all(tmp_path):
    with Rows(store(alike(), tmp_path / "wh")) as rows:
        with pytest.raises(LodeError) as error:
            find(rows, "abcdef")
        assert f"chunk {B}" in error.value.expected and f"nugget {A}" in error.value.expected
        assert find(rows, "abcdef0").id == A and find(rows, "abcdef", "chunk").id == B
        assert [(r["relation"], r["id"]) for r in show(rows, rows.all("SELECT nugget_id FROM nuggets WHERE len(supersedes) > 0")[0]["nugget_id"])["related"]] \
            == [("supersedes", A)]


@pytest.mark.parametrize("text", ["", "abcde", "nothing here", "' OR 1=1 --", "*", "../../etc"])
def test_what_cannot_be_an_id_is_wrong_usage(tmp_path, text):
    with Rows(store(World(), tmp_path / "wh")) as rows, pytest.raises(UsageError):
        find(rows, text)


def test_gone_and_elsewhere(tmp_path):
    w = ceo_world()
    gone, moved = (r["nugget_id"] for r in w.tables["nuggets"][:2])
    first = store(w, tmp_path / "wh")
    less = ceo_world()
    less.tables["nuggets"] = less.tables["nuggets"][2:]
    new = less.tables["nuggets"][0]["nugget_id"]
    second = store(less, tmp_path / "wh", lineage=[{"old_id": moved, "new_id": new, "lineage_kind": "nugget"}])
    with Rows(second) as rows:
        with pytest.raises(LodeError) as error:
            find(rows, gone)
        assert f"is in release {first.id}" in error.value.found and f"lode trace {gone}" in error.value.fix
        with pytest.raises(LodeError) as error:
            find(rows, moved)
        assert new in error.value.expected and f"lode trace {moved}" in error.value.fix
        assert show(rows, new)["across"][0]["old_id"] == moved
        with pytest.raises(LodeError, match="nothing in release"):
            find(rows, "f" * 24)
    with Rows(first) as rows:
        assert find(rows, gone).kind == "nugget"


def test_lineage_of_a_claim_and_back(tmp_path):
    w = ceo_world()
    with Rows(store(w, tmp_path / "wh")) as rows:
        for nugget in w.tables["nuggets"]:
            up = {s["kind"]: [i["id"] for i in s["items"]] for s in show(rows, nugget["nugget_id"])["upstream"]}
            assert up["claim"] == nugget["claim_ids"]
            for claim in up["claim"]:
                down = {s["kind"]: [i["id"] for i in s["items"]] for s in show(rows, claim)["downstream"]}
                assert nugget["nugget_id"] in down["nugget"]
            down = {s["kind"]: s for s in show(rows, up["document"][0])["downstream"]}
            mine = [c["claim_id"] for c in w.tables["claims"] if c["document_id"] == up["document"][0]]
            assert down["claim"]["n"] == len(mine)
            assert down["nugget"]["n"] == sum(bool(set(n["claim_ids"]) & set(mine)) for n in w.tables["nuggets"])


def test_instants_of_any_year():
    assert [iso_instant(s) for s in (None, 0, -1, 253402300800)] == [None, "1970-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "+10000-01-01T00:00:00Z"]


def test_access_to_json():
    assert Access(("public",), "t").to_json() == {"groups": ["public"], "tenant": "t"}
