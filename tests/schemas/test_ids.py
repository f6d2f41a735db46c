"""Ids: injective encoding, stability, shards."""

from hypothesis import given
from hypothesis import strategies as st

from schemas import ids

scalars = st.none() | st.booleans() | st.integers() | st.text() | st.binary()
fields = st.recursive(scalars, lambda inner: st.lists(inner, max_size=4), max_leaves=8)
lists = st.lists(fields, max_size=5)


def _same(a, b):
    """Equality that keeps bool, int, str and bytes apart, as the encoding does."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    return type(a) is type(b) and a == b


@given(lists, lists)
def test_encoding_is_injective(a, b):
    assert (ids.encode(a) == ids.encode(b)) == _same(a, b)


@given(st.text(), st.text(), st.text())
def test_moving_a_character_between_fields_changes_the_id(a, b, c):
    assert ids.make_id("x", a + c, b) != ids.make_id("x", a, c + b) or c == "" or (a + c, b) == (a, c + b)


def test_kinds_do_not_collide_and_ids_are_stable():
    assert ids.make_id("document", "a") != ids.make_id("chunk", "a")
    assert ids.make_id("document", "enwiki", "698") == ids.document_id("enwiki", "698")


def test_golden_ids_never_change():
    """A change here breaks every id ever published."""
    assert ids.make_id("document", "enwiki", "698") == GOLDEN_DOCUMENT
    assert ids.content_hash("Zürich") == GOLDEN_HASH


@given(st.text(alphabet="0123456789abcdef", min_size=24, max_size=24), st.sampled_from([1, 2, 8, 64, 4096]))
def test_shards_are_in_range_and_nest(unit, shards):
    assert 0 <= ids.shard_of(unit, shards) < shards
    if shards > 1:
        assert ids.shard_of(unit, shards) & (shards // 2 - 1) == ids.shard_of(unit, shards // 2)


@given(st.text(max_size=12), st.sampled_from([1, 2, 8, 64]))
def test_any_text_has_a_shard(unit, shards):
    assert 0 <= ids.shard_of(unit, shards) < shards


def test_chunk_id_ignores_white_space_and_composition():
    a = ids.chunk_id("d", "passage", "paragraph", "Zu\u0308rich  is\n big", 0)
    assert a == ids.chunk_id("d", "passage", "paragraph", "Z\u00fcrich is big", 0)
    assert a != ids.chunk_id("d", "passage", "paragraph", "Zürich is big", 1)


def test_label_is_sorted_and_empty_means_nobody():
    assert ids.label_of(["b", "a", "b"]) == "a,b"
    assert ids.label_of([]) == ids.label_of(None) == ""


GOLDEN_DOCUMENT = "9cd55f9b20cd63d197429031"
GOLDEN_HASH = "90ae37dc95d4424f810b5e21c762a446"
