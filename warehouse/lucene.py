"""The sparse store: filtered BM25 over a Lucene index, and everything read back from it.

The filter is applied before ranking: what it excludes is never scored, and never counted among the top k. Any text is a
legal query: it is analysed like the documents (no query syntax), and its terms are optional. Scores are Lucene's BM25
per field times the field's weight, summed over fields and terms. Equal scores stand in the order of the ids.

The store holds the ids of all documents in memory, so that a search crosses from Python to Java a dozen times, however
many hits there are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from schemas.errors import LodeError
from schemas.search import TEXT_FIELDS, SearchFilter
from warehouse.lucene_index import (
    MAX_INT,
    MIN_INT,
    PACKED,
    READ_BACK,
    RECORD,
    build_index,
    clean_text,
    gate,
    make_analyzer,
    make_similarity,
    unpack,
)
from warehouse.lucene_jvm import LOCK, Bulk, cast, java, lucene_version, start_jvm
from warehouse.manifest import check_manifest, read_manifest

__all__ = ["LuceneStore", "build_index", "check_manifest", "lucene_version", "start_jvm"]

_HIT = re.compile(r"doc=(\d+) score=(\S+)")
_BLOCK_DOCS = 65_536
_MAX_CLAUSES = 1 << 20  # a query may be as long as a page
_FILTERS_KEPT, _WORDS_KEPT = 256, 8192


class LuceneStore:
    """An open index. `open` it, `search` it, `close` it (or use it as a context manager). All calls hold one lock."""

    def __init__(self, folder: Path, manifest: dict) -> None:
        self.folder, self.manifest = folder, manifest
        self._filters: dict[tuple, list[tuple] | None] = {}
        self._parsers: dict[tuple[str, ...], list] = {}
        self._words: dict[tuple[tuple[str, ...], str], list] = {}
        self._ids: bytes | None = None
        self._synonyms = [[_fold(p) for p in group.split(",") if p.strip()] for group in manifest["synonyms"]]
        start_jvm()
        with LOCK:
            self._open()

    @classmethod
    def open(cls, folder: Path, expected: dict | None = None) -> LuceneStore:
        """Opens an index. With `expected`, a manifest that differs from it is refused (LodeError)."""
        manifest = read_manifest(Path(folder))
        if expected is not None:
            check_manifest(manifest, expected)
        return cls(Path(folder), manifest)

    def _open(self) -> None:
        self._bulk = Bulk()
        file = java("java.io.File")(str(self.folder))
        path = file.toPath()
        self._directory = java("org.apache.lucene.store.FSDirectory").open(path)
        try:
            opened = java("org.apache.lucene.index.DirectoryReader").open(self._directory)
        except Exception as error:
            self._directory.close()
            raise LodeError(f"the index in {self.folder} does not open: {error}", fix="lode rerun index") from error
        commit = opened.getIndexCommit()
        data = commit.getUserData()
        told = json.loads(data.get("lode"))
        self._codes, self._families = told["codes"], [tuple(f) for f in told["families"]]
        self._reader = cast("org.apache.lucene.index.IndexReader", opened)
        self.count: int = self._reader.numDocs()
        leaves = self._reader.leaves()
        if leaves.size() > 1 or self._reader.maxDoc() != self.count:
            self._directory.close()
            raise LodeError(
                f"the index in {self.folder} has several segments or deleted documents",
                expected="one segment, as build_index writes it",
                fix="lode rerun index",
            )
        self._leaf = None
        if leaves.size():
            context = cast("org.apache.lucene.index.LeafReaderContext", leaves.get(0))
            self._leaf = context.reader()
        self._searcher = java("org.apache.lucene.search.IndexSearcher")(self._reader)
        similarity = make_similarity(self.manifest)
        self._searcher.setSimilarity(similarity)
        java("org.apache.lucene.search.IndexSearcher").setMaxClauseCount(_MAX_CLAUSES)
        occur = java("org.apache.lucene.search.BooleanClause$Occur")
        self._must, self._should, self._filter, self._not = occur.MUST, occur.SHOULD, occur.FILTER, occur.MUST_NOT
        self._builder = java("org.apache.lucene.search.BooleanQuery$Builder")
        self._int_range = java("org.apache.lucene.document.IntRange")
        self._long_range = java("org.apache.lucene.document.LongRange")
        self._analyzers = {suffix: make_analyzer(self.manifest, suffix) for suffix in ("en", "std")}

    def close(self) -> None:
        with LOCK:
            if self._directory is not None:
                self._reader.close()
                self._directory.close()
                self._directory = None

    def __enter__(self) -> LuceneStore:
        return self

    def __exit__(self, *exception) -> None:
        self.close()

    # --- search

    def search(
        self, query_text: str, filter: SearchFilter, k: int, stores: Sequence[str] = ("nuggets", "chunks")
    ) -> list[tuple[str, float]]:
        """The k best (id, score) among the documents of these stores that pass the filter, best first.

        BM25 statistics are kept per store. A text without terms (empty, stop words, punctuation) finds nothing.
        """
        if isinstance(stores, str):
            stores = (stores,)
        k = min(k, self.count)
        if k <= 0 or not query_text.strip():
            return []
        with LOCK:
            filters = self._filter_clauses(filter)
            if filters is None:
                return []
            words = self._word_queries(query_text, tuple(stores))
            if not words:
                return []
            builder = self._builder()
            for word in words:
                builder.add(word, self._should)
            builder.setMinimumNumberShouldMatch(1)
            for clause, occur in filters:
                builder.add(clause, occur)
            query = builder.build()
            found = self._bulk.search(self._searcher, query, k)
            ids = self._id_bytes()
        return [(ids[12 * int(doc) : 12 * int(doc) + 12].hex(), float(score)) for doc, score in _HIT.findall(found)]

    def _word_queries(self, text: str, stores: tuple[str, ...]) -> list:
        """The optional clauses of a text: one query per run of characters without white space, over all fields.

        No token crosses white space, so analysing run by run gives the terms of the whole. The queries are remembered,
        and Lucene flattens them into one disjunction of terms, which it prunes better than one disjunction per field.
        """
        if stores not in self._parsers:
            self._parsers[stores] = self._make_parsers(stores)
        out = []
        for word in self._with_synonyms(clean_text(text)).split():
            if (stores, word) not in self._words:
                if len(self._words) >= _WORDS_KEPT:
                    self._words.clear()
                parsed = [parser.parse(word) for parser in self._parsers[stores]]
                self._words[stores, word] = [
                    q for q in parsed if not q.getClass().getName().endswith(".MatchNoDocsQuery")
                ]
            out += self._words[stores, word]
        return out

    def _make_parsers(self, stores: tuple[str, ...]) -> list:
        """One parser per analyzer. With flags 0 SimpleQueryParser has no syntax: it analyses the text for each
        field."""
        out = []
        for suffix in ("en", "std"):
            weights = java("java.util.HashMap")()
            for store in stores:
                for name in TEXT_FIELDS:
                    weight = self.manifest["weights"].get(name, 0.0)
                    if weight > 0 and (store, suffix) in self._families:
                        number = java("java.lang.Float")(float(weight))
                        weights.put(f"{store}.{name}.{suffix}", number)
            if weights.size():
                analyzer = self._analyzers[suffix]
                out.append(java("org.apache.lucene.queryparser.simple.SimpleQueryParser")(analyzer, weights, 0))
        return out

    def _with_synonyms(self, text: str) -> str:
        """Adds the other wordings of every synonym group that the text names."""
        if not self._synonyms:
            return text
        folded = f" {_fold(text)} "
        added = [
            other
            for group in self._synonyms
            if any(f" {wording} " in folded for wording in group)
            for other in group
            if f" {other} " not in folded
        ]
        return " ".join([text, *added])

    # --- filters

    def _filter_clauses(self, filter: SearchFilter) -> list[tuple] | None:
        """(query, occur) clauses; None where nothing can pass."""
        fixed = (filter.groups, filter.tenant, filter.states, filter.kinds, filter.languages)
        if fixed not in self._filters:
            if len(self._filters) >= _FILTERS_KEPT:
                self._filters.clear()
            self._filters[fixed] = self._fixed_clauses(filter)
        clauses = self._filters[fixed]
        if clauses is None:
            return None
        moving = self._range_clauses(filter)
        return None if moving is None else [*clauses, *moving]

    def _fixed_clauses(self, filter: SearchFilter) -> list[tuple] | None:
        groups = sorted(set(filter.groups))
        states = filter.states or tuple(self._codes["state"])
        gates = [gate(filter.tenant, state, group) for state in sorted(set(states)) for group in groups]
        out = []
        wanted = [("gate", gates)]
        wanted += [
            (name, sorted(set(values)))
            for name, values in (("kind", filter.kinds), ("language", filter.languages))
            if values
        ]
        for name, values in wanted:
            clause = self._any_of(name, values)
            if clause is None:
                return None
            out.append((clause, self._filter))
        hidden = self._any_of("hidden_for", groups)
        if hidden is not None:
            out.append((hidden, self._not))
        return out

    def _any_of(self, field: str, values: list[str]):
        """A query for documents that hold any of these terms; None where the index holds none of them."""
        found = []
        for value in values:
            term = java("org.apache.lucene.index.Term")(field, clean_text(value))
            if self._reader.docFreq(term):
                found.append(java("org.apache.lucene.search.TermQuery")(term))
        if len(found) <= 1:
            return found[0] if found else None
        builder = self._builder()
        for query in found:
            builder.add(query, self._should)
        return builder.build()

    def _range_clauses(self, filter: SearchFilter) -> list[tuple] | None:
        out = []
        field = "certain" if filter.certain else "possible"
        if filter.at is not None:
            day = _clamp(filter.at)
            out.append((self._int_range.newContainsQuery(field, [day], [day]), self._filter))
        if filter.first is not None or filter.until is not None:
            if filter.certain and (filter.first is None or filter.until is None):
                return None
            first = MIN_INT if filter.first is None else _clamp(filter.first)
            last = MAX_INT if filter.until is None else _clamp(filter.until - 1)
            if first > last:
                return None
            if filter.certain:
                clause = self._int_range.newContainsQuery(field, [first], [last])
            else:
                clause = self._int_range.newIntersectsQuery(field, [first], [last])
            out.append((clause, self._filter))
        if filter.known_at is not None:
            moment = filter.known_at
            out.append((self._long_range.newContainsQuery("recorded", [moment], [moment]), self._filter))
        return out

    # --- read back

    def _records(self) -> np.ndarray:
        """All RECORD rows, in document order."""
        if self._leaf is None:
            return np.zeros(0, RECORD)
        values = self._leaf.getBinaryDocValues(PACKED)
        raw = bytearray()
        for first in range(0, self.count, _BLOCK_DOCS):
            raw += self._bulk.read(values, first, min(first + _BLOCK_DOCS, self.count))
        if len(raw) != self.count * RECORD.itemsize:
            raise LodeError(
                f"the index in {self.folder} holds {len(raw)} bytes of records",
                expected=f"{self.count} of {RECORD.itemsize} bytes",
                fix="lode rerun index",
            )
        return np.frombuffer(bytes(raw), RECORD)

    def _id_bytes(self) -> bytes:
        if self._ids is None:
            self._ids = np.ascontiguousarray(self._records()["id"]).tobytes()
        return self._ids

    def read_back(self) -> pa.Table:
        """Every document's id, text_hash, rendition_hash, label, state, four days, language, kind and tenant, by id.

        Read from the index itself, one packed doc value per document.
        """
        with LOCK:
            records = self._records()
        return unpack(records, self._codes) if len(records) else READ_BACK.empty_table()


def _clamp(day: int) -> int:
    return max(MIN_INT, min(MAX_INT, day))


def _fold(text: str) -> str:
    return " ".join(re.sub(r"[^\w]+", " ", text.casefold()).split())
