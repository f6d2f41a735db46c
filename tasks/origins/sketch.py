"""One MinHash sketch and one exact content hash per document, from the text that stands at its head.

Guarantees: a row depends on its own document alone; white space, case and Unicode composition do not matter. A document
of fewer than `min_words` words has a null sketch: of so little text, likeness says nothing, only equality does. Paragraphs
that were later removed from a revisioned page are left out, since a copy is made of one state.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.metadata import version
from typing import Any

import numpy as np
import pyarrow as pa

from schemas.ids import content_hash
from schemas.tables import TABLES

SCHEME = "affine32"  # named, since datasketch 2 changed its default and a sketch does not tell how it was made
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f"  # scripts written without spaces: one word per letter
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


def words_of(texts: Iterable[str]) -> list[str]:
    """Case-folded NFC words of the texts, in order."""
    out: list[str] = []
    for text in texts:
        out += _WORD.findall(unicodedata.normalize("NFC", text).casefold())
    return out


def scheme_name(config: Mapping[str, Any]) -> str:
    """All that a sketch depends on beside the text; sketches of different schemes are never compared."""
    return (
        f"minhash-{SCHEME}-sha1_32 seed={config['seed']} permutations={config['permutations']} "
        f"shingle_words={config['shingle_words']} datasketch={version('datasketch')}"
    )


@lru_cache(maxsize=4)
def _permutations(count: int, seed: int):
    from datasketch import MinHash

    return MinHash(num_perm=count, seed=seed, scheme=SCHEME).permutations


def sketch_of(words: list[str], config: Mapping[str, Any]) -> np.ndarray | None:
    """MinHash (Broder 1997) over shingles of `shingle_words` words: uint32[permutations]; None when too short."""
    from datasketch import MinHash

    width = config["shingle_words"]
    if len(words) < max(config["min_words"], width):
        return None
    shingles = {" ".join(words[i : i + width]).encode() for i in range(len(words) - width + 1)}
    count, seed = config["permutations"], config["seed"]
    sketch = MinHash(num_perm=count, seed=seed, scheme=SCHEME, permutations=_permutations(count, seed))
    sketch.update_batch(sorted(shingles))
    return sketch.hashvalues


def map_sketches(config: Mapping[str, Any], tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """chunks, lifetimes, documents -> sketches, one row per document."""
    part = config["origins"]
    standing: dict[tuple[str, str], bool] = {}
    lifetimes = tables["lifetimes"]
    for document, block, last in zip(
        *(lifetimes[c].to_pylist() for c in ("document_id", "block_id", "last_revision")), strict=True
    ):
        standing[document, block] = standing.get((document, block), False) or last is None
    texts: dict[str, list[tuple[int, str, str]]] = {d: [] for d in tables["documents"]["document_id"].to_pylist()}
    chunks = tables["chunks"]
    for document, chunk, block, ordinal, text in zip(
        *(chunks[c].to_pylist() for c in ("document_id", "chunk_id", "block_id", "ordinal", "text")), strict=True
    ):
        if document in texts and standing.get((document, block), True):
            texts[document].append((ordinal, chunk, text))
    scheme = scheme_name(part)
    rows = []
    for document in sorted(texts):
        words = words_of(text for _, _, text in sorted(texts[document]))
        sketch = sketch_of(words, part)
        rows.append({
            "document_id": document, "content_hash": content_hash(" ".join(words)), "scheme": scheme,
            "sketch": None if sketch is None else sketch.tolist(),
        })
    return {"sketches": TABLES["sketches"].from_rows(rows)}
