"""A query's answer and its JSON, exactly as `lode query --json` prints it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from retrieval.evidence import Evidence
from retrieval.filters import TimeAsked
from retrieval.gate import as_doc
from retrieval.ports import Candidate
from schemas.search import SearchFilter
from schemas.time import iso

_DAYS = ("start_min", "start_max", "end_min", "end_max")
_NO_BOUNDS = {"start_basis": "", "end_basis": "", "start_confidence": None, "end_confidence": None}


def valid_json(row: dict) -> dict[str, Any]:
    """The four days as ISO text (null = unknown), with basis and confidence of both bounds.

    A chunk's days are those its document states for its own force; basis `explicit` where there is one.
    """
    if "nugget_id" in row:
        days = {d: iso(row[d]) for d in _DAYS}
        return {**days, **{f: _rounded(row[f]) for f in _NO_BOUNDS}}
    start, end = row.get("valid_from"), row.get("valid_to")
    return {
        "start_min": iso(start), "start_max": iso(start), "end_min": iso(end), "end_max": iso(end), **_NO_BOUNDS,
        "start_basis": "" if start is None else "explicit", "end_basis": "" if end is None else "explicit",
    }


def _rounded(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value


def rival_json(row: dict) -> dict[str, Any]:
    """One rival of a result: which nugget, what it says, its state and days."""
    return {"nugget_id": row["nugget_id"], "object": row["object"], "state": row["state"], "valid": valid_json(row)}


@dataclass
class QueryResult:
    """What `search` gives back. `results` are the candidates in final order; `evidence` is per candidate id.

    `packed` are the ids whose text is in `context`; `explain` is the funnel where it was asked for. `confidence` is
    0..1; `withheld` counts facts of the same keys that this reader may see under another view or time.
    """

    release: str
    query: str
    time: TimeAsked
    view: str
    filter: SearchFilter
    results: list[Candidate] = field(default_factory=list)
    evidence: dict[str, list[Evidence]] = field(default_factory=dict)
    confidence: float = 0.0
    abstained: bool = True
    withheld: int = 0
    context: str = ""
    notes: list[str] = field(default_factory=list)
    packed: list[str] = field(default_factory=list)
    explain: dict[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain data in the shape of the command's JSON; `explain` is there only where it was asked for."""
        out: dict[str, Any] = {
            "release": self.release,
            "query": self.query.encode("utf-8", "replace").decode("utf-8"),
            "at": self.time.to_json(),
            "view": self.view,
            "results": [self._result(rank, c) for rank, c in enumerate(self.results, 1)],
            "confidence": round(self.confidence, 4),
            "abstained": self.abstained,
            "withheld": self.withheld,
            "context": self.context,
            "notes": list(self.notes),
        }
        if self.explain is not None:
            out["explain"] = self.explain
        return out

    def _result(self, rank: int, c: Candidate) -> dict[str, Any]:
        row, nugget = c.row, c.store == "nuggets"
        return {
            "rank": rank,
            "score": round(c.score, 6),
            "legs": dict(sorted(c.legs.items())),
            "kind": row["kind"],
            ("nugget_id" if nugget else "chunk_id"): c.id,
            "text": row["text"],
            "subject": row["subject"] if nugget else None,
            "predicate": row["predicate"] if nugget else None,
            "object": row["object"] if nugget else None,
            "state": row["state"] if nugget else as_doc(row)["state"],
            "condition": (row.get("condition") or "") if nugget else "",
            "valid": valid_json(row),
            "group": c.group,
            "conflicts": [rival_json(r) for r in c.rivals],
            "evidence": [e.to_json() for e in self.evidence.get(c.id, ())],
        }
