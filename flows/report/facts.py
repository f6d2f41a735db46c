"""The facts of a release as the report shows them: chunk lengths, states, busiest keys, contested keys.

Guarantees: aggregated in DuckDB, so that only what is shown becomes Python rows; each list is capped, says how many it
leaves out, and is in a total order.
"""

from __future__ import annotations

import duckdb

from flows.report.base import BOUNDS, day_text, one, rows, with_valid

TIMELINES, TIMELINE_ROWS = 12, 14
CONTESTED_KEYS, CONTESTED_VALUES, SOURCES_SHOWN = 100, 8, 4
KINDS_SHOWN, BINS = 6, 28

CONTESTED_SQL = (
    "SELECT subject, predicate, scope, label, object, start_min, start_max, end_min, end_max, reason, source_count, nugget_id "
    "FROM nuggets WHERE state = 'contested' ORDER BY subject, predicate, scope, label, object"
)
_KEY = "key_id, label"
_BOUNDS = ", ".join(BOUNDS)
_NAMES = "min(subject) AS subject, min(predicate) AS predicate, min(scope) AS scope"


def chunk_lengths(con: duckdb.DuckDBPyConnection) -> dict:
    """{kinds: per kind its number and quantiles in tokens, width, bins: {kind: count per bin}, last_open}.

    Bins are `width` tokens wide from 0; the last one holds all that is longer when `last_open`.
    """
    kinds = rows(con, """SELECT kind, count(*) AS chunks, sum(tokens)::BIGINT AS tokens, round(median(tokens))::BIGINT AS median,
        quantile_disc(tokens, .95) AS p95, max(tokens) AS longest FROM chunks GROUP BY kind ORDER BY chunks DESC, kind""")
    if not kinds:
        return {"kinds": [], "width": 0, "bins": {}, "last_open": False}
    longest = max(k["longest"] for k in kinds)
    usual = one(con, "SELECT quantile_disc(tokens, .995) FROM chunks")
    high = longest if longest <= 2 * usual else usual
    width = next(w for w in (1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 10**3, 10**4, 10**5, 10**9) if high / w < BINS)
    bins = high // width + 1
    shown = [k["kind"] for k in kinds[:KINDS_SHOWN]]
    out: dict[str, list[int]] = {}
    for r in rows(con, f"""SELECT kind, least(tokens // {width}, {bins - 1})::INTEGER AS bin, count(*) AS n
            FROM chunks GROUP BY ALL ORDER BY ALL"""):
        kind = r["kind"] if r["kind"] in shown else "other"
        out.setdefault(kind, [0] * bins)[r["bin"]] += r["n"]
    ordered = {k: out[k] for k in [*shown, "other"] if k in out}
    return {"kinds": kinds, "width": width, "bins": ordered, "last_open": longest // width >= bins}


def nugget_states(con: duckdb.DuckDBPyConnection) -> list[dict]:
    """Nuggets per state, reason and kind."""
    return rows(con, """SELECT state, reason, kind, count(*) AS nuggets FROM nuggets GROUP BY ALL
        ORDER BY state, nuggets DESC, reason, kind""")


def timelines(con: duckdb.DuckDBPyConnection) -> list[dict]:
    """The keys with the most dated nuggets, each with its nuggets in time order (int days, years below 1 included).

    Dated: an earliest start or a latest end is known; "still so when the page was written" alone draws no line.
    """
    dated = "kind <> 'statement' AND (start_min IS NOT NULL OR end_max IS NOT NULL)"
    con.execute(f"""CREATE OR REPLACE TEMP TABLE busiest AS SELECT {_KEY}, {_NAMES}, count(*) AS nuggets,
        sum(len(claim_ids))::BIGINT AS claims FROM nuggets WHERE {dated} GROUP BY {_KEY} HAVING count(*) > 1
        ORDER BY nuggets DESC, claims DESC, {_KEY} LIMIT {TIMELINES}""")
    keys = rows(con, f"SELECT * FROM busiest ORDER BY nuggets DESC, claims DESC, {_KEY}")
    found = rows(con, f"""SELECT {_KEY}, nugget_id, kind, object, state, reason, source_count, {_BOUNDS} FROM (
        SELECT n.*, row_number() OVER (PARTITION BY n.key_id, n.label ORDER BY len(n.claim_ids) DESC, n.nugget_id) AS place FROM nuggets n
        SEMI JOIN busiest b ON b.key_id = n.key_id AND b.label = n.label WHERE {dated}) WHERE place <= {TIMELINE_ROWS}
        ORDER BY {_KEY}, coalesce(start_max, start_min, end_min, end_max), coalesce(end_min, end_max), object, nugget_id""")
    con.execute("DROP TABLE busiest")
    by_key: dict[tuple[str, str], list[dict]] = {}
    for f in found:
        by_key.setdefault((f.pop("key_id"), f.pop("label")), []).append(with_valid(f))
    for key in keys:
        key["rows"] = by_key[key["key_id"], key["label"]]
        key["more"] = key["nuggets"] - len(key["rows"])
    return keys


def contested(con: duckdb.DuckDBPyConnection) -> dict:
    """Contested keys, those with the most claims first: {keys: […], total, more}; each value with its evidence and verdict."""
    con.execute(f"""CREATE OR REPLACE TEMP TABLE disputed AS SELECT {_KEY}, {_NAMES}, count(*) AS in_dispute,
        sum(len(claim_ids))::BIGINT AS claims FROM nuggets WHERE state = 'contested' GROUP BY {_KEY}""")
    total = one(con, "SELECT count(*) FROM disputed")
    con.execute(f"""CREATE OR REPLACE TEMP TABLE shown AS SELECT * FROM disputed ORDER BY claims DESC, {_KEY} LIMIT {CONTESTED_KEYS}""")
    con.execute(f"""CREATE OR REPLACE TEMP TABLE rivals AS SELECT * FROM (
        SELECT n.*, row_number() OVER (PARTITION BY n.key_id, n.label
            ORDER BY n.source_count DESC, len(n.claim_ids) DESC, n.object, n.nugget_id) AS place
        FROM nuggets n SEMI JOIN shown s ON s.key_id = n.key_id AND s.label = n.label WHERE n.state = 'contested')
        WHERE place <= {CONTESTED_VALUES}""")
    keys = rows(con, f"""SELECT s.*, coalesce(o.others, 0) AS others FROM shown s
        LEFT JOIN (SELECT {_KEY}, count(*) AS others FROM nuggets WHERE state <> 'contested' GROUP BY {_KEY}) o
        ON o.key_id = s.key_id AND o.label = s.label ORDER BY s.claims DESC, s.key_id, s.label""")
    values = rows(con, f"""SELECT {_KEY}, nugget_id, object, unit, condition, reason, source_count, len(claim_ids) AS claims,
        {_BOUNDS}, recorded_from, recorded_to FROM rivals ORDER BY key_id, label, place""")
    evidence, verdicts = _evidence(con), _verdicts(con)
    by_key: dict[tuple[str, str], list[dict]] = {}
    for v in values:
        v["first_said"], v["last_said"] = day_text(v.pop("recorded_from")), day_text(v.pop("recorded_to"))
        v["documents"] = evidence.get(v["nugget_id"], [])
        v["decisions"] = verdicts.get(v["nugget_id"], [])
        by_key.setdefault((v.pop("key_id"), v.pop("label")), []).append(with_valid(v))
    for key in keys:
        key["values"] = by_key[key["key_id"], key["label"]]
        key["more_values"] = key["in_dispute"] - len(key["values"])
    con.execute("DROP TABLE disputed; DROP TABLE shown; DROP TABLE rivals")
    return {"keys": keys, "total": total, "more": total - len(keys)}


def _evidence(con: duckdb.DuckDBPyConnection) -> dict[str, list[dict]]:
    """Per nugget of `rivals` its documents: title, address, source group, date, one sentence; the count of all of them."""
    found = rows(con, f"""
        WITH held AS (SELECT nugget_id, unnest(claim_ids) AS claim_id FROM rivals),
        said AS (SELECT h.nugget_id, v.document_id, min(v.source_group) AS source_group, min(v.claim_id) AS claim_id
            FROM held h JOIN "values" v ON v.claim_id = h.claim_id GROUP BY h.nugget_id, v.document_id),
        placed AS (SELECT *, row_number() OVER (PARTITION BY nugget_id ORDER BY document_id) AS place,
            count(*) OVER (PARTITION BY nugget_id) AS documents FROM said)
        SELECT p.nugget_id, p.documents, p.document_id, p.source_group, coalesce(g.members, 1) AS group_documents,
            d.title, d.uri, d.source, d.source_date, left(m.sentence, 400) AS sentence
        FROM (SELECT * FROM placed WHERE place <= {SOURCES_SHOWN}) p JOIN documents d ON d.document_id = p.document_id
        LEFT JOIN (SELECT source_group, count(*) AS members FROM origins GROUP BY source_group) g
            ON g.source_group = p.source_group
        LEFT JOIN claims c ON c.claim_id = p.claim_id LEFT JOIN mentions m ON m.mention_id = c.mention_id
        ORDER BY p.nugget_id, p.place""")
    out: dict[str, list[dict]] = {}
    for f in found:
        f["source_date"] = day_text(f["source_date"])
        out.setdefault(f.pop("nugget_id"), []).append(f)
    return out


def _verdicts(con: duckdb.DuckDBPyConnection) -> dict[str, list[dict]]:
    """Per nugget of `rivals` what was decided on it."""
    out: dict[str, list[dict]] = {}
    for d in rows(con, """SELECT d.nugget_id, d.rule, d.conflict_type, d.verdict, d.reason, d.evidence
            FROM decisions d SEMI JOIN rivals r ON r.nugget_id = d.nugget_id ORDER BY d.nugget_id, d.rule, d.decision_id"""):
        out.setdefault(d.pop("nugget_id"), []).append(d)
    return out
