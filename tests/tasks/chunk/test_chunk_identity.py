"""Chunk ids under edits: only what holds the edited text changes its id."""

import itertools
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.ids import normalize_text
from tasks.chunk.cutting import Cutter, code_units, count_tokens, group
from tasks.text.sentences import split_sentences

from .builders import chunk_text

WORD = st.text(alphabet="abcdefgh", min_size=1, max_size=7)
SENTENCE = st.lists(WORD, min_size=1, max_size=12).map(lambda w: " ".join(w).capitalize() + ".")
PARAGRAPH = st.lists(SENTENCE, min_size=1, max_size=4).map(" ".join)
# A long one, above max_tokens, so that cuts within a paragraph take part.
LONG = st.integers(0, 1000).map(lambda n: " ".join(f"Sentence {i} of text {n} says that all goes on as it did before." for i in range(40)))
BLOCK = st.one_of(
    PARAGRAPH, PARAGRAPH, LONG,
    st.lists(PARAGRAPH, min_size=1, max_size=4).map(lambda items: "\n".join(f"- {i}" for i in items)),
    st.lists(WORD, min_size=1, max_size=3).map(lambda rows: "| A | B |\n|---|---|\n" + "\n".join(f"| {r} | x |" for r in rows)),
    WORD.map(lambda w: f"```\n{w}\n```"),
)
HEADING = st.tuples(st.integers(2, 4), WORD).map(lambda h: "#" * h[0] + " H " + h[1])


@st.composite
def documents(draw):
    """Blocks with headings between; two lists never touch (they would be one)."""
    blocks = []
    for _ in range(draw(st.integers(1, 8))):
        if draw(st.booleans()):
            blocks.append(draw(HEADING))
        block = draw(BLOCK)
        if block.startswith("- ") and blocks and blocks[-1].startswith("- "):
            blocks.append("Between.")
        blocks.append(block)
    return blocks


def ids(blocks):
    return {c["chunk_id"]: c for c in chunk_text("# Title\n\n" + "\n\n".join(blocks) + "\n")}


def is_text(block):
    return block[0].isupper()


def texts_of(block):
    return {normalize_text(c["text"]) for c in chunk_text(block + "\n")}


@settings(max_examples=60, deadline=None)
@given(documents(), st.data())
def test_editing_one_paragraph_changes_only_its_own_ids(blocks, data):
    places = [n for n, b in enumerate(blocks) if is_text(b)]
    if not places:
        return
    at = data.draw(st.sampled_from(places))
    edited = [*blocks[:at], data.draw(PARAGRAPH), *blocks[at + 1 :]]
    old, new = ids(blocks), ids(edited)
    assert {normalize_text(old[i]["text"]) for i in old.keys() - new.keys()} <= texts_of(blocks[at])
    assert {normalize_text(new[i]["text"]) for i in new.keys() - old.keys()} <= texts_of(edited[at])


@settings(max_examples=60, deadline=None)
@given(documents(), st.data())
def test_inserting_elsewhere_changes_no_id(blocks, data):
    at = data.draw(st.integers(0, len(blocks)))
    block = data.draw(PARAGRAPH)
    old, new = ids(blocks), ids([*blocks[:at], block, *blocks[at:]])
    gone = {normalize_text(old[i]["text"]) for i in old.keys() - new.keys()}
    # A heading with nothing below it was a chunk; the paragraph put there takes it in.
    assert all(old[i]["kind"] == "heading" for i in old.keys() - new.keys()), gone
    assert {normalize_text(new[i]["text"]) for i in new.keys() - old.keys()} <= texts_of(block)


@settings(max_examples=60, deadline=None)
@given(documents(), st.data())
def test_moving_a_section_changes_no_id(blocks, data):
    section = ["## H moved", data.draw(PARAGRAPH), data.draw(PARAGRAPH)]
    before, after = ids([*blocks, *section]), ids([*section, "## H rest", *blocks])
    # Where the first block is a heading, `H rest` has nothing below it and is a chunk.
    assert before.keys() == {i for i, c in after.items() if c["text"] != "H rest"}


@settings(max_examples=60, deadline=None)
@given(documents(), PARAGRAPH, st.integers(1, 5), st.data())
def test_of_n_equal_paragraphs_deleting_one_removes_one_id(blocks, same, n, data):
    for _ in range(n):
        blocks = list(blocks)
        blocks.insert(data.draw(st.integers(0, len(blocks))), same)
    places = [i for i, b in enumerate(blocks) if b == same]
    at = data.draw(st.sampled_from(places))
    rest = [*blocks[:at], *blocks[at + 1 :]]
    old, new = ids(blocks), ids(rest)
    gone = old.keys() - new.keys()
    assert len(gone) == 1 and {normalize_text(old[i]["text"]) for i in gone} == {normalize_text(same)}
    assert all(new[i]["kind"] == "heading" for i in new.keys() - old.keys())


@settings(max_examples=40, deadline=None)
@given(documents(), WORD)
def test_renaming_a_heading_keeps_ids_and_changes_renditions(blocks, word):
    body = ["Body text.", "More text."]
    old = ids([*blocks, "## H before", *body])
    new = ids([*blocks, "## H renamed " + word, *body])
    assert old.keys() == new.keys()
    below = {i for i, c in old.items() if c["heading_path"][-1:] == ["H before"]}
    assert len(below) == 2
    assert {i for i in old if old[i]["rendition_hash"] != new[i]["rendition_hash"]} >= below
    assert all(old[i]["text_hash"] == new[i]["text_hash"] for i in old)


def test_access_and_validity_change_no_id():
    from .builders import chunk, raw_row

    text = "# T\n\nOne.\n\nTwo.\n"
    before, _, _ = chunk([raw_row("a", text)])
    after, _, _ = chunk([raw_row("a", "---\neffective: 2020-01-01\n---\n" + text, acl=["staff"], tenant="t")])
    assert [c["chunk_id"] for c in before] == [c["chunk_id"] for c in after]
    assert [c["rendition_hash"] for c in before] == [c["rendition_hash"] for c in after]


def test_an_edit_in_a_long_table_moves_few_boundaries():
    """Cuts follow the content: a row put in at the top leaves most chunks of a long table as they were."""
    rng = random.Random(5)
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    rows = [f"| r{n} | {' '.join(rng.choices(words, k=18))} |" for n in range(200)]
    head = "| A | B |\n|---|---|\n"
    old, new = ids([head + "\n".join(rows)]), ids([head + "\n".join(["| new | row put in at the top |", *rows])])
    assert len(old) > 20 and len(old.keys() - new.keys()) <= 4


@given(st.lists(st.text(alphabet="ab .", max_size=60), max_size=40), st.integers(1, 30), st.integers(0, 30))
def test_groups_cover_in_order_and_keep_the_limit(texts, target, least):
    most = target + 10
    groups = group(texts, target, most, least)
    assert [i for a, b in groups for i in range(a, b)] == list(range(len(texts)))
    for a, b in groups:
        assert b - a == 1 or sum(count_tokens(t) for t in texts[a:b]) <= most


SOUP = st.lists(st.sampled_from(["word ", "a", "|", "&amp;", "&", "<br>", " ", "x. Y", "\n", "=", ";"]), min_size=1, max_size=25).map("".join)


@given(SOUP, st.sampled_from(["paragraph", "row", "field", "code"]), st.data())
def test_a_cut_renders_to_just_that_part(source, kind, data):
    edges = sorted(set([*data.draw(st.lists(st.integers(0, len(source)), max_size=6)), 0, len(source)]))
    spans = list(itertools.pairwise(edges))
    cutter = Cutter(kind, source, spans)
    if not cutter.text:
        return
    first = data.draw(st.integers(0, len(cutter.text) - 1))
    until = data.draw(st.integers(first + 1, len(cutter.text)))
    from schemas.render import render

    cut = cutter.cut(first, until)
    if cut is not None:
        assert render(kind, source, cut) == cutter.text[first:until]
    elif source.replace(" ", "").isalpha() and not cutter.text[first].isspace() and not cutter.text[until - 1].isspace():
        raise AssertionError("plain words can always be cut")


def test_sentences_of_plain_text_can_be_cut():
    source = "One & two. Three <br> four.\nFive."
    cutter = Cutter("paragraph", source, [(0, len(source))])
    parts = [cutter.cut(a, b) for a, b in split_sentences(cutter.text)]
    assert None not in parts and len(parts) == 3


def test_code_units_keep_every_line():
    text = "a\n\n\n  b\n  c\n\nd"
    assert [text[a:b] for a, b in code_units(text, 100)] == ["a", "  b\n  c", "d"]
    assert [text[a:b] for a, b in code_units(text, 1)] == ["a", "  b", "  c", "d"]
