"""Why this query got these candidates: the funnel, for each candidate or for one named nugget or chunk.

It shows only what the reader may see: a named id that is hidden and one that is missing give the same answer.
"""

from __future__ import annotations

from typing import Any

from retrieval.filters import failed_checks
from retrieval.fuse import Legs
from retrieval.gate import Gate, as_doc
from retrieval.ports import Candidate
from schemas.search import SearchFilter


def readable_only(gate: Gate, candidates: list[Candidate]) -> list[Candidate]:
    """The candidates whose rows this reader may see; rows that are not known yet are fetched in two calls."""
    nuggets = gate.nuggets([c.id for c in candidates if c.store == "nuggets"], {c.id for c in candidates if c.from_store})
    chunks = gate.chunks([c.id for c in candidates if c.store == "chunks"])
    return [c for c in candidates if c.id in nuggets or c.id in chunks]


def funnel(
    gate: Gate, legs: Legs, fused: list[Candidate], ordered: list[Candidate], returned: list[str], packed: list[str]
) -> dict[str, Any]:
    """Counts per step, and one entry per readable candidate in fused order."""
    shown = readable_only(gate, fused)
    ids = {c.id for c in shown}
    final = {c.id: i for i, c in enumerate(ordered, 1)}
    entries = [_entry(c, n, final.get(c.id), returned, packed) for n, c in enumerate(shown, 1)]
    return {
        "legs": {leg: sum(i in ids for i in found) for leg, found in sorted(legs.ranked.items())},
        "failed_legs": dict(sorted(legs.failed.items())),
        "fused": len(shown), "ranked": sum(c.id in final for c in shown), "returned": len(returned), "in_context": len(packed),
        "candidates": entries,
    }


def _entry(c: Candidate, fused_rank: int, final_rank: int | None, returned: list[str], packed: list[str]) -> dict[str, Any]:
    back = c.id in returned
    return {
        "id": c.id, "store": c.store, "legs": dict(sorted(c.legs.items())), "fused_rank": fused_rank, "fused_score": round(c.fused, 6),
        "reranked": final_rank, "score": round(c.score, 6),
        "outcome": f"returned at rank {returned.index(c.id) + 1}" if back else c.outcome or "not reranked: below the pool",
        "in_context": c.id in packed,
    }


def one(gate: Gate, filter: SearchFilter, name: str, whole: dict[str, Any], depth: int) -> dict[str, Any]:
    """What became of one id: in the store, how many readable candidates each leg found, which filters it passes, its ranks, and
    where it was dropped."""
    found = gate.nuggets([name]) or gate.chunks([name])
    if name not in found:
        return {"id": name, "found": False, "outcome": "no such nugget or chunk for this reader"}
    failed = failed_checks(as_doc(found[name]), filter)
    out = {"id": name, "found": True, "searched": whole["legs"], "failed_legs": whole["failed_legs"], "filters": {c: c not in failed for c in ("view", "time", "known_at", "kind", "language")}}
    entry = next((e for e in whole["candidates"] if e["id"] == name), None)
    if entry is not None:
        return {**out, **entry}
    if failed:
        return {**out, "outcome": f"filtered out before ranking by {', '.join(failed)}"}
    return {**out, "outcome": f"passes the filter, but no leg found it among its first {depth}"}
