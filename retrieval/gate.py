"""The only door to a release's rows: whatever comes through it may be read by this reader.

Every row is checked by `schemas.search.matches`, in the words of the stores; a row that fails is treated as one that
is not there, so nothing behind the door can tell hidden from missing. Calls are batched and remembered per query.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import pyarrow as pa

from retrieval.filters import access_only
from retrieval.ports import ReleaseReader
from schemas.search import PAST, SearchFilter, hidden_groups, matches

_BOUNDS = ("start_min", "start_max", "end_min", "end_max")
_COLUMNS = {
    "nuggets": "nugget_id key_id value_id label acl hidden_for tenant kind subject predicate scope cardinality subject_id object_id object "
    "object_type value unit condition text start_min start_max end_min end_max start_basis end_basis start_confidence "
    "end_confidence recorded_from recorded_to state reason source_count claim_ids confidence language",
    "chunks": "chunk_id document_id version_id parent_id previous_id next_id kind ordinal title heading_path header text source_spans "
    "acl tenant language valid_from valid_to source_date shown_from shown_to",
    "claims": "claim_id mention_id document_id chunk_id acl tenant confidence recorded_from recorded_to",
    "mentions": "mention_id document_id chunk_id sentence source_spans subject object",
    "documents": "document_id version_id uri title acl tenant language",
}


def plain_rows(table: pa.Table, wanted: Iterable[str]) -> list[dict]:
    """Rows as dicts; days and instants as ints (Python dates fail before year 1)."""
    table = table.select([n for n in wanted if n in table.column_names])
    for i, column in enumerate(table.schema):
        if pa.types.is_date32(column.type):
            table = table.set_column(i, column.name, table[column.name].cast(pa.int32()))
        elif pa.types.is_timestamp(column.type):
            table = table.set_column(i, column.name, table[column.name].cast(pa.timestamp("s", column.type.tz)).cast(pa.int64()))
    return table.to_pylist()


def as_doc(row: dict) -> dict:
    """A nugget or chunk row in the words of `schemas.search.matches`."""
    if "nugget_id" in row:
        return {**row, "hidden_for": row.get("hidden_for") or [], "language": row.get("language") or "und"}
    if row.get("shown_from") is not None or row.get("shown_to") is not None:
        first, gone = row["shown_from"], row["shown_to"]
        return {
            **row, "hidden_for": [], "state": PAST, "start_min": None if first is None else first // 86400, "start_max": None, "end_min": None,
            "end_max": None if gone is None else -(-gone // 86400), "recorded_from": first, "recorded_to": gone,
            "language": row.get("language") or "und",
        }
    return {
        **row, "hidden_for": [], "state": "active", "start_min": row.get("valid_from"), "start_max": None, "end_min": None,
        "end_max": row.get("valid_to"), "recorded_from": row.get("source_date"), "recorded_to": None, "language": row.get("language") or "und",
    }


class Gate:
    """Reads rows for one reader and one query."""

    def __init__(self, reader: ReleaseReader, filter: SearchFilter) -> None:
        self.reader = reader
        self.filter = filter
        self.bare = access_only(filter)
        self.calls = 0
        self._seen: dict[tuple[str, str], dict[str, list[dict]]] = {}

    def _fetch(self, table: str, column: str, ids: Iterable[str]) -> dict[str, list[dict]]:
        """All rows (readable or not) per id, remembered; one call for the ids that are new."""
        seen = self._seen.setdefault((table, column), {})
        new = sorted({i for i in ids if i and i not in seen})
        if new:
            self.calls += 1
            seen.update((i, []) for i in new)
            for row in plain_rows(self.reader.rows(table, column, new), _COLUMNS[table].split()):
                seen.setdefault(row[column], []).append(row)
            for i in new:
                seen[i].sort(key=lambda row: str(row[_COLUMNS[table].split()[0]]))
        return seen

    def _readable(self, row: dict) -> bool:
        if not set(self.filter.groups) & set(row.get("acl") or ()):
            return False
        return row.get("tenant") == self.filter.tenant

    def nuggets(self, ids: Sequence[str], from_store: Collection[str] = ()) -> dict[str, dict]:
        """Readable nuggets by id, whatever their state or time.

        Ids in `from_store` came out of a store that has applied `hidden_for`; for the others it is worked out here.
        """
        seen = self._fetch("nuggets", "nugget_id", ids)
        rows = [row for i in ids for row in seen.get(i, ())[:1] if self._readable(row)]
        unsure = [r for r in rows if "hidden_for" not in r and r["nugget_id"] not in from_store]
        if unsure and self._holds_more_than_public:
            hidden = {r["nugget_id"] for r in self._raw_siblings({r["key_id"] for r in unsure}) if self._hidden(r)}
            rows = [r for r in rows if r["nugget_id"] in from_store or r["nugget_id"] not in hidden]
        return {r["nugget_id"]: r for r in rows if matches(as_doc(r), self.bare)}

    @property
    def _holds_more_than_public(self) -> bool:
        return set(self.filter.groups) != {"public"}

    def siblings(self, keys: Sequence[str]) -> list[dict]:
        """Readable nuggets of these keys, whatever their state or time, by nugget_id."""
        rows = [r for r in self._raw_siblings(keys) if self._readable(r) and not self._hidden(r)]
        return sorted((r for r in rows if matches(as_doc(r), self.bare)), key=lambda r: r["nugget_id"])

    def _raw_siblings(self, keys: Iterable[str]) -> list[dict]:
        keys = sorted(set(keys))
        seen = self._fetch("nuggets", "key_id", keys)
        rows = [row for key in keys for row in seen.get(key, ())]
        if rows and "hidden_for" not in rows[0]:
            labels: dict[str, set[str]] = {}
            for row in rows:
                if "public" not in (row["acl"] or ()):
                    labels.setdefault(row["key_id"], set()).add(row["label"])
            for row in rows:
                row["_hidden_for"] = sorted(labels.get(row["key_id"], ())) if "public" in (row["acl"] or ()) else []
        return rows

    def _hidden(self, row: dict) -> bool:
        """A public nugget is hidden from those whose own label has a verdict of its own on the key."""
        labels = row.get("hidden_for") if "hidden_for" in row else row.get("_hidden_for")
        return bool(set(self.filter.groups) & hidden_groups(labels))

    def chunks(self, ids: Iterable[str]) -> dict[str, dict]:
        """Readable chunks by id."""
        ids = list(dict.fromkeys(ids))
        seen = self._fetch("chunks", "chunk_id", ids)
        return {i: row for i in ids for row in seen.get(i, ())[:1] if self._readable(row)}

    def documents(self, ids: Iterable[str]) -> dict[str, dict]:
        """Readable documents by id."""
        ids = list(dict.fromkeys(ids))
        seen = self._fetch("documents", "document_id", ids)
        return {i: row for i in ids for row in seen.get(i, ())[:1] if self._readable(row)}

    def claims(self, ids: Iterable[str]) -> dict[str, dict]:
        """Readable claims by id; with `known_at` only those recorded by then."""
        ids = list(dict.fromkeys(ids))
        seen = self._fetch("claims", "claim_id", ids)
        known = self.filter.known_at
        return {
            i: row for i in ids for row in seen.get(i, ())[:1]
            if self._readable(row) and (known is None or row.get("recorded_from") is None or row["recorded_from"] <= known)
        }

    def mentions(self, claims: Iterable[dict]) -> dict[str, dict]:
        """Mentions of readable claims, by mention_id; a mention has no access list of its own."""
        home = {c["mention_id"]: c["document_id"] for c in claims}
        seen = self._fetch("mentions", "mention_id", list(home))
        return {i: row for i in home for row in seen.get(i, ())[:1] if row["document_id"] == home[i]}
