"""Commands that look into one release: show, history, visible, why.

`show`, `visible`, and `history` without --as are operator commands: they read all, and say so. `why` obeys the access of its reader.
"""

from __future__ import annotations

from typing import Annotated

import typer

from flows.asking import (
    AsOption,
    AtOption,
    BetweenOption,
    CertainOption,
    KnownAtOption,
    KOption,
    ViewOption,
    query_options,
)
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


@app.command(epilog='Examples: lode why "Who is the CEO of IBM?" --id 42d9cae6eacc0366b47f6c2c · '
                    'lode why "CEO of IBM" --id 42d9cae6eacc0366b47f6c2c --at 2015-06-30 --json')
@guarded
def why(
    text: Annotated[str, typer.Argument(help="Any text: the query.")],
    id: Annotated[str, typer.Option("--id", help="Id of the nugget or chunk to follow, in full.")],
    at: AtOption = None, between: BetweenOption = None, known_at: KnownAtOption = None, certain: CertainOption = False,
    view: ViewOption = "active", as_principal: AsOption = None,
    release: Annotated[str | None, typer.Option(help="Ask an earlier release.")] = None,
    k: KOption = None,
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE, config: ConfigOption = None,
    as_json: JsonOption = False, debug: DebugOption = False,
) -> None:
    """Why a query gave, or did not give, one nugget or chunk: each step of the funnel. Access is applied as in `lode query`."""
    from flows.show_why import show_why
    from retrieval.inspection.why import why as follow
    from warehouse.reader import Reader

    options = query_options(at=at, between=between, known_at=known_at, certain=certain, view=view, principal=as_principal, k=k, explain=id)
    with Reader.open(Warehouse.open(warehouse), release) as reader:
        data = follow(reader, text, options)
    if as_json:
        print_json(data)
    else:
        show_why(out, data)
