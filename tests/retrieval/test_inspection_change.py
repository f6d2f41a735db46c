"""`lode show` of a change: both texts with their revisions, and what states them."""

import pytest
from rich.console import Console

from flows.show_inspect import show_id
from retrieval.inspection.rows import Rows
from retrieval.inspection.show import show
from tests.retrieval.stored import store
from tests.retrieval.world import ceo_world

OLD, NEW = "Ann Archer was chief executive of Acme until 2012.", "Bob Baker became chief executive of Acme in 2012."
CHANGE, VERSIONS = "c0ffee" + "0" * 18, ("aaaaaa" + "1" * 18, "aaaaaa" + "2" * 18)


def changed(slot, old, new, last="11", verdict="succession", reason="later_date"):
    w = ceo_world()
    document = next(m["document_id"] for m in w.tables["mentions"] if m["sentence"] == OLD)
    w.tables["changes"] = [{
        "change_id": CHANGE, "document_id": document, "slot": slot, "old_text": old, "new_text": new, "last_revision": last,
        "first_revision": "12", "to_time": None if last is None else 86400, "from_time": 2 * 86400, "verdict": verdict, "reason": reason,
    }]
    w.tables["versions"] = [
        {"version_id": v, "document_id": document, "revision": r, "time": t * 86400, "content_hash": "h", "status": "ok", "minor": False, "noise": ""}
        for v, r, t in zip(VERSIONS, ("11", "12"), (1, 2), strict=True)
    ]
    return w


def beside(data):
    return {r["relation"]: r["id"] for r in data["related"]}


def test_a_change_of_a_sentence(tmp_path):
    w = changed("text", OLD, NEW)
    ids = {m["sentence"]: m["mention_id"] for m in w.tables["mentions"]}
    with Rows(store(w, tmp_path / "wh")) as rows:
        data = show(rows, CHANGE[:8])
    assert (data["kind"], data["id"], data["rows_n"]) == ("change", CHANGE, 1)
    assert {n: data["record"][n] for n in ("title", "slot", "old_text", "new_text", "to_time", "from_time", "verdict", "reason")} == {
        "title": "Acme", "slot": "text", "old_text": OLD, "new_text": NEW, "to_time": "1970-01-02T00:00:00Z", "from_time": "1970-01-03T00:00:00Z",
        "verdict": "succession", "reason": "later_date"}
    told = beside(data)
    assert told["last revision with the old text"] == VERSIONS[0] and told["first revision with the new text"] == VERSIONS[1]
    assert told["states the old text"] == ids[OLD] and told["states the new text"] == ids[NEW]
    assert {e["text"] for e in data["evidence"]} == {OLD, NEW}
    down = {s["kind"]: s["n"] for s in data["downstream"]}
    assert down == {"mention": 2, "claim": 2, "nugget": 2} and not data["notes"]


def test_a_change_of_a_field_is_linked_by_its_whole_line(tmp_path):
    w = changed("parameter:ceo", "Ann Archer", "Bob Baker")
    one, other = (m for m in w.tables["mentions"] if m["sentence"] in (OLD, NEW))
    one.update(sentence="ceo: Ann Archer", extractor="infobox")
    other.update(sentence="ceo: Bob Baker Jr", extractor="infobox")
    with Rows(store(w, tmp_path / "wh")) as rows:
        data = show(rows, CHANGE, kind="change")
    assert beside(data)["states the old text"] == one["mention_id"] and "states the new text" not in beside(data)
    assert data["notes"] == ["no mention rests on the new text as a whole"]


@pytest.mark.parametrize(("slot", "old", "last", "reason"), [("page", "", None, "undid"), ("page", "", "11", "reverted"), ("text", "", None, "new")])
def test_a_side_that_is_not_there(tmp_path, slot, old, last, reason):
    with Rows(store(changed(slot, old, "" if slot == "page" else NEW, last, "x", reason), tmp_path / "wh")) as rows:
        data = show(rows, CHANGE)
    assert ("last revision with the old text" in beside(data)) == (last is not None)
    assert "states the old text" not in beside(data) and data["record"]["reason"] == reason
    out = Console(record=True, width=200)
    show_id(out, data)
    printed = out.export_text()
    assert CHANGE in printed and "1970-01-03T00:00:00Z" in printed
