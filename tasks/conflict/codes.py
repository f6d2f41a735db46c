"""Every reason code, rule and conflict type that the conflict stage writes, with what it means in one line.

Guarantees: `nuggets.reason`, `decisions.reason` and `decisions.rule` hold no other value (tested).
"""

from __future__ import annotations

REASONS: dict[str, str] = {
    # nuggets, active
    "uncontradicted": "No other value of the key is known to hold at the same time.",
    "succeeded": "Another tenure of the key began later, which closes this one; it stays true for its interval.",
    "outvotes": "Rivals at the same time have clearly fewer independent sources.",
    "better_dated": "The only rivals at the same time carry no date of their own.",
    "held_before": "Said to have held once; nobody states when, so it contradicts nothing.",
    "coexists": "Values of this predicate hold side by side.",
    "statement": "A sentence of no known predicate; kept as said, never judged.",
    "pinned": "An override says that this holds.",
    # nuggets, contested
    "equal_evidence": "A rival holds at the same time and neither has clearly more independent sources.",
    "undated_rivals": "Rivals known only by the dates of documents, too far apart to tell change from contradiction.",
    "undated": "Carries no date of its own, and a dated rival may hold at the same time.",
    "units_differ": "Quantities in units that cannot be converted into one another.",
    "pins_disagree": "Two overrides pin values that cannot hold at the same time.",
    # nuggets, deprecated
    "outvoted": "A rival at the same time has clearly more independent sources, or is pinned.",
    "suppressed": "An override says that this never held.",
    "corrected": "The page that said it put a better wording of the same thing in its place: it was never so.",
    "vandalism": "Only revisions that were undone ever said it.",
    # claims, rejected
    "negative": "The claim denies the value; a denial is not a fact of its own.",
    "planned": "The claim tells a plan whose day is not stated, or had not come when it was told.",
    "hypothetical": "The claim is a supposition.",
    "impossible_interval": "The claim's interval can hold on no day.",
    "unreadable": "Nobody may read the claim: its access list is empty.",
    # decisions alone
    "bounds_disagree": "Sources of equal standing give different bounds of one tenure; the bound spans them all.",
    "conditions_differ": "Values of the key hold under different conditions and are not rivals.",
    "granularity_differs": "One value is the other one told less precisely; they are not rivals.",
    "no_match": "An override names this key but no nugget of it.",
    "several_matches": "An override names more than one nugget of this key; it is not applied.",
}

RULES: dict[str, str] = {
    "reject": "A claim that states no fact becomes no nugget.",
    "unite": "Claims of one value whose intervals can be the same tenure are one nugget.",
    "succession": "A later start closes an open tenure.",
    "count_sources": "Rivals that hold at the same time are weighed by their independent sources.",
    "undated": "A value without a date of its own does not unseat a dated one.",
    "compare": "Values that differ in condition, granularity or unit are not told apart by counting.",
    "page_history": "What a page took back was never so.",
    "override_pin": "A pin wins.",
    "override_suppress": "A suppression wins.",
    "override_unmatched": "An override that matches no nugget, or several, is reported and not applied.",
}

CONFLICT_TYPES = ("", "contradiction", "scope", "condition", "period", "granularity", "unit")
AGAINST_MAX = 20  # rivals named on one decision; a key of a thousand rivals would else write a million ids
