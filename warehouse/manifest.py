"""The manifest of an index: what both stores were built with. Any difference to what is asked for is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from schemas.errors import LodeError

MANIFEST_FILE = "manifest.json"


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    text = json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False)
    (folder / MANIFEST_FILE).write_text(text + "\n", "utf-8")


def read_manifest(folder: Path) -> dict[str, Any]:
    """Raises LodeError where the folder is no index."""
    try:
        return json.loads((folder / MANIFEST_FILE).read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise LodeError(
            f"no index in {folder}", expected=f"a folder with {MANIFEST_FILE}", fix="lode rerun index"
        ) from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise LodeError(f"{MANIFEST_FILE} of {folder} is not readable: {error}", fix="lode rerun index") from None


def check_manifest(found: dict[str, Any], expected: dict[str, Any]) -> None:
    """Raises LodeError naming the first key (dotted path, in order of name) that differs."""
    difference = _difference(json.loads(json.dumps(found)), json.loads(json.dumps(expected)), "")
    if difference:
        path, has, wants = difference
        raise LodeError(
            f"the index was built with {path} = {_show(has)}",
            expected=f"{path} = {_show(wants)}",
            fix="lode rerun index",
        )


_ABSENT = object()


def _difference(found: Any, expected: Any, path: str) -> tuple[str, Any, Any] | None:
    if isinstance(found, dict) and isinstance(expected, dict):
        for key in sorted(set(found) | set(expected)):
            inner = _difference(found.get(key, _ABSENT), expected.get(key, _ABSENT), f"{path}.{key}" if path else key)
            if inner:
                return inner
        return None
    return None if found == expected and type(found) is type(expected) else (path, found, expected)


def _show(value: Any) -> str:
    text = "nothing" if value is _ABSENT else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."
