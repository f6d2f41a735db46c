"""The wording of the predicates, from the predicate file alone: another domain's file needs no change here.

Reading of the file:
- an alias noun names the object: "the CEO of S is O", "O is the CEO of S", "S's CEO O", "S has a population of O";
- an alias that ends in a preposition or a participle reads from left to right: "S is part of O", "S, located in O";
- an inverse alias ending in a preposition has the object first ("O is the capital of S"); any other inverse alias
  names the subject ("S is a subsidiary of O");
- a verb pattern is `[be] lemma [particle or noun] [preposition]`; the grammatical subject is the predicate's subject,
  for an inverse verb the predicate's object. `be member of` is also read as a copula with a noun.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from schemas.predicates import fold_alias

PREPOSITIONS = frozenset(
    "in on at by to from as with for of under into near after against through within since until about among".split()
)
PLACES = frozenset({"GPE", "LOC", "FAC"})
GROUPS = frozenset({"ORG", "NORP"})
VALUES = frozenset({"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"})


@dataclass(frozen=True, slots=True)
class Sense:
    """One reading of a wording: the predicate, and whether the wording has subject and object the other way round."""

    name: str
    inverse: bool
    subject: frozenset[str]
    object: str
    object_types: frozenset[str]
    cardinality: str

    @property
    def person_role(self) -> bool:
        return self.object == "entity" and "PERSON" in self.object_types and "PERSON" not in self.subject


@dataclass(slots=True)
class Lexicon:
    """`nouns`: folded words -> senses, by first word; `verbs`: (passive, lemma and middle words, preposition) -> senses."""

    nouns: dict[str, list[tuple[tuple[str, ...], tuple[Sense, ...]]]] = field(default_factory=dict)
    verbs: dict[tuple[bool, str, str], tuple[Sense, ...]] = field(default_factory=dict)
    verb_bases: dict[str, frozenset[str]] = field(default_factory=dict)
    dated: dict[tuple[bool, str], tuple[Sense, ...]] = field(default_factory=dict)
    copulas: dict[tuple[str, str], tuple[Sense, ...]] = field(default_factory=dict)
    infobox: dict[str, tuple[Sense, ...]] = field(default_factory=dict)
    columns: dict[str, tuple[Sense, ...]] = field(default_factory=dict)
    aliases: dict[str, tuple[Sense, ...]] = field(default_factory=dict)
    senses: dict[str, Sense] = field(default_factory=dict)


def compatible(types: frozenset[str], label: str) -> float:
    """How well an NER label fits a type list: 1 fits or unknown, .7 a confusion the tagger often makes, 0 does not fit."""
    if not types or label in types:
        return 1.0
    if not label:
        return 0.85
    if label in VALUES:
        return 0.0
    if label in PLACES and types & PLACES:
        return 0.95
    if label == "NORP" and "GPE" in types:
        return 0.97
    if label in GROUPS and types & GROUPS:
        return 0.95
    if label == "PERSON":
        return 0.7 if types & {"ORG", "WORK_OF_ART", "PRODUCT", "GPE", "FAC"} and "PERSON" not in types else 0.0
    if label in ("ORG", "GPE", "NORP") and types <= {"PERSON"}:
        return 0.55 if label != "NORP" else 0.0
    if label == "ORG" and types <= PLACES:  # small taggers take lesser-known states and towns for organisations
        return 0.65
    if label in ("PERSON", "ORG", "GPE", "NORP") and types <= {"EVENT"}:
        return 0.5
    if types <= {"WORK_OF_ART", "PRODUCT", "LAW"} and label in ("GPE", "LOC", "NORP", "ORG"):
        return 0.6 if label == "ORG" else 0.4
    if label in ("WORK_OF_ART", "PRODUCT", "EVENT", "LAW", "FAC", "LANGUAGE"):
        return 0.7
    return 0.75


def _pattern(text: str) -> tuple[bool, str, str]:
    words = fold_alias(text).split()
    passive = words[0] in ("be", "get") and len(words) > 1
    if passive:
        words = words[1:]
    prep = words.pop() if len(words) > 1 and words[-1] in PREPOSITIONS else ""
    words = [w for i, w in enumerate(words) if i == 0 or w not in ("its", "their", "his", "her", "a", "the")]
    return passive, " ".join(words), prep


def build_lexicon(predicates: dict) -> Lexicon:
    """`predicates`: name -> plain dict as in schemas.predicates.Predicate. Order of the file decides between equals."""
    out = Lexicon()
    nouns: dict[tuple[str, ...], list[Sense]] = defaultdict(list)
    verbs, dated, copulas = defaultdict(list), defaultdict(list), defaultdict(list)
    infobox, columns, aliases = defaultdict(list), defaultdict(list), defaultdict(list)
    bases = defaultdict(set)
    for name, p in predicates.items():
        plain = Sense(name, False, frozenset(p.get("subject", ())), p.get("object", "entity"),
                      frozenset(p.get("object_types", ())), p.get("cardinality", "multi"))
        swapped = Sense(name, True, plain.subject, plain.object, plain.object_types, plain.cardinality)
        out.senses[name] = plain
        for group, inverse in (("aliases", False), ("inverse_aliases", True)):
            for alias in p.get(group, ()):
                words = fold_alias(alias).split()
                if not words:
                    continue
                prep = len(words) > 1 and words[-1] in PREPOSITIONS
                aliases[" ".join(words)].append(swapped if inverse else plain)
                if prep:
                    sense = swapped if inverse else plain
                    copulas[(" ".join(words[:-1]), words[-1])].append(sense)
                    nouns[tuple(words[:-1])] += []
                    if len(words) == 2 and words[0].endswith(("ed", "own", "en")) and plain.object in ("entity", "string"):
                        continue
                    if inverse:
                        nouns[tuple(words[:-1])].append(plain)
                else:
                    nouns[tuple(words)].append(swapped if inverse else plain)
        for group, inverse in (("verbs", False), ("inverse_verbs", True)):
            for wording in p.get(group, ()):
                passive, base, prep = _pattern(wording)
                sense = swapped if inverse else plain
                verbs[(passive, base, prep)].append(sense)
                bases[base.split()[0]].add(base)
                if plain.object == "date":
                    dated[(passive, base)].append(sense)
                if passive and prep:
                    copulas[(base, prep)].append(sense)
                elif not passive and base.startswith("become ") and prep:
                    copulas[(base[7:], prep)].append(sense)
        for key in p.get("infobox", ()):
            head, _, role = key.partition(":")
            infobox[fold_alias(head) + (":" + fold_alias(role) if role else "")].append(plain)
        for column in p.get("columns", ()):
            columns[fold_alias(column)].append(plain)
    by_first: dict[str, list] = defaultdict(list)
    for words, senses in nouns.items():
        if senses:
            by_first[words[0]].append((words, tuple(dict.fromkeys(senses))))
    out.nouns = {w: sorted(v, key=lambda item: (-len(item[0]), item[0])) for w, v in by_first.items()}
    for target, source in ((out.verbs, verbs), (out.dated, dated), (out.copulas, copulas), (out.infobox, infobox),
                           (out.columns, columns), (out.aliases, aliases)):
        target.update({k: tuple(dict.fromkeys(v)) for k, v in source.items()})
    out.verb_bases = {k: frozenset(v) for k, v in bases.items()}
    return out
