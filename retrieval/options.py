"""How a query is asked: the options of `lode query`, checked, and who the reader is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from schemas.errors import UsageError
from schemas.search import VIEWS
from schemas.time import Day, instant_from_iso, parse_iso

ANONYMOUS = "anonymous"


@dataclass(frozen=True)
class QueryOptions:
    """Options of one query; all have defaults.

    `at`, and the half-open `first`..`until`, are ISO text (YYYY, YYYY-MM, YYYY-MM-DD) or days since 1970-01-01;
    `known_at` is an ISO date (its last second) or instant, or seconds since the epoch.
    `principal` is a name in `principals` ({name: groups}), else one or more group names joined by commas; None is the
    anonymous reader, who holds `public` alone. `explain` is True for the funnel, or the id of one nugget or chunk.
    `focus` leaves weaker candidates out once facts match the question's subject and predicate. `expand` adds the
    parent and the neighbours of returned chunks while the budget lasts. `plugins` are extra hook implementations.
    """

    at: str | Day | None = None
    first: str | Day | None = None
    until: str | Day | None = None
    known_at: str | int | None = None
    certain: bool = False
    view: str = "active"
    principal: str | None = None
    principals: Mapping[str, Any] = field(default_factory=dict)
    tenant: str = "default"
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    k: int | None = None
    budget_tokens: int | None = None
    explain: bool | str = False
    focus: bool = True
    expand: bool = True
    plugins: tuple[Any, ...] = ()


def groups_of(principal: str | None, principals: Mapping[str, Any]) -> tuple[str, ...]:
    """The groups of a reader, sorted, `public` always among them. See `QueryOptions.principal`."""
    if principal is None or principal.strip() in ("", ANONYMOUS):
        return ("public",)
    held = principals.get(principal)
    if held is None:
        held = principal.split(",")
    elif isinstance(held, str):
        held = held.split(",")
    return tuple(sorted({g.strip() for g in held if g and g.strip()} | {"public"}))


def days_of(value: str | Day, option: str) -> tuple[Day, Day]:
    """[first day, first day after) of a date given as an option. Raises UsageError."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value, value + 1
    try:
        days = parse_iso(str(value))
    except ValueError as error:
        raise UsageError(f"{option}: {error}", fix=f"{option} 2018-03-31") from None
    return days.first, days.last + 1


def second_of(value: str | int, option: str = "--known-at") -> int:
    """Seconds since the epoch of an ISO date (its last second), an ISO instant, or seconds. Raises UsageError."""
    if isinstance(value, int):
        return value
    if "T" in value:
        try:
            return instant_from_iso(value)
        except ValueError:
            raise UsageError(f"{option}: not an instant: {value!r}", expected="2018-03-31 or 2018-03-31T12:00:00Z") from None
    return days_of(value, option)[1] * 86400 - 1


def view_states(view: str, allowed: Any) -> tuple[str, ...]:
    """The states that a view shows. Raises UsageError on an unknown view, or one that the config does not allow."""
    names = [v for v in VIEWS if v in (allowed or VIEWS)]
    if view not in names:
        raise UsageError(f"no such view: {view!r}", expected=", ".join(names), fix=f"--view {names[0] if names else 'active'}")
    return VIEWS[view]


def check(options: QueryOptions) -> None:
    """Raises UsageError where two options exclude each other or a number makes no sense."""
    if options.at is not None and (options.first is not None or options.until is not None):
        raise UsageError("--at and --between are both given", expected="one of them")
    if options.k is not None and options.k < 1:
        raise UsageError(f"-k {options.k}", expected="a number from 1")
    if options.budget_tokens is not None and options.budget_tokens < 0:
        raise UsageError(f"--budget {options.budget_tokens}", expected="a number of tokens from 0")
