"""The reconciliation report of a release: Parquet, JSON and one self-contained HTML page."""

from __future__ import annotations

import json
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, select_autoescape

from warehouse.objects import parquet_bytes
from warehouse.reconcile import Reconciliation
from warehouse.releases import Release
from warehouse.tableset import TableSet

TEMPLATES = Path(__file__).parent / "templates"


def write_report(
    release: Release, tables: TableSet, audits: list[dict], result: Reconciliation, stages: list[dict]
) -> Path:
    """Writes reports/<release>/{reconciliation.parquet,report.json,report.html}; gives the folder."""
    wh = release.wh
    folder = wh.path("reports", release.id)
    data = report_data(release, tables, audits, result, stages)
    wh.write(folder / "reconciliation.parquet", parquet_bytes(result.table()))
    wh.write(folder / "report.json", json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False).encode())
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=select_autoescape(["html", "j2"]))
    wh.write(folder / "report.html", environment.get_template("report.html.j2").render(**data).encode())
    return folder


def report_data(
    release: Release, tables: TableSet, audits: list[dict], result: Reconciliation, stages: list[dict]
) -> dict:
    """What the report shows, as plain data."""
    flow = [
        {"table": t, "rows": tables.rows(t)}
        for t in ("documents", "elements", "chunks", "sentences", "mentions", "claims", "values", "nuggets")
    ]
    widest = max([f["rows"] for f in flow] + [1])
    for f in flow:
        f["percent"] = round(100 * f["rows"] / widest, 1)
    nuggets = tables.read(release.wh, "nuggets", ["state", "reason"]).to_pylist()
    states: dict[str, int] = {}
    reasons: dict[str, int] = {}
    for n in nuggets:
        states[n["state"]] = states.get(n["state"], 0) + 1
        reasons[n["reason"]] = reasons.get(n["reason"], 0) + 1
    quarantine: dict[tuple[str, str, str], int] = {}
    for q in tables.read(release.wh, "quarantine", ["stage", "severity", "reason"]).to_pylist():
        key = (q["stage"], q["severity"], q["reason"])
        quarantine[key] = quarantine.get(key, 0) + 1
    return {
        "release": release.id, "parent": release.body.get("parent"), "as_of": release.body.get("as_of"),
        "sources": [{"name": n, **s["spec"]} for n, s in sorted(release.body["sources"].items())],
        "flow": flow, "states": dict(sorted(states.items())), "reasons": dict(sorted(reasons.items())),
        "reconciliation": result.counts, "problems": result.problems, "texts_checked": result.texts_checked,
        "audits": audits, "stages": stages,
        "quarantine": [
            {"stage": k[0], "severity": k[1], "reason": k[2], "rows": n} for k, n in sorted(quarantine.items())
        ],
    }
