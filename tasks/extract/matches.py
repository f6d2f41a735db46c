"""Predicate nouns in a sentence ("chief executive officer", "population"), with their qualifiers, and proto-mentions.

A proto-mention is what one sentence says by itself; its references ("he", "the company", the page) are open.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tasks.extract.arguments import Arg
from tasks.extract.lexicon import Lexicon, Sense
from tasks.extract.parses import Parse

SCOPES = {
    "acting": "acting", "interim": "interim", "deputy": "deputy", "vice": "vice", "assistant": "assistant", "associate": "associate",
    "co": "co", "caretaker": "acting", "shadow": "shadow", "honorary": "honorary", "junior": "junior",
    "lieutenant": "deputy", "regional": "regional", "provisional": "acting", "temporary": "acting", "designate": "designate",
    "elect": "elect", "emeritus": "emeritus", "sub": "deputy", "pro": "acting", "senior": "", "new": "", "first": "", "global": "",
}
FORMER = frozenset({"former", "ex", "erstwhile", "previous", "late", "then", "onetime", "outgoing", "past"})
CURRENT = frozenset({"current", "incumbent", "present", "sitting"})


@dataclass(slots=True)
class Match:
    """A wording of a predicate: half-open token range, its head token, senses, and what qualifies it."""

    first: int
    last: int
    head: int
    senses: tuple[Sense, ...]
    phrase: str
    scope: str = ""
    cues: list[tuple[str, int, int]] = field(default_factory=list)
    left: int = 0

    @property
    def person_role(self) -> bool:
        return any(s.person_role for s in self.senses)


@dataclass(slots=True)
class Proto:
    """A mention with open references. `senses` are tried in order once the references are known."""

    subject: Arg
    object: Arg
    senses: tuple[Sense, ...]
    predicate: str
    trigger: tuple[int, int]
    cues: list[tuple[str, int, int]]
    verb: int
    confidence: float
    object_type: str = ""
    scope: str = ""
    polarity: str = "positive"
    modality: str = "asserted"
    attribution: str = ""
    condition: str = ""


def find_matches(p: Parse, lex: Lexicon) -> list[Match]:
    """Longest non-overlapping wordings of predicate nouns, in text order; hyphens and plurals are folded."""
    out: list[Match] = []
    i = 0
    while i < p.n:
        best = None
        low = p.low[i]
        singular = p.lemma[i].lower() if p.tag[i] in ("NNS", "NNPS") else low[:-1] if low.endswith("s") else low
        for word in (low, singular) if singular != low else (low,):  # as written first, then the singular
            for words, senses in lex.nouns.get(word, ()):
                stop = _match_at(p, i, words)
                if stop and (best is None or stop > best[0]):
                    best = (stop, senses, " ".join(words))
        if best is None:
            i += 1
            continue
        stop, senses, phrase = best
        head = next((k for k in range(stop - 1, i - 1, -1) if not i <= p.head[k] < stop or p.head[k] == k), stop - 1)
        if p.tag[head][:2] in ("NN", "FW", "CD", "JJ") or p.words[head].isupper():
            match = Match(i, stop, head, senses, phrase, left=i)
            if not _inside_name(p, match) and _qualify(p, match):
                out.append(match)
        i = stop
    return out


def _inside_name(p: Parse, m: Match) -> bool:
    """"Premier League", "Minister of Magic (film)": a wording that is part of a longer name says nothing."""
    k = p.ent[m.head]
    if k < 0:
        return False
    first, last, label = p.ents[k]
    if label in ("PERSON", "DATE", "CARDINAL", "QUANTITY", "MONEY") or (first >= m.first and last <= m.last):
        return False
    return label in ("EVENT", "WORK_OF_ART", "FAC", "LAW") or not m.person_role


def _match_at(p: Parse, i: int, words: tuple[str, ...]) -> int:
    j = i
    for n, word in enumerate(words):
        while n and j < p.n and p.words[j] in ("-", "–"):
            j += 1
        if j >= p.n:
            return 0
        low = p.low[j]
        if low != word and not (n == len(words) - 1 and p.tag[j] in ("NNS", "NNPS", "NN", "NNP") and (p.lemma[j].lower() == word or low == word + "s")):
            if low.replace("-", " ") == " ".join(words[n:]) and "-" in low:
                return j + 1
            return 0
        j += 1
    return j


def _qualify(p: Parse, m: Match) -> bool:
    """Reads the words before (and "-elect" after) a wording; False where they make it another thing."""
    k = m.first - 1
    while k >= 0:
        low = p.low[k]
        if p.words[k] in ("-", "–"):
            k -= 1
            continue
        base = low.rstrip("-")
        if base.startswith("ex-"):
            base = "ex"
        if base == "under" and p.words[k + 1] == "-":
            m.scope = f"deputy {m.scope}".strip()
        elif base in FORMER:
            m.cues.append(("former", p.start[k], p.end[k]))
        elif base in CURRENT:
            m.cues.append(("current", p.start[k], p.end[k]))
        elif base in SCOPES:
            if SCOPES[base]:
                m.scope = f"{SCOPES[base]} {m.scope}".strip()
        elif low in ("team", "company", "club", "group", "board", "party", "league", "city", "state", "bank", "network", "label"):
            pass
        elif p.dep[k] in ("compound", "amod", "nmod") and p.tag[k] in ("NN", "JJ", "NNS", "VBG") and p.ent[k] < 0 and m.person_role:
            if p.tag[k] != "JJ" or p.low[k] not in ("long", "longtime", "founding", "eventual", "popular", "british", "long-time"):
                m.scope = f"{low} {m.scope}".strip()
        elif p.tag[k] == "JJ" and low.endswith(("th", "st", "nd", "rd")) and (low[0].isdigit() or p.ent[k] >= 0):
            pass
        else:
            break
        k -= 1
    m.left = k + 1
    after = m.last
    if after < p.n and p.words[after] in ("-", "–") and after + 1 < p.n:
        after += 1
    if after < p.n and p.low[after] in ("elect", "designate", "emeritus"):
        m.scope = f"{m.scope} {p.low[after]}".strip()
    return True


def overlaps_role(p: Parse, matches: list[Match], at: int) -> Match | None:
    """The role wording that a token belongs to, if any."""
    return next((m for m in matches if m.person_role and m.left <= at < m.last), None)


def role_cut(matches: list[Match]) -> frozenset[int]:
    """Tokens of role wordings: they never belong to the name beside them."""
    return frozenset(k for m in matches if m.person_role for k in range(m.left, m.last))
