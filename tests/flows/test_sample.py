"""The main job on the bundled sample: published, verified, answering, readable by plain DuckDB."""

import json
import tomllib

import duckdb
import pytest

from retrieval.search import QueryOptions, search
from schemas.time import parse_iso
from tests.conftest import SAMPLE
from warehouse.layout import Warehouse
from warehouse.reader import Reader

QUESTIONS = tomllib.loads((SAMPLE / "questions.toml").read_text("utf-8"))["question"]


def test_published_and_clean(sample_warehouse, lode_offline):
    wh, outcome = sample_warehouse
    assert outcome["published"] and outcome["counts"]["nuggets"] > 100
    assert set(outcome["states"]) >= {"active", "contested"}
    verified = lode_offline.json("verify", "--full", "-w", wh)
    assert verified["clean"] and verified["texts_checked"] == outcome["counts"]["chunks"]
    assert {(s["store"], s["leg"]) for s in verified["stores"]} == {(s, leg) for s in ("nuggets", "chunks") for leg in ("sparse", "dense")}
    assert (wh / "reports" / outcome["release"] / "report.html").read_text().startswith("<!doctype html>")
    assert json.loads((wh / "reports" / outcome["release"] / "report.json").read_text())["problems"] == []


def _ask(reader, question):
    """In this process: the command line is asked elsewhere."""
    options = QueryOptions(
        at=parse_iso(str(question["at"])).first if "at" in question else None, principal=question.get("as"),
        view="full" if question["kind"] == "contested" else "active",
    )
    return search(reader, question["text"], options).to_json()


def _shows(result, answer):
    """In a result, or in the evidence that it is shown with."""
    shown = [" ".join([r["text"], r.get("object") or "", *(e["text"] for e in r["evidence"])]) for r in result["results"]]
    return any(answer.casefold() in s.casefold() for s in shown)


@pytest.fixture(scope="module")
def reader(sample_warehouse):
    with Reader.open(Warehouse.open(sample_warehouse[0])) as opened:
        yield opened


@pytest.fixture(scope="module")
def answers(reader):
    return [(q, _ask(reader, q)) for q in QUESTIONS]


def test_the_command_line_answers_the_same(sample_warehouse, lode_offline, answers):
    question, expected = next((q, r) for q, r in answers if "at" in q)
    wh, _ = sample_warehouse
    assert lode_offline.json("query", question["text"], "--at", question["at"], "-w", wh) == expected
    shown = lode_offline("query", question["text"], "--at", question["at"], "-w", wh).stdout
    assert question["answer"] in shown and expected["release"] in shown


def test_questions_are_answered(answers):
    missed = [q["text"] + f" (at {q.get('at')})" for q, r in answers if not _shows(r, q["answer"])]
    assert missed == []


def test_the_first_fact_is_the_answer(answers):
    """Counted, not perfect: how often the first result that is a fact already answers."""
    right = 0
    asked = [(q, r) for q, r in answers if q["kind"] != "contested"]
    for q, r in asked:
        facts = [x for x in r["results"] if x.get("nugget_id")]
        right += bool(facts) and q["answer"].casefold() in (facts[0]["text"] + " " + facts[0]["object"]).casefold()
    assert right / len(asked) >= 0.8


def test_what_was_never_true_is_not_an_active_fact(answers):
    for q, r in answers:
        if "absent" in q:
            assert not any(x.get("object") == q["absent"] and x["state"] == "active" for x in r["results"]), q["text"]


def test_contested_shows_both_values(answers):
    for q, r in answers:
        if q["kind"] == "contested":
            contested = [x for x in r["results"] if x["state"] == "contested"]
            assert any(q["answer"] in x["object"] for x in contested) and any(q["rival"] in x["object"] for x in contested), q["text"]


def test_evidence_leads_to_characters(sample_warehouse, answers):
    wh, _ = sample_warehouse
    from warehouse.releases import open_release

    release = open_release(Warehouse.open(wh))
    texts = {(r["document_id"], r["text_object"]): r["canonical_text"] for r in release.read("texts").to_pylist()}
    chunks = {r["chunk_id"]: r["text_object"] for r in release.read("chunks", ["chunk_id", "text_object"]).to_pylist()}
    seen = 0
    for _, result in answers:
        for r in result["results"]:
            for e in r["evidence"]:
                source = texts[e["document_id"], chunks[e["chunk_id"]]]
                for span in e["spans"]:
                    start, end = (span["start"], span["end"]) if isinstance(span, dict) else span
                    assert 0 <= start < end <= len(source)
                    seen += 1
    assert seen > 50


def test_restricted_words_reach_nobody_else(answers):
    for q, r in answers:
        if "as" not in q:
            assert "Lindqvist" not in json.dumps(r, ensure_ascii=False), q["text"]


def test_a_release_opens_in_plain_duckdb(sample_warehouse):
    wh, outcome = sample_warehouse
    con = duckdb.connect()
    con.execute((wh / "releases" / f"{outcome['release']}.views.sql").read_text())
    for table in ("documents", "chunks", "mentions", "claims", "nuggets"):
        assert con.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == outcome["counts"][table]
    assert con.execute("SELECT count(*) FROM nuggets WHERE state = 'contested'").fetchone()[0] == outcome["states"]["contested"]


@pytest.mark.parametrize("text", ["", "?", "\"", "AND OR NOT", "a:b^2~ [x TO y] {", "*", "\\", "🦆 鴨", "IBM " * 3000, "-- ' ; DROP TABLE nuggets"])
def test_any_text_is_a_legal_query(reader, text):
    assert isinstance(search(reader, text, QueryOptions()).to_json()["results"], list)


def test_any_punctuation_is_legal_on_the_command_line(sample_warehouse, lode_offline):
    done = lode_offline("query", "-w", sample_warehouse[0], "--json", "--", "-- \"a:b^2~ [x TO y] {* ?' 🦆")
    assert isinstance(json.loads(done.stdout)["results"], list)
