"""How far a result supports the question: focus, support, confidence, abstention.

Support of one result is the share of the question's content words (names and relation words, no date) that it accounts
for, or its cosine where that is high. The query abstains where no result's support reaches MIN_SUPPORT. Confidence is
the first result's support, times 1, 0.5 or 0.25 for active, contested or deprecated, times 0.5 where it has rivals, and
times 0.6 + 0.4 x time fit for a fact under a time filter.
"""

from __future__ import annotations

from retrieval.lexicon import Lexicon
from retrieval.match import time_fit
from retrieval.ports import Candidate, Context
from retrieval.result import QueryResult

MIN_SUPPORT = 1 / 3
STRONG_COSINE = 0.6  # of MiniLM sentence vectors: unrelated texts lie below
SPECIFIC_SHARE = 0.75  # of the best specificity: names that account for clearly less are other subjects
TIME_SHARE = 0.55  # of the best time fit of a functional key: below lie undated facts beside a sure one, and mere rims
_STATE = {"active": 1.0, "contested": 0.5, "deprecated": 0.25}


def focus(ctx: Context, lexicon: Lexicon, ordered: list[Candidate]) -> list[Candidate]:
    """Facts whose subject and relation the question names, where there are any; else everything.

    Of those, the ones named most fully, as subject rather than object, of the kind asked for; and of a functional key
    under a time filter not those without a date beside one that surely holds, nor those that only touch the time with the
    uncertainty of a bound.
    """
    chosen = [c for c in ordered if c.match.answers]
    if not chosen:
        return ordered
    best = max(c.match.specificity for c in chosen)
    chosen = [c for c in chosen if c.match.specificity >= SPECIFIC_SHARE * best]
    for test in ("named", "fits"):
        chosen = [c for c in chosen if getattr(c.match, test)] or chosen
    if ctx.time.filters:
        fits = {c.id: time_fit(c.row, ctx.time) for c in chosen}
        top: dict[str, float] = {}
        for c in chosen:
            if c.row.get("cardinality") == "functional":
                top[c.row["key_id"]] = max(top.get(c.row["key_id"], 0.0), fits[c.id])
        chosen = [c for c in chosen if fits[c.id] >= TIME_SHARE * top.get(c.row["key_id"], 0.0)]
    ids = {c.id for c in chosen}
    left = [c for c in ordered if c.id not in ids]
    for c in left:
        c.outcome = "left out: facts match the question's subject and relation"
    if left:
        ctx.notes.append(f"{len(left)} weaker candidate(s) left out: facts match the question's subject and relation")
    return chosen


def support_of(c: Candidate) -> float:
    """0..1, see the module's text."""
    return max(c.match.coverage, min(1.0, c.cosine) if c.cosine >= STRONG_COSINE else 0.0)


def confidence_of(ctx: Context, results: list[Candidate]) -> float:
    """0..1, see the module's text; 0 without results."""
    if not results:
        return 0.0
    top = results[0]
    value = support_of(top)
    if top.store == "nuggets":
        value *= _STATE.get(top.row["state"], 0.0)
        if ctx.time.filters:
            value *= 0.6 + 0.4 * time_fit(top.row, ctx.time)
    return value * (0.5 if top.rivals else 1.0)


def notices_of(result: QueryResult) -> list[str]:
    """The lines that open the context: abstention, disagreement, withheld facts."""
    out = []
    if result.abstained:
        out.append("Notice: nothing found clearly supports the question.")
    if any(c.rivals or c.row.get("state") == "contested" for c in result.results):
        out.append("Notice: sources disagree on some of these facts.")
    if result.withheld:
        out.append(f"Notice: {result.withheld} more fact(s) on the same subjects lie outside this view or time.")
    return out
