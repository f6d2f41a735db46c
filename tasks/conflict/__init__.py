"""Conflict: over all claims of a key at once, which values held when, which contradict, and which stand.

Guarantees: for each access label, over the whole set of claims that it may read, so that no order matters and no field
depends on a claim that a reader may not see; every claim ends in one nugget per label that reads it, or in a decision
that rejects it. `codes` lists every reason.
"""

from schemas.stage import Read, Stage, Step
from tasks.conflict.overrides import report_unmatched
from tasks.conflict.resolve import resolve

STAGE = Stage(
    name="conflict",
    version=3,
    steps=(
        Step("conflict.resolve", resolve, by="key_id", reads=(Read("values"),), writes=("nuggets", "decisions")),
        Step(
            "conflict.overrides", report_unmatched, by=None, incremental=False,
            reads=(Read("nuggets", "whole", columns=(
                "label", "tenant", "subject_id", "subject", "predicate", "scope", "object_id", "object", "reason", "start_min", "end_max",
            )),),
            writes=("quarantine",),
        ),
    ),
    config=("conflict", "predicates", "overrides"),
)
