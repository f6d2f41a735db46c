"""`lode diff` and `lode trace` over a warehouse that went through an edit, a deletion, a contradiction, a change of access, a
rerun with other settings, and a rollback."""

import itertools
import json
import shutil

import pytest

from retrieval.inspection.diff import diff_releases
from retrieval.inspection.levels import LEVELS
from retrieval.inspection.settings import SECTIONS
from retrieval.inspection.trace import trace
from schemas.errors import LodeError, UsageError
from tests.flows.small import write_pages
from warehouse.layout import Warehouse
from warehouse.releases import open_release
from warehouse.rollback import rollback

ACME = "# Acme Corporation\n\nAcme Corporation is a maker of pumps. Ada Long was chief executive officer of Acme Corporation from {year} " \
       "to 2010.\n\n## Products\n\nAcme Corporation makes pumps. Acme Corporation makes valves. Its pumps move water.\n"
PAGES = {
    "acme.md": ACME.format(year=2001),
    "tower.md": "# Tower of Lund\n\nThe height of the Tower of Lund is 88 metres.\n",
    "plain.md": "# Dahl Works\n\nErik Dahl founded Dahl Works in 1988.\n",
}
MEMOS = {"memo.md": "# Borin\n\nBorin is the capital of Lund. The population of Borin was 120,000 in 2015.\n"}
RIVAL = "# Towers\n\nThe height of the Tower of Lund is 90 metres.\n"
CONFIG = '[run]\nworkers = 1\n[embed]\nenabled = false\n[sources.pages]\npath = "pages"\ndefault_acl = ["public"]\n[sources.memos]\npath = "memos"\ndefault_acl = ["{group}"]\n'


class World:
    """The warehouse, its releases in the order that readers saw them, and what the diffs between them say."""

    def __init__(self, path, releases):
        self.path, self.wh, self.ids = path, Warehouse.open(path), releases

    def diff(self, a, b, **more):
        return diff_releases(self.wh, open_release(self.wh, self.ids[a]), open_release(self.wh, self.ids[b]), **more)

    def one(self, table, where, release):
        rows = self.all(table, where, release)
        assert len(rows) == 1, (table, where, rows)
        return rows[0]

    def all(self, table, where, release):
        con = open_release(self.wh, self.ids[release]).connect()
        key = next((level.id for level in LEVELS.values() if level.table == table), "1")
        found = con.execute(f"SELECT {key} FROM {table} WHERE {where} ORDER BY 1").fetchall()
        con.close()
        return [r[0] for r in found]


@pytest.fixture(scope="module")
def world(server, tmp_path_factory):
    from flows.build import BuildRequest, run_build
    from flows.progress import Reporter
    from flows.sources import requests_from
    from schemas.config import load_config, resolve

    home = tmp_path_factory.mktemp("compare")
    wh = Warehouse.init(home / "wh", shards=2)
    write_pages(home / "pages", PAGES)
    write_pages(home / "memos", MEMOS)
    ids = []

    def publish(stage=None, group="public", more=""):
        """Builds in this process: a process of its own for each release would take most of the time."""
        (home / "lode.toml").write_text(CONFIG.format(group=group) + more)
        config, base = load_config(home / "lode.toml")
        sources = [] if stage else requests_from([], None, config, None, None, None, None, base)
        with Reporter(None) as report:
            outcome = run_build(wh, BuildRequest(sources=sources, stage=stage), resolve(config, base), report)
        assert outcome.published
        ids.append(outcome.release)

    publish()
    write_pages(home / "pages", {"acme.md": ACME.format(year=2002), "towers.md": RIVAL})  # the year moves; a rival comes
    (home / "pages" / "plain.md").unlink()
    publish()
    write_pages(home / "pages", {"acme.md": ACME.format(year=2003)})  # the year moves again; other readers of the memos
    publish(group="board")
    publish("chunk", group="board", more="[chunk]\ntarget_tokens = 12\nmin_tokens = 4\nmax_tokens = 16\n")
    ids.append(rollback(wh, ids[2]))
    assert len(set(ids)) == 4
    return World(wh.root, ids)


def entries(diff, level, status, **like):
    return [r for r in diff["levels"][level][status] if all(r.get(k) == v for k, v in like.items())]


def only(diff, level, status, **like):
    found = entries(diff, level, status, **like)
    assert len(found) == 1, found
    return found[0]


def texts(row):
    return " | ".join(row["cause"].get("why") or [row["cause"]["text"]])


def test_the_edit_the_deletion_and_the_new_document(world):
    d = world.diff(0, 1)
    assert d["levels"]["document"]["counts"] == {"old": 4, "new": 4, "added": 1, "removed": 1, "moved": 0, "changed": 1}
    assert only(d, "document", "removed")["cause"]["kind"] == "document_deleted"
    assert only(d, "document", "added")["cause"]["kind"] == "document_added"
    edited = only(d, "document", "changed", uri="acme.md")
    assert set(edited["changes"]) == {"version_id"} and edited["cause"]["versions"] == edited["changes"]["version_id"]
    old = only(d, "chunk", "removed", title="Acme Corporation")
    new = only(d, "chunk", "added", title="Acme Corporation")
    assert old["successor"] == new["chunk_id"] and "2001" in old["text"] and "2002" in new["text"]
    assert old["cause"]["kind"] == "document_edited" and old["cause"]["versions"] == edited["changes"]["version_id"]
    assert {s["stage"] for s in d["settings"]["stages"]} >= {"parse", "chunk", "conflict"} and d["settings"]["config"] == []
    assert [s["source"] for s in d["settings"]["sources"]["changed"]] == ["pages"]


def test_a_nugget_whose_year_moved_is_one_move(world):
    d = world.diff(0, 1)
    moved = only(d, "nugget", "moved", predicate="chief_executive_officer", object="Ada Long")
    assert moved["old_id"] != moved["new_id"] == moved["nugget_id"]
    assert moved["changes"]["start_min"] == ["2001-01-01", "2002-01-01"]
    assert "pages/acme.md was edited" in texts(moved)
    for status in ("added", "removed"):
        assert not entries(d, "nugget", status, predicate="chief_executive_officer", object="Ada Long")


def test_a_contradiction_contests_and_says_through_which_document(world):
    d = world.diff(0, 1, only_states=True)
    assert list(d["levels"]) == ["nugget"] and d["levels"]["nugget"]["added"] == d["levels"]["nugget"]["removed"] == []
    row = only(d, "nugget", "changed", predicate="height")
    assert row["changes"]["state"] == ["active", "contested"]
    assert "a rival came “90 metres”: pages/towers.md is a new document" in row["cause"]["why"]
    assert row["cause"]["rivals"]["came"][0]["cause"]["kind"] == "document_added"
    assert row["cause"]["evidence"]["came_n"] == row["cause"]["evidence"]["went_n"] == 0
    assert row["cause"]["decisions"]["before"] == []
    after = row["cause"]["decisions"]["after"]
    assert [(a["rule"], a["verdict"], a["reason"]) for a in after] == [("count_sources", "contested", "equal_evidence")]
    assert {"before": "active", "after": "contested", "count": 1} in d["states"]
    assert all(r["changes"]["state"] for s in ("moved", "changed") for r in d["levels"]["nugget"][s])


def test_what_a_deleted_document_said_went_with_it(world):
    gone = entries(world.diff(0, 1), "nugget", "removed", subject="Dahl Works")
    assert gone and all(r["cause"]["why"] == ["evidence went: pages/plain.md was deleted"] for r in gone)
    assert all(r["successor"] is None for r in gone)


def test_a_change_of_access(world):
    d = world.diff(1, 2)
    assert {"source": "memos", "acl": [["public"], ["board"]]}.items() <= {
        "source": "memos", **next(s["changes"] for s in d["settings"]["sources"]["changed"] if s["source"] == "memos")}.items()
    memo = only(d, "document", "changed", uri="memo.md")
    assert memo["changes"]["acl"] == [["public"], ["board"]] and memo["cause"]["kind"] == "access_changed"
    chunks = entries(d, "chunk", "changed", title="Borin")
    assert chunks and all(set(c["changes"]) == {"acl"} and c["cause"]["labels"] == ["public", "board"] for c in chunks)
    claims = entries(d, "claim", "changed", subject="Borin")
    assert claims and all(c["changes"]["acl"] == [["public"], ["board"]] for c in claims)
    gone = entries(d, "nugget", "removed", subject="Borin", label="public")
    came = {r["nugget_id"] for r in entries(d, "nugget", "added", subject="Borin", label="board")}
    assert gone and {r["successor"]["nugget_id"] for r in gone} == came
    assert all("the readers of memos/memo.md changed: public → board" in texts(r) for r in gone)


def test_a_rerun_with_other_settings(world):
    d = world.diff(2, 3)
    assert {"key": "chunk.target_tokens", "new": 12}.items() <= next(c for c in d["settings"]["config"] if c["key"] == "chunk.target_tokens").items()
    assert not any(d["levels"]["document"][s] for s in ("added", "removed", "changed"))
    gone = d["levels"]["chunk"]["removed"]
    assert gone and {r["cause"]["kind"] for r in gone} == {"settings_changed"}
    assert all("did not change; chunk." in texts(r) for r in gone)
    assert all(r["successor"] for r in gone)
    changed = d["levels"]["chunk"]["changed"]
    assert changed and all("config_version" in r["changes"] for r in changed)


def test_counts_are_those_of_sql_and_the_reverse_is_the_mirror(world):
    for a, b in itertools.combinations(range(4), 2):
        there, back = world.diff(a, b), world.diff(b, a)
        old, new = (open_release(world.wh, world.ids[n]) for n in (a, b))
        for name, level in LEVELS.items():
            ids = [set(r.read(level.table, [level.id])[level.id].to_pylist()) for r in (old, new)]
            x, y = there["levels"][name], back["levels"][name]
            assert {r[level.id] for r in x["removed"]} | {r["old_id"] for r in x["moved"]} == ids[0] - ids[1]
            assert {r[level.id] for r in x["added"]} | {r["new_id"] for r in x["moved"]} == ids[1] - ids[0]
            assert {r[level.id] for r in x["added"]} == {r[level.id] for r in y["removed"]}
            assert {(r["old_id"], r["new_id"]) for r in x["moved"]} == {(r["new_id"], r["old_id"]) for r in y["moved"]}
            assert {r[level.id] for r in x["changed"]} == {r[level.id] for r in y["changed"]} <= ids[0] & ids[1]
            for status in ("added", "removed", "moved", "changed"):
                assert len(x[status]) == x["counts"][status]
            assert (x["counts"]["old"], x["counts"]["new"]) == tuple(map(len, ids))
        # What is not told of as changed is equal in every compared column.
        for level in LEVELS.values():
            told = {r[level.id] for r in there["levels"][level.name]["changed"]}
            rows = [{r[level.id]: {c: r[c] for c in level.compared} for r in side.read(level.table).to_pylist()} for side in (old, new)]
            assert told == {i for i in rows[0].keys() & rows[1].keys() if rows[0][i] != rows[1][i]}


def test_a_release_against_itself_is_empty(world):
    for n in range(4):
        d = world.diff(n, n)
        assert d["same"] and d["states"] == [] and d["settings"]["config"] == d["settings"]["stages"] == d["settings"]["indexes"] == []
        assert not any(rows for level in d["levels"].values() for s, rows in level.items() if s != "counts")


def test_limit_cuts_lists_and_not_counts(world):
    whole, cut = world.diff(0, 1), world.diff(0, 1, limit=1)
    for name, level in whole["levels"].items():
        assert cut["levels"][name]["counts"] == level["counts"]
        for status in ("added", "removed", "moved", "changed"):
            assert cut["levels"][name][status] == level[status][:1]
    with pytest.raises(UsageError, match="sentence"):
        world.diff(0, 1, levels=["sentence"])


def test_diff_on_the_command_line(world, lode_offline):
    first, second = world.ids[0][:8], world.ids[1][:8]
    done = lode_offline("diff", first, second, "-w", world.path)
    assert "operator view" in done.stderr and "operator view" not in done.stdout
    for text in ("documents 4 → 4: 1 added, 1 removed, 1 changed", "pages/plain.md was deleted", "active → contested",
                 "a rival came “90 metres”: pages/towers.md is a new document", "start_min: 2001-01-01 → 2002-01-01"):
        assert text in done.stdout
    told = lode_offline.json("diff", first, second, "--level", "nugget", "--limit", "2", "-w", world.path)
    assert told == json.loads(json.dumps(world.diff(0, 1, levels=["nugget"], limit=2)))
    back = lode_offline("diff", "-w", world.path)  # previous is what readers saw before the rollback
    assert back.stdout.startswith(f"{world.ids[3]} → {world.ids[4]}") and "config chunk.target_tokens: 12 → " in back.stdout
    assert lode_offline("diff", "current", "-w", world.path).stdout.startswith(f"{world.ids[4]} → {world.ids[4]}: the same release")
    lode_offline("diff", "--level", "sentence", "-w", world.path, code=2)


def test_trace_follows_an_id_whose_year_moved_twice(world):
    first = world.one("nuggets", "predicate = 'chief_executive_officer' AND object = 'Ada Long'", 0)
    second = world.one("nuggets", "predicate = 'chief_executive_officer' AND object = 'Ada Long'", 1)
    third = world.one("nuggets", "predicate = 'chief_executive_officer' AND object = 'Ada Long'", 2)
    t = trace(world.wh, first[:12])
    assert (t["id"], t["kind"], t["held"], t["current"]) == (first, "nugget", False, world.ids[2])
    assert t["first"]["release"] == t["last"]["release"] == world.ids[0]
    assert [s["event"] for s in t["stands"]] == ["came", "went", "absent", "absent", "absent"]
    gone = t["gone"]
    assert (gone["release"], gone["after"], gone["action"]) == (world.ids[1], world.ids[0], "publish")
    assert gone["why"][0].startswith("its start moved from 2001-01-01 to 2002-01-01")
    assert any("pages/acme.md was edited" in w for w in gone["why"])
    assert [(c["id"], c["release"]) for c in gone["chain"]] == [(second, world.ids[1]), (third, world.ids[2])]
    assert gone["now"]["nugget_id"] == third and gone["now"]["start_min"] == "2003-01-01"
    assert trace(world.wh, third)["held"]


def test_trace_tells_the_change_of_a_state(world):
    t = trace(world.wh, world.one("nuggets", "predicate = 'height' AND object LIKE '88%'", 0))
    assert t["held"] and t["gone"] is None
    assert [s["event"] for s in t["stands"]][:3] == ["came", "changed", "same"]
    changed = t["stands"][1]
    assert changed["changes"]["state"] == ["active", "contested"] and t["stands"][0]["state"]["state"] == "active"
    assert "a rival came “90 metres”: pages/towers.md is a new document" in changed["why"]


def test_trace_of_what_a_deleted_document_held(world):
    document = world.one("documents", "uri = 'plain.md'", 0)
    con = open_release(world.wh, world.ids[0]).connect()
    ids = {"document": document}
    for kind, table in (("version", "versions"), ("chunk", "chunks"), ("element", "elements"), ("mention", "mentions"), ("claim", "claims")):
        ids[kind] = con.execute(f"SELECT min({kind}_id) FROM {table} WHERE document_id = '{document}'").fetchall()[0][0]
    ids["entity"] = con.execute("SELECT entity_id FROM entities WHERE surface = 'Erik Dahl'").fetchall()[0][0]
    con.close()
    for kind, wanted in ids.items():
        t = trace(world.wh, wanted)
        assert (t["kind"], t["held"]) == (kind, False), kind
        assert t["last"]["release"] == world.ids[0] and t["gone"]["release"] == world.ids[1]
        assert "pages/plain.md was deleted" in t["gone"]["why"], (kind, t["gone"]["why"])
        assert t["gone"]["chain"] == [] and t["gone"]["now"] is None


def test_trace_of_an_edited_text(world):
    chunk = world.one("chunks", "text LIKE '%from 2001%'", 0)
    now = world.one("chunks", "text LIKE '%from 2003%'", 2)
    t = trace(world.wh, chunk)
    assert t["gone"]["cause"]["kind"] == "document_edited"
    assert [c["how"] for c in t["gone"]["chain"]] == ["lineage", "lineage"] and t["gone"]["now"]["chunk_id"] == now
    con = open_release(world.wh, world.ids[0]).connect()
    (version, element, claim), = con.execute(f"""SELECT c.version_id, e.element_id, l.claim_id FROM chunks c JOIN elements e
        ON list_contains(c.element_ids, e.element_id) JOIN claims l USING (chunk_id)
        WHERE c.chunk_id = '{chunk}' AND e.kind = 'paragraph' AND l.object = 'Ada Long'""").fetchall()
    con.close()
    for wanted in (version, element, claim):
        t = trace(world.wh, wanted)
        assert len(t["gone"]["chain"]) == 2 and t["gone"]["now"] is not None, t["kind"]
        assert "pages/acme.md was edited" in t["gone"]["why"][0]


def test_trace_of_what_changed_its_readers(world):
    public = world.all("nuggets", "subject = 'Borin' AND label = 'public'", 0)
    assert public
    for wanted in public:
        t = trace(world.wh, wanted)
        assert t["gone"]["release"] == world.ids[2]
        assert any("the readers of memos/memo.md changed: public → board" in w for w in t["gone"]["why"])
        assert t["gone"]["chain"][-1]["how"].endswith("for readers board") and t["gone"]["now"]["label"] == "board"


def test_trace_over_settings_and_a_rollback(world):
    fresh = world.all("chunks", "title = 'Acme Corporation'", 3)
    old = world.all("chunks", "title = 'Acme Corporation'", 2)
    came = trace(world.wh, next(c for c in fresh if c not in old))
    assert [s["event"] for s in came["stands"]] == ["absent", "absent", "absent", "came", "went"]
    assert "chunk.target_tokens" in came["stands"][3]["why"][0]
    assert came["gone"]["action"] == "rollback" and came["gone"]["why"][0].startswith(f"rollback to release {world.ids[2]}")
    assert came["gone"]["now"]["chunk_id"] in old
    back = trace(world.wh, next(c for c in old if c not in fresh))
    assert back["held"] and [s["event"] for s in back["stands"]][2:] == ["came", "went", "came"]
    assert "chunk.target_tokens" in back["stands"][3]["why"][0]


def test_trace_says_which_releases_were_collected(world, tmp_path):
    wanted = world.one("nuggets", "predicate = 'chief_executive_officer' AND object = 'Ada Long'", 0)
    chunk = world.one("chunks", "text LIKE '%from 2001%'", 0)
    second = world.one("nuggets", "predicate = 'chief_executive_officer' AND object = 'Ada Long'", 1)
    third = world.one("nuggets", "predicate = 'chief_executive_officer' AND object = 'Ada Long'", 2)
    copy = tmp_path / "wh"
    shutil.copytree(world.path, copy)
    (copy / "releases" / f"{world.ids[0]}.json").unlink()
    wh = Warehouse.open(copy)
    t = trace(wh, chunk)  # known by the lineage of the release after it alone
    assert t["first"] is None and t["stands"][0]["event"] == "unreadable" and "no longer readable" in t["gone"]["why"][0]
    assert t["gone"]["release"] == world.ids[1] and len(t["gone"]["chain"]) == 2 and t["gone"]["now"]
    t = trace(wh, wanted)
    assert t["kind"] == "nugget" and t["lineage"][0]["old_id"] == wanted
    t = trace(wh, second)
    assert t["first"]["release"] == world.ids[1] and t["notes"][1] == "a release before the first one named may have held it"
    assert t["gone"]["chain"] == [{"id": third, "how": t["gone"]["chain"][0]["how"], "release": world.ids[2]}]


def test_trace_refuses_what_no_release_holds(world):
    with pytest.raises(LodeError, match=r"no nugget, document, .* in any of 4 release"):
        trace(world.wh, "0123456789abcdef01234567")
    with pytest.raises(UsageError, match="is no id"):
        trace(world.wh, "acme.md")
    with pytest.raises(UsageError, match="is no id"):
        trace(world.wh, "abc")


def test_trace_on_the_command_line(world, lode_offline):
    wanted = world.one("nuggets", "predicate = 'chief_executive_officer' AND object = 'Ada Long'", 0)
    done = lode_offline("trace", wanted[:10], "-w", world.path)
    assert "operator view" in done.stderr
    for text in (f"first held by {world.ids[0]}", f"gone in {world.ids[1]}", "its start moved from 2001-01-01 to 2002-01-01", "now there: Acme Corporation"):
        assert text in done.stdout
    assert lode_offline.json("trace", wanted, "-w", world.path) == json.loads(json.dumps(trace(world.wh, wanted)))
    lode_offline("trace", "0123456789abcdef", "-w", world.path, code=1)


def test_sections_are_those_that_the_stages_declare():
    from tasks.registry import all_stages

    assert {s.name: s.config for s in all_stages()} == SECTIONS
