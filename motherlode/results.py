"""What `Release.search` gives back: frozen, typed, and in step with the JSON of `lode query --json`.

Every value comes from that JSON, so the two cannot disagree. Days are ISO 8601 text with astronomical years (44 BC =
-0043), half open; None is unknown.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from schemas.errors import UsageError
from schemas.time import Interval as Days
from schemas.time import parse_iso


@dataclass(frozen=True)
class Interval:
    """When a fact holds: its first day lies in [start_min, start_max], the first day without it in [end_min, end_max].

    All four are ISO days, both ends inclusive; None is the uninformative bound of its own side. `*_basis` says what a
    bound rests on ('' where nothing does), `*_confidence` (0..1) how sure it is.
    """

    start_min: str | None = None
    start_max: str | None = None
    end_min: str | None = None
    end_max: str | None = None
    start_basis: str = ""
    end_basis: str = ""
    start_confidence: float | None = None
    end_confidence: float | None = None

    def possibly(self, day: str) -> bool:
        """Whether the fact may hold on an ISO day: start_min ≤ day < end_max. Raises UsageError where it is no day."""
        return self._days().possibly(_day(day))

    def certainly(self, day: str) -> bool:
        """Whether the fact surely holds on an ISO day: start_max ≤ day < end_min. Raises UsageError."""
        return self._days().certainly(_day(day))

    def _days(self) -> Days:
        bounds = (self.start_min, self.start_max, self.end_min, self.end_max)
        return Days(*(None if b is None else parse_iso(b).first for b in bounds))


def _day(text: str) -> int:
    if not isinstance(text, str):
        raise UsageError(f"{text!r} ({type(text).__name__}) is no day", expected="one day, YYYY-MM-DD")
    try:
        days = parse_iso(text)
    except ValueError as error:
        raise UsageError(str(error), expected="one day, YYYY-MM-DD") from None
    if days.first != days.last:
        raise UsageError(f"{text} is more than one day", expected="one day, YYYY-MM-DD")
    return days.first


@dataclass(frozen=True)
class Evidence:
    """One place in one document. `spans` are half-open code-point offsets into the version's canonical text."""

    document_id: str
    version_id: str
    chunk_id: str
    spans: tuple[tuple[int, int], ...]
    text: str
    title: str
    uri: str


@dataclass(frozen=True)
class Rival:
    """A nugget that contradicts a result."""

    nugget_id: str
    object: str
    state: str
    valid: Interval


@dataclass(frozen=True)
class _Result:
    rank: int
    score: float
    legs: Mapping[str, int] = field(hash=False)
    kind: str
    id: str
    text: str
    state: str
    condition: str
    valid: Interval
    group: str
    conflicts: tuple[Rival, ...]
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class Fact(_Result):
    """A nugget: `kind` is fact, event or statement, `id` its nugget_id, `conflicts` what contradicts it.

    `rank` counts from 1; `legs` gives the rank in each leg that found it; results of one `group` say the same thing.
    """

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True)
class Passage(_Result):
    """A chunk: `id` is its chunk_id, `kind` that of the chunk, `valid` what its document says of its own force."""

    @property
    def subject(self) -> None:
        """A passage has none."""
        return None

    @property
    def predicate(self) -> None:
        """A passage has none."""
        return None

    @property
    def object(self) -> None:
        """A passage has none."""
        return None


@dataclass(frozen=True)
class SearchResult:
    """The answer to one query; iterating gives its results in rank order.

    `at` is the time that was filtered by (a day, or a half-open interval `a/b`), None where nothing was. `confidence`
    is 0..1; `abstained`: nothing found supports the question; `withheld` counts facts of the same keys that this reader
    may see under another view or time. `context` is the text for a prompt. `explain` is the funnel, where asked for.
    """

    release: str
    query: str
    at: str | None
    view: str
    results: tuple[Fact | Passage, ...]
    confidence: float
    abstained: bool
    withheld: int
    context: str
    notes: tuple[str, ...]
    explain: Mapping[str, Any] | None = field(hash=False)
    _json: dict[str, Any] = field(repr=False, compare=False)

    def __iter__(self) -> Iterator[Fact | Passage]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The nuggets among the results."""
        return tuple(r for r in self.results if isinstance(r, Fact))

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The chunks among the results."""
        return tuple(r for r in self.results if isinstance(r, Passage))

    def to_json(self) -> dict[str, Any]:
        """Plain data, the same as `lode query --json` prints. A copy: changing it changes nothing here."""
        return copy.deepcopy(self._json)


def result_of(data: dict[str, Any]) -> SearchResult:
    """The typed answer of a query's JSON."""
    return SearchResult(
        release=data["release"], query=data["query"], at=data["at"], view=data["view"],
        results=tuple(_one(r) for r in data["results"]), confidence=data["confidence"], abstained=data["abstained"],
        withheld=data["withheld"], context=data["context"], notes=tuple(data["notes"]), explain=copy.deepcopy(data.get("explain")),
        _json=data,
    )


def _one(r: dict[str, Any]) -> Fact | Passage:
    conflicts = tuple(Rival(c["nugget_id"], c["object"], c["state"], Interval(**c["valid"])) for c in r["conflicts"])
    evidence = tuple(
        Evidence(e["document_id"], e["version_id"], e["chunk_id"], tuple((s[0], s[1]) for s in e["spans"]), e["text"], e["title"], e["uri"])
        for e in r["evidence"]
    )
    shared: dict[str, Any] = {
        "rank": r["rank"], "score": r["score"], "legs": dict(r["legs"]), "kind": r["kind"], "text": r["text"], "state": r["state"],
        "condition": r["condition"], "valid": Interval(**r["valid"]), "group": r["group"], "conflicts": conflicts, "evidence": evidence,
    }
    if "nugget_id" in r:
        return Fact(**shared, id=r["nugget_id"], subject=r["subject"], predicate=r["predicate"], object=r["object"])
    return Passage(**shared, id=r["chunk_id"])
