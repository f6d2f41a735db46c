"""The stage `chunk`: elements to chunks, the unit of text retrieval."""

from __future__ import annotations

from schemas.stage import Read, Stage, Step


def run(config, tables):
    """See `tasks.chunk.stage.run`; imported when called, so that declaring the stage costs nothing."""
    from tasks.chunk.stage import run as run_stage

    return run_stage(config, tables)


STAGE = Stage(
    "chunk", 3,
    steps=(
        Step("chunk.chunk", run, reads=(Read("elements"), Read("documents"), Read("versions"), Read("texts"),
                                        Read("blocks", columns=("document_id", "block_id", "same_as")), Read("lifetimes")),
             writes=("chunks", "quarantine")),
    ),
    config=("chunk",),
)
