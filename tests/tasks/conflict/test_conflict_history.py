"""Claims that the history of their page takes back: kept as deprecated nuggets, and no rival of anything."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.conflict.codes import REASONS, RULES
from tests.tasks.conflict.conflict_cases import claim, listed, one, run, states

PIN = {"subject": "acme", "predicate": "chief_executive_officer", "object": "Zorg", "day": "2012-01-01", "reason": "Known."}
UNDONE = ("corrected", "vandalism")


def undone(name: str, obj: str = "Zorg", why: str = "vandalism", since: str | None = "2010", until: str | None = "2015", **more) -> dict:
    return claim(name, obj, since, until, history=why, **more)


@pytest.mark.parametrize("why", UNDONE)
def test_it_is_kept_as_deprecated_and_says_why(why):
    (nugget,) = listed([undone("z", why=why)])
    assert (nugget["state"], nugget["reason"], nugget["confidence"], nugget["claim_ids"]) == ("deprecated", why, 0, ["z"])
    (decision,) = [d for d in run([undone("z", why=why)])["decisions"].to_pylist() if d["nugget_id"]]
    assert (decision["rule"], decision["verdict"], decision["reason"]) == ("page_history", "deprecated", why)
    assert why in REASONS and "page_history" in RULES


@pytest.mark.parametrize("why", UNDONE)
@pytest.mark.parametrize("dates", [("2010", "2015"), ("2010", None), (None, None)])
def test_it_outvotes_and_contests_nobody_however_many_say_it(why, dates):
    rows = [claim("a", "Ann", *dates), *(undone(f"z{n}", why=why, since=dates[0], until=dates[1]) for n in range(4))]
    assert states(rows) == {"Ann": ("active", "uncontradicted"), "Zorg": ("deprecated", why)}
    (alone,), (ann,) = listed([claim("a", "Ann", *dates)]), [n for n in listed(rows) if n["object"] == "Ann"]
    assert ann == alone, "every column of the rival is as without it"


@pytest.mark.parametrize("why", UNDONE)
def test_it_closes_no_tenure_and_is_no_ones_follower(why):
    rows = [claim("a", "Ann", "1990"), undone("z", why=why, since="2000", until=None), claim("b", "Bob", "2010")]
    ann, bob, zorg = one(rows, "Ann"), one(rows, "Bob"), one(rows, "Zorg")
    assert (ann["end_min"], ann["end_max"], ann["superseded_by"]) == ("2010-01-01", "2010-12-31", [bob["nugget_id"]])
    assert bob["supersedes"] == [ann["nugget_id"]] and (zorg["supersedes"], zorg["superseded_by"]) == ([], [])


def test_a_value_that_one_page_takes_back_and_another_says_is_told_once_as_fact():
    rows = [undone("z", why="corrected", doc="d1"), claim("a", "Zorg", "2010", "2015", doc="d2")]
    active, taken_back = sorted(listed(rows), key=lambda n: n["state"])
    assert (active["state"], active["claim_ids"], active["source_groups"]) == ("active", ["a"], ["d2"])
    assert (taken_back["state"], taken_back["reason"], taken_back["claim_ids"]) == ("deprecated", "corrected", ["z"])
    assert active["nugget_id"] != taken_back["nugget_id"]


def test_what_was_corrected_and_what_was_vandalism_stay_apart():
    rows = [undone("c", why="corrected", doc="d1"), undone("v", why="vandalism", doc="d2")]
    assert sorted((n["reason"], n["claim_ids"]) for n in listed(rows)) == [("corrected", ["c"]), ("vandalism", ["v"])]


@pytest.mark.parametrize("history", ["succeeded", "removed"])
def test_what_ended_or_was_left_out_is_a_fact_like_others(history):
    assert states([claim("a", "Ann", "2010", "2015", history=history)]) == {"Ann": ("active", "uncontradicted")}
    rows = [claim("a", "Ann", "2010", "2015", history=history), claim("b", "Bob", "2010", "2015")]
    assert states(rows) == {"Ann": ("contested", "equal_evidence"), "Bob": ("contested", "equal_evidence")}


@pytest.mark.parametrize("why", UNDONE)
def test_a_pin_wins_over_the_page(why):
    rows = [claim("a0", "Ann", "2010", "2015"), claim("a1", "Ann", "2010", "2015"), undone("z", why=why)]
    assert states(rows, overrides={"pin": [PIN]}) == {"Ann": ("deprecated", "outvoted"), "Zorg": ("active", "pinned")}
    assert one(rows, "Zorg", overrides={"pin": [PIN]})["confidence"] == 1
    assert states(rows[2:], overrides={"pin": [PIN]}) == {"Zorg": ("active", "pinned")}


@pytest.mark.parametrize("kind", ["pin", "suppress"])
def test_an_override_names_what_is_said_before_what_was_taken_back(kind):
    rows = [claim("a", "Zorg", "2010", "2015", doc="d1"), undone("z", doc="d2")]
    expected = {"pin": ("active", "pinned"), "suppress": ("deprecated", "suppressed")}[kind]
    found = {tuple(n["claim_ids"]): (n["state"], n["reason"]) for n in listed(rows, overrides={kind: [PIN]})}
    assert found == {("a",): expected, ("z",): ("deprecated", "vandalism")}
    assert run(rows, overrides={kind: [PIN]})["quarantine"].num_rows == 0


def test_a_suppression_beside_a_pin_wins_in_either_order():
    both = {"pin": [PIN], "suppress": [PIN]}
    assert states([undone("z")], overrides=both) == states([claim("z", "Zorg", "2010", "2015")], overrides=both)


@pytest.mark.parametrize("why", UNDONE)
def test_where_values_may_hold_together_it_is_deprecated_too(why):
    rows = [claim("a", "Ann", "2010", predicate="employer"), undone("z", why=why, until=None, predicate="employer")]
    assert states(rows) == {"Ann": ("active", "uncontradicted"), "Zorg": ("deprecated", why)}


def test_a_plan_that_was_gone_before_its_day_came_is_not_told_as_what_happened():
    """Said on 1 January 2018 that it begins in 2019; the page told so until 2018, or until 2020."""
    plan = dict(modality="planned", since="2019-05-01", source_date=1_600_000_000)

    def verdict(gone):
        return run([claim("p", "Ann", plan["since"], modality="planned", source_date=plan["source_date"], recorded_to=gone)])["nuggets"].num_rows

    assert [verdict(gone) for gone in (None, 1_590_000_000, 1_530_000_000)] == [1, 1, 0]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["Ann", "Bob"]), st.sampled_from(["2001", "2005", "2010", None]), st.sampled_from(["2008", "2012", None]),
                          st.integers(0, 3)), min_size=1, max_size=5),
       st.lists(st.tuples(st.sampled_from(["Ann", "Zorg", "Yak"]), st.sampled_from(["2001", "2007", None]), st.sampled_from(["2011", None]),
                          st.sampled_from(UNDONE), st.integers(0, 5)), min_size=1, max_size=4),
       st.sampled_from(["chief_executive_officer", "employer", "acquired"]))
def test_what_is_taken_back_changes_no_column_of_another_nugget(kept, taken, predicate):
    def legal(since, until):
        return since, until if since is None or until is None or until > since else None

    rows = [claim(f"k{n}", obj, *legal(a, b), doc=f"d{d}", predicate=predicate) for n, (obj, a, b, d) in enumerate(kept)]
    more = [undone(f"u{n}", obj, why, *legal(a, b), doc=f"d{d}", predicate=predicate) for n, (obj, a, b, why, d) in enumerate(taken)]
    out = run(rows + more)
    taken_back = {n["nugget_id"] for n in out["nuggets"].to_pylist() if n["reason"] in UNDONE}
    assert [n for n in out["nuggets"].to_pylist() if n["nugget_id"] not in taken_back] == (alone := run(rows))["nuggets"].to_pylist()
    assert [d for d in out["decisions"].to_pylist() if d["nugget_id"] not in taken_back] == alone["decisions"].to_pylist()
    told = [i for n in out["nuggets"].to_pylist() if n["nugget_id"] in taken_back for i in n["claim_ids"]]
    assert sorted(told) == sorted(r["claim_id"] for r in more)
