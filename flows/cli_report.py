"""`lode report`: where the page of a release is. Made anew where it is missing."""

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


@app.command(epilog="Examples: lode report · lode report --json")
@guarded
def report(
    release: Annotated[str | None, typer.Argument(
        help="Release: an id or its beginning, current, previous, current~2, or a pin. Default the current one.",
    )] = None,
    again: Annotated[bool, typer.Option("--again", help="Audit and read the stores back now, and make the page anew.")] = False,
    open_: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE, config: ConfigOption = None,
    as_json: JsonOption = False, debug: DebugOption = False,
) -> None:
    """Operator command: say where the report of a release is. A page that is missing is made anew: the audits run and every
    store is read back, as at publish. The page shows everything, whatever the access."""
    from warehouse.releases import open_release

    wh = Warehouse.open(warehouse)
    found = open_release(wh, release)
    folder = wh.path("reports", found.id)
    files = {name.replace(".", "_"): folder / name for name in ("report.html", "report.json", "reconciliation.parquet")}
    made = again or not all(path.exists() for path in files.values())
    if made:
        from flows.report import remake_report

        if not as_json:
            err.print("[dim]running the audits and reading the stores back, to make the page anew[/]")
        remake_report(found)
    if as_json:
        print_json({"release": found.id, "made_anew": made, **{name: str(path) for name, path in files.items()}})
    else:
        out.print(str(files["report_html"]), highlight=False, markup=False, soft_wrap=True)
        err.print(f"[dim]report of release {found.id}{', made anew' if made else ''} · operator view, access is not applied[/]")
    if open_:
        typer.launch(files["report_html"].as_uri())
