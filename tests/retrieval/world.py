"""An in-memory release for unit tests: real tables, BM25 and cosine by hand over the filter that the stores share.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, with k1 = 0.9 and b = 0.4.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pyarrow as pa

from retrieval.filters import access_only
from retrieval.words import stems
from schemas.config import CONFIG_DIR, Config, resolve
from schemas.ids import (
    chunk_id,
    claim_id,
    document_id,
    key_id,
    label_of,
    mention_id,
    name_entity_id,
    nugget_id,
    value_id,
    version_id,
)
from schemas.search import SearchFilter, chunk_window, matches
from schemas.tables import TABLES
from schemas.time import parse_iso

CONFIG = resolve(Config(), CONFIG_DIR)
DIMENSION = 64


def day(text: str | None) -> int | None:
    return None if text is None else parse_iso(text).first


def vector(text: str) -> np.ndarray:
    """Unit bag-of-stems vector, hashed without salt."""
    out = np.zeros(DIMENSION, dtype=np.float32)
    for word in stems(text):
        out[sum(ord(c) * (i + 7) for i, c in enumerate(word)) % DIMENSION] += 1.0
    size = float(np.linalg.norm(out))
    return out / size if size else out


class Sparse:
    def __init__(self, docs: list[dict]) -> None:
        self.docs = docs
        self.bags = [Counter(stems(f"{d['title']} {d['subject']} {d['predicate']} {d['object']} {d['text']}")) for d in docs]

    def search(self, query_text: str, filter: SearchFilter, k: int) -> list[tuple[str, float]]:
        # statistics over what the reader may see, so that a test can ask for equal bytes with and without hidden documents
        seen = [(d, b, sum(b.values())) for d, b in zip(self.docs, self.bags, strict=True) if matches(d, access_only(filter))]
        mean = sum(size for _, _, size in seen) / len(seen) if seen else 1.0
        scored = []
        for doc, bag, size in seen:
            if not matches(doc, filter):
                continue
            score = 0.0
            for term in stems(query_text):
                df = sum(term in b for _, b, _ in seen)
                idf = math.log(1 + (len(seen) - df + 0.5) / (df + 0.5))
                score += idf * bag[term] / (bag[term] + 0.9 * (0.6 + 0.4 * size / mean))
            if score > 0:
                scored.append((doc["id"], score))
        return sorted(scored, key=lambda h: (-h[1], h[0]))[:k]


class Dense:
    def __init__(self, docs: list[dict]) -> None:
        self.docs = docs
        self.vectors = [vector(f"{d['title']} {d['text']}") for d in docs]

    def search(self, query_vector: np.ndarray, filter: SearchFilter, k: int) -> list[tuple[str, float]]:
        scored = [(d["id"], float(v @ query_vector)) for d, v in zip(self.docs, self.vectors, strict=True) if matches(d, filter)]
        return sorted(scored, key=lambda h: (-h[1], h[0]))[:k]


class World:
    """Builds rows; is the ReleaseReader. `fact` writes document, chunk, mention, claim and nugget in one go."""

    def __init__(self, as_of: str | None = "2022-06-30", dense: bool = True, config: dict | None = None) -> None:
        self.release_id = "r1"
        self.as_of = day(as_of)
        self.config = config or CONFIG
        self.with_dense = dense
        self.tables: dict[str, list[dict]] = {t: [] for t in ("documents", "chunks", "mentions", "claims", "nuggets")}
        self.hidden: dict[str, list[str]] = {}
        self.calls: list[tuple[str, str, int]] = []
        self._built: dict = {}

    # --- building
    def chunk(self, text: str, *, doc: str = "Page", acl=("public",), tenant="default", valid=(None, None), parent=None, previous=None,
              start: int = 0, shown=(None, None)) -> str:
        """`shown`: seconds, of a passage that the document shows no longer."""
        d = document_id("test", doc)
        v = version_id(d, "1")
        if not any(r["document_id"] == d for r in self.tables["documents"]):
            self.tables["documents"].append(dict(
                document_id=d, version_id=v, source="test", native_key=doc, uri=f"{doc}.md", title=doc, language="en", acl=list(acl),
                label=label_of(acl), tenant=tenant, status="ok"))
        c = chunk_id(d, "passage", "paragraph", text, 0)
        if any(r["chunk_id"] == c for r in self.tables["chunks"]):
            return c
        row = dict(
            chunk_id=c, document_id=d, version_id=v, parent_id=parent, previous_id=previous, granularity="passage", kind="paragraph",
            ordinal=len(self.tables["chunks"]), title=doc, heading_path=[], header="", text=text, rendition=text, text_hash="h",
            rendition_hash="h", source_spans=[dict(start=start, end=start + len(text))], pieces=[], element_ids=[], links=[],
            tokens=len(text.split()), acl=list(acl), label=label_of(acl), tenant=tenant, language="en", valid_from=day(valid[0]),
            valid_to=day(valid[1]), shown_from=shown[0], shown_to=shown[1], config_version="1", text_object="t")
        self.tables["chunks"].append(row)
        for other in self.tables["chunks"]:
            if other["chunk_id"] == previous:
                other["next_id"] = c
        return c

    def fact(self, subject: str, predicate: str, obj: str, sentence: str | None = None, *, doc: str = "Page", acl=("public",),
             tenant="default", start=(None, None), end=(None, None), state="active", kind="fact", cardinality="functional",
             condition="", written: str | None = None, recorded: tuple = (None, None), extra_claims: tuple = (), n: int = 0) -> str:
        sentence = sentence or f"{written or subject} {predicate.replace('_', ' ')} {obj}."
        c = self.chunk(sentence, doc=doc, acl=acl, tenant=tenant)
        d = document_id("test", doc)
        subject_id, object_id = name_entity_id(subject, ""), name_entity_id(obj, "")
        key = key_id(tenant, subject_id, predicate, "")
        m = mention_id(d, sentence, 0, [0, n], predicate, "spacy")
        claim = claim_id(m, key, object_id)
        bounds = dict(start_min=day(start[0]), start_max=day(start[1]), end_min=day(end[0]), end_max=day(end[1]),
                      start_basis="explicit" if start != (None, None) else "", end_basis="explicit" if end != (None, None) else "",
                      start_confidence=0.9, end_confidence=0.8, recorded_from=recorded[0], recorded_to=recorded[1])
        shared = dict(key_id=key, tenant=tenant, acl=list(acl), label=label_of(acl), subject_id=subject_id, subject=subject,
                      predicate=predicate, scope="", cardinality=cardinality, object_id=object_id, object=obj, object_type="entity",
                      unit="", condition=condition, confidence=0.9)
        self.tables["mentions"].append(dict(
            mention_id=m, document_id=d, chunk_id=c, sentence_id=m, sentence=sentence, sentence_start=0, occurrence=0,
            source_spans=[dict(start=0, end=len(sentence))], subject=written or subject, subject_target="", subject_basis="text",
            subject_type="", predicate=predicate, object=obj, object_target="", object_type="entity", scope="", condition=condition,
            cues=[], polarity="positive", modality="asserted", attribution="", extractor="spacy", confidence=0.9))
        self.tables["claims"].append(dict(claim_id=claim, mention_id=m, document_id=d, chunk_id=c, polarity="positive",
                                          modality="asserted", attribution="", rule_id="", **shared, **bounds))
        i = nugget_id(label_of(acl), key, object_id, bounds["start_min"], n)
        self.tables["nuggets"].append(dict(
            nugget_id=i, value_id=value_id(key, object_id), kind=kind, text=sentence, rendition=sentence, rendition_hash="h", text_hash="h",
            state=state, reason="rivals" if state == "contested" else "", source_count=1, source_groups=["g"],
            claim_ids=sorted([claim, *extra_claims]), supersedes=[], superseded_by=[], language="en", **shared, **bounds))
        self._built.clear()
        return i

    # --- ReleaseReader
    def docs(self, store: str) -> list[dict]:
        if store == "nuggets":
            return [{**r, "id": r["nugget_id"], "title": "", "predicate": " ".join([r["predicate"].replace("_", " "), *self._words(r["predicate"])]),
                     "hidden_for": self._hidden_for(r)} for r in self.tables["nuggets"]]
        return [{**r, **window, "id": r["chunk_id"], "subject": "", "predicate": "", "object": "", "hidden_for": [], "start_max": None,
                 "end_min": None, "recorded_from": r["shown_from"], "recorded_to": r["shown_to"]}
                for r, window in zip(self.tables["chunks"], self._windows(), strict=True)]

    def _windows(self) -> list[dict]:
        """State and days of the chunks, as the stage index gives them."""
        schema = TABLES["chunks"].schema()
        names = ("valid_from", "valid_to", "shown_from", "shown_to")
        columns = ([r[n] for r in self.tables["chunks"]] for n in names)
        window = chunk_window(pa.table([pa.array(c, schema.field(n).type) for n, c in zip(names, columns, strict=True)], list(names)))
        days = {name: window[name].cast(pa.int32()).to_pylist() for name in ("start_min", "end_max")}
        return [dict(state=s, start_min=a, end_max=b) for s, a, b in zip(window["state"].to_pylist(), *days.values(), strict=True)]

    def _words(self, predicate: str) -> tuple[str, ...]:
        return tuple((self.config["predicates"].get(predicate) or {}).get("aliases", ()))

    def _hidden_for(self, row: dict) -> list[str]:
        if "public" not in row["acl"]:
            return []
        return sorted({r["label"] for r in self.tables["nuggets"] if r["key_id"] == row["key_id"] and "public" not in r["acl"] and r["acl"]})

    def sparse(self, store: str):
        return self._store(Sparse, store)

    def dense(self, store: str):
        return self._store(Dense, store) if self.with_dense else None

    def _store(self, made, store: str):
        """Built once per state of the tables (rows are changed before the first search only)."""
        name = (made, store, len(self.tables["nuggets"]), len(self.tables["chunks"]))
        if name not in self._built:
            self._built[name] = made(self.docs(store))
        return self._built[name]

    def encode(self, text: str):
        return vector(text) if self.with_dense else None

    def rows(self, table: str, column: str, values: list[str]) -> pa.Table:
        self.calls.append((table, column, len(values)))
        if table not in self._built or self._built[table].num_rows != len(self.tables[table]):
            self._built[table] = TABLES[table].from_rows(self.tables[table])
        whole = self._built[table]
        return whole.filter(pa.compute.is_in(whole[column], pa.array(values, pa.string())))


def ceo_world(**more) -> World:
    """Acme's chief executives, a contested one of Bolt, a headquarters, some texts, one board document."""
    w = World(**more)
    w.fact("Acme", "chief_executive_officer", "Ann Archer", "Ann Archer was chief executive of Acme until 2012.",
           start=("2001-01-01", "2001-12-31"), end=("2012-03-01", "2012-03-01"), doc="Acme")
    w.fact("Acme", "chief_executive_officer", "Bob Baker", "Bob Baker became chief executive of Acme in 2012.",
           start=("2012-03-01", "2012-03-01"), end=("2018-05-01", "2018-05-01"), doc="Acme")
    w.fact("Acme", "chief_executive_officer", "Cleo Chan", "Cleo Chan leads Acme since 2018.",
           start=("2018-05-01", "2018-05-01"), end=("2022-06-01", None), doc="Acme")
    w.fact("Acme", "headquarters", "Oslo", "Acme is based in Oslo.", doc="Acme")
    w.fact("Bolt", "chief_executive_officer", "Dan Drew", "Dan Drew is the chief executive of Bolt.", state="contested", doc="Bolt")
    w.fact("Bolt", "chief_executive_officer", "Eve Engel", "Eve Engel is the chief executive of Bolt.", state="contested", doc="Bolt news")
    w.fact("International Business Machines", "chief_executive_officer", "Fay Fox", "Fay Fox runs International Business Machines.", doc="IBM")
    w.chunk("The weather in Oslo is mild in summer.", doc="Weather")
    w.fact("Acme", "chief_executive_officer", "Gus Secretus", "Gus Secretus will replace Cleo Chan as chief executive of Acme.",
           acl=("board",), start=("2022-07-01", "2022-07-01"), doc="Board minutes")
    return w
