"""Golden cases of the sentence rules, and properties on any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.text.sentences import split_sentences

# Each case: the sentences, which joined by one space are the text.
CASES = [
    ["Mr. Smith went home.", "He slept."],
    ["Apple Inc. was founded in 1976.", "It grew."],
    ["He works for Acme Inc.", "The company is old."],
    ["He works for Acme Inc. in Paris.", "She does not."],
    ["The U.S. Army left.", "The U.N. stayed."],
    ["He moved to the U.S.", "He liked it."],
    ["See No. 5 for details.", "No.", "That is wrong."],
    ["On Jan. 5 he left.", "On Feb. 3, 2001 he came back."],
    ["They met in Sept. 2001.", "It rained."],
    ["Use tools, e.g. hammers.", "They help."],
    ["Some metals, i.e. Iron and Zinc, rust.", "Gold does not."],
    ["J. K. Rowling wrote it.", "J. R. R. Tolkien did not."],
    ["George W. Bush won.", "Al Gore lost."],
    ["Vitamin C.", "It helps."],
    ["Plan B.", "The next."],
    ["It costs 3.5 million.", "Then 1,000.75 more."],
    ["Version 2.0.1 is out.", "Node.js is old."],
    ["Wait... what?", "Yes!", "Go."],
    ["Well…", "He left."],
    ["He said \"Stop.\"", "Then he left."],
    ["\"Is it true?\" she asked.", "Nobody knew."],
    ["“Hello.”", "‘Bye.’", "He left."],
    ["(This is one.)", "This is two."],
    ["It ended (see Fig. 3).", "Next came a war."],
    ["Visit http://a.b/c.d?e=1.", "Then go to www.x.org.", "Done."],
    ["First; second; third.", "Fourth."],
    ["In 1999 B.C.", "He died."],
    ["In 44 B.C. the war began.", "It was long."],
    ["Dr. A. Jones, M.D. was there.", "He left at 5 p.m. on Monday."],
    ["He left at 5 p.m.", "The train had gone."],
    ["The cat sat.[1]", "The dog ran.[2][3]"],
    ["Gen. Lee and Lt. Col. Ray met.", "They spoke."],
    ["Is it A?", "Or B?"],
    ["He asked why?!", "Nobody said."],
    ["Smith v. Jones was cited.", "The court rose."],
    ["St. Louis is big.", "Mt. Everest is tall."],
    ["It was built c. 1850.", "Then approx. 20 came."],
    ["Sales rose 5%.", "Profit fell."],
    ["He paid $5.", "She paid €6."],
    ["He was born in Washington, D.C.", "In 1990 he left."],
    ["The end of Part I.", "The start of Part II.", "And so on."],
    ["iPhone sales rose.", "iPad sales fell."],
    ["2. Second thing.", "It helps."],
    ["Hello world.This has no space.", "Ok."],
    ["He has a Ph.D.", "He is smart."],
    ["She scored 3.", "\"Great,\" she said."],
    ["He loved art.", "She did not."],
    ["Is this it: yes.", "It was: that was it."],
    ["no capital here. nor there"],
    ["He said: “What now?” and left.", "Nobody spoke."],
]


@pytest.mark.parametrize("sentences", CASES, ids=lambda s: s[0][:30])
def test_sentences(sentences):
    text = " ".join(sentences)
    assert [text[a:b] for a, b in split_sentences(text)] == sentences


def test_cjk_stops_need_no_space():
    text = "これは文です。これも文です！本当？「はい。」終わり"
    assert [text[a:b] for a, b in split_sentences(text, "ja")] == ["これは文です。", "これも文です！", "本当？", "「はい。」", "終わり"]


def test_a_newline_ends_a_sentence():
    text = "Line one\nline two. Still two.\n\nMr.\nX"
    assert [text[a:b] for a, b in split_sentences(text)] == ["Line one", "line two.", "Still two.", "Mr.", "X"]


def test_german_ordinals_do_not_end():
    text = "Am 3. Mai kam er. Er blieb."
    assert [text[a:b] for a, b in split_sentences(text, "de")] == ["Am 3. Mai kam er.", "Er blieb."]


@given(st.text(alphabet="ab AZ.?!…\n\"')(3。1-", max_size=80))
def test_sentences_cover_all_but_white_space(text):
    spans = split_sentences(text)
    at = 0
    for start, end in spans:
        assert not text[at:start].strip() and start < end
        assert not text[start].isspace() and not text[end - 1].isspace()
        at = end
    assert not text[at:].strip()


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_never_within_a_number(a, b):
    text = f"It was {a}.{b} metres long. Nobody knew."
    assert len(split_sentences(text)) == 2


@given(st.lists(st.sampled_from([c[0] for c in CASES if c[0][-1] == "."]), min_size=1, max_size=4))
def test_no_state_between_pieces(parts):
    """Pieces joined by newlines split as each does alone."""
    text = "\n".join(parts)
    alone = [p[a:b] for p in parts for a, b in split_sentences(p)]
    assert [text[a:b] for a, b in split_sentences(text)] == alone
