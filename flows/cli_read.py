"""Commands that read: status, releases, verify, query, sql."""

from __future__ import annotations

import math
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

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
from schemas.errors import EXIT_REFUSED, UsageError
from warehouse.layout import Warehouse


@app.command(epilog="Example: lode status --json")
@guarded
def status(
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE, config: ConfigOption = None,
    as_json: JsonOption = False, debug: DebugOption = False,
) -> None:
    """What is published: release, sources, rows per table, states."""
    from schemas.tables import TABLES
    from schemas.time import day_of_instant, iso
    from warehouse.releases import open_release

    wh = Warehouse.open(warehouse)
    release = open_release(wh)
    tables = release.tables()
    as_of = release.body.get("as_of")
    data = {
        "warehouse": str(wh.root), "shards": wh.shards, "release": release.id, "parent": release.body.get("parent"),
        "as_of": None if as_of is None else iso(day_of_instant(as_of)),
        "sources": {n: s["spec"] for n, s in sorted(release.body["sources"].items())},
        "rows": {t: tables.rows(t) for t, spec in TABLES.items() if spec.public},
        "indexes": release.body["indexes"],
    }
    if as_json:
        print_json(data)
        return
    out.print(f"release [bold]{data['release']}[/], as of {data['as_of'] or 'no source date'}")
    for name, spec in data["sources"].items():
        out.print(f"  source {name}: {spec['kind']}, readers {', '.join(spec['acl']) or 'nobody'}")
    out.print(" · ".join(f"{n:,} {t}" for t, n in data["rows"].items() if n))


@app.command(epilog="Example: lode releases")
@guarded
def releases(
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE, config: ConfigOption = None,
    as_json: JsonOption = False, debug: DebugOption = False,
) -> None:
    """Every publish and rollback, oldest first; the current release is marked."""
    import datetime

    from warehouse.refs import read_ref
    from warehouse.releases import list_releases, published

    wh = Warehouse.open(warehouse)
    current = read_ref(wh)
    moves = published(wh)
    if as_json:
        print_json({"current": current, "moves": moves, "releases": list_releases(wh)})
        return
    table = Table("when (UTC)", "action", "release", "", box=None, header_style="dim")
    for n, move in enumerate(moves):
        when = datetime.datetime.fromtimestamp(move["time"], datetime.UTC).strftime("%Y-%m-%d %H:%M:%S")
        last = move["to"] == current and n == max(i for i, m in enumerate(moves) if m["to"] == current)
        table.add_row(when, move["action"], move["to"], "current" if last else "")
    out.print(table)


@app.command(epilog="Examples: lode verify · lode verify --full --release previous")
@guarded
def verify(
    release: Annotated[str | None, typer.Option(help="Release to verify; default the current one.")] = None,
    full: Annotated[bool, typer.Option("--full", help="Also re-hash every object and index file.")] = False,
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE, config: ConfigOption = None,
    as_json: JsonOption = False, debug: DebugOption = False,
) -> None:
    """Read every store back and compare it with the metadata; render every text from its spans; run the audits."""
    from tasks.index import manifest
    from warehouse.auditing import audit_tables
    from warehouse.indexes import index_objects, read_index
    from warehouse.objects import check_object, set_aside
    from warehouse.reconcile import reconcile
    from warehouse.releases import open_release

    wh = Warehouse.open(warehouse)
    found = open_release(wh, release)
    tables = found.tables()
    damaged: list[str] = []
    if full:
        refs = [(r, ".parquet") for r in {r.hash: r for t in tables.tables for r in tables.all_refs(t)}.values()]
        for legs in found.body["indexes"].values():
            for key in legs.values():
                body = read_index(wh, key)
                damaged += [f"index {key} lost a file"] if body is None else []
                refs += [(r, ".bin") for r in index_objects(body or {"files": []})]
        for ref, suffix in refs:
            if problem := check_object(wh, ref, suffix):
                damaged.append(problem)
                set_aside(wh, ref, suffix)
    result, audits = None, []
    if not damaged:
        audits = audit_tables(wh, tables)
        result = reconcile(wh, tables, found.body["indexes"], manifest(found.config))
    failed = [a for a in audits if a["bad_rows"]]
    clean = not damaged and not failed and result is not None and result.clean
    texts = result.texts_checked if result else 0
    if as_json:
        print_json({
            "release": found.id, "clean": clean, "damaged": damaged, "audits": failed,
            "stores": result.counts if result else [], "problems": result.problems if result else [],
            "texts_checked": texts,
        })
    else:
        for problem in damaged:
            err.print(f"[red]damaged[/]: {problem}")
        if damaged:
            err.print("what was damaged is moved aside: run the same `lode build` or `lode rerun` again to make it anew")
        for c in result.counts if result else []:
            out.print(f"{c['store']:8} {c['leg']:6} {c['found']:>9,} in the store, {c['metadata']:>9,} in the metadata")
        for p in (result.problems if result else [])[:20]:
            err.print(f"[red]problem[/]: {p['store']} {p['leg']} {p['id']}: {p['problem']}")
        for a in failed:
            err.print(f"[red]audit[/] {a['audit']}: {a['bad_rows']} row(s), e.g. {a['examples'][0]['id']} {a['examples'][0]['problem']}")
        if clean:
            out.print(f"release {found.id} is clean: stores and metadata agree, {texts:,} texts rendered anew from spans")
    if not clean:
        raise typer.Exit(EXIT_REFUSED)


@app.command(epilog='Examples: lode query "Who is the CEO of IBM?" · lode query "CEO of IBM" --at 2015-06-30 --json')
@guarded
def query(
    text: Annotated[str, typer.Argument(help="Any text.")],
    at: AtOption = None, between: BetweenOption = None, known_at: KnownAtOption = None, certain: CertainOption = False,
    view: ViewOption = "active", as_principal: AsOption = None,
    release: Annotated[str | None, typer.Option(help="Ask an earlier release.")] = None,
    k: KOption = None,
    budget: Annotated[int | None, typer.Option(min=1, help="Tokens of the packed context.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show how each candidate came through.")] = False,
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE, config: ConfigOption = None,
    as_json: JsonOption = False, debug: DebugOption = False,
) -> None:
    """Ask the current release. Time, state and access are filtered before ranking."""
    from flows.show import show_result
    from retrieval.search import search
    from warehouse.reader import Reader

    options = query_options(at=at, between=between, known_at=known_at, certain=certain, view=view, principal=as_principal, k=k,
                            budget=budget, explain=explain)
    wh = Warehouse.open(warehouse)
    with Reader.open(wh, release) as reader:
        result = search(reader, text, options)
    if as_json:
        print_json(result.to_json())
    else:
        show_result(out, result.to_json())


@app.command(epilog='Example: lode sql "SELECT state, count(*) FROM nuggets GROUP BY state"')
@guarded
def sql(
    statement: Annotated[str, typer.Argument(help="DuckDB SQL over the release's tables.")],
    release: Annotated[str | None, typer.Option(help="Release to ask; default the current one.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Rows given; default 100 in a terminal table, all with --json.")] = None,
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE, config: ConfigOption = None,
    as_json: JsonOption = False, debug: DebugOption = False,
) -> None:
    """Operator command: SQL over every table of a release. It reads all, whatever the access, and writes nothing."""
    import duckdb

    from warehouse.readonly import connect_readonly, first_line, reading
    from warehouse.releases import open_release

    wh = Warehouse.open(warehouse)
    opened = open_release(wh, release)  # held, so that nothing of it is collected meanwhile
    con = connect_readonly(opened)
    try:
        relation = con.execute(reading(con, statement, opened.id))
        names = [d[0] for d in relation.description or []]
        shown = limit or (None if as_json else 100)
        rows = relation.fetchall() if shown is None else relation.fetchmany(shown + 1)
    except duckdb.Error as error:
        raise UsageError(f"SQL: {first_line(error)}", expected="DuckDB SQL over the tables of `lode status`") from None
    if as_json:
        print_json([{n: _jsonable(v) for n, v in zip(names, row, strict=True)} for row in rows[:shown]])
        return
    table = Table(box=None, header_style="dim")
    for name in names:
        table.add_column(Text(name))
    for row in rows[:shown]:
        table.add_row(*[Text("" if v is None else str(v)) for v in row])  # plain: a cell may hold brackets
    out.print(table)
    cut = " of more, use --limit or --json" if shown is not None and len(rows) > shown else ""
    err.print(f"[dim]{len(rows[:shown])} row(s){cut} · operator view, access is not applied[/]")


def _jsonable(value):
    if isinstance(value, list | tuple):
        return [_jsonable(v) for v in value]
    if isinstance(value, dict):
        return {str(k): _jsonable(v) for k, v in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no NaN
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
