"""Cues to four days: the meaning of every role, contradictions, and the table stage."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.tables import TABLES
from schemas.time import day_of_instant, instant_from_iso, iso, parse_iso
from tasks.validity import STAGE
from tasks.validity.cues import Context, Cue
from tasks.validity.rules import Shown, decide, is_past
from tests.pages import HISTORY

SOURCE = parse_iso("2020-06-15").first
NEVER = Shown(None, None, False)
DOCUMENT = Shown(SOURCE, SOURCE, False)


def _decide(cues, *, cardinality="functional", object_type="entity", extractor="spacy", asserted=True, past=False, shown=DOCUMENT,
            use_document_date=True, before="", sentence=""):
    made = [Cue(role, text, at) for at, (role, text) in enumerate(cues)]
    context = Context(shown.last, before, sentence, "en", False)
    return decide(made, context, shown, cardinality=cardinality, object_type=object_type, extractor=extractor, asserted=asserted,
                  past=past, use_document_date=use_document_date)


def _days(found):
    i = found.interval
    return iso(i.start_min), iso(i.start_max), iso(i.end_min), iso(i.end_max)


@pytest.mark.parametrize("cues, days, rule", [
    ([("start", "1997")], ("1997-01-01", "1997-12-31", None, None), "start"),
    ([("start", "16 September 1997")], ("1997-09-16", "1997-09-16", None, None), "start"),
    ([("end", "24 August 2011")], (None, None, "2011-08-24", "2011-08-24"), "end"),
    ([("until", "24 August 2011")], (None, None, "2011-08-25", "2011-08-25"), "until"),
    ([("end", "2011")], (None, None, "2011-01-01", "2012-01-01"), "end"),
    ([("until", "2011")], (None, None, "2011-01-01", "2012-01-01"), "until"),
    ([("until", "March 2011")], (None, None, "2011-03-01", "2011-04-01"), "until"),
    ([("start", "1997"), ("until", "2011")], ("1997-01-01", "1997-12-31", "2011-01-01", "2012-01-01"), "start+until"),
    ([("start", "1997"), ("until", "03")], ("1997-01-01", "1997-12-31", "2003-01-01", "2004-01-01"), "start+until"),
    ([("start", "1997–2011")], ("1997-01-01", "1997-12-31", "2011-01-01", "2012-01-01"), "start+until"),
    ([("since", "2012")], ("2012-01-01", "2012-12-31", "2020-06-16", None), "since+open"),
    ([("since", "2012"), ("current", "present")], ("2012-01-01", "2012-12-31", "2020-06-16", None), "since+open"),
    ([("start", "2012"), ("until", "present")], ("2012-01-01", "2012-12-31", "2020-06-16", None), "start+open"),
    ([("current", "incumbent")], (None, "2020-06-15", "2020-06-16", None), "open"),
    ([("former", "former")], (None, None, None, "2020-06-15"), "past"),
    ([("former", "former"), ("end", "2010")], (None, None, "2010-01-01", "2011-01-01"), "end"),
    ([("former", "former"), ("start", "2001")], ("2001-01-01", "2001-12-31", None, "2020-06-15"), "start+past"),
    ([("point", "2012")], (None, "2012-12-31", "2012-01-02", None), "on"),
    ([("asof", "2012")], (None, "2012-12-31", "2012-01-02", None), "asof"),
    ([("start", "2001"), ("asof", "2012")], ("2001-01-01", "2001-12-31", "2012-01-02", None), "start+asof"),
    ([("start", "before 1990")], (None, "1989-12-31", None, None), "start"),
    ([("start", "gibberish")], (None, "2020-06-15", "2020-06-16", None), "document"),
    ([("start", "2001"), ("start", "5 March 2001")], ("2001-03-05", "2001-03-05", None, None), "start"),
])
def test_roles(cues, days, rule):
    found = _decide(cues)
    assert (_days(found), found.rule_id) == (days, rule)


def test_as_of_of_a_value_is_that_of_the_whole_period():
    found = _decide([("asof", "2015")], object_type="quantity")
    assert _days(found) == (None, "2015-01-01", "2015-01-02", None)
    assert found.interval.certainly(parse_iso("2015-01-01").first)


@pytest.mark.parametrize("cues, days", [
    ([("point", "3 March 2012")], ("2012-03-03", "2012-03-03", "2012-03-04", "2012-03-04")),
    ([("point", "2012")], ("2012-01-01", "2012-12-31", "2012-01-02", "2013-01-01")),
    ([("start", "2012")], ("2012-01-01", "2012-12-31", "2012-01-02", "2013-01-01")),
    ([("start", "2012"), ("until", "2014")], ("2012-01-01", "2012-12-31", "2014-01-01", "2015-01-01")),
    ([], (None, None, None, None)),
])
def test_events(cues, days):
    assert _days(_decide(cues, cardinality="event")) == days


def test_a_date_object_holds_without_bounds():
    found = _decide([("point", "6 April 1950")], object_type="date")
    assert (_days(found), found.rule_id) == ((None,) * 4, "date_object")


@pytest.mark.parametrize("options", [
    {"asserted": False}, {"use_document_date": False}, {"shown": NEVER},
])
def test_the_document_date_is_for_present_assertions_only(options):
    found = _decide([], **options)
    assert (_days(found), found.rule_id, found.start_basis, found.end_basis) == ((None,) * 4, "undated", "", "")


def test_the_past_tense_without_a_date_says_only_that_it_held_once():
    found = _decide([], past=True)
    assert (_days(found), found.rule_id) == ((None,) * 4, "held_before")


def test_since_in_the_past_tense_is_no_still_so():
    """"It was announced that Ada, CEO since 2010, would be replaced": she need not hold on the document's day."""
    assert _days(_decide([("since", "2010")]))[2] is not None
    assert _days(_decide([("since", "2010")], past=True))[2:] == (None, None)


def test_page_history_is_a_better_basis_than_the_document():
    shown = Shown(parse_iso("2005-01-01").first, parse_iso("2010-01-01").first, True)
    found = _decide([], shown=shown)
    assert _days(found) == (None, "2005-01-01", "2010-01-02", None)
    assert (found.start_basis, found.end_basis, found.rule_id) == ("revision", "revision", "revision")


@pytest.mark.parametrize("extractor, basis", [("spacy", "explicit"), ("infobox", "infobox"), ("table", "table"), ("list", "explicit")])
def test_bases(extractor, basis):
    found = _decide([("start", "1997"), ("end", "2001")], extractor=extractor)
    assert (found.start_basis, found.end_basis) == (basis, basis)
    assert 0 < found.start_confidence <= 1


def test_an_undated_infobox_value_rests_on_the_document():
    found = _decide([], extractor="infobox")
    assert (found.start_basis, found.rule_id) == ("document", "document")


def test_circa_is_less_sure():
    assert _decide([("start", "c. 1850")]).start_confidence < _decide([("start", "1850")]).start_confidence


def test_the_weaker_of_two_contradicting_cues_is_dropped_and_named():
    found = _decide([("start", "2010"), ("end", "2005")])
    assert (_days(found), found.rule_id, found.end_basis) == (("2010-01-01", "2010-12-31", None, None), "start+end-end", "")
    found = _decide([("start", "c. 2010"), ("end", "2001")])
    assert (_days(found), found.rule_id) == ((None, None, "2001-01-01", "2002-01-01"), "start+end-start")


def test_what_is_said_to_start_after_the_document_is_not_open():
    found = _decide([("since", "2030")])
    assert _days(found) == ("2030-01-01", "2030-12-31", None, None)


@pytest.mark.parametrize("text, before, sentence, days", [
    ("the following year", "He left Acme in 2003.", "He joined Globex the following year.", ("2004-01-01", "2004-12-31")),
    ("three months later", "On 5 March 2003 it closed.", "x", ("2003-06-01", "2003-06-30")),
    ("three months later", "In 2003 it closed.", "x", ("2003-04-01", "2004-03-31")),
    ("last year", "In 2003 it closed.", "x", ("2019-01-01", "2019-12-31")),
    ("6 April", "In March 2003 it closed.", "x", ("2003-04-06", "2003-04-06")),
    ("the following year", "", "No date here.", (None, "2020-06-15")),
])
def test_relative_cues_take_their_anchor_from_the_text(text, before, sentence, days):
    found = _decide([("start", text)], before=before, sentence=sentence)
    assert _days(found)[:2] == days


@pytest.mark.parametrize("sentence, trigger, extractor, past", [
    ("She is the chief executive of Acme.", "chief executive", "spacy", False),
    ("She was the chief executive of Acme.", "chief executive", "spacy", True),
    ("Acme's chief executive is Ann.", "chief executive", "spacy", False),
    ("Acme's chief executive was Ann.", "chief executive", "spacy", True),
    ("Acme acquired Globex.", "acquired", "spacy", True),
    ("The company is based in Paris.", "based in", "spacy", False),
    ("The company was based in Paris.", "was based in", "spacy", True),
    ("ceo: Ann", "ceo", "infobox", False),
    ("Population was 5", "Population", "table", False),
])
def test_tense(sentence, trigger, extractor, past):
    at = sentence.index(trigger)
    assert is_past(sentence, (at, at + len(trigger)), extractor) is past


ROLES = st.sampled_from(["start", "end", "until", "since", "point", "asof", "former", "current", "odd"])
TEXTS = st.sampled_from([
    "1997", "2003", "5 March 2001", "March 2010", "1990s", "c. 1850", "present", "1997–2003", "2001–present", "19th century", "44 BC",
    "the following year", "last year", "03", "before 1990", "after 2005", "nonsense", "", "2050", "winter 2010", "2020-06-15", "2020-06-16",
])


@settings(max_examples=300)
@given(
    st.lists(st.tuples(ROLES, TEXTS), max_size=5), st.sampled_from(["functional", "multi", "event"]),
    st.sampled_from(["entity", "quantity", "date", "string"]), st.sampled_from(["spacy", "infobox", "table"]), st.booleans(), st.booleans(),
    st.sampled_from([NEVER, DOCUMENT, Shown(SOURCE - 900, SOURCE, True)]),
)
def test_every_interval_is_legal_and_every_bound_has_a_basis(cues, cardinality, object_type, extractor, asserted, past, shown):
    found = _decide(cues, cardinality=cardinality, object_type=object_type, extractor=extractor, asserted=asserted, past=past, shown=shown)
    i = found.interval
    assert i.problems() == []
    assert bool(found.start_basis) == (i.start_min is not None or i.start_max is not None)
    assert bool(found.end_basis) == (i.end_min is not None or i.end_max is not None)
    assert found.rule_id
    assert (found.start_confidence > 0) == bool(found.start_basis) and (found.end_confidence > 0) == bool(found.end_basis)


def _table(name, **columns):
    spec = TABLES[name]
    n = len(next(iter(columns.values())))
    rows = []
    for k in range(n):
        row = {}
        for field in spec.schema():
            if field.name in columns:
                row[field.name] = columns[field.name][k]
            elif not field.nullable:
                kind = str(field.type)
                row[field.name] = [] if kind.startswith("list") else 0 if kind.startswith(("int", "float")) else ""
        rows.append(row)
    return spec.from_rows(rows)


def _at(text):
    from datetime import UTC, datetime

    return datetime.fromtimestamp(instant_from_iso(text), UTC)


def _stage_tables():
    return {
        "keyed": _table("keyed", claim_id=["c1", "c2"], mention_id=["m1", "m2"], document_id=["d", "d"], chunk_id=["k1", "k2"],
                        cardinality=["functional"] * 2, object_type=["entity"] * 2, modality=["asserted"] * 2, polarity=["positive"] * 2,
                        acl=[["public"]] * 2),
        "mentions": _table("mentions", mention_id=["m1", "m2"], document_id=["d", "d"], sentence_id=["s1", "s2"], chunk_id=["k1", "k2"],
                           sentence=["Ann has led Acme since 2012.", "Acme is based in Paris."],
                           predicate_span=[{"start": 8, "end": 11}, {"start": 5, "end": 13}],
                           cues=[[{"role": "since", "text": "2012", "start": 23, "end": 27}], []], extractor=["spacy"] * 2),
        "chunks": _table("chunks", chunk_id=["k1", "k2"], document_id=["d", "d"], version_id=["v2", "v1"], block_id=["b1", "b2"],
                         text=["Ann has led Acme since 2012.", "Acme is based in Paris."], source_date=[_at("2020-06-15T12:00:00Z")] * 2,
                         language=["en"] * 2),
        "blocks": _table("blocks", block_id=["b1", "b2"], document_id=["d", "d"]),
        "sightings": _table("sightings", document_id=["d", "d"], sentence_id=["s1", "s2"], block_id=["b1", "b2"]),
        "documents": _table("documents", document_id=["d"], source_date=[_at("2020-06-15T12:00:00Z")], language=["en"]),
        "versions": _table("versions", version_id=["v1", "v2"], document_id=["d", "d"], revision=["1", "2"], noise=["", ""],
                           time=[_at("2010-01-01T00:00:00Z"), _at("2020-06-15T12:00:00Z")]),
        "lifetimes": _table("lifetimes", block_id=["b1", "b2"], document_id=["d", "d"], first_revision=["2", "1"], last_revision=[None, "1"],
                            from_time=[_at("2020-06-15T12:00:00Z"), _at("2010-01-01T00:00:00Z")], to_time=[None, _at("2010-01-01T00:00:00Z")], gone_revision=[None, "2"], gone_time=[None, _at("2020-06-15T12:00:00Z")],
                            status=["standing", "gone"]),
    }


def test_the_stage_gives_one_claim_per_keyed_row():
    config = {"validity": {"use_document_date": True}, "dates": {"day_first": False}, "history": HISTORY}
    claims = STAGE.steps[0].run(config, _stage_tables())["claims"]
    assert claims.schema == TABLES["claims"].schema()
    first, second = sorted(claims.to_pylist(), key=lambda r: r["claim_id"])
    assert (str(first["start_min"]), str(first["start_max"]), str(first["end_min"]), first["end_max"]) == (
        "2012-01-01", "2012-12-31", "2020-06-16", None)
    assert first["recorded_from"] == _at("2020-06-15T12:00:00Z") and first["recorded_to"] is None
    assert (str(second["start_max"]), str(second["end_min"]), second["rule_id"]) == ("2010-01-01", "2010-01-02", "revision")
    assert second["recorded_from"] == _at("2010-01-01T00:00:00Z") and second["recorded_to"] == _at("2020-06-15T12:00:00Z")


def test_the_order_of_rows_does_not_matter():
    config = {"validity": {"use_document_date": True}, "dates": {"day_first": False}, "history": HISTORY}
    tables = _stage_tables()
    turned = {n: t.take(list(range(t.num_rows))[::-1]) for n, t in tables.items()}
    assert STAGE.steps[0].run(config, tables)["claims"].equals(STAGE.steps[0].run(config, turned)["claims"])


def test_instants_become_utc_days():
    assert iso(day_of_instant(instant_from_iso("2020-01-01T23:30:00-05:00"))) == "2020-01-02"
