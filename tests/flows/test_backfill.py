"""`lode backfill`: facts over time from the revisions of a wiki, what became of them, and what may be chosen."""

import subprocess

import pytest

from tests.flows.conftest import LODE
from tests.flows.histories import REVISIONS, write_export
from tests.flows.small import table_hashes

CEO = "Who is the CEO of Acme Pumps?"


@pytest.fixture(scope="module")
def built(lode, without_vectors, tmp_path_factory):
    folder = tmp_path_factory.mktemp("backfill")
    dump = write_export(folder / "wiki.xml.bz2")
    done = lode.json("backfill", dump, "--acl", "public", "-c", without_vectors, "-w", folder / "wh", "--workers", "1")
    return folder / "wh", done


def rows(lode_offline, wh, query):
    return lode_offline.json("sql", query, "-w", wh)


def first(lode_offline, wh, *options):
    return lode_offline.json("query", CEO, "-w", wh, *options)["results"][0]


def test_who_led_is_told_for_each_day(built, lode_offline):
    wh, done = built
    assert done["published"] and done["errors"] == 0
    for day, name in (("2012-01-01", "Ada Long"), ("2013-02-01", "Ada Long"), ("2014-05-01", "Ada Long"), ("2015-01-01", "Bert Moss")):
        assert first(lode_offline, wh, "--at", day)["object"] == name, day
    told = first(lode_offline, wh, "--at", "2012-01-01")
    assert told["state"] == "active" and told["valid"]["end_basis"] in ("revision", "succession")
    assert told["valid"]["end_max"] <= "2014-05-20" and told["valid"]["end_min"] >= "2013-02-01"


def test_what_the_encyclopedia_said_on_a_day(built, lode_offline):
    wh, _ = built
    assert first(lode_offline, wh, "--known-at", "2013-12-31")["object"] == "Ada Long"
    assert first(lode_offline, wh, "--known-at", "2018-12-31")["object"] == "Bert Moss"


def test_noise_cuts_no_lifetime_and_is_told_as_what_it_is(built, lode_offline):
    wh, _ = built
    noise = {r["revision"]: r["noise"] for r in rows(lode_offline, wh, "SELECT revision, noise FROM versions WHERE noise <> ''")}
    assert set(noise) == {"103", "105", "110"} and noise["110"] == "duplicate"
    states = {r["object"]: (r["state"], r["reason"]) for r in rows(
        lode_offline, wh, "SELECT object, state, reason FROM nuggets WHERE predicate = 'chief_executive_officer'")}
    assert states["Ada Long"][0] == "active" and states["Bert Moss"][0] == "active"
    assert states["Zorg Nine"] == ("deprecated", "vandalism")
    assert states["Bert Mos"] == ("deprecated", "corrected")
    changes = {(r["slot"], r["old_text"], r["new_text"]): r["verdict"] for r in rows(
        lode_offline, wh, "SELECT slot, old_text, new_text, verdict FROM changes WHERE starts_with(slot, 'parameter:')")}
    assert changes[("parameter:num_employees", "400 (2009)", "420 (2010)")] == "succession"
    assert not any("Zorg" in text for key in changes for text in key)


def test_a_passage_of_the_past_is_found_for_its_time_alone(built, lode_offline):
    wh, _ = built
    question = "works at the harbour until the fire"
    texts = [r["text"] for r in lode_offline.json("query", question, "-w", wh)["results"]]
    assert not any("harbour" in t for t in texts)
    for options, there in ((("--at", "2012-01-01"), True), (("--at", "2017-01-01"), False), (("--known-at", "2012-01-01"), True),
                           (("--between", "2016-01-01", "2017-01-01"), True)):
        found = [r for r in lode_offline.json("query", question, "-w", wh, *options)["results"] if "harbour" in r["text"]]
        assert bool(found) == there, options
        assert all(r["state"] == "past" for r in found if "chunk_id" in r)


def test_history_shows_states_and_reasons(built, lode_offline):
    wh, _ = built
    shown = lode_offline("history", "Acme Pumps", "chief_executive_officer", "-w", wh).stdout
    for words in ("Ada Long", "Bert Moss", "vandalism", "corrected", "deprecated"):
        assert words in shown, shown
    assert lode_offline.json("verify", "-w", wh)["clean"]


def test_a_later_dump_gives_what_one_of_everything_gives(built, lode, without_vectors, tmp_path):
    """Older revisions first, then an export of all: the tables are those of the full backfill, byte for byte."""
    wh, _ = built
    old = write_export(tmp_path / "old.xml", REVISIONS[:6])
    new = write_export(tmp_path / "new.xml")
    for dump in (old, new):
        lode("backfill", dump, "--acl", "public", "-c", without_vectors, "-w", tmp_path / "wh", "--workers", "1", "--quiet")
    one, two = table_hashes(wh), table_hashes(tmp_path / "wh")
    from warehouse.layout import Warehouse

    assert Warehouse.open(wh).shards == Warehouse.open(tmp_path / "wh").shards
    for name in set(one) - {"quarantine", "raw", "stretches"}:  # what was read, and from which file
        assert one[name] == two[name], name
    again = write_export(tmp_path / "again.xml")  # and one more of the same pages: nothing of it is parsed anew
    done = lode.json("backfill", again, "--acl", "public", "-c", without_vectors, "-w", tmp_path / "wh", "--workers", "1")
    assert {s["stage"]: s["units_run"] for s in done["stages"]}["parse"] == 0
    three = table_hashes(tmp_path / "wh")
    assert all(one[name] == three[name] for name in set(one) - {"quarantine", "raw", "stretches"})


def test_pages_times_and_numbers_can_be_chosen(lode, lode_offline, without_vectors, tmp_path):
    dump = write_export(tmp_path / "wiki.xml.bz2")
    (tmp_path / "titles.txt").write_text("acme_Pumps\n\n")
    with open(dump, "rb") as source:
        done = subprocess.run(
            [str(LODE), "backfill", "-", "--acl", "public", "-c", str(without_vectors), "-w", str(tmp_path / "wh"), "--pages",
             f"@{tmp_path / 'titles.txt'}", "--from", "2011", "--to", "2014-05", "--max-revisions", "3", "--workers", "1", "--quiet"],
            stdin=source, capture_output=True, text=True, check=False, env=_env(lode), timeout=300,
        )
    assert done.returncode == 0, done.stderr
    held = rows(lode_offline, tmp_path / "wh", "SELECT title, revision FROM versions JOIN documents USING (document_id) ORDER BY time")
    assert [(r["title"], r["revision"]) for r in held] == [("Acme Pumps", "106"), ("Acme Pumps", "107"), ("Acme Pumps", "108")]
    told = rows(lode_offline, tmp_path / "wh", "SELECT detail FROM quarantine WHERE reason = 'not_selected'")
    assert "9 revision(s)" in told[0]["detail"] and "1 page(s)" in told[0]["detail"]
    lode("backfill", dump, "--acl", "public", "--namespaces", "0,1", "-c", without_vectors, "-w", tmp_path / "wh", "--workers", "1", "--quiet")
    titles = {r["title"] for r in rows(lode_offline, tmp_path / "wh", "SELECT title FROM documents")}
    assert titles == {"Acme Pumps", "Borin", "Talk:Acme Pumps"}


def _env(lode):
    import os

    return {**os.environ, **lode.environment}


@pytest.mark.parametrize(("call", "says"), [
    (("notes.md",), "no MediaWiki export"), (("absent.xml",), "no such file"), (("wiki.xml", "--from", "2015", "--to", "2014"), "holds no day"),
    (("wiki.xml", "--namespaces", "zero"), "numbers like"), (("wiki.xml", "--pages", "@absent.txt"), "--pages"), (("-", "-"), "twice"),
    (("wiki.xml", "--from", "soon"), "--from"), (("-",), "empty"),
])
def test_what_cannot_be_taken_is_refused(lode_offline, tmp_path, call, says):
    write_export(tmp_path / "wiki.xml")
    (tmp_path / "notes.md").write_text("# Notes\n")
    done = subprocess.run([str(LODE), "backfill", *call, "--acl", "public", "-w", str(tmp_path / "wh")], cwd=tmp_path, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode in (1, 2) and says in done.stderr and "Traceback" not in done.stderr, done.stderr
