"""Builds `values` rows for the tests of conflict, through the real dedupe."""

from __future__ import annotations

import pyarrow as pa

from schemas import ids
from schemas.config import CONFIG_DIR, Config, resolve
from schemas.tables import TABLES
from schemas.time import parse_iso
from tasks.conflict import STAGE
from tasks.dedupe import STAGE as DEDUPE

CONFIG = resolve(Config(), CONFIG_DIR)
CARDINALITY = {"chief_executive_officer": "functional", "employer": "multi", "acquired": "event"}


def days(text: str | None):
    """'2010' -> (first, last); '2010..' -> (first, None); '..2010' -> (None, last)."""
    if text is None:
        return None, None
    first, dots, last = text.partition("..")
    low = parse_iso(first).first if first else None
    if dots:
        return low, parse_iso(last).last if last else None
    return low, parse_iso(first).last


def claim(name: str, obj: str, since: str | None = None, until: str | None = None, seen: str | None = None, *,
          doc: str | None = None, group: str | None = None, label: str = "public", subject: str = "Acme",
          predicate: str = "chief_executive_officer", basis: str = "explicit", end_basis: str | None = None, **more) -> dict:
    """One claim. `since`/`until`: stated years or days (an end year Y is [Y-01-01, (Y+1)-01-01]). `seen`: day of the document."""
    start, end = days(since), days(until)
    start_basis, until_basis = (basis if since else ""), ((end_basis or basis) if until else "")
    if until and len(until) == 4:
        end = (end[0], end[1] + 1)
    if seen:
        day = parse_iso(seen).first
        if not since:
            start, start_basis = (None, day), "document"
        if not until:
            end, until_basis = (day + 1, None), "document"
    subject_id = ids.name_entity_id(subject, "ORG")
    object_type = more.get("object_type", "string")
    row = {
        "claim_id": name, "mention_id": name, "document_id": doc or f"doc-{name}", "chunk_id": "x", "tenant": "default",
        "key_id": ids.key_id("default", subject_id, predicate, more.get("scope", "")), "label": label,
        "acl": label.split(",") if label else [], "subject_id": subject_id, "subject": subject, "predicate": predicate, "scope": "",
        "cardinality": CARDINALITY.get(predicate, "multi"), "object_id": obj, "object": obj, "object_type": object_type,
        "value": None, "unit": "", "condition": "", "polarity": "positive", "modality": "asserted", "attribution": "",
        "confidence": 0.8, "start_min": start[0], "start_max": start[1], "end_min": end[0], "end_max": end[1],
        "start_basis": start_basis, "end_basis": until_basis, "start_confidence": 0.9, "end_confidence": 0.9, "rule_id": "r",
        "recorded_from": None, "recorded_to": None, "history": "", "_group": group,
    }
    return {**row, **more}


def table(rows: list[dict], name: str = "claims") -> pa.Table:
    schema = TABLES[name].schema()
    plain = {"date32[day]": pa.int32(), "timestamp[s, tz=UTC]": pa.int64()}
    columns = []
    for field in schema:
        kind = plain.get(str(field.type))
        array = pa.array([r[field.name] for r in rows], kind or field.type)
        columns.append(array.cast(field.type) if kind else array)
    return pa.Table.from_arrays(columns, schema=schema)


def run(rows: list[dict], overrides: dict | None = None, config: dict | None = None) -> dict[str, pa.Table]:
    """claims -> nuggets, decisions, quarantine of the override report; `sourced` order is the order of `rows`."""
    cfg = {**CONFIG, **(config or {}), "overrides": overrides or {}}
    groups = {r["document_id"]: r["_group"] or r["document_id"] for r in rows}
    told = {r["document_id"]: r.get("source_date") for r in rows}
    schema = pa.schema([TABLES["documents"].schema().field(c) for c in DEDUPE.steps[0].reads[2].columns])
    dated = [{"document_id": d, "source_date": day, "language": None} for d, day in sorted(told.items()) if day is not None]
    documents = pa.Table.from_pylist(dated, schema=schema)
    sourced = DEDUPE.steps[0].run(cfg, {
        "claims": table(rows), "documents": documents,
        "origins": TABLES["origins"].from_rows([{"document_id": d, "source_group": g} for d, g in sorted(groups.items())]),
    })
    out = STAGE.steps[0].run(cfg, DEDUPE.steps[1].run(cfg, sourced))
    return {**out, **STAGE.steps[1].run(cfg, out)}


def listed(rows: list[dict], label: str = "public", **more) -> list[dict]:
    """Nuggets of one label by object, then start; days as ISO text."""
    out = [shown(n) for n in run(rows, **more)["nuggets"].to_pylist() if n["label"] == label]
    return sorted(out, key=lambda n: (n["object"], n["start_min"] or "", n["end_min"] or ""))


def shown(nugget: dict) -> dict:
    return {k: (v.isoformat() if k in ("start_min", "start_max", "end_min", "end_max") and v else v) for k, v in nugget.items()}


def one(rows: list[dict], obj: str, label: str = "public", **more) -> dict:
    found = [n for n in listed(rows, label, **more) if n["object"] == obj]
    assert len(found) == 1, found
    return found[0]


def states(rows: list[dict], label: str = "public", **more) -> dict[str, tuple[str, str]]:
    return {n["object"]: (n["state"], n["reason"]) for n in listed(rows, label, **more)}
