"""Releases: one file that names a snapshot of every stage, the built indexes, the sources and the config.

A release's id is a hash of what it names, so the same content is the same release. It is readable once a ref points to
it; the ref moves last.
"""

from __future__ import annotations

import json
import re
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from schemas.errors import IntegrityError, LodeError, UsageError
from schemas.ids import make_id
from schemas.stage import STAGE_NAMES
from schemas.tables import TABLES
from warehouse.duck import connect, literal, quote
from warehouse.keep import hold
from warehouse.layout import Warehouse
from warehouse.leases import free_release, hold_release
from warehouse.objects import object_path
from warehouse.refs import CURRENT, read_log, read_pins, read_ref
from warehouse.snapshots import read_snapshot
from warehouse.tableset import TableSet


@dataclass
class Release:
    """A published or publishable release; `body` is what its file holds."""

    wh: Warehouse
    body: dict[str, Any]

    @property
    def id(self) -> str:
        return self.body["id"]

    @property
    def config(self) -> dict[str, Any]:
        return self.body["config"]

    def tables(self) -> TableSet:
        """All tables of all stages and scans; `quarantine` unites what every step wrote."""
        out = TableSet(self.wh.shards)
        add_scans(self.wh, out, self.body["sources"])
        for stage in STAGE_NAMES:
            fingerprint = self.body["stages"].get(stage)
            if fingerprint:
                _merge(out, read_snapshot(self.wh, stage, fingerprint)["tables"])
        if self.body.get("lineage"):
            _merge(out, self.body["lineage"])
        return out

    def stage_keys(self) -> dict[str, list[str]]:
        """Shard keys per step: what a later build may reuse units from."""
        keys: dict[str, list[str]] = {}
        for stage, fingerprint in self.body["stages"].items():
            keys.update(read_snapshot(self.wh, stage, fingerprint)["keys"])
        return keys

    def connect(self, *, threads: int = 1, memory_limit_mb: int = 2048, internal: bool = False) -> duckdb.DuckDBPyConnection:
        """DuckDB with one view per table."""
        con = connect(threads=threads, memory_limit_mb=memory_limit_mb)
        for statement in view_statements(self.wh, self.tables(), internal=internal):
            con.execute(statement)
        return con

    def read(self, table: str, columns: list[str] | None = None) -> pa.Table:
        return self.tables().read(self.wh, table, columns)


def _merge(out: TableSet, data: dict) -> None:
    for table, shards in TableSet.from_json(out.shards, data).tables.items():
        if table == "quarantine":
            out.add(table, shards)
        else:
            out.set(table, shards)


def view_statements(wh: Warehouse, tables: TableSet, internal: bool = False) -> list[str]:
    """CREATE VIEW per table of the contract; `internal` adds the tables that only stages read."""
    out = []
    for name, spec in TABLES.items():
        if not spec.public and not internal:
            continue
        files = [str(object_path(wh, r.hash)) for r in tables.all_refs(name)]
        if files:
            listed = ", ".join(literal(f) for f in files)
            how = ", union_by_name = true" if spec.later else ""
            out.append(f"CREATE OR REPLACE VIEW {quote(name)} AS SELECT * FROM read_parquet([{listed}]{how});")
        else:
            empty = ", ".join(f"NULL::{_duck_type(f.type)} AS {quote(f.name)}" for f in spec.schema())
            out.append(f"CREATE OR REPLACE VIEW {quote(name)} AS SELECT {empty} WHERE false;")
    return out


def _duck_type(type_: pa.DataType) -> str:
    if pa.types.is_list(type_):
        return _duck_type(type_.value_type) + "[]"
    if pa.types.is_struct(type_):
        return "STRUCT(" + ", ".join(f"{quote(f.name)} {_duck_type(f.type)}" for f in type_) + ")"
    if pa.types.is_timestamp(type_):
        return "TIMESTAMP WITH TIME ZONE"
    names = {"string": "VARCHAR", "int32": "INTEGER", "int64": "BIGINT", "uint32": "UINTEGER", "float": "FLOAT",
             "halffloat": "FLOAT", "double": "DOUBLE", "bool": "BOOLEAN", "date32[day]": "DATE", "large_binary": "BLOB"}
    return names[str(type_)]


def add_scans(wh: Warehouse, out: TableSet, sources: dict[str, Any]) -> None:
    """Adds what was read from the sources: rows of every scan, quarantine of each source's newest one alone (what a
    mended file was once blamed for is over). IntegrityError where a scan is missing."""
    for name in sorted(sources):
        for key in sources[name]["scans"]:
            scan = need_scan(wh, key, name)
            for table, shards in TableSet.from_json(wh.shards, scan["tables"]).tables.items():
                if table != "quarantine" or key == sources[name]["newest"]:
                    out.add(table, shards)


def read_scan(wh: Warehouse, key: str) -> dict | None:
    """A scan whose objects are all there; None where it was not made, or lost one."""
    path = wh.path("scans", key + ".json")
    try:
        body = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    refs = (ref for shards in body["tables"].values() for shard in shards for ref in shard)
    return body if hold(wh, [path, *(object_path(wh, ref["hash"]) for ref in refs)]) else None


def need_scan(wh: Warehouse, key: str, source: str) -> dict:
    """A scan that a release names. IntegrityError where it is missing or lost an object."""
    scan = read_scan(wh, key)
    if scan is None:
        raise IntegrityError(f"scan {key} of source {source} is missing or lost an object", fix="run `lode build` on that source again")
    return scan


def release_id(body: dict[str, Any]) -> str:
    """Hash of stages, sources, config and indexes: equal content, equal id."""
    part = {k: body[k] for k in ("format", "stages", "sources", "config", "indexes")}
    return make_id("release", json.dumps(part, sort_keys=True, ensure_ascii=False))


def write_release(wh: Warehouse, body: dict[str, Any]) -> Release:
    """Stores the release file and its views.sql; does not publish."""
    release = Release(wh, body)
    path = wh.path("releases", body["id"] + ".json")
    if not hold(wh, [path, views_path(wh, body["id"])]):
        views = "\n".join([
            f"-- Views of release {body['id']}: duckdb -init {body['id']}.views.sql",
            *view_statements(wh, release.tables()), "",
        ])
        wh.write(wh.path("releases", body["id"] + ".views.sql"), views.encode())
        wh.write(path, json.dumps(body, sort_keys=True, indent=1, ensure_ascii=False).encode())
    return release


def list_releases(wh: Warehouse) -> list[str]:
    return sorted(p.stem for p in wh.path("releases").glob("*.json"))


def open_release(wh: Warehouse, name: str | None = None) -> Release:
    """The release of this name (see `find_release`), kept from collection while the object lives. LodeError where there is none."""
    found = find_release(wh, name)
    hold_release(wh, found)
    release = Release(wh, json.loads(wh.path("releases", found + ".json").read_text()))
    weakref.finalize(release, free_release, str(wh.root), found)
    return release


def find_release(wh: Warehouse, name: str | None = None) -> str:
    """Id of a release: None or `current`; `previous`, `current~2` (what readers saw before the last move, the last two);
    the name of a pin; an id or a unique beginning of one. LodeError naming what was expected."""
    if name == "":
        raise UsageError("an empty name of a release", expected="current, previous, a pin, or an id from `lode releases`")
    wanted = "current" if name is None else name
    back = re.fullmatch(r"current(?:~(\d{1,6}))?|previous", wanted)
    if back:
        steps = 1 if wanted == "previous" else int(back[1] or 0)
        now = read_ref(wh, CURRENT)
        if now is None:
            raise LodeError("nothing is published in this warehouse yet", fix="run `lode build PATH --acl public`")
        if steps == 0:  # the ref alone says what is current: the log only tells what was
            return now
        seen = seen_releases(wh)
        if steps >= len(seen):
            raise LodeError(f"there is no {wanted}: readers saw {len(seen)} release(s) so far", expected="a release from `lode releases`")
        return seen[-1 - steps]
    if wanted in read_pins(wh):
        return read_pins(wh)[wanted]
    known = list_releases(wh)
    matches = [r for r in known if r.startswith(wanted)] if len(wanted) >= 4 else [r for r in known if r == wanted]
    if len(matches) != 1:
        what = "no release" if not matches else f"{len(matches)} releases"
        raise LodeError(f"{what} named {wanted}",
                        expected="current, previous, current~2, a pin, or an id or the beginning of one from `lode releases`")
    return matches[0]


def lost_current(wh: Warehouse) -> IntegrityError | None:
    """What to say where releases were made and refs/current is gone; None where it is there, or nothing was made."""
    stored = list_releases(wh)
    if not stored or read_ref(wh, CURRENT) is not None:
        return None
    return IntegrityError("refs/current is missing, but releases were made here", expected="it to name what readers see",
                          fix=f"run `lode rollback ID`, with one of {', '.join(stored[:5])}")


def current_release(wh: Warehouse) -> Release | None:
    name = read_ref(wh, CURRENT)
    return open_release(wh, name) if name else None


def published(wh: Warehouse) -> list[dict]:
    """The moves of the current ref that took effect, oldest first. A move that was killed before its ref is left out."""
    moves = [m for m in read_log(wh) if m["ref"] == CURRENT]
    after = [m["from"] for m in moves[1:]] + [read_ref(wh, CURRENT)]
    return [m for m, then in zip(moves, after, strict=True) if m["to"] == then] if moves else []


def seen_releases(wh: Warehouse) -> list[str]:
    """What `current` was, oldest first, without repeats in a row; ends with what it is."""
    out: list[str] = []
    for move in published(wh):
        if not out or out[-1] != move["to"]:
            out.append(move["to"])
    now = read_ref(wh, CURRENT)
    if now is not None and (not out or out[-1] != now):  # the log lost its end
        out.append(now)
    return out


def views_path(wh: Warehouse, release: str) -> Path:
    return wh.path("releases", release + ".views.sql")
