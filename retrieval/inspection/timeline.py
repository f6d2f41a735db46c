"""The releases that readers saw, in the order they saw them, and rows of an id in each.

Guarantees: a Parquet object that several releases share is read once for all of them. A release whose file, snapshots or
objects of the table are gone is not guessed at: it is unreadable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrieval.inspection.levels import LEVELS
from retrieval.inspection.pair import from_objects, instant, plain_rows
from schemas.errors import IntegrityError, LodeError, UsageError
from warehouse.duck import connect, literal
from warehouse.layout import Warehouse
from warehouse.objects import object_path
from warehouse.releases import Release, list_releases, open_release, published
from warehouse.tableset import TableSet

MIN_PREFIX = 6


@dataclass(frozen=True)
class Kind:
    """A kind of id. `columns`: what is told of a row. Several rows of one id (`many`) are told as lists."""

    name: str
    table: str
    id: str
    columns: tuple[str, ...]
    many: bool = False


def _level(name: str) -> Kind:
    level = LEVELS[name]
    return Kind(name, level.table, level.id, tuple(dict.fromkeys((*level.shown, *level.compared))))


KINDS: dict[str, Kind] = {
    k.name: k for k in (
        _level("nugget"), _level("document"), _level("chunk"), _level("claim"),
        Kind("mention", "mentions", "mention_id", tuple(
            "mention_id document_id chunk_id sentence subject predicate object scope condition polarity modality attribution extractor "
            "confidence".split())),
        Kind("version", "versions", "version_id", ("version_id", "document_id", "revision", "time", "content_hash", "status")),
        Kind("element", "elements", "element_id",
             ("element_id", "document_id", "version_id", "kind", "ordinal", "heading_path", "text", "locator")),
        Kind("block", "lifetimes", "block_id",
             ("block_id", "document_id", "first_revision", "last_revision", "from_time", "to_time", "status"), many=True),
        Kind("entity", "entities", "entity_id", ("entity_id", "entity_name", "surface", "entity_type", "target", "link_basis"), many=True),
    )
}


@dataclass(frozen=True)
class Stand:
    """One move of `current`: from then on readers saw this release. `readable` is false once it was collected."""

    release: str
    time: str
    action: str
    readable: bool

    def to_json(self) -> dict[str, Any]:
        return {"release": self.release, "time": self.time, "action": self.action}


class Timeline:
    """The publish log with its releases. Use as a context manager."""

    def __init__(self, wh: Warehouse) -> None:
        self.wh = wh
        self.releases: dict[str, Release] = {}
        self._tables: dict[str, TableSet] = {}
        self._found: dict[tuple[str, str], dict[str, list[dict]]] = {}
        self._missing: dict[tuple[str, str], bool] = {}
        self.con = connect(threads=2)
        stored, moves = set(list_releases(wh)), published(wh)
        for name in dict.fromkeys(m["to"] for m in moves if m["to"] in stored):
            try:
                release = open_release(wh, name)
                self._tables[name] = release.tables()
                self.releases[name] = release
            except (IntegrityError, FileNotFoundError):
                continue
        self.stands = [
            Stand(m["to"], instant(m["time"]) or "", m["action"], m["to"] in self.releases) for n, m in enumerate(moves)
            if n == 0 or m["to"] != moves[n - 1]["to"]
        ]
        if not self.stands:
            raise LodeError("nothing is published in this warehouse yet", fix="run `lode build PATH --acl public`")

    def __enter__(self) -> Timeline:
        return self

    def __exit__(self, *_) -> None:
        self.con.close()

    def resolve(self, text: str) -> tuple[str, str]:
        """(kind, id) of an id or its beginning. LodeError where no readable release nor lineage knows it, or several do."""
        prefix = text.strip().lower()
        if len(prefix) < MIN_PREFIX or not re.fullmatch(r"[0-9a-f]+", prefix):
            raise UsageError(f"{text!r} is no id", expected=f"at least {MIN_PREFIX} hexadecimal digits of an id",
                             fix="ids are in `lode query`, `lode diff` and `lode sql`")
        found: set[tuple[str, str]] = set()
        for kind in KINDS.values():
            found |= {(kind.name, i) for i in self._begin(kind.table, kind.id, prefix)}
            if any(i == prefix for _, i in found):
                break
        exact = {f for f in found if f[1] == prefix}
        found = exact or found or {(r["lineage_kind"], r["old_id"]) for r in self.lineage(prefix)}
        if not found:
            readable, gone = len(self.releases), len({s.release for s in self.stands}) - len(self.releases)
            lost = f"; {gone} release(s) of the log are no longer readable" if gone else ""
            raise LodeError(
                f"no {', '.join(KINDS)} with the id {prefix} in any of {readable} release(s), nor in their lineage{lost}",
                expected="an id, or the beginning of one, that a release held", fix="ids are in `lode query`, `lode diff` and `lode sql`",
            )
        if len(found) > 1:
            listed = sorted(found)
            raise LodeError(f"{prefix} begins several ids", fix="give more digits",
                            expected="one: " + ", ".join(f"{k} {i}" for k, i in listed[:6]) + (", …" if len(listed) > 6 else ""))
        return found.pop()

    def _begin(self, table: str, column: str, prefix: str) -> list[str]:
        source = from_objects(self.con, self.wh, table, self._objects(table))
        test = f"\"{column}\" >= '{prefix}' AND \"{column}\" < '{prefix}g'"
        return [r[0] for r in self.con.sql(f'SELECT DISTINCT "{column}" FROM {source} WHERE {test} LIMIT 7').fetchall()]

    def _objects(self, table: str) -> list:
        """The distinct objects of a table over all readable releases, as far as they are still stored."""
        refs = {r.hash: r for t in self._tables.values() for r in t.all_refs(table) if r.rows}
        return [r for h, r in sorted(refs.items()) if object_path(self.wh, h).exists()]

    def readable(self, release: str, table: str) -> bool:
        """Whether every object of the table is there."""
        if release not in self.releases:
            return False
        if (release, table) not in self._missing:
            refs = self._tables[release].all_refs(table)
            self._missing[release, table] = all(object_path(self.wh, r.hash).exists() for r in refs)
        return self._missing[release, table]

    def rows(self, release: str, kind: Kind, wanted: str) -> list[dict[str, Any]]:
        """The rows of an id in a readable release."""
        key = (kind.name, wanted)
        if key not in self._found:
            by_object: dict[str, list[dict]] = {}
            source = from_objects(self.con, self.wh, kind.table, self._objects(kind.table), filename=True)
            columns = ", ".join(f'"{c}"' for c in kind.columns)
            order = ", ".join(f'"{c}"' for c in kind.columns[1:])
            query = f"SELECT {columns}, filename FROM {source} WHERE \"{kind.id}\" = {literal(wanted)} ORDER BY {order}"
            for row in plain_rows(self.con.sql(query).to_arrow_table()):
                by_object.setdefault(Path(row.pop("filename")).stem, []).append(row)
            self._found[key] = by_object
        found = self._found[key]
        if not found:
            return []
        return [row for ref in dict.fromkeys(self._tables[release].all_refs(kind.table)) for row in found.get(ref.hash, [])]

    def state(self, release: str, kind: Kind, wanted: str) -> dict[str, Any] | None:
        """What the id is in a readable release, as one dict; None where it is not there."""
        rows = self.rows(release, kind, wanted)
        if not rows:
            return None
        if not kind.many:
            return rows[0]
        return fold(kind, rows)

    def lineage(self, prefix: str) -> list[dict[str, Any]]:
        """Lineage rows of the readable releases whose old id begins so."""
        source = from_objects(self.con, self.wh, "lineage", self._objects("lineage"))
        return plain_rows(self.con.sql(
            f"SELECT old_id, new_id, lineage_kind, release FROM {source} WHERE old_id >= '{prefix}' AND old_id < '{prefix}g' "
            "ORDER BY release, old_id, lineage_kind").to_arrow_table())


def fold(kind: Kind, rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Several rows of one id as one: a block's lifetimes, an entity's names."""
    rows = list(rows)
    if kind.name == "entity":
        return {"entity_id": rows[0]["entity_id"], "entity_name": rows[0]["entity_name"],
                "entity_type": sorted({r["entity_type"] for r in rows}), "surfaces": sorted({r["surface"] for r in rows}),
                "link_basis": sorted({r["link_basis"] for r in rows})}
    told = [{k: v for k, v in r.items() if k not in ("block_id", "document_id")} for r in rows]
    return {"block_id": rows[0]["block_id"], "document_id": rows[0]["document_id"], "lifetimes": told}
