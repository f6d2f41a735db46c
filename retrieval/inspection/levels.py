"""What is compared at each level, and the rows in which two releases differ.

Guarantees: every id of either release that is not in the other is `added`, `removed`, or one end of one `moved` row;
`changed` rows have one id in both and differ in a compared column. With A and B exchanged, added and removed change
places and the same rows are paired.
"""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.inspection.pair import NEW, OLD, Pair
from schemas.tables import TABLES

STATUSES = ("added", "removed", "moved", "changed")
_FAR = 1 << 30  # between a dated start and an undated one


@dataclass(frozen=True)
class Level:
    """`compared`: columns whose change is told. `shown`: columns that describe a row. `same`: rows of different ids that
    agree in these columns are one row that moved; the nearest by `place` (a number of days) first. `order`: of a listing."""

    name: str
    table: str
    id: str
    compared: tuple[str, ...]
    shown: tuple[str, ...]
    order: tuple[str, ...]
    same: tuple[str, ...] = ()
    place: str = "0"


_DAYS = ("start_min", "start_max", "end_min", "end_max")
_BASES = ("start_basis", "end_basis")
LEVELS: dict[str, Level] = {
    level.name: level for level in (
        Level("document", "documents", "document_id",
              ("version_id", "title", "uri", "source", "acl", "tenant", "status", "redirect_to", "language", "mime", "source_date",
               "valid_from", "valid_to"),
              ("document_id", "title", "uri", "source", "label", "status", "version_id", "source_date"), ("source", "uri", "document_id")),
        # Spans and version follow the document's: they are no change of the chunk.
        Level("chunk", "chunks", "chunk_id",
              ("ordinal", "heading_path", "title", "header", "rendition_hash", "acl", "tenant", "language", "valid_from", "valid_to",
               "config_version"),
              ("chunk_id", "document_id", "title", "heading_path", "kind", "ordinal", "text", "label"), ("document_id", "ordinal", "chunk_id")),
        Level("claim", "claims", "claim_id",
              ("key_id", "subject", "predicate", "scope", "object", "object_id", "value", "unit", "condition", "polarity", "modality",
               "attribution", "acl", "tenant", *_DAYS, *_BASES, "rule_id", "recorded_from", "recorded_to", "confidence"),
              ("claim_id", "mention_id", "document_id", "chunk_id", "key_id", "label", "subject", "predicate", "scope", "object", *_DAYS, "rule_id"),
              ("subject", "predicate", "object", "claim_id"), same=("mention_id",)),
        Level("nugget", "nuggets", "nugget_id",
              ("state", "reason", *_DAYS, *_BASES, "source_count", "claim_ids", "source_groups", "supersedes", "superseded_by", "text",
               "condition", "recorded_from", "recorded_to", "confidence", "language"),
              ("nugget_id", "key_id", "label", "kind", "subject", "predicate", "scope", "cardinality", "object_id", "object", "text",
               *_DAYS, "state", "reason", "source_count", "claim_ids"),
              ("subject", "predicate", "scope", "object", "start_min", "nugget_id"), same=("key_id", "label", "object_id"),
              place="coalesce(start_min, start_max) - DATE '1970-01-01'"),
    )
}


def compare(pair: Pair, level: Level) -> str | None:
    """Makes the table of what differs: (old_id, new_id, status, fields, old_state, new_state). None where nothing can."""
    if not pair.differs(level.table):
        return None
    con, key = pair.con, f'"{level.id}"'
    name = f"delta_{level.name}"
    old, new = pair.changed(OLD, level.table), pair.changed(NEW, level.table)
    _pairs(pair, level, old, new)
    fields = ", ".join(f"CASE WHEN o.\"{c}\" IS DISTINCT FROM n.\"{c}\" THEN '{c}' END" for c in level.compared)
    columns = ", ".join(f'"{c}"' for c in dict.fromkeys((level.id, *level.compared)))
    states = "o.state, n.state" if "state" in level.compared else "NULL::VARCHAR, NULL::VARCHAR"
    con.execute(f"""CREATE OR REPLACE TEMP TABLE {name} AS
        WITH o AS (SELECT {columns} FROM {old}),
        n AS (SELECT {columns.replace(key, f'f.{key}', 1)}, coalesce(p.old_id, f.{key}) AS was FROM {new} f
              LEFT JOIN pairs_{level.name} p ON p.new_id = f.{key}),
        met AS (SELECT o.{key} AS old_id, n.{key} AS new_id, list_filter([{fields}], lambda x: x IS NOT NULL) AS fields,
                {states.replace(', ', ' AS old_state, ')} AS new_state FROM o FULL JOIN n ON n.was = o.{key})
        SELECT old_id, new_id, CASE WHEN old_id IS NULL THEN 'added' WHEN new_id IS NULL THEN 'removed'
            WHEN old_id <> new_id THEN 'moved' ELSE 'changed' END AS status, fields, old_state, new_state
        FROM met WHERE old_id IS DISTINCT FROM new_id OR len(fields) > 0""")
    return name


def _pairs(pair: Pair, level: Level, old: str, new: str) -> None:
    """Table pairs_<level>: (old_id, new_id) of rows that went and came and are the same but for their place."""
    con, name = pair.con, f"pairs_{level.name}"
    con.execute(f"CREATE OR REPLACE TEMP TABLE {name} (old_id VARCHAR, new_id VARCHAR)")
    if not level.same:
        return
    same = ", ".join(f'"{c}"' for c in level.same)
    for side, mine, other in (("gone", old, new), ("fresh", new, old)):
        con.execute(f"""CREATE OR REPLACE TEMP TABLE {side} AS SELECT "{level.id}" AS id, {same}, {level.place} AS place FROM {mine}
            WHERE "{level.id}" NOT IN (SELECT "{level.id}" FROM {other})""")
    # The nearest pair of all is always taken, so each round pairs something where there is anything to pair.
    last = "least(g.id, f.id), greatest(g.id, f.id)"
    while True:
        made = con.execute(f"""INSERT INTO {name} WITH met AS (
            SELECT g.id AS old_id, f.id AS new_id,
                row_number() OVER (PARTITION BY g.id ORDER BY {_distance('g', 'f')}, {last}) AS of_old,
                row_number() OVER (PARTITION BY f.id ORDER BY {_distance('g', 'f')}, {last}) AS of_new
            FROM gone g JOIN fresh f USING ({same})
            WHERE g.id NOT IN (SELECT old_id FROM {name}) AND f.id NOT IN (SELECT new_id FROM {name}))
            SELECT old_id, new_id FROM met WHERE of_old = 1 AND of_new = 1""").fetchall()[0][0]
        if not made:
            return


def _distance(a: str, b: str) -> str:
    return f"CASE WHEN {a}.place IS NULL AND {b}.place IS NULL THEN 0 ELSE coalesce(abs({a}.place - {b}.place), {_FAR}) END"


def row_counts(pair: Pair, level: Level) -> tuple[int, int]:
    return pair.tables[OLD].rows(level.table), pair.tables[NEW].rows(level.table)


for _level in LEVELS.values():
    if unknown := {_level.id, *_level.compared, *_level.shown, *_level.same} - set(TABLES[_level.table].fields):
        raise AssertionError(f"level {_level.name} names unknown columns: {sorted(unknown)}")
