"""Commands that write: init, build, rerun, rollback."""

from __future__ import annotations

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
    complete_stage,
    err,
    guarded,
    out,
    print_json,
    read_settings,
)
from schemas.errors import EXIT_ERRORS_ABOVE_THRESHOLD, UsageError
from warehouse.layout import Warehouse

_FAILURES_SHOWN = 5

QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors: for cron.")]
JsonLinesOption = Annotated[bool, typer.Option("--json-lines", help="Print an event a line while it runs, and `done` or `error` at the end.")]


@app.command(epilog="Example: lode init --warehouse facts --shards 16")
@guarded
def init(
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE,
    shards: Annotated[int, typer.Option(help="Power of two, fixed for good: about one per 2,000 documents.")] = 8,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Make an empty warehouse."""
    read_settings(config)
    wh = Warehouse.init(warehouse, shards)
    if as_json:
        print_json({"warehouse": str(wh.root), "shards": wh.shards})
    else:
        out.print(f"warehouse at {wh.root}, {wh.shards} shards")


@app.command(epilog="Examples: lode build docs/ --acl public · lode build dump.xml.bz2 --acl public --json · lode build -c lode.toml")
@guarded
def build(
    paths: Annotated[list[Path] | None, typer.Argument(help="Folders, files or MediaWiki exports; none = the config's sources.")] = None,
    acl: Annotated[list[str] | None, typer.Option("--acl", help="Group that may read these sources; repeatable.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the source (one path only).")] = None,
    language: Annotated[str | None, typer.Option(help="Language tag of the source.")] = None,
    tenant: Annotated[str | None, typer.Option(help="Tenant that the source belongs to.")] = None,
    complete: Annotated[bool | None, typer.Option("--complete/--partial", help="Whether what is not listed is gone (folders: yes, dumps: no).")] = None,
    only: Annotated[bool, typer.Option("--only", help="Drop the release's other sources.")] = False,
    allow_delete: Annotated[bool, typer.Option("--allow-delete", help="Allow many documents to go at once.")] = False,
    workers: Annotated[int | None, typer.Option(min=1, max=256, help="Worker processes.")] = None,
    quiet: QuietOption = False,
    json_lines: JsonLinesOption = False,
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Read sources, run every stage on what changed, verify, publish."""
    from flows.sources import requests_from, to_spec

    settings = read_settings(config)
    requests = requests_from([str(p) for p in paths or []], acl, settings.config, name, complete, language, tenant, settings.base)
    for request in requests:
        to_spec(request)  # refuse before anything is started
    if not (warehouse / "lode.json").exists():
        made = Warehouse.init(warehouse)
        if not (as_json or json_lines or quiet):
            err.print(f"made a warehouse at {made.root} ({made.shards} shards)")
    run_request(warehouse, settings, {"sources": requests, "only": only, "allow_delete": allow_delete}, workers, (quiet, json_lines, as_json))


@app.command(epilog="Example: lode rerun chunk --config smaller-chunks.toml")
@guarded
def rerun(
    stage: Annotated[str, typer.Argument(help="parse, chunk, extract, link, normalize, validity, origins, dedupe, conflict, embed or index.",
                                           autocompletion=complete_stage)],
    workers: Annotated[int | None, typer.Option(min=1, max=256, help="Worker processes.")] = None,
    quiet: QuietOption = False,
    json_lines: JsonLinesOption = False,
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Run one stage again, and what its change reaches; nothing before it."""
    from tasks.registry import load_stage

    load_stage(stage)
    settings = read_settings(config)
    Warehouse.open(warehouse)
    run_request(warehouse, settings, {"stage": stage}, workers, (quiet, json_lines, as_json))


def _config_of(wh: Warehouse, settings) -> dict:
    """The config as given with --config; without it, that of the current release, so that nothing is changed unasked."""
    from warehouse.releases import current_release

    resolved = dict(settings.resolved)
    release = None if settings.given else current_release(wh)
    if release is not None:
        resolved.update({k: v for k, v in release.config.items() if k in resolved})
    return resolved


def _view(quiet: bool, json_lines: bool, as_json: bool):
    """Bars in a terminal, a line per stage elsewhere, JSON lines, or nothing."""
    import sys

    from flows.progress import View
    from flows.views import JsonLinesView, PlainView, TerminalView

    if json_lines:
        return JsonLinesView(sys.stdout)
    if quiet or as_json:
        return View()
    return TerminalView(err) if err.is_terminal else PlainView(sys.stderr)


def run_request(
    warehouse: Path, settings, request: dict, workers: int | None, shown: tuple[bool, bool, bool], changes: dict[str, dict] | None = None,
) -> None:
    """Runs a build and shows its outcome. `shown`: quiet, JSON lines, JSON. `changes`: config keys that options set."""
    import json
    import time

    from flows.server import start_server, wait_for_server

    began = time.perf_counter()
    start_server()
    from flows.build import BuildRequest, run_build
    from flows.pace import read_pace
    from flows.progress import Reporter

    quiet, json_lines, as_json = shown
    if json_lines and as_json:
        raise UsageError("--json together with --json-lines", expected="one of them")

    wh = Warehouse.open(warehouse)
    resolved = _config_of(wh, settings)
    for section, keys in (changes or {}).items():
        resolved[section] = {**resolved[section], **keys}
    if workers is not None:
        resolved["run"] = {**resolved["run"], "workers": workers}
    wait_for_server()
    started = time.perf_counter() - began
    with Reporter(_view(*shown), read_pace(wh)) as report:
        outcome = run_build(wh, BuildRequest(**request), resolved, report)
    body = {**outcome.to_json(), "start_seconds": round(started, 3)}
    if json_lines:
        print(json.dumps({"event": "done", **body}, ensure_ascii=False), flush=True)
    elif as_json:
        print_json(body)
    elif not quiet:
        _show(outcome, started)
    if outcome.above_threshold:
        _show_failures(wh, outcome.release)
        err.print(f"[bold yellow]{outcome.errors} input(s) failed[/] ({outcome.error_fraction:.1%}): "
                  'see them with `lode sql "SELECT * FROM quarantine WHERE severity = \'error\'"`')
        raise typer.Exit(EXIT_ERRORS_ABOVE_THRESHOLD)


def _show_failures(wh: Warehouse, release: str) -> None:
    """The first inputs that failed: what was found there, and what to do."""
    import pyarrow.compute as pc
    from rich.text import Text

    from warehouse.releases import open_release

    rows = open_release(wh, release).read("quarantine", ["severity", "stage", "where", "reason", "detail"])
    failed = rows.filter(pc.equal(rows["severity"], "error")).sort_by([(name, "ascending") for name in ("stage", "where", "reason")])
    for row in failed.slice(0, _FAILURES_SHOWN).to_pylist():
        err.print(Text(row["detail"] if row["where"] in row["detail"] else f"{row['where']}: {row['detail']}"))


def _show(outcome, started: float) -> None:
    word = "unchanged: nothing to publish, current is" if outcome.unchanged else "published"
    out.print(f"{word} release [bold]{outcome.release}[/] in {outcome.seconds:.1f} s (Prefect's start {started:.1f} s, peak {outcome.peak_mb:,.0f} MB)")
    counts = " · ".join(f"{n:,} {t}" for t, n in outcome.counts.items() if n)
    out.print(counts)
    states = " · ".join(f"{n:,} {s}" for s, n in outcome.states.items())
    out.print(f"nuggets: {states or 'none'} · inputs that failed: {outcome.errors}")
    if outcome.left_out:
        told = " · ".join(f"{n:,} {reason}" for reason, n in list(outcome.left_out.items())[:5])
        out.print(f"left out of the sources, with the reason: {told} (see `lode report`, table quarantine)", soft_wrap=True)
    if any(s["shards_run"] for s in outcome.stages):
        table = Table("stage", "seconds", "shards run", "reused", "units run", "peak MB", box=None, header_style="dim")
        for s in outcome.stages:
            table.add_row(s["stage"], f"{s['seconds']:.1f}", str(s["shards_run"]), str(s["shards_reused"]), f"{s['units_run']:,}", str(s["peak_mb"]))
        out.print(table)
    out.print(f"report: {outcome.report}", soft_wrap=True)


@app.command(epilog="Example: lode rollback previous")
@guarded
def rollback(
    release: Annotated[str, typer.Argument(help="previous, current~2, a pin, or an id or the beginning of one from `lode releases`.",
                                             autocompletion=complete_release)],
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Go back to an earlier release: corpus, config and indexes together."""
    from warehouse.rollback import rollback as move

    wh = Warehouse.open(warehouse)
    now = move(wh, release)
    if as_json:
        print_json({"release": now})
    else:
        out.print(f"current is release [bold]{now}[/]")
