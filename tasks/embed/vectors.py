"""The step `embed.vectors`: chunks and nuggets of a shard of renditions to their vectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from schemas.encoder import DIMENSION, DOCUMENT_TEMPLATE, encoder
from schemas.stage import Tables
from schemas.tables import TABLES


def embed_renditions(config: Mapping[str, Any], tables: Tables) -> Tables:
    """`vectors`: one row per distinct rendition_hash of both inputs, the unit vector in float16."""
    told = config["embed"]
    texts: dict[str, str] = {}
    if told["enabled"]:
        for name in ("chunks", "nuggets"):
            table = tables[name]
            texts.update(zip(table["rendition_hash"].to_pylist(), table["rendition"].to_pylist(), strict=True))
    if not texts:
        return {"vectors": TABLES["vectors"].empty()}
    model = encoder(told["model"], told["max_tokens"])
    hashes = sorted(texts)
    rows = model.encode_all(DOCUMENT_TEMPLATE.format(rendition=texts[h]) for h in hashes).astype(np.float16)
    offsets = pa.array(np.arange(0, DIMENSION * (len(hashes) + 1), DIMENSION, dtype=np.int32))
    vectors = pa.ListArray.from_arrays(offsets, pa.array(rows.reshape(-1), pa.float16()))
    return {
        "vectors": TABLES["vectors"].conform(
            pa.table({"rendition_hash": pa.array(hashes, pa.string()), "vector": vectors})
        )
    }
