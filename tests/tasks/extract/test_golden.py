"""Golden sentences of several domains: what must be found, with time, scope and mood, and what must not."""

from __future__ import annotations

import pytest

from tests.tasks.extract.builders import CONFIG, Doc, extract
from tests.tasks.extract.golden import GOLDEN


@pytest.fixture(scope="module")
def found():
    """Mentions per golden case: one document each, one run for all."""
    docs = []
    for n, (title, first, sentence, *_rest) in enumerate(GOLDEN):
        doc = Doc(title, key=f"golden {n}")
        if first:
            doc.paragraph(first)
        docs.append(doc.paragraph(sentence))
    out = extract(*docs)
    assert out["quarantine"] == []
    return [[m for m in out["mentions"] if m["document_id"] == d.id and m["sentence"] != GOLDEN[n][1]] for n, d in enumerate(docs)]


@pytest.mark.parametrize("n", range(len(GOLDEN)), ids=[g[2][:60] for g in GOLDEN])
def test_golden_sentence(found, n):
    mentions = found[n]
    shown = [(m["subject"], m["predicate"], m["object"], m["scope"], [(c["role"], c["text"]) for c in m["cues"]]) for m in mentions]
    for subject, predicate, obj, more in GOLDEN[n][3]:
        hits = [m for m in mentions if (m["subject"], m["predicate"], m["object"]) == (subject, predicate, obj)]
        assert hits, f"{(subject, predicate, obj)} not among {shown}"
        for name, expected in more.items():
            value = [(c["role"], c["text"]) for c in hits[0]["cues"]] if name == "cues" else hits[0][name]
            assert value == expected, f"{name} of {(subject, predicate, obj)}"
        if "scope" not in more:
            assert hits[0]["scope"] == ""
    for subject, predicate, obj in GOLDEN[n][4]:
        assert not [
            m for m in mentions if m["predicate"] in CONFIG["predicates"] and subject in (None, m["subject"])
            and predicate in (None, m["predicate"]) and obj in (None, m["object"])
        ], shown


def test_there_are_enough_cases():
    assert len(GOLDEN) >= 60
