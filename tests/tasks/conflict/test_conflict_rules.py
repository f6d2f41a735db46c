"""Golden cases: each rule of uniting, succession, counting, access and overrides, written by hand."""

from __future__ import annotations

import pytest

from schemas.errors import ConfigError
from schemas.ids import nugget_id
from schemas.time import parse_iso
from tasks.conflict.codes import CONFLICT_TYPES, REASONS, RULES
from tests.tasks.conflict.conflict_cases import CONFIG, claim, listed, one, run, states

# --- uniting


def test_three_documents_are_three_sources_of_one_fact():
    n = one([claim("a", "Ann", "2010"), claim("b", "Ann", "2010"), claim("c", "Ann", "2010")], "Ann")
    assert (n["source_count"], n["source_groups"], n["claim_ids"]) == (3, ["doc-a", "doc-b", "doc-c"], ["a", "b", "c"])
    assert n["confidence"] == pytest.approx(1 - 0.2**3, abs=1e-5)


def test_two_spans_or_two_copies_of_one_source_count_once():
    assert one([claim("a", "Ann", "2010", doc="d"), claim("b", "Ann", "2010", doc="d")], "Ann")["source_count"] == 1
    assert one([claim("a", "Ann", "2010", group="g"), claim("b", "Ann", "2010", group="g")], "Ann")["source_count"] == 1


def test_deleting_one_of_two_sources_keeps_the_fact_and_its_id():
    both, single = [claim("a", "Ann", "2010"), claim("b", "Ann", "2010-04")], [claim("a", "Ann", "2010")]
    assert one(both, "Ann")["nugget_id"] == one(single, "Ann")["nugget_id"]
    assert (one(both, "Ann")["source_count"], one(single, "Ann")["source_count"]) == (2, 1)


def test_bounds_are_intersected():
    n = one([claim("a", "Ann", "2010", seen="2012-01-01"), claim("b", "Ann", "2010-04-06")], "Ann")
    assert (n["start_min"], n["start_max"], n["start_basis"]) == ("2010-04-06", "2010-04-06", "explicit")
    assert (n["end_min"], n["end_max"], n["end_basis"]) == ("2012-01-02", None, "document")


def test_since_and_from_to_is_one_tenure_that_ends():
    n = one([claim("a", "Ann", "2010", seen="2012-01-01"), claim("b", "Ann", "2010", "2015")], "Ann")
    assert (n["start_min"], n["end_min"], n["end_max"], n["end_basis"]) == ("2010-01-01", "2015-01-01", "2016-01-01", "explicit")


def test_a_stale_document_does_not_reopen_a_tenure():
    n = one([claim("a", "Ann", "2010", seen="2020-01-01"), claim("b", "Ann", "2010", "2015")], "Ann")
    assert (n["end_min"], n["end_max"]) == ("2015-01-01", "2016-01-01")


def test_an_earlier_document_moves_the_start_back():
    n = one([claim("a", "Ann", seen="2020-05-01"), claim("b", "Ann", seen="2005-03-01")], "Ann")
    assert (n["start_min"], n["start_max"], n["start_basis"]) == (None, "2005-03-01", "document")
    assert (n["end_min"], n["end_max"]) == ("2020-05-02", None)


def test_disjoint_tenures_stay_two():
    rows = [claim("a", "Ann", "1976", "1985"), claim("b", "Ann", "1997", "2011"), claim("c", "Ann", "1997"), claim("d", "Ann", None, "1985")]
    first, second = listed(rows)
    assert (first["claim_ids"], second["claim_ids"]) == (["a", "d"], ["b", "c"])
    assert second["supersedes"] == [first["nugget_id"]] and first["superseded_by"] == [second["nugget_id"]]
    assert {first["state"], second["state"]} == {"active"}


def test_an_undated_claim_joins_the_tenure_its_document_falls_in():
    rows = [claim("a", "Ann", "1976", "1985"), claim("b", "Ann", "1997", "2011")]
    for seen, home in (("1980-01-01", 0), ("2000-01-01", 1), ("1990-01-01", 0), ("2020-01-01", 1), ("1950-01-01", 0)):
        assert "c" in listed([*rows, claim("c", "Ann", seen=seen)])[home]["claim_ids"]


def test_a_better_basis_wins_a_bound():
    n = one([claim("a", "Ann", "2010", "2014", basis="infobox"), claim("b", "Ann", "2010", "2015")], "Ann")
    assert (n["end_min"], n["end_basis"]) == ("2015-01-01", "explicit")


def test_bounds_of_equal_basis_that_exclude_each_other_span_both():
    out = run([claim("a", "Ann", "2010", "2015"), claim("b", "Ann", "2011", "2015")])
    (n,) = out["nuggets"].to_pylist()
    assert (str(n["start_min"]), str(n["start_max"])) == ("2010-01-01", "2011-12-31")
    (d,) = out["decisions"].to_pylist()
    assert (d["rule"], d["conflict_type"], d["reason"]) == ("unite", "period", "bounds_disagree")


def test_events_of_two_years_are_two_and_a_day_refines_its_year():
    rows = [claim("a", "Bolt", "2010", predicate="acquired"), claim("b", "Bolt", "2010-05-03", predicate="acquired"),
            claim("c", "Bolt", "2012", predicate="acquired")]
    first, second = listed(rows)
    assert first["claim_ids"] == ["a", "b"] and second["claim_ids"] == ["c"]
    assert first["kind"] == "event" and first["text"] == "Acme — acquired: Bolt (on 2010-05-03)" and second["text"].endswith("(in 2012)")


# --- succession


def test_a_chain_of_tenures_is_active_and_linked():
    a, b, c = listed([claim("a", "Ann", "1990", "2000"), claim("b", "Bob", "2000", "2010"), claim("c", "Cyd", "2010")])
    assert [n["state"] for n in (a, b, c)] == ["active"] * 3
    assert b["supersedes"] == [a["nugget_id"]] and b["superseded_by"] == [c["nugget_id"]]
    assert a["supersedes"] == [] == c["superseded_by"]


def test_a_later_dated_start_closes_an_open_tenure():
    out = run([claim("a", "Ann", "1990"), claim("b", "Bob", "2000-05-01")])
    ann = next(n for n in out["nuggets"].to_pylist() if n["object"] == "Ann")
    assert (str(ann["end_min"]), str(ann["end_max"]), ann["end_basis"]) == ("2000-05-01", "2000-05-01", "succession")
    assert (ann["state"], ann["reason"]) == ("active", "succeeded") and ann["end_confidence"] == pytest.approx(0.72)
    assert [d["verdict"] for d in out["decisions"].to_pylist()] == ["closed"]


def test_succession_closes_by_the_next_of_several():
    rows = [claim("a", "Ann", "1990"), claim("b", "Bob", "2000"), claim("c", "Cyd", "2010")]
    assert [(n["end_min"], n["end_max"]) for n in listed(rows)] == [
        ("2000-01-01", "2000-12-31"), ("2010-01-01", "2010-12-31"), (None, None)]


def test_an_undated_value_seen_before_is_closed_by_a_dated_one():
    n = one([claim("a", "Ann", seen="2010-01-01"), claim("b", "Bob", "2015")], "Ann")
    assert (n["state"], n["end_min"], n["end_max"], n["end_basis"]) == ("active", "2015-01-01", "2015-12-31", "succession")


def test_year_precision_that_touches_is_succession_not_conflict():
    rows = [claim("a", "Ann", "2010", "2015"), claim("b", "Bob", "2015", "2020")]
    assert states(rows) == {"Ann": ("active", "uncontradicted"), "Bob": ("active", "uncontradicted")}
    assert one(rows, "Bob")["supersedes"] == [one(rows, "Ann")["nugget_id"]]


@pytest.mark.parametrize(("until", "since", "expected"), [
    ("2021-11-30", "2021-11-29", {"active"}),  # "until 29 November" counts the day on which the next took over
    ("2021-11-29", "2021-11-29", {"active"}),
    ("2021-12-05", "2021-11-29", {"contested"}),  # six days are no handover
])
def test_the_day_of_a_handover_counts_for_both(until, since, expected):
    rows = [claim("a", "Ada", "2015-10-05", until), claim("b", "Bo", since, "2022-10-28")]
    assert {state for state, _ in states(rows).values()} == expected


def test_two_values_of_one_day_are_no_handover():
    rows = [claim("a", "Ada", seen="2020-01-01"), claim("b", "Bo", seen="2020-01-01")]
    assert {state for state, _ in states(rows).values()} == {"contested"}


def test_a_tenure_said_to_go_on_by_the_facts_is_not_closed():
    rows = [claim("a", "Ann", "2000", "2018..", end_basis="explicit"), claim("b", "Bob", "2010", "2015")]
    assert states(rows)["Ann"][0] == "contested" == states(rows)["Bob"][0]


def shown(name, obj, first, last, **more):
    """A value that revisions show from one day to another, and that states no day."""
    return claim(name, obj, f"..{first}", f"{last}..", basis="revision", **more)


def test_revisions_order_values_that_state_no_day():
    rows = [shown("a", "Ann", "2008-01-01", "2015-03-02"), shown("b", "Bob", "2015-03-02", "2020-01-01")]
    ann, bob = listed(rows)
    assert (ann["state"], ann["end_min"], ann["end_max"], ann["end_basis"]) == ("active", "2015-03-02", "2015-03-02", "succession")
    assert (bob["state"], bob["end_max"], bob["supersedes"]) == ("active", None, [ann["nugget_id"]])
    assert bob["text"] == "Acme — chief executive officer: Bob"


@pytest.mark.parametrize("basis", ["explicit", "table", "infobox"])
def test_values_told_as_of_days_follow_one_another(basis):
    """A census series: each value is known to hold on its day alone."""
    rows = [claim(n, obj, f"..{day}", f"{day}..", basis=basis) for n, obj, day in
            (("a", "3,292,365", "2011-05-09"), ("b", "3,520,031", "2015-12-31"), ("c", "3,755,251", "2022-12-31"))]
    found = states(rows)
    assert {state for state, _ in found.values()} == {"active"}
    first = one(rows, "3,292,365")
    assert first["end_basis"] == "succession" and first["end_max"] == "2015-12-31"
    same_day = [claim("a", "1", "..2011-05-09", "2011-05-09..", basis=basis), claim("b", "2", "..2011-05-09", "2011-05-09..", basis=basis)]
    assert {state for state, _ in states(same_day).values()} == {"contested"}


def test_values_that_revisions_show_at_the_same_time_are_rivals():
    rows = [shown("a", "Ann", "2008-01-01", "2020-01-01"), shown("b", "Bob", "2015-03-02", "2020-01-01")]
    assert {s for s, _ in states(rows).values()} == {"contested"}
    rows[0] = claim("a", "Ann", "2008", seen="2020-01-01")
    assert states(rows) == {"Ann": ("active", "better_dated"), "Bob": ("contested", "undated")}


def test_a_shown_claim_joins_the_dated_tenure_of_its_value():
    n = one([claim("a", "Ann", "2010", "2015"), shown("b", "Ann", "2012-01-01", "2020-01-01")], "Ann")
    assert (n["source_count"], n["start_min"], n["end_min"], n["end_basis"]) == (2, "2010-01-01", "2015-01-01", "explicit")


# --- rivals


def rivals(ann: int, bob: int, since="2010", until="2015", **more):
    return [claim(f"a{n}", "Ann", since, until, **more) for n in range(ann)] + [claim(f"b{n}", "Bob", since, until, **more) for n in range(bob)]


def test_one_to_one_is_contested_with_type_and_rivals():
    out = run(rivals(1, 1))
    a, b = sorted(out["nuggets"].to_pylist(), key=lambda n: n["object"])
    assert (a["state"], a["reason"]) == ("contested", "equal_evidence") == (b["state"], b["reason"])
    assert {(d["conflict_type"], d["verdict"], d["evidence"]) for d in out["decisions"].to_pylist()} == {("contradiction", "contested", "sources 1:1")}
    assert {d["nugget_id"]: d["against"] for d in out["decisions"].to_pylist()} == {a["nugget_id"]: [b["nugget_id"]], b["nugget_id"]: [a["nugget_id"]]}


@pytest.mark.parametrize("dates", [("2010", "2015"), ("2010", None), (None, None)])
def test_two_to_one_outvotes(dates):
    assert states(rivals(2, 1, *dates)) == {"Ann": ("active", "outvotes"), "Bob": ("deprecated", "outvoted")}


def test_three_to_two_is_contested_and_four_to_two_is_not():
    assert states(rivals(3, 2))["Ann"][0] == states(rivals(3, 2))["Bob"][0] == "contested"
    assert states(rivals(4, 2)) == {"Ann": ("active", "outvotes"), "Bob": ("deprecated", "outvoted")}


def test_the_ratio_is_configured():
    strict = {"conflict": {"outvote_ratio": 3.0, "min_sources_to_outvote": 2}}
    assert states(rivals(2, 1), config=strict)["Bob"][0] == "contested" and states(rivals(3, 1), config=strict)["Bob"][0] == "deprecated"


def test_copies_do_not_outvote():
    rows = [claim("a", "Ann", "2010", group="g"), claim("b", "Ann", "2010", group="g"), claim("c", "Bob", "2010")]
    assert states(rows)["Bob"][0] == "contested"


def test_infobox_and_text_of_one_document_are_one_source():
    rows = [claim("a", "Ann", "2010", doc="d", basis="infobox"), claim("b", "Ann", "2010", doc="d"), claim("c", "Bob", "2010")]
    assert states(rows) == {"Ann": ("contested", "equal_evidence"), "Bob": ("contested", "equal_evidence")}


def test_deleting_the_rival_uncontests():
    assert states(rivals(1, 0)) == {"Ann": ("active", "uncontradicted")}


def test_the_outvoted_outvote_nobody():
    rows = [claim(f"a{n}", "Ann", "2010", "2012-06-01") for n in range(4)]
    rows += [claim(f"b{n}", "Bob", "2011", "2018") for n in range(2)] + [claim("c", "Cyd", "2014", "2018")]
    assert states(rows) == {"Ann": ("active", "outvotes"), "Bob": ("deprecated", "outvoted"), "Cyd": ("active", "uncontradicted")}


def test_undated_rivals_of_other_times_are_contested_not_succession_and_never_counted():
    rows = [claim("a", "Ann", seen="2005-01-01"), claim("b", "Bob", seen="2020-01-01")]
    assert states(rows) == {"Ann": ("contested", "undated_rivals"), "Bob": ("contested", "undated_rivals")}
    assert one(rows, "Ann")["end_max"] is None
    assert states([*rows, claim("c", "Ann", seen="2005-02-01")])["Bob"] == ("contested", "undated_rivals")


def test_undated_rivals_of_one_time_are_counted():
    rows = [claim("a", "Ann", seen="2020-01-01"), claim("b", "Ann", seen="2020-02-01"), claim("c", "Bob", seen="2020-03-01")]
    assert states(rows)["Bob"] == ("deprecated", "outvoted")


@pytest.mark.parametrize(("since", "told", "expected"), [
    ("2018-01-01", "2021-12-03", {"Bo": ("active", "uncontradicted")}),  # "would be replaced by Bo from 1 January 2018", told in 2021
    ("2025-01-01", "2021-12-03", {}),  # a plan still
    (None, "2021-12-03", {}),  # nobody says when
    ("2018-01-01", None, {}),  # nobody knows when it was told
])
def test_a_plan_counts_once_its_stated_day_had_come_when_it_was_told(since, told, expected):
    day = None if told is None else int(parse_iso(told).first) * 86400
    assert states([claim("a", "Bo", since, modality="planned", source_date=day)]) == expected


def test_what_is_only_said_to_have_held_once_contradicts_nothing():
    """"CEO Ada Long opened the plant" on a page whose infobox names Bo Ek now."""
    once = claim("a", "Ada", rule_id="held_before")
    rows = [once, claim("b", "Bo", seen="2020-01-01"), claim("c", "Cy", rule_id="held_before")]
    assert states(rows) == {"Ada": ("active", "held_before"), "Bo": ("active", "uncontradicted"), "Cy": ("active", "held_before")}
    assert states([once]) == {"Ada": ("active", "held_before")}
    assert states([once, claim("d", "Ada", "2010", "2015")])["Ada"] == ("active", "uncontradicted"), "a date beside it tells when"


def test_an_undated_rival_is_contested_alone_unless_it_has_the_majority():
    rows = [claim("a", "Ann", "2015", seen="2020-01-01"), claim("b", "Bob", seen="2020-01-01")]
    assert states(rows) == {"Ann": ("active", "better_dated"), "Bob": ("contested", "undated")}
    rows.append(claim("c", "Bob", seen="2020-01-01"))
    assert states(rows) == {"Ann": ("contested", "equal_evidence"), "Bob": ("contested", "undated")}


def test_multi_and_event_values_coexist():
    for predicate in ("employer", "acquired", "unheard_of"):
        rows = [claim("a", "Ann", "2010", predicate=predicate), claim("b", "Bob", "2010", predicate=predicate)]
        assert states(rows) == {"Ann": ("active", "coexists"), "Bob": ("active", "coexists")}


def test_values_under_other_conditions_are_no_rivals():
    out = run([claim("a", "Ann", "2010", condition="if elected"), claim("b", "Bob", "2010")])
    assert {n["state"] for n in out["nuggets"].to_pylist()} == {"active"}
    assert {d["conflict_type"] for d in out["decisions"].to_pylist()} == {"condition"}
    assert "Acme — chief executive officer: Ann, if elected (from 2010)" in out["nuggets"]["text"].to_pylist()


@pytest.mark.parametrize(("one_", "two", "more"), [
    ("1969", "1969-07-20", {"object_type": "date"}), ("Boston", "Boston, Massachusetts", {}),
])
def test_the_same_value_at_another_precision_is_no_rival(one_, two, more):
    out = run([claim("a", one_, "2010", **more), claim("b", two, "2010", **more)])
    assert {n["state"] for n in out["nuggets"].to_pylist()} == {"active"}
    assert {d["reason"] for d in out["decisions"].to_pylist()} == {"granularity_differs"}


def test_quantities():
    def q(name, value, unit=""):
        return claim(name, f"{value} {unit}", "2010", object_type="quantity", value=value, unit=unit)

    assert {s for s, _ in states([q("a", 1_200_000.0), q("b", 1_234_567.0)]).values()} == {"active"}
    assert {s for s, _ in states([q("a", 1_200_000.0), q("b", 1_300_000.0)]).values()} == {"contested"}
    assert {r for _, r in states([q("a", 5.0, "USD"), q("b", 5.5, "EUR"), q("c", 5.0, "USD")]).values()} == {"units_differ"}


# --- rejection


@pytest.mark.parametrize(("more", "reason"), [
    ({"polarity": "negative"}, "negative"), ({"modality": "planned"}, "planned"), ({"modality": "hypothetical"}, "hypothetical"),
    ({"label": "", "acl": []}, "unreadable"), ({"start_min": 20000, "start_max": 20000, "end_min": 10000, "end_max": 10000}, "impossible_interval"),
])
def test_claims_that_state_no_fact_are_rejected(more, reason):
    out = run([claim("a", "Ann", "2010", **more), claim("b", "Bob", "2010")])
    assert [n["object"] for n in out["nuggets"].to_pylist()] == ["Bob"] and out["nuggets"]["state"].to_pylist() == ["active"]
    (d,) = out["decisions"].to_pylist()
    assert (d["claim_id"], d["verdict"], d["reason"], d["nugget_id"]) == ("a", "rejected", reason, None)


# --- labels


def test_a_label_gets_its_own_verdict_only_where_it_has_a_say():
    public = [claim("a", "Ann", "2010"), claim("b", "Bob", "2010", subject="Other")]
    staff = [claim("s", "Cyd", "2010", label="staff"), claim("t", "Eve", "2010", label="staff", subject="Other", polarity="negative")]
    out = run(public + staff)
    assert [n for n in out["nuggets"].to_pylist() if n["label"] == "public"] == run(public)["nuggets"].to_pylist()
    assert states(public + staff, "staff") == {"Ann": ("contested", "equal_evidence"), "Cyd": ("contested", "equal_evidence")}
    assert {tuple(n["acl"]) for n in out["nuggets"].to_pylist() if n["label"] == "staff"} == {("staff",)}


def test_a_label_that_includes_public_is_public_and_labels_do_not_mix():
    rows = [claim("a", "Ann", "2010", label="public,staff"), claim("b", "Bob", "2010", label="staff"), claim("c", "Cyd", "2010", label="board")]
    assert states(rows) == {"Ann": ("active", "uncontradicted")}
    assert set(states(rows, "staff")) == {"Ann", "Bob"} and set(states(rows, "board")) == {"Ann", "Cyd"}


# --- overrides

PIN = {"subject": "acme", "predicate": "chief_executive_officer", "object": "Bob", "day": "2012-01-01", "reason": "Known."}


def test_a_pin_wins_and_survives_a_third_rival():
    rows = rivals(3, 1)
    assert states(rows, overrides={"pin": [PIN]}) == {"Ann": ("deprecated", "outvoted"), "Bob": ("active", "pinned")}
    rows += [claim("c0", "Cyd", "2010", "2015"), claim("c1", "Cyd", "2010", "2015")]
    assert states(rows, overrides={"pin": [PIN]}) == {
        "Ann": ("deprecated", "outvoted"), "Bob": ("active", "pinned"), "Cyd": ("deprecated", "outvoted")}
    assert one(rows, "Bob", overrides={"pin": [PIN]})["confidence"] == 1


def test_a_suppression_deprecates_and_frees_the_rival():
    out = states(rivals(2, 1), overrides={"suppress": [{**PIN, "object": "Ann"}]})
    assert out == {"Ann": ("deprecated", "suppressed"), "Bob": ("active", "uncontradicted")}


def test_a_suppressed_tenure_closes_nobody():
    rows = [claim("a", "Ann", "1990"), claim("b", "Bob", "2000")]
    n = one(rows, "Ann", overrides={"suppress": [PIN]})
    assert (n["end_max"], n["superseded_by"], n["reason"]) == (None, [], "uncontradicted")


def test_two_pins_that_exclude_each_other_are_contested():
    out = states(rivals(1, 1), overrides={"pin": [PIN, {**PIN, "object": "Ann"}]})
    assert out == {"Ann": ("contested", "pins_disagree"), "Bob": ("contested", "pins_disagree")}


@pytest.mark.parametrize(("change", "reason"), [
    ({"object": "Zoe"}, "no_match"), ({"day": "1999-01-01"}, "no_match"), ({"day": ""}, "several_matches")])
def test_an_override_of_none_or_several_is_reported_and_not_applied(change, reason):
    rows = [claim("a", "Bob", "1976", "1985"), claim("b", "Bob", "2010", "2015")]
    out = run(rows, overrides={"pin": [{**PIN, **change}]})
    assert [(d["rule"], d["reason"]) for d in out["decisions"].to_pylist()] == [("override_unmatched", reason)]
    assert set(out["nuggets"]["reason"].to_pylist()) == {"uncontradicted"}
    assert [(q["reason"], q["severity"]) for q in out["quarantine"].to_pylist()] == [("override_unmatched", "info")]


def test_an_override_of_a_key_that_is_not_there_is_reported():
    assert run([], overrides={"pin": [PIN]})["quarantine"]["reason"].to_pylist() == ["override_unmatched"]
    assert run(rivals(0, 1), overrides={"pin": [PIN]})["quarantine"].num_rows == 0


@pytest.mark.parametrize("bad", [{"pin": [{"subject": "x"}]}, {"pins": []}, {"pin": [{**PIN, "day": "soon"}]}, {"pin": [{**PIN, "note": "x"}]}])
def test_a_bad_override_file_is_refused(bad):
    with pytest.raises(ConfigError):
        run([claim("a", "Ann")], overrides=bad)


# --- the record


def test_text_and_ids():
    n = one([claim("a", "Arvind", "2020-04-06", subject="IBM")], "Arvind")
    assert n["text"] == "IBM — chief executive officer: Arvind (from 2020-04-06)"
    assert n["rendition"].startswith(n["text"]) and "CEO" in n["rendition"]
    assert n["nugget_id"] == nugget_id("public", n["key_id"], "Arvind", 2020, 0)
    assert one([claim("a", "Ann", seen="2020-01-01")], "Ann")["text"] == "Acme — chief executive officer: Ann"
    assert one([claim("a", "Ann", "2010-03", "2015-06-01")], "Ann")["text"].endswith("(from 2010-03 until 2015-06-01)")
    assert one([claim("a", "Ann", "1990", "1997")], "Ann")["text"].endswith("(from 1990 until 1997)")


def test_days_long_before_christ():
    n = run([claim("a", "Caesar", "-0048", "-0043-03-15")])["nuggets"]
    assert n["text"].to_pylist() == ["Acme — chief executive officer: Caesar (from -0048 until -0043-03-15)"]


def test_a_statement_is_its_own_text():
    n = one([claim("a", "The hall is closed on Mondays.", predicate="states")], "The hall is closed on Mondays.")
    assert (n["kind"], n["text"], n["state"], n["reason"]) == ("statement", n["object"], "active", "statement")


def test_recorded_time_spans_the_claims_and_stays_open():
    n = one([claim("a", "Ann", "2010", recorded_from=100, recorded_to=200), claim("b", "Ann", "2010", recorded_from=50, recorded_to=None)], "Ann")
    assert n["recorded_from"].timestamp() == 50 and n["recorded_to"] is None


def test_every_code_is_documented():
    assert all(REASONS.values()) and all(RULES.values()) and "" in CONFLICT_TYPES
    assert CONFIG["conflict"] == {"outvote_ratio": 2.0, "min_sources_to_outvote": 2}
