"""Rival values of one key on one page: succession, correction, removal, vandalism, and the days each of them gives."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemas.time import Interval, instant_from_iso, iso, parse_iso
from tasks.validity.cues import CONFIDENCE
from tasks.validity.lives import Life
from tasks.validity.rules import Validity
from tasks.validity.succession import CORRECTED, REMOVED, SUCCEEDED, VANDALISM, Said, same_name, tell_history

OPTIONS = {"correction_hours": 72}
# The standing revisions of the page: their days, by position.
SHOWN = ["2018-01-01", "2019-01-01", "2020-03-31", "2020-05-04", "2021-01-01", "2022-01-01"]
HEAD = "2022-06-01"


def day(text):
    return parse_iso(text).first


def at(text):
    return instant_from_iso(text if "T" in text else text + "T00:00:00Z")


def life(*spans, shown=SHOWN):
    first, end = at(shown[spans[0][0]]), spans[-1][1]
    return Life(spans, first, None, None) if end is None else Life(spans, first, at(shown[end]), at(shown[end + 1]))


def by_revision(lived):
    """What the rules of one mention say where the text gives no day."""
    last = day(HEAD) if lived.last is None else lived.last // 86400
    interval = Interval(None, lived.first // 86400, last + 1, None)
    return Validity(interval, "revision", "revision", CONFIDENCE["revision"], CONFIDENCE["revision"], "revision")


def dated(start, end=None, rule="start"):
    """What the text itself dates."""
    first, until = parse_iso(start), parse_iso(end) if end else None
    interval = Interval(first.first, first.last, until and until.first, until and until.last)
    confidence = CONFIDENCE["explicit"]
    return Validity(interval, "explicit", "explicit" if end else "", confidence, confidence if end else 0.0, rule)


def said(shown, *spans, kind="entity", one=True, found=None, lived=None):
    lived = lived or life(*spans)
    return Said(shown.casefold(), shown, kind, one, lived, found or by_revision(lived))


def tell(*claims):
    return tell_history(claims, OPTIONS)


def days(found):
    i = found.interval
    return iso(i.start_min), iso(i.start_max), iso(i.end_min), iso(i.end_max)


def test_a_lone_value_that_stands_is_left_as_it_is():
    claim = said("Ann Birk", (0, None))
    assert tell(claim) == [(claim.found, "")]


def test_a_succession_lies_between_the_last_revision_with_the_old_and_the_first_with_the_new():
    (old, old_code), (new, new_code) = tell(said("Ann Birk", (0, 2)), said("Carl Dorn", (3, None)))
    assert (old_code, new_code) == (SUCCEEDED, "")
    assert days(old)[1:] == ("2018-01-01", "2020-04-01", "2020-05-04")
    assert (old.end_basis, old.rule_id) == ("revision", "revision+succeeded")
    assert old.end_confidence == CONFIDENCE["revision"]
    assert days(new)[:3] == ("2020-03-31", "2020-05-04", "2022-06-02") and new.start_basis == "revision"


def test_the_order_of_the_claims_is_theirs():
    old, new = said("Ann Birk", (0, 2)), said("Carl Dorn", (3, None))
    assert tell(new, old) == tell(old, new)[::-1]


def test_the_old_value_ends_when_the_text_of_its_heir_says_that_it_began():
    """Last shown on 31 March 2020, gone on 4 May; the heir took over on 6 April."""
    heir = said("Carl Dorn", (3, None), found=dated("2020-04-06"))
    (old, code), (new, _) = tell(said("Ann Birk", (0, 2)), heir)
    assert code == SUCCEEDED
    assert days(old)[2:] == ("2020-04-06", "2020-04-06") and old.end_basis == "succession"
    assert new == heir.found, "what the text dates is not touched"


def test_of_several_starts_that_are_told_the_closest_counts():
    heirs = [said("Carl Dorn", (3, None), found=dated("2020")), said("Carl Dorn", (4, None), found=dated("2020-04"))]
    found = tell(said("Ann Birk", (0, 2)), *heirs)
    assert days(found[0][0])[2:] == ("2020-04-01", "2020-04-30")


def test_a_day_on_which_the_heir_held_is_no_start():
    """"As of 2021 it is Carl Dorn" does not say since when."""
    some_day = Interval(None, day("2021-12-31"), day("2021-01-02"), None)
    point = Validity(some_day, "explicit", "explicit", 0.95, 0.95, "asof")
    (old, _), _ = tell(said("Ann Birk", (0, 2)), said("Carl Dorn", (3, None), found=point))
    assert days(old)[2:] == ("2020-04-01", "2020-05-04") and old.end_basis == "revision"


def test_a_start_of_the_heir_before_the_start_of_the_old_one_leaves_an_interval_that_is_legal():
    """The one says "since 2015", the other "since 2012": what the old one's own text tells is kept."""
    own = dated("2015", rule="since+open")
    (old, code), _ = tell(said("Ann Birk", (0, 2), found=own), said("Carl Dorn", (3, None), found=dated("2012")))
    assert code == SUCCEEDED and old.interval.problems() == []
    assert days(old) == ("2015-01-01", "2015-12-31", None, None) and old.start_basis == "explicit"


@pytest.mark.parametrize("own", [
    Validity(Interval(), rule_id="held_before"),
    Validity(Interval(end_max=day("2019-06-01")), "", "document", 0.0, 0.5, "past"),
])
def test_what_was_over_when_it_was_said_did_not_end_as_it_went(own):
    (old, code), _ = tell(said("Ann Birk", (0, 2), found=own), said("Carl Dorn", (3, None)))
    assert (old.interval, code) == (own.interval, SUCCEEDED)


def test_an_end_that_the_text_tells_is_kept():
    own = dated("2015", "2020-02-01", "start+end")
    (old, code), _ = tell(said("Ann Birk", (0, 2), found=own), said("Carl Dorn", (3, None)))
    assert (old, code) == (own, SUCCEEDED)


def test_a_chain_hands_on_from_each_to_the_next():
    found = tell(said("Ann Birk", (0, 1)), said("Carl Dorn", (2, 3)), said("Eve Falk", (4, None)))
    assert [code for _, code in found] == [SUCCEEDED, SUCCEEDED, ""]
    assert [days(f) for f, _ in found] == [
        (None, "2018-01-01", "2019-01-02", "2020-03-31"),
        ("2019-01-01", "2020-03-31", "2020-05-05", "2021-01-01"),
        ("2020-05-04", "2021-01-01", "2022-06-02", None),
    ]


def test_a_value_that_came_while_the_old_one_stood_is_its_heir():
    (old, code), (new, _) = tell(said("Ann Birk", (0, 3)), said("Carl Dorn", (2, None)))
    assert code == SUCCEEDED and days(old)[2:] == ("2020-05-05", "2021-01-01")
    assert days(new)[1] == "2020-03-31"


def test_a_value_that_was_there_all_along_or_came_much_later_is_no_heir():
    assert [c for _, c in tell(said("Ann Birk", (1, 2)), said("Carl Dorn", (0, None)))] == [REMOVED, ""]
    assert [c for _, c in tell(said("Ann Birk", (0, 1)), said("Carl Dorn", (4, None)))] == [REMOVED, ""]


def test_two_values_of_one_moment_are_both_let_be():
    claims = [said("Ann Birk", (0, None)), said("Carl Dorn", (2, None))]
    assert tell(*claims) == [(c.found, "") for c in claims]


@pytest.mark.parametrize(("kind", "old", "new"), [
    ("entity", "Ann Birk", "Ann Maria Birk"),
    ("string", "Harbour Railway Companny", "Harbour Railway Company"),
    ("date", "4 May 1931", "5 June 1932"),
])
def test_the_same_told_better_is_a_correction(kind, old, new):
    first, second = said(old, (0, 2), kind=kind), said(new, (3, None), kind=kind)
    (a, code), (b, other) = tell(first, second)
    assert (code, other) == (CORRECTED, "")
    assert a == first.found, "a wrong value gets no end of its own"
    assert days(b)[:2] == (None, "2018-01-01"), "the right one held since the wrong one was first shown"


def test_a_value_that_stood_for_a_short_while_was_corrected():
    shown = ["2020-01-01", "2020-03-01T08:00:00Z", "2020-03-03T20:00:00Z", "2021-01-01"]
    long = [*shown[:2], "2020-03-09T20:00:00Z", shown[3]]
    for times, expected in ((shown, CORRECTED), (long, SUCCEEDED)):
        (_, code), (new, _) = tell(
            said("Ann Birk", lived=life((1, 1), shown=times)), said("Carl Dorn", lived=life((2, None), shown=times)))
        assert code == expected
        assert days(new)[1] == ("2020-03-01" if expected == CORRECTED else "2020-03-09")


def test_a_correction_that_is_corrected_hands_the_first_day_on():
    spans = ((0, 1), (2, 3), (4, None))
    told = zip(("Margarete Birk", "Margarethe Birk", "Margarethe Eva Birk"), spans, strict=True)
    names = tell(*(said(shown, span) for shown, span in told))
    assert [c for _, c in names] == [CORRECTED, CORRECTED, ""] and days(names[2][0])[1] == "2018-01-01"
    told = zip(("1930", "4 May 1931", "5 June 1932"), spans, strict=True)
    dates = tell(*(said(shown, span, kind="date") for shown, span in told))
    assert [c for _, c in dates] == [CORRECTED, CORRECTED, ""] and days(dates[2][0])[1] == "2018-01-01"


def test_what_is_replaced_by_something_even_shorter_was_not_corrected_by_it():
    shown = ["2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z", "2020-01-02T06:00:00Z", "2021-01-01T00:00:00Z"]
    claims = [said("Ann Birk", lived=life((0, 0), shown=shown)), said("Carl Dorn", lived=life((1, 1), shown=shown))]
    assert tell(*claims)[0][1] == SUCCEEDED


def test_the_first_day_of_a_corrected_value_does_not_move_a_start_that_the_text_tells():
    heir = said("Ann Maria Birk", (3, None), found=dated("2019-06-01"))
    (_, code), (new, _) = tell(said("Ann Birk", (0, 2)), heir)
    assert code == CORRECTED and new == heir.found


def test_figures_of_one_day_correct_each_other_and_those_of_two_succeed():
    def counted(day_, *spans, shown):
        first = day(day_)
        return said(shown, *spans, kind="quantity",
                    found=Validity(Interval(None, first, first + 1, None), "explicit", "explicit", 0.95, 0.95, "asof"))

    same = tell(counted("2017-01-01", (0, 2), shown="4100"), counted("2017-01-01", (3, None), shown="4150"))
    later = tell(counted("2017-01-01", (0, 2), shown="4100"), counted("2020-01-01", (3, None), shown="4900"))
    assert [c for _, c in same] == [CORRECTED, ""] and [c for _, c in later] == [SUCCEEDED, ""]


def test_a_wording_of_any_claim_tells_the_same_name():
    claims = [said("A. B.", (0, 1)), said("Ann Birk", (1, 2)), said("Ann B. Birk", (3, None))]
    claims[1] = replace(claims[1], value=claims[0].value)  # two wordings of one value
    for told in (claims, [claims[1], claims[0], claims[2]]):
        assert sorted(c for _, c in tell(*told)) == ["", CORRECTED, CORRECTED]


def test_figures_without_a_day_succeed_each_other():
    found = tell(said("4100", (0, 2), kind="quantity"), said("4900", (3, None), kind="quantity"))
    assert [c for _, c in found] == [SUCCEEDED, ""]


def test_what_is_removed_is_not_closed_but_less_sure_to_go_on():
    claim = said("Ann Birk", (0, 2))
    ((found, code),) = tell(claim)
    assert code == REMOVED and found.interval == claim.found.interval and found.interval.end_max is None
    assert found.end_confidence == pytest.approx(claim.found.end_confidence / 2)
    assert (found.start_confidence, found.end_basis) == (claim.found.start_confidence, "revision")


def test_a_removal_takes_nothing_from_an_end_that_the_text_tells():
    own = dated("2015", "2017", "start+end")
    assert tell(said("Ann Birk", (0, 2), found=own)) == [(own, REMOVED)]


def test_vandalism_closes_nothing_and_is_nobodys_heir():
    noise = Life((), at("2020-04-01"), at("2020-04-01"), at("2020-04-01"), "vandalism")
    prank = said("Zorro", lived=noise)
    steady = said("Ann Birk", (0, None))
    assert tell(steady, prank) == [(steady.found, ""), (prank.found, VANDALISM)]
    assert [c for _, c in tell(said("Ann Birk", (0, 2)), prank)] == [REMOVED, VANDALISM]
    alone = said("Zorro", lived=Life((), None, None, None, "reverted"), found=Validity(Interval()))
    assert tell(alone) == [(alone.found, VANDALISM)]


def test_a_value_that_another_sentence_still_says_is_not_gone():
    gone, stands = said("Ann Birk", (0, 2)), said("Ann Birk", (1, None))
    assert tell(gone, stands) == [(gone.found, ""), (stands.found, "")]


def test_sentences_that_said_one_value_end_with_the_last_of_them():
    found = tell(said("Ann Birk", (0, 1)), said("Ann Birk", (1, 3)), said("Carl Dorn", (4, None)))
    assert [c for _, c in found] == [SUCCEEDED, SUCCEEDED, ""]
    assert {days(f)[2:] for f, _ in found[:2]} == {("2020-05-05", "2021-01-01")}


def test_where_several_values_may_hold_at_once_none_succeeds_another():
    found = tell(said("Ann Birk", (0, 2), one=False), said("Carl Dorn", (3, None), one=False))
    assert [c for _, c in found] == [REMOVED, ""]
    assert found[0][0].interval.end_max is None and found[1][0].interval.start_min is None


_NAMES = st.sampled_from(["Ann Birk", "Carl Dorn", "Eve Falk", "Ann B. Birk"])
_OWN = st.sampled_from([None, None, None, "2017", "2019-06-01", "2021"])
_TOLD = st.tuples(_NAMES, st.integers(0, 4), st.integers(0, 4), st.booleans(), _OWN)


@settings(max_examples=400, deadline=None)
@given(st.lists(_TOLD, min_size=1, max_size=6), st.sampled_from(["entity", "date", "quantity"]), st.booleans(), st.randoms(use_true_random=False))
@example([("Ann Birk", 4, 0, False, None), ("Carl Dorn", 0, 3, False, None), ("Ann B. Birk", 1, 2, False, None)], "entity", True, random.Random(1))
def test_every_interval_is_legal_in_any_order_and_what_stands_has_no_code(told, kind, one, shuffler):
    claims = []
    for shown, first, length, stands, own in told:
        last = min(first + length, 4)
        claims.append(said(shown, (first, None if stands else last), kind=kind, one=one, found=dated(own) if own else None))
    standing = {c.value for c in claims if c.life.stands}
    found = tell(*claims)
    for claim, (validity, code) in zip(claims, found, strict=True):
        assert validity.interval.problems() == []
        assert bool(code) == (claim.value not in standing)
        assert code in ("", REMOVED, SUCCEEDED, CORRECTED) and (one or code in ("", REMOVED))
        if code == REMOVED:
            assert validity.interval.end_max is None
    order = list(range(len(claims)))
    shuffler.shuffle(order)
    assert tell(*(claims[n] for n in order)) == [found[n] for n in order]


def test_a_name_told_in_full_starts_where_its_first_wording_did_and_its_forerunner_ended():
    first, short, full = said("Carl Dorn", (0, 1)), said("Ann Birk", (2, 2)), said("Ann B. Birk", (3, None))
    (carl, gone), (_, wrong), (ann, _) = tell(first, short, full)
    assert (gone, wrong) == (SUCCEEDED, CORRECTED)
    assert days(ann)[:2] == ("2019-01-01", "2020-03-31")
    assert days(carl)[2:] == ("2019-01-02", "2020-03-31")


@pytest.mark.parametrize(("old", "new", "same"), [
    ("Ann Birk", "Ann Maria Birk", True),
    ("Ann Maria Birk", "Ann Birk", True),
    ("Harbour Railway", "The Harbour Railway", True),
    ("Port of Lenz", "Lenz Port", True),
    ("LENZ", "Lenz", True),
    ("José Núñez", "Jose Nunez", True),
    ("Margarete Holm", "Margarethe Holm", True),
    ("Harbour Railway Companny", "Harbour Railway Company", True),
    ("Mill Lane 12", "Old Mill Lane 12", True),
    ("Mill Lane 12", "Mill Lane 14", False),
    ("Terminal 1", "Terminal 2", False),
    ("Terminal", "Terminal 2", False),
    ("Season 1999", "Season 2000", False),
    ("Ann Birk", "Carl Dorn", False),
    ("Ann Birk", "Ann Dorn", False),
    ("Ann Birk", "Ian Birk", False),
    ("Birk", "Ann Birk", False),
    ("", "Ann Birk", False),
    ("Ann Birk", "…", False),
])
def test_same_name(old, new, same):
    assert same_name(old, new) is same
    assert same_name(new, old) is same
