"""What entered each stage, what went on and what was dropped for which reason.

Guarantees: every number is a count of distinct ids in the tables. Per step `rows = kept + dropped`; an id that is neither
kept nor explained by a `quarantine` row, a status, an analysis or a decision stands under `unaccounted`.
"""

from __future__ import annotations

import duckdb

from flows.report.base import one, rows

UNACCOUNTED = "unaccounted"

# One reason per quarantined id, the same whatever else was said of it: errors first.
_WHY = """SELECT id, arg_min(reason, (CASE severity WHEN 'error' THEN 0 ELSE 1 END, stage, reason)) AS reason
    FROM (SELECT "where" AS id, reason, severity, stage FROM quarantine WHERE "where" IS NOT NULL) GROUP BY id"""
_WHY_DOCUMENT = _WHY.replace('"where" AS id', "document_id AS id").replace('"where" IS NOT NULL', "document_id IS NOT NULL")

# step -> (what its rows are, what becomes of those that are kept, SQL that gives (id, kept, reason) once per id)
_STEPS: dict[str, tuple[str, str, str]] = {
    "inputs": (
        "files and pages read", "are documents",
        f"""WITH why AS ({_WHY_DOCUMENT}), seen AS (SELECT DISTINCT document_id AS id FROM raw UNION SELECT document_id FROM documents
            UNION SELECT document_id FROM quarantine WHERE stage = 'parse' AND document_id IS NOT NULL)
        SELECT s.id, d.document_id IS NOT NULL AS kept, w.reason FROM seen s
        LEFT JOIN documents d ON d.document_id = s.id LEFT JOIN why w ON w.id = s.id""",
    ),
    "documents": (
        "documents", "are parsed into elements",
        f"""WITH why AS ({_WHY_DOCUMENT}), used AS (SELECT DISTINCT document_id AS id FROM elements)
        SELECT d.document_id AS id, u.id IS NOT NULL AS kept,
            CASE WHEN d.status <> 'ok' THEN d.status ELSE w.reason END AS reason
        FROM documents d LEFT JOIN used u ON u.id = d.document_id LEFT JOIN why w ON w.id = d.document_id""",
    ),
    "elements": (
        "elements", "are gathered into chunks",
        f"""WITH why AS ({_WHY}), used AS (SELECT DISTINCT unnest(element_ids) AS id FROM chunks)
        SELECT e.element_id AS id, u.id IS NOT NULL AS kept, w.reason
        FROM elements e LEFT JOIN used u ON u.id = e.element_id LEFT JOIN why w ON w.id = e.element_id""",
    ),
    "chunks": (
        "chunks", "hold sentences",
        f"""WITH why AS ({_WHY}), used AS (SELECT DISTINCT chunk_id AS id FROM sentences)
        SELECT c.chunk_id AS id, u.id IS NOT NULL AS kept, coalesce(w.reason, 'no_sentence') AS reason
        FROM chunks c LEFT JOIN used u ON u.id = c.chunk_id LEFT JOIN why w ON w.id = c.chunk_id""",
    ),
    "sentences": (
        "sentences", "state facts: mentions",
        """WITH used AS (SELECT DISTINCT sentence_id AS id FROM mentions)
        SELECT s.sentence_id AS id, u.id IS NOT NULL AS kept,
            CASE WHEN s.analysis = 'analysed' THEN 'no_fact_found'
                WHEN starts_with(s.analysis, 'dropped:') THEN s.analysis[9:] END AS reason
        FROM sentences s LEFT JOIN used u ON u.id = s.sentence_id""",
    ),
    "mentions": (
        "mentions", "become claims",
        f"""WITH why AS ({_WHY}), used AS (SELECT DISTINCT mention_id AS id FROM claims)
        SELECT m.mention_id AS id, u.id IS NOT NULL AS kept, w.reason
        FROM mentions m LEFT JOIN used u ON u.id = m.mention_id LEFT JOIN why w ON w.id = m.mention_id""",
    ),
    "claims": (
        "claims", "are evidence of nuggets",
        """WITH used AS (SELECT DISTINCT unnest(claim_ids) AS id FROM nuggets),
        why AS (SELECT claim_id AS id, min(reason) AS reason FROM decisions
            WHERE verdict = 'rejected' AND claim_id IS NOT NULL GROUP BY claim_id)
        SELECT c.claim_id AS id, u.id IS NOT NULL AS kept, w.reason
        FROM claims c LEFT JOIN used u ON u.id = c.claim_id LEFT JOIN why w ON w.id = c.claim_id""",
    ),
}


def flow_steps(con: duckdb.DuckDBPyConnection) -> list[dict]:
    """Per step {table, what, then, rows, kept, dropped: [{reason, rows}]}, and last the nuggets by state."""
    out = []
    for table, (what, then, sql) in _STEPS.items():
        found = rows(con, f"""SELECT kept, CASE WHEN kept THEN '' ELSE coalesce(reason, '{UNACCOUNTED}') END AS reason, count(*) AS n
            FROM ({sql}) GROUP BY ALL ORDER BY n DESC, reason""")
        out.append({
            "table": table, "what": what, "then": then, "rows": sum(f["n"] for f in found),
            "kept": sum(f["n"] for f in found if f["kept"]),
            "dropped": [{"reason": f["reason"].removeprefix("dropped:"), "rows": f["n"]} for f in found if not f["kept"]],
        })
    states = rows(con, "SELECT state AS reason, count(*) AS rows FROM nuggets GROUP BY state ORDER BY state")
    total = one(con, "SELECT count(*) FROM nuggets")
    out.append({"table": "nuggets", "what": "nuggets", "then": "", "rows": total, "kept": total, "dropped": [], "states": states})
    return out
