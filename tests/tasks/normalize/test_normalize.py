"""Normalizing: predicates, direction, scope, typed objects, and that every mention is accounted for by its id."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.config import CONFIG_DIR, Config, resolve
from schemas.ids import claim_id, key_id
from schemas.tables import TABLES
from tasks.normalize import STAGE
from tasks.normalize.relations import Relations, join_scopes
from tasks.normalize.run import date_value
from tasks.text.surfaces import entity_type_of, object_surface

CONFIG = {n: v for n, v in resolve(Config(), CONFIG_DIR).items() if n in STAGE.config}
RELATIONS = Relations(CONFIG["predicates"])


def _rows(table, rows):
    spec = TABLES[table]
    full = []
    for row in rows:
        base = {}
        for field in spec.schema():
            if not field.nullable:
                kind = str(field.type)
                base[field.name] = [] if kind.startswith("list") else 0 if kind.startswith(("int", "float")) else ""
        full.append(base | row)
    return spec.from_rows(full)


def _mention(n=0, **more):
    row = {
        "mention_id": f"m{n:04}", "document_id": "d", "chunk_id": "k", "sentence": "", "subject": "IBM", "subject_type": "ORG",
        "predicate": "chief_executive_officer", "object": "Ann Lee", "object_type": "entity", "polarity": "positive", "modality": "asserted",
        "confidence": 0.8,
    }
    return row | more


def _tables(mentions, unlinked=()):
    links, seen = [], set()
    for m in mentions:
        wanted = [(m["subject"], entity_type_of(m.get("subject_type", "")), m.get("subject_target", "")),
                  object_surface(m["object"], m.get("object_type", ""), m.get("object_target", ""))]
        for surface in wanted:
            if surface and surface[0] not in unlinked and surface not in seen:
                seen.add(surface)
                links.append({"document_id": "d", "surface": surface[0], "entity_type": surface[1], "target": surface[2],
                              "entity_id": f"e:{surface[0]}", "entity_name": surface[0], "link_basis": "name"})
    return {
        "mentions": _rows("mentions", mentions), "links": _rows("links", links),
        "chunks": _rows("chunks", [{"document_id": "d", "chunk_id": "k", "acl": ["staff", "public"], "label": "public,staff", "tenant": "t", "language": "en"}]),
        "documents": _rows("documents", [{"document_id": "d", "acl": ["public"], "label": "public", "tenant": "t", "language": "en"}]),
    }


def _run(mentions, unlinked=(), config=CONFIG):
    out = STAGE.steps[0].run(config, _tables(mentions, unlinked))
    return out["keyed"].to_pylist(), out["quarantine"].to_pylist()


def _one(**more):
    keyed, dropped = _run([_mention(**more)])
    return keyed[0] if keyed else dropped[0]


def test_a_plain_claim():
    row = _one(condition="if elected", attribution="the board", modality="planned", polarity="negative")
    assert (row["subject"], row["predicate"], row["object"], row["object_id"]) == ("IBM", "chief_executive_officer", "Ann Lee", "e:Ann Lee")
    assert (row["cardinality"], row["object_type"], row["scope"]) == ("functional", "entity", "")
    assert (row["condition"], row["attribution"], row["modality"], row["polarity"]) == ("if elected", "the board", "planned", "negative")
    assert (row["acl"], row["label"], row["tenant"]) == (["staff", "public"], "public,staff", "t")
    assert row["key_id"] == key_id("t", "e:IBM", "chief_executive_officer", "")
    assert row["claim_id"] == claim_id("m0000", row["key_id"], "e:Ann Lee")


@pytest.mark.parametrize("wording, subject_type, object_type, predicate, scope", [
    ("CEO", "ORG", "", "chief_executive_officer", ""), ("acting CEO", "ORG", "", "chief_executive_officer", "acting"),
    ("interim chief executive officer", "ORG", "", "chief_executive_officer", "interim"), ("former CEO", "ORG", "", "chief_executive_officer", ""),
    ("then-chief executive", "ORG", "", "chief_executive_officer", ""), ("deputy mayor", "GPE", "", "mayor", "deputy"),
    ("vice president", "ORG", "", "president_of_organization", "vice"), ("president", "GPE", "", "president", ""),
    ("president", "ORG", "", "president_of_organization", ""), ("42nd president", "GPE", "", "president", ""),
    ("North American chief executive", "ORG", "", "chief_executive_officer", "north american"), ("co-founder", "ORG", "", "founder", ""),
    ("be headquarter in", "ORG", "GPE", "headquarters", ""), ("population_total", "GPE", "", "population", ""),
    ("chancellor", "ORG", "PERSON", "chancellor_of_university", ""), ("chancellor", "GPE", "PERSON", "chancellor", ""),
    ("be in league with", "ORG", "", "be in league with", ""),
])
def test_wordings(wording, subject_type, object_type, predicate, scope):
    found = RELATIONS.readings(wording, "", subject_type, object_type)[0]
    assert (found.name, found.scope) == (predicate, scope)


def test_an_undecided_wording_is_kept_as_unknown():
    found = RELATIONS.readings("successor", "", "", "")
    assert len(found) == 1 and not found[0].known and found[0].cardinality == "multi"


@pytest.mark.parametrize("parts, scope", [
    (("acting",), "acting"), (("caretaker",), "acting"), (("former",), ""), (("2015",), ""), (("in 2015",), ""), (("Deputy", "acting"), "deputy acting"),
    (("of Marketing",), "marketing"), (("42nd",), ""), (("",), ""), (("Vice", "vice"), "vice"),
])
def test_scopes(parts, scope):
    assert join_scopes(*parts) == scope


def test_inverse_wordings_swap_subject_and_object():
    row = _one(subject="Paris", subject_type="GPE", predicate="capital of", object="France", object_type="GPE")
    assert (row["subject"], row["predicate"], row["object"]) == ("France", "capital", "Paris")
    row = _one(subject="Bill", subject_type="PERSON", predicate="found", object="Microsoft", object_type="ORG")
    assert (row["subject"], row["predicate"], row["object"]) == ("Microsoft", "founder", "Bill")


def test_a_role_of_another_scope_has_another_key():
    plain, acting = _one(), _one(scope="acting")
    assert plain["key_id"] != acting["key_id"] and acting["scope"] == "acting"


def test_quantities():
    row = _one(predicate="revenue", object="$26.2 billion", object_type="quantity")
    assert (row["object_id"], row["value"], row["unit"], row["object"]) == ("26200000000 USD", 26.2e9, "USD", "$26.2 billion")
    row = _one(subject="Leeds", subject_type="GPE", predicate="area", object="100", object_type="quantity",
               sentence="area_total_sq_mi: 100", predicate_span={"start": 0, "end": 16})
    assert row["object_id"] == "258.9988110336 kilometer ** 2"


def test_dates():
    row = _one(predicate="founding_date", object="June 16, 1911", object_type="date")
    assert (row["object_id"], row["object"], row["object_type"]) == ("1911-06-16", "1911-06-16", "date")


@pytest.mark.parametrize("text, shown", [
    ("1911", "1911"), ("June 1911", "1911-06"), ("February 2019", "2019-02"), ("44 BC", "-0043"), ("1990s", "1990-01-01..1999-12-31"),
    ("6–8 April 2020", "2020-04-06/2020-04-08"), ("1914–1918", "1914/1918"), ("2001–present", "2001/.."),
])
def test_dates_keep_their_precision(text, shown):
    assert date_value(text).object_id == shown


def test_no_date():
    assert date_value("unknown") is None


def test_strings_are_compared_folded_and_shown_as_written():
    one, other = _one(predicate="industry", object=" Computer  Hardware,", object_type="string"), _one(predicate="industry", object="computer hardware")
    assert one["object_id"] == other["object_id"] == "computer hardware" and one["object"] == "Computer Hardware"


def test_the_same_verb_with_a_date_is_the_date_predicate():
    row = _one(subject="Ann", subject_type="PERSON", predicate="be bear in", object="1950", object_type="DATE")
    assert (row["predicate"], row["object_id"]) == ("birth_date", "1950")
    row = _one(subject="Ann", subject_type="PERSON", predicate="birth_place", object="1950", object_type="date")
    assert row["predicate"] == "birth_date"


def test_the_same_verb_with_a_place_is_the_place_predicate():
    assert _one(predicate="founding_date", object="Paris", object_type="GPE")["predicate"] == "founding_place"


@pytest.mark.parametrize("more, reason", [
    ({"object": "2012", "object_type": "DATE"}, "type_mismatch"), ({"object": "5", "object_type": "CARDINAL"}, "type_mismatch"),
    ({"predicate": "revenue", "object": "a lot", "object_type": "quantity"}, "not_a_quantity"),
    ({"predicate": "revenue", "object": "Ann Lee", "object_type": "PERSON"}, "type_mismatch"),
    ({"predicate": "founding_date", "object": "once", "object_type": "date"}, "not_a_date"),
    ({"predicate": "dissolved", "object": "Paris", "object_type": "GPE"}, "type_mismatch"),
    ({"predicate": "area", "subject_type": "GPE", "object": "5 km", "object_type": "quantity"}, "not_a_quantity"),
    ({"predicate": "industry", "object": "2012", "object_type": "DATE"}, "type_mismatch"),
    ({"predicate": "industry", "object": " , ", "object_type": "string"}, "empty_object"),
    ({"object": "IBM", "object_type": "ORG", "predicate": "subsidiary"}, "self_reference"),
    ({"chunk_id": "gone", "document_id": "gone"}, "no_document"),
])
def test_dropped_with_a_reason(more, reason):
    keyed, dropped = _run([_mention(**more)])
    assert not keyed
    assert [(d["reason"], d["severity"], d["where"]) for d in dropped] == [(reason, "info", "m0000")]
    assert dropped[0]["detail"]


def test_unlinked_names_are_dropped():
    assert _run([_mention()], unlinked=("IBM",))[1][0]["reason"] == "unresolved_subject"
    assert _run([_mention()], unlinked=("Ann Lee",))[1][0]["reason"] == "unresolved_object"


@pytest.mark.parametrize("key", ["logo size", "image width", "company type", "frame height", "leader party"])
def test_a_key_that_no_predicate_knows_is_never_read_as_one(key):
    (row,), dropped = _run([_mention(sentence=f"{key}: 70 km", predicate=f"infobox {key}", object="70 km", object_type="string", extractor="infobox")])
    assert (row["predicate"], row["scope"], row["object"], dropped) == (f"infobox {key}", "", "70 km", [])


def test_a_line_of_an_infobox_that_does_not_fit_its_predicate_stays_a_fact():
    count = _mention(sentence="children: 12", predicate="child", subject_type="PERSON", object="12", object_type="CARDINAL", extractor="infobox")
    (row,), dropped = _run([count])
    assert (row["predicate"], row["object"], row["object_type"], dropped) == ("infobox children", "12", "string", [])
    keyed, dropped = _run([count | {"extractor": "verbs"}])
    assert not keyed and dropped[0]["reason"] == "type_mismatch"  # prose has no key to fall back on
    keyed, dropped = _run([count], config=CONFIG | {"normalize": {"keep_unknown_predicates": False}})
    assert not keyed and dropped[0]["reason"] == "type_mismatch"


def test_unknown_predicates_are_kept_or_dropped_by_the_config():
    mention = _mention(predicate="Be Ally_of", object="Acme", object_type="ORG")
    keyed, _ = _run([mention])
    assert (keyed[0]["predicate"], keyed[0]["cardinality"], keyed[0]["object_type"]) == ("be ally of", "multi", "entity")
    off = CONFIG | {"normalize": {"keep_unknown_predicates": False}}
    keyed, dropped = _run([mention], config=off)
    assert not keyed and dropped[0]["reason"] == "unknown_predicate"


def test_a_tagged_type_that_does_not_fit_is_a_doubt():
    assert _one(object_type="ORG")["confidence"] < _one(object_type="PERSON")["confidence"]


ANY = st.fixed_dictionaries({
    "subject": st.sampled_from(["IBM", "Ann", "it", "Paris"]), "subject_type": st.sampled_from(["ORG", "PERSON", "GPE", ""]),
    "predicate": st.sampled_from(["CEO", "capital of", "revenue", "birth_date", "be bear in", "xyz", "", "population_total", "acting president"]),
    "object": st.sampled_from(["Ann Lee", "IBM", "2012", "$5 million", "", "word", "10–20", "x" * 400, "31 February 2010"]),
    "object_type": st.sampled_from(["entity", "string", "date", "quantity", "PERSON", "DATE", "MONEY", ""]),
    "scope": st.sampled_from(["", "acting", "2015"]), "chunk_id": st.sampled_from(["k", "gone"]),
})


@settings(max_examples=60, deadline=None)
@given(st.lists(ANY, max_size=15), st.booleans(), st.sets(st.sampled_from(["IBM", "Ann", "Ann Lee"])))
def test_every_mention_is_one_claim_or_one_dropped_row(picked, keep, unlinked):
    mentions = [_mention(n, **more) for n, more in enumerate(picked)]
    keyed, dropped = _run(mentions, unlinked, CONFIG | {"normalize": {"keep_unknown_predicates": keep}})
    made, gone = [r["mention_id"] for r in keyed], [r["where"] for r in dropped]
    assert sorted(made + gone) == [m["mention_id"] for m in mentions]
    assert len({r["claim_id"] for r in keyed}) == len(keyed)


def test_the_order_of_rows_does_not_matter():
    mentions = [_mention(n, object=f"Person {n}", predicate=("CEO", "founder", "zzz")[n % 3]) for n in range(9)]
    tables = _tables(mentions)
    turned = {n: t.take(pa.array(list(range(t.num_rows))[::-1], pa.int64())) for n, t in tables.items()}
    run = STAGE.steps[0].run
    assert run(CONFIG, tables)["keyed"].equals(run(CONFIG, turned)["keyed"])
