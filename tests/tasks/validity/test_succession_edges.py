"""Where the page's history meets what the text itself says of time: intervals stay legal, and no edit dates a fact that was over."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.time import Interval, day_of_instant, parse_iso
from tasks.validity.lives import Life, merge_spans
from tasks.validity.rules import Validity
from tasks.validity.succession import Said, same_name, tell_history
from tests.history_pages import at

# A page with a standing revision at each of these instants.
TIMES = [at(t) for t in ("2010-01-10", "2012-06-01", "2018-03-05", "2020-03-31", "2020-04-08", "2020-04-09T12", "2023-01-01")]
HEAD = None


def day(text: str) -> int:
    return parse_iso(text).first


def life(*spans: tuple[int, int | None], noise: str = "") -> Life:
    if noise:
        return Life((), TIMES[1], TIMES[1], TIMES[2], noise)
    last = spans[-1][1]
    return Life(spans, TIMES[spans[0][0]], None if last is None else TIMES[last], None if last is None else TIMES[last + 1])


def shown(found: Life) -> Validity:
    """What a value without a date of its own is given: it held while it was shown."""
    last = found.last if found.last is not None else TIMES[-1]
    interval = Interval(None, day_of_instant(found.first), day_of_instant(last) + 1, None)
    return Validity(interval, "revision", "revision", 0.6, 0.6, "revision")


def since(first: str, last: str | None = None) -> Validity:
    return Validity(Interval(day(first), day(last or first)), "explicit", "", 0.95, 0.0, "since")


def said(value: str, found: Life, validity: Validity | None = None, kind: str = "entity", functional: bool = True) -> Said:
    return Said(value, value, kind, functional, found, validity or shown(found))


def tell(*claims: Said, hours: int = 72):
    return tell_history(claims, {"correction_hours": hours})


def days(found: Validity) -> tuple:
    i = found.interval
    return i.start_min, i.start_max, i.end_min, i.end_max


def test_a_start_told_before_the_old_value_began_does_not_break_the_interval():
    late, early = since("2015-01-01", "2015-12-31"), since("2009-01-01", "2009-12-31")
    (old, code), _ = tell(said("Ann", life((1, 2)), late), said("Bob", life((3, HEAD)), early))
    assert code == "succeeded" and not old.interval.problems()
    assert days(old) == (day("2015-01-01"), day("2015-12-31"), None, None), "what is stated outweighs what follows from the edit"


def test_a_page_may_show_an_old_value_late():
    """The old value was first shown after the new one had begun, as that says itself: it is certain on no day."""
    (old, code), _ = tell(said("Ann", life((2, 2))), said("Bob", life((3, HEAD)), since("2017-06-01", "2017-06-30")))
    assert code == "succeeded" and days(old) == (None, day("2018-03-05"), day("2017-06-01"), day("2017-06-30"))
    assert old.end_basis == "succession" and not old.interval.problems()


@pytest.mark.parametrize(("rule", "end"), [("held_before", None), ("past", "2018-03-05")])
def test_what_was_told_as_past_did_not_end_with_its_sentence(rule, end):
    """"Ann was the CEO", "former CEO Ann": it had ended before, whenever the sentence went."""
    found = Validity(Interval(None, None, None, end and day(end)), "", "document" if end else "", 0.0, 0.5 if end else 0.0, rule)
    (old, _), _ = tell(said("Ann", life((0, 2)), found), said("Bob", life((3, HEAD))))
    assert days(old) == days(found)


def test_that_it_held_on_some_day_does_not_date_a_start():
    """"As of 2021, Bob is the CEO" is no word on when he began: the edit bounds it."""
    as_of = Validity(Interval(None, day("2021-12-31"), day("2021-01-02"), None), "explicit", "explicit", 0.95, 0.95, "on")
    (old, _), _ = tell(said("Ann", life((0, 3))), said("Bob", life((4, HEAD)), as_of))
    assert days(old)[2:] == (day("2020-04-01"), day("2020-04-08")) and old.end_basis == "revision"


def test_a_correction_of_a_correction_goes_back_to_the_first():
    (_, a), (_, b), (last, c) = tell(said("Bert Mos", life((0, 0))), said("Bert Moss", life((1, 2))), said("Bert Alan Moss", life((3, HEAD))))
    assert (a, b, c) == ("corrected", "corrected", "") and days(last)[1] == day("2010-01-10")


def test_the_limit_of_a_short_while_is_configured_and_inclusive():
    claims = said("Zorg", life((4, 4))), said("Ann", life((5, HEAD)))  # 36 hours
    assert [tell(*claims, hours=h)[0][1] for h in (35, 36)] == ["succeeded", "corrected"]


def test_a_short_name_without_its_accent_is_the_same():
    assert same_name("José Gil", "Jose Gil") and same_name("Zoë", "Zoe") and not same_name("Zoë", "Joe")


_LIVES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6)), min_size=1, max_size=2).map(
    lambda pairs: merge_spans((min(a, b), None if max(a, b) == 6 else max(a, b)) for a, b in pairs)
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["Ann", "Anna", "Bob", "Cyd Low"]), _LIVES, st.booleans(), st.integers(-1, 3)), min_size=1, max_size=5),
       st.booleans(), st.sampled_from(["entity", "date", "quantity"]), st.randoms(use_true_random=False))
def test_intervals_stay_legal_what_is_stated_stays_and_order_does_not_matter(rows, functional, kind, rng):
    claims = []
    for value, spans, noise, dated in rows:
        found = life(noise="reverted") if noise and dated < 0 else life(*spans)
        claims.append(said(value, found, since(f"20{10 + 3 * dated}-05-01", f"20{10 + 3 * dated}-05-31") if dated >= 0 else None, kind, functional))
    got = tell(*claims)
    order = rng.sample(range(len(claims)), len(claims))
    assert tell(*(claims[n] for n in order)) == [got[n] for n in order]
    for claim, (found, code) in zip(claims, got, strict=True):
        assert not found.interval.problems()
        assert (code == "vandalism") == bool(claim.life.noise)
        if claim.found.start_basis == "explicit":
            assert days(found)[:2] == days(claim.found)[:2]
        if not functional:
            assert code in ("", "removed", "vandalism") and found.interval == claim.found.interval
        if any(c.value == claim.value and c.life.stands for c in claims) and not claim.life.noise:
            assert code == ""
