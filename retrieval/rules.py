"""The default hooks: siblings of a matched key, intent-aware order, conflicts, duplicates, groups.

Every rule is a plain function of what the reader may see; the same candidates give the same answer.
"""

from __future__ import annotations

import re

from retrieval.hooks import hookimpl
from retrieval.match import edge_fit, interval_of, time_fit
from retrieval.ports import Candidate, Context
from retrieval.words import NEGATIONS
from schemas.ids import fold_name
from schemas.search import matches
from schemas.time import Interval

MATCHED_KEYS = 8
_STATE_PENALTY = {"active": 0.0, "contested": 0.0, "deprecated": 3.0}
_FILLERS = frozenset("a an the that also".split())
_EDGES = ".,;:!?\"'\u2018\u2019\u201c\u201d()[]\u00ab\u00bb\u2026"
_BEFORE_NUMBER = re.compile(r"^[^\w]*\d")


def holds(row: dict, ctx: Context) -> bool:
    """Whether the row passes the query's filter."""
    from retrieval.gate import as_doc

    return matches(as_doc(row), ctx.filter)


@hookimpl
def retrieve_supplement(ctx: Context, candidates: list[Candidate]) -> list[tuple[str, str]]:
    """All nuggets of the keys whose subject and relation the question names, so that rivals come along."""
    keys = list(dict.fromkeys(c.row["key_id"] for c in candidates if c.is_fact and c.match.answers))[:MATCHED_KEYS]
    if not keys:
        return []
    order = {key: i for i, key in enumerate(keys)}
    rows = [r for r in ctx.siblings(keys) if holds(r, ctx)]

    def by_time(row: dict) -> tuple:
        start = row["start_min"]
        return (order[row["key_id"]], -time_fit(row, ctx.time), start is None, -(start or 0), row["nugget_id"])

    return [("nuggets", r["nugget_id"]) for r in sorted(rows, key=by_time)]


@hookimpl
def rerank_merged(ctx: Context, candidates: list[Candidate]) -> list[Candidate]:
    """Facts that the question names rank first; among equals the time asked about, then the fused score, decides.

    score = 10 if subject (or object) and relation are those of the question, + 2 if the one named is the subject,
    + 2 x the share of the question's names that it accounts for, + 1 if the answer is of the kind asked for;
    + time fit, 4 times that for facts that the question names; - 2 where a present-tense question meets a fact that is
    over; + 4 if the fact is named and began (ended) in the time asked about, and the question asks for that; - 3 if
    deprecated; + 2 x the share of the question's content words that it accounts for; + fused score over the largest one
    (0..1). A text counts as a fact whose time is unknown (0.5).
    """
    top = max((c.fused for c in candidates), default=0.0) or 1.0
    for c in candidates:
        score = c.fused / top + 2.0 * c.match.coverage
        fit = time_fit(c.row, ctx.time) if c.store == "nuggets" else 0.5
        score += fit
        if c.store == "nuggets":
            if c.match.answers:
                score += 10.0 + 2.0 * c.match.named + 2.0 * c.match.specificity + 1.0 * c.match.fits + 3.0 * fit
                score += 4.0 * edge_fit(c.row, ctx.question, ctx.time)
            if ctx.time.basis == "present" and fit == 0.0:
                score -= 2.0
            score -= _STATE_PENALTY.get(c.row["state"], 0.0)
        c.score = score
    return sorted(candidates, key=lambda c: (-c.score, -(c.row.get("start_min") or -(10**7)), c.id))


def rivals(a: dict, b: dict) -> bool:
    """Whether two nuggets of one key contradict each other.

    Another object, the same condition, and: both certainly hold on some day, or one is contested and they possibly do.
    Bounds that leave room for one to follow the other are no contradiction between accepted facts.
    """
    if a["key_id"] != b["key_id"] or a["nugget_id"] == b["nugget_id"] or a.get("cardinality") != "functional":
        return False
    if _object_of(a) == _object_of(b) or not _object_of(a) or not _object_of(b):
        return False
    if (a.get("condition") or "") != (b.get("condition") or ""):
        return False
    if "deprecated" in (a["state"], b["state"]):
        return False
    one, two = interval_of(a), interval_of(b)
    if "contested" in (a["state"], b["state"]):
        return _possibly_overlap(one, two)
    return _certainly_overlap(one, two)


def _object_of(row: dict) -> str:
    return row.get("object_id") or fold_name(row.get("object") or "")


def _possibly_overlap(one: Interval, two: Interval) -> bool:
    return (one.start_min is None or two.end_max is None or one.start_min < two.end_max) and (
        two.start_min is None or one.end_max is None or two.start_min < one.end_max
    )


def _certainly_overlap(one: Interval, two: Interval) -> bool:
    if one.start_max is None or one.end_min is None or two.start_max is None or two.end_min is None:
        return False
    return max(one.start_max, two.start_max) < min(one.end_min, two.end_min)


@hookimpl
def evidence_conflict(ctx: Context, candidates: list[Candidate]) -> dict[str, list[str]]:
    """Rivals among the readable nuggets of each functional key that pass the filter."""
    facts = [c for c in candidates if c.is_fact and c.row.get("cardinality") == "functional"]
    by_key: dict[str, list[dict]] = {}
    for row in ctx.siblings(sorted({c.row["key_id"] for c in facts})):
        if holds(row, ctx):
            by_key.setdefault(row["key_id"], []).append(row)
    return {c.id: [r["nugget_id"] for r in by_key.get(c.row["key_id"], ()) if rivals(c.row, r)] for c in facts}


def wording(text: str) -> tuple[str, ...]:
    """The words that make a statement what it is, in order: all but articles and fillers, marks at the ends off.

    Signs, currencies, decimal points and per cent stay with their number, negations and prepositions stay too: two
    texts of one wording differ in no number, date, negation or name.
    """
    out = []
    for raw in text.split():
        word = raw.rstrip(_EDGES)
        word = word if _BEFORE_NUMBER.match(word) else word.lstrip(_EDGES)
        folded = word.casefold()
        if word and (folded not in _FILLERS or folded in NEGATIONS):
            out.append(folded)
    return tuple(out)


def same_evidence(a: Candidate, b: Candidate) -> bool:
    """Whether b says nothing that a does not. Empty fields are never equal; spans of one document never merge."""
    if a.store != b.store:
        return False
    one, two = a.row, b.row
    if a.store == "chunks":
        same_place = one["document_id"] == two["document_id"]
        validity = all(one.get(f) == two.get(f) for f in ("valid_from", "valid_to"))
        return not same_place and validity and bool(wording(one["text"])) and wording(one["text"]) == wording(two["text"])
    exact = ("start_min", "start_max", "end_min", "end_max", "state", "condition", "scope", "unit", "value", "predicate")
    if any(one.get(f) != two.get(f) for f in exact):
        return False
    for field in ("subject_id", "object_id"):
        if one.get(field) and two.get(field) and one[field] != two[field]:
            return False
    if one["kind"] != "statement" and two["kind"] != "statement":
        return bool(one.get("subject_id")) and one.get("subject_id") == two.get("subject_id") and (
            bool(one.get("object_id")) and one.get("object_id") == two.get("object_id")
        )
    return bool(wording(one["text"])) and wording(one["text"]) == wording(two["text"])


def _elsewhere(ctx: Context, a: Candidate, b: Candidate) -> bool:
    """Two statements come from different documents: distinct places of one document both stay."""
    if a.store == "chunks" or a.row["kind"] != "statement":
        return True
    one, two = ({claim["document_id"] for claim in ctx.gate.claims(c.row["claim_ids"]).values()} for c in (a, b))
    return not one & two


@hookimpl
def evidence_dedupe(ctx: Context, candidates: list[Candidate]) -> dict[str, str]:
    """Each candidate that repeats one above it, with the one that stands for it."""
    kept: list[Candidate] = []
    out: dict[str, str] = {}
    for c in candidates:
        double = next((k for k in kept if same_evidence(k, c) and _elsewhere(ctx, k, c)), None)
        if double is None:
            kept.append(c)
        else:
            out[c.id] = double.id
    return out


@hookimpl
def evidence_group(ctx: Context, candidates: list[Candidate]) -> dict[str, str]:
    """Nuggets by key, chunks by document."""
    return {c.id: c.row["key_id"] if c.store == "nuggets" else c.row["document_id"] for c in candidates}
