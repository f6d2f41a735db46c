"""Reads back what the stores really hold and compares it with the metadata, id by id and field by field.

Nothing is taken from our own ledger: ids, states, days, labels and hashes come out of Lucene and of the vector store,
texts are rendered anew from their spans, manifests are read from the stores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.ids import content_hash
from schemas.render import render_pieces
from schemas.search import chunk_window
from warehouse.duck import connect
from warehouse.indexes import LEGS, materialize, read_index
from warehouse.layout import Warehouse
from warehouse.tableset import TableSet

COMPARED = ("text_hash", "rendition_hash", "label", "tenant", "state", "language", "kind",
            "start_min", "start_max", "end_min", "end_max")
PROBLEMS = pa.schema([("store", pa.string()), ("leg", pa.string()), ("id", pa.string()), ("problem", pa.string())])
EXAMPLES = 200


@dataclass
class Reconciliation:
    """Counts per store and leg, and every problem found (at most EXAMPLES rows of each kind are kept)."""

    counts: list[dict[str, Any]] = field(default_factory=list)
    problems: list[dict[str, str]] = field(default_factory=list)
    texts_checked: int = 0

    @property
    def clean(self) -> bool:
        return not self.problems

    def table(self) -> pa.Table:
        return pa.Table.from_pylist(self.problems, schema=PROBLEMS)

    def add(self, store: str, leg: str, id_: str, problem: str) -> None:
        if sum(1 for p in self.problems if p["store"] == store and p["leg"] == leg and p["problem"] == problem) < EXAMPLES:
            self.problems.append({"store": store, "leg": leg, "id": id_, "problem": problem})


def expected_rows(wh: Warehouse, tables: TableSet, store: str) -> pa.Table:
    """id + COMPARED of the metadata: from `nuggets` and `chunks` themselves, not from what was sent to the index."""
    if store == "nuggets":
        columns = ["nugget_id", *COMPARED]
        return tables.read(wh, "nuggets", columns).rename_columns(["id", *COMPARED])
    plain = ["text_hash", "rendition_hash", "label", "tenant", "language", "kind"]
    chunks = tables.read(wh, "chunks", ["chunk_id", *plain, "valid_from", "valid_to", "shown_from", "shown_to"])
    table = chunks.select(["chunk_id", *plain]).rename_columns(["id", *plain])
    for name, column in chunk_window(chunks).items():
        table = table.append_column(name, column)
    none = pa.nulls(table.num_rows, pa.date32())
    return table.append_column("start_max", none).append_column("end_min", none).select(["id", *COMPARED])


def compare(result: Reconciliation, store: str, leg: str, wanted: pa.Table, found: pa.Table) -> None:
    """Symmetric difference by id, then every compared field of the ids both hold."""
    con = connect(threads=2)
    con.register("wanted", wanted)
    con.register("found", found.select(["id", *COMPARED]))
    ids = {"missing from the store": "SELECT id FROM wanted EXCEPT SELECT id FROM found ORDER BY id",
           "in the store, not in the metadata": "SELECT id FROM found EXCEPT SELECT id FROM wanted ORDER BY id",
           "twice in the store": "SELECT id FROM found GROUP BY id HAVING count(*) > 1 ORDER BY id"}
    for problem, query in ids.items():
        for (id_,) in con.execute(query).fetchall():
            result.add(store, leg, id_, problem)
    for name in COMPARED:
        bad = con.execute(
            f"SELECT w.id FROM wanted w JOIN found f ON f.id = w.id WHERE w.{name} IS DISTINCT FROM f.{name} ORDER BY w.id"
        ).fetchall()
        for (id_,) in bad:
            result.add(store, leg, id_, f"{name} differs")
    con.close()
    result.counts.append({"store": store, "leg": leg, "metadata": wanted.num_rows, "found": found.num_rows})


def check_texts(wh: Warehouse, tables: TableSet, result: Reconciliation) -> None:
    """Renders every chunk's text from its spans into the stored canonical text and compares text and hash."""
    for shard in range(tables.shards):
        part = TableSet(tables.shards)
        for name in ("chunks", "texts"):
            part.set(name, [tables.get(name)[shard]])
        texts = part.read(wh, "texts")
        sources = dict(zip(texts["text_object"].to_pylist(), texts["canonical_text"].to_pylist(), strict=True))
        chunks = part.read(wh, "chunks", ["chunk_id", "text_object", "text", "text_hash", "pieces"])
        for row in chunks.to_pylist():
            result.texts_checked += 1
            source = sources.get(row["text_object"])
            if source is None:
                result.add("chunks", "metadata", row["chunk_id"], "canonical text is missing")
            elif render_pieces(source, row["pieces"]) != row["text"]:
                result.add("chunks", "metadata", row["chunk_id"], "text differs from what its spans render to")
            elif content_hash(row["text"]) != row["text_hash"]:
                result.add("chunks", "metadata", row["chunk_id"], "text_hash is not the hash of text")


def reconcile(
    wh: Warehouse, tables: TableSet, indexes: Mapping[str, Mapping[str, str]], manifest: Mapping[str, Any]
) -> Reconciliation:
    """Compares every store of a release with its metadata. `manifest` is what this config and code expect."""
    result = Reconciliation()
    for store in sorted(indexes):
        wanted = expected_rows(wh, tables, store)
        if pc.count_distinct(wanted["id"]).as_py() != wanted.num_rows:
            result.add(store, "metadata", "", "ids are not unique")
        for leg in LEGS:
            key = indexes[store].get(leg)
            if key is None:
                continue
            body = read_index(wh, key)
            if body is None:
                result.add(store, leg, key, "the index is missing")
                continue
            with open_store(wh, body) as opened:
                if dict(opened.manifest) != dict(manifest):
                    differing = sorted(k for k in {*opened.manifest, *manifest} if opened.manifest.get(k) != manifest.get(k))
                    result.add(store, leg, key, f"manifest differs in {', '.join(differing)}")
                compare(result, store, leg, wanted, opened.read_back())
    check_texts(wh, tables, result)
    return result


def open_store(wh: Warehouse, body: dict):
    """The opened store of an index body (a context manager with `manifest`, `search`, `read_back`)."""
    folder = materialize(wh, body)
    if body["leg"] == "sparse":
        from warehouse.lucene import LuceneStore

        return LuceneStore.open(folder)
    from warehouse.vectors import VectorStore

    return VectorStore.open(folder)
