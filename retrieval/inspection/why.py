"""Why a query gave, or did not give, one nugget or chunk. What the reader may not see and what is missing are alike."""

from __future__ import annotations

from typing import Any

from retrieval.gate import Gate
from retrieval.options import groups_of
from retrieval.ports import ReleaseReader
from retrieval.search import QueryOptions, search


def why(reader: ReleaseReader, text: str, options: QueryOptions) -> dict[str, Any]:
    """`options.explain` is the id. Gives {release, query, reader, at, view, id, store, text, explain, stopped_at, first, notes}.

    `store` and `text` (the fact or passage itself) are null where this reader finds no such id; `stopped_at` is the first
    of found, filters, legs, reranked, returned, in_context that it did not pass, null where it came through; `first` are
    the ids that the query did return.
    """
    result = search(reader, text, options)
    about = dict(result.explain or {})
    i = about["id"]
    gate = Gate(reader, result.filter)
    row = (gate.nuggets([i]) or gate.chunks([i])).get(i) if about["found"] else None
    body = result.to_json()
    return {
        "release": body["release"], "query": body["query"], "reader": list(groups_of(options.principal, options.principals)),
        "at": body["at"], "view": body["view"], "id": i,
        "store": None if row is None else "nuggets" if "nugget_id" in row else "chunks",
        "text": None if row is None else row["text"], "explain": about,
        "stopped_at": _stopped(about), "first": [r.get("nugget_id") or r.get("chunk_id") for r in body["results"]], "notes": body["notes"],
    }


def _stopped(about: dict[str, Any]) -> str | None:
    if not about["found"]:
        return "found"
    if not all(about["filters"].values()):
        return "filters"
    if "fused_rank" not in about:
        return "legs"
    if about["reranked"] is None:
        return "reranked"
    if not about["outcome"].startswith("returned"):
        return "returned"
    return None if about["in_context"] else "in_context"
