"""Operator commands that look into one release: show, history, visible, why. They read all, and say so."""

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

ReleaseOption = Annotated[str | None, typer.Option(help="Release to look into; default the current one.")]


@app.command(epilog="Examples: lode show 5b489396d6be98399b758e7e · lode show c22a2f77 · lode show samplewiki --json")
@guarded
def show(
    id: Annotated[str, typer.Argument(help="Any id, or the beginning of one (6 characters or more), or a source's name.")],
    kind: Annotated[str | None, typer.Option(help="Kind of the id, where it names several things.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Rows listed of each kind.")] = 5,
    release: ReleaseOption = None,
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE, config: ConfigOption = None,
    as_json: JsonOption = False, debug: DebugOption = False,
) -> None:
    """Operator command: the record of any id, its evidence in context, decisions, and lineage both ways. It reads all."""
    from flows.show_inspect import operator_note, show_id
    from retrieval.inspection.rows import Rows
    from retrieval.inspection.show import show as look
    from tasks.conflict.codes import REASONS
    from warehouse.releases import open_release

    with Rows(open_release(Warehouse.open(warehouse), release)) as rows:
        data = look(rows, id, kind=kind, limit=limit)
    for decision in data["decisions"]:
        decision["meaning"] = REASONS.get(decision["reason"], "")
    if as_json:
        print_json(data)
    else:
        show_id(out, data)
    operator_note(err)
