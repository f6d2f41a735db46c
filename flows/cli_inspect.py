"""Commands that look into one release: show, history, alias, visible, why.

`show`, `alias`, `visible`, and `history` without --as are operator commands: they read all, and say so. `why` obeys the access of its reader.
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
    check_view,
    day_range,
    known_second,
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
from schemas.errors import UsageError
from warehouse.layout import Warehouse

ReleaseOption = Annotated[str | None, typer.Option(help="Release to look into; default the current one.")]


@app.command(epilog="Examples: lode show 5b489396d6be98399b758e7e · lode show c22a2f77 · lode show samplewiki --json")
@guarded
def show(
    id: Annotated[str, typer.Argument(help="Any id (of a nugget, chunk, document, revision, change, …), or the beginning of one (6 characters or more), or a source's name.")],
    kind: Annotated[str | None, typer.Option(help="Kind of the id, where it names several things.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Rows listed of each kind.")] = 5,
    release: ReleaseOption = None,
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE, config: ConfigOption = None,
    as_json: JsonOption = False, debug: DebugOption = False,
) -> None:
    """Operator command: the record of any id, its evidence in context, decisions, and lineage both ways. It reads all.

    A row of `changes` is shown with its slot, both texts, both revisions and their times, the verdict, and what states either text.
    """
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


@app.command(epilog='Examples: lode history IBM "chief executive officer" · lode history "International Business Machines" CEO --at 2015-06-30 · '
                    'lode history "Lodestar Minerals" headquarters --as board --json')
@guarded
def history(
    subject: Annotated[str, typer.Argument(help="Name, alias or entity id.")],
    predicate: Annotated[str, typer.Argument(help="Predicate: its id, or words for it.")],
    at: Annotated[str | None, typer.Option(help="Mark what holds on this day (a month or year means its first day).")] = None,
    known_at: KnownAtOption = None,
    view: ViewOption = "all",
    scope: Annotated[str | None, typer.Option(help="One scope of the predicate alone: acting, a region, …; '' for none.")] = None,
    as_principal: Annotated[str | None, typer.Option("--as", help="Only what this reader may see: groups joined by commas, or anonymous.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Nuggets printed in the terminal; --json gives all.")] = 40,
    release: ReleaseOption = None,
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE, config: ConfigOption = None,
    as_json: JsonOption = False, debug: DebugOption = False,
) -> None:
    """The history of a subject's predicate as bars over years: bounds, states, reasons, sources. It reads all without --as."""
    from flows.show_history import show_history
    from flows.show_inspect import operator_note
    from retrieval.inspection.history import history as told
    from retrieval.inspection.rows import Rows
    from retrieval.inspection.visible import Access
    from retrieval.options import groups_of
    from tasks.conflict.codes import REASONS
    from warehouse.releases import open_release

    for name, words in (("subject", subject), ("predicate", predicate)):
        if not words.strip():
            raise UsageError(f"an empty {name}", expected=f"the {name}'s name", fix='lode history IBM "chief executive officer"')
    check_view(view)
    access = None if as_principal is None else Access(groups_of(as_principal, {}))
    when = day_range(at, "--at").first if at is not None else None
    with Rows(open_release(Warehouse.open(warehouse), release)) as rows:
        data = told(rows, subject, predicate, at=when, known_at=known_second(known_at), view=view, scope=scope, access=access)
    for nugget in (n for key in data["keys"] for n in key["nuggets"]):
        nugget["meaning"] = REASONS.get(nugget["reason"], "")
    if as_json:
        print_json(data)
    else:
        show_history(out, data, limit)
    if access is None:
        operator_note(err)


@app.command(epilog='Examples: lode alias IBM "International Business Machines" · lode alias "Samuel J. Palmisano" "Ginni Rometty" --json')
@guarded
def alias(
    one: Annotated[str, typer.Argument(help="A name, as documents write it.")],
    other: Annotated[str, typer.Argument(help="Another name.")],
    release: ReleaseOption = None,
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE, config: ConfigOption = None,
    as_json: JsonOption = False, debug: DebugOption = False,
) -> None:
    """Operator command: why two names are one thing or two: by which evidence each was linked, and what would change it."""
    from flows.show_alias import show_alias
    from flows.show_inspect import operator_note
    from retrieval.inspection.alias import compare
    from retrieval.inspection.rows import Rows
    from tasks.link.aliases import read_aliases
    from tasks.link.why import MEANINGS, explain_apart
    from warehouse.releases import open_release

    with Rows(open_release(Warehouse.open(warehouse), release)) as rows:
        data = compare(rows, one, other)
        aliases = read_aliases(rows.release.config.get("aliases") or {})
    for evidence in (e for name in data["names"] for entity in name["entities"] for e in entity["evidence"]):
        evidence["meaning"] = MEANINGS[evidence["basis"]]
    types, others = ({t for entity in name["entities"] for t in entity["types"]} for name in data["names"])
    apart = data["verdict"] != "one"
    data["reasons"] = explain_apart(one, other, types, others, aliases) if apart else []
    data["fix"] = f"{'to join' if apart else 'to part'} them: [[{'same' if apart else 'different'}]] in the alias file, then `lode rerun link`"
    if as_json:
        print_json(data)
    else:
        show_alias(out, data)
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

    if not id.strip():
        raise UsageError("--id is empty", expected="the id of a nugget or chunk")
    options = query_options(at=at, between=between, known_at=known_at, certain=certain, view=view, principal=as_principal, k=k, explain=id)
    with Reader.open(Warehouse.open(warehouse), release) as reader:
        data = follow(reader, text, options)
    if as_json:
        print_json(data)
    else:
        show_why(out, data)


@app.command(epilog="Examples: lode visible · lode visible --as board --list nuggets · lode visible --as board --id 5b489396d6be98399b758e7e")
@guarded
def visible(
    as_principal: AsOption = None,
    id: Annotated[str | None, typer.Option("--id", help="Whether the reader may see this one id, and if not why.")] = None,
    list_: Annotated[str | None, typer.Option("--list", help="documents, chunks or nuggets: name what is visible and hidden.")] = None,
    view: ViewOption = "active",
    tenant: Annotated[str, typer.Option(help="The reader's tenant.")] = "default",
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Items listed.")] = 20,
    release: ReleaseOption = None,
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE, config: ConfigOption = None,
    as_json: JsonOption = False, debug: DebugOption = False,
) -> None:
    """Operator command: what a reader may see in a release, by source and label; or why one id is hidden. It reads all."""
    from flows.show_inspect import operator_note
    from flows.show_visible import show_one, show_visible
    from retrieval.inspection.rows import Rows
    from retrieval.inspection.visible import Access, explain, listing
    from retrieval.inspection.visible import visible as counted
    from retrieval.options import groups_of
    from warehouse.releases import open_release

    check_view(view)
    access = Access(groups_of(as_principal, {}), tenant)
    with Rows(open_release(Warehouse.open(warehouse), release)) as rows:
        if id is not None:
            data = explain(rows, access, id, view)
        else:
            named = {"list": listing(rows, access, list_, limit)} if list_ else {}
            data = {**counted(rows, access), **named}
    if as_json:
        print_json(data)
    else:
        (show_visible if id is None else show_one)(out, data)
    operator_note(err)
