"""Plain text: paragraphs, underlined headings, items; nothing lost."""

import re

from hypothesis import given
from hypothesis import strategies as st

from schemas.render import render
from tasks.parse.plain import find_title, parse_plain


def rows_of(text, title=None):
    rows = parse_plain("d", "v", title, text, {"max_depth": 40})
    for row in rows:
        assert row["text"] == render(row["kind"], text, [(s["start"], s["end"]) for s in row["source_spans"]])
    assert len({r["element_id"] for r in rows}) == len(rows)
    return rows


def test_structure():
    text = "Title\n=====\n\nOne line\nand more.\n\nPart\n----\n* a\n  goes on\n  - b\n* c\n\n1. d\n\nEnd &amp; <br> x\n"
    assert [(r["kind"], r["level"], r["text"]) for r in rows_of(text, find_title(text))] == [
        ("heading", 1, "Title"), ("paragraph", None, "One line and more."), ("heading", 2, "Part"), ("list_item", 1, "a goes on"),
        ("list_item", 2, "b"), ("list_item", 1, "c"), ("list_item", 1, "d"), ("paragraph", None, "End &amp; <br> x"),
    ]
    assert rows_of(text, "Title")[-1]["heading_path"] == ["Part"]


def test_a_rule_is_no_heading():
    assert [r["kind"] for r in rows_of("A long line of text that is no heading\n---\n")] == ["paragraph"]


def test_title():
    assert find_title("\n\nThe name\n========\ntext") == "The name"
    assert find_title("just text\nmore") is None


@given(st.text(alphabet="éá1.)-*=•&<>br;| \n\t", max_size=150))
def test_no_letter_is_lost(text):
    """Every letter comes out, in order; what goes is underlines, item marks and white space."""
    letters = "éábr"
    assert [c for r in rows_of(text) for c in r["text"] if c in letters] == [c for c in without_marks(text) if c in letters]


def without_marks(text):
    """The text without lettered item marks (`b)`), which are marks as bullets are."""
    return re.sub(r"^(\s*)\(?[a-z][.)][ \t]+(?=\S)", r"\1", text, flags=re.MULTILINE)
