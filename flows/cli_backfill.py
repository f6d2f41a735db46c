"""The command `backfill`: the history of a wiki, from its exports."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from flows.asking import day_range
from flows.cli import (
    DEFAULT_WAREHOUSE,
    ConfigOption,
    DebugOption,
    JsonOption,
    WarehouseOption,
    app,
    err,
    guarded,
    read_settings,
)
from flows.cli_build import JsonLinesOption, QuietOption, run_request
from schemas.errors import LodeError, UsageError
from schemas.sources import Selection
from warehouse.layout import Warehouse

STDIN = "-"
_SHARD_BYTES = 64_000_000  # packed bytes of export per shard: what a shard holds is read at once
_DAY_SECONDS = 86400


@app.command(epilog="Examples: lode backfill dump.xml.bz2 --acl public · lode backfill dump.xml.bz2 --acl public --pages IBM --from 2015 --max-revisions 500")
@guarded
def backfill(
    dumps: Annotated[list[str], typer.Argument(help="MediaWiki exports with revisions (plain, gz, bz2, xz, lzma, 7z); several files of one wiki; - is standard input.")],
    acl: Annotated[list[str] | None, typer.Option("--acl", help="Group that may read the pages; repeatable.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the source (one export only).")] = None,
    pages: Annotated[list[str] | None, typer.Option("--pages", help="Title or page id to take, or @FILE with one a line; repeatable.")] = None,
    namespaces: Annotated[str | None, typer.Option(help="Namespace numbers, comma-separated; default those of the config (0).")] = None,
    since: Annotated[str | None, typer.Option("--from", help="First day of revisions to take.")] = None,
    until: Annotated[str | None, typer.Option("--to", help="Last day of revisions to take.")] = None,
    max_revisions: Annotated[int, typer.Option(min=0, help="Take the last so many revisions of each page; 0 = all.")] = 0,
    language: Annotated[str | None, typer.Option(help="Language tag, where the export names none.")] = None,
    tenant: Annotated[str | None, typer.Option(help="Tenant that the source belongs to.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, max=256, help="Worker processes.")] = None,
    quiet: QuietOption = False,
    json_lines: JsonLinesOption = False,
    warehouse: WarehouseOption = DEFAULT_WAREHOUSE,
    config: ConfigOption = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Take in years of revisions: facts with the time in which they were said, and what became of them."""
    import dataclasses

    from flows.sources import requests_from, to_spec

    settings = read_settings(config)
    select = Selection(
        tuple(_titles(pages or [])),
        None if since is None else day_range(since, "--from").first * _DAY_SECONDS,
        None if until is None else (day_range(until, "--to").last + 1) * _DAY_SECONDS, max_revisions,
    )
    if select.first is not None and select.until is not None and select.first >= select.until:
        raise UsageError(f"--from {since} --to {until} holds no day", expected="the first day before the last")
    if dumps.count(STDIN) > 1:
        raise UsageError("standard input named twice", expected="`-` once")
    files = [Path(d) for d in dumps if d != STDIN]
    if not (warehouse / "lode.json").exists():
        made = Warehouse.init(warehouse, shards_for(sum(f.stat().st_size for f in files if f.is_file())))
        if not (as_json or json_lines or quiet):
            err.print(f"made a warehouse at {made.root} ({made.shards} shards)")
    wh = Warehouse.open(warehouse)
    changes = {} if namespaces is None else {"parse": {"namespaces": _numbers(namespaces)}}
    with wh.scratch_folder() as folder:
        given = [str(_spool(folder)) if d == STDIN else d for d in dumps]
        requests = requests_from(given, acl, settings.config, name, False, language, tenant, settings.base)
        requests = [dataclasses.replace(r, select=select) for r in requests]
        for request in requests:
            if to_spec(request).kind != "mediawiki":
                raise LodeError(f"{request.path} is no MediaWiki export", expected="an export with revisions (pages-meta-history, or Special:Export)",
                                fix="`lode build` reads other files and folders")
        run_request(warehouse, settings, {"sources": requests}, workers, (quiet, json_lines, as_json), changes)


def shards_for(packed_bytes: int) -> int:
    """Shards of a new warehouse for exports of this size: a power of two, 8 to 4096."""
    count = 8
    while count < 4096 and count * _SHARD_BYTES < packed_bytes:
        count *= 2
    return count


def _titles(given: list[str]) -> list[str]:
    out = []
    for item in given:
        if not item.startswith("@"):
            out.append(item)
            continue
        try:
            out += [line.strip() for line in Path(item[1:]).read_text("utf-8").splitlines() if line.strip()]
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"--pages {item}: {error}", expected="@ and a UTF-8 text file with a title or page id a line") from None
    if given and not out:
        raise UsageError("--pages names no page", expected="a title, a page id, or a file of them")
    return out


def _numbers(text: str) -> list[int]:
    try:
        return sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise UsageError(f"--namespaces {text}", expected="numbers like 0,4,14") from None


def _spool(folder: Path) -> Path:
    """Standard input as a file: it has to be read twice, and may be larger than memory."""
    path = folder / "stdin.xml"
    with open(path, "wb") as out:
        shutil.copyfileobj(sys.stdin.buffer, out, 1 << 20)
    if not path.stat().st_size:
        raise UsageError("standard input is empty", expected="an export on it: `bzcat dump.xml.bz2 | lode backfill - --acl public`")
    return path
