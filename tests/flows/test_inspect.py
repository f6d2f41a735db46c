"""`lode show`, `history`, `alias`, `visible` and `why` on the bundled sample: in process over many ids, and as a user would."""

import json
import random

import pytest

from flows.show_history import BOUNDED, CERTAIN, OPEN, bar, ticks
from flows.show_inspect import windows
from retrieval.gate import Gate
from retrieval.inspection.context import Contexts, marks
from retrieval.inspection.find import KINDS
from retrieval.inspection.rows import Rows
from retrieval.inspection.show import show
from retrieval.inspection.visible import Access, explain, listing
from retrieval.inspection.why import why
from retrieval.options import groups_of
from retrieval.search import QueryOptions, search
from schemas.ids import normalize_text
from schemas.search import SearchFilter
from schemas.time import Interval, parse_iso
from warehouse.layout import Warehouse
from warehouse.reader import Reader
from warehouse.releases import open_release

PER_KIND = 4
PRINCIPALS = (None, "board", "staff")


@pytest.fixture(scope="module")
def rows(sample_warehouse):
    with Rows(open_release(Warehouse.open(sample_warehouse[0]))) as opened:
        yield opened


@pytest.fixture(scope="module")
def reader(sample_warehouse):
    with Reader.open(Warehouse.open(sample_warehouse[0])) as opened:
        yield opened


def some(rows, kind, n=PER_KIND):
    """Ids of a kind, the same each time."""
    spec = KINDS[kind]
    found = [r["i"] for r in rows.all(f'SELECT DISTINCT "{spec.column}" AS i FROM "{spec.table}" ORDER BY i')]
    return random.Random(kind).sample(found, min(n, len(found)))


@pytest.mark.parametrize("kind", list(KINDS))
def test_any_id_of_any_table_is_shown_with_its_span(rows, kind):
    spec, seen = KINDS[kind], some(rows, kind)
    assert seen
    for i in seen:
        data = show(rows, i, kind=kind)
        assert json.dumps(data) == json.dumps(show(rows, i, kind=kind)) and data["id"] == i and data["kind"] == kind
        assert i in json.dumps(data["record"]) or kind in ("text", "source_group")
        assert data["rows_n"] == rows.value(f'SELECT count(*) FROM "{spec.table}" WHERE "{spec.column}" = \'{i}\'')
        for e in data["evidence"]:
            source = rows.canonical(e["document_id"], e["text_object"])
            assert e["verified"] is not False
            for m in e["marks"]:
                assert m["span"] == source[m["start"] : m["end"]] != ""
                assert source[: m["start"]].endswith(m["before"]) and source[m["end"] :].startswith(m["after"])
                assert len(m["before"]) == min(120, m["start"]) and len(m["after"]) == min(120, len(source) - m["end"])
        if kind in ("element", "chunk", "sentence", "mention", "claim", "nugget", "value", "key", "decision"):
            assert data["evidence"] and all(e["verified"] for e in data["evidence"])


def test_marks_hold_the_words_of_the_sentence(rows):
    """Independently of the renderer: a plain sentence is its spans, joined."""
    plain = 0
    for i in some(rows, "mention", 25):
        e = show(rows, i)["evidence"][0]
        joined = normalize_text("".join(m["span"] for m in e["marks"]))
        plain += joined == e["text"]
        assert e["text"].split()[0].strip(":") in joined
    assert plain > 5


def test_a_shifted_span_is_caught(rows):
    for table, kind in (("chunks", "chunk"), ("elements", "element")):
        row = next(r for r in rows.by_id(table, "kind", "paragraph") if len(r["text"]) > 40)
        assert getattr(Contexts(rows), kind)(row)["verified"] is True
        for spans in (row["source_spans"], *(p["source_spans"] for p in row.get("pieces", ()))):
            for s in spans:
                s["start"], s["end"] = s["start"] + 1, s["end"] + 1
        assert getattr(Contexts(rows), kind)(row)["verified"] is False


def test_counts_of_lineage_are_whole_while_lists_are_capped(rows):
    document = rows.value("SELECT document_id FROM documents WHERE title = 'IBM'")
    down = {s["kind"]: s for s in show(rows, document, limit=2, kind="document")["downstream"]}
    for kind in ("version", "block", "element", "chunk", "sentence", "mention", "claim"):
        table = KINDS[kind].table
        assert down[kind]["n"] == rows.value(f"SELECT count(*) FROM {table} WHERE document_id = '{document}'") and len(down[kind]["items"]) <= 2
    assert down["nugget"]["n"] == rows.value(
        f"SELECT count(*) FROM nuggets WHERE list_has_any(claim_ids, (SELECT list(claim_id) FROM claims WHERE document_id = '{document}'))")


def test_an_elements_facts_touch_its_span(rows):
    """A chunk holds several elements; a mention belongs to those that it touches."""
    row = next(r for r in rows.by_id("elements", "kind", "field") if r["text"].startswith("key_people"))
    shown = show(rows, row["element_id"], limit=50)
    down = {s["kind"]: s for s in shown["downstream"]}
    inside = rows.value(f"SELECT count(*) FROM mentions WHERE chunk_id = '{down['chunk']['items'][0]['id']}'")
    assert 0 < down["mention"]["n"] < inside


def test_a_document_that_is_a_source_group_too(rows):
    document = rows.value("SELECT source_group FROM origins GROUP BY 1 HAVING count(*) > 1")
    data = show(rows, document)
    assert data["kind"] == "document" and data["also"] == ["source_group"]
    assert any(r["relation"].startswith("copy_of by") for r in data["related"])
    assert len(show(rows, document, kind="source_group")["rows"]) == 2


@pytest.mark.parametrize("principal", PRINCIPALS)
def test_visible_agrees_with_the_gate(rows, reader, principal):
    groups = groups_of(principal, {})
    gate, access = Gate(reader, SearchFilter(groups=groups)), Access(groups)
    for table, column, what in (("nuggets", "nugget_id", gate.nuggets), ("chunks", "chunk_id", gate.chunks), ("documents", "document_id", gate.documents)):
        every = [r["i"] for r in rows.all(f"SELECT {column} AS i FROM {table}")]
        seen = listing(rows, access, table, 10_000)
        assert sorted(what(every)) == sorted(i["id"] for i in seen["visible"]["items"])
        assert len(every) == seen["visible"]["n"] + seen["hidden"]["n"]
    for i in ("c19a56ac717435230fe06ec8", "5d7fe79902d470ef5e5e6864"):
        if rows.value(f"SELECT count(*) FROM nuggets WHERE nugget_id = '{i}'"):
            assert explain(rows, access, i)["visible"] == (i in gate.nuggets([i]))


def test_what_search_returns_is_visible(rows, reader):
    for principal in PRINCIPALS:
        access = Access(groups_of(principal, {}))
        for text in ("chief executive of Lodestar Minerals", "headquarters", "Who is the CEO of IBM?"):
            for r in search(reader, text, QueryOptions(principal=principal, view="all")).to_json()["results"]:
                assert explain(rows, access, r.get("nugget_id") or r["chunk_id"])["visible"]


def test_why_follows_one_id(reader, rows):
    text = "Who is the CEO of IBM?"
    first = search(reader, text, QueryOptions(at="2015-06-30")).to_json()["results"][0]["nugget_id"]
    told = why(reader, text, QueryOptions(at="2015-06-30", explain=first))
    assert told["stopped_at"] is None and told["explain"]["outcome"] == "returned at rank 1" and told["text"] and told["first"][0] == first
    assert told["explain"]["legs"].items() and all(n >= told["explain"]["legs"].get(leg, 0) for leg, n in told["explain"]["searched"].items())
    later = why(reader, text, QueryOptions(at="2021-06-30", explain=first))
    assert later["stopped_at"] == "filters" and not later["explain"]["filters"]["time"] and first not in later["first"]
    cut = why(reader, text, QueryOptions(k=1, explain=later["first"][0]))
    other = next(i for i in search(reader, text, QueryOptions(k=5)).to_json()["results"][1:])["nugget_id"]
    assert cut["stopped_at"] is None and why(reader, text, QueryOptions(k=1, explain=other))["stopped_at"] == "returned"
    far = rows.value("SELECT nugget_id FROM nuggets WHERE subject = 'Eiffel Tower' AND state = 'active' ORDER BY 1 LIMIT 1")
    assert why(reader, text, QueryOptions(explain=far))["stopped_at"] in ("legs", "reranked", "returned")


def test_hidden_and_missing_are_alike_to_why(reader, rows):
    hidden = rows.value("SELECT nugget_id FROM nuggets WHERE label = 'board' ORDER BY 1 LIMIT 1")
    replaced = rows.value("SELECT id FROM nugget_docs WHERE len(hidden_for) > 0 ORDER BY 1 LIMIT 1")
    for i, principal in ((hidden, None), (replaced, "board")):
        answers = [why(reader, "Who leads Lodestar Minerals?", QueryOptions(principal=principal, explain=x)) for x in (i, "f" * 24)]
        assert json.dumps(answers[0]).replace(i, "") == json.dumps(answers[1]).replace("f" * 24, "") and answers[0]["stopped_at"] == "found"
    assert why(reader, "Who leads Lodestar Minerals?", QueryOptions(principal="board", explain=hidden))["explain"]["found"]


# --- drawing


def day(text):
    return parse_iso(text).first


def test_bars():
    def drawn(a=None, b=None, c=None, d=None, width=10):
        return bar(Interval(*(None if x is None else day(x) for x in (a, b, c, d))), day("2000"), day("2010"), width)

    assert drawn("2002", "2002", "2005", "2005") == "  " + CERTAIN * 3 + " " * 5
    assert drawn("2001", "2003", "2005", "2006") == " " + BOUNDED * 2 + CERTAIN * 2 + BOUNDED + " " * 4
    assert drawn("2002", "2002", "2005", None) == "  " + CERTAIN * 3 + OPEN * 5
    assert drawn("2002", "2002") == "  " + OPEN * 8
    assert drawn(None, "2003", "2005", "2005") == OPEN * 3 + CERTAIN * 2 + " " * 5
    assert drawn("2003-05-01", "2003-05-01", "2003-05-02", "2003-05-02") == "   " + CERTAIN + " " * 6, "a day is seen"
    assert drawn() == OPEN * 10 and drawn("1990", "1990", "1995", "1995") == " " * 10
    assert len(drawn("2002", "2002", width=57)) == 57


@pytest.mark.parametrize(("first", "until", "width"), [("2000", "2001", 12), ("-0400", "2020", 70), ("1900", "2021", 40), ("-0043", "-0042", 9)])
def test_ticks_stand_apart_and_fit(first, until, width):
    line = ticks(day(first), day(until), width)
    years = [int(y) for y in line.split()]
    assert len(line) == width and years == sorted(set(years)) and all(int(first) <= y < int(until) for y in years) and years


def test_marks_that_are_near_share_a_line():
    text = "x" * 1000
    assert [len(w) for w in windows(marks(text, [(10, 20), (25, 30), (160, 170), (700, 705), (40, 40)]))] == [2, 1, 1]
    assert [len(w) for w in windows(marks(text, [(10, 20), (140, 150)]))] == [2]


# --- as a user


def test_commands_print_and_give_json(sample_warehouse, lode_offline, rows):
    wh = sample_warehouse[0]
    nugget = rows.value("SELECT nugget_id FROM nuggets WHERE object = 'Arvind Krishna' AND predicate = 'chief_executive_officer'")
    printed = lode_offline("show", nugget[:12], "-w", wh)
    unwrapped = " ".join(printed.stdout.split())
    assert nugget in unwrapped and "⟪ became chief executive officer of IBM on 6 April 2020" in unwrapped and "operator" in printed.stderr
    assert lode_offline.json("show", nugget, "-w", wh)["evidence_n"] == 6
    told = lode_offline("history", "IBM", "chief executive officer", "--at", "2015-06-30", "-w", wh)
    assert CERTAIN in told.stdout and "  ● Ginni Rometty" in told.stdout and "● Arvind" not in told.stdout and "operator" in told.stderr
    alias = lode_offline.json("history", "international business machines", "CEO", "--as", "anonymous", "-w", wh)
    assert [n["object"] for n in alias["keys"][0]["nuggets"] if n["state"] == "active"][-2:] == ["Ginni Rometty", "Arvind Krishna"]
    seen = lode_offline.json("visible", "--as", "board", "--id", nugget, "-w", wh)
    assert seen["visible"] and "operator" in lode_offline("visible", "--as", "board", "--list", "nuggets", "-w", wh).stderr
    followed = lode_offline("why", "CEO of IBM", "--id", nugget, "--at", "2021", "-w", wh)
    assert "returned at rank 1" in followed.stdout and "operator" not in followed.stderr


def test_two_names_are_told_to_be_one_thing_or_two(sample_warehouse, lode_offline):
    wh = sample_warehouse[0]
    one = lode_offline.json("alias", "IBM", "international business machines", "-w", wh)
    assert (one["verdict"], one["reasons"], len(one["shared"])) == ("one", [], 1) and "[[different]]" in one["fix"]
    assert "redirect" in {e["basis"] for n in one["names"] for x in n["entities"] for e in x["evidence"]}
    told = lode_offline("alias", "Samuel J. Palmisano", "Ginni Rometty", "-w", wh)
    assert "two things" in told.stdout and "[[same]]" in told.stdout and "operator" in told.stderr
    missing = lode_offline("alias", "IBM", "Nobody Here", "-w", wh, code=1)
    assert "uses the name 'Nobody Here'" in missing.stderr


def test_mistakes_are_told(sample_warehouse, lode_offline):
    wh = sample_warehouse[0]
    assert "no subject" in lode_offline("history", "Nobody Here", "CEO", "-w", wh, code=1).stderr
    assert json.loads(lode_offline("show", "xyz", "--json", "-w", wh, code=2).stdout)["error"]
    assert "--at" in lode_offline("history", "IBM", "CEO", "--at", "soon", "-w", wh, code=2).stderr
    assert "an empty subject" in lode_offline("history", "", "CEO", "-w", wh, code=2).stderr
