"""Operator commands that compare releases: diff, trace. They read all rows whatever the access, and say so."""

from __future__ import annotations

from typing import Annotated

import typer

from flows.cli import (
    DEFAULT_WAREHOUSE,
    ConfigOption,
    DebugOption,
    JsonOption,
    WarehouseOption,
    app,
    err,
    guarded,
    out,
    print_json,
)
from warehouse.layout import Warehouse

TERMINAL_LIMIT = 20
OPERATOR = "[dim]operator view, access is not applied[/]"


@app.command(epilog="Examples: lode diff previous current · lode diff --level nugget --only-states · lode diff current~1 --json --limit 50")
@guarded
def diff(
    old: Annotated[str, typer.Argument(help="Earlier release: an id or its beginning, current, previous, current~2, or a pin.")] = "previous",
    new: Annotated[str, typer.Argument(help="Later release, named likewise.")] = "current",
    level: Annotated[list[str] | None, typer.Option(help="document, chunk, claim or nugget; repeat it for several. Default all.")] = None,
    limit: Annotated[int | None, typer.Option(min=0, help="Rows per list; default 20 in the terminal, all with --json.")] = None,
    only_states: Annotated[bool, typer.Option("--only-states", help="Nuggets whose state moved, and nothing else.")] = False,
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE, config: ConfigOption = None,
    as_json: JsonOption = False, debug: DebugOption = False,
) -> None:
    """Operator command: what came, went and changed between two releases, and why. It reads all, whatever the access."""
    from flows.show_compare import show_diff
    from retrieval.inspection.diff import diff_releases
    from warehouse.releases import open_release

    wh = Warehouse.open(warehouse)
    shown = limit if limit is not None or as_json else TERMINAL_LIMIT
    found = diff_releases(wh, open_release(wh, old), open_release(wh, new), levels=level, limit=shown, only_states=only_states)
    err.print(OPERATOR)
    if as_json:
        print_json(found)
    else:
        show_diff(out, found)


@app.command(epilog="Examples: lode trace 5b489396d6be98399b758e7e · lode trace 83fad049df532c0f --json")
@guarded
def trace(
    id_: Annotated[str, typer.Argument(
        metavar="ID", help="A nugget, document, chunk, claim, mention, version, element, block or entity: its id, or the beginning of it.",
    )],
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE, config: ConfigOption = None,
    as_json: JsonOption = False, debug: DebugOption = False,
) -> None:
    """Operator command: the first and last release that held an id, what it was in each, why it went, and what stands
    there now. It reads all, whatever the access."""
    from flows.show_compare import show_trace
    from retrieval.inspection.trace import trace as follow

    found = follow(Warehouse.open(warehouse), id_)
    err.print(OPERATOR)
    if as_json:
        print_json(found)
    else:
        show_trace(out, found)
