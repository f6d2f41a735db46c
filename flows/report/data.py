"""Everything that the page shows, as plain data: what report.json holds.

Guarantees: no field depends on the clock, the path of the warehouse or the order of rows; only `stages` (seconds, peaks)
tells of the run and is taken as given.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from flows.report.base import day_text, open_tables
from flows.report.changes import changes
from flows.report.dropped import quarantine
from flows.report.facts import chunk_lengths, contested, nugget_states, timelines
from flows.report.funnel import flow_steps
from schemas.tables import TABLES
from schemas.time import day_of_instant
from warehouse.reconcile import EXAMPLES, Reconciliation
from warehouse.releases import Release
from warehouse.tableset import TableSet

LEGS = ("sparse", "dense")


def report_data(
    release: Release, tables: TableSet, audits: list[dict], result: Reconciliation, stages: list[dict]
) -> dict[str, Any]:
    """The data of the report. `stages` is what `flows.progress.Reporter.to_json` gives, or empty where no run is known."""
    body = release.body
    con = open_tables(release.wh, tables)
    try:
        states = nugget_states(con)
        as_of = body.get("as_of")
        return {
            "release": release.id, "parent": body.get("parent"), "as_of": as_of, "as_of_day": day_text(as_of),
            "as_of_int_day": None if as_of is None else day_of_instant(as_of),
            "verdict": verdict(audits, result),
            "sources": [{"name": n, "complete": s.get("complete"), **s["spec"]} for n, s in sorted(body["sources"].items())],
            "counts": {t: tables.rows(t) for t, spec in TABLES.items() if spec.public and t not in ("lineage", "vectors")},
            "flow": flow_steps(con),
            "chunk_lengths": chunk_lengths(con),
            "nugget_states": states,
            "states": _sums(states, "state"), "reasons": _sums(states, "reason"),
            "timelines": timelines(con),
            "contested": contested(con),
            "reconciliation": result.counts, "matrix": matrix(result, body["indexes"]),
            "problems": result.problems, "texts_checked": result.texts_checked,
            **_quarantine(con),
            "changes": changes(con, release),
            "audits": audits, "stages": stages,
        }
    finally:
        con.close()


def verdict(audits: list[dict], result: Reconciliation) -> dict[str, Any]:
    """{sound, problems, failed_audits, warnings}: whether the stores agree and the blocking audits found nothing."""
    failed = [a["audit"] for a in audits if a["bad_rows"] and a["blocking"]]
    return {
        "sound": result.clean and not failed, "problems": len(result.problems), "failed_audits": failed,
        "warnings": [a["audit"] for a in audits if a["bad_rows"] and not a["blocking"]],
    }


def matrix(result: Reconciliation, indexes: dict) -> list[dict[str, Any]]:
    """Per store {store, metadata, legs: {sparse, dense}}: a leg is None where it is not built, else {found, problems}.

    `problems` is {problem: rows}; at EXAMPLES rows the reconciliation stops counting a problem, which `capped` says.
    """
    counts = {(c["store"], c["leg"]): c for c in result.counts}
    seen = Counter((p["store"], p["leg"], p["problem"]) for p in result.problems)
    out = []
    for store in sorted(indexes):
        legs: dict[str, dict | None] = {}
        for leg in LEGS:
            if leg not in indexes[store]:
                legs[leg] = None
                continue
            found = {p: n for (s, g, p), n in sorted(seen.items()) if (s, g) == (store, leg)}
            legs[leg] = {
                "found": counts[store, leg]["found"] if (store, leg) in counts else None,
                "problems": found, "capped": any(n >= EXAMPLES for n in found.values()),
            }
        of_metadata = {p: n for (s, g, p), n in sorted(seen.items()) if (s, g) == (store, "metadata")}
        totals = [c["metadata"] for c in result.counts if c["store"] == store]
        out.append({"store": store, "metadata": totals[0] if totals else None, "metadata_problems": of_metadata, "legs": legs})
    return out


def _sums(states: list[dict], by: str) -> dict[str, int]:
    out: dict[str, int] = {}
    for s in states:
        out[s[by]] = out.get(s[by], 0) + s["nuggets"]
    return dict(sorted(out.items()))


def _quarantine(con) -> dict[str, Any]:
    found = quarantine(con)
    return {"quarantine": found["reasons"], "errors": found["errors"], "errors_total": found["errors_total"]}
