"""The history of one subject's predicate: every nugget of its keys, with bounds, states, reasons, evidence and chain.

Keys are in order of tenant, scope and label, nuggets in order of their start, so the same release gives the same bytes. With an
`Access` only what this reader may see is there: facts by `visible.Access`, evidence by the access of its documents.
"""

from __future__ import annotations

from typing import Any

from retrieval.inspection.naming import choose, facts
from retrieval.inspection.rows import Rows, iso_instant, listed, names
from retrieval.inspection.visible import Access
from schemas.errors import LodeError
from schemas.search import VIEWS
from schemas.time import Day, Interval, day_of_instant, iso
from warehouse.duck import literal

BOUNDS = ("start_min", "start_max", "end_min", "end_max")
_COLUMNS = (
    "nugget_id key_id label tenant kind subject predicate scope cardinality object_id object object_type value unit condition start_min "
    "start_max end_min end_max start_basis end_basis start_confidence end_confidence recorded_from recorded_to state reason source_count "
    "claim_ids supersedes superseded_by confidence language"
)
TITLES = 3


def history(
    rows: Rows, subject: str, predicate: str, *, at: Day | None = None, known_at: int | None = None, view: str = "all",
    scope: str | None = None, access: Access | None = None,
) -> dict[str, Any]:
    """{release, reader, subject, predicate, at, known_at, view, keys, axis, states, left_out, notes}.

    `keys`: one entry per key and label, with its `nuggets`; days are ISO text. `axis` is {first, until} of all days that are
    known, null where none is. `at` marks what holds (`certainly`, `possibly`); `known_at` (seconds) keeps what sources said then. LodeError
    as `naming.choose`.
    """
    chosen = choose(rows, subject, predicate, access)
    one = chosen.subject
    found = rows.all(f"SELECT {names(_COLUMNS)} FROM {facts(access)} WHERE subject_id = {literal(one.id)} AND predicate = {literal(chosen.predicate)}")
    scopes = sorted({r["scope"] for r in found})
    if scope is not None and scope not in scopes:
        raise LodeError(f"no scope {scope!r} of {one.name} {chosen.predicate}", expected=", ".join(repr(s) for s in scopes))
    kept = [r for r in found if scope in (None, r["scope"]) and r["state"] in VIEWS[view] and _said(r, known_at)]
    kept.sort(key=_place)
    sources = _sources(rows, kept, access, known_at)
    shown_ids = {r["nugget_id"] for r in found}
    keys: dict[tuple, dict[str, Any]] = {}
    for r in kept:
        key = keys.setdefault((r["tenant"], r["scope"], r["label"] != "public", r["label"]), {
            "key_id": r["key_id"], "tenant": r["tenant"], "scope": r["scope"], "label": r["label"], "nuggets": []})
        key["nuggets"].append(_nugget(r, sources, at, None if access is None else shown_ids))
    body = rows.release.config["predicates"].get(chosen.predicate) or {}
    as_of = rows.release.body.get("as_of")
    states = {s: sum(r["state"] == s for r in kept) for s in VIEWS["all"]}
    return {
        "release": rows.release.id, "reader": None if access is None else access.to_json(),
        "subject": {"id": one.id, "name": one.name},
        "predicate": {"id": chosen.predicate, "cardinality": found[0]["cardinality"], "description": body.get("description", "")},
        "at": iso(at), "known_at": iso_instant(known_at), "view": view, "as_of": None if as_of is None else iso(day_of_instant(as_of)),
        "keys": [keys[k] for k in sorted(keys)], "axis": _axis(kept, as_of), "states": {s: n for s, n in states.items() if n},
        "left_out": len(found) - len(kept), "notes": list(chosen.notes),
    }


def _said(row: dict[str, Any], known_at: int | None) -> bool:
    """recorded_from <= known_at < recorded_to, null being open."""
    if known_at is None:
        return True
    first, last = row["recorded_from"], row["recorded_to"]
    return (first is None or first <= known_at) and (last is None or known_at < last)


def _place(row: dict[str, Any]) -> tuple:
    """By the first day that it can have started, then by its end; what has no day comes last."""
    days = [row[b] for b in BOUNDS]
    start = next((d for d in days[:2] if d is not None), None)
    end = next((d for d in (row["end_max"], row["end_min"]) if d is not None), None)
    return (start is None and end is None, start if start is not None else end or 0, end is None, end or 0, row["object"], row["nugget_id"])


def _sources(rows: Rows, kept: list[dict[str, Any]], access: Access | None, known_at: int | None) -> dict[str, dict[str, Any]]:
    """claim_id -> its document {document_id, title, source}, for claims that the reader may read and that were said by then."""
    keys = {r["key_id"] for r in kept}
    if not keys:
        return {}
    readable = "" if access is None else f" AND {access.row('v.')} AND {access.row('d.')}"
    said = "" if known_at is None else f" AND (v.recorded_from IS NULL OR epoch(v.recorded_from) <= {known_at})"
    found = rows.all(
        f"SELECT v.claim_id, d.document_id, coalesce(d.title, d.uri, d.native_key) AS title, d.source FROM \"values\" v "
        f"JOIN documents d ON d.document_id = v.document_id WHERE v.key_id IN {listed(keys)}{readable}{said}"
    )
    return {r["claim_id"]: {k: r[k] for k in ("document_id", "title", "source")} for r in found}


def _nugget(row: dict[str, Any], sources: dict[str, dict[str, Any]], at: Day | None, only: set[str] | None) -> dict[str, Any]:
    held = [sources[c] for c in row["claim_ids"] if c in sources]
    documents = sorted({d["document_id"]: d for d in held}.values(), key=lambda d: (d["title"], d["document_id"]))
    return {
        **{k: row[k] for k in ("nugget_id", "kind", "object", "object_id", "object_type", "value", "unit", "condition", "state", "reason")},
        "valid": {**{b: iso(row[b]) for b in BOUNDS}, "start_basis": row["start_basis"], "end_basis": row["end_basis"],
                  "start_confidence": _round(row["start_confidence"]), "end_confidence": _round(row["end_confidence"])},
        "recorded_from": iso_instant(row["recorded_from"]), "recorded_to": iso_instant(row["recorded_to"]),
        "holds": None if at is None else _holds(row, at), "source_count": row["source_count"], "claims": len(held),
        "documents_n": len(documents), "documents": documents,
        **{k: [i for i in row[k] if only is None or i in only] for k in ("supersedes", "superseded_by")},
    }


def _holds(row: dict[str, Any], at: Day) -> str:
    interval = Interval(*(row[b] for b in BOUNDS))
    return "certainly" if interval.certainly(at) else "possibly" if interval.possibly(at) else "not"


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _axis(kept: list[dict[str, Any]], as_of: int | None) -> dict[str, str] | None:
    """From the first to the last known day; an open end reaches to the newest source."""
    days = [r[b] for r in kept for b in BOUNDS if r[b] is not None]
    if not days:
        return None
    if as_of is not None and any(r["end_max"] is None for r in kept):
        days.append(day_of_instant(as_of))
    return {"first": iso(min(days)) or "", "until": iso(max(days)) or ""}
