"""Writes docs/cli.md from the commands themselves: `python -m flows.cli_page` (a test checks that it is current).

Every command and every group's command is there, with its arguments, options, defaults, variables and examples.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parent.parent / "docs" / "cli.md"
SHARED = ("--warehouse", "--config", "--json", "--debug")
EXAMPLES = re.compile(r"^Examples?: (.+)$", re.DOTALL)

HEAD = """# Command line

Generated from the commands by `python -m flows.cli_page`. `lode COMMAND --help` says the same in a terminal.

Commands that read for operators (they say so) read everything, whatever the access; `lode query` shows what its reader may see.

## Exit codes

| code | means |
|---|---|
| 0 | done |
| 1 | refused or failed, with a message; nothing is published. Of a check: it found something |
| 2 | wrong usage |
| 3 | done and published, but more inputs failed than `run.error_threshold` allows |
| 130 | stopped by Ctrl-C; finished work is kept, and the same command goes on from there |

An error is one message: what was found, what was expected, what mends it. With `--json` it is a JSON object with `error`,
`expected` and `fix` on standard output. With `--debug` the traceback is shown too.
"""


def commands() -> Iterator[tuple[str, Any]]:
    """(name as typed, command) of every command, those of groups included, in the order of `lode --help`."""
    import typer

    from flows.cli import add_commands, app

    add_commands()

    def walk(prefix: str, group: Any) -> Iterator[tuple[str, Any]]:
        for name, command in group.commands.items():
            if hasattr(command, "commands"):
                yield from walk(f"{prefix} {name}", command)
            else:
                yield f"{prefix} {name}", command

    yield from walk("lode", typer.main.get_command(app))


def examples(command: Any) -> list[str]:
    """The examples of a command's epilog, as one would type them; [] where it has none."""
    match = EXAMPLES.match(command.epilog or "")
    return [e.strip() for e in match[1].split(" · ")] if match else []


def one_line(text: str | None) -> str:
    return " ".join((text or "").split())


def _is_argument(param: Any) -> bool:
    return not param.opts[0].startswith("-")


def _default(param: Any) -> str:
    if param.required:
        return "required"
    value = param.default
    if value is None or value is False or value == () or callable(value):
        return ""
    if isinstance(value, Path):
        value = value.as_posix()
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _limits(param: Any) -> str:
    low, high = getattr(param, "min", None), getattr(param, "max", None)
    if low is None and high is None:
        return ""
    return f" ({low} to {high})" if low is not None and high is not None else f" (from {low})" if high is None else f" (to {high})"


def _names(param: Any) -> str:
    names = ", ".join(f"`{o}`" for o in param.opts)
    if param.secondary_opts:
        names += " / " + ", ".join(f"`{o}`" for o in param.secondary_opts)
    if not param.is_flag:
        names += " " + " ".join(["VALUE"] * max(1, param.nargs))
    return names + (" …" if param.multiple else "")


def _meaning(param: Any) -> str:
    variable = f" Variable: `{param.envvar}`." if param.envvar else ""
    text = one_line(param.help)
    return (text.removesuffix(".") + _limits(param) + "." + variable).replace("|", "\\|")


def _table(params: list[Any], first: str) -> list[str]:
    out = [f"| {first} | default | meaning |", "|---|---|---|"]
    for p in params:
        name = f"`{p.name.upper()}`" + (" …" if p.nargs == -1 else "") if _is_argument(p) else _names(p)
        out.append(f"| {name} | {_default(p)} | {_meaning(p)} |")
    return out


def usage(name: str, command: Any) -> str:
    """One line: the command, its arguments, whether it has options."""
    words = [name]
    for p in command.params:
        if _is_argument(p):
            word = p.name.upper() + ("..." if p.nargs == -1 else "")
            words.append(word if p.required else f"[{word}]")
    return " ".join([*words, "[OPTIONS]"])


def _section(name: str, command: Any, shared: dict[str, Any]) -> list[str]:
    out = [f"## {name}", "", one_line(command.help), "", "```text", usage(name, command), "```", ""]
    arguments = [p for p in command.params if _is_argument(p)]
    options = [p for p in command.params if not _is_argument(p) and not getattr(p, "hidden", False)]
    common = [p for p in options if p.opts[0] in shared and _meaning(p) == _meaning(shared[p.opts[0]])]
    own = [p for p in options if p not in common]
    if arguments:
        out += [*_table(arguments, "argument"), ""]
    if own:
        out += [*_table(own, "option"), ""]
    if common:
        out += ["[Common options](#common-options): " + ", ".join(f"`{p.opts[0]}`" for p in common) + ".", ""]
    if shown := examples(command):
        out += ["```bash", *shown, "```", ""]
    return out


def render() -> str:
    """The page as Markdown."""
    found = list(commands())
    shared: dict[str, Any] = {}
    for _, command in found:
        for p in command.params:
            if p.opts[0] in SHARED:
                shared.setdefault(p.opts[0], p)
    out = [HEAD, "## Common options", "", *_table([shared[o] for o in SHARED if o in shared], "option"), "",
           "Every command has `--help`.", "", "## Commands", "", "| command | does |", "|---|---|"]
    out += [f"| [{name}](#{name.replace(' ', '-')}) | {one_line(command.help).replace('|', chr(92) + '|')} |" for name, command in found]
    out.append("")
    for name, command in found:
        out += _section(name, command, shared)
    return "\n".join(out)


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(render(), "utf-8")
    print(f"wrote {PAGE.name}: {len(list(commands()))} commands")
