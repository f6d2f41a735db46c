"""Runs the commands of the ```console blocks in README.md and docs/*.md on the sample warehouse and puts in their output.

    make run
    python docs/refresh.py data/warehouse            # writes the pages
    python docs/refresh.py data/warehouse --check    # writes nothing; code 1 where a page is not what the commands print

A block holds one or more commands, each on lines that begin with `$ lode` and go on until the quotes are closed. Standard
output alone is shown. What differs from run to run (times, seconds) must not stand in such a block. A page that differs in the
release's id alone is taken as current: the id changes with every change of a stage, a predicate or a setting.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LODE = Path(sys.executable).parent / "lode"
RELEASE = re.compile(r"^release [0-9a-f]{24}", re.MULTILINE)
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def commands(block: str) -> list[str]:
    """The commands of a block as written, without their output."""
    out: list[str] = []
    waiting = ""
    for line in block.splitlines():
        if waiting or line.startswith("$ lode "):
            waiting = f"{waiting}\n{line}" if waiting else line
            try:
                shlex.split(waiting)
            except ValueError:  # a quote is open: the command goes on
                continue
            out.append(waiting)
            waiting = ""
    if waiting:
        raise SystemExit(f"a quote is never closed in: {waiting}")
    return out


def output(command: str, warehouse: Path) -> str:
    """What a command prints. Ends the program where it fails."""
    words = shlex.split(command)[2:]
    done = subprocess.run(
        [LODE, *words, "--warehouse", str(warehouse)], cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"},
    )
    if done.returncode:
        raise SystemExit(f"exit code {done.returncode}: {command}\n{done.stderr}")
    return "\n".join(line.rstrip() for line in done.stdout.rstrip().splitlines())


def refreshed(text: str, warehouse: Path) -> str:
    """The page with the output of its commands as of now."""

    def block(match: re.Match) -> str:
        parts = [f"{command}\n{output(command, warehouse)}" for command in commands(match[1])]
        return "```console\n" + "\n\n".join(parts) + "\n```"

    return BLOCK.sub(block, text)


def main(arguments: list[str]) -> int:
    check = "--check" in arguments
    paths = [a for a in arguments if not a.startswith("-")]
    if len(paths) != 1:
        print(__doc__)
        return 2
    stale = []
    for page in pages():
        old = page.read_text("utf-8")
        new = refreshed(old, Path(paths[0]).resolve())
        if RELEASE.sub("release", new) != RELEASE.sub("release", old):
            stale.append(page.relative_to(ROOT))
            if not check:
                page.write_text(new, "utf-8")
    for page in stale:
        print(f"{page}: {'not what the commands print' if check else 'written'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
