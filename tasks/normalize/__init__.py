"""Mentions to keys and typed objects.

Guarantees: every mention becomes exactly one row of `keyed` or one `info` row of quarantine that says why not; the
predicate is one of the predicate file's, or kept in folded form as multi-valued; subject and object are swapped where
the wording says so; what the claim asserts (polarity, modality, attribution, condition) is never changed.
"""

from __future__ import annotations

from schemas.stage import Read, Stage, Step, Tables


def run(config: dict, tables: Tables) -> Tables:
    """mentions, links, chunks, documents -> keyed, quarantine. See `tasks.normalize.run`."""
    from tasks.normalize.run import run as normalize

    return normalize(config, tables)


STAGE = Stage(
    "normalize",
    3,
    (
        Step(
            "normalize.normalize",
            run,
            reads=(
                Read(
                    "mentions",
                    columns=(
                        "document_id",
                        "mention_id",
                        "chunk_id",
                        "sentence",
                        "extractor",
                        "subject",
                        "subject_type",
                        "subject_target",
                        "predicate",
                        "predicate_span",
                        "object",
                        "object_type",
                        "object_target",
                        "scope",
                        "condition",
                        "polarity",
                        "modality",
                        "attribution",
                        "confidence",
                    ),
                ),
                Read("links"),
                Read("chunks", columns=("document_id", "chunk_id", "acl", "label", "tenant", "language")),
                Read("documents", columns=("document_id", "acl", "label", "tenant", "language")),
            ),
            writes=("keyed", "quarantine"),
        ),
    ),
    config=("normalize", "predicates", "dates"),
    libraries=("pint",),
)
