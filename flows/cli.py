"""The command line: `lode`. Errors are one message without a traceback, unless --debug; exit codes as documented."""

from __future__ import annotations

import errno
import functools
import json
import os
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from schemas.errors import EXIT_REFUSED, EXIT_USAGE, LodeError

app = typer.Typer(
    name="lode", no_args_is_help=True, add_completion=True, pretty_exceptions_enable=False, rich_markup_mode="rich",
    help="Turn a changing corpus into governed facts: build, query, verify, roll back.",
)
# A pipe has no width: wide enough there that tables are not folded away.
out = Console(width=None if sys.stdout.isatty() else 180)
err = Console(stderr=True, width=None if sys.stderr.isatty() else 180)

WarehouseOption = Annotated[Path, typer.Option("--warehouse", "-w", envvar="LODE_WAREHOUSE", help="Folder of the warehouse.")]
ConfigOption = Annotated[Path | None, typer.Option("--config", "-c", help="TOML config; without it, that of the current release, or defaults.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
DebugOption = Annotated[bool, typer.Option("--debug", help="Show tracebacks and Prefect's log.")]
DEFAULT_WAREHOUSE = Path("data/warehouse")
COMMAND_MODULES = ("flows.cli_build", "flows.cli_backfill", "flows.cli_read", "flows.cli_inspect", "flows.cli_compare", "flows.cli_report", "flows.cli_upkeep")


@dataclass(frozen=True)
class Settings:
    """A config as read: validated, resolved to plain data, and the folder its paths are relative to."""

    config: Any
    resolved: dict[str, Any]
    base: Path
    given: bool = True


def read_settings(path: Path | None) -> Settings:
    from schemas.config import load_config, resolve

    config, base = load_config(path)
    return Settings(config, resolve(config, base), Path.cwd() if path is None else base, path is not None)


def guarded(command):
    """Turns errors into a message and an exit code."""

    @functools.wraps(command)
    def run(*args, **kwargs):
        debug = kwargs.get("debug", False)
        if debug:
            os.environ["PREFECT_LOGGING_LEVEL"] = "INFO"
        else:
            os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")
        try:
            return command(*args, **kwargs)
        except LodeError as error:
            if debug:
                traceback.print_exc()
            _tell(error, kwargs)
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            err.print("stopped; finished shards are kept, run the same command to go on")
            raise typer.Exit(130) from None
        except (typer.Exit, typer.Abort):
            raise
        except OSError as error:
            if debug or isinstance(error, BrokenPipeError):
                raise
            _tell(refusal_of(error), kwargs)
            raise typer.Exit(EXIT_REFUSED) from None
        except Exception as error:
            if debug:
                raise
            _tell(LodeError(f"{type(error).__name__}: {error}", fix="run it again with --debug to see where"), kwargs)
            raise typer.Exit(EXIT_REFUSED) from None

    return run


_SPACE = "free some (`lode gc` tells what may go), then run the same command: finished work is kept"
_RIGHTS = ("the right to read and write there", "check its owner and mode with `lode doctor`")
_MACHINE = {
    errno.ENOSPC: ("free disk space", _SPACE),
    errno.EDQUOT: ("room in the disk quota", _SPACE),
    errno.EROFS: ("a file system that can be written", "check the mount with `lode doctor`"),
    errno.EACCES: _RIGHTS,
    errno.EPERM: _RIGHTS,
    errno.ENOENT: ("it to be there", "run the command again; `lode doctor` and `lode verify` tell what a warehouse lacks"),
    errno.EISDIR: ("a file", "name a file, not a folder"),
    errno.ENOTDIR: ("a folder", "name a folder, not a file"),
    errno.EMFILE: ("fewer files open at once", "raise the limit (`ulimit -n`) or use fewer --workers"),
    errno.ENOMEM: ("enough memory", "use fewer --workers"),
}


def refusal_of(error: OSError) -> LodeError:
    """What the machine refused, as a message: which file, what was expected, what to do."""
    expected, fix = _MACHINE.get(error.errno or 0, ("", "run it again with --debug to see where"))
    where = f"{error.filename}: " if error.filename else ""
    return LodeError(f"{where}{error.strerror or error}", expected=expected, fix=fix)


def _tell(error: LodeError, kwargs: dict[str, Any]) -> None:
    if kwargs.get("json_lines"):
        print(json.dumps({"event": "error", **error.to_json()}, ensure_ascii=False), flush=True)
    show_error(error, kwargs.get("as_json", False))


def show_error(error: LodeError, as_json: bool) -> None:
    if as_json:
        print(json.dumps(error.to_json(), ensure_ascii=False))
        return
    err.print(f"[bold red]error[/]: {_plain(error.found)}", highlight=False)
    if error.expected:
        err.print(f"  expected: {_plain(error.expected)}", highlight=False)
    if error.fix:
        err.print(f"  to mend it: {_plain(error.fix)}", highlight=False)


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def print_json(data: Any) -> None:
    print(json.dumps(data, ensure_ascii=False, indent=1))


def complete_release(ctx: typer.Context, incomplete: str) -> list[str]:
    """Names of releases for the shell's completion: current, previous, pins, ids."""
    from warehouse.layout import Warehouse
    from warehouse.refs import read_pins
    from warehouse.releases import list_releases

    try:
        wh = Warehouse.open(Path(ctx.params.get("warehouse") or os.environ.get("LODE_WAREHOUSE") or DEFAULT_WAREHOUSE))
    except LodeError:
        return []
    return [n for n in ["current", "previous", *read_pins(wh), *list_releases(wh)] if n.startswith(incomplete)]


def complete_stage(incomplete: str) -> list[str]:
    """Names of stages for the shell's completion."""
    from schemas.stage import STAGE_NAMES

    return [n for n in STAGE_NAMES if n.startswith(incomplete)]


def add_commands() -> None:
    """Imports the modules that add their commands to `app`."""
    from importlib import import_module

    for name in COMMAND_MODULES:
        import_module(name)


def main() -> None:
    """Entry point of `lode`."""
    add_commands()
    as_json = "--json" in sys.argv[1:]
    try:
        # With --json the parser's own refusals are JSON too: it raises them, and gives the exit code, in this mode.
        code = app(standalone_mode=not as_json)
    except LodeError as error:
        show_error(error, as_json)
        sys.exit(EXIT_USAGE)
    except typer.Abort:
        sys.exit(EXIT_REFUSED)
    except Exception as error:
        said = getattr(error, "format_message", None)  # the command line's parser: an unknown option, a missing argument
        if said is None:
            raise
        show_error(LodeError(said(), expected="a call as `lode COMMAND --help` shows it"), as_json)
        sys.exit(EXIT_USAGE)
    sys.exit(code if isinstance(code, int) else 0)
