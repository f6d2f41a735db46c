"""What supports a result, to the character: nugget → claims → mentions → spans; chunk → its own spans.

Only claims, chunks and documents that the reader may read are followed; a nugget that is left without any is not shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from retrieval.gate import Gate, as_doc
from retrieval.ports import Candidate
from schemas.search import SearchFilter, matches

MAX_EVIDENCE = 4  # entries per nugget, documents before repeats
MAX_CLAIMS = 64  # claims looked at per nugget; all of them where `known_at` must pick


@dataclass
class Evidence:
    """One place in one document. `spans` are half-open code-point offsets into the version's canonical text."""

    document_id: str
    version_id: str
    chunk_id: str
    spans: list[list[int]]
    text: str
    title: str
    uri: str
    role: str = field(default="states")  # states | parent | before | after

    @property
    def place(self) -> tuple:
        return (self.document_id, self.version_id, tuple(map(tuple, self.spans)), self.text)

    def to_json(self) -> dict:
        return {"document_id": self.document_id, "version_id": self.version_id, "chunk_id": self.chunk_id, "spans": self.spans,
                "text": self.text, "title": self.title, "uri": self.uri}


def _spans(column: Sequence[dict] | None) -> list[list[int]]:
    """Spans that hold characters: a separator that the parser put has an empty span, which is no evidence."""
    return [[s["start"], s["end"]] for s in column or () if s["start"] < s["end"]]


def support(gate: Gate, candidates: Sequence[Candidate]) -> dict[str, list[Evidence]]:
    """Evidence of every candidate, in three or four batched calls; [] where the reader may read none."""
    wanted: dict[str, list[str]] = {}
    for c in candidates:
        if c.store == "nuggets":
            ids = [i for part in (c, *c.merged) for i in part.row.get("claim_ids") or ()]
            wanted[c.id] = ids if gate.filter.known_at is not None else ids[:MAX_CLAIMS]
    claims = gate.claims(i for ids in wanted.values() for i in ids)
    mentions = gate.mentions(claims.values())
    chunks = gate.chunks(
        [m["chunk_id"] for m in mentions.values()]
        + [part.id for c in candidates if c.store == "chunks" for part in (c, *c.merged)]
    )
    documents = gate.documents(row["document_id"] for row in chunks.values())
    out: dict[str, list[Evidence]] = {}
    for c in candidates:
        if c.store == "chunks":
            parts = [chunks[part.id] for part in (c, *c.merged) if part.id in chunks]
            out[c.id] = [e for row in parts if (e := of_chunk(row, documents)) is not None]
            if c.id not in chunks or not out[c.id] or out[c.id][0].chunk_id != c.id:
                out[c.id] = []
            continue
        held = [claims[i] for i in wanted[c.id] if i in claims]
        # what is still said comes before what once was
        held.sort(key=lambda claim: (claim["recorded_to"] is not None, -(claim["confidence"] or 0.0), claim["claim_id"]))
        found = []
        for claim in held:
            mention = mentions.get(claim["mention_id"])
            chunk = chunks.get(mention["chunk_id"]) if mention else None
            document = documents.get(chunk["document_id"]) if chunk else None
            if mention is None or chunk is None or document is None or chunk["document_id"] != claim["document_id"]:
                continue
            found.append(Evidence(
                document["document_id"], chunk["version_id"], chunk["chunk_id"], _spans(mention["source_spans"]),
                mention["sentence"], document.get("title") or "", document.get("uri") or "",
            ))
        out[c.id] = _spread(found)
    return out


def of_chunk(row: dict, documents: dict[str, dict], role: str = "states") -> Evidence | None:
    """A chunk as evidence; None where its document may not be read."""
    document = documents.get(row["document_id"])
    if document is None:
        return None
    return Evidence(row["document_id"], row["version_id"], row["chunk_id"], _spans(row["source_spans"]), row["text"],
                    document.get("title") or "", document.get("uri") or "", role)


def _spread(found: list[Evidence]) -> list[Evidence]:
    """One entry per document first, then more of the same, each place once, at most MAX_EVIDENCE."""
    places = list({e.place: e for e in found}.values())
    first: dict[str, Evidence] = {}
    for e in places:
        first.setdefault(e.document_id, e)
    lead = list(first.values())
    return [*lead, *(e for e in places if e is not first[e.document_id])][:MAX_EVIDENCE]


def expansions(gate: Gate, candidates: Sequence[Candidate], filter: SearchFilter) -> dict[str, list[Evidence]]:
    """Parent, previous and next chunk of each returned chunk, as far as they are readable and pass the filter."""
    near: list[tuple[str, str, str]] = []
    have = {c.id for c in candidates}
    for c in candidates:
        if c.store == "chunks":
            for role, column in (("parent", "parent_id"), ("before", "previous_id"), ("after", "next_id")):
                other = c.row.get(column)
                if other and other not in have:
                    have.add(other)
                    near.append((c.id, role, other))
    if not near:
        return {}
    chunks = gate.chunks(other for _, _, other in near)
    documents = gate.documents(row["document_id"] for row in chunks.values())
    home = {c.id: c.row["document_id"] for c in candidates if c.store == "chunks"}
    out: dict[str, list[Evidence]] = {}
    for i, role, other in near:
        row = chunks.get(other)
        if row is None or row["document_id"] != home[i] or not matches(as_doc(row), filter):
            continue
        entry = of_chunk(row, documents, role)
        if entry is not None:
            out.setdefault(i, []).append(entry)
    return out
