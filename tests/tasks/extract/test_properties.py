"""What holds for every input: spans verify, nothing depends on company or order, every sentence is accounted for."""

from __future__ import annotations

import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.ids import mention_id, sentence_id
from schemas.predicates import check_predicates
from tasks.extract import STAGE
from tasks.extract.parses import analyse, load_model
from tests.tasks.extract.builders import CONFIG, Doc, extract
from tests.tasks.extract.golden import GOLDEN

SENTENCES = [g[2] for g in GOLDEN]
_words = st.sampled_from(
    "IBM CEO of the Acme was is , ( ) 2012 – 1999 president Mary Stone and became until in from to by not will if Paris population 3.6 million "
    "its he she founded acquired 's • | ; married é 😀 CEO's 12,000 $5 employees".split())


def some_docs(n: int = 8) -> list[Doc]:
    docs = []
    for i in range(n):
        doc = Doc(f"Page {i}").paragraph("Acme is an American technology company. It is headquartered in Springfield.")
        doc.paragraph(" ".join(SENTENCES[i * 7 : i * 7 + 7]))
        doc.infobox([f"founded={1900 + i}", "key_people=John Miller (CEO)"]).items([f"Sam Poe (19{10 + i}–1950)"], heading=("Chairmen",))
        docs.append(doc)
    return docs


def check(out: dict) -> None:
    sentences = {s["sentence_id"]: s for s in out["sentences"]}
    assert len(sentences) == len(out["sentences"])
    for m in out["mentions"]:
        s = sentences[m["sentence_id"]]
        assert s["analysis"] == "analysed" and s["sentence"] == m["sentence"]
        offsets = []
        for name in ("subject", "object"):
            span = m[f"{name}_span"]
            offsets += [span["start"], span["end"]] if span else [None, None]
            assert not span or m["sentence"][span["start"] : span["end"]] == m[name]
        assert m["subject_span"] or m["subject_basis"] in ("page", "heading", "pronoun")
        for c in m["cues"]:
            assert m["sentence"][c["start"] : c["end"]] == c["text"]
        assert m["mention_id"] == mention_id(m["document_id"], m["sentence"], m["occurrence"], offsets, f"{m['predicate']}/{m['scope']}" if m["scope"] else m["predicate"], m["extractor"])
        assert m["polarity"] in ("positive", "negative") and m["modality"] in ("asserted", "planned", "hypothetical")
        assert m["subject"] == m["subject"].strip() and m["object"] == m["object"].strip() and 0 <= m["confidence"] <= 1
    for s in out["sentences"]:
        assert s["sentence_id"] == sentence_id(s["document_id"], s["sentence"], s["occurrence"])


def test_rows_of_a_document_depend_on_it_alone():
    docs = some_docs()
    together = extract(*docs)
    check(together)
    assert len(together["mentions"]) > 60
    random.Random(5).shuffle(docs)
    for doc in docs[:4]:
        alone = extract(doc)
        for name in ("sentences", "sightings", "mentions", "quarantine"):
            assert alone[name] == [r for r in together[name] if r["document_id"] == doc.id]


def test_source_spans_are_the_sentence():
    doc = some_docs(1)[0]
    for m in extract(doc)["mentions"]:
        if m["extractor"] == "spacy":
            assert "".join(doc.canonical[s["start"] : s["end"]] for s in m["source_spans"]) == m["sentence"]
        assert m["source_spans"]


def test_a_parse_is_the_same_in_any_batch():
    """Bit for bit: tensor, heads, labels, lemmas, entities."""
    nlp = load_model(CONFIG["extract"]["spacy_model"])
    texts = list(dict.fromkeys(SENTENCES))

    def look(doc):
        return (doc.tensor.tobytes(), [(t.head.i, t.dep_, t.tag_, t.lemma_) for t in doc], [(e.start, e.end, e.label_) for e in doc.ents])

    alone = {d.text: look(d) for d in nlp.pipe(texts, batch_size=1)}
    random.Random(1).shuffle(texts)
    assert all(look(d) == alone[d.text] for d in nlp.pipe(texts, batch_size=64))
    assert [p.text for p in analyse(texts, CONFIG["extract"]["spacy_model"])] == texts


def test_equal_sentences_are_told_apart_by_occurrence():
    sentence = "Arvind Krishna is the CEO of IBM."
    out = extract(Doc("Notes").paragraph(sentence).paragraph(sentence))
    assert sorted(s["occurrence"] for s in out["sentences"]) == [0, 1]
    hits = [m for m in out["mentions"] if m["predicate"] == "chief_executive_officer"]
    assert len({m["mention_id"] for m in hits}) == len(hits) == 2


def test_every_sentence_is_analysed_or_dropped_with_a_reason():
    doc = Doc("Notes").paragraph("12 + 3.").paragraph("Word " * 400 + "end.").add("code", [("code", "x = CEO of IBM", None, None)])
    analysis = {s["analysis"] for s in extract(doc)["sentences"]}
    assert analysis == {"dropped:no_words", "dropped:too_long", "dropped:code"}
    other = extract(Doc("Notizen", language="de").paragraph("Arvind Krishna ist der Chef von IBM."))
    assert [s["analysis"] for s in other["sentences"]] == ["dropped:language"] and not other["mentions"]


def test_a_missing_text_is_an_error_row():
    from tasks.extract import run
    from tests.tasks.extract.builders import tables_of

    tables = tables_of([Doc("Notes").paragraph("Arvind Krishna is the CEO of IBM.")])
    tables["texts"] = tables["texts"].slice(0, 0)
    out = run(CONFIG, tables)
    assert out["quarantine"]["severity"].to_pylist() == ["error"]
    assert out["mentions"]["source_spans"].to_pylist() == [[]] * out["mentions"].num_rows


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.lists(_words, min_size=1, max_size=25), min_size=4, max_size=12))
def test_any_text_is_legal(lines):
    doc = Doc("Acme").paragraph("Acme is an American technology company.")
    for n, words in enumerate(lines):
        text = " ".join(words)
        if n % 4 == 0:
            doc.infobox([f"{words[0]}={text}", f"key_people={text}", f"office={text}", f"term_start={text}"])
        elif n % 4 == 1:
            doc.table(["Name", "Took office", words[-1]], [words[:3]], heading=("Presidents",))
        elif n % 4 == 2:
            doc.items([text], heading=("Chairmen",))
        else:
            doc.paragraph(text + ".")
    out = extract(doc)
    check(out)
    assert out["quarantine"] == []


def test_a_second_domain_needs_no_code():
    """A file about genes and proteins: verbs, copulas, nouns, quantities."""
    predicates = check_predicates({"predicates": {
        "encodes": {"description": "Protein of a gene.", "verbs": ["encode", "code for"], "aliases": ["product"], "columns": ["protein"]},
        "inhibits": {"description": "What it inhibits.", "verbs": ["inhibit", "block"], "cardinality": "multi"},
        "isoform_of": {"description": "Protein it is an isoform of.", "verbs": ["be isoform of"]},
        "length_residues": {"description": "Amino acids.", "object": "quantity", "aliases": ["length"], "infobox": ["length"]},
        "curator": {"description": "Who keeps the entry.", "object_types": ["PERSON"], "subject": ["PRODUCT", "ORG"], "aliases": ["curator"]},
    }}, "biology.toml")
    config = {"extract": CONFIG["extract"], "predicates": {n: p.model_dump(mode="json") for n, p in predicates.items()}}
    doc = Doc("TP53").paragraph("The gene BRCA1 is known to encode Brcatin. PD-L1 is inhibited by Imatinib. The drug Imatinib inhibited Kinase in most patients.")
    doc.paragraph("Brcatin is an isoform of Cadherin. The length of Brcatin is 1863 residues. Mary Stone was appointed curator of UniProt in 2004.")
    doc.infobox(["length=393 (2020)"]).table(["Gene", "Protein"], [["KRAS", "Krasin"]])
    out = extract(doc, config=config)
    found = {(m["subject"], m["predicate"], m["object"]) for m in out["mentions"]}
    assert {("BRCA1", "encodes", "Brcatin"), ("Imatinib", "inhibits", "PD-L1"), ("Imatinib", "inhibits", "Kinase"), ("Brcatin", "isoform_of", "Cadherin"),
            ("Brcatin", "length_residues", "1863"), ("UniProt", "curator", "Mary Stone"), ("TP53", "length_residues", "393"),
            ("KRAS", "encodes", "Krasin")} <= found
    assert not {p for _, p, _ in found} & {"chief_executive_officer", "founder"}


def test_the_declaration():
    assert STAGE.writes() == ("sentences", "sightings", "mentions", "quarantine") and STAGE.config == ("extract", "predicates")
