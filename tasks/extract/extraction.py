"""The extract step: pieces of chunks to sentences, sentences to mentions; rows of a document depend on it alone.

Order of work: all documents of the shard are cut into units; each distinct sentence is analysed once; then document by
document the rules' open references are resolved and every argument is verified in its sentence.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from schemas import ids
from schemas.render import locate_in_pieces
from schemas.tables import TABLES, quarantine_row
from tasks.extract.context import Lead, Page, make_page
from tasks.extract.drafts import Draft
from tasks.extract.infobox import Field, infobox_drafts, make_field
from tasks.extract.lexicon import Lexicon, build_lexicon
from tasks.extract.lists import list_drafts
from tasks.extract.places import SharedPlaces, block_at, shared_places
from tasks.extract.resolve import resolve
from tasks.extract.roletext import best_sense
from tasks.extract.sentence import Analysis, analyse_shared
from tasks.extract.tables import caption_lines, heading_role, make_cells, row_drafts

STAGE_NAME = "extract"
_WORD = re.compile(r"[^\W\d_]{2,}")
_STOPPED = re.compile(r"[.!?。！？][\"'”’)\]]*\s*$")
_CHUNK_COLUMNS = ("chunk_id document_id text_object kind ordinal title heading_path header text pieces element_ids links language block_id shown_from").split()
_LITERAL = {"code": "code", "linear": "code", "heading": "heading", "math": "code"}


@dataclass(slots=True)
class Unit:
    """A sentence, row, list item or field line at one place: its chunk (index), offsets there, kind, and analysis."""

    chunk: int
    start: int
    end: int
    kind: str
    analysis: str
    text: str
    first: bool = False
    past: bool = False
    cells: list | None = None


@dataclass(slots=True)
class Document:
    """One document's chunks in order with what they were cut into."""

    id: str
    chunks: list[dict]
    units: list[Unit] = field(default_factory=list)
    fields: dict[int, list[Field]] = field(default_factory=dict)


def run(config: dict, tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """See the stage's declaration. `config` has the parts `extract` and `predicates`."""
    options = config["extract"]
    if options.get("extractor", "rules") == "none" or not tables["chunks"].num_rows:
        return {name: TABLES[name].empty() for name in ("sentences", "sightings", "mentions", "quarantine")}
    lex = build_lexicon(config["predicates"])
    documents = _documents(tables["chunks"])
    cells = _cells(tables["elements"])
    places = shared_places(tables["chunks"], tables["elements"])
    split = _splitter()
    for document in documents:
        _cut(document, cells, split, options)
    wanted = dict.fromkeys(u.text for d in documents for u in d.units if u.kind == "sentence" and u.analysis == "analysed")
    analyses = analyse_shared(list(wanted), options["spacy_model"], config["predicates"])
    texts = _texts(tables["texts"])
    out: dict[str, list[dict]] = {"sentences": [], "sightings": [], "mentions": [], "quarantine": []}
    for document in documents:
        _document(document, analyses, texts, lex, options, places, out)
    return {name: TABLES[name].from_rows(rows) for name, rows in out.items()}


def _splitter() -> Callable[[str, str], list[tuple[int, int]]]:
    from tasks.text.sentences import split_sentences

    return split_sentences


def _documents(chunks: pa.Table) -> list[Document]:
    table = chunks.select(_CHUNK_COLUMNS).sort_by([("document_id", "ascending"), ("ordinal", "ascending"), ("chunk_id", "ascending")])
    by_id: dict[str, Document] = {}
    for row in table.to_pylist():
        by_id.setdefault(row["document_id"], Document(row["document_id"], [])).chunks.append(row)
    return list(by_id.values())


def _cells(elements: pa.Table) -> dict[str, list[dict]]:
    """element_id -> cells, for rows and fields."""
    wanted = elements.filter(pc.is_in(elements["kind"], value_set=pa.array(["row", "field"])))
    pairs = zip(wanted["element_id"].to_pylist(), wanted["cells"].to_pylist(), wanted["text"].to_pylist(), strict=False)
    return {i: (cells or [], text) for i, cells, text in pairs}


def _texts(texts: pa.Table) -> dict[tuple[str, str], str]:
    keys = zip(texts["document_id"].to_pylist(), texts["text_object"].to_pylist(), strict=False)
    return dict(zip(keys, texts["canonical_text"].to_pylist(), strict=False))


def _cut(document: Document, cells: dict, split, options: dict) -> None:
    languages = tuple(options["languages"])
    limit = options["max_sentence_chars"]
    for c, chunk in enumerate(document.chunks):
        language = (chunk["language"] or "und").split("-")[0]
        past = chunk["shown_from"] is not None
        waiting = [cells[e] for e in chunk["element_ids"] or () if e in cells]
        for piece in chunk["pieces"] or ():
            kind, start, end = piece["kind"], piece["start"], piece["end"]
            text = chunk["text"][start:end]
            if not text.strip():
                continue
            if kind in ("row", "field"):
                mine = next((x for x in waiting if x[1] == text), None)
                if mine is not None:
                    waiting.remove(mine)
                analysis = "analysed" if language in languages or language == "und" else "dropped:language"
                if kind == "field" and analysis == "analysed":
                    document.fields.setdefault(c, []).append(make_field(chunk["text"], start, end, mine[0] if mine else []))
                document.units.append(Unit(c, start, end, kind, analysis, text, past=past, cells=mine[0] if mine else []))
                continue
            if kind in _LITERAL or chunk["kind"] == "code":
                document.units.append(Unit(c, start, end, kind, "dropped:" + _LITERAL.get(kind, "code"), text, past=past))
                continue
            if kind == "list_item":
                document.units.append(Unit(c, start, end, "list_item", "", text, past=past))
            for n, (a, b) in enumerate(split(text, chunk["language"] or "und")):
                sentence = text[a:b]
                if not sentence.strip():
                    continue
                if language not in languages:
                    analysis = "dropped:language"
                elif len(sentence) > limit:
                    analysis = "dropped:too_long"
                elif not _WORD.search(sentence):
                    analysis = "dropped:no_words"
                elif kind == "footnote" and not _STOPPED.search(text):
                    # Titles and names of a cited work ("X CEO Y is first member") state nothing of their own today.
                    analysis = "dropped:citation"
                else:
                    analysis = "analysed"
                document.units.append(Unit(c, start + a, start + b, "sentence", analysis, sentence, first=n == 0, past=past))


def _page(document: Document, lex: Lexicon) -> Page:
    title = document.chunks[0]["title"] or ""
    now = [c for c in document.chunks if c["shown_from"] is None] or document.chunks
    first = next((u.text for u in document.units if not u.past and u.kind == "sentence" and not document.chunks[u.chunk]["heading_path"]
                  and document.chunks[u.chunk]["kind"] == "paragraph" and len(u.text) > 20), "")
    keys = [f.key for c, fields in document.fields.items() if document.chunks[c] in now for f in fields]
    page = make_page(title, first, keys, (c["text"] for c in now if c["kind"] in ("paragraph", "list_item")))
    if (found := heading_role([page.name], lex)) and found[1]:
        page.office, page.owner = frozenset({best_sense(found[0].senses, found[1]).name}), found[1]
    return page


class _Writer:
    """Rows of one document: sentences with their occurrence, mentions with verified arguments."""

    def __init__(self, document: Document, texts: dict, options: dict, places: SharedPlaces, out: dict[str, list[dict]]):
        self.document, self.texts, self.places, self.out = document, texts, places, out
        self.least = options.get("min_confidence", 0.0)
        self.counts: dict[str, int] = defaultdict(int)
        self.known: dict[tuple[int, int, int], dict] = {}
        self.seen: set[str] = set()
        self.spans: dict[str, list[dict]] = {}
        self.sighted: set[tuple[str, str]] = set()

    def sentence(self, c: int, start: int, end: int, analysis: str) -> dict | None:
        """The sentence row at a place of a chunk; written once. None where a passage of the past says what was written before."""
        if (c, start, end) in self.known:
            return self.known[(c, start, end)]
        chunk = self.document.chunks[c]
        text = chunk["text"][start:end]
        n = self.counts[text]
        if n and chunk["shown_from"] is not None:
            self.sight(ids.sentence_id(self.document.id, text, 0), chunk, start)
            return None
        self.counts[text] += 1
        row = {
            "sentence_id": ids.sentence_id(self.document.id, text, n), "document_id": self.document.id, "chunk_id": chunk["chunk_id"],
            "sentence": text, "sentence_start": start, "occurrence": n, "analysis": analysis,
        }
        self.known[(c, start, end)] = row
        self.out["sentences"].append(row)
        self.sight(row["sentence_id"], chunk, start)
        return row

    def sight(self, sentence: str, chunk: dict, start: int) -> None:
        """Notes which block says a sentence: the chunk's, or where it holds several, the one that the sentence begins in."""
        block = chunk["block_id"] or block_at(self.places, chunk, start)
        if block is not None and (sentence, block) not in self.sighted:
            self.sighted.add((sentence, block))
            self.out["sightings"].append({"document_id": self.document.id, "sentence_id": sentence, "block_id": block})

    def mention(self, row: dict | None, c: int, end: int, d: Draft) -> None:
        """Verifies a draft and writes it; what does not stand in its sentence goes to quarantine."""
        if row is None or d.confidence < self.least or not d.subject or not d.object:
            return
        sentence = row["sentence"]
        for name, span, text in (("subject", d.subject_span, d.subject), ("object", d.object_span, d.object)):
            if span is not None and sentence[span[0] : span[1]] != text:
                self.out["quarantine"].append(quarantine_row(
                    STAGE_NAME, self.document.id, f"{row['sentence_id']}:{name}:{span[0]}:{d.predicate}", "argument_not_in_sentence",
                    f"{name} {text!r} is not at {span[0]}..{span[1]} of the sentence", "info"))
                return
        offsets = [*(d.subject_span or (None, None)), *(d.object_span or (None, None))]
        mention = ids.mention_id(self.document.id, sentence, row["occurrence"], offsets, f"{d.predicate}/{d.scope}" if d.scope else d.predicate, d.extractor)
        if mention in self.seen:
            return
        self.seen.add(mention)
        cues = sorted({(a, b, role) for role, a, b in d.cues if 0 <= a < b <= len(sentence)})
        self.out["mentions"].append({
            "mention_id": mention, "document_id": self.document.id, "chunk_id": row["chunk_id"], "sentence_id": row["sentence_id"],
            "sentence": sentence, "sentence_start": row["sentence_start"], "occurrence": row["occurrence"],
            "source_spans": self._source(row, c, end), "subject": d.subject, "subject_target": d.subject_target,
            "subject_span": _span(d.subject_span), "subject_basis": d.subject_basis, "subject_type": d.subject_type,
            "predicate": d.predicate, "predicate_span": _span(d.predicate_span), "object": d.object, "object_target": d.object_target,
            "object_span": _span(d.object_span), "object_type": d.object_type, "scope": d.scope, "condition": d.condition,
            "cues": [{"role": role, "text": sentence[a:b], "start": a, "end": b} for a, b, role in cues],
            "polarity": d.polarity, "modality": d.modality, "attribution": d.attribution, "extractor": d.extractor,
            "confidence": round(d.confidence, 3),
        })

    def _source(self, row: dict, c: int, end: int) -> list[dict]:
        key = row["sentence_id"]
        if key not in self.spans:
            chunk = self.document.chunks[c]
            text = self.texts.get((self.document.id, chunk["text_object"]))
            if text is None:
                self.out["quarantine"].append(quarantine_row(
                    STAGE_NAME, self.document.id, chunk["chunk_id"], "no_canonical_text",
                    f"texts holds no {chunk['text_object']}: evidence has no source spans"))
                self.spans[key] = []
            else:
                found = locate_in_pieces(text, chunk["pieces"], row["sentence_start"], end)
                self.spans[key] = [{"start": a, "end": b} for a, b in found]
        return self.spans[key]


def _span(span: tuple[int, int] | None) -> dict | None:
    return None if span is None else {"start": span[0], "end": span[1]}


def _links(chunk: dict, start: int, end: int) -> list[dict]:
    """The chunk's links inside a unit, with offsets in the unit."""
    return [
        {"start": link["start"] - start, "end": link["end"] - start, "target": link["target"]}
        for link in chunk["links"] or () if link["start"] < end and start < link["end"]
    ]


def _document(
    document: Document, analyses: dict[str, Analysis], texts: dict, lex: Lexicon, options: dict, places: SharedPlaces, out: dict
) -> None:
    page = _page(document, lex)
    writer = _Writer(document, texts, options, places, out)
    before: Lead | None = None
    lead_in = ""
    for unit in document.units:
        chunk = document.chunks[unit.chunk]
        places = [p for p in [lead_in if unit.kind == "list_item" else "", *reversed(chunk["heading_path"] or []), page.title] if p]
        if unit.kind == "list_item":
            row = None
            for d in list_drafts(unit.text, places, page, _links(chunk, unit.start, unit.end), lex):
                row = row or writer.sentence(unit.chunk, unit.start, unit.end, "analysed")
                writer.mention(row, unit.chunk, unit.end, d)
            continue
        row = writer.sentence(unit.chunk, unit.start, unit.end, unit.analysis)
        if unit.analysis != "analysed":
            continue
        if row is None:  # said elsewhere: it only leads to what follows
            if unit.kind == "sentence":
                before = analyses[unit.text].lead
                lead_in = unit.text if unit.text.rstrip().endswith(":") else lead_in if chunk["kind"] == "list_item" else ""
            continue
        if unit.kind == "row":
            found = make_cells(unit.text, unit.cells or [], chunk["header"] or "")
            links = _links(chunk, unit.start, unit.end)
            for d in row_drafts(unit.text, found, caption_lines(chunk["header"] or "") + places, page, links, lex):
                writer.mention(row, unit.chunk, unit.end, d)
        elif unit.kind == "sentence":
            analysis = analyses[unit.text]
            links = _links(chunk, unit.start, unit.end)
            for d in resolve(analysis, unit.text, page, None if unit.first else before, links):
                writer.mention(row, unit.chunk, unit.end, d)
            before = analysis.lead
            lead_in = unit.text if unit.text.rstrip().endswith(":") else lead_in if chunk["kind"] == "list_item" else ""
    for c, fields in document.fields.items():
        chunk = document.chunks[c]
        for start, end, d in infobox_drafts(chunk["text"], fields, page, chunk["links"] or [], lex):
            writer.mention(writer.sentence(c, start, end, "analysed"), c, end, d)
