"""What kind of change one text for another is, and the rows of `changes` that the lifetimes of a page's blocks give."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.ids import document_id
from schemas.tables import TABLES
from tasks.validity.changes import find_changes, pair_sentences
from tasks.validity.kinds import tell_kind

DAY = 86400
PAGE = document_id("test", "page")


@pytest.mark.parametrize(("old", "new", "slot", "verdict", "rule"), [
    ("", "Ann Birk", "leader", "addition", "empty_old"),
    ("Ann Birk", "", "leader", "removal", "empty_new"),
    ("Ann Birk", "(…)", "leader", "removal", "empty_new"),
    ("Ann Birk", "Ann Birk", "leader", "", "same"),
    ("Ann Birk", "ann  birk", "leader", "", "same"),
    ('"Harbour Line"', "Harbour Line", "name", "correction", "same"),
    ("May 4, 1931", "4 May 1931", "inaugurated", "correction", "same"),
    ("4th May 1931", "1931-05-04", "inaugurated", "correction", "same"),
    ("4 May, 1931", "4 May 1931", "inaugurated", "correction", "same"),
    ("1931-5-4", "May 4th, 1931", "inaugurated", "correction", "same"),
    ("Dec. 1931", "December 1931", "inaugurated", "correction", "same"),
    ("1997–present", "1997–2011", "years_active", "succession", "closed"),
    ("1997–", "1997–2011", "years_active", "succession", "closed"),
    ("Carl Dorn (2015–present)", "Carl Dorn (2015–2020)", "leader", "succession", "closed"),
    ("Ann Birk (incumbent)", "Ann Birk (until 2019)", "mayor", "succession", "closed"),
    ("4 May 1931", "5 May 1931", "birth_date", "correction", "fixed_kind"),
    ("1950", "1952", "opened", "correction", "fixed_kind"),
    ("Ann Birk", "Carl Dorn", "founder", "correction", "fixed_kind"),
    ("Ann Birk", "Carl Dorn", "director", "correction", "fixed_kind"),
    ("4,100 (2015)", "4,900 (2020)", "population", "succession", "later_date"),
    ("as of May 2015", "as of June 2016", "staff_year", "succession", "later_date"),
    ("31/12/2019", "31/12/2020", "as_of", "succession", "later_date"),
    ("2015", "2017", "population_as_of", "succession", "later_date"),
    ("Season 3 (2018)", "Season 4 (2019)", "latest", "succession", "later_date"),
    ("14", "15", "num_seasons", "succession", "figure"),
    ("4,100", "4,900", "population", "succession", "figure"),
    ("4,100 (2015)", "4,200 (2015)", "population", "correction", "figure"),
    ("2017", "2015", "population_as_of", "correction", "figure"),
    ("2015", "March 2015", "population_as_of", "correction", "figure"),
    ("March 2015", "2015", "population_as_of", "correction", "figure"),
    ("Ann Birk", "Ann Maria Birk", "leader", "correction", "fuller"),
    ("Lenz, Karst", "Lenz", "city", "correction", "fuller"),
    ("Margarete Birk", "Margarethe Birk", "leader", "correction", "spelling"),
    ("José Núñez", "Jose Nunez", "leader", "correction", "spelling"),
    ("Ann Birk", "Carl Dorn", "leader", "succession", "replaced"),
    ("red; white", "green; gold", "colours", "succession", "replaced"),
])
def test_kinds_of_change_in_a_slot(old, new, slot, verdict, rule):
    assert tell_kind(old, new, slot=slot) == (verdict, rule)


@pytest.mark.parametrize(("old", "new", "verdict", "rule"), [
    ("", "It closed.", "addition", "empty_old"),
    ("It closed.", "", "removal", "empty_new"),
    ("It opened on May 4, 1931.", "It opened on 4 May 1931.", "correction", "same"),
    ("Ann Birk has led the firm (2012–present).", "Ann Birk has led the firm (2012–2019).", "succession", "closed"),
    ("As of 2015 the town has 4,100 homes.", "As of 2020 the town has 4,900 homes.", "succession", "later_date"),
    ("The firm now employs 31 people.", "The firm now employs 78 people.", "succession", "figure"),
    ("The band played 31 times in Lenz.", "The band played 12 times in Lenz.", "correction", "figure"),
    ("The mill was built in 1931.", "The mill was built in 1913.", "correction", "slip"),
    ("The mill was built in 1931.", "The mill was built in 1879.", "correction", "figure"),
    ("The current mayor is Ann Birk.", "The current mayor is Carl Dorn.", "succession", "name"),
    ("The mill is on the rivver Karst.", "The mill is on the river Karst.", "correction", "spelling"),
    ("The mill is the river Karst.", "The mill is by the old river Karst.", "correction", "small"),
    ("The line serves the villages in the north.", "The line serves the villages of the north.", "wording", "reworked"),
    ("The bridge was not rebuilt after the flood there.", "The bridge was rebuilt after the flood there.", "correction", "facts"),
    ("The songs of the 1980s were loud.", "The songs of the 80s were loud.", "correction", "spelling"),
    ("Ann Birk leads the firm.", "Ann Birk led the firm until 2019.", "succession", "over"),
    ("The cup was won in 1997 and 2001.", "The cup was won in 1997, 2001 and 2005.", "succession", "later_date"),
    ("The mill stood by the river.", "Carl Dorn wrote forty songs about winter.", "succession", "replaced"),
    ("The line runs along the coast and serves nine quiet villages there.",
     "Running along the coast, the line calls at nine small villages on its way.", "wording", "reworked"),
])
def test_kinds_of_change_in_prose(old, new, verdict, rule):
    assert tell_kind(old, new, prose=True) == (verdict, rule)


def test_another_page_in_a_footnote_is_a_correction():
    assert tell_kind("Dorn 2001, p. 4", "Dorn 2008, p. 9", prose=True, citation=True) == ("correction", "citation")


_ANY = st.text("aB 1902,–()é", max_size=14)


@settings(max_examples=300, deadline=None)
@given(_ANY, _ANY, st.sampled_from(["", "population", "born"]), st.booleans())
def test_any_two_texts_get_a_verdict_that_exists(old, new, slot, prose):
    verdict, rule = tell_kind(old, new, slot=slot, prose=prose)
    assert verdict in ("succession", "correction", "wording", "removal", "addition", "") and rule
    assert tell_kind(old, old, slot=slot, prose=prose) == ("", "same")


NOISE = {"d": "duplicate", "r": "reverted", "v": "vandalism", "b": "blanked"}


def tables(revisions, says, *, same=None, undone=None):
    """`revisions`: words of a letter and the blocks shown, a letter each ("sab"), named 1, 2, ... a day apart; s
    stands, d is a null edit, r, v, b are noise, x is withheld. `says`: block -> text of a paragraph, infobox fields as
    a dict, or rows (kind, text). `undone`: revision -> what undid it."""
    words = list(enumerate(revisions.split(), 1))
    versions = [
        {"version_id": f"v{n}", "document_id": PAGE, "revision": str(n), "time": n * DAY, "content_hash": f"h{n}",
         "status": "suppressed" if word[0] == "x" else "ok", "noise": NOISE.get(word[0], ""),
         "undone_by": (undone or {}).get(str(n))}
        for n, word in words
    ]
    blocks = [
        {"block_id": b, "document_id": PAGE, "text": b, "same_as": (same or {}).get(b)}
        for b in sorted({b for _, word in words for b in word[1:]} | set(says))
    ]
    told = [row for block, said in says.items() for row in elements(block, said)]
    made = {"elements": told, "lifetimes": runs(words), "versions": versions, "blocks": blocks}
    return {name: TABLES[name].from_rows(rows) for name, rows in made.items()}


def runs(words):
    """Lifetimes: over the revisions that stand, and over the noise for a block that no other showed."""
    out, standing = [], [(n, word[1:]) for n, word in words if word[0] == "s"]
    for block in sorted({b for _, shown in standing for b in shown}):
        first = None
        for at, (n, shown) in enumerate([*standing, (0, "")]):
            if block in shown:
                first = n if first is None else first
            elif first is not None:
                out.append((block, first, standing[at - 1][0], n, "gone") if n else (block, first, 0, 0, "standing"))
                first = None
    for n, word in words:
        known = {block for block, *_ in out}
        out += [(b, n, n, n + 1, NOISE[word[0]]) for b in word[1:] if word[0] in "rvb" and b not in known]
    return [
        {"block_id": block, "document_id": PAGE, "first_revision": str(first), "from_time": first * DAY,
         "last_revision": str(last) if last else None, "to_time": last * DAY if last else None,
         "gone_revision": str(gone) if gone else None, "gone_time": gone * DAY if gone else None, "status": status}
        for block, first, last, gone, status in out
    ]


def elements(block, said):
    told = [("paragraph", said)] if isinstance(said, str) else said
    if isinstance(said, dict):
        told = [("field", f"{name}: {value}", name, value) for name, value in said.items()]
    for n, (kind, text, *cell) in enumerate(told):
        yield {
            "element_id": f"{block}{n}", "document_id": PAGE, "version_id": "v1", "block_id": block, "kind": kind,
            "ordinal": 100 * ord(block) + n, "heading_path": [], "text": text, "source_spans": [],
            "cells": [{"name": cell[0], "text": cell[1], "source_spans": []}] if cell else None,
        }


def changes(revisions, says, **more):
    out = find_changes({}, tables(revisions, says, **more))["changes"]
    assert out.schema == TABLES["changes"].schema()
    rows = sorted(out.to_pylist(), key=lambda r: (int(r["first_revision"]), r["slot"], r["old_text"], r["new_text"]))
    assert len({r["change_id"] for r in rows}) == len(rows)
    return rows


def brief(rows, *names):
    return [tuple(r[n] for n in names or ("slot", "old_text", "new_text", "verdict")) for r in rows]


def between(rows):
    return brief(rows, "last_revision", "first_revision")


ANN, CARL = {"name": "Lenz", "mayor": "Ann Birk"}, {"name": "Lenz", "mayor": "Carl Dorn"}


def test_a_parameter_that_gets_another_value_was_succeeded():
    rows = changes("sa sa sb", {"a": ANN, "b": CARL})
    assert brief(rows) == [("parameter:mayor", "Ann Birk", "Carl Dorn", "succession")]
    assert between(rows) == [("2", "3")] and rows[0]["reason"] == "replaced"
    assert [rows[0][n].timestamp() for n in ("to_time", "from_time")] == [2 * DAY, 3 * DAY]


def test_a_birth_that_gets_another_day_was_corrected():
    rows = changes("sa sb", {"a": {"birth_date": "4 May 1931"}, "b": {"birth_date": "6 May 1931"}})
    assert brief(rows) == [("parameter:birth_date", "4 May 1931", "6 May 1931", "correction")]


def test_parameters_come_and_go():
    rows = changes("sa sb", {"a": ANN, "b": {"name": "Lenz", "river": "Karst"}})
    assert brief(rows) == [
        ("parameter:mayor", "Ann Birk", "", "removal"), ("parameter:river", "", "Karst", "addition")]


def test_a_value_that_moves_to_another_key_was_renamed():
    rows = changes("sa sb", {"a": {"leader": "Ann Birk"}, "b": {"leader_name": "Ann Birk"}})
    assert brief(rows, "slot", "verdict", "reason") == [
        ("parameter:leader", "rename", "moved"), ("parameter:leader_name", "rename", "moved")]


def test_a_value_that_moves_to_another_key_in_full_was_renamed():
    rows = changes("sa sb", {"a": {"leader": "Ann Birk"}, "b": {"leader_name": "Ann Birk (Greens)"}})
    assert {r["verdict"] for r in rows} == {"rename"}


def test_a_value_that_comes_back_was_reverted_to():
    rows = changes("sa sb sa", {"a": ANN, "b": CARL})
    assert brief(rows, "first_revision", "verdict", "reason") == [
        ("2", "succession", "replaced"), ("3", "revert", "shown_before")]


def test_pictures_case_and_blanks_are_no_change():
    first, second = {"image": "Old mill.jpg", "name": "Lenz  Mill"}, {"image": "New mill.PNG", "name": "lenz mill"}
    assert changes("sa sb", {"a": first, "b": second}) == []


def test_markup_alone_is_no_change():
    assert changes("smr snr", {"n": "The mill is old.", "r": "It is wet."}, same={"m": "n"}) == []


def test_a_paragraph_that_moves_is_no_change():
    assert changes("sab sba", {"a": "The mill is old.", "b": "It is wet."}) == []
    assert changes("sab sc", {"a": "The mill is old.", "b": "It is wet.", "c": "It is wet. The mill is old."}) == []


def test_a_null_edit_shows_what_stood_before_it():
    rows = changes("sa da da sb", {"a": ANN, "b": CARL})
    assert between(rows) == [("3", "4")] and rows[0]["to_time"].timestamp() == 3 * DAY


def test_a_withheld_revision_is_neither_the_last_nor_the_first():
    assert between(changes("sa x sb", {"a": ANN, "b": CARL})) == [("1", "3")]


def test_of_a_paragraph_only_the_sentence_that_differs_is_told():
    old = "The mill stands at Lenz. The current owner is Ann Birk. It grinds oats."
    new = "The mill stands at Lenz. The current owner is Carl Dorn. It grinds oats. It has two wheels."
    assert brief(changes("sa sb", {"a": old, "b": new})) == [
        ("text", "", "It has two wheels.", "addition"),
        ("text", "The current owner is Ann Birk.", "The current owner is Carl Dorn.", "succession"),
    ]


def test_equal_sentences_that_go_are_each_a_row():
    rows = changes("sab sc", {"a": "It closed. Snow. It closed.", "b": "It closed.", "c": "Snow."})
    assert brief(rows) == [("text", "It closed.", "", "removal")] * 3


def test_footnotes_are_citations():
    first, second = ([("paragraph", "The mill is old."), ("footnote", f"Dorn 2001, p. {n}")] for n in (4, 9))
    (row,) = changes("sa sb", {"a": first, "b": second})
    assert (row["old_text"], row["new_text"]) == ("Dorn 2001, p. 4", "Dorn 2001, p. 9")
    assert (row["slot"], row["verdict"], row["reason"]) == ("text", "correction", "citation")


def test_noise_and_what_undid_it_are_rows_of_the_page_and_cut_nothing():
    rows = changes("sa vz sa", {"a": ANN, "z": {"mayor": "Zorro"}}, undone={"2": "3"})
    assert brief(rows) == [("page", "", "", "vandalism"), ("page", "", "", "revert")]
    assert between(rows) == [("1", "2"), ("2", "3")] and brief(rows, "reason") == [("vandalism",), ("undid",)]


def test_what_undid_several_is_told_once():
    rows = changes("sa ry b sa", {"a": "The mill is old.", "y": "No."}, undone={"2": "4", "3": "4"})
    assert brief(rows, "first_revision", "verdict", "reason") == [
        ("2", "vandalism", "reverted"), ("3", "vandalism", "blanked"), ("4", "revert", "undid")]


def test_an_edit_across_noise_is_told_between_the_revisions_that_count():
    rows = changes("sa vz sb", {"a": ANN, "b": CARL, "z": {"mayor": "Zorro"}}, undone={"2": "3"})
    assert brief(rows, "slot", "last_revision", "first_revision", "verdict") == [
        ("page", "1", "2", "vandalism"), ("page", "2", "3", "revert"), ("parameter:mayor", "1", "3", "succession")]


def test_noise_at_the_very_beginning_has_nothing_before_it():
    rows = changes("vz sa", {"a": "The mill is old.", "z": "No."}, undone={"1": "2"})
    assert between(rows) == [(None, "1"), ("1", "2")]


def test_the_first_revision_and_a_page_that_never_changes_give_no_rows():
    assert changes("sa", {"a": ANN}) == []
    assert changes("sa sa da sa", {"a": ANN}) == []


def test_the_pairs_of_sentences():
    old = ["The mill is at Lenz.", "It has one wheel.", "It is old."]
    new = ["It is old.", "It has two wheels.", "Carl Dorn wrote forty songs."]
    assert pair_sentences(old, new) == [
        ("The mill is at Lenz.", ""), ("It has one wheel.", "It has two wheels."), ("", "Carl Dorn wrote forty songs.")]
    assert pair_sentences(old, old[::-1]) == []
    assert pair_sentences(["A one."] * 2, ["A one."]) == [("A one.", "")]


_SENTENCE = st.sampled_from(["The mill is old.", "The mill is very old.", "Carl wrote songs.", "It is wet.", "Rain."])


@settings(max_examples=200, deadline=None)
@given(st.lists(_SENTENCE, max_size=6), st.lists(_SENTENCE, max_size=6))
def test_pairs_leave_out_nothing_and_tell_nothing_twice(old, new):
    pairs = pair_sentences(old, new)
    gone, came = [a for a, _ in pairs if a], [b for _, b in pairs if b]
    for sentence in {*old, *new}:
        more = old.count(sentence) - new.count(sentence)
        assert (gone.count(sentence), came.count(sentence)) == (max(0, more), max(0, -more))


def test_many_sentences_are_paired_in_order():
    old, new = [f"Old {n}." for n in range(250)], [f"New {n}." for n in range(240)]
    pairs = pair_sentences(["Same.", *old], ["Same.", *new])
    assert [a for a, _ in pairs] == old and [b for _, b in pairs if b] == new


_SAYS = {"a": {"mayor": "Ann Birk", "river": "Karst"}, "b": {"mayor": "Carl Dorn"},
         "c": "It is wet. It is old.", "d": "It is wet. It is new. It is new."}
_BLOCKS = st.sets(st.sampled_from("abcd"), max_size=3).map(sorted).map("".join)
_WORD = st.builds("{}{}".format, st.sampled_from("sssdrvx"), _BLOCKS)


@settings(max_examples=100, deadline=None)
@given(st.lists(_WORD, min_size=1, max_size=7), st.randoms(use_true_random=False))
def test_the_order_of_rows_is_irrelevant_and_ids_are_unique(words, rng: random.Random):
    made = tables(" ".join(words), _SAYS)
    out = find_changes({}, made)["changes"]
    for name in ("elements", "blocks", "versions"):
        order = pa.array(rng.sample(range(made[name].num_rows), made[name].num_rows), pa.int64())
        made[name] = made[name].take(order)
    assert find_changes({}, made)["changes"].equals(out)
    assert len(set(out["change_id"].to_pylist())) == out.num_rows
    standing = {str(n) for n, word in enumerate(words, 1) if word[0] == "s"}
    for row in out.to_pylist():
        assert row["slot"] == "page" or (row["old_text"] != row["new_text"] and row["first_revision"] in standing)
