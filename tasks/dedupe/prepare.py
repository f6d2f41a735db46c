"""Puts the source group, the date and the language of its document on every claim.

Guarantees: one row per claim; a document that no group names is its own source. By document, so that a new document
changes the rows of its own claims and of no others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.tables import TABLES


def _looked_up(keys: pa.ChunkedArray, table: pa.Table, column: str) -> pa.ChunkedArray:
    at = pc.index_in(keys, value_set=table["document_id"].combine_chunks())
    return table[column].combine_chunks().take(at.combine_chunks() if isinstance(at, pa.ChunkedArray) else at)


def prepare_claims(config: Mapping[str, Any], tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """claims, origins, documents -> sourced."""
    claims = tables["claims"]
    document = claims["document_id"]
    group = pc.coalesce(_looked_up(document, tables["origins"], "source_group"), document)
    language = pc.coalesce(_looked_up(document, tables["documents"], "language"), pa.scalar("und"))
    out = claims.append_column("source_group", group)
    out = out.append_column("source_date", _looked_up(document, tables["documents"], "source_date"))
    return {"sourced": TABLES["sourced"].conform(out.append_column("language", language))}
