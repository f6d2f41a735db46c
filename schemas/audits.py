"""Audits: SQL that returns the bad rows. A blocking audit with rows stops a publish.

Conservation is asserted by ids: what enters a stage leaves it or stands in `quarantine` (`where` holds the id of the
element, sentence or mention that was dropped).
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.tables import TABLES


@dataclass(frozen=True)
class Audit:
    """One check. `sql` selects (id, problem) of bad rows over the release's views."""

    name: str
    description: str
    sql: str
    blocking: bool = True


def _quoted(name: str) -> str:
    return f'"{name}"'


_BAD_INTERVAL = (
    "start_min > start_max OR end_min > end_max OR start_min >= end_max"
)

AUDITS: list[Audit] = [
    Audit(
        "documents_conserved", "every document read is a document or a quarantine row",
        "SELECT DISTINCT document_id AS id, 'read but neither a document nor quarantined' AS problem FROM raw "
        "WHERE document_id NOT IN (SELECT document_id FROM documents) "
        "AND document_id NOT IN (SELECT document_id FROM quarantine WHERE document_id IS NOT NULL)",
    ),
    Audit(
        "elements_conserved", "every element is in a chunk or dropped for a reason",
        "WITH kept AS (SELECT DISTINCT unnest(element_ids) AS id FROM chunks) "
        "SELECT element_id AS id, 'element in no chunk and not dropped' AS problem FROM elements "
        "WHERE element_id NOT IN (SELECT id FROM kept) "
        "AND element_id NOT IN (SELECT \"where\" FROM quarantine WHERE \"where\" IS NOT NULL)",
    ),
    Audit(
        "sentences_decided", "every sentence is analysed or dropped for a reason",
        "SELECT sentence_id AS id, analysis AS problem FROM sentences "
        "WHERE analysis <> 'analysed' AND NOT starts_with(analysis, 'dropped:')",
    ),
    Audit(
        "mentions_conserved", "every mention is exactly one claim or dropped for a reason",
        "WITH n AS (SELECT mention_id, count(*) AS n FROM claims GROUP BY mention_id) "
        "SELECT m.mention_id AS id, coalesce(n.n, 0)::VARCHAR || ' claims' AS problem FROM mentions m "
        "LEFT JOIN n ON n.mention_id = m.mention_id WHERE coalesce(n.n, 0) > 1 OR (coalesce(n.n, 0) = 0 "
        "AND m.mention_id NOT IN (SELECT \"where\" FROM quarantine WHERE \"where\" IS NOT NULL))",
    ),
    Audit(
        "claims_conserved", "every claim is in one nugget per label that reads it, or rejected",
        "WITH held AS (SELECT label, unnest(claim_ids) AS claim_id FROM nuggets), "
        "rejected AS (SELECT claim_id FROM decisions WHERE verdict = 'rejected' AND claim_id IS NOT NULL), "
        "twice AS (SELECT claim_id FROM held GROUP BY label, claim_id HAVING count(*) > 1) "
        "SELECT claim_id AS id, 'in no nugget and not rejected' AS problem FROM claims "
        "WHERE claim_id NOT IN (SELECT claim_id FROM held) AND claim_id NOT IN (SELECT claim_id FROM rejected) "
        "UNION ALL SELECT claim_id, 'in two nuggets of one label' FROM twice",
    ),
    Audit(
        "claims_readable", "no nugget rests on a claim that its label cannot read",
        "WITH held AS (SELECT nugget_id, label, unnest(claim_ids) AS claim_id FROM nuggets) "
        "SELECT h.nugget_id AS id, 'label ' || h.label || ' rests on a claim of ' || c.label AS problem "
        "FROM held h JOIN claims c ON c.claim_id = h.claim_id "
        "WHERE c.label <> h.label AND NOT list_contains(string_split(c.label, ','), 'public')",
    ),
    Audit("claims_exist", "evidence of nuggets exists",
          "WITH held AS (SELECT nugget_id, unnest(claim_ids) AS claim_id FROM nuggets) "
          "SELECT nugget_id AS id, 'claim ' || claim_id || ' is not there' AS problem FROM held "
          "WHERE claim_id NOT IN (SELECT claim_id FROM claims)"),
    Audit("mentions_exist", "every claim's mention and every mention's chunk exist",
          "SELECT claim_id AS id, 'its mention is not there' AS problem FROM claims "
          "WHERE mention_id NOT IN (SELECT mention_id FROM mentions) "
          "UNION ALL SELECT mention_id, 'its chunk is not there' FROM mentions "
          "WHERE chunk_id NOT IN (SELECT chunk_id FROM chunks)"),
    Audit("chains_exist", "chains lead to nuggets",
          "WITH links AS (SELECT nugget_id, unnest(supersedes || superseded_by) AS other FROM nuggets) "
          "SELECT nugget_id AS id, 'chained to ' || other || ', which is not there' AS problem FROM links "
          "WHERE other NOT IN (SELECT nugget_id FROM nuggets)"),
    Audit("intervals_legal", "bounds are in order",
          f"SELECT claim_id AS id, 'claim with crossing bounds' AS problem FROM claims WHERE {_BAD_INTERVAL} "
          f"UNION ALL SELECT nugget_id, 'nugget with crossing bounds' FROM nuggets WHERE {_BAD_INTERVAL}"),
    Audit("states_known", "states are of the three",
          "SELECT nugget_id AS id, state AS problem FROM nuggets WHERE state NOT IN ('active', 'deprecated', 'contested')"),
    Audit("reasons_given", "every state has a reason and evidence",
          "SELECT nugget_id AS id, 'no reason or no evidence' AS problem FROM nuggets WHERE reason = '' OR len(claim_ids) = 0"),
    Audit("texts_there", "every chunk's canonical text is stored",
          "SELECT c.chunk_id AS id, 'its text is not stored' AS problem FROM chunks c LEFT JOIN texts t "
          "ON t.document_id = c.document_id AND t.text_object = c.text_object WHERE t.text_object IS NULL"),
    *[
        Audit(f"{t.name}_unique", f"one row per {', '.join(t.key)}",
              f"SELECT concat_ws('/', {', '.join(_quoted(k) for k in t.key)}) AS id, count(*)::VARCHAR || ' rows' AS problem "
              f"FROM {_quoted(t.name)} GROUP BY {', '.join(_quoted(k) for k in t.key)} HAVING count(*) > 1")
        for t in TABLES.values() if t.public and t.name not in ("quarantine", "entities")
    ],
]
