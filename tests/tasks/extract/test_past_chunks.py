"""Passages of the past: a sentence that the page says elsewhere is sighted, and read once."""

from __future__ import annotations

import random

import pyarrow as pa

from schemas import ids
from tasks.extract import run
from tests.tasks.extract.builders import CONFIG, Doc, extract, tables_of, triples

CEO, OLD_CEO, HOME = "Ann Archer is the CEO of Acme.", "Bob Baker is the CEO of Acme.", "Acme is based in Oslo."
INTRO = "Acme is a Norwegian maker of pumps."


def passages(doc: Doc, *past: bool) -> Doc:
    """Gives each chunk a block of its own; True marks a passage of the past."""
    for n, (chunk, old) in enumerate(zip(doc.chunks, past, strict=True)):
        chunk["block_id"] = f"b{n}"
        chunk["shown_from"], chunk["shown_to"] = (1_000_000, 2_000_000) if old else (None, None)
    return doc


def sighted(out: dict, sentence: str, doc: Doc, occurrence: int = 0) -> list[str]:
    name = ids.sentence_id(doc.id, sentence, occurrence)
    return [r["block_id"] for r in out["sightings"] if r["sentence_id"] == name]


def test_a_sentence_that_the_head_says_too_is_sighted_and_no_second_mention():
    doc = passages(Doc("Acme").paragraph(f"{INTRO} {CEO}").paragraph(f"{CEO} {HOME}"), False, True)
    out = extract(doc)
    assert sighted(out, CEO, doc) == ["b0", "b1"] and sighted(out, INTRO, doc) == ["b0"] and sighted(out, HOME, doc) == ["b1"]
    assert [s["sentence"] for s in out["sentences"]].count(CEO) == 1
    (mention,) = [m for m in out["mentions"] if m["predicate"] == "chief_executive_officer"]
    assert mention["chunk_id"] == doc.chunks[0]["chunk_id"], "it is told of the head"
    assert ("Acme", "headquarters", "Oslo") in triples(out["mentions"])


def test_what_only_the_past_says_is_a_mention_of_its_passage():
    doc = passages(Doc("Acme").paragraph(f"{INTRO} {CEO}").paragraph(OLD_CEO), False, True)
    out = extract(doc)
    by_object = {m["object"]: m["chunk_id"] for m in out["mentions"] if m["predicate"] == "chief_executive_officer"}
    assert by_object == {"Ann Archer": doc.chunks[0]["chunk_id"], "Bob Baker": doc.chunks[1]["chunk_id"]}
    assert sighted(out, OLD_CEO, doc) == ["b1"] and sighted(out, CEO, doc) == ["b0"]


def test_what_several_passages_said_is_read_in_the_first_of_them():
    doc = passages(Doc("Acme").paragraph(INTRO).paragraph(f"{OLD_CEO} {HOME}").paragraph(OLD_CEO), False, True, True)
    out = extract(doc)
    assert sighted(out, OLD_CEO, doc) == ["b1", "b2"]
    assert [m["chunk_id"] for m in out["mentions"] if m["object"] == "Bob Baker"] == [doc.chunks[1]["chunk_id"]]
    assert {s["occurrence"] for s in out["sentences"]} == {0}


def test_a_sentence_that_the_head_says_twice_stays_two():
    doc = passages(Doc("Acme").paragraph(f"{INTRO} {CEO}").paragraph(CEO).paragraph(CEO), False, False, True)
    out = extract(doc)
    assert sighted(out, CEO, doc) == ["b0", "b2"] and sighted(out, CEO, doc, 1) == ["b1"]
    assert len([m for m in out["mentions"] if m["object"] == "Ann Archer"]) == 2


def test_a_field_of_an_infobox_that_stands_is_not_told_again():
    doc = Doc("Acme").paragraph(INTRO).infobox(["key_people=Ann Archer (CEO)", "founded=1954"])
    doc = passages(doc.infobox(["key_people=Bob Baker (CEO)", "founded=1954"]), False, False, True)
    out = extract(doc)
    (founded,) = [m for m in out["mentions"] if m["predicate"] == "founding_date"]
    assert founded["chunk_id"] == doc.chunks[1]["chunk_id"] and sighted(out, founded["sentence"], doc) == ["b1", "b2"]
    assert {m["object"]: m["chunk_id"] for m in out["mentions"] if m["predicate"] == "chief_executive_officer"} == {
        "Ann Archer": doc.chunks[1]["chunk_id"], "Bob Baker": doc.chunks[2]["chunk_id"]}


def test_a_row_of_a_table_that_stands_is_not_told_again():
    columns, kept = ["Year", "CEO"], ["1999", "Cyd Cole"]
    doc = Doc("Acme").paragraph(INTRO).table(columns, [kept, ["2005", "Ann Archer"]])
    doc = passages(doc.table(columns, [kept, ["2004", "Bob Baker"]]), False, False, True)
    out = extract(doc)
    rows = [s["sentence"] for s in out["sentences"] if " | " in s["sentence"] and s["analysis"] == "analysed"]
    assert sorted(rows) == ["1999 | Cyd Cole", "2004 | Bob Baker", "2005 | Ann Archer"]
    assert sighted(out, "1999 | Cyd Cole", doc) == ["b1", "b2"]
    told = [(m["subject"], m["predicate"], m["object"], m["sentence"]) for m in out["mentions"]]
    assert len(told) == len(set(told))


def test_the_page_is_what_its_head_says():
    """An infobox of the past that made the page one about a person does not make it so now."""
    def page():
        return Doc("Sam Acme").paragraph("Sam Acme makes pumps for harbours in Norway.").paragraph("He was born in Oslo. Sam Acme is based in Oslo.")

    def mentions(doc):
        return [m for m in extract(doc)["mentions"] if m["chunk_id"] in {c["chunk_id"] for c in page().chunks}]

    def with_box():
        return page().infobox(["birth_date=1 May 1950", "spouse=John Roe"])

    alone = mentions(passages(page(), False, False))
    assert mentions(passages(with_box(), False, False, True)) == alone and alone
    assert mentions(passages(with_box(), False, False, False)) != alone, "at the head it would"


def test_a_sighted_sentence_still_leads_to_what_follows():
    """"Its headquarters ..." after a sentence that is read elsewhere has the same subject as it would have had."""
    after = "She joined Acme in 1999."
    doc = passages(Doc("Acme").paragraph(f"{INTRO} {CEO}").paragraph(f"{CEO} {after}"), False, True)
    whole = passages(Doc("Acme").paragraph(f"{INTRO} {CEO} {after}"), False)
    subjects = [{m["subject"] for m in extract(d)["mentions"] if m["sentence"] == after} for d in (doc, whole)]
    assert subjects[0] == subjects[1]


def test_a_chunk_of_several_blocks_says_each_sentence_where_it_stands():
    """A lead-in and its list are one chunk of the head, and two blocks: each has a life of its own."""
    lead, items = f"{INTRO} {CEO} Its works are:", ["Ann Archer opened the mill in Oslo.", "Bob Baker runs the pier in Bergen."]
    doc = Doc("Acme").add("list_item", [("paragraph", lead, None, None), *(("list_item", i, None, None) for i in items)])
    for element, block in zip(doc.elements, ("b0", "b1", "b1"), strict=True):
        element["block_id"] = block
    out = extract(doc.paragraph(CEO))
    where = {INTRO: ["b0"], CEO: ["b0"], "Its works are:": ["b0"], items[0]: ["b1"], items[1]: ["b1"]}
    assert {s: sighted(out, s, doc) for s in where} == where
    assert sighted(out, CEO, doc, 1) == [], "no block is known for it"
    past = Doc("Acme").add("list_item", [("paragraph", lead, None, None), ("list_item", items[0], None, None)]).paragraph(items[0])
    past.elements[0]["block_id"], past.elements[1]["block_id"] = "b0", "b1"
    past.chunks[1]["block_id"], past.chunks[1]["shown_from"], past.chunks[1]["shown_to"] = "b2", 1_000_000, 2_000_000
    assert sighted(extract(past), items[0], past) == ["b1", "b2"]


def test_files_have_no_sightings():
    assert extract(Doc("Acme").paragraph(f"{INTRO} {CEO}"))["sightings"] == []


def test_every_sentence_of_a_block_is_sighted_there_and_order_of_rows_is_irrelevant():
    docs = []
    for title in ("Acme", "Bolt", "Cord"):
        doc = Doc(title).paragraph(f"{title} is a maker of pumps. {CEO}").paragraph(f"{HOME} {CEO}").items(["Ann Archer", "Bob Baker"])
        docs.append(passages(doc.paragraph(f"{HOME} {OLD_CEO}").paragraph(f"{OLD_CEO} {CEO}"), False, False, False, True, True))
    tables = tables_of(docs)
    out = run(CONFIG, tables)
    rng = random.Random(3)
    shuffled = {n: t.take(pa.array(rng.sample(range(t.num_rows), t.num_rows), pa.int64())) for n, t in tables.items()}
    again = run(CONFIG, shuffled)
    assert all(again[n].equals(out[n]) for n in out)
    said = {(r["document_id"], r["sentence_id"]) for r in out["sentences"].to_pylist()}
    sightings = [(r["document_id"], r["sentence_id"], r["block_id"]) for r in out["sightings"].to_pylist()]
    assert {(d, s) for d, s, _ in sightings} == said and len(set(sightings)) == len(sightings)
    for doc in docs:
        assert {b for d, _, b in sightings if d == doc.id} == {c["block_id"] for c in doc.chunks}
