"""The split into blocks, and lifetimes of blocks."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.ids import block_id
from tasks.parse.wikiblocks import split_blocks, split_kinds
from tests.tasks.parse.plain_segments import lifetimes


def kinds(text: str) -> list[tuple[str, str]]:
    return [(kind, text[s:e]) for s, e, kind in split_kinds(text)]


def test_kinds_of_blocks():
    parts = [
        ("template", "{{Infobox x\n| a = 1\n\n| b = {{y|\n* z\n}}\n}}"), ("paragraph", "'''T''' is\na thing.<ref>{{cite\n|a=b\n}}</ref>"),
        ("heading", "== H =="), ("list", "* a\n** b\n# c"), ("table", "{| class=x\n|-\n| a\n\n| b\n|}"), ("comment", "<!-- c\n\n== no ==\n -->"),
        ("code", "<pre>\n* not a list\n\n== nor this ==\n</pre>"), ("gallery", "<gallery>\nFile:a|b\n</gallery>"), ("paragraph", "end"),
    ]
    assert kinds("\n\n".join(text for _, text in parts)) == parts


def test_blocks_need_no_blank_lines_between():
    text = "{{A}}\n{{B\n|c}}\ntext\n== H ==\n* l\n{|\n| x\n|}\nmore\n: d"
    assert [k for k, _ in kinds(text)] == ["template", "template", "paragraph", "heading", "list", "table", "paragraph", "list"]


def test_a_template_with_text_behind_it_is_a_paragraph():
    assert kinds("{{lang|fr|x}} is") == [("paragraph", "{{lang|fr|x}} is")]


@pytest.mark.parametrize("opener", ["{{Infobox\n|a=b", "{|\n| a", "<!-- a", "<ref>a", "<pre>a", "[[a"])
def test_an_unclosed_mark_ends_at_the_next_heading(opener):
    text = f"before\n\n{opener}\n\nmiddle\n\n== Head ==\n\nlast"
    found = kinds(text)
    assert kinds(text.replace("\n\n==", "\n==").replace("==\n\n", "==\n"))[-2:] == found[-2:]
    assert found[0] == ("paragraph", "before") and found[-2:] == [("heading", "== Head =="), ("paragraph", "last")]


@pytest.mark.parametrize("table", ["{|\n| a\n\n| b\n|}", "{{X\n\n|a}}", "<!-- a\n\n== no ==\n\nb -->"])
@pytest.mark.parametrize("before", ["", "== H ==\n", "text {{open\n== H ==\n", "{{Y}}\n", "{|\n| open\n== H ==\n"])
def test_what_spans_blank_lines_may_stand_anywhere(before, table):
    assert kinds(f"{before}{table}\nend")[-2:][0][1] == table


def test_closing_marks_alone_are_text():
    assert kinds("}} a\n\n|} b\n\n--> c\n\n</ref> d") == [("paragraph", t) for t in ("}} a", "|} b", "--> c", "</ref> d")]


SOUP = st.lists(st.sampled_from(
    ["a", "b c", "\n", "\n\n", " ", "{{", "}}", "{|", "|}", "|-", "|", "=", "== h ==", "*", ":", "<!--", "-->", "<ref>", "</ref>", "<pre>", "</pre>",
     "[[", "]]", "''", "<nowiki>", "</nowiki>", "<br>", "é", "𝄞", "\t", "\r", "{{{", "}}}", "Infobox", "<gallery>", "</gallery>", "&amp;", "<b>"]
), max_size=40).map("".join)


@settings(max_examples=200, deadline=None)
@given(SOUP)
def test_blocks_cover_all_that_is_not_blank_and_do_not_overlap(text):
    at = 0
    for start, end in split_blocks(text):
        assert at <= start < end and not text[at:start].strip() and text[start:end].strip()
        at = end
    assert not text[at:].strip()


@settings(max_examples=100, deadline=None)
@given(SOUP, SOUP)
def test_a_section_does_not_change_what_stands_before_it(first, second):
    """Unless it closes a comment or a literal tag that is open there."""
    if any(mark in first for mark in ("<!--", "<pre>", "<nowiki>")):
        return
    joined = split_blocks(f"{first}\n\n== Head ==\n\n{second}")
    own = split_blocks(first)
    assert joined[: len(own)] == own


@settings(max_examples=100, deadline=None)
@given(st.lists(SOUP, max_size=4))
def test_the_memo_changes_nothing(texts):
    memo: dict = {}
    for text in texts:
        assert split_kinds(text, memo) == split_kinds(text)


def test_lifetimes_golden():
    a, b, c = (block_id("d", t) for t in "abc")
    blocks, lives = lifetimes("d", [
        ("10", 100, "a\n\nb"), ("9", 50, b"a"), ("11", 200, lambda: "a\n\nc"), ("12", 300, ""), ("13", 400, None), ("100", 500, "a\n\na\n\nc"), ("20", 500, "a"),
    ])
    assert {r["block_id"]: r["text"] for r in blocks} == {a: "a", b: "b", c: "c"}
    assert all(r["document_id"] == "d" for r in blocks + lives)
    told = {(r["block_id"], r["first_revision"], r["from_time"], r["last_revision"], r["to_time"], r["status"]) for r in lives}
    assert told == {
        (a, "9", 50, "11", 200, "gone"), (b, "10", 100, "10", 100, "gone"), (c, "11", 200, "11", 200, "gone"),
        (a, "20", 500, None, None, "standing"), (c, "100", 500, None, None, "standing"),
    }


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sets(st.sampled_from("abcd")).map(lambda s: "\n\n".join(sorted(s))), min_size=1, max_size=8), st.randoms())
def test_lifetimes_against_the_plain_definition(texts, random):
    revisions = [(str(n), n, t) for n, t in enumerate(texts)]
    shuffled = revisions[:]
    random.shuffle(shuffled)
    blocks, lives = lifetimes("d", shuffled)
    names = {r["block_id"]: r["text"] for r in blocks}
    for number, text in enumerate(texts):
        shown = {names[r["block_id"]] for r in lives
                 if r["from_time"] <= number and (r["to_time"] is None or number <= r["to_time"])}
        assert shown == {text[s:e] for s, e in split_blocks(text)}
    assert lifetimes("d", revisions) == (blocks, lives)


@pytest.mark.parametrize("piece", ["{{\n\n", "{|\n\n", "<ref>", "<!-- \n\n", "[[\n\n", "{{a|\n\n* b\n", "<poem><ref>", "'''", "\n== =", "}}\n\n", "<pre>\n", "{|\n== h ==\n", "{{a}} {{\n\n"])
def test_time_is_linear_in_bad_markup(piece):
    def seconds(count: int) -> float:
        began = time.process_time()
        split_blocks(piece * count)
        return time.process_time() - began

    small = min(seconds(1000) for _ in range(2))
    assert seconds(8000) < 30 * small + 0.5
