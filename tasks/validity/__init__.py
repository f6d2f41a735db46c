"""Keyed mentions to claims: when each fact holds.

Guarantees: one claim per keyed mention, with its id; every interval is legal; nothing comes from the wall clock; every
bound names its basis, and `rule_id` the rule. A document's claims depend on that document's rows alone.
"""

from __future__ import annotations

from schemas.stage import Read, Stage, Step, Tables


def run(config: dict, tables: Tables) -> Tables:
    """keyed, mentions, chunks, documents, versions, lifetimes -> claims. See `tasks.validity.run`."""
    from tasks.validity.run import run as validate

    return validate(config, tables)


STAGE = Stage(
    "validity",
    1,
    (
        Step(
            "validity.validity",
            run,
            reads=(
                Read("keyed"),
                Read(
                    "mentions",
                    columns=(
                        "document_id",
                        "mention_id",
                        "chunk_id",
                        "sentence",
                        "sentence_start",
                        "subject_span",
                        "predicate",
                        "predicate_span",
                        "object_span",
                        "object",
                        "cues",
                        "extractor",
                        "confidence",
                    ),
                ),
                Read(
                    "chunks",
                    columns=("document_id", "chunk_id", "version_id", "block_id", "language", "text", "source_date"),
                ),
                Read("documents", columns=("document_id", "version_id", "source_date", "language")),
                Read("versions", columns=("document_id", "version_id", "time", "status")),
                Read("lifetimes"),
            ),
            writes=("claims",),
        ),
    ),
    config=("validity", "dates"),
)
