"""Fusion against the formula, and legs that fail."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from retrieval.fuse import Legs, fuse, rrf
from retrieval.search import QueryOptions, search
from schemas.errors import IntegrityError
from tests.retrieval.world import ceo_world

LISTS = st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), st.lists(st.sampled_from("mnopqrst"), unique=True), max_size=4)


@given(LISTS, st.integers(1, 100))
def test_rrf_is_the_published_formula(lists, k):
    got = rrf(lists, k)
    exact = {}
    for ids in lists.values():
        for rank, i in enumerate(ids, 1):
            exact[i] = exact.get(i, 0) + Fraction(1, k + rank)
    assert {i for i, _, _ in got} == set(exact)
    for i, score, ranks in got:
        assert abs(score - float(exact[i])) < 1e-12
        assert ranks == {leg: ids.index(i) + 1 for leg, ids in lists.items() if i in ids}
    floats = [(-s, i) for i, s, _ in got]
    assert floats == sorted(floats)


@given(LISTS, st.integers(1, 100))
def test_an_absent_list_contributes_nothing(lists, k):
    assert rrf({**lists, "absent": []}, k) == rrf(lists, k)


def test_golden():
    assert [(i, round(s, 6)) for i, s, _ in rrf({"x": ["a", "b"], "y": ["b", "c"]}, 60)] == [
        ("b", round(1 / 62 + 1 / 61, 6)), ("a", round(1 / 61, 6)), ("c", round(1 / 62, 6))]


def test_an_id_twice_in_a_list_counts_once():
    legs = Legs()
    legs.add("nuggets:bm25", "nuggets", ["a", "b", "a"])
    assert [(c.id, c.legs) for c in fuse(legs, 60)] == [("a", {"nuggets:bm25": 1}), ("b", {"nuggets:bm25": 2})]


class Broken:
    def __init__(self, error):
        self.error = error

    def search(self, *_):
        raise self.error


def test_a_failed_leg_is_reported_and_the_others_answer():
    world = ceo_world()
    whole = world.sparse
    world.sparse = lambda store: Broken(RuntimeError("quotes a secret")) if store == "nuggets" else whole(store)
    world.dense = lambda store: Broken(IntegrityError("model differs"))
    got = search(world, "weather in Oslo", QueryOptions(explain=True)).to_json()
    assert got["results"][0]["text"].startswith("The weather")
    assert any("nuggets:bm25 failed (RuntimeError)" in n for n in got["notes"])
    assert any("chunks:dense failed (model differs)" in n for n in got["notes"])
    assert "secret" not in str(got)


def test_an_encoder_that_fails_is_a_failed_leg():
    world = ceo_world()
    world.encode = lambda text: 1 / 0
    got = search(world, "weather in Oslo").to_json()
    assert got["results"] and any("dense failed (ZeroDivisionError)" in n for n in got["notes"])


def test_a_release_without_vectors_has_two_legs():
    got = search(ceo_world(dense=False), "weather in Oslo").to_json()
    assert {leg for r in got["results"] for leg in r["legs"]} <= {"nuggets:bm25", "chunks:bm25", "nuggets:supplement"}
    assert not any("failed" in n for n in got["notes"])
