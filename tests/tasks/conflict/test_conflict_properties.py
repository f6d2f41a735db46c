"""Properties over random keys: order independence, locality, label isolation, conservation, and one rule in two speeds."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.conflict.codes import CONFLICT_TYPES, REASONS, RULES
from tasks.conflict.rivals import HANDOVER_DAYS, Large, Small
from tasks.conflict.unite import NEG, POS, Tenure
from tests.tasks.conflict.conflict_cases import claim, run

YEARS = st.sampled_from([None, "..1992-01-01", "..2003-01-01", "1990", "1995", "2000", "2000-06-01", "2005"])
ENDS = st.sampled_from([None, "2000", "2006-01-01", "2010", "2008..", "2003-01-02.."])
CLAIM = st.fixed_dictionaries({
    "obj": st.sampled_from(["Ann", "Bob", "Cyd", "the honorary presidents of the organisation", "honorary presidents of the organisation"]),
    "since": YEARS, "until": ENDS, "seen": st.sampled_from([None, "2001-01-01", "2007-01-01", "2020-01-01"]),
    "doc": st.sampled_from(["d1", "d2", "d3", "d4"]), "group": st.just(None),
    "label": st.sampled_from(["public", "public", "public", "staff", "board", "public,staff", ""]),
    "predicate": st.sampled_from(["chief_executive_officer", "chief_executive_officer", "employer", "acquired"]),
    "subject": st.sampled_from(["Acme", "Acme", "Bolt"]), "basis": st.sampled_from(["explicit", "infobox", "revision"]),
    "condition": st.sampled_from(["", "", "", "if elected"]), "polarity": st.sampled_from(["positive"] * 5 + ["negative"]),
    "modality": st.sampled_from(["asserted"] * 5 + ["planned"]),
})
OVERRIDES = st.sampled_from([{}, {}, {"pin": [{"subject": "Acme", "predicate": "chief_executive_officer", "object": "Ann", "reason": "x"}]},
                             {"suppress": [{"subject": "Acme", "predicate": "chief_executive_officer", "object": "Bob", "day": "2003", "reason": "x"}]}])


def build(picks: list[dict]) -> list[dict]:
    out = []
    for n, p in enumerate(picks):
        p = dict(p)
        # A document has one label.
        p["doc"] = f"{p['doc']}-{p['label']}"
        out.append(claim(f"c{n:02}", p.pop("obj"), p.pop("since"), p.pop("until"), p.pop("seen"), **p))
    return out


def reads(label: str) -> str:
    return "public" if "public" in label.split(",") else label


@settings(max_examples=60, deadline=None)
@given(st.lists(CLAIM, min_size=1, max_size=10), OVERRIDES, st.randoms())
def test_order_locality_isolation_and_conservation(picks, overrides, rng):
    rows = build(picks)
    out = run(rows, overrides)
    shuffled = rows[:]
    rng.shuffle(shuffled)
    again = run(shuffled, overrides)
    assert all(out[t].equals(again[t]) for t in out)
    nuggets, decisions = out["nuggets"].to_pylist(), out["decisions"].to_pylist()

    # A claim touches its own key alone.
    fewer = run(rows[1:], overrides)
    for name in ("nuggets", "decisions"):
        keep = [r for r in out[name].to_pylist() if r["key_id"] != rows[0]["key_id"]]
        assert keep == [r for r in fewer[name].to_pylist() if r["key_id"] != rows[0]["key_id"]]

    # A label is judged as if the claims that it may not read were not there.
    for label in {reads(r["label"]) for r in rows} - {""}:
        readable = [r for r in rows if reads(r["label"]) in ("public", label)]
        alone = run(readable, overrides)
        for name in ("nuggets", "decisions"):
            assert [r for r in out[name].to_pylist() if r["label"] == label] == [r for r in alone[name].to_pylist() if r["label"] == label]

    # Every claim is in one nugget for each label that reads it, or rejected once.
    rejected = [d["claim_id"] for d in decisions if d["verdict"] == "rejected" and d["claim_id"]]
    assert len(rejected) == len(set(rejected))
    kept = [r for r in rows if r["claim_id"] not in rejected]
    for key in {r["key_id"] for r in kept}:
        mine = [n for n in nuggets if n["key_id"] == key]
        for label in {reads(r["label"]) for r in kept if r["key_id"] == key}:
            expected = [r["claim_id"] for r in kept if r["key_id"] == key and reads(r["label"]) in ("public", label)]
            found = [c for n in mine if n["label"] == label for c in n["claim_ids"]]
            assert sorted(found) == sorted(expected)
    assert not set(rejected) & {c for n in nuggets for c in n["claim_ids"]}

    # Shape: codes, ids, links, days.
    ids = [n["nugget_id"] for n in nuggets]
    assert len(ids) == len(set(ids)) and len({d["decision_id"] for d in decisions}) == len(decisions)
    assert {n["reason"] for n in nuggets} | {d["reason"] for d in decisions} <= REASONS.keys()
    assert {d["rule"] for d in decisions} <= RULES.keys() and {d["conflict_type"] for d in decisions} <= set(CONFLICT_TYPES)
    by_id = {n["nugget_id"]: n for n in nuggets}
    for n in nuggets:
        assert n["source_count"] == len(n["source_groups"]) > 0 and 0 <= n["confidence"] <= 1
        assert (n["state"] == "active") or any(d["nugget_id"] == n["nugget_id"] for d in decisions)
        for other in n["supersedes"]:
            assert n["nugget_id"] in by_id[other]["superseded_by"] and by_id[other]["label"] == n["label"]
        bounds = (n["start_min"], n["start_max"]), (n["end_min"], n["end_max"]), (n["start_min"], n["end_max"])
        assert all(lo is None or hi is None or lo <= hi for lo, hi in bounds)
    for d in decisions:
        assert all(by_id[a]["label"] == d["label"] for a in d["against"] if a in by_id)


@settings(max_examples=50, deadline=None)
@given(st.lists(CLAIM, min_size=2, max_size=9))
def test_active_values_of_a_functional_key_never_certainly_overlap_beyond_a_handover(picks):
    rows = build([{**p, "predicate": "chief_executive_officer", "label": "public", "condition": ""} for p in picks])
    active = [n for n in run(rows)["nuggets"].to_pylist() if n["state"] == "active"]
    for n, a in enumerate(active):
        for b in active[:n]:
            if a["key_id"] == b["key_id"] and a["value_id"] != b["value_id"] and None not in (a["start_max"], b["start_max"], a["end_min"], b["end_min"]):
                known = [x for x in (a, b) if x["reason"] != "better_dated"]
                overlap = min(a["end_min"], b["end_min"]) - max(a["start_max"], b["start_max"])
                assert len(known) < 2 or overlap.days <= HANDOVER_DAYS  # the day of a handover counts for both




@st.composite
def tenure(draw):
    slo, shi = draw(st.sampled_from([(NEG, POS), (NEG, 3), (1, 2), (2, 2), (4, 5)]))
    elo, ehi = draw(st.sampled_from([(NEG, POS), (4, POS), (5, 6), (8, 9), (900, POS)]))
    t = Tenure(draw(st.sampled_from("abcd")), slo, shi, elo, ehi, draw(st.sampled_from([0, 3, 5])), draw(st.sampled_from([0, 3, 5])), .5, .5, [0])
    t.past = draw(st.sampled_from([False, False, False, True]))
    t.count, t.unit, t.pinned = draw(st.integers(1, 4)), draw(st.sampled_from(["", "", "m"])), draw(st.booleans())
    return t


@settings(max_examples=300, deadline=None)
@given(st.lists(tenure(), min_size=1, max_size=12), st.sampled_from([frozenset(), frozenset({("a", "b"), ("b", "a")})]),
       st.integers(0, 3), st.booleans(), st.sets(st.integers(0, 11), max_size=3))
def test_rivals_are_the_same_at_both_speeds(tenures, kin, floor, pinned_only, gone):
    gone = {g for g in gone if g < len(tenures)}
    small, large = Small(tenures, 1500, kin), Large(tenures, 1500, kin)
    for i in range(len(tenures)):
        for kinds in (("count",), ("undated",), ("period",), ("unit",), ("count", "undated", "period", "unit")):
            asked = dict(floor=floor, gone=gone, pinned_only=pinned_only)
            assert small.rivals(i, kinds, **asked) == large.rivals(i, kinds, **asked)
