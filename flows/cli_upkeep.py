"""Commands that keep a warehouse well: gc, pin, doctor, config check."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from flows.cli import (
    DEFAULT_WAREHOUSE,
    ConfigOption,
    DebugOption,
    JsonOption,
    WarehouseOption,
    app,
    complete_release,
    err,
    guarded,
    out,
    print_json,
    show_error,
)
from flows.cli import _plain as plain
from schemas.errors import EXIT_REFUSED, LodeError, UsageError
from warehouse.layout import Warehouse

config_app = typer.Typer(no_args_is_help=True, help="Look at a config before it is used.")
app.add_typer(config_app, name="config")


def _size(count: int) -> str:
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


@app.command(epilog="Examples: lode gc · lode gc --keep 3 --apply")
@guarded
def gc(
    apply: Annotated[bool, typer.Option("--apply", help="Delete. Without it nothing is deleted, only told.")] = False,
    keep: Annotated[int, typer.Option(min=1, help="How many of the last releases that readers saw stay.")] = 5,
    grace_hours: Annotated[float, typer.Option(min=0, help="How long the work of an unfinished build stays.")] = 24.0,
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE, config: ConfigOption = None,
    as_json: JsonOption = False, debug: DebugOption = False,
) -> None:
    """Delete what no kept release needs. Safe beside running builds and queries; a dry run unless --apply."""
    from warehouse.collect import collect

    if not math.isfinite(grace_hours):
        raise UsageError(f"--grace-hours {grace_hours}", expected="a number of hours")
    found = collect(Warehouse.open(warehouse), keep=keep, grace_hours=grace_hours, dry_run=not apply)
    if as_json:
        print_json(found.to_json())
        return
    for release, reasons in found.kept.items():
        out.print(f"keeps   {release}  {', '.join(reasons)}")
    for release in found.releases:
        out.print(f"{'deleted' if apply else 'deletes'} {release}")
    for folder, entry in sorted(found.by_folder.items()):
        out.print(f"  {folder:10} {entry['files']:>8,} file(s)  {_size(entry['size_bytes']):>10}")
    if found.unfinished_files:
        out.print(f"  {found.unfinished_files:,} file(s) of unfinished builds stay for {grace_hours:g} hours: a rerun takes them up")
    if found.in_use_files:
        out.print(f"  {found.in_use_files:,} file(s) stay: used since a running build began")
    word = "freed" if apply else "would free"
    out.print(f"{word} {_size(found.size_bytes)} in {found.files:,} file(s)" + ("" if apply else "; delete them with --apply"))


@app.command(epilog="Examples: lode pin · lode pin current --name audit-2026 · lode pin --remove audit-2026")
@guarded
def pin(
    release: Annotated[str | None, typer.Argument(help="Release to keep; none lists the pins.", autocompletion=complete_release)] = None,
    name: Annotated[str | None, typer.Option(help="Name of the pin; it can then be used wherever a release is named.")] = None,
    remove: Annotated[str | None, typer.Option(help="Name of a pin to remove.")] = None,
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE, config: ConfigOption = None,
    as_json: JsonOption = False, debug: DebugOption = False,
) -> None:
    """Keep a release from collection under a name; list and remove such names."""
    from warehouse.leases import free_release, hold_release
    from warehouse.refs import read_pins, remove_pin, write_pin
    from warehouse.releases import find_release

    wh = Warehouse.open(warehouse)
    if remove is not None and (release is not None or name is not None):
        raise UsageError("--remove together with a release or --name", expected="one or the other")
    if release is not None and name is None:
        raise UsageError("a pin without a name", expected="a name for it", fix=f"lode pin {release} --name NAME")
    if name is not None and release is None:
        raise UsageError("--name without a release", expected="the release to keep", fix=f"lode pin current --name {name}")
    if remove is not None:
        remove_pin(wh, remove)
    elif release is not None and name is not None:
        found = find_release(wh, release)
        hold_release(wh, found)  # so that it is not collected between the two
        try:
            write_pin(wh, name, found)
        finally:
            free_release(str(wh.root), found)
    pins = read_pins(wh)
    if as_json:
        print_json(pins)
        return
    for pinned, target in pins.items():
        out.print(f"{pinned}  {target}")
    if not pins:
        out.print("no pins")


@app.command(epilog="Example: lode doctor")
@guarded
def doctor(
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE, config: ConfigOption = None,
    as_json: JsonOption = False, debug: DebugOption = False,
) -> None:
    """Look at the machine and the warehouse: what was found, what was expected, the command that mends it."""
    from flows.doctor import FAIL, NOTE, examine

    found = examine(warehouse)
    failed = [f for f in found if f.status == FAIL]
    if as_json:
        print_json({"healthy": not failed, "checks": [f.to_json() for f in found]})
    else:
        marks = {FAIL: "[red]fail[/]", NOTE: "[yellow]note[/]"}
        for f in found:
            out.print(f"{marks.get(f.status, '[green]ok[/]  ')}  {f.check:16} {plain(f.found)}", highlight=False)
            if f.status in marks:
                for label, text in (("expected", f.expected), ("to mend it", f.fix)):
                    if text:
                        out.print(f"        {label}: {plain(text)}", highlight=False)
    if failed:
        raise typer.Exit(EXIT_REFUSED)


@config_app.command("check", epilog="Examples: lode config check configs/sample.toml · lode config check")
@guarded
def config_check(
    file: Annotated[Path | None, typer.Argument(help="TOML config; none checks the defaults.")] = None,
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE, config: ConfigOption = None,
    as_json: JsonOption = False, debug: DebugOption = False,
) -> None:
    """Check a config and all files it names; say what differs from the current release, and which stages that reruns."""
    from flows.configcheck import check_config

    found = check_config(file or config, warehouse)
    if as_json:
        print_json(found)
    else:
        _show_config(found, file or config)
    if found["problems"]:
        raise typer.Exit(EXIT_REFUSED)


def _show_config(found: dict, file: Path | None) -> None:
    for s in found["sources"]:
        out.print(f"source {plain(s['name'])}: {s['kind'] or 'cannot be read'}, readers {', '.join(s['readers']) or 'nobody'}", highlight=False)
    _changes(found["changed_from_defaults"], "differs from the defaults in")
    if found["release"]:
        if found["changed_from_release"]:
            _changes(found["changed_from_release"], f"differs from release {found['release']} in")
            chosen = f" --config {file}" if file else ""
            first = found["reruns"][0] if found["reruns"] else None
            out.print(f"a build with it runs again: {', '.join(found['reruns'])} (`lode rerun {first}{chosen}` starts there)" if first
                      else "no stage runs again; the next `lode build` publishes it", highlight=False)
        else:
            out.print(f"the same as release {found['release']} was made with", highlight=False)
    for problem in found["problems"]:
        show_error(LodeError(problem["error"], expected=problem["expected"], fix=problem["fix"]), False)
    if not found["problems"]:
        out.print("the config is sound" if file else "the defaults are sound")


def _changes(changes: list[dict], title: str, shown: int = 20) -> None:
    if not changes:
        return
    table = Table(box=None, header_style="dim")
    for name in (title, "is", "was"):
        table.add_column(name)
    for c in changes[:shown]:
        table.add_row(plain(c["key"]), plain(_short(c["new"])), plain(_short(c["old"])))
    out.print(table)
    if len(changes) > shown:
        err.print(f"[dim]{len(changes) - shown} more: see --json[/]")


def _short(value) -> str:
    text = "-" if value is None else str(value)
    return text if len(text) <= 60 else text[:57] + "…"


__all__ = ["config_app", "doctor", "gc", "pin"]
