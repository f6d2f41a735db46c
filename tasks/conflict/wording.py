"""The sentence that a nugget is shown and indexed as, and the longer one that is embedded.

Guarantees: pure. Only days that facts state (or succession implies) are told; a document's date is not, so that one more
document that says the same changes no text. A statement is its own text.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from schemas.time import civil_from_day, days_in_month, iso
from tasks.conflict.unite import NEG, POS, Tenure

ALIASES_MAX = 4


@lru_cache(maxsize=65536)
def phrase(first: int, last: int) -> str:
    """A day known to lie in [first, last] in the shortest ISO form: a day, a month, a year, or two ends."""
    if first == last:
        return iso(first)
    year, month, day = civil_from_day(first)
    until_year, until_month, until_day = civil_from_day(last)
    if year == until_year and day == 1:
        if month == until_month and until_day == days_in_month(year, month):
            return iso(first)[:-3]
        if month == 1 and (until_month, until_day) == (12, 31):
            return iso(first)[:-6]
    if (month, day) == (1, 1) and (until_month, until_day) == (12, 31):
        return f"{iso(first)[:-6]}..{iso(last)[:-6]}"
    return f"{iso(first)}..{iso(last)}"


@lru_cache(maxsize=65536)
def validity(slo: int, shi: int, elo: int, ehi: int, start_told: bool, end_told: bool, event: bool) -> str:
    """'from 2020-04-06 until 2024', 'since ...' is never guessed; '' where nothing is told."""
    parts = []
    if start_told:
        if slo > NEG and shi < POS:
            parts.append(("on " if slo == shi else "in ") + phrase(slo, shi) if event else "from " + phrase(slo, shi))
        elif slo > NEG:
            parts.append(f"from {iso(slo)} or later")
        elif shi < POS:
            parts.append(f"from {iso(shi)} or earlier")
    if end_told and not event:
        if elo > NEG and ehi < POS:
            whole = civil_from_day(ehi)[1:] == (1, 1) and elo < ehi - 1  # "until 1997" is [1997-01-01, 1998-01-01]
            parts.append("until " + phrase(elo, ehi - 1 if whole else ehi))
        elif ehi < POS:
            parts.append(f"until {iso(ehi)} or earlier")
        elif elo > NEG:
            parts.append(f"still on {iso(elo - 1)}")
    return " ".join(parts)


class Words:
    """How each predicate is worded, from the predicate file."""

    def __init__(self, predicates: Mapping[str, Any]) -> None:
        self.predicates = predicates
        self.found: dict[tuple[str, str], tuple[str, str]] = {}

    def of(self, predicate: str, scope: str) -> tuple[str, str]:
        """(words, tail): the predicate's name in words, with its scope; and its other wordings for the rendition."""
        key = (predicate, scope)
        if key not in self.found:
            plain = predicate.replace("_", " ").strip()
            aliases = [a for a in self.predicates.get(predicate, {}).get("aliases", ()) if a.casefold() != plain.casefold()]
            tail = f" Also: {', '.join(aliases[:ALIASES_MAX])}." if aliases else ""
            self.found[key] = (f"{plain} ({scope})" if scope else plain, tail)
        return self.found[key]

    def text(self, kind: str, subject: str, predicate: str, scope: str, obj: str, condition: str, t: Tenure) -> tuple[str, str]:
        """(text, rendition) of one nugget."""
        if kind == "statement":
            return obj, obj
        words, tail = self.of(predicate, scope)
        when = validity(
            t.slo, t.shi, t.elo, t.ehi, t.start_dated, t.closed_by is not None or t.end_dated, kind == "event"
        )
        text = f"{subject} — {words}: {obj}"
        if condition:
            text += f", {condition}"
        if when:
            text += f" ({when})"
        return text, f"{text}.{tail}"
