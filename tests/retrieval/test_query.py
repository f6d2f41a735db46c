"""The analysis of questions: tense, question word, relation, names, any text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.lexicon import Lexicon
from retrieval.query import analyse
from retrieval.words import MAX_QUERY_CHARS, clean, content, stem, words

LEXICON = Lexicon({
    "ceo": {"aliases": ["CEO", "chief executive"], "object": "entity", "object_types": ["PERSON"], "cardinality": "functional"},
    "president": {"aliases": ["president"], "object_types": ["PERSON"]},
    "vice_president": {"aliases": ["vice president"], "object_types": ["PERSON"]},
    "founder": {"aliases": ["founded by"], "inverse_verbs": ["found"], "object_types": ["PERSON", "ORG"]},
    "founding_date": {"verbs": ["be found on"], "object": "date"},
    "founding_place": {"verbs": ["be found in"], "object_types": ["GPE"]},
    "birth_place": {"verbs": ["be bear in"], "object_types": ["GPE"]},
    "population": {"aliases": ["population"], "object": "quantity"},
})


@pytest.mark.parametrize(
    ("text", "present"),
    [("Who is the CEO of Acme?", True), ("Who's the CEO of Acme", True), ("current CEO of Acme", True), ("Does Acme own Bolt?", True),
     ("Who was the CEO of Acme?", False), ("Who did Acme hire?", False), ("CEO of Acme", False), ("Who is the former CEO of Acme?", False),
     ("", False)],
)
def test_present_tense(text, present):
    assert analyse(text, LEXICON).present is present


@pytest.mark.parametrize(
    ("text", "asked"),
    [("Who leads it?", "who"), ("Where is it?", "where"), ("When did it start?", "when"), ("How many people live there?", "how many"),
     ("To whom was it sold?", "who"), ("Acme", "")],
)
def test_question_words(text, asked):
    assert analyse(text, LEXICON).asked == asked


def test_longest_wording_wins():
    assert analyse("Who is vice president of Acme?", LEXICON).predicates == {"vice_president"}
    assert analyse("Who is president of Acme?", LEXICON).predicates == {"president"}


def test_the_question_word_chooses_among_wordings():
    assert analyse("Who founded Acme?", LEXICON).predicates == {"founder"}
    assert "founding_date" in analyse("When was Acme founded?", LEXICON).predicates
    assert analyse("Where was Acme founded?", LEXICON).predicates >= {"founding_place"}
    assert analyse("Where was Ann born?", LEXICON).predicates == {"birth_place"}


def test_names_are_what_is_neither_relation_nor_date():
    q = analyse("Who became CEO of Acme Bank in 2018?", LEXICON)
    assert q.names == {stem("acme"), stem("bank")}
    assert q.edge == "start"
    assert q.date is not None


def test_long_queries_are_cut_and_say_so():
    q = analyse("acme " * 20_000, LEXICON)
    assert len(q.text) <= MAX_QUERY_CHARS
    assert q.notes


def test_words_of_other_scripts():
    assert words("हिन्दी भाषा") == ["हिन्दी", "भाषा"]
    assert words("東京") == ["東", "京"]
    assert words("U.S. and IBM's") == ["us", "and", "ibm"]
    assert stem("josé") == stem("jose")
    assert content(["who", "is", "who"]) == ["who", "is", "who"]


@pytest.mark.parametrize(("one", "other"), [("companies", "company"), ("founded", "found"), ("running", "run"), ("acquired", "acquire")])
def test_stems_meet(one, other):
    assert stem(one) == stem(other)


@settings(max_examples=200)
@given(st.text(alphabet=st.characters(codec=None), max_size=300))
def test_any_text_is_legal(text):
    q = analyse(text, LEXICON)
    q.text.encode("utf-8")
    assert clean(q.text) == q.text
