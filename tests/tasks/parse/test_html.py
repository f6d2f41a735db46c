"""HTML: golden structures, text == render(spans), and no visible word lost."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.render import render
from tasks.parse.html import parse_html
from tasks.parse.htmltree import dropped, find_date, find_title, open_tree

CONFIG = {"max_depth": 40}


def parse(text, title=None, config=CONFIG):
    canonical, rows = parse_html("d", "v", title, open_tree(text), config)
    seen = set()
    for row in rows:
        assert row["text"] == render(row["kind"], canonical, [(s["start"], s["end"]) for s in row["source_spans"]])
        assert row["element_id"] not in seen and (row["parent_id"] is None or row["parent_id"] in seen)
        seen.add(row["element_id"])
        for link in row["links"]:
            assert 0 <= link["start"] < link["end"] <= len(row["text"])
        for cell in row["cells"] or []:
            assert cell["text"] == render("row", canonical, [(s["start"], s["end"]) for s in cell["source_spans"]])
    return rows


def shown(rows):
    return [(r["kind"], r["text"]) for r in rows]


def visible_words(text):
    """The words a reader sees, by a walk that knows nothing of blocks, tables or spans."""
    words, stack = [], [open_tree(text).body]
    while stack:
        node = stack.pop()
        if node is None:
            continue
        if node.tag == "-text":
            words += re.findall(r"\w+", node.text_content or "")
        elif not dropped(node):
            child = node.last_child
            while child is not None:
                stack.append(child)
                child = child.prev
    return words


def all_words(rows):
    out = []
    for row in rows:
        out += re.findall(r"\w+", row["text"])
        out += [w for cell in row["cells"] or [] for w in re.findall(r"\w+", cell["name"])]
    return out


def assert_nothing_lost(text):
    # A word may be split in two by the layout, never dropped: compare the letters of the words.
    found = "".join(all_words(parse(text)))
    for word in visible_words(text):
        assert word in found


def test_blocks():
    rows = parse(
        "<title>T</title><body>loose <b>te</b>xt<h1>Head <i>one</i></h1><p>A &amp; B &amp;amp; &lt;br&gt; x<br>y</p>"
        "<ul><li>one<ul><li>two <a href='u'>link</a></li></ul>tail</li><li><p>three</p><p>more</p></li></ul>"
        "<figure><img alt=no><figcaption>The caption</figcaption></figure><pre><code class='language-py'>if a:\n  b &amp;lt;\n</code></pre>"
        "<dl><dt>Term</dt><dd>Meaning</dd></dl><h2>Two</h2><blockquote>quote</blockquote></body>", title="Head one",
    )
    assert shown(rows) == [
        ("paragraph", "loose text"), ("heading", "Head one"), ("paragraph", "A & B &amp; <br> x y"), ("list_item", "one"),
        ("list_item", "two link"), ("paragraph", "tail"), ("list_item", "three"), ("paragraph", "more"), ("caption", "The caption"),
        ("code", "if a:\n  b &lt;"), ("list_item", "Term"), ("list_item", "Meaning"), ("heading", "Two"), ("paragraph", "quote"),
    ]
    assert [r["level"] for r in rows if r["kind"] == "list_item"] == [1, 2, 1, 1, 1]
    assert rows[4]["links"] == [{"start": 4, "end": 8, "target": "u"}]
    assert rows[4]["parent_id"] == rows[3]["element_id"] == rows[5]["parent_id"]
    assert rows[-1]["heading_path"] == ["Two"] and rows[2]["heading_path"] == []
    assert rows[9]["locator"] == "language=py"


def test_what_pages_repeat_is_left_out():
    rows = parse(
        "<header>site</header><nav>menu</nav><aside>ads</aside><script>x</script><style>y</style><noscript>z</noscript>"
        "<template>t</template><form><input><label>mail</label></form><p hidden>h</p><p style='display: none'>d</p>"
        "<article><header><h1>Kept</h1></header><p>text</p><footer>signed</footer></article><footer>foot</footer>"
    )
    assert [r["text"] for r in rows] == ["Kept", "text", "signed"]


def test_a_form_around_the_whole_page_is_kept():
    assert [r["text"] for r in parse("<form><p>All of the page's text stands here</p></form><p>x</p>")] == ["All of the page's text stands here", "x"]


def test_table_with_spans_and_two_header_rows():
    rows = parse(
        "<table><caption>Sales</caption><thead><tr><th rowspan=2>Firm<th colspan=2>Year</tr><tr><th>2001<th>2002</tr></thead>"
        "<tbody><tr><th rowspan=2 scope=row>Acme<td>1<td>2</tr><tr><td colspan=2>none</tr><tr><td>Bolt<td><td><a href=x>5</a></tr></table>"
    )
    assert shown(rows) == [("table", "Sales"), ("row", "Acme | 1 | 2"), ("row", "Acme | none"), ("row", "Bolt | 5")]
    assert [[(c["name"], c["text"]) for c in r["cells"]] for r in rows[1:]] == [
        [("Firm", "Acme"), ("Year / 2001", "1"), ("Year / 2002", "2")],
        [("Firm", "Acme"), ("Year / 2001 / 2002", "none")],
        [("Firm", "Bolt"), ("Year / 2001", ""), ("Year / 2002", "5")],
    ]
    assert rows[3]["links"] == [{"start": 7, "end": 8, "target": "x"}]
    assert {r["parent_id"] for r in rows[1:]} == {rows[0]["element_id"]}


def test_row_headers_name_their_cell():
    rows = parse("<table><tr><th>Founded<td>1990</tr><tr><th>Chief<td>Ann</tr></table>")
    assert [[(c["name"], c["text"]) for c in r["cells"]] for r in rows[1:]] == [
        [("", "Founded"), ("Founded", "1990")], [("", "Chief"), ("Chief", "Ann")],
    ]


def test_a_row_of_labels_is_no_second_header():
    rows = parse("<table><tr><th>Y<th>Q<th>V</tr><tr><th rowspan=2>2025<th rowspan=2>Q1</tr><tr><td>7</tr></table>")
    assert shown(rows)[1:] == [("row", "2025 | Q1"), ("row", "2025 | Q1 | 7")]


def test_layout_tables_are_no_tables():
    rows = parse("<table><tr><td><h2>A</h2><p>b</p></td><td><table><tr><th>x<th>y</tr><tr><td>1<td>2</tr></table></td></tr></table>")
    assert shown(rows) == [("heading", "A"), ("paragraph", "b"), ("table", ""), ("row", "1 | 2")]


def test_footnotes():
    rows = parse("<p>x</p><section class=footnotes><ol><li>Note <a href='#r'>back</a></li></ol></section>")
    assert shown(rows) == [("paragraph", "x"), ("footnote", "Note back")]


def test_title_and_date():
    tree = open_tree("<title>Site</title><meta property='article:published_time' content='2020-01-02'><meta name=date content=2019><h1> </h1><h1>A  b</h1>")
    assert find_title(tree) == "A b" and find_date(tree) == "2020-01-02"
    assert find_title(open_tree("<title>Site</title><p>x")) == "Site" and find_title(open_tree("<p>x")) is None


def test_a_link_around_blocks_goes_on_in_each():
    rows = parse("<a href=u><p>one</p><p>two</p></a>")
    assert [r["links"] for r in rows] == [[{"start": 0, "end": 3, "target": "u"}]] * 2


@pytest.mark.parametrize("depth", [45, 500, 30_000])
def test_deep_nesting_is_flattened(depth):
    html = "<p>before</p>" + "<div>" * depth + "<ul><li>deep</li><li>er</li></ul>" + "</div>" * depth + "<p>after</p>"
    words = " ".join(r["text"] for r in parse(html)).split()
    assert words == ["before", "deep", "er", "after"]


TAGS = ["p", "div", "b", "a href='x'", "ul", "li", "ol", "table", "tr", "td", "th", "h2", "pre", "code", "span", "dl", "dt", "dd", "section",
        "figcaption", "blockquote", "td rowspan=2", "td colspan=3", "th rowspan=0", "caption", "thead", "br", "article", "footer", "em"]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(
    st.sampled_from(TAGS).map(lambda t: f"<{t}>"), st.sampled_from(TAGS).map(lambda t: f"</{t.split()[0]}>"),
    st.sampled_from(["x1 ", "word", " & ", "&lt;br&gt;", "|", " | ", "&amp;amp;", "\n", "é", "&nbsp;"]),
), max_size=40).map("".join))
def test_any_soup(html):
    assert_nothing_lost(html)


def test_real_documents(corpora):
    files = sorted((corpora / "documents").rglob("sources/*.html"))
    assert files
    for file in files:
        text = file.read_text("utf-8")
        assert parse(text)
        assert_nothing_lost(text)
