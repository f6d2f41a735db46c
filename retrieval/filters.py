"""From options and question to one filter, used alike by every leg and by every row that is looked up.

The time asked about is `--at` or `--between`, else a date in the question, else none. With none nothing is filtered; a
present-tense question then *prefers* what holds at the release's `as_of`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from retrieval.options import QueryOptions, days_of, groups_of, second_of, view_states
from retrieval.query import Question
from schemas.errors import UsageError
from schemas.search import PAST, SearchFilter, matches
from schemas.time import Day, iso


@dataclass(frozen=True)
class TimeAsked:
    """The time of a query. `basis`: at, between, question, present or none. Half open; None is open.

    With `present` the stretch is not filtered by, only preferred.
    """

    basis: str
    first: Day | None = None
    until: Day | None = None

    @property
    def filters(self) -> bool:
        return self.basis in ("at", "between", "question")

    @property
    def point(self) -> Day | None:
        return self.first if self.first is not None and self.until == self.first + 1 else None

    def to_json(self) -> str | None:
        """A day, an ISO 8601 interval (half open, `..` for an open side), or None where nothing was filtered."""
        if not self.filters:
            return None
        if self.point is not None:
            return iso(self.point)
        return f"{iso(self.first) or '..'}/{iso(self.until) or '..'}"


def time_asked(options: QueryOptions, question: Question, as_of: Day | None) -> tuple[TimeAsked, list[str]]:
    """The time policy of DESIGN section 4, and the note that says which was used."""
    if options.at is not None:
        first, until = days_of(options.at, "--at")
        asked = TimeAsked("at", first, until)
        wide = "" if asked.point is not None else " (more than a day: facts that hold on any day of it)"
        return asked, [f"time: {asked.to_json()}, as given{wide}"]
    if options.first is not None or options.until is not None:
        begin, end = (None if v is None else days_of(v, "--between")[0] for v in (options.first, options.until))
        if begin is not None and end is not None and begin >= end:
            raise UsageError(f"--between {iso(begin)} {iso(end)} holds no day", expected="the first date before the second")
        asked = TimeAsked("between", begin, end)
        return asked, [f"time: {asked.to_json()}, as given"]
    if question.date is not None:
        asked = TimeAsked("question", question.date.first, question.date.until)
        return asked, [f"time: {asked.to_json()}, from the question (“{question.date.text.strip()}”)"]
    if question.present:
        if as_of is None:
            return TimeAsked("none"), ["time: none; the question is in the present tense, but no source says when it was written"]
        asked = TimeAsked("present", as_of, as_of + 1)
        return asked, [f"time: none; facts that hold on {iso(as_of)}, the day of the newest source, come first (present tense)"]
    return TimeAsked("none"), ["time: none; nothing is filtered by time"]


def make_filter(options: QueryOptions, time: TimeAsked, config: dict[str, Any]) -> SearchFilter:
    """The filter of a query. Raises UsageError on an unknown view or a date that is none."""
    allowed = (config.get("retrieval") or {}).get("views")
    base = SearchFilter(
        groups=groups_of(options.principal, options.principals),
        tenant=options.tenant,
        states=view_states(options.view, allowed),
        certain=options.certain,
        known_at=None if options.known_at is None else second_of(options.known_at),
        kinds=tuple(options.kinds),
        languages=tuple(options.languages),
    )
    if base.states and (time.filters or base.known_at is not None):
        base = replace(base, states=(*base.states, PAST))
    if not time.filters:
        return base
    if time.point is not None:
        return replace(base, at=time.point)
    return replace(base, first=time.first, until=time.until)


_OPEN: dict[str, Any] = {"states": (), "at": None, "first": None, "until": None, "certain": False, "known_at": None, "kinds": (), "languages": ()}
_CHECKS = {"view": ("states",), "time": ("at", "first", "until", "certain"), "known_at": ("known_at",), "kind": ("kinds",),
           "language": ("languages",)}


def access_only(filter: SearchFilter) -> SearchFilter:
    """The same reader and tenant, with every other condition lifted: what the reader may see at all."""
    return replace(filter, **_OPEN)


def failed_checks(doc: dict, filter: SearchFilter) -> list[str]:
    """Which conditions a readable document fails: view, time, known_at, kind, language. Empty = it passes."""
    bare = access_only(filter)
    return [
        name for name, fields in _CHECKS.items()
        if not matches(doc, replace(bare, **{f: getattr(filter, f) for f in fields}))
    ]
