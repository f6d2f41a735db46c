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


def run_changes(config: dict, tables: Tables) -> Tables:
    """elements, blocks, lifetimes, versions -> changes. See `tasks.validity.changes`."""
    from tasks.validity.changes import find_changes

    return find_changes(config, tables)


STAGE = Stage(
    "validity",
    6,
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
                        "sentence_id",
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
                Read("versions", columns=("document_id", "version_id", "revision", "time", "status", "noise")),
                Read("lifetimes"),
                Read("blocks", columns=("document_id", "block_id", "same_as")),
                Read("sightings"),
            ),
            writes=("claims",),
        ),
        Step(
            "validity.changes",
            run_changes,
            reads=(
                Read("elements", columns=("document_id", "block_id", "kind", "ordinal", "text", "cells")),
                Read("blocks", columns=("document_id", "block_id", "same_as")),
                Read("lifetimes"),
                Read("versions", columns=("document_id", "revision", "time", "status", "noise", "undone_by")),
            ),
            writes=("changes",),
        ),
    ),
    config=("validity", "dates", "history"),
    libraries=("rapidfuzz",),
)
