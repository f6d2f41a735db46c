"""The legs and their fusion: each leg is filtered in its store, a failed leg is reported and the others still answer.

Reciprocal rank fusion: Cormack, Clarke, Buettcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
Learning Methods", SIGIR 2009: score(d) = sum over lists of 1 / (k + rank(d)).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from retrieval.ports import STORES, Candidate, ReleaseReader
from retrieval.query import Question
from schemas.errors import LodeError
from schemas.search import SearchFilter


@dataclass
class Legs:
    """What each leg found: `ranked` {leg: ids, best first}, `cosines` {id: cosine}, `stores` {id: store}, notes."""

    ranked: dict[str, list[str]] = field(default_factory=dict)
    cosines: dict[str, float] = field(default_factory=dict)
    stores: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def add(self, leg: str, store: str, ids: Sequence[str]) -> None:
        """Adds a list, duplicates of an id within it dropped (the best rank counts)."""
        self.ranked[leg] = list(dict.fromkeys(ids))
        self.stores.update((i, store) for i in ids)

    @property
    def notes(self) -> list[str]:
        return [f"leg {leg} failed ({why}); the others answered" for leg, why in self.failed.items()]


def run_legs(reader: ReleaseReader, question: Question, filter: SearchFilter, depth: int) -> Legs:
    """All four legs, sparse then dense, to `depth` each."""
    legs = Legs()
    text = " ".join(question.keywords)
    if not text:
        return legs
    for store in STORES:
        _run(legs, f"{store}:bm25", store, partial(_sparse, reader, store, text, filter, depth))
    vector = None
    stores = {}
    for store in STORES:
        try:
            stores[store] = reader.dense(store)
        except Exception as error:  # a store that does not open is a failed leg
            legs.failed[f"{store}:dense"] = _why(error)
    if any(s is not None for s in stores.values()):
        try:
            vector = reader.encode(question.text)
        except Exception as error:
            legs.failed.update({f"{s}:dense": _why(error) for s, opened in stores.items() if opened is not None})
    for store, opened in stores.items():
        if opened is not None and vector is not None:
            _run(legs, f"{store}:dense", store, partial(opened.search, vector, filter, depth))
    return legs


def _sparse(reader: ReleaseReader, store: str, text: str, filter: SearchFilter, depth: int) -> list[tuple[str, float]]:
    return reader.sparse(store).search(text, filter, depth)  # opened here: a store that does not open is a failed leg


def _run(legs: Legs, leg: str, store: str, call: Callable[[], Sequence[tuple[str, float]]]) -> None:
    try:
        hits = list(call())
        legs.add(leg, store, [str(i) for i, _ in hits])
        if leg.endswith(":dense"):
            for i, score in hits:
                legs.cosines[str(i)] = max(float(score), legs.cosines.get(str(i), -1.0))
    except Exception as error:  # any fault of one leg leaves the others standing
        legs.ranked.pop(leg, None)
        legs.failed[leg] = _why(error)


def _why(error: Exception) -> str:
    """Our own refusals in full; of others the type alone, since a message could quote what the reader may not see."""
    return error.found if isinstance(error, LodeError) else type(error).__name__


def rrf(lists: Mapping[str, Sequence[str]], k: int) -> list[tuple[str, float, dict[str, int]]]:
    """(id, score, {leg: rank from 1}), best first, ties by id. Lists that are absent contribute nothing."""
    ranks: dict[str, dict[str, int]] = {}
    for leg in sorted(lists):
        for rank, i in enumerate(lists[leg], 1):
            ranks.setdefault(i, {}).setdefault(leg, rank)
    scored = [(i, sum(1.0 / (k + r) for r in legs.values()), legs) for i, legs in ranks.items()]
    return sorted(scored, key=lambda item: (-item[1], item[0]))


def fuse(legs: Legs, k: int) -> list[Candidate]:
    """Candidates in fused order, each with every rank that it was found at."""
    return [
        Candidate(id=i, store=legs.stores[i], legs=found, fused=score, cosine=legs.cosines.get(i, 0.0))
        for i, score, found in rrf(legs.ranked, k)
    ]
