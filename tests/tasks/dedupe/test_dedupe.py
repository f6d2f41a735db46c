"""Equal values unite, different ones never do: golden pairs, labels, order independence."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.ids import name_entity_id, value_id
from schemas.tables import TABLES
from tasks.dedupe import STAGE
from tasks.dedupe.likeness import form_of, same

PREPARE, VALUES = STAGE.steps
CONFIG = {"dedupe": {"jaccard_threshold": 0.85}}


def claim(n: int, obj: str, **more) -> dict:
    row = {
        "claim_id": f"c{n:03}", "mention_id": f"m{n}", "document_id": f"d{n}", "chunk_id": f"x{n}", "key_id": "k", "tenant": "default",
        "acl": ["public"], "label": "public", "subject_id": "s", "subject": "S", "predicate": "p", "scope": "", "cardinality": "multi",
        "object_id": obj, "object": obj, "object_type": "string", "value": None, "unit": "", "condition": "", "polarity": "positive",
        "modality": "asserted", "attribution": "", "confidence": 0.9, "start_basis": "", "end_basis": "", "rule_id": "r",
        "start_confidence": 0.0, "end_confidence": 0.0,
    }
    return {**row, **more}


def run(claims: list[dict], origins=(), documents=()) -> pa.Table:
    schema = pa.schema([TABLES["documents"].schema().field(c) for c in PREPARE.reads[2].columns])
    out = PREPARE.run(CONFIG, {
        "claims": pa.Table.from_pylist(claims, schema=TABLES["claims"].schema()),
        "origins": TABLES["origins"].from_rows([{"document_id": d, "source_group": g} for d, g in origins]),
        "documents": pa.Table.from_pylist(list(documents), schema=schema),
    })
    return VALUES.run(CONFIG, out)["values"]


def partition(values: pa.Table) -> dict[str, str]:
    return dict(zip(values["claim_id"].to_pylist(), values["value_id"].to_pylist(), strict=True))


APART = [
    ("AA+", "AA−"), ("AA+", "AA"), ("C++", "C#"), ("C++", "C"), ("1.5 billion", "15 billion"), ("World War I", "World War II"),
    ("a member of the board of directors of the company until 1997", "a member of the board of directors of the company until 1998"),
    ("the treaty entered into force in the whole of the kingdom in March", "the treaty entered into force in the whole of the kingdom in May"),
    ("deliveries to the islands are refundable within thirty days", "deliveries to the islands are not refundable within thirty days"),
    ("an annual budget of about five million euros for the museums", "an annual budget of about five billion euros for the museums"),
    ("the tower measured 300 m in height when the builders left it", "the tower measured 300 km in height when the builders left it"),
    ("a founding member state of the organisation since Part III", "a founding member state of the organisation since Part II"),
    ("the headquarters are in the northern part of the old city", "the headquarters are in the southern part of the old city"),
    ("the well known paradigm of the eastern school of painters", "the well known p\u0430radigm of the eastern school of painters"),
    ("a temperature of -5 degrees was measured at the station", "a temperature of 5 degrees was measured at the station"),
    ("vitamin C is recommended for the patients of this hospital", "vitamin D is recommended for the patients of this hospital"),
    ("€ 300 for each night in one of the rooms on the upper floor", "$ 300 for each night in one of the rooms on the upper floor"),
    ("a typical example of the houses of this part of the country", "atypical example of the houses of this part of the country"),
    ("10² kilograms of the ordinary material", "102 kilograms of the ordinary material"), ("Type A", "Type B"),
    ("who wrote the moral tales collected in this volume of stories", "who wrote the amoral tales collected in this volume of stories"),
]
TOGETHER = [
    ("Zürich", unicodedata.normalize("NFD", "Zürich")), ("New  York", "New York"), ("chief executive", "Chief Executive"),
    ("the oldest university in the English-speaking world", "Oldest university in the English speaking world"),
    ("honorary president of the organisation of former officers", "honorary president of the organization of former officers"),
]


@pytest.mark.parametrize(("one", "two"), APART)
def test_values_that_differ_stay_apart(one, two):
    assert not same(form_of(one), form_of(two), 0.5) and not same(form_of(two), form_of(one), 0.5)
    assert len(set(partition(run([claim(1, one), claim(2, two)])).values())) == 2


@pytest.mark.parametrize(("one", "two"), TOGETHER)
def test_the_same_value_in_other_words_is_one(one, two):
    assert len(set(partition(run([claim(1, one), claim(2, two)])).values())) == 1


def test_the_threshold_decides_for_short_strings():
    assert not same(form_of("The Who"), form_of("Who"), 0.85)
    assert not same(form_of("Johannson"), form_of("Johanson"), 0.85)


def test_linked_entities_of_like_names_stay_apart_and_unlinked_names_meet():
    one, two = "Society of Saint Vincent of the Archipelago", "Society of Saint Vincent of the Archipelagos"
    pages = [claim(1, "e1", object=one, object_type="entity"), claim(2, "e2", object=two, object_type="entity")]
    assert len(set(partition(run(pages)).values())) == 2
    names = [claim(n, name_entity_id(t, "ORG"), object=t, object_type="entity") for n, t in enumerate([one, two])]
    assert len(set(partition(run(names)).values())) == 1


def test_typed_values_meet_only_when_equal():
    rows = [claim(1, "5 km", object_type="quantity", value=5.0, unit="km"), claim(2, "5 km", object_type="quantity", value=5.0, unit="km"),
            claim(3, "5.0001 km", object_type="quantity", value=5.0001, unit="km")]
    found = partition(run(rows))
    assert found["c001"] == found["c002"] != found["c003"]


def test_the_representative_has_most_claims_then_is_longest_then_smallest():
    long, short = "the honorary presidents of the organisation", "honorary presidents of the organisation"
    values = run([claim(1, short), claim(2, short), claim(3, long)])
    assert set(values["object"].to_pylist()) == {short} and values["value_id"][0].as_py() == value_id("k", short)
    assert set(run([claim(1, short), claim(3, long)])["object"].to_pylist()) == {long}


def test_source_group_date_and_language_come_from_the_document():
    day = datetime(2020, 5, 1, tzinfo=UTC)
    values = run([claim(1, "x"), claim(2, "y")], [("d1", "g")], [{"document_id": "d1", "source_date": day, "language": "de"}])
    assert values.sort_by("claim_id").select(["source_group", "source_date", "language"]).to_pylist() == [
        {"source_group": "g", "source_date": day, "language": "de"}, {"source_group": "d2", "source_date": None, "language": "und"}]


def test_a_restricted_claim_joins_a_public_value_and_changes_none():
    short, long = "honorary presidents of the organisation", "the honorary presidents of the organisation"
    extra = "honorary presidents of the organization"
    public = [claim(1, short)]
    staff = [claim(n, t, label="staff", acl=["staff"]) for n, t in ((2, long), (3, long), (4, extra))]
    values = run(public + staff)
    assert set(values["value_id"].to_pylist()) == {value_id("k", short)} and set(values["object"].to_pylist()) == {short}


def test_many_strings_of_one_key_are_fast_enough():
    import time

    rows = [claim(n, f"the honourable society number {n} of the town of residence", key_id="k") for n in range(3000)]
    began = time.perf_counter()
    assert len(set(partition(run(rows)).values())) == 3000
    assert time.perf_counter() - began < 5


WORDS = st.sampled_from(["the honorary presidents of the organisation", "honorary presidents of the organisation",
                         "honorary president of the organisation", "honorary president of the organization", "C++", "C#", "5 km", "5  km"])
CLAIM = st.tuples(WORDS, st.sampled_from(["public", "staff", "public,staff"]), st.sampled_from(["k", "l"]))


def build(picks):
    return [claim(n, t, label=label, acl=label.split(","), key_id=key) for n, (t, label, key) in enumerate(picks)]


@settings(max_examples=60, deadline=None)
@given(st.lists(CLAIM, min_size=1, max_size=9), st.randoms())
def test_order_labels_and_other_keys_do_not_matter(picks, rng):
    rows = build(picks)
    shuffled = rows[:]
    rng.shuffle(shuffled)
    values = run(rows)
    assert values.equals(run(shuffled)) and values.num_rows == len(rows)
    public = [r for r in rows if "public" in r["label"].split(",")]
    names = {r["claim_id"] for r in public}
    assert [r for r in values.to_pylist() if r["claim_id"] in names] == run(public).to_pylist()
    own = [r for r in rows if r["key_id"] == "k"]
    assert [r for r in values.to_pylist() if r["key_id"] == "k"] == run(own).to_pylist()
