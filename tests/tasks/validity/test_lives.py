"""Lives of sentences: the union of the runs of all blocks that say them, over the revisions that stand."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.validity.lives import Life, Lives, merge_spans
from tests.history_pages import DOCUMENT, table_of


def lives(versions, runs, says, same=None):
    """`versions`: a letter a revision, named 0, 1, ... an hour apart (s stands, r reverted, d null edit, ? withheld). `runs`:
    (block, first, last, status), last None at the head. `says`: sentence -> blocks."""
    noise = {"s": "", "r": "reverted", "d": "duplicate", "?": "suppressed", "v": "vandalism"}
    standing = [n for n, v in enumerate(versions) if v == "s"]

    def gone(last):
        return None if last is None else next((n for n in standing if n > last), None)

    def time(n):
        return None if n is None else n * 3600

    def name(n):
        return None if n is None else str(n)

    blocks = sorted({b for b, *_ in runs} | set(same or {}) | {b for own in says.values() for b in own})
    return [
        table_of("versions", [{"document_id": DOCUMENT, "version_id": f"v{n}", "revision": str(n), "time": n * 3600, "noise": noise[v],
                               "status": "suppressed" if v == "?" else "ok"} for n, v in enumerate(versions)]),
        table_of("blocks", [{"document_id": DOCUMENT, "block_id": b, "same_as": (same or {}).get(b)} for b in blocks]),
        table_of("lifetimes", [
            {"document_id": DOCUMENT, "block_id": b, "first_revision": str(first), "last_revision": name(last), "from_time": time(first),
             "to_time": time(last), "gone_revision": name(gone(last)), "gone_time": time(gone(last)), "status": status}
            for b, first, last, status in runs]),
        table_of("sightings", [{"document_id": DOCUMENT, "sentence_id": s, "block_id": b} for s, own in says.items() for b in own]),
    ]


def life(*args, sentence="s", **more) -> Life | None:
    return Lives(*lives(*args, **more)).of(DOCUMENT, sentence)


def test_a_run_that_ends_was_last_shown_before_it_was_seen_to_be_gone():
    found = life("ssss", [("a", 1, 2, "gone")], {"s": ["a"]})
    assert found == Life(((1, 2),), 3600, 7200, 10800) and not found.stands


def test_a_run_to_the_head_stands():
    found = life("sss", [("a", 1, None, "standing")], {"s": ["a"]})
    assert found == Life(((1, None),), 3600, None, None) and found.stands


def test_an_edited_paragraph_does_not_end_what_its_other_sentences_say():
    runs = [("a", 0, 1, "gone"), ("b", 2, None, "standing")]
    found = life("ssss", runs, {"s": ["a", "b"], "t": ["a"]})
    assert found == Life(((0, None),), 0, None, None)
    assert life("ssss", runs, {"s": ["a", "b"], "t": ["a"]}, sentence="t") == Life(((0, 1),), 0, 3600, 7200)


def test_what_comes_back_after_a_standing_revision_without_it_has_two_spans():
    found = life("sssss", [("a", 0, 1, "gone"), ("a", 3, 3, "gone")], {"s": ["a"]})
    assert found == Life(((0, 1), (3, 3)), 0, 3 * 3600, 4 * 3600)


def test_runs_with_only_noise_between_them_are_one():
    for between in ("r", "rr", "d", "?", "r?d"):
        n = len(between)
        runs = [("a", 0, 0, "gone"), ("b", n + 1, n + 1, "gone")]
        found = life("s" + between + "ss", runs, {"s": ["a", "b"]})
        assert found == Life(((0, 1),), 0, (n + 1) * 3600, (n + 2) * 3600)


def test_a_block_that_reads_the_same_lends_its_runs():
    runs = [("a", 0, 1, "gone"), ("b", 2, 2, "gone")]
    assert life("ssss", runs, {"s": ["b"]}, same={"a": "b"}) == Life(((0, 2),), 0, 7200, 10800)
    assert life("ssss", runs, {"s": ["b"]}) == Life(((2, 2),), 7200, 7200, 10800)


def test_what_only_noise_said_counts_for_nothing():
    found = life("srs", [("a", 1, 1, "reverted")], {"s": ["a"]})
    assert found == Life((), 3600, 3600, 7200, "reverted") and not found.stands
    both = life("srss", [("a", 1, 1, "vandalism"), ("b", 3, None, "standing")], {"s": ["a", "b"]})
    assert both == Life(((2, None),), 3 * 3600, None, None), "noise adds nothing to a life that counts"


def test_without_blocks_there_is_no_life():
    assert life("s", [], {}) is None
    assert life("s", [("a", 0, None, "standing")], {"t": ["a"]}) is None


def test_withheld_and_undone_revisions_are_not_counted():
    found = Lives(*lives("s?rds", [], {}))
    assert found.versions_of(DOCUMENT) == 2 and found.versions_of("another") == 0
    assert (found.pages[DOCUMENT].time(1), found.pages[DOCUMENT].time(2), found.pages[DOCUMENT].time(None)) == (4 * 3600, None, None)


@pytest.mark.parametrize(
    ("spans", "expected"),
    [([], ()), ([(3, 4), (0, 1)], ((0, 1), (3, 4))), ([(2, 3), (0, 1)], ((0, 3),)), ([(0, 5), (1, 2)], ((0, 5),)),
     ([(0, None), (3, 4)], ((0, None),)), ([(3, None), (0, 2)], ((0, None),)), ([(1, 1), (1, None)], ((1, None),))],
)
def test_spans_that_touch_or_overlap_are_one(spans, expected):
    assert merge_spans(spans) == expected


@settings(max_examples=150, deadline=None)
@given(st.text("srd?", min_size=1, max_size=12), st.lists(st.sets(st.integers(0, 11)), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_a_life_is_the_union_of_the_places_where_the_sentence_stood(versions, stands, rng: random.Random):
    """Against sets of positions; rows in any order."""
    standing = [n for n, v in enumerate(versions) if v == "s"]
    runs, union = [], set()
    for b, wanted in enumerate(stands):
        own = sorted(p for p in wanted if p < len(standing))
        union |= set(own)
        for span in _maximal(own):
            last = None if span[1] == len(standing) - 1 else standing[span[1]]
            runs.append((f"b{b}", standing[span[0]], last, "standing" if last is None else "gone"))
    tables = lives(versions, runs, {"s": [f"b{b}" for b in range(len(stands))]})
    shuffled = [t.take(pa.array(rng.sample(range(t.num_rows), t.num_rows), pa.int64())) for t in tables]
    found = Lives(*tables).of(DOCUMENT, "s")
    assert found == Lives(*shuffled).of(DOCUMENT, "s")
    if not union:
        assert found is None
        return
    spans = [(a, None if b == len(standing) - 1 else b) for a, b in _maximal(sorted(union))]
    end = spans[-1][1]
    assert found == Life(tuple(spans), 3600 * standing[spans[0][0]], None if end is None else 3600 * standing[end],
                         None if end is None else 3600 * standing[end + 1])


def _maximal(positions):
    out = []
    for p in positions:
        if out and out[-1][1] == p - 1:
            out[-1] = (out[-1][0], p)
        else:
            out.append((p, p))
    return out


_SPAN = st.one_of(
    st.tuples(st.integers(0, 15), st.integers(0, 4)).map(lambda t: (t[0], t[0] + t[1])),
    st.tuples(st.integers(0, 15), st.none()),
)


def _positions(spans, end=25):
    return {p for first, last in spans for p in range(first, (end if last is None else last) + 1)}


@settings(max_examples=300, deadline=None)
@given(st.lists(_SPAN, max_size=7), st.randoms(use_true_random=False))
def test_merged_spans_are_sorted_apart_and_cover_what_the_spans_cover(spans, rng: random.Random):
    merged = merge_spans(spans)
    assert _positions(merged) == _positions(spans)
    assert all(last is not None and last + 1 < first for (_, last), (first, _) in zip(merged, merged[1:], strict=False))
    assert (bool(merged) and merged[-1][1] is None) == any(last is None for _, last in spans)
    assert merge_spans(rng.sample(spans, len(spans))) == merge_spans(merged) == merged


def test_a_life_of_noise_has_no_positions_and_the_least_name():
    runs = [("a", 1, 1, "vandalism"), ("b", 2, 2, "blanked")]
    found = life("svrss", runs, {"s": ["a", "b"]})
    assert found == Life((), 3600, 7200, 3 * 3600, "blanked"), "first shown, last shown, gone: over all that said it"
    assert found == life("svrss", runs[::-1], {"s": ["b", "a"]})


def test_the_pages_of_a_shard_do_not_meet():
    """A sentence's runs are those of its own page's blocks."""
    found = Lives(*lives("sss", [("a", 0, 0, "gone")], {"s": ["a"]}))
    assert found.of("another", "s") is None
