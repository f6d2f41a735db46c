"""The vector store: exact, filtered before ranking, ties by id, all read back."""

import random

import numpy as np
import pyarrow as pa
import pytest

import warehouse.vectors as vectors_module
from schemas.encoder import DIMENSION
from schemas.errors import LodeError
from schemas.search import SearchFilter, matches
from tests.warehouse.index_docs import MANIFEST, doc, random_docs, random_filter, random_vectors, table
from warehouse.vectors import VectorStore, build_vectors

PUBLIC = SearchFilter()


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    rows = random_docs(21, 500)
    docs = table(rows)
    vectors = random_vectors(docs)
    folder = tmp_path_factory.mktemp("crowd")
    build_vectors(docs, vectors, MANIFEST, folder)
    by_hash = dict(zip(vectors["rendition_hash"].to_pylist(), vectors["vector"].to_pylist(), strict=True))
    with VectorStore.open(folder) as store:
        yield rows, {h: np.array(v, np.float32) for h, v in by_hash.items()}, store


def query(seed: int) -> np.ndarray:
    made = np.random.default_rng(seed).normal(size=DIMENSION)
    return (made / np.linalg.norm(made)).astype(np.float32)


def test_search_is_exact_over_what_passes_the_filter(crowd):
    rows, by_hash, store = crowd
    rng = random.Random(5)
    some = 0
    for n in range(150):
        filter, asked = random_filter(rng), query(n)
        passing = [row for row in rows if matches(row, filter)]
        found = store.search(asked, filter, 1000)
        assert {i for i, _ in found} == {row["id"] for row in passing}, filter
        cosine = {row["id"]: float(by_hash[row["rendition_hash"]] @ asked) for row in passing}
        assert all(score == pytest.approx(cosine[i], abs=1e-5) for i, score in found)
        assert found == sorted(found, key=lambda hit: (-hit[1], hit[0]))
        assert store.search(asked, filter, 9) == found[:9]
        some += bool(passing)
    assert some > 40


@pytest.mark.parametrize("kept_bytes", [0, 10**9])
def test_a_score_does_not_depend_on_the_other_rows(tmp_path, monkeypatch, kept_bytes):
    monkeypatch.setattr(vectors_module, "KEEP_FLOAT32_BYTES", kept_bytes)
    monkeypatch.setattr(vectors_module, "_BLOCK_ROWS", 64)
    rows = [
        doc(i, f"text {i}", kind="fact" if i % 17 else "event", state="active" if i % 3 else "contested")
        for i in range(300)
    ]
    docs = table(rows)
    build_vectors(docs, random_vectors(docs), MANIFEST, tmp_path / "index")
    with VectorStore.open(tmp_path / "index") as store:
        whole = dict(store.search(query(1), SearchFilter(states=()), 300))
        for filter in (PUBLIC, SearchFilter(kinds=("event",), states=()), SearchFilter(states=("contested",))):
            found = store.search(query(1), filter, 300)
            assert found and all(whole[i] == score for i, score in found)


def test_documents_of_one_rendition_share_a_vector_and_tie_by_id(tmp_path):
    rows = [doc(i, "the same text") for i in range(30)] + [doc("other", "another text")]
    docs = table(rows)
    vectors = random_vectors(docs)
    build_vectors(docs, vectors, MANIFEST, tmp_path / "index")
    assert np.load(tmp_path / "index" / "vectors.npy").shape == (2, DIMENSION)
    asked = np.array(
        vectors["vector"][vectors["rendition_hash"].to_pylist().index(rows[0]["rendition_hash"])].as_py(), np.float32
    )
    with VectorStore.open(tmp_path / "index") as store:
        found = [i for i, _ in store.search(asked, PUBLIC, 5)]
    assert found == sorted(row["id"] for row in rows[:30])[:5]


def test_read_back_gives_every_document_as_it_was(crowd):
    rows, _, store = crowd
    back = store.read_back()
    expected = table(rows).sort_by("id").select(back.column_names)
    assert store.count == len(rows)
    for name in back.column_names:
        assert back[name].combine_chunks().equals(expected[name].combine_chunks()), name


def test_both_stores_read_back_the_same_columns():
    from warehouse.lucene_index import READ_BACK

    assert set(vectors_module.READ_BACK_COLUMNS) == set(READ_BACK.names)


def test_an_empty_store_opens(tmp_path):
    docs = table([])
    build_vectors(docs, random_vectors(docs), MANIFEST, tmp_path / "index")
    with VectorStore.open(tmp_path / "index") as store:
        assert store.search(query(1), PUBLIC, 5) == [] and store.read_back().num_rows == 0


def test_what_does_not_fit_is_refused(tmp_path):
    docs = table([doc(1, "one"), doc(2, "two")])
    vectors = random_vectors(docs)
    with pytest.raises(LodeError, match=r"1 rendition\(s\) have no vector(.|\n)*lode rerun embed"):
        build_vectors(docs, vectors.slice(0, 1), MANIFEST, tmp_path / "a")
    short = pa.table(
        {"rendition_hash": vectors["rendition_hash"], "vector": pa.array([[np.float16(1)]] * 2, pa.list_(pa.float16()))}
    )
    with pytest.raises(LodeError, match="384"):
        build_vectors(docs, short, MANIFEST, tmp_path / "b")
    build_vectors(docs, vectors, MANIFEST, tmp_path / "c")
    with pytest.raises(LodeError, match=r"embedding\.dimension"):
        VectorStore.open(tmp_path / "c", {**MANIFEST, "embedding": {**MANIFEST["embedding"], "dimension": 8}})
    with VectorStore.open(tmp_path / "c", MANIFEST) as store, pytest.raises(LodeError, match="384"):
        store.search(np.ones(3, np.float32), PUBLIC, 1)
