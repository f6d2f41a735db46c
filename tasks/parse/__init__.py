"""The stage `parse`: raw rows of files and dumps to documents, versions, texts, blocks, lifetimes and elements."""

from __future__ import annotations

from schemas.stage import Read, Stage, Step

WRITES = ("documents", "versions", "texts", "blocks", "lifetimes", "elements", "quarantine")


def run(config, tables):
    """See `tasks.parse.stage.run`; imported when called, so that declaring the stage costs nothing."""
    from tasks.parse.stage import run as run_stage

    return run_stage(config, tables)


STAGE = Stage(
    "parse", 4,
    steps=(Step("parse.parse", run, reads=(Read("raw"), Read("stretches")), writes=WRITES),),
    config=("parse", "history"),
    libraries=("markdown-it-py", "mdit-py-plugins", "selectolax", "charset-normalizer", "py7zr"),
)
