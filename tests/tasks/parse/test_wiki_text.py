"""Wikitext to elements: golden cases by hand, and the properties that hold for any text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.ids import block_id, element_id
from schemas.render import render
from schemas.sources import SourceSpec
from schemas.tables import TABLES
from tasks.parse.dump import read_dump
from tasks.parse.wikiblocks import split_blocks
from tasks.parse.wikitext import parse_page
from tests.pages import with_texts

CONFIG = {"parse": {"max_depth": 40}}


def parse(text: str, **more) -> list[dict]:
    rows = parse_page("d", "v", "Title", text, CONFIG, **more)
    check(text, rows)
    return rows


def check(text: str, rows: list[dict]) -> None:
    """What holds for every page."""
    spans_of = lambda item: [(s["start"], s["end"]) for s in item["source_spans"]]  # noqa: E731
    ids = [r["element_id"] for r in rows]
    assert len(set(ids)) == len(ids)
    blocks = {block_id("d", text[s:e]) for s, e in split_blocks(text)}
    for number, row in enumerate(rows):
        spans = spans_of(row)
        assert all(0 <= s <= e <= len(text) for s, e in spans)
        assert row["text"] == render(row["kind"], text, spans)
        assert row["text"] or row["kind"] in ("table", "infobox")
        assert row["element_id"] == element_id("v", spans, row["kind"])
        assert row["ordinal"] == number and row["block_id"] in blocks
        assert row["parent_id"] is None or row["parent_id"] in ids[:number]
        for link in row["links"]:
            assert 0 <= link["start"] < link["end"] <= len(row["text"]) and link["target"]
            shown = row["text"][link["start"] : link["end"]]
            assert shown == shown.strip()
        for cell in row["cells"] or []:
            assert cell["text"] == render("field", text, spans_of(cell))


def texts(text: str, kind: str | None = None) -> list[str]:
    return [r["text"] for r in parse(text) if kind in (None, r["kind"])]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("'''Bold''' and ''italic'' [[a b]] [[c|d]]s.", "Bold and italic a b ds."),
        ("It is {{convert|5|km|mi|abbr=on}} long", "It is 5 km long"),
        ("{{convert|5|to|10|km|mi}} and {{cvt|6|ft|2|in|m}} x", "5 to 10 km and 6 ft 2 in x"),
        ("Born {{birth date and age|df=yes|1961|4|3}}.", "Born 1961 4 3."),
        ("From {{Start date|1911|6|16}} on", "From 1911 6 16 on"),
        ("The {{lang|de|Haus}} and {{lang-fr|maison}} {{nowrap|a b}} {{small|c}}", "The Haus and maison a b c"),
        ("Cost {{US$|5 million}}, {{circa|1900}}, {{formatnum:12345}}", "Cost US$ 5 million, circa 1900, 12345"),
        ("{{url|http://x.org/?a=b}} {{url|example.com|Site}} x", "http://x.org/?a=b Site x"),
        ("{{abbr|CEO|chief executive}} of {{flag|France}} {{nihongo|Tokyo|東京|Tōkyō}}", "CEO of France Tokyo 東京"),
        ("A{{unknown thing|5}}B{{citation needed|date=May 2020}}C", "ABC"),
        ("a<!-- no -->b <nowiki>[[c]]</nowiki> &amp; d&nbsp;e", "ab [[c]] & d e"),
        ("[http://x.org label] [http://x.org] [https://y.org/a_b two words]", "label two words"),
        ("x[[File:a.jpg|thumb|200px|A [[cap]]]] y [[Category:Z]]", "x y"),
        ("1990{{snd}}1995 10<sup>6</sup> H<sub>2</sub>O", "1990 1995 10 6 H2O"),
        ("__NOTOC__ open [[link and {{template and ''quote", "open [[link and {{template and quote"),
        ("line\nbreaks<br/>are blanks", "line breaks are blanks"),
        ("{{{1|default}}} is {{{{{2}}}}} not", "is not"),
        ("[[:Category:Birds|birds]] [[wikt:word|word]] [[de:Haus]]", "birds word"),
        ("<math>x</math> plus <math>\\frac{1}{2}</math> is", "x plus is"),
        ("5{{x|{{y|[[z]]}}}} 6", "5 6"),
    ],
)
def test_what_a_paragraph_shows(source, shown):
    assert texts(source, "paragraph") == [shown]


def test_links_have_offsets_and_titles():
    row = parse("The [[big_apple#History|Big Apple]] &amp; [[:paris]], {{nowrap|[[Rome|R]]}}; [[#here|sect]].")[0]
    assert [(row["text"][k["start"] : k["end"]], k["target"]) for k in row["links"]] == [("Big Apple", "Big apple"), ("paris", "Paris"), ("R", "Rome")]


def test_headings_paths_and_levels():
    rows = parse("lead\n\n== A ==\na\n=== ''B'' ===\nb\n\n== C<!-- x --> ==\nc\n\n=D=\nd")
    assert [(r["kind"], r["level"], r["text"], r["heading_path"]) for r in rows] == [
        ("paragraph", None, "lead", []), ("heading", 2, "A", []), ("paragraph", None, "a", ["A"]), ("heading", 3, "B", ["A"]),
        ("paragraph", None, "b", ["A", "B"]), ("heading", 2, "C", []), ("paragraph", None, "c", ["C"]), ("heading", 1, "D", []),
        ("paragraph", None, "d", ["D"]),
    ]


def test_list_items_nest():
    rows = parse("* a\n** b\n*** c\n** d\n# e")
    by_id = {r["element_id"]: r["text"] for r in rows}
    assert [(r["text"], r["level"], by_id.get(r["parent_id"])) for r in rows] == [
        ("a", 1, None), ("b", 2, "a"), ("c", 3, "b"), ("d", 2, "a"), ("e", 1, None)]


def test_footnotes_belong_to_what_cites_them():
    rows = parse("Fact.<ref name=a>{{cite web|url=http://x|title=T [[y]]|last=L|access-date=1 May 2020|year=2001}}</ref><ref name=a/> More{{efn|Note.}}")
    assert [(r["kind"], r["text"]) for r in rows] == [("paragraph", "Fact. More"), ("footnote", "T y L 2001"), ("footnote", "Note.")]
    assert {r["parent_id"] for r in rows[1:]} == {rows[0]["element_id"]}


BOX = """{{Infobox company
| name = Acme<!-- hidden -->
| founded = {{start date|1911|06|16}} in [[Rome]]
| key_people = {{ubl|[[Ann Lee]]<br/>{{small|(Chairman and CEO)}}|Bob (President,<br>since 2020)}}
| products = {{plainlist|
* [[Soap]]
* Glue<ref>note</ref>
}}
| revenue = {{increase}} {{US$|5.5 billion}} (2020)
| only_unknown = {{strange|42}}
| empty =
| module = {{Infobox officeholder|embed=yes|office=Mayor}}
}}"""


def test_infobox_fields_and_items():
    rows = parse(BOX + "\n'''Acme''' is.")
    fields = {r["locator"]: r for r in rows if r["kind"] == "field"}
    shown = {k: v["text"] for k, v in fields.items()}
    assert shown == {
        "key=name": "name: Acme", "key=founded": "founded: 1911 06 16 in Rome",
        "key=key_people": "key_people: Ann Lee (Chairman and CEO); Bob (President, since 2020)", "key=products": "products: Soap; Glue",
        "key=revenue": "revenue: US$ 5.5 billion (2020)", "key=only_unknown": "only_unknown: 42", "key=embed": "embed: yes", "key=office": "office: Mayor",
    }
    people = fields["key=key_people"]
    assert [(c["name"], c["text"]) for c in people["cells"]] == [("key_people", "Ann Lee (Chairman and CEO)"), ("key_people", "Bob (President, since 2020)")]
    assert [k["target"] for k in people["links"]] == ["Ann Lee"]
    boxes = [r for r in rows if r["kind"] == "infobox"]
    assert [b["text"] for b in boxes] == ["Infobox company", "Infobox officeholder"]
    assert boxes[1]["parent_id"] == fields["key=name"]["parent_id"] == boxes[0]["element_id"]
    assert [r["text"] for r in rows if r["kind"] == "footnote"] == ["note"]


def test_a_lead_template_with_plain_values_is_an_infobox():
    box = "{{Bio2\n|Nome = Ann\n|Anno = 1950\n|Luogo = [[Roma]]\n|Altro = {{x}}\n}}"
    assert [r["kind"] for r in parse(box)] == ["infobox", "field", "field", "field"]
    assert parse("== H ==\n" + box)[1:] == []
    assert parse("{{Multiple image|a=1|b=2|c=3|d=4|e=5}}\n\n{{Cite web|a=1|b=2|c=3|d=4}}") == []


def test_table_rows_carry_headers_and_spans():
    text = """{| class="wikitable"
|+ Heads of [[X]]
! Year !! scope="col" | Name
! colspan=2 | Votes
|-
| rowspan="2" | 1990 || [[Ann]] || 5 || 6
|-
| Bob | not an attribute
| 7
|| 8
|- style="x"
! 1991
| colspan="3" | none<br>(yet)
|}"""
    rows = parse(text)
    table = next(r for r in rows if r["kind"] == "table")
    assert table["text"] == "Heads of X Year Name Votes"
    assert [r["text"] for r in rows if r["kind"] == "caption"] == ["Heads of X"]
    lines = [r for r in rows if r["kind"] == "row"]
    assert [r["text"] for r in lines] == ["1990 | Ann | 5 | 6", "1990 | not an attribute | 7 | 8", "1991 | none (yet)"]
    assert [[(c["name"], c["text"]) for c in r["cells"]] for r in lines] == [
        [("Year", "1990"), ("Name", "Ann"), ("Votes", "5"), ("Votes", "6")],
        [("Year", "1990"), ("Name", "not an attribute"), ("Votes", "7"), ("Votes", "8")],
        [("Year", "1991"), ("Name", "none (yet)"), ("Votes", "none (yet)"), ("Votes", "none (yet)")],
    ]
    assert lines[0]["cells"][0]["source_spans"] == lines[1]["cells"][0]["source_spans"]
    assert [r["locator"] for r in lines] == ["row=1", "row=2", "row=3"] and {r["parent_id"] for r in lines} == {table["element_id"]}
    assert [k["target"] for k in lines[0]["links"]] == ["Ann"]


def test_two_header_rows_and_a_repeated_header():
    text = "{|\n! rowspan=2 | A\n! colspan=2 | B\n|-\n! x\n! y\n|-\n| 1 || 2 || 3\n|-\n! A !! x !! y\n|-\n| 4 || 5 || 6\n|}"
    lines = [r for r in parse(text) if r["kind"] == "row"]
    assert [[(c["name"], c["text"]) for c in r["cells"]] for r in lines] == [
        [("A", "1"), ("B x", "2"), ("B y", "3")], [("A", "4"), ("x", "5"), ("y", "6")]]


def test_tables_without_headers_nested_and_in_templates():
    rows = parse("{|\n| a ||\n{|\n| inner\n|}\n| {{nowrap|b {{!}} c}} || [[d|e]]\n|}")
    assert [(r["kind"], r["text"]) for r in rows] == [("table", ""), ("row", "a | b c | e"), ("table", ""), ("row", "inner")]


def test_code_quotes_captions_and_galleries():
    rows = parse("<syntaxhighlight lang=c>\nint  a;\n  [[b]]\n</syntaxhighlight>\n\n{{Quote|Words [[x]].|Author}}\n\n<blockquote>More.</blockquote>\n\n"
                 "<gallery>\nFile:a.jpg|One [[y|z]]\nb.png\n</gallery>\n\n[[Image:c.png|left|thumb|alt=no|Two.<ref>r</ref>]]")
    assert [(r["kind"], r["text"]) for r in rows] == [
        ("code", "int  a;\n  [[b]]"), ("quote", "Words x."), ("quote", "More."), ("caption", "One z"), ("caption", "Two."), ("footnote", "r")]


def test_columns_hold_lists_and_hatnotes_hold_nothing():
    assert texts("{{columns-list|colwidth=9em|\n* a\n* b\n}}\n\n{{Main|X}}\n\n{{Navbox|list1=y}}\n\n{{Use dmy dates|date=May 2020}}") == ["a", "b"]


def test_equal_elements_have_ids_of_their_own():
    assert len(parse("{{Infobox|a={{Infobox|a=}}}}\n\n{|\n|}\n{|\n|}\n\nx\n\nx")) >= 4


def test_blocks_alone_give_the_elements_of_the_whole():
    text = "lead\n\n== A ==\n\n* b\n\n{|\n| c\n|}\n\n=== D ===\n\ne <ref>f</ref>"
    whole = parse(text)
    parts = [r for n in range(len(split_blocks(text))) for r in parse_page("d", "v", "T", text, CONFIG, only=[n])]
    strip = lambda rows: [{k: v for k, v in r.items() if k != "ordinal"} for r in rows]  # noqa: E731
    assert strip(parts) == strip(whole)
    assert [r["text"] for r in parse(text, skip=[0, 2])] == ["A", "", "c", "D", "e", "f"]


TOKENS = ["a", "b c", "5", "\n", "\n\n", " ", "{{", "}}", "{|\n", "\n|}", "\n|-\n", "|", "||", "!", "\n! ", "\n| ", "=", "\n== h ==\n", "\n* ", "\n: ", "<!--", "-->",
          "<ref>", "</ref>", "<ref name=x/>", "[[", "]]", "[http://x ", "]", "'''", "<nowiki>", "</nowiki>", "<br>", "é", "𝄞", "{{{", "}}}",
          "{{Infobox ", "|k=", "{{ubl|", "{{convert|", "km", "{{small|(", "(", ")", "{{plainlist|\n* ", "<gallery>\n", "</gallery>", "File:x|", "&amp;", "&nbsp;",
          "<small>", "<sup>", "colspan=2|", "rowspan=3|", "[[File:", "[[Category:", "{{efn|", "{{cite|title=", "{{columns-list|", "{{quote|", "<pre>", "</pre>", "<math>",
          "</math>", "----", "__TOC__", "{{!}}", "\t", "\r"]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(TOKENS), max_size=45).map("".join))
def test_any_text_keeps_the_promises(text):
    rows = parse(text)
    TABLES["elements"].from_rows(rows)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(TOKENS), max_size=25).map("".join), st.sampled_from([0, 1, 2]))
def test_depth_is_bounded_without_loss_of_the_promises(text, depth):
    check(text, parse_page("d", "v", "T", text, {"parse": {"max_depth": depth}}))


@pytest.mark.parametrize("piece", ["{{a|", "[[a|", "<ref>", "{{{", "'''", "{|\n|", "\n|-\n|a||b", "[http://a ", "<poem>", "{{ubl|a|b}}", "(<br>", "[[a]] ", "\n* a", "}}]]", "|=",
                                   "{{Infobox|a=b", "<gallery>|", "&amp; "])
@pytest.mark.parametrize("frame", ["{}", "{{{{Infobox|k={}}}}}", "{{|\n|{}\n|}}"])
def test_time_is_linear_in_bad_markup(piece, frame):
    def seconds(count: int) -> float:
        text = frame.format(piece * count)
        began = time.process_time()
        parse_page("d", "v", "T", text, CONFIG)
        return time.process_time() - began

    small = seconds(250)
    assert seconds(2000) < 30 * small + 0.3


def test_a_shifted_span_is_seen():
    text = "The [[big|Big]] one is 42 km."
    row = parse(text)[0]
    spans = [(s["start"], s["end"]) for s in row["source_spans"]]
    for index in range(len(spans)):
        moved = [(s + (i == index), e + (i == index)) for i, (s, e) in enumerate(spans)]
        assert render("paragraph", text, moved) != row["text"]


@pytest.mark.parametrize("name", ["enwiki-table-markup.xml.bz2", "dbpedia_frwiki_history_sample.xml", "amen_49rev.xml.gz"])
def test_real_pages_keep_the_promises(corpora, name):
    config = {"parse": {"namespaces": [0], "max_page_bytes": 20_000_000}}
    heads = {r["title"]: r for k, r in with_texts(list(read_dump(corpora / "wikipedia" / name, SourceSpec("", "x", "mediawiki", ("public",)), config))) if k == "raw"}
    assert heads
    for row in heads.values():
        text = row["raw"].decode()
        rows = parse(text)
        assert any(r["kind"] == "paragraph" for r in rows)
        TABLES["elements"].from_rows(rows)
