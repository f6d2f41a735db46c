"""Which releases a warehouse holds, and where the warehouse is when nobody says."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motherlode import arguments
from motherlode.rows import iso_instant
from schemas.errors import LodeError
from schemas.time import day_of_instant, iso

if TYPE_CHECKING:
    from warehouse.layout import Warehouse

DEFAULT_WAREHOUSE = "data/warehouse"
StrPath = str | os.PathLike[str]


@dataclass(frozen=True)
class ReleaseInfo:
    """One release of a warehouse. `as_of` is the ISO day of its newest source instant, `published` the instant (UTC) at
    which it last became the current one; None where there is none."""

    id: str
    parent: str | None
    as_of: str | None
    published: str | None
    current: bool


def releases(warehouse: StrPath | None = None) -> tuple[ReleaseInfo, ...]:
    """Every release that can be opened, in the order of first publication; never published ones come last.

    `warehouse` as for `open_release`. Raises LodeError where there is none.
    """
    from warehouse.refs import read_ref
    from warehouse.releases import list_releases, published

    wh = warehouse_at(warehouse)
    current = read_ref(wh)
    moves = published(wh)
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for n, move in enumerate(moves):
        first.setdefault(move["to"], n)
        last[move["to"]] = move["time"]
    names = sorted(list_releases(wh), key=lambda r: (first.get(r, len(moves)), r))
    out = []
    for name in names:
        try:
            body = json.loads(wh.path("releases", name + ".json").read_text("utf-8"))
        except FileNotFoundError:  # collected since it was listed
            continue
        out.append(ReleaseInfo(name, body.get("parent"), as_of(body), iso_instant(last.get(name)), name == current))
    return tuple(out)


def warehouse_at(path: StrPath | None) -> Warehouse:
    """The warehouse in this folder; without one, in that of LODE_WAREHOUSE, else `data/warehouse`."""
    from warehouse.layout import Warehouse

    given = arguments.folder(path)
    root = Path(given if given is not None else os.environ.get("LODE_WAREHOUSE") or DEFAULT_WAREHOUSE)
    try:
        return Warehouse.open(root)
    except (OSError, ValueError, RuntimeError) as error:  # a name too long or with a zero byte, a folder that is closed to us
        raise LodeError(f"{str(root)!r} cannot be opened: {error}", expected="a folder made by `lode init`") from error


def as_of(body: Mapping[str, Any]) -> str | None:
    """The ISO day of a release's newest source instant."""
    newest = body.get("as_of")
    return None if newest is None else iso(day_of_instant(newest))
