"""Index: chunks and nuggets to the documents that both stores hold, and the manifest of how they are indexed.

Guarantees: one document per chunk and one per nugget, with the same filter fields; a public nugget carries the labels
whose own verdict on its key replaces it (`hidden_for`). `manifest(config)` names all that an index rests on.
"""

from schemas.stage import Read, Stage, Step
from tasks.index.docs import chunk_docs, nugget_docs
from tasks.index.manifest import manifest

__all__ = ["STAGE", "manifest"]

STAGE = Stage(
    name="index",
    version=2,
    steps=(
        Step(
            "index.chunk_docs",
            chunk_docs,
            reads=(
                Read(
                    "chunks",
                    columns=(
                        "document_id",
                        "chunk_id",
                        "title",
                        "heading_path",
                        "header",
                        "text",
                        "text_hash",
                        "rendition_hash",
                        "acl",
                        "label",
                        "tenant",
                        "kind",
                        "language",
                        "valid_from",
                        "valid_to",
                        "source_date",
                        "shown_from",
                        "shown_to",
                    ),
                ),
            ),
            writes=("chunk_docs",),
        ),
        Step(
            "index.nugget_docs",
            nugget_docs,
            by="key_id",
            reads=(
                Read(
                    "nuggets",
                    columns=(
                        "key_id",
                        "nugget_id",
                        "subject",
                        "predicate",
                        "object",
                        "text",
                        "text_hash",
                        "rendition_hash",
                        "acl",
                        "label",
                        "tenant",
                        "kind",
                        "state",
                        "language",
                        "start_min",
                        "start_max",
                        "end_min",
                        "end_max",
                        "recorded_from",
                        "recorded_to",
                    ),
                ),
            ),
            writes=("nugget_docs",),
        ),
    ),
    config=("index", "embed", "predicates"),
)
