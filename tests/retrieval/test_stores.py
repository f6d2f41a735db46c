"""The pipeline over the real stores: Lucene, vectors and the encoder, built from the same rows as the in-memory release."""

import json

import pyarrow as pa
import pytest

from retrieval.search import QueryOptions, search
from schemas.encoder import embed_query
from schemas.ids import content_hash
from schemas.search import INDEX_DOCS
from schemas.tables import TABLES
from tasks.index.docs import chunk_docs, nugget_docs
from tasks.index.manifest import manifest
from tests.retrieval.test_access import add_hidden
from tests.retrieval.world import CONFIG, World, ceo_world
from warehouse.lucene import LuceneStore, build_index
from warehouse.vectors import VectorStore, build_vectors


class Stored(World):
    """The same rows; stores and encoder are the real ones."""

    @classmethod
    def of(cls, world: World, folder) -> "Stored":
        self = cls()
        self.__dict__.update({k: v for k, v in world.__dict__.items() if k != "_built"}, _built={})
        for row in [*world.tables["nuggets"], *world.tables["chunks"]]:
            row["rendition_hash"], row["text_hash"] = content_hash(row["text"]), content_hash(row["text"])
        told = manifest(CONFIG)
        texts = sorted({r["text"] for r in [*world.tables["nuggets"], *world.tables["chunks"]]})
        vectors = pa.table({
            "rendition_hash": [content_hash(t) for t in texts],
            "vector": pa.array([embed_query(t).astype("float16") for t in texts], pa.list_(pa.float16())),
        })
        self.opened = {}
        for store, table, step in (("nuggets", "nuggets", nugget_docs), ("chunks", "chunks", chunk_docs)):
            docs = step(CONFIG, {table: TABLES[table].from_rows(world.tables[table])})[f"{store[:-1]}_docs"]
            docs = docs.select(INDEX_DOCS.names).cast(INDEX_DOCS)
            build_index(docs, told, folder / store / "lucene")
            build_vectors(docs, vectors, told, folder / store / "vectors")
            self.opened[store, "sparse"] = LuceneStore.open(folder / store / "lucene")
            self.opened[store, "dense"] = VectorStore.open(folder / store / "vectors")
        return self

    def sparse(self, store):
        return self.opened[store, "sparse"]

    def dense(self, store):
        return self.opened[store, "dense"]

    def encode(self, text):
        return embed_query(text)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    world = ceo_world()
    world.hidden_ids = add_hidden(world, [("Acme", "chief_executive_officer", "active", ("legal",), (None, None)),
                                          ("Acme", "states", "active", (), (None, None)),
                                          ("Bolt", "chief_executive_officer", "contested", ("public",), (None, None))])
    return Stored.of(world, tmp_path_factory.mktemp("stores"))


def ask(stored, text, **options):
    return search(stored, text, QueryOptions(**options)).to_json()


@pytest.mark.parametrize(
    ("text", "options", "objects"),
    [("Who is the CEO of Acme?", {}, ["Cleo Chan", "Bob Baker", "Ann Archer"]),
     ("Who was CEO of Acme in 2010?", {}, ["Ann Archer"]),
     ("Who became CEO of Acme in 2018?", {}, ["Cleo Chan", "Bob Baker"]),
     ("Who is the chief executive of Bolt?", {"view": "full"}, ["Dan Drew", "Eve Engel"]),
     ("Who is the CEO of IBM?", {}, ["Fay Fox"]),
     ("Where is Acme based?", {}, ["Oslo"])],
)
def test_answers(stored, text, options, objects):
    got = ask(stored, text, **options)
    assert sorted(r["object"] for r in got["results"]) == sorted(objects) and got["results"][0]["object"] in objects[:2]
    assert not any("failed" in n for n in got["notes"]) and got["confidence"] > 0
    assert {"nuggets:bm25", "nuggets:dense"} <= {leg for r in got["results"] for leg in r["legs"]}


@pytest.mark.parametrize("text", ["zxqv blorfle wugsnorp", "", "?!", "\U0001f600", "\ud800\x00"])
def test_abstains(stored, text):
    got = ask(stored, text)
    assert got["abstained"] and got["results"] == []


@pytest.mark.parametrize("view", ["active", "full", "all"])
@pytest.mark.parametrize("text", ["CEO of Acme", "chief executive of Bolt", "Secretmark paper about Oslo", "in 2010 " * 200])
def test_nothing_hidden_anywhere(stored, view, text):
    got = json.dumps(ask(stored, text, view=view, focus=False, explain=True, k=50))
    assert not any(i in got for i in stored.hidden_ids)
    assert "ecretmark" not in got.replace("Secretmark paper about Oslo", "")
