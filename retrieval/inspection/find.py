"""What an id names: looked for in every table of a release by one query, and among the files of the warehouse.

An id may be given by its beginning. Exact beats beginning; where several ids begin alike the error names them with
their kinds. One id may name two things (a document and the source group that it opens): the first kind is shown, the
others are said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from retrieval.inspection.rows import Rows
from schemas.errors import LodeError, UsageError
from warehouse.duck import literal, quote
from warehouse.layout import Warehouse
from warehouse.refs import CURRENT, read_ref
from warehouse.releases import Release, list_releases, open_release, published

MIN_PREFIX = 6
CANDIDATES = 6  # per kind, in an error
ID = re.compile(r"^[0-9a-f]+$")


@dataclass(frozen=True)
class Kind:
    """A kind of row that has an id: its table and the column that holds it."""

    name: str
    table: str
    column: str


KINDS = {
    k.name: k for k in (
        Kind("document", "documents", "document_id"), Kind("version", "versions", "version_id"), Kind("block", "blocks", "block_id"),
        Kind("element", "elements", "element_id"), Kind("chunk", "chunks", "chunk_id"), Kind("sentence", "sentences", "sentence_id"),
        Kind("mention", "mentions", "mention_id"), Kind("claim", "claims", "claim_id"), Kind("value", "values", "value_id"),
        Kind("nugget", "nuggets", "nugget_id"), Kind("decision", "decisions", "decision_id"), Kind("key", "values", "key_id"),
        Kind("entity", "entities", "entity_id"), Kind("quarantine", "quarantine", "quarantine_id"), Kind("text", "texts", "text_object"),
        Kind("source_group", "origins", "source_group"), Kind("change", "changes", "change_id"),
    )
}
FILE_KINDS = ("release", "snapshot", "scan", "shard", "index", "object")


@dataclass(frozen=True)
class Found:
    """One thing that the id names, and what else it names."""

    kind: str
    id: str
    also: tuple[str, ...] = ()


def all_kinds() -> tuple[str, ...]:
    return (*KINDS, "source", *FILE_KINDS)


def find(rows: Rows, text: str, kind: str | None = None) -> Found:
    """What the id, or the beginning of one, names in this release.

    Raises UsageError on what cannot be an id, LodeError where it names nothing or several things.
    """
    if kind is not None and kind not in all_kinds():
        raise UsageError(f"no such kind: {kind!r}", expected=", ".join(all_kinds()))
    if text in rows.release.body["sources"] and kind in (None, "source"):
        return Found("source", text)
    prefix = text.strip().lower()
    if len(prefix) < MIN_PREFIX or not ID.match(prefix):
        raise UsageError(
            f"{text!r} is no id", expected=f"at least {MIN_PREFIX} hexadecimal digits, or the name of a source",
            fix="ids are in `lode query`, `lode history` and `lode sql`",
        )
    found = [f for f in _in_tables(rows, prefix) + _in_files(rows.wh, prefix) if kind in (None, f[0])]
    exact = [f for f in found if f[1] == prefix]
    ids = {i for _, i in (exact or found)}
    if len(ids) > 1:
        raise LodeError(
            f"{len(found)}{' or more' if _capped(found) else ''} things have ids that begin with {prefix}",
            expected="one: " + ", ".join(f"{k} {i}" for k, i in found[:12]) + (", …" if len(found) > 12 else ""),
            fix="give more digits",
        )
    if not ids:
        raise _missing(rows, prefix, kind)
    kinds = [k for k, _ in (exact or found)]
    return Found(kinds[0], ids.pop(), tuple(dict.fromkeys(k for k in kinds[1:])))


def _capped(found: list[tuple[str, str]]) -> bool:
    return any(sum(k == kind for k, _ in found) >= CANDIDATES for kind in {k for k, _ in found})


def _range(column: str, prefix: str) -> str:
    """Ids that begin so, as a range: Parquet's statistics can answer that. 'g' follows every digit."""
    return f"{quote(column)} >= {literal(prefix)} AND {quote(column)} < {literal(prefix + 'g')}"


def _in_tables(rows: Rows, prefix: str) -> list[tuple[str, str]]:
    parts = [
        f"(SELECT DISTINCT {n} AS n, {quote(k.column)} AS id FROM {quote(k.table)} WHERE {_range(k.column, prefix)} ORDER BY id LIMIT {CANDIDATES})"
        for n, k in enumerate(KINDS.values())
    ]
    kinds = list(KINDS)
    return [(kinds[r["n"]], r["id"]) for r in rows.all(" UNION ALL ".join(parts) + " ORDER BY n, id")]


def _in_files(wh: Warehouse, prefix: str) -> list[tuple[str, str]]:
    places = {
        "release": wh.path("releases").glob(f"{prefix}*.json"), "snapshot": wh.path("snapshots").glob(f"*/{prefix}*.json"),
        "scan": wh.path("scans").glob(f"{prefix}*.json"), "shard": wh.path("shards").rglob(f"{prefix}*.json"),
        "index": wh.path("indexes").glob(f"{prefix}*.json"), "object": wh.path("objects", prefix[:2]).glob(f"{prefix}*"),
    }
    return [(kind, i) for kind in FILE_KINDS for i in sorted({p.name.split(".")[0] for p in places[kind]})[:CANDIDATES]]


def _missing(rows: Rows, prefix: str, kind: str | None) -> LodeError:
    """The error for an id that this release does not hold: from its lineage, or other releases, where it may be."""
    old = rows.all(
        f"SELECT old_id, new_id, lineage_kind FROM lineage WHERE {_range('old_id', prefix)} ORDER BY old_id, lineage_kind LIMIT 1"
    )
    what = f"{'no ' + kind if kind else 'nothing'} in release {rows.release.id} has an id that begins with {prefix}"
    if old:
        went = old[0]
        return LodeError(
            f"{went['lineage_kind']} {went['old_id']} went when release {rows.release.id} was built",
            expected=f"its successor {went['new_id']}" if went["new_id"] else "an id of this release; nothing took its place",
            fix=f"run `lode trace {went['old_id']}`" + (f", or `lode show {went['new_id']}`" if went["new_id"] else ""),
        )
    for release in _others(rows):
        with Rows(release) as other:
            found = _in_tables(other, prefix)
        if found:
            k, i = found[0]
            return LodeError(f"{what}; {k} {i} is in release {release.id}", expected=f"--release {release.id}", fix=f"run `lode trace {i}`")
    return LodeError(what, expected="an id, or the beginning of one, of any table of this release")


def _others(rows: Rows) -> list[Release]:
    """The other releases, current one first, then those last published, then the rest."""
    moved = [m["to"] for m in reversed(published(rows.wh))]
    order = dict.fromkeys([read_ref(rows.wh, CURRENT), *moved, *list_releases(rows.wh)])
    return [open_release(rows.wh, i) for i in order if i and i != rows.release.id and i in list_releases(rows.wh)]
