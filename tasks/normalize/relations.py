"""From a relation as written to a canonical predicate, its direction, and its scope.

Guarantee: a wording that the predicate file gives to several predicates is decided by the subject's type and the kind
of the object, and stays undecided (so: unknown) where these do not tell.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from schemas.ids import fold_name
from schemas.predicates import UNKNOWN_KEY, fold_alias
from tasks.dates.expressions import parse_expression

_FORWARD = ("aliases", "verbs", "infobox", "columns")
_INVERSE = ("inverse_aliases", "inverse_verbs")
_PLACE_OR_TIME = frozenset("in on at near".split())  # "born in 1950", "born in Paris": one verb, two predicates

# said of the time or the person, not of the office: no scope
NEUTRAL = frozenset(
    "former ex then current incumbent present sitting new newly long longtime serving previous past late original first second third last "
    "next future outgoing incoming founding founder co joint the a an its his her their own original famous veteran old appointed elected "
    "newly-appointed retired controversial only sole".split()
)
_SAME_SCOPE = {
    "caretaker": "acting",
    "temporary": "acting",
    "provisional": "acting",
    "ad interim": "acting",
    "pro tempore": "acting",
    "interim": "interim",
    "vice": "vice",
    "deputy": "deputy",
    "assistant": "assistant",
    "associate": "associate",
}


@dataclass(frozen=True, slots=True)
class Relation:
    """A reading of a wording. `known` = in the predicate file; `scope` folded; `object` its kind of value."""

    name: str
    inverse: bool
    scope: str
    known: bool
    object: str = ""
    object_types: frozenset[str] = frozenset()
    cardinality: str = "multi"
    unit: str = ""


class Relations:
    """The predicate file as an index of wordings. `predicates`: name -> plain dict, as in the resolved config."""

    def __init__(self, predicates: Mapping[str, Mapping[str, Any]]) -> None:
        self._bodies = predicates
        self._wordings: dict[str, set[tuple[str, bool]]] = defaultdict(set)
        self._stems: dict[tuple[str, bool], set[str]] = defaultdict(set)
        self._own_stems: dict[str, set[tuple[str, bool]]] = defaultdict(set)
        for name in sorted(predicates):
            body = predicates[name]
            for groups, inverse in ((_FORWARD, False), (_INVERSE, True)):
                for group in groups:
                    for wording in body.get(group, ()):
                        self._wordings[fold_alias(wording)].add((name, inverse))
                        if group.endswith("verbs"):
                            stem = (_stem(wording), inverse)
                            self._stems[stem].add(name)
                            self._own_stems[name].add(stem)
            self._wordings[fold_alias(name)].add((name, False))
        self.readings = lru_cache(maxsize=50_000)(self._readings)

    def _relation(self, name: str, inverse: bool, scope: str) -> Relation:
        body = self._bodies[name]
        return Relation(
            name,
            inverse,
            scope,
            True,
            body.get("object", "entity"),
            frozenset(body.get("object_types", ())),
            body.get("cardinality", "multi"),
            body.get("unit", ""),
        )

    def _readings(self, wording: str, scope: str, subject_type: str, object_type: str) -> tuple[Relation, ...]:
        """The readings of a wording, best first; then those of the same verb that want another kind of object.

        `subject_type` and `object_type` are entity types of the mention's subject and object, '' where unknown.
        An unknown wording gives one reading that is not `known`.
        """
        if wording in self._bodies and self._fits(wording, False, subject_type, object_type):
            found, qualifier = [(wording, False)], ""
        else:
            found, qualifier = ([], "") if wording.startswith(UNKNOWN_KEY) else self._match(fold_alias(wording))
        scope = join_scopes(scope, qualifier)
        if not found:
            return (Relation(fold_alias(wording), False, scope, False),)
        chosen = self._choose(found, subject_type, object_type)
        if not chosen and wording in self._bodies:
            chosen = [(wording, False)]  # named by the extractor; a tagged subject type may err
        if not chosen:
            return (Relation(fold_alias(wording), False, scope, False),)
        out = [self._relation(name, inverse, scope) for name, inverse in chosen]
        for name, inverse in chosen:
            for stem in sorted(self._own_stems[name]):
                for other in sorted(self._stems[stem]):
                    new = (
                        (other, inverse) not in chosen
                        and stem[1] == inverse
                        and self._fits(other, inverse, subject_type, "")
                    )
                    if new and self._kind(other) != self._kind(name):
                        out.append(self._relation(other, inverse, scope))
        return tuple(dict.fromkeys(out))

    def _match(self, folded: str) -> tuple[list[tuple[str, bool]], str]:
        """Predicates of a folded wording, and the words around it that may be a scope ("deputy", "north american")."""
        if folded in self._wordings:
            return sorted(self._wordings[folded]), ""
        words = folded.split()
        for size in range(len(words) - 1, 0, -1):
            for at in range(len(words) - size, -1, -1):
                core = " ".join(words[at : at + size])
                if core in self._wordings and (size > 1 or len(core) > 2):
                    before, after = words[:at], words[at + size :]
                    if after and after[0] not in ("of", "for", "in", "and", "elect", "designate", "emeritus"):
                        continue
                    return sorted(self._wordings[core]), " ".join(before + after)
        return [], ""

    def _choose(self, found: list[tuple[str, bool]], subject_type: str, object_type: str) -> list[tuple[str, bool]]:
        if len(found) == 1:
            return found
        fitting = [f for f in found if self._fits(f[0], f[1], subject_type, object_type)]
        if len(fitting) > 1 and object_type:
            fitting = [f for f in fitting if self._wants(f, object_type)] or fitting
        kinds = {self._kind(n) for n, _ in fitting}
        if len(fitting) > 1 and len(kinds) == 1:
            return []  # the wording alone does not tell
        return fitting

    def _kind(self, name: str) -> str:
        return self._bodies[name].get("object", "entity")

    def _fits(self, name: str, inverse: bool, subject_type: str, object_type: str) -> bool:
        real = object_type if inverse else subject_type
        types = self._bodies[name].get("subject", ())
        return not real or not types or real in types

    def _wants(self, found: tuple[str, bool], object_type: str) -> bool:
        types = self._bodies[found[0]].get("object_types", ())
        return found[1] or not types or object_type in types


def _stem(verb: str) -> str:
    words = fold_alias(verb).split()
    return " ".join(words[:-1]) if len(words) > 1 and words[-1] in _PLACE_OR_TIME else " ".join(words)


def join_scopes(*parts: str) -> str:
    """One folded scope out of several qualifiers: words about time dropped, synonyms joined, a date is no scope."""
    kept: list[str] = []
    for part in parts:
        folded = fold_alias(fold_name(part))
        if not folded or parse_expression(folded) is not None or re.fullmatch(r"\d+(?:st|nd|rd|th)?", folded):
            continue
        if folded in _SAME_SCOPE:
            words = [_SAME_SCOPE[folded]]
        else:
            words = [
                _SAME_SCOPE.get(w, w)
                for w in folded.split()
                if w not in NEUTRAL and not re.fullmatch(r"\d+(?:st|nd|rd|th)", w)
            ]
        text = " ".join(w for w in words if w not in ("of", "for", "in", "and"))
        if text and text not in kept:
            kept.append(text)
    return " ".join(kept)
