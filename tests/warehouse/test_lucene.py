"""The sparse store: filters before ranking, BM25 by its formula, any text legal, and all read back."""

import math
import random
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.errors import LodeError
from schemas.search import SearchFilter, matches, plain_docs
from tests.warehouse.index_docs import DAYS, MANIFEST, WORDS, doc, random_docs, random_filter, table
from warehouse.lucene import LuceneStore, build_index

PUBLIC = SearchFilter()


@pytest.fixture
def opened(tmp_path):
    """Builds and opens an index of rows; closed after the test."""
    stores = []

    def make(rows, manifest=MANIFEST, name="index"):
        build_index(table(rows), manifest, tmp_path / name)
        stores.append(LuceneStore.open(tmp_path / name))
        return stores[-1]

    yield make
    for store in stores:
        store.close()


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    rows = random_docs(7, 600)
    folder = tmp_path_factory.mktemp("crowd")
    build_index(table(rows), MANIFEST, folder)
    with LuceneStore.open(folder) as store:
        yield rows, store


def found(store, text, filter=PUBLIC, k=1000, **more):
    return [i for i, _ in store.search(text, filter, k, **more)]


def test_filtered_out_ids_never_appear_and_passing_ids_all_do(crowd):
    rows, store = crowd
    rng = random.Random(3)
    text = " ".join(WORDS)  # every document holds one of these
    some = 0
    for _ in range(400):
        filter = random_filter(rng)
        expected = {row["id"] for row in rows if matches(row, filter)}
        assert set(found(store, text, filter)) == expected, filter
        some += bool(expected)
    assert some > 100


def test_filter_changes_no_score_and_top_k_is_a_prefix(crowd):
    rows, store = crowd
    rng = random.Random(4)
    everything = SearchFilter(groups=("public", "board", "legal", "sales"), states=())
    whole = dict(store.search("river mayor castle", everything, 1000))
    for _ in range(60):
        filter = random_filter(rng)
        ranked = store.search("river mayor castle", filter, 1000)
        assert ranked == sorted(ranked, key=lambda hit: (-hit[1], hit[0]))
        assert all(whole.get(i, score) == score for i, score in ranked)
        assert store.search("river mayor castle", filter, 7) == ranked[:7]


def test_scores_are_bm25_of_each_field_times_its_weight(opened):
    rows = [
        doc(1, "river river bridge", subject="river"),
        doc(2, "bridge castle", subject="harbour mayor"),
        doc(3, "engine engine engine treaty"),
    ]
    scores = dict(opened(rows).search("river bridge", PUBLIC, 10))
    k1, b = MANIFEST["k1"], MANIFEST["b"]

    def bm25(field, term, row):
        holders = [r for r in rows if r[field]]
        n = sum(term in r[field].split() for r in holders)
        average = sum(len(r[field].split()) for r in holders) / len(holders)
        words = (row[field] or "").split()
        frequency = words.count(term)
        idf = math.log(1 + (len(holders) - n + 0.5) / (n + 0.5))
        return MANIFEST["weights"][field] * idf * frequency / (frequency + k1 * (1 - b + b * len(words) / average))

    for row in rows[:2]:
        expected = sum(bm25(f, t, row) for f in ("text", "subject") for t in ("river", "bridge"))
        assert scores[row["id"]] == pytest.approx(expected, rel=1e-5)
    assert set(scores) == {rows[0]["id"], rows[1]["id"]}


def test_equal_scores_stand_in_the_order_of_ids(opened):
    rows = [doc(i, "river bridge") for i in range(50)]
    store = opened(rows)
    ids = sorted(row["id"] for row in rows)
    assert found(store, "river") == ids
    assert found(store, "river", k=5) == ids[:5]


def test_stores_keep_their_statistics_apart(opened):
    nuggets = [doc(1, "river bridge"), doc(2, "castle")]
    chunks = [doc(i, "river " * 50, store="chunks", key_id="") for i in range(10, 20)]
    alone, mixed = opened(nuggets), opened(nuggets + chunks, name="mixed")
    assert mixed.search("river", PUBLIC, 10, stores=("nuggets",)) == alone.search("river", PUBLIC, 10)
    assert len(found(mixed, "river")) == 11 and len(found(mixed, "river", stores=("chunks",))) == 10


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=st.text(max_size=60) | st.text(alphabet="\"'\\*?~()[]{}+-!&|^:/<>=@#$%;,. ab\n\t\0", max_size=40))
def test_any_text_is_a_legal_query(crowd, text):
    _, store = crowd
    hits = store.search(text, PUBLIC, 5)
    assert len(hits) <= 5
    assert found(store, f"river {text} river", k=3)


def test_query_syntax_is_plain_text(opened):
    store = opened([doc(1, "river bridge"), doc(2, "castle")])
    for text in (
        '"castle river"',
        "-river castle",
        "text:river AND castle",
        "river^9 OR castle~2",
        "(river castle",
        "river NOT castle_1",
    ):
        assert set(found(store, text)) == {doc(1)["id"], doc(2)["id"]}, text
    assert found(store, "riv?") == found(store, "rive*") == found(store, "rivor~") == []


@pytest.mark.parametrize("text", ["", "   ", "?!", "the of and"])
def test_a_query_without_terms_finds_nothing(opened, text):
    assert opened([doc(1, "the river of time")]).search(text, PUBLIC, 10) == []


def test_long_queries_are_legal(crowd):
    _, store = crowd
    assert found(store, " ".join(f"word{i}" for i in range(3000)) + " river", k=3)


def test_texts_that_java_cannot_hold_are_indexed(opened):
    store = opened([doc(1, "river 😀 \0 end"), doc(2, "Größe 東京 αβγ")])
    assert found(store, "end") == [doc(1)["id"]]
    assert found(store, "größe") == found(store, "αβγ") == [doc(2)["id"]]
    assert found(store, "\udfff end") == [doc(1)["id"]]


def test_english_is_stemmed_and_other_languages_are_not(opened):
    store = opened(
        [
            doc(1, "bridges"),
            doc(2, "bridges", language="de"),
            doc(3, "the", language="fr"),
            doc(4, "bridging", language="en-GB"),
        ]
    )
    assert set(found(store, "bridge")) == {doc(1)["id"], doc(4)["id"]}
    assert set(found(store, "bridges")) == {doc(1)["id"], doc(2)["id"], doc(4)["id"]}
    assert found(store, "the") == [doc(3)["id"]]


def test_synonyms_widen_the_query(opened):
    store = opened([doc(1, "a motor vehicle"), doc(2, "a car"), doc(3, "a boat")])
    assert set(found(store, "which car?")) == set(found(store, "Motor Vehicle")) == {doc(1)["id"], doc(2)["id"]}


def test_hidden_for_names_labels_of_several_groups(opened):
    store = opened([doc(1, hidden_for=["board,legal"]), doc(2)])
    both, one = [doc(1)["id"], doc(2)["id"]], [doc(2)["id"]]
    assert (
        set(found(store, "river")) == set(found(store, "river", SearchFilter(groups=("public", "boar")))) == set(both)
    )
    for group in ("board", "legal"):
        assert found(store, "river", SearchFilter(groups=("public", group))) == one


def test_null_bounds_and_years_before_christ(opened):
    bc = -735_000  # 43 BC
    rows = [
        doc(1),
        doc(2, start_min=bc, start_max=bc, end_min=bc + 10, end_max=bc + 10),
        doc(3, start_min=bc + 5),
        doc(4, end_max=bc),
        doc(5, start_min=5, end_max=5),
    ]
    store = opened(rows)
    ids = [row["id"] for row in rows]

    def at(day, **more):
        return {ids.index(i) + 1 for i in found(store, "river", SearchFilter(at=day, **more))}

    assert at(bc - 1) == {1, 4} and at(bc) == {1, 2} and at(bc + 9) == {1, 2, 3} and at(bc + 10) == {1, 3}
    assert at(bc, certain=True) == {2} and at(bc + 10, certain=True) == set()
    assert at(10**12) == {1, 3} and at(-(10**12)) == {1, 4}
    days = store.read_back()
    stored = {
        i: tuple(v)
        for i, *v in zip(days["id"].to_pylist(), *(days[d].cast(pa.int32()).to_pylist() for d in DAYS), strict=True)
    }
    assert stored == {row["id"]: tuple(row[d] for d in DAYS) for row in rows}


def test_read_back_gives_every_document_as_it_was(crowd):
    rows, store = crowd
    back = store.read_back()
    assert back.num_rows == store.count == len(rows)
    expected = table(rows).sort_by("id").select(back.column_names)
    for name in back.column_names:
        assert back[name].combine_chunks().equals(expected[name].combine_chunks()), name


def test_plain_docs_survive_years_before_christ():
    rows = [doc(1, start_min=-800_000, recorded_from=12)]
    assert plain_docs(table(rows)) == rows


def test_an_empty_index_opens(opened):
    store = opened([])
    assert store.count == 0 and store.search("river", PUBLIC, 5) == [] and store.read_back().num_rows == 0


def test_a_build_over_an_old_index_leaves_nothing_of_it(opened):
    assert len(found(opened([doc(i) for i in range(5)]), "river")) == 5
    assert found(opened([doc(9)]), "river") == [doc(9)["id"]]


def test_a_manifest_mismatch_is_refused(tmp_path):
    build_index(table([doc(1)]), MANIFEST, tmp_path / "index")
    LuceneStore.open(tmp_path / "index", MANIFEST).close()
    other = {
        **MANIFEST,
        "analyzers": {**MANIFEST["analyzers"], "en": {**MANIFEST["analyzers"]["en"], "stemmer": "none"}},
    }
    with pytest.raises(LodeError, match=r"analyzers\.en\.stemmer(.|\n)*lode rerun index"):
        LuceneStore.open(tmp_path / "index", other)
    with pytest.raises(LodeError, match="no index"):
        LuceneStore.open(tmp_path / "nothing")


def test_what_does_not_fit_is_refused(tmp_path):
    with pytest.raises(LodeError, match="twice"):
        build_index(table([doc(1), doc(1)]), MANIFEST, tmp_path / "a")
    with pytest.raises(LodeError, match="Lucene"):
        build_index(table([doc(1)]), {**MANIFEST, "lucene": "9.9.9"}, tmp_path / "b")


def test_pyserini_opens_the_index(tmp_path):
    build_index(table([doc(1, "river bridge"), doc(2, "castle")]), MANIFEST, tmp_path / "index")
    from pyserini.search.lucene import LuceneSearcher  # on the JVM that build_index has started

    searcher = LuceneSearcher(str(tmp_path / "index"))
    assert searcher.num_docs == 2
    hits = searcher.search("bridges", fields={"nuggets.text.en": 1.0})
    assert [hit.docid for hit in hits] == [doc(1)["id"]]


def test_matches_agrees_with_the_interval_of_four_days():
    from schemas.time import Interval

    rng = random.Random(11)
    for row in random_docs(12, 300):
        days = Interval(*(row[d] for d in DAYS))
        row = {**row, "acl": ["public"], "hidden_for": [], "tenant": "default", "state": "active"}
        at, width = rng.randrange(95, 145), rng.randrange(1, 9)
        assert matches(row, SearchFilter(at=at)) == days.possibly(at)
        assert matches(row, SearchFilter(at=at, certain=True)) == days.certainly(at)
        if not days.problems():
            between = SearchFilter(first=at, until=at + width)
            assert matches(row, between) == days.possibly_meets(at, at + width)
            assert matches(row, replace(between, certain=True)) == days.certainly_contains(at, at + width)
