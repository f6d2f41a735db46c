"""Role wordings outside sentences: "(Chairman and CEO)", "44th President of the United States", "List of mayors of Bern"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from schemas.predicates import fold_alias
from tasks.extract.lexicon import Lexicon, Sense, compatible
from tasks.extract.matches import CURRENT, FORMER, SCOPES

_SPLIT = re.compile(r"\s*(?:,|;|&|/|\band\b|\+|\bcum\b)\s*", re.IGNORECASE)
_OWNER = re.compile(r"^\s*(?:of|for|at)\s+(?:the\s+)?(.+)$")
_ORDINAL = re.compile(r"^(?:the\s+)?(?:\d{1,3}(?:st|nd|rd|th)|first|second|third|fourth|fifth)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RoleText:
    """A role found in a text: senses ('' predicate none), offsets of the wording, owner offsets (-1 none), scope, cue words."""

    senses: tuple[Sense, ...]
    start: int
    end: int
    owner: tuple[int, int]
    scope: str
    former: bool
    current: bool
    word: str


def find_roles(text: str, lex: Lexicon, persons: bool = True, key: str = "") -> list[RoleText]:
    """Every role wording of a text, in order; compound wordings are also read part by part."""
    out: dict[tuple, RoleText] = {}
    bounds = [0]
    for m in _SPLIT.finditer(text):
        bounds += [m.start(), m.end()]
    bounds.append(len(text))
    spans = [(bounds[i], bounds[i + 1]) for i in range(0, len(bounds) - 1, 2)]
    if len(spans) > 1:
        spans.insert(0, (0, len(text)))
    for whole, (start, end) in enumerate(spans):
        found = _one(text, start, end, lex, persons, key, exact=len(spans) > 1 and whole == 0)
        if found:
            out.setdefault((tuple(s.name for s in found.senses), found.scope), found)
    return list(out.values())


def _one(text, start, end, lex, persons, key, exact) -> RoleText | None:
    words = [(m.start(), m.end()) for m in re.finditer(r"[^\s\-–—/().,;:]+", text[start:end])]
    words = [(start + a, start + b) for a, b in words]
    for size in range(len(words), 0, -1):
        for i in range(0, len(words) - size + 1):
            if exact and size != len(words):
                return None
            first, last = words[i][0], words[i + size - 1][1]
            folded = fold_alias(text[first:last])
            senses = _senses(folded, lex, persons, key)
            if not senses:
                continue
            scope, former, current = [], False, False
            for a, b in words[:i]:
                word = text[a:b].lower()
                if word in FORMER:
                    former = True
                elif word in CURRENT:
                    current = True
                elif word in SCOPES:
                    scope.append(SCOPES[word])
                elif word not in ("list", "of", "the", "as", "his", "her", "its") and not _ORDINAL.match(text[a:b] + " ") and persons:
                    scope.append(word)
            owner = (-1, -1)
            if m := _OWNER.match(text[last:end]):
                owner = (last + m.start(1), last + m.end(1))
                while owner[1] > owner[0] and not text[owner[1] - 1].isalnum() and text[owner[1] - 1] != ".":
                    owner = (owner[0], owner[1] - 1)
            tail = text[last:end].strip().lower().lstrip("-– ")
            if tail.startswith(("elect", "designate", "emeritus")):
                scope.append(tail.split()[0])
            return RoleText(senses, first, last, owner, " ".join(s for s in scope if s), former, current, folded)
    return None


def _senses(folded: str, lex: Lexicon, persons: bool, key: str) -> tuple[Sense, ...]:
    for word in (folded, *_singulars(folded), *_plural_heads(folded)):
        if key and (senses := lex.infobox.get(f"{key}:{word}")):
            return senses
        senses = tuple(s for s in lex.aliases.get(word, ()) if not s.inverse and (s.person_role or not persons))
        if senses:
            return senses
    return ()


def _singulars(folded: str) -> list[str]:
    """What a plural may be the plural of: "mayors", "secretaries", "chairmen", "duchesses"."""
    out = [folded[:-1]] if folded.endswith("s") else []
    for plural, singular in (("ies", "y"), ("es", ""), ("men", "man"), ("persons", "person"), ("people", "person")):
        if folded.endswith(plural):
            out.append(folded[: -len(plural)] + singular)
    return out


def _plural_heads(folded: str) -> list[str]:
    """"heads of state" -> "head of state", "secretaries general" -> "secretary general"."""
    first, *rest = folded.split() or [""]
    return [" ".join([one, *rest]) for one in _singulars(first)] if rest else []


_ORG_WORDS = re.compile(
    r"\b(?:University|College|School|Institute|Bank|Company|Corporation|Corp|Inc|Ltd|Group|Party|Association|Union|Council|Committee|"
    r"Board|Club|Society|Academy|Federation|Foundation|Agency|Commission|Church|Senate|Assembly|Department|Ministry|F\.?C\.?|Court)\b"
)


def guess_owner(name: str, sense: Sense | None = None) -> str:
    """Kind of a role's owner by its wording: ORG words, else the only type that the sense allows, else ''."""
    if _ORG_WORDS.search(name):
        return "ORG"
    return next(iter(sense.subject)) if sense and len(sense.subject) == 1 else ""


def best_sense(senses: tuple[Sense, ...], owner: str) -> Sense:
    """Of several senses of one role word, the one whose subject fits the owner's wording; places where nothing speaks."""
    kind = guess_owner(owner) or ("ORG" if owner.isupper() else "GPE")
    return max(senses, key=lambda s: (compatible(s.subject, kind), -senses.index(s)))
