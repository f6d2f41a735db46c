"""Markdown: golden structures, and text == render(spans) on made and on real documents."""

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.render import render
from tasks.parse.markdown import Markdown, parse_markdown

CONFIG = {"max_depth": 40}


def rows_of(text, title=None):
    rows = parse_markdown("d", "v", title, text, CONFIG)
    check(text, rows)
    return rows


def check(canonical, rows):
    """What every parser owes: texts from spans, unique ids, ordinals in order, links and cells inside, known parents."""
    assert [r["ordinal"] for r in rows] == list(range(len(rows)))
    seen = set()
    for row in rows:
        spans = [(s["start"], s["end"]) for s in row["source_spans"]]
        assert row["text"] == render(row["kind"], canonical, spans)
        assert row["element_id"] not in seen
        assert row["parent_id"] is None or row["parent_id"] in seen
        seen.add(row["element_id"])
        for link in row["links"]:
            assert 0 <= link["start"] < link["end"] <= len(row["text"])
            assert row["text"][link["start"] : link["end"]].strip() == row["text"][link["start"] : link["end"]]
        for cell in row["cells"] or []:
            assert cell["text"] == render("row", canonical, [(s["start"], s["end"]) for s in cell["source_spans"]])


def shown(rows):
    return [(r["kind"], r["text"]) for r in rows]


def test_marks_escapes_and_targets_are_left_out():
    text = "One *two* **three** `f(x)` ~~four~~ \\*five\\* [six **seven**](http://x.y \"t\") <http://a.b/c> ![alt *text*](i.png)\n"
    (row,) = rows_of(text)
    assert row["text"] == "One two three f(x) four *five* six seven http://a.b/c alt text"
    assert [(row["text"][k["start"] : k["end"]], k["target"]) for k in row["links"]] == [
        ("six seven", "http://x.y"), ("http://a.b/c", "http://a.b/c"),
    ]


def test_equal_words_are_told_apart():
    text = "a `a` *a* [a](a) a\n"
    (row,) = rows_of(text)
    assert row["text"] == "a a a a a"
    starts = [s["start"] for s in row["source_spans"]]
    assert starts == sorted(starts) and row["source_spans"][-1]["end"] == len(text) - 1
    assert row["links"] == [{"start": 6, "end": 7, "target": "a"}]


def test_entities_are_decoded_but_not_in_code():
    (row,) = rows_of("AT&amp;T `&amp; <br>` \\&lt; &notanentity; x<br>y\n")
    assert row["text"] == "AT&T &amp; <br> &lt; &notanentity; x y"


def test_heading_paths_and_the_title():
    rows = rows_of("# Title\n\nlead\n\n## A *b* ##\n\nx\n\nC\n---\n\n### D\n\ny\n\n# E\n\nz\n", title="Title")
    assert [(r["text"], r["level"], r["heading_path"]) for r in rows if r["kind"] == "heading"] == [
        ("Title", 1, []), ("A b", 2, []), ("C", 2, []), ("D", 3, ["C"]), ("E", 1, []),
    ]
    assert {r["text"]: r["heading_path"] for r in rows if r["kind"] == "paragraph"} == {
        "lead": [], "x": ["A b"], "y": ["C", "D"], "z": ["E"],
    }


def test_lists_nest_and_keep_what_belongs_to_an_item():
    rows = rows_of("- one\n  more\n  - two\n\n    para\n\n    ```\n    code\n    ```\n1. three\n")
    assert [(r["kind"], r["level"], r["text"]) for r in rows] == [
        ("list_item", 1, "one more"), ("list_item", 2, "two"), ("paragraph", None, "para"), ("code", None, "code"),
        ("list_item", 1, "three"),
    ]
    ids = [r["element_id"] for r in rows]
    assert [r["parent_id"] for r in rows] == [None, ids[0], ids[1], ids[1], None]


def test_table_cells_carry_their_header():
    rows = rows_of("The chiefs were:\n\n| Name | Since \\| until |\n|:--|--:|\n| *Ann* | [2001](y) |\n| Bob `p \\| q` | |\n")
    assert shown(rows) == [
        ("paragraph", "The chiefs were:"), ("table", "The chiefs were:"), ("row", "Ann | 2001"), ("row", "Bob p | q"),
    ]
    assert [(c["name"], c["text"]) for c in rows[2]["cells"]] == [("Name", "Ann"), ("Since | until", "2001")]
    assert [r["parent_id"] for r in rows[2:]] == [rows[1]["element_id"]] * 2
    assert rows[2]["links"] == [{"start": 6, "end": 10, "target": "y"}]
    assert [r["locator"] for r in rows[2:]] == ["row=1", "row=2"]


def test_a_table_without_rows_keeps_its_header():
    rows = rows_of("| a | b |\n|---|---|\n")
    assert shown(rows) == [("table", ""), ("row", "a | b")]


def test_only_the_last_sentence_is_a_caption():
    rows = rows_of("Much was said. The chiefs were:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    assert shown(rows)[1] == ("table", "The chiefs were:")


def test_code_is_literal():
    rows = rows_of("```python x\nif a:\n\n    b &amp; c <br>\n```\n\n    indented\n      more\n\n> ```\n> quoted\n>   code\n> ```\n")
    assert shown(rows) == [("code", "if a:\n\n    b &amp; c <br>"), ("code", "indented\n  more"), ("code", "quoted\n  code")]
    assert rows[0]["locator"] == "language=python"


def test_unclosed_fence_keeps_its_last_line():
    assert shown(rows_of("```\na\nb")) == [("code", "a\nb")]


def test_footnotes():
    rows = rows_of("Text[^1] and^[inline *note*].\n\n[^1]: The *note*.\n\n    Its second part.\n")
    assert shown(rows) == [
        ("paragraph", "Text and."), ("footnote", "inline note"), ("footnote", "The note."), ("footnote", "Its second part."),
    ]


def test_quotes_are_paragraphs_and_html_blocks_keep_text():
    rows = rows_of("> a *b*\n> c\nlazy\n\n<div><script>no()</script>\n<b>Hi</b> there<p>you</p> &lt;\n<!-- no -->\n</div>\n")
    assert shown(rows) == [("paragraph", "a b c lazy"), ("paragraph", "Hi there you <")]


def test_mkdocs_blocks_are_no_code():
    rows = rows_of('!!! note "My *title*"\n    Some **text**\n\n    ```py\n    x = 1\n    ```\n\n=== "Tab"\n\n    - item\n\n!!! no block! at all\n')
    assert shown(rows) == [
        ("paragraph", "My title"), ("paragraph", "Some text"), ("code", "x = 1"), ("paragraph", "Tab"), ("list_item", "item"),
        ("paragraph", "!!! no block! at all"),
    ]


def test_front_matter_and_references_give_nothing():
    assert shown(rows_of("---\ntitle: x\n---\n\n[a]\n\n[a]: http://b.c\n")) == [("paragraph", "a")]


def test_a_lone_bar_is_not_lost():
    (row,) = rows_of("use the `|` key\n")
    assert "|" in row["text"]


def test_title_is_the_first_heading_of_level_one():
    assert Markdown("## B\n\n# A *c*\n\n# D\n", CONFIG).title() == "A c"
    assert Markdown("text\n", CONFIG).title() is None


def test_deep_nesting_does_not_crash():
    rows_of("> " * 300 + "x\n" + "".join("  " * n + "- a\n" for n in range(200)) + "[" * 500 + "x" + "](y)" * 500)


WORDS = st.text(alphabet="abcXYZ019éß中", min_size=1, max_size=6)
SOUP = st.text(alphabet="ab *_`~[]()!<>&;|\\#-+=:^.\n\t 1é\"{}/", max_size=120)


@settings(max_examples=300, deadline=None)
@given(SOUP)
def test_text_is_rendered_from_spans_on_any_input(text):
    rows_of(text)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(WORDS, min_size=1, max_size=5), min_size=1, max_size=6), st.sampled_from(["{}", "- {}", "> {}", "1. {}", "# {}", "**{}**"]))
def test_no_word_is_lost(paragraphs, form):
    text = "\n\n".join(form.format(" ".join(p)) for p in paragraphs)
    words = [w for p in paragraphs for w in p]
    assert " ".join(r["text"] for r in rows_of(text)).split() == words


@pytest.mark.parametrize("name", ["PrefectHQ__prefect", "TobikoData__sqlmesh"])
def test_real_documents(name, corpora):
    path = corpora / f"markdown-history/{name}.jsonl.gz"
    heads = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            heads[row["path"]] = row["text"]
    for text in list(heads.values())[:6]:
        if text:
            assert rows_of(text)
