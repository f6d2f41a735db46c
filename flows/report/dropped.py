"""Quarantine as the report shows it: every reason with its count and examples, and the errors one by one.

Guarantees: counts are of all rows; examples and errors are capped and say so; each names the document by title and address.
"""

from __future__ import annotations

import duckdb

from flows.report.base import one, rows

EXAMPLES, ERRORS = 3, 200

ERRORS_SQL = "SELECT * FROM quarantine WHERE severity = 'error' ORDER BY ALL"
_PLACED = """SELECT q.stage, q.severity, q.reason, q.document_id, q."where", left(q.detail, 500) AS detail, d.title, d.uri, d.source
    FROM ({}) q LEFT JOIN documents d ON d.document_id = q.document_id ORDER BY q.stage, q.severity, q.reason, q.quarantine_id"""


def quarantine(con: duckdb.DuckDBPyConnection) -> dict:
    """{reasons: [{stage, severity, reason, rows, documents, examples}], errors: […], errors_total}; errors first."""
    reasons = rows(con, """SELECT stage, severity, reason, count(*) AS rows, count(DISTINCT document_id) AS documents FROM quarantine
        GROUP BY ALL ORDER BY severity, rows DESC, stage, reason""")
    examples: dict[tuple[str, str, str], list[dict]] = {}
    sampled = f"""SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY stage, severity, reason ORDER BY quarantine_id) AS n
        FROM quarantine) WHERE n <= {EXAMPLES}"""
    for e in rows(con, _PLACED.format(sampled)):
        examples.setdefault((e.pop("stage"), e.pop("severity"), e.pop("reason")), []).append(e)
    for r in reasons:
        r["examples"] = examples[r["stage"], r["severity"], r["reason"]]
    errors = f"SELECT * FROM quarantine WHERE severity = 'error' ORDER BY stage, severity, reason, quarantine_id LIMIT {ERRORS}"
    return {
        "reasons": reasons, "errors": rows(con, _PLACED.format(errors)),
        "errors_total": one(con, "SELECT count(*) FROM quarantine WHERE severity = 'error'"),
    }
