"""Origins: which documents are copies of one another, so that a copy never counts as a second source.

Guarantees: the grouping depends on the set of documents, not on their order; a document's group and its edges depend
only on documents that a reader of its access label may read, and never on another tenant.
"""

from schemas.stage import Read, Stage, Step
from tasks.origins.group import reduce_origins
from tasks.origins.sketch import map_sketches

STAGE = Stage(
    name="origins",
    version=1,
    steps=(
        Step(
            "origins.map", map_sketches,
            reads=(
                Read("chunks", columns=("document_id", "chunk_id", "block_id", "ordinal", "text")),
                Read("lifetimes", columns=("document_id", "block_id", "first_revision", "last_revision")),
                Read("documents", columns=("document_id", "status")),
            ),
            writes=("sketches",),
        ),
        Step(
            "origins.reduce", reduce_origins, by=None, incremental=False,
            reads=(
                Read("sketches", "whole"),
                Read("documents", "whole", columns=("document_id", "source_date", "label", "tenant")),
            ),
            writes=("origins", "groups", "source_edges", "quarantine"),
        ),
    ),
    config=("origins",),
    libraries=("datasketch", "numpy"),
)
