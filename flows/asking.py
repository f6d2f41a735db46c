"""The options of a question on the command line, shared by `lode query` and `lode why`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from schemas.errors import UsageError

AtOption = Annotated[str | None, typer.Option(help="Day that the facts must hold on (YYYY-MM-DD; a month or year means its first day).")]
BetweenOption = Annotated[tuple[str, str] | None, typer.Option(help="Half-open range of days that the facts must meet.")]
KnownAtOption = Annotated[str | None, typer.Option(help="Only what sources said on this day.")]
CertainOption = Annotated[bool, typer.Option("--certain", help="Facts that certainly held, not possibly.")]
ViewOption = Annotated[str, typer.Option(help="active, full (with contested) or all.")]
AsOption = Annotated[str | None, typer.Option("--as", help="Group(s) that the asker holds, joined by commas; default anonymous.")]
KOption = Annotated[int | None, typer.Option("-k", min=1, max=1000, help="Results wanted; default by the config.")]


def day_range(text: str, option: str):
    """The days that a date given as an option denotes. Raises UsageError."""
    from schemas.time import parse_iso

    try:
        return parse_iso(text)
    except ValueError as error:
        raise UsageError(f"{option}: {error}", expected="YYYY-MM-DD, YYYY-MM or YYYY") from None


def known_second(text: str | None) -> int | None:
    """The last second of the day, month or year that --known-at names."""
    return None if text is None else day_range(text, "--known-at").last * 86400 + 86399


def check_view(view: str) -> str:
    from schemas.search import VIEWS

    if view not in VIEWS:
        raise UsageError(f"view {view!r}", expected=", ".join(VIEWS))
    return view


def query_options(
    *, at: str | None, between: tuple[str, str] | None, known_at: str | None, certain: bool, view: str, principal: str | None,
    k: int | None, budget: int | None = None, explain: bool | str = False,
) -> Any:
    """`retrieval.options.QueryOptions` of what was typed. Raises UsageError on what makes no sense."""
    from retrieval.options import QueryOptions

    check_view(view)
    if at is not None and between is not None:
        raise UsageError("both --at and --between", expected="one of them")
    first = day_range(between[0], "--between").first if between else None
    until = day_range(between[1], "--between").first if between else None
    if between and first is not None and until is not None and first >= until:
        raise UsageError(f"--between {between[0]} {between[1]} is empty", expected="the first date before the second")
    return QueryOptions(
        at=day_range(at, "--at").first if at is not None else None, first=first, until=until, known_at=known_second(known_at),
        certain=certain, view=view, principal=principal, k=k, budget_tokens=budget, explain=explain,
    )
