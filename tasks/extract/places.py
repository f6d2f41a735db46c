"""Which block a sentence begins in where its chunk holds several: a lead-in and its list stand in blocks of their own.

Guarantees: only the chunk's own elements are asked, and by where they stand in the canonical text; a chunk of a file, which
has no blocks, has no place.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

# (document, chunk) -> (where each element of a block starts, ascending; its block)
SharedPlaces = Mapping[tuple[str, str], tuple[list[int], list[str]]]


def shared_places(chunks: pa.Table, elements: pa.Table) -> SharedPlaces:
    """The elements of chunks that stand in several blocks, by where they start."""
    several = chunks.filter(pc.is_null(chunks["block_id"])).select(["document_id", "chunk_id", "element_ids"]).to_pylist()
    wanted = {e for row in several for e in row["element_ids"] or ()}
    if not wanted:
        return {}
    known = elements.filter(pc.and_(pc.is_valid(elements["block_id"]), pc.is_in(elements["element_id"], value_set=pa.array(sorted(wanted)))))
    columns = (known[n].to_pylist() for n in ("document_id", "element_id", "block_id", "source_spans"))
    found = {(d, e): (min(s["start"] for s in spans), block) for d, e, block, spans in zip(*columns, strict=True) if spans}
    out = {}
    for row in several:
        own = sorted(found[row["document_id"], e] for e in row["element_ids"] or () if (row["document_id"], e) in found)
        if own:
            out[row["document_id"], row["chunk_id"]] = ([start for start, _ in own], [block for _, block in own])
    return out


def block_at(places: SharedPlaces, chunk: dict, start: int) -> str | None:
    """The block that shows the character at `start` of a chunk's text; None where no block does."""
    starts, blocks = places.get((chunk["document_id"], chunk["chunk_id"]), ([], []))
    piece = next((p for p in chunk["pieces"] or () if p["start"] <= start < p["end"]), None)
    spans = piece["source_spans"] if piece is not None else None
    if not starts or not spans:
        return None
    n = bisect_right(starts, min(s["start"] for s in spans)) - 1
    return blocks[n] if n >= 0 else None
