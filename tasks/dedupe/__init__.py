"""Dedupe: claims of a key that say the same value are given the same value id, so that their evidence unites.

Guarantees: one row of `values` per claim; what a claim is united with depends on the set of claims of its key that a
reader of its label may read; values that differ in a number, date, unit, sign, negation, numeral or script stay apart.
"""

from schemas.stage import Read, Stage, Step
from tasks.dedupe.merge import merge_values
from tasks.dedupe.prepare import prepare_claims

STAGE = Stage(
    name="dedupe",
    version=2,
    steps=(
        Step(
            "dedupe.prepare", prepare_claims,
            reads=(Read("claims"), Read("origins"), Read("documents", columns=("document_id", "source_date", "language"))),
            writes=("sourced",),
        ),
        Step("dedupe.values", merge_values, by="key_id", reads=(Read("sourced", "shuffle"),), writes=("values",)),
    ),
    config=("dedupe",),
    libraries=("rapidfuzz",),
)
