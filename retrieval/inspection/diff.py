"""What changed between two releases, at each level, and why.

Guarantees: a function of the two releases; rows in a fixed order. `removed` of diff(A, B) is `added` of diff(B, A). A
nugget whose id changed because its interval's year moved is one `moved` row, and so is a claim whose key moved. Shards
whose objects are equal are not opened, so equal releases are compared in no time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from retrieval.inspection.causes import Causes
from retrieval.inspection.levels import LEVELS, STATUSES, Level, compare, row_counts
from retrieval.inspection.nugget_causes import nugget_causes
from retrieval.inspection.pair import NEW, OLD, Pair
from retrieval.inspection.settings import settings_changes
from schemas.errors import UsageError
from warehouse.layout import Warehouse
from warehouse.releases import Release

ID_LISTS = ("claim_ids", "source_groups", "supersedes", "superseded_by")  # told by what came and went
_INNER = ("claim_ids", "object_id")  # read to find causes, not told


def diff_releases(
    wh: Warehouse, old: Release, new: Release, *, levels: Sequence[str] | None = None, limit: int | None = None,
    only_states: bool = False,
) -> dict[str, Any]:
    """JSON data: {old, new, same, only_states, settings, levels: {level: {counts: {old, new, added, removed, moved, changed}, added: [],
    removed: [], moved: [], changed: []}}, states: [{before, after, count}]}. `limit` is per list; counts are always whole.

    `only_states` tells of nuggets alone, and of them those whose state moved. UsageError on an unknown level.
    """
    wanted = list(dict.fromkeys(levels or (("nugget",) if only_states else LEVELS)))
    if unknown := [level for level in wanted if level not in LEVELS]:
        raise UsageError(f"level {unknown[0]!r}", expected=", ".join(LEVELS))
    if only_states and wanted != ["nugget"]:
        raise UsageError("only states, at a level other than nugget", expected="--level nugget, or none")
    if limit is not None and limit < 0:
        raise UsageError(f"limit {limit}", expected="0 or more")
    settings = settings_changes(wh, old, new)
    out: dict[str, Any] = {"old": old.id, "new": new.id, "same": old.id == new.id, "only_states": only_states}
    out |= {"settings": settings, "levels": {}}
    with Pair(wh, old, new) as pair:
        causes = Causes(pair, settings)
        for name in (n for n in LEVELS if n in wanted):
            level = LEVELS[name]
            table = compare(pair, level)
            out["levels"][name] = _level(pair, causes, level, table, limit, only_states)
            if name == "nugget":
                out["states"] = _states(pair, table)
    return out


def _level(pair: Pair, causes: Causes, level: Level, table: str | None, limit: int | None, only_states: bool) -> dict[str, Any]:
    before, after = row_counts(pair, level)
    found = dict(pair.con.sql(f"SELECT status, count(*) FROM {table} GROUP BY ALL").fetchall()) if table else {}
    out: dict[str, Any] = {"counts": {"old": before, "new": after, **{s: found.get(s, 0) for s in STATUSES}}}
    if level.name == "nugget":
        moved = pair.con.sql(f"SELECT count(*) FROM {table} WHERE old_state <> new_state").fetchall()[0][0] if table else 0
        out["counts"]["state_moved"] = moved
    told = {s: _rows(pair, level, table, s, limit, only_states) if table and found.get(s) else [] for s in STATUSES}
    pairs = [(s, r) for s in STATUSES for r in told[s]]
    ends: dict[str, Any] | None = None
    if level.name == "nugget":
        made = nugget_causes(causes, [r for _, r in pairs])
        ends = nugget_successors(pair, [o for s, (o, _) in pairs if o is not None and s == "removed"])
    elif level.name == "claim":
        made = _claim_causes(causes, pairs)
    else:
        causes.load((o or n or {})["document_id"] for _, (o, n) in pairs)
        made = [causes.document((o or n or {})["document_id"], level.name) for _, (o, n) in pairs]
        if level.name == "chunk":
            ends = chunk_successors(pair, [o for s, (o, _) in pairs if o is not None and s == "removed"])
    for status in STATUSES:
        out[status] = []
    for (status, (o, n)), cause in zip(pairs, made, strict=True):
        row = n or o or {}
        entry = {k: row[k] for k in level.shown if k not in _INNER}
        if o and n and status == "moved":
            entry |= {"old_id": o[level.id], "new_id": n[level.id]}
        if o and n:
            entry["changes"] = changes_of(level, o, n)
        elif ends is not None and status == "removed":
            entry["successor"] = ends.get(row[level.id])
        out[status].append({**entry, "cause": cause})
    return out


def _rows(pair: Pair, level: Level, table: str, status: str, limit: int | None, only_states: bool) -> list[tuple[dict | None, dict | None]]:
    """(old row, new row) of one status, in the level's order; of nuggets, those whose state moved come first."""
    if only_states and status in ("added", "removed"):
        return []
    names = list(dict.fromkeys((*level.shown, *level.compared)))
    lead = "n" if status != "removed" else "o"
    order = [f'{lead}."{c}" NULLS FIRST' for c in level.order]
    if level.name == "nugget":
        order.insert(0, "(d.old_state IS NOT DISTINCT FROM d.new_state)")
    listed = ", ".join(f'{s}."{c}" AS {s}_{c}' for s in ("o", "n") for c in names)
    rows = pair.rows(
        f"SELECT {listed} FROM {table} d "
        f"LEFT JOIN {_narrow(pair, OLD, level, names, table)} o ON o.\"{level.id}\" = d.old_id "
        f"LEFT JOIN {_narrow(pair, NEW, level, names, table)} n ON n.\"{level.id}\" = d.new_id "
        f"WHERE d.status = '{status}'{' AND d.old_state <> d.new_state' if only_states else ''} "
        f"ORDER BY {', '.join(order)}{'' if limit is None else f' LIMIT {limit}'}"
    )
    out = []
    for r in rows:
        o, n = ({c: r[f"{s}_{c}"] for c in names} for s in ("o", "n"))
        out.append((o if o[level.id] else None, n if n[level.id] else None))
    return out


def _narrow(pair: Pair, side: str, level: Level, names: Iterable[str], table: str) -> str:
    column = "old_id" if side == OLD else "new_id"
    listed = ", ".join(f'"{c}"' for c in names)
    return f"(SELECT {listed} FROM {pair.changed(side, level.table)} WHERE \"{level.id}\" IN (SELECT {column} FROM {table}))"


def changes_of(level: Level, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """{column: [old, new]} of the compared columns that differ; lists of ids as {came, went}."""
    out: dict[str, Any] = {}
    for c in level.compared:
        if old[c] != new[c]:
            a, b = old[c] or [], new[c] or []
            out[c] = {"came": sorted(set(b) - set(a)), "went": sorted(set(a) - set(b))} if c in ID_LISTS else [old[c], new[c]]
    return out


def _claim_causes(causes: Causes, pairs: list[tuple[str, tuple]]) -> list[dict[str, Any]]:
    gone = {o["claim_id"]: o["document_id"] for s, (o, _) in pairs if s in ("removed", "moved")}
    fresh = {n["claim_id"]: n["document_id"] for s, (_, n) in pairs if s in ("added", "moved")}
    why = causes.claims(gone, fresh)
    return [why[(n or o)["claim_id"]] if s != "changed" else causes.document(n["document_id"], "claim") for s, (o, n) in pairs]


def chunk_successors(pair: Pair, gone: list[dict]) -> dict[str, str]:
    """For chunks that went: the new chunk nearest to its place in the document, by the rule of `lineage`. {old id: new id}"""
    if not gone:
        return {}
    old, new = pair.changed(OLD, "chunks"), pair.changed(NEW, "chunks")
    rows = pair.rows(f"""SELECT g.chunk_id AS old_id, f.chunk_id AS new_id FROM {old} g JOIN {new} f USING (document_id)
        WHERE g.chunk_id IN (FROM {pair.ids(r["chunk_id"] for r in gone)}) AND f.chunk_id NOT IN (SELECT chunk_id FROM {old})
        QUALIFY row_number() OVER (PARTITION BY g.chunk_id ORDER BY g.heading_path <> f.heading_path, g.kind <> f.kind,
            abs(g.ordinal - f.ordinal), f.chunk_id) = 1""")
    return {r["old_id"]: r["new_id"] for r in rows}


def nugget_successors(pair: Pair, gone: list[dict]) -> dict[str, dict[str, Any]]:
    """For nuggets that went: the nugget of the new release with the same key and value, of the same label if there is one,
    nearest in time. {old id: {nugget_id, label, state, start_min}}"""
    keys = {r["key_id"] for r in gone}
    if not keys:
        return {}
    listed, day = pair.ids(r["nugget_id"] for r in gone), "coalesce({0}.start_min, {0}.start_max)"
    rows = pair.rows(f"""SELECT g.nugget_id AS old_id, f.nugget_id, f.label, f.state, f.start_min
        FROM {pair.whole(OLD, 'nuggets', keys)} g JOIN {pair.whole(NEW, 'nuggets', keys)} f USING (key_id, object_id)
        WHERE g.nugget_id IN (FROM {listed})
        QUALIFY row_number() OVER (PARTITION BY g.nugget_id ORDER BY f.label <> g.label,
            abs({day.format('g')} - {day.format('f')}) NULLS LAST, f.nugget_id) = 1 ORDER BY old_id""")
    return {r.pop("old_id"): r for r in rows}


def _states(pair: Pair, table: str | None) -> list[dict[str, Any]]:
    """How many nuggets went from which state to which; None = there was or is none."""
    if table is None:
        return []
    return pair.rows(f"""SELECT old_state AS before, new_state AS after, count(*) AS count FROM {table}
        WHERE old_state IS DISTINCT FROM new_state GROUP BY ALL ORDER BY before NULLS FIRST, after NULLS LAST""")


__all__ = ["ID_LISTS", "LEVELS", "changes_of", "diff_releases"]
