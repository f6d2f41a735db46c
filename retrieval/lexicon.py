"""How questions word relations: the release's predicate file, turned into phrases that a question is scanned for.

Longest phrase first, and a word serves one phrase only, so "vice president" is not also "president".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from retrieval.words import forms, stem, words

_HELPERS = frozenset({"be", "have", "a", "an", "the", "its", "do"})
_PREPOSITIONS = frozenset("of in on at by for to from with into as over under".split())
_PLACES = frozenset({"GPE", "LOC", "FAC"})
_ACTORS = frozenset({"PERSON", "ORG", "NORP"})


@dataclass(frozen=True)
class Wording:
    """One way to word a predicate. `swapped`: the sentence's subject is the predicate's object. `preposition`: the one
    that should follow, or ''. `direct`: a relation name ("CEO"), not a verb."""

    predicate: str
    swapped: bool
    preposition: str
    direct: bool


@dataclass(frozen=True)
class Match:
    """A wording found in a question: half-open word positions, and every wording the phrase stands for."""

    start: int
    end: int
    wordings: tuple[Wording, ...]


class Lexicon:
    """Phrases of stems to the predicates that they word."""

    def __init__(self, predicates: dict[str, Any]) -> None:
        """`predicates` is the config's section: {name: fields as in schemas.predicates.Predicate}."""
        self.predicates = predicates
        self.phrases: dict[tuple[str, ...], list[Wording]] = {}
        self.by_first: dict[str, list[tuple[str, ...]]] = {}
        for name in sorted(predicates):
            body = predicates[name]
            for field, swapped, direct in (("aliases", False, True), ("inverse_aliases", True, True), ("columns", False, True),
                                           ("verbs", False, False), ("inverse_verbs", True, False)):
                for text in body.get(field) or ():
                    self._add(name, text, swapped, direct)
            self._add(name, name.replace("_", " "), False, True)
        for phrase in sorted(self.phrases, key=lambda p: (-len(p), p)):
            self.by_first.setdefault(phrase[0], []).append(phrase)

    def _add(self, name: str, text: str, swapped: bool, direct: bool) -> None:
        tokens = words(text)
        if not direct:
            while tokens and tokens[0] in _HELPERS:
                tokens = tokens[1:]
        preposition = ""
        if len(tokens) > 1 and tokens[-1] in _PREPOSITIONS:
            preposition, tokens = tokens[-1], tokens[:-1]
        phrase = tuple(stem(t) for t in tokens if t not in ("a", "an", "the"))
        if not phrase or (len(phrase) == 1 and phrase[0] in _HELPERS | _PREPOSITIONS):
            return
        wording = Wording(name, swapped, preposition, direct)
        known = self.phrases.setdefault(phrase, [])
        if wording not in known:
            known.append(wording)

    def find(self, tokens: list[str]) -> list[Match]:
        """All phrases in the words of a question, in order, longest first, not overlapping."""
        shapes = [forms(t) for t in tokens]
        out, at = [], 0
        while at < len(tokens):
            options = sorted((p for s in shapes[at] for p in self.by_first.get(s, ())), key=lambda p: (-len(p), p))
            for phrase in options:
                end = at + len(phrase)
                if end <= len(tokens) and all(item in shapes[at + i] for i, item in enumerate(phrase)):
                    out.append(Match(at, end, self._fitting(phrase, tokens[end] if end < len(tokens) else "")))
                    at = end
                    break
            else:
                at += 1
        return out

    def _fitting(self, phrase: tuple[str, ...], after: str) -> tuple[Wording, ...]:
        """Wordings of a phrase; those whose preposition follows alone, where there are any, names included."""
        wordings = self.phrases[phrase]
        exact = [w for w in wordings if w.preposition and w.preposition == after]
        return tuple([w for w in wordings if w in exact or w.direct] if exact else wordings)

    def answers(self, predicate: str, asked: str) -> bool:
        """Whether the predicate's object can be what the question word asks for; True where it asks for anything."""
        body = self.predicates.get(predicate) or {}
        kind, types = body.get("object", "entity"), set(body.get("object_types") or ())
        if asked == "who":
            return kind == "entity" and (not types or bool(types & _ACTORS))
        if asked == "where":
            return kind == "entity" and (not types or bool(types & _PLACES))
        if asked == "when":
            return kind == "date"
        if asked == "how many":
            return kind == "quantity"
        return True

    def functional(self, predicate: str) -> bool:
        return (self.predicates.get(predicate) or {}).get("cardinality") == "functional"

    def wording_stems(self, predicate: str) -> set[str]:
        """Stems of all wordings of a predicate: a question that uses one of them speaks of it."""
        return self._stems().get(predicate, set())

    def _stems(self) -> dict[str, set[str]]:
        if not hasattr(self, "_stem_sets"):
            self._stem_sets: dict[str, set[str]] = {}
            for phrase, wordings in self.phrases.items():
                for wording in wordings:
                    self._stem_sets.setdefault(wording.predicate, set()).update(phrase)
        return self._stem_sets


_CACHE: list[tuple[Any, Lexicon]] = []


def lexicon_of(config: dict[str, Any]) -> Lexicon:
    """The lexicon of a resolved config; the last few are kept, by the identity of the predicate section."""
    section = config.get("predicates") or {}
    for known, lexicon in list(_CACHE):
        if known is section:
            return lexicon
    lexicon = Lexicon(section)
    _CACHE.append((section, lexicon))
    del _CACHE[:-8]
    return lexicon
