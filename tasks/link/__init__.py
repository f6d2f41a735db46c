"""Names to entities, by one clustering for the whole corpus that does not depend on any order.

Guarantees: every surface of a document gets exactly one entity; an entity's id rests on a page, else an alias entry,
else its own name, never on which rows came first; names whose numbers, numerals or suffixes differ never merge.

Two steps. `link.map` looks at one document alone and notes what its short names stand for. `link.reduce` clusters the
distinct names once and writes each document's `links` itself: the next stage then reads only the rows of its own
documents, so a new document reruns nothing else.
"""

from __future__ import annotations

from schemas.stage import Read, Stage, Step, Tables


def map_surfaces(config: dict, tables: Tables) -> Tables:
    """mentions, documents, chunks -> surfaces. See `tasks.link.collect`."""
    from tasks.link.collect import collect_surfaces

    return collect_surfaces(tables)


def reduce_entities(config: dict, tables: Tables) -> Tables:
    """surfaces, documents -> entities, links. See `tasks.link.cluster`."""
    from tasks.link.apply import link_all

    return link_all(config, tables)


STAGE = Stage(
    "link",
    1,
    (
        Step(
            "link.map",
            map_surfaces,
            reads=(
                Read(
                    "mentions",
                    columns=(
                        "document_id",
                        "mention_id",
                        "subject",
                        "subject_type",
                        "subject_target",
                        "object",
                        "object_type",
                        "object_target",
                    ),
                ),
                Read("documents", columns=("document_id", "source", "title", "status", "redirect_to")),
                Read("chunks", columns=("document_id", "chunk_id", "text")),
            ),
            writes=("surfaces",),
        ),
        Step(
            "link.reduce",
            reduce_entities,
            reads=(
                Read("surfaces", mode="whole"),
                Read(
                    "documents",
                    mode="whole",
                    columns=("document_id", "source", "native_key", "title", "status", "redirect_to", "tenant", "label"),
                ),
            ),
            writes=("entities", "links"),
            by=None,
            incremental=False,
        ),
    ),
    config=("link", "aliases"),
)
