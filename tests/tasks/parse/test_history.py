"""Noise and lifetimes in the history of a page: golden cases, the plain reference, and what must not change a run."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.parse.history import Options, Revision, read_history
from tests.tasks.parse.reference_history import Reference

HOUR, DAY = 3600, 86400
NOISE = {"reverted", "blanked", "vandalism"}
SIZES = {b: 100 * (b % 5 + 1) for b in range(1000)} | {9: 30_000, 8: 20}


def text_size(blocks) -> int:
    return sum(SIZES[b] for b in blocks)


def page(*steps, hours=None, who=None, ids=None) -> list[Revision]:
    """Revisions from block numbers, one string of digits a text ("-" is a blank page, "?" a withheld one), an hour apart
    unless `hours` gives the time of each."""
    out = []
    for n, step in enumerate(steps):
        blocks = tuple(int(c) for c in step if c.isdigit())
        time = n * HOUR if hours is None else None if hours[n] is None else round(hours[n] * HOUR)
        out.append(Revision(ids[n] if ids else str(100 + n), time, step if step != "?" else "", text_size(blocks), blocks,
                            who[n] if who else None, None, step == "?"))
    return out


def verdicts(history) -> str:
    """One letter a revision: s d r b v, and ? for suppressed."""
    return "".join("?" if v.verdict == "suppressed" else v.verdict[0] for v in history.verdicts)


def runs(history, block=None) -> list[tuple]:
    return [(r.first, r.last, r.status, r.ended_by) if block is not None else (r.block, r.first, r.last, r.status, r.ended_by)
            for r in history.runs if block is None or r.block == block]


def undone(history) -> list:
    return [v.undone_by for v in history.verdicts]


# Golden cases. Block 9 is huge, block 8 tiny.


def test_nothing_and_next_to_nothing():
    empty = read_history([])
    assert (empty.order, empty.verdicts, empty.runs) == ([], [], [])
    one = read_history(page("12"))
    assert verdicts(one) == "s" and runs(one) == [(1, 0, None, "standing", None), (2, 0, None, "standing", None)]
    withheld = read_history(page("?", "?"))
    assert verdicts(withheld) == "??" and withheld.runs == []
    assert runs(read_history(page("-"))) == []


def test_an_identity_revert():
    h = read_history(page("123", "143", "123"))
    assert verdicts(h) == "srs" and undone(h) == [None, 2, None]
    assert runs(h) == [(1, 0, None, "standing", None), (2, 0, None, "standing", None), (3, 0, None, "standing", None),
                       (4, 1, 1, "reverted", 2)]
    assert [v.code for v in h.verdicts] == ["edit", "identity", "restore"]


def test_a_self_revert_is_named():
    h = read_history(page("123", "143", "123", who=["a", "b", "b"]))
    assert (h.verdicts[1].verdict, h.verdicts[1].code) == ("reverted", "self")


def test_of_an_edit_war_the_last_side_stands_from_its_first_time_on():
    h = read_history(page("12", "13", "12", "13"))
    assert verdicts(h) == "ssrs"
    assert runs(h, 2) == [(0, 0, "gone", 1)] and runs(h, 3) == [(1, None, "standing", None)]
    h = read_history(page("12", "13", "12", "13", "12"))
    assert verdicts(h) == "srsrs" and undone(h) == [None, 2, None, 4, None]
    assert runs(h, 2) == [(0, None, "standing", None)] and runs(h, 3) == [(1, 1, "reverted", 2), (3, 3, "reverted", 4)]


def test_nested_reverts_say_who_undid_first():
    h = read_history(page("12", "123", "1234", "123", "12"))
    assert verdicts(h) == "srrrs" and undone(h) == [None, 4, 3, 4, None]
    assert runs(h, 3) == [(1, 3, "reverted", 4)] and runs(h, 4) == [(2, 2, "reverted", 4)]


def test_a_vandals_text_that_comes_again_years_later_reverts_nothing():
    years = [0, 1, 2, 9000, 18000, 18001, 18002]
    h = read_history(page("123", "4", "123", "1235", "12356", "4", "123567", hours=years))
    assert verdicts(h) == "srsssrs" and undone(h)[5] == 6
    assert runs(h, 5) == [(3, None, "standing", None)] and runs(h, 6) == [(4, None, "standing", None)]
    assert runs(h, 4) == [(5, 5, "reverted", 6)]


def test_an_old_version_put_up_for_an_hour_does_not_end_the_years_between():
    h = read_history(page("12", "1234", "134567", "12", "1345670", hours=[0, 5000, 20000, 20001, 20002]))
    assert verdicts(h) == "sssrs"
    assert runs(h, 3) == [(1, None, "standing", None)] and runs(h, 4) == [(1, None, "standing", None)]
    # The same, where the years come back word for word, and the war goes on with new words.
    h = read_history(page("12", "1234", "134567", "12", "128", "134567", "1345670", hours=[0, 5000, 20000, 20001, 20002, 20003, 20100]))
    assert verdicts(h) == "sssrrss" and runs(h, 4) == [(1, None, "standing", None)]


def test_a_revert_far_away():
    far = page("12", "134", "12", "125", hours=[0, 100, 5000, 9000])
    assert verdicts(read_history(far)) == "srss"
    assert runs(read_history(far), 2) == [(0, None, "standing", None)]
    near = read_history(far, Options(revert_days=30))
    assert verdicts(near) == "ssss"
    assert runs(near, 2) == [(0, 0, "gone", 1), (2, None, "standing", None)] and runs(near, 3) == [(1, 1, "gone", 2)]
    assert verdicts(read_history(page("12", "134", "12", hours=[0, 1000, 1000 + 30 * 24]), Options(revert_days=30))) == "srs"


def test_a_partial_repair_in_the_next_edit():
    # 2, 3 are replaced by 5, 6, and put back while 4 becomes 0.
    h = read_history(page("1234", "1564", "1230", who=["a", "vandal", "b"]))
    assert verdicts(h) == "svs" and undone(h) == [None, 2, None]
    assert runs(h, 2) == runs(h, 3) == [(0, None, "standing", None)]
    assert runs(h, 5) == [(1, 1, "vandalism", 2)] and runs(h, 4) == [(0, 0, "gone", 2)]


def test_vandalism_is_quickly_undone_and_by_someone_of_whom_nothing_stands():
    def verdict(*who, hours=(0, 1, 2, 3), options=None):
        return read_history(page("1234", "1564", "1230", "12307", hours=hours, who=who), options or Options()).verdicts[1]

    assert verdict("a", "v", "b", "c").verdict == "vandalism"
    assert verdict("a", "v", "b", "v").verdict == verdict("a", None, "b", "c").verdict == "reverted"
    assert verdict("a", "v", "b", "c", hours=(0, 1, 74, 75)).verdict == "reverted"
    assert verdict("a", "v", "b", "c", options=Options(vandalism_hours=0)).verdict == "reverted"
    assert (verdict("a", "v", "v", "c").verdict, verdict("a", "v", "v", "c").code) == ("reverted", "self")


def test_of_an_edit_that_did_two_things_one_is_undone():
    h = read_history(page("1234", "15340", "12340"))
    assert verdicts(h) == "sss"
    assert runs(h, 5) == [(1, 1, "reverted", 2)] and runs(h, 2) == [(0, None, "standing", None)] and runs(h, 0) == [(1, None, "standing", None)]


def test_what_is_put_elsewhere_was_not_replaced():
    h = read_history(page("1234", "1347", "1234 "))  # 2 goes, 7 comes at another place, and back, 100 hours each
    assert runs(h, 7) == [(1, 1, "gone", 2)]
    h = read_history(page("1234", "1347", "1234 ", hours=[0, 100, 200]))
    assert runs(h, 2) == [(0, 0, "gone", 1), (2, None, "standing", None)]


def test_a_local_exchange_is_undone_within_restore_days():
    for days, bridged in ((29, True), (30, True), (31, False)):
        h = read_history(page("1234", "1534", "15340", "12340", hours=[0, 10, 20, 10 + days * 24]))
        assert (runs(h, 2) == [(0, None, "standing", None)]) is bridged
        assert runs(h, 5) == [(1, 2, "reverted" if bridged else "gone", 3)]
        assert h.verdicts[1].verdict == ("reverted" if bridged else "standing")


def test_a_real_succession_is_never_bridged():
    h = read_history(page("123", "153", "1534", "153"))
    assert runs(h, 2) == [(0, 0, "gone", 1)] and runs(h, 5) == [(1, None, "standing", None)]


def test_block_for_block_the_last_side_of_a_war_stands():
    h = read_history(page("12", "134", "1245", "1345", "13456"))
    assert runs(h, 2) == [(0, 0, "gone", 1), (2, 2, "reverted", 3)]
    assert runs(h, 3) == [(1, None, "standing", None)]


def test_a_long_gap_makes_two_runs_and_a_short_one_does_not():
    for hours, expected in ((72, [(0, None, "standing", None)]), (73, [(0, 0, "gone", 1), (3, None, "standing", None)])):
        h = read_history(page("12", "1", "13", "123", hours=[0, 10, 20, 10 + hours]))
        assert runs(h, 2) == expected


@pytest.mark.parametrize("back, seen", [("1234", "srs"), ("12345", "sbs"), ("1250", "sbs")])
def test_a_blanking_that_is_undone(back, seen):
    for blank in ("-", "8"):
        h = read_history(page("1234", blank, back))
        assert verdicts(h) == seen and undone(h) == [None, 2, None]
        assert runs(h, 1) == [(0, None, "standing", None)]
        assert runs(h, 8) == ([(1, 1, {"r": "reverted", "b": "blanked"}[seen[1]], 2)] if blank == "8" else [])


def test_a_blanking_that_stays_or_lasts():
    assert verdicts(read_history(page("1234", "-"))) == "ss"
    assert runs(read_history(page("1234", "8")), 1) == [(0, 0, "gone", 1)]
    for days, seen in ((30, "sbs"), (31, "sss")):
        assert verdicts(read_history(page("1234", "-", "12345", hours=[0, 1, 1 + days * 24]))) == seen
    assert verdicts(read_history(page("1234", "-", "567", "5678"))) == "ssss", "another page is not the old one back"
    assert verdicts(read_history(page("1234", "8", "-", "12345"))) == "sbbs"


def test_a_page_that_is_blanked_mended_and_blanked_again():
    for blank in ("-", "8"):
        h = read_history(page("1234", blank, "12345", blank, "123456"))
        assert verdicts(h) == "sbsbs" and runs(h, 5) == [(2, None, "standing", None)]
        h = read_history(page("1234", blank, "1234", blank, "1234"))
        assert verdicts(h) == "srsrs" and undone(h) == [None, 2, None, 4, None]


def test_blank_pages_years_apart_revert_nothing():
    h = read_history(page("-", "1234", "12345", "-", hours=[0, 100, 2000, 9000]))
    assert verdicts(h) == "ssss" and runs(h, 1) == [(1, 2, "gone", 3)]
    h = read_history(page("1234", "-", "12345", "123456", "-", "1234567", hours=[0, 1, 2, 9000, 18000, 18001]))
    assert verdicts(h) == "sbssbs" and runs(h, 1) == [(0, None, "standing", None)] and runs(h, 6) == [(3, None, "standing", None)]


def test_redirects():
    moved = read_history(page("1234", "8", "1234"))
    assert verdicts(moved) == "srs" and runs(moved, 8) == [(1, 1, "reverted", 2)]
    once = read_history(page("8", "1234", "12345", "8", hours=[0, 100, 5000, 9000]))
    assert verdicts(once) == "ssss" and runs(once, 1) == [(1, 2, "gone", 3)] and runs(once, 8) == [(0, 0, "gone", 1), (3, None, "standing", None)]
    short = read_history(page("8", "1234", "12345", "8"))
    assert verdicts(short) == "srrs" and runs(short, 8) == [(0, None, "standing", None)]


def test_null_edits():
    h = read_history(page("12", "12", "13", "13", "13"))
    assert verdicts(h) == "sdsdd" and runs(h) == [(1, 0, None, "standing", None), (2, 0, 1, "gone", 2), (3, 2, None, "standing", None)]
    h = read_history(page("12", "13", "13", "12"))
    assert verdicts(h) == "srrs" and runs(h, 3) == [(1, 2, "reverted", 3)]


def test_a_suppressed_revision_is_seen_through():
    h = read_history(page("12", "?", "12", "?", "13", "?"))
    assert verdicts(h) == "s?d?s?"
    assert runs(h) == [(1, 0, None, "standing", None), (2, 0, 2, "gone", 4), (3, 4, None, "standing", None)]


def test_no_times_at_all():
    nothing = [None] * 9
    assert verdicts(read_history(page("12", "13", "12", hours=nothing))) == "srs"
    assert verdicts(read_history(page("1234", "-", "12345", hours=nothing))) == "sbs"
    h = read_history(page("12", "13", "1", "125", hours=nothing))
    assert runs(h, 2) == [(0, 0, "gone", 1), (3, None, "standing", None)], "an unknown gap is not short"
    h = read_history(page("1234", "1534", "12340", hours=nothing))
    assert runs(h, 2) == [(0, None, "standing", None)] and h.verdicts[1].verdict == "reverted"


def test_order_is_by_time_then_number_and_second_revisions_of_an_id_are_seen_through():
    h = read_history(page("13", "12", "14", hours=[5, 5, 1], ids=["10", "9", "700"]))
    assert [r.id for r in h.order] == ["700", "9", "10"]
    h = read_history(page("12", "13", "12", "14", ids=["1", "2", "2", "3"]))
    assert verdicts(h) == "ssds" and h.verdicts[2].code == "same-id"


def test_blocks_that_repeat_and_move():
    h = read_history(page("12131", "31211", "1312"))
    assert [r[:3] for r in runs(h)] == [(1, 0, None), (2, 0, None), (3, 0, None)] and verdicts(h) == "sss"


# Properties.


@st.composite
def histories(draw, most=12, timeless=True):
    """Pages that are edited, reverted near and far, blanked, repaired in part, touched and withheld."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    texts: list[tuple[int, ...]] = [tuple(rng.sample(range(8), rng.randint(1, 5)))]
    out, time = [], 0
    scale = rng.choice([(1, 5), (1, 60), (20, 400), (1, 2000)])
    fresh = iter(range(10, 900))
    wide = rng.random() < 0.5
    for n in range(draw(st.integers(1, most))):
        now = list(texts[-1])
        act = rng.choice("eeeeeirrRRbpnmtw")
        if act == "e" and now:
            now[rng.randrange(len(now))] = next(fresh) if wide else rng.randrange(10)
        elif act == "i":
            now.insert(rng.randint(0, len(now)), next(fresh) if wide else rng.randrange(10))
        elif act == "r":
            now = list(texts[max(0, len(texts) - 1 - rng.randint(1, 3))])
        elif act == "R":
            now = list(rng.choice(texts))
        elif act == "b":
            now = rng.choice([[], [8], [9], now[:1]])
        elif act == "p":
            now = list(rng.choice(texts))
            now.insert(rng.randint(0, len(now)), rng.randrange(10))
        elif act == "m":
            rng.shuffle(now)
        elif act == "t" and now:
            del now[rng.randrange(len(now))]
        texts.append(tuple(now))
        out.append(Revision(str(1000 + 10 * n), time * HOUR, ",".join(map(str, now)), text_size(now), tuple(now), rng.choice([None, "a", "b", "c"]),
                            None, act == "w" and rng.random() < 0.5))
        time += rng.randint(*scale)
    if timeless and rng.random() < 0.2:
        known = rng.choice([0, 0, rng.randint(0, len(out))])
        out = [replace(r, time=r.time if n >= len(out) - known else None) for n, r in enumerate(out)]
    if timeless and rng.random() < 0.1:
        out = [replace(r, time=rng.choice([r.time, 0, 100 * HOUR])) for r in out]
    return out


limits = st.sampled_from([Options(), Options(), Options(revert_days=2), Options(restore_days=1, vandalism_hours=2, gap_hours=5),
                          Options(restore_days=3, vandalism_hours=100, gap_hours=0), Options(blank_share=0.6)])


@settings(max_examples=700, deadline=None)
@given(histories(), limits)
def test_against_the_plain_reference(revisions, options):
    plain, h = Reference(revisions, options), read_history(revisions, options)
    assert [(v.verdict, v.undone_by) for v in h.verdicts] == plain.verdicts
    assert sorted(map(repr, runs(h))) == sorted(map(repr, plain.runs))


@settings(max_examples=300, deadline=None)
@given(histories(most=40), limits)
def test_what_always_holds(revisions, options):
    h = read_history(revisions, options)
    assert len(h.order) == len(h.verdicts) == len(revisions)
    by_block: dict[int, list] = {}
    for run in h.runs:
        by_block.setdefault(run.block, []).append(run)
        assert run.block in h.order[run.first].blocks
        assert (run.last is None) == (run.ended_by is None) == (run.status == "standing")
        if run.last is not None:
            assert run.first <= run.last < run.ended_by and run.block in h.order[run.last].blocks
            assert h.verdicts[run.ended_by].verdict == "standing" and run.block not in h.order[run.ended_by].blocks
        if run.status in ("standing", "gone"):
            assert h.verdicts[run.first].verdict == "standing"
            assert run.last is None or h.verdicts[run.last].verdict in ("standing", "duplicate")
    for group in by_block.values():
        assert all(a.last < b.first for a, b in zip(group, group[1:], strict=False))
    for n, (revision, verdict) in enumerate(zip(h.order, h.verdicts, strict=True)):
        assert (verdict.undone_by is not None) == (verdict.verdict in NOISE)
        if verdict.undone_by is not None:
            assert verdict.undone_by > n
        if verdict.verdict == "standing":
            for block in revision.blocks:
                (run,) = [r for r in by_block[block] if r.first <= n and (r.last is None or n <= r.last)]
                assert run.status in ("standing", "gone", "reverted")
    seen = [v.verdict for v in h.verdicts if v.verdict not in ("suppressed", "duplicate")]
    assert not seen or (seen[0] != "blanked" and seen[-1] == "standing")


def named(history, keep) -> set[tuple]:
    """Runs by ids of revisions, those of `keep` only, and none of the noise."""
    name = {n: r.id for n, r in enumerate(history.order)} | {None: None}
    return {(r.block, name[r.first], name[r.last], r.status, name[r.ended_by]) for r in history.runs if r.block in keep}


@settings(max_examples=300, deadline=None)
@given(histories(most=30), limits, st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(revisions, options, rng):
    twice = [*revisions, *(replace(r, hash="other", blocks=(7, 5), size=300) for r in revisions[:2])]
    shuffled = rng.sample(twice, len(twice))
    assert read_history(shuffled, options) == read_history(twice, options)


@settings(max_examples=300, deadline=None)
@given(histories(most=30), limits, st.data())
def test_null_edits_change_no_run(revisions, options, data):
    h = read_history(revisions, options)
    at = data.draw(st.integers(0, len(h.order) - 1))
    was = h.order[at]
    again = replace(was, id=str(int(was.id) + 1))
    more = read_history([*revisions, again], options)
    place = more.order.index(again)
    assert more.order[place - 1] == was
    if was.suppressed:
        assert more.verdicts[place].verdict == "suppressed"
    else:
        assert more.verdicts[place].verdict == {"standing": "duplicate"}.get(h.verdicts[at].verdict, h.verdicts[at].verdict)
    real = {b for r in revisions for b in r.blocks}
    moved = {again.id: was.id}
    assert {tuple(moved.get(x, x) for x in run) for run in named(more, real)} == named(h, real)


@settings(max_examples=500, deadline=None)
@given(histories(most=30, timeless=False), limits, st.data())
def test_a_vandal_and_the_revert_of_him_change_no_run(revisions, options, data):
    """At any place, also amid what is itself noise; he is undone before the next edit and within the limits. A stay amid noise may be cut by him, of a block
    that was never in anything else."""
    h = read_history(revisions, options)
    at = data.draw(st.sampled_from([n for n, r in enumerate(h.order) if not r.suppressed] or [None]))
    if at is None:
        return
    was = h.order[at]
    kept = data.draw(st.sampled_from([was.blocks, was.blocks[:1], ()]))
    blocks = (*kept, 990, 991)
    bad = replace(was, id=str(int(was.id) + 1), time=was.time + 600, hash="vandal", blocks=blocks, size=text_size(blocks), contributor="v")
    good = replace(was, id=str(int(was.id) + 2), time=was.time + 660, contributor="g")
    more = read_history([*revisions, bad, good], options)
    place = more.order.index(bad)
    assert more.verdicts[place].verdict == "reverted" and more.verdicts[place].undone_by == place + 1
    real = {b for r, v in zip(h.order, h.verdicts, strict=True) if v.verdict not in NOISE and not r.suppressed for b in r.blocks}
    moved = {good.id: was.id}
    assert {tuple(moved.get(x, x) for x in run) for run in named(more, real)} == named(h, real)
    assert {r.status for r in more.runs if r.block in (990, 991)} == {"reverted"}


def test_a_long_history_of_wars_is_read_in_one_pass():
    """Ten thousand texts of ninety blocks, mostly going to and fro: a quadratic reading would take minutes."""
    rng = random.Random(1)
    now, texts, out = list(range(90)), [], []
    for n in range(10_000):
        if rng.random() < 0.5 and texts:
            now = list(rng.choice(texts[-6:]))
        else:
            now[rng.randrange(90)] = 1000 + n
        texts.append(tuple(now))
        out.append(Revision(str(n), n * HOUR, str(hash(tuple(now))), 9000, tuple(now)))
    h = read_history(out)
    assert h.verdicts[-1].verdict == "standing" and {r.status for r in h.runs} >= {"standing", "gone", "reverted"}
