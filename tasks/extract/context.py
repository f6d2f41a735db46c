"""What a sentence cannot know by itself: the page it stands on, what kind of thing that is, and the sentence before.

A reference is resolved to the page's subject only where nothing else competes: the kind fits, and the sentence before
is not about someone else. Where it is ambiguous there is no mention.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from schemas.predicates import fold_alias
from tasks.extract.arguments import NOUN_TYPE, PRONOUNS, Arg
from tasks.extract.parses import Parse

_KEYS = {
    "PERSON": "birth date|birth place|birth name|spouse|alma mater|occupation|death date|nationality|children|party|term start|office|caps|"
              "years active|education|known for|relatives|parents|youthclubs|clubs|batting|allegiance|title|predecessor|dateofbirth",
    "ORG": "industry|key people|num employees|revenue|headquarters|hq location|ceo|products|parent|traded as|chairman|operating income|"
           "undergrad|ground|league|former name|company type|leader title|membership|subsid|website|area served|isin|clubname",
    "GPE": "population total|population|area total km2|timezone|subdivision type|subdivision name|capital|gdp nominal|calling code|"
           "postal code|government type|official languages|population as of|settlement type|area total sq mi|elevation m",
    "WORK_OF_ART": "director|producer|starring|author|publisher|artist|runtime|gross|writer|cinematography|isbn|num episodes|album|pages",
    "FAC": "architect|floor count|opened|architectural style|construction start date|structural engineer|main contractor|iata|icao",
    "PRODUCT": "developer|latest release version|programming language|operating system|license|manufacturer|cpu|os",
    "EVENT": "combatant1|casualties1|result|venue|participants|election date|attendance|fatalities|belligerents|turnout election",
}
_KEY_TYPES = {key: label for label, keys in _KEYS.items() for key in keys.split("|")}
_IS_A = re.compile(r"\b(?:is|was|are|were)\s+(?:(?:a|an|the|one\s+of(?:\s+the)?)\s+)?(.{3,160})")
_STOP = re.compile(r"\s(?:of|in|that|which|who|whose|for|from|on|at|by|located|based|with|to|headquartered|founded|established|and\s+(?:is|was))\s|[,.;(]")
_BORN = re.compile(r"\((?:[^()]{0,80}[;,]\s*)?(?:born|b\.)\s|\([^()]{0,40}\d{4}\s*[–-]\s*[^()]{0,30}\d{4}\)\s+(?:was|is)\s")
_HE_SHE = re.compile(r"\b(he|his|him|she|her)\b", re.IGNORECASE)
_PARENS = re.compile(r"\s*\([^()]*\)\s*$")


@dataclass(slots=True)
class Page:
    """A document's subject: its title, the title without a disambiguator, its kind ('' unknown), and 'he' or 'she'."""

    title: str
    name: str
    kind: str
    pronoun: str
    tokens: frozenset[str]
    last: str
    office: frozenset[str] = frozenset()  # a page about an office ("Chancellor of Germany"): its predicates and their owner
    owner: str = ""


def guess_kind(first_sentence: str, keys: Iterable[str]) -> str:
    """Kind of a page's subject, by what its first sentence says it is, else by its infobox keys; '' = unknown."""
    match = _IS_A.search(first_sentence[:500])
    if match:
        if _BORN.search(first_sentence[: match.end()]):
            return "PERSON"
        head = _STOP.split(match[1] + " ", maxsplit=1)[0].lower()
        for word in reversed(head.replace("-", " ").split()):
            if label := NOUN_TYPE.get(word) or (NOUN_TYPE.get(word[:-1]) if word.endswith("s") else None):
                return label
    votes = Counter(_KEY_TYPES[k] for k in sorted(set(keys)) if k in _KEY_TYPES)
    if votes:
        (label, n), *rest = sorted(votes.items(), key=lambda item: (-item[1], item[0]))
        if not rest or rest[0][1] < n:
            return label
    return ""


def make_page(title: str, first_sentence: str, keys: Iterable[str], texts: Iterable[str]) -> Page:
    """`texts`: the document's chunk texts in order, for the pronoun it is spoken of with."""
    name = _PARENS.sub("", title).strip()
    counts = Counter()
    for text in texts:
        for m in _HE_SHE.findall(text):
            counts["he" if m[0] in "hH" and m.lower() in ("he", "his", "him") else "she"] += 1
        if counts.total() > 400:
            break
    he, she = counts["he"], counts["she"]
    pronoun = "he" if he > 2 * she else "she" if she > 2 * he else ""
    tokens = frozenset(fold_alias(name).split())
    words = name.split()
    return Page(title, name, guess_kind(first_sentence, keys), pronoun, tokens, fold_alias(words[-1]) if words else "")


def part_of_page_name(page: Page, text: str) -> bool:
    """Whether a name is made of words of the title: whatever a tagger says of it, it is of the page's kind."""
    return bool(page.kind) and set(fold_alias(text).split()) <= page.tokens


def is_page_name(page: Page, text: str) -> bool:
    """Whether a name as written is the page's subject: the title, or a person's last name."""
    folded = fold_alias(text)
    return bool(folded) and (folded == fold_alias(page.name) or (page.kind == "PERSON" and folded == page.last))


@dataclass(frozen=True, slots=True)
class Lead:
    """What a sentence is about: the kind of its main subject ('he', 'it', 'PERSON', …; '' none) and its text."""

    kind: str
    text: str


def lead_of(p: Parse) -> Lead:
    """The subject of the main clause, for the sentence that follows."""
    for v in range(p.n):
        if p.dep[v] == "ROOT":
            s = p.kid(v, "nsubj", "nsubjpass")
            if s < 0:
                return Lead("", "")
            if p.tag[s] == "PRP":
                return Lead(PRONOUNS.get(p.low[s], ""), p.low[s])
            if p.label(s):
                first, last, label = p.ents[p.ent[s]]
                return Lead(label, p.text[p.start[first] : p.end[last - 1]])
            if p.tag[s][:3] == "NNP":
                return Lead("NAME", p.words[s])
            return Lead("noun", p.low[s])
    return Lead("", "")


def inner_antecedent(p: Parse, arg: Arg) -> tuple[int, int, str] | bool | None:
    """A named subject of an earlier clause of the sentence that a pronoun may stand for.

    Gives its offsets and label where there is exactly one, False where there are several, None where there is none.
    """
    found = {}
    person = arg.ref in ("he", "she")
    if any(PRONOUNS.get(p.low[i]) == arg.ref for i in range(arg.head) if p.tag[i][:3] == "PRP"):
        return None
    for first, last, label in p.ents:
        if p.end[last - 1] > arg.start:
            break
        head = next((i for i in range(last - 1, first - 1, -1) if not first <= p.head[i] < last), last - 1)
        if (label == "PERSON") == person and label in ("PERSON", "ORG", "GPE", "FAC", "PRODUCT", "WORK_OF_ART", "NORP"):
            if person or p.dep[head] in ("nsubj", "nsubjpass"):
                found[p.text[p.start[first] : p.end[last - 1]]] = (p.start[first], p.end[last - 1], label, head)
    if person and not found and (subject := _proper_subject(p, arg)):
        return subject
    if not found:
        return None
    subjects = [f for f in found.values() if p.dep[f[3]] in ("nsubj", "nsubjpass")]
    pick = subjects if len(subjects) == 1 and len(found) <= 2 else list(found.values())
    return pick[0][:3] if len(pick) == 1 else False


def _proper_subject(p: Parse, arg: Arg) -> tuple[int, int, str] | None:
    """"Palmisano … until 2011, when he": a one-word proper subject that the tagger took for something else."""
    for i in range(p.n):
        if p.end[i] > arg.start:
            return None
        if p.dep[i] in ("nsubj", "nsubjpass") and p.tag[i] == "NNP" and p.label(i) in ("", "ORG", "GPE") and p.kid(i, "det") < 0:
            first = i
            while first > 0 and p.dep[first - 1] == "compound" and p.head[first - 1] == i:
                first -= 1
            return p.start[first], p.end[i], "PERSON"
    return None


def resolves_to_page(page: Page, arg: Arg, before: Lead | None, possessive: bool = False) -> bool:
    """Whether a reference stands for the page's subject. `before` is the lead of the sentence before in the paragraph."""
    ref = arg.ref
    if ref == "page":
        return bool(page.title)
    if ref in ("he", "she"):
        if page.kind != "PERSON" or (page.pronoun and page.pronoun != ref):
            return False
        return before is None or before.kind not in ("PERSON", "NAME") or _same(page, before.text) or not page.kind
    if ref == "it":
        if page.kind in ("", "PERSON", "EVENT"):
            return False
        if before is None or before.kind in ("it", ""):
            return True
        return _same(page, before.text) or (before.kind == "noun" and NOUN_TYPE.get(before.text) == page.kind)
    if ref in ("GPE", "LOC") and page.kind in ("GPE", "LOC"):
        return True
    if ref == page.kind and ref != "PERSON":
        return before is None or before.kind not in ("ORG", "GPE", "NAME", "PRODUCT", "WORK_OF_ART", "FAC") or before.kind != ref or _same(page, before.text)
    return False


def _same(page: Page, text: str) -> bool:
    words = set(fold_alias(text).split()) - {"the", "a"}
    return bool(words & page.tokens)
