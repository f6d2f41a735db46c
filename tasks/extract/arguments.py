"""What a token stands for as an argument: a name, a noun phrase, a quantity, or a reference that context must resolve.

An argument is offsets in the sentence and nothing else; its text is always the slice. A reference (`ref` not '') is
resolved later: 'he', 'she', 'it', 'they', 'PERSON'/'ORG'/'GPE'/'FAC'/'WORK_OF_ART'/'EVENT' for definite descriptions
("the company"), 'page' for the implicit owner of a role.
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.extract.lexicon import VALUES
from tasks.extract.parses import Parse

PRONOUNS = {
    "he": "he", "him": "he", "his": "he", "himself": "he", "she": "she", "her": "she", "hers": "she", "it": "it", "its": "it",
    "they": "they", "them": "they", "their": "they", "i": "x", "we": "x", "you": "x", "who": "who", "which": "who", "that": "who",
    "whose": "who", "whom": "who",
}
_NOUN_TYPES = {
    "ORG": "company firm corporation bank organization organisation university college school institute club team party band group "
           "airline agency newspaper magazine publisher station channel network league association foundation museum hospital church "
           "union committee council ministry department manufacturer retailer startup business label orchestra charity brewery "
           "franchise society federation academy conglomerate subsidiary company's cooperative regiment squadron railway operator "
           "bureau commission authority consortium provider developer company. institution think-tank partnership faculty duo trio quartet",
    "GPE": "city town village country state province municipality county district nation republic kingdom capital suburb commune "
           "borough territory neighborhood neighbourhood township parish prefecture hamlet region settlement community empire oblast",
    "FAC": "building bridge tower stadium airport station castle cathedral palace road highway tunnel dam temple arena house hotel mosque "
           "skyscraper monument lighthouse fort fortress theater theatre hall park cemetery mill prison",
    "LOC": "river mountain lake island sea valley desert ocean peninsula bay strait glacier volcano peak crater archipelago",
    "WORK_OF_ART": "film album song novel book series show game movie play poem painting opera symphony single soundtrack sitcom "
                   "musical anime manga comic documentary episode sculpture ep drama telenovela miniseries mixtape",
    "PRODUCT": "software language library framework aircraft car vehicle ship phone smartphone computer console engine missile rifle "
               "locomotive program app drug submarine destroyer spacecraft rocket satellite tank browser database compiler",
    "EVENT": "war battle election tournament championship festival conference race season earthquake hurricane revolution match storm "
             "olympics contest referendum treaty campaign riot massacre siege uprising competition award ceremony",
    "PERSON": "politician actor actress singer footballer writer author poet player scientist lawyer businessman businesswoman "
              "journalist painter composer musician economist engineer physicist chemist mathematician philosopher general admiral "
              "bishop priest king queen emperor prince princess novelist director producer rapper model athlete boxer cricketer "
              "swimmer coach manager officer soldier historian architect teacher professor politician diplomat entrepreneur judge "
              "jurist playwright screenwriter astronaut comedian dancer sculptor photographer swimmer golfer driver cyclist "
              "activist theologian surgeon physician psychologist sociologist chef executive civil servant statesman nobleman "
              "guitarist drummer pianist songwriter filmmaker wrestler gymnast skater bassist conductor explorer missionary "
              "biologist botanist astronomer linguist geologist educator inventor banker philanthropist broadcaster presenter critic "
              "goalkeeper midfielder defender striker forward pitcher quarterback linebacker basketballer man woman",
}
NOUN_TYPE = {noun: label for label, nouns in _NOUN_TYPES.items() for noun in nouns.split()}

_LEFT = frozenset({"compound", "nmod", "amod", "nummod", "poss", "case", "punct", "quantmod", "advmod", "det", "npadvmod"})


@dataclass(frozen=True, slots=True)
class Arg:
    """Half-open character offsets in the sentence, NER label, the head token, and the kind of reference."""

    start: int
    end: int
    label: str
    head: int
    ref: str = ""


_CALENDAR = frozenset("year month week season day decade century january february march april june july august september october november december elect designate emeritus".split())

PAGE = Arg(0, 0, "", -1, "page")


def _trim(p: Parse, first: int, last: int) -> tuple[int, int]:
    """Half-open token range without determiners, quotes, brackets and possessive marks at its ends."""
    while first < last and (p.tag[first] in ("DT", "PRP$", "WDT", "POS", "CC", "IN", "WP$") or not any(c.isalnum() or c in "$£€¥" for c in p.words[first])):
        if p.tag[first] == "DT" and p.ent[first] >= 0 and p.low[first] not in ("the", "a", "an"):
            break
        first += 1
    while first < last and (p.tag[last - 1] == "POS" or not any(c.isalnum() or c in "%°²³" for c in p.words[last - 1])):
        if p.words[last - 1] in (".", ")") and last - 1 > first and p.start[last - 1] == p.end[last - 2] and p.ent[last - 1] >= 0 \
                and p.ent[last - 1] == p.ent[first] and (len(p.words[last - 2]) == 1 or p.words[last - 1] == ")"):
            break
        last -= 1
    return first, last


def _proper(p: Parse, i: int) -> bool:
    return p.tag[i][:3] == "NNP" or (p.words[i][:1].isupper() and p.tag[i] in ("NN", "NNS", "JJ", "CD", "FW", "VBG", "VBN"))


def name_arg(p: Parse, head: int, cut: frozenset[int] = frozenset()) -> Arg | None:
    """The full proper name around a head token; tokens in `cut` (role words before a name) end it on the left."""
    first, last = head, head + 1
    label = p.label(head)
    if head in cut:
        return None
    if label and label not in VALUES:
        first, last, _ = p.ents[p.ent[head]]
        for k in range(head, first - 1, -1):
            if k in cut and k != head:
                first = k + 1
                break
        if any(k in cut for k in range(head + 1, last)):
            last = next(k for k in range(head + 1, last) if k in cut)
    elif not _proper(p, head) or p.low[head] in _CALENDAR:
        return None
    while first > 0:
        k = first - 1
        if k in cut or (p.ent[k] >= 0 and p.ent[k] != p.ent[head] and p.label(k) in VALUES):
            break
        if p.words[k] in ("-", "–", ".", "'", "&") and k > 0 and _proper(p, k - 1) and p.end[k] == p.start[first]:
            first -= 1
            continue
        if not (p.dep[k] in ("compound", "nmod", "amod") and first <= p.head[k] <= head and _proper(p, k)) or p.label(k) == "NORP":
            break
        first -= 1
    if label != "PERSON":
        while last + 1 < p.n and p.low[last] in ("of", "for") and p.dep[last] == "prep" and first <= p.head[last] < last and last not in cut:
            k = last + 1
            while k < p.n and p.tag[k] == "DT":
                k += 1
            stop = k
            while stop < p.n and p.tag[stop][:3] == "NNP":
                stop += 1
            if stop == k or (label and p.ent[k] >= 0 and p.label(k) == "PERSON") or (label in ("GPE", "PERSON")):
                break
            if label and p.ent[k] >= 0 and p.ent[k] != p.ent[head] and p.low[last] == "for":
                break
            last = stop
    if label == "GPE" and last + 1 < p.n and p.words[last] == "," and p.label(last + 1) == "GPE" and (
        p.inside(last + 1, head) or p.dep[p.ents[p.ent[last + 1]][1] - 1] in ("npadvmod", "appos")
    ) and p.dep[last + 1] != "conj" and not any(p.dep[k] == "cc" for k in p.kids[head]):
        last = p.ents[p.ent[last + 1]][1]
    first, last = _trim(p, first, last)
    if first >= last:
        return None
    if label == "PERSON" and p.low[last - 1] in ("'s", "’s"):
        last -= 1
    return Arg(p.start[first], p.end[last - 1], label, head)


def phrase_arg(p: Parse, head: int, with_of: bool = True, limit: int = 12) -> Arg | None:
    """The noun phrase of a head: left modifiers, and `of`-phrases; no relative clause, no apposition, no date."""
    first = head
    while first > 0 and p.dep[first - 1] in _LEFT and p.inside(first - 1, head):
        if p.tag[first - 1] in ("POS",) or p.words[first - 1] in ("(", ")", ";", ":", '"', "“", ","):
            if p.words[first - 1] != ",":
                break
        first -= 1
    last = head + 1
    if with_of:
        grown = True
        while grown and last < p.n:
            grown = False
            if p.dep[last] == "prep" and (p.low[last] in ("of", "for") or p.low[last + 1 : last + 2] == ["chief"]) and p.inside(last, head):
                pobj = p.kid(last, "pobj")
                if pobj > last and p.label(pobj) not in ("DATE", "TIME") and pobj - first <= limit:
                    last = pobj + 1
                    while last < p.n and p.ent[last] >= 0 and p.ent[last] == p.ent[last - 1] and p.label(last) not in ("DATE", "TIME"):
                        last += 1
                    grown = True
            elif p.ent[last] >= 0 and p.ent[last] == p.ent[last - 1] and p.label(last) not in ("DATE", "TIME"):
                last += 1
                grown = True
    while last < p.n and p.head[last] == head and p.dep[last] in ("nummod", "appos", "npadvmod") and p.tag[last] in ("CD", "NNP") and p.label(last) != "DATE":
        last += 1
    first, last = _trim(p, first, last)
    if first >= last or last - first > limit:
        return None
    return Arg(p.start[first], p.end[last - 1], p.label(head), head)


def is_named(p: Parse, arg: Arg) -> bool:
    """A reference, a tagged entity or a proper noun: what a fact about an entity may have as argument."""
    return bool(arg.ref or arg.label) or p.tag[arg.head][:3] == "NNP" or (arg.head > 0 and p.words[arg.head][:1].isupper())


def arg_of(p: Parse, i: int, cut: frozenset[int] = frozenset(), phrases: bool = True) -> Arg | None:
    """The argument of a nominal token, or None where it is none (a bare wh-word is resolved to its antecedent)."""
    tag = p.tag[i]
    if tag in ("PRP", "PRP$", "WP", "WDT", "WP$"):
        kind = PRONOUNS.get(p.low[i], "x")
        if kind == "who":
            ante = antecedent(p, i)
            return arg_of(p, ante, cut, phrases) if ante >= 0 else None
        return Arg(p.start[i], p.end[i], "", i, kind) if kind not in ("x", "they") else None
    if p.label(i) in ("DATE", "TIME"):
        return None
    named = name_arg(p, i, cut)
    if named is not None:
        return named
    if tag[:2] != "NN":
        return None
    close = p.kid(i, "appos")
    if close == i + 1 or (close > i and p.tag[close][:3] == "NNP" and all(p.head[k] == close for k in range(i + 1, close))):
        if (named := name_arg(p, close, cut)) and named.start == p.start[i + 1]:  # "the gene BRCA1", "the film Titanic"
            return named
    if tag == "NN" and p.low[i] in NOUN_TYPE:
        left = p.kids[i]
        if any(p.low[k] in ("the", "this") and p.dep[k] == "det" for k in left) and not any(
            p.dep[k] in ("amod", "compound", "prep", "acl", "relcl", "poss", "nummod", "appos") for k in left
        ):
            return Arg(p.start[i], p.end[i], "", i, NOUN_TYPE[p.low[i]])
    if not phrases:
        return None
    return phrase_arg(p, i)


def antecedent(p: Parse, i: int) -> int:
    """Head noun of the relative clause that a wh-word stands in, or -1."""
    j = i
    for _ in range(12):
        if p.dep[j] in ("relcl", "acl"):
            return p.head[j]
        if p.head[j] == j:
            return -1
        j = p.head[j]
    return -1


def is_passive(p: Parse, v: int) -> bool:
    """Whether a verb is passive, by its auxiliaries or as a bare participle of a noun or of a passive conjunct."""
    if p.tag[v] not in ("VBN", "VBD"):
        return False
    kids = p.kids[v]
    if any(p.dep[k] in ("auxpass", "nsubjpass") for k in kids):
        return True
    if any(p.dep[k] in ("aux", "nsubj") for k in kids):
        return False
    if p.dep[v] in ("acl", "advcl", "amod") or (p.dep[v] == "ROOT" and any(p.dep[k] == "agent" for k in kids)):
        return p.tag[v] == "VBN" or any(p.dep[k] == "agent" for k in kids)
    if p.dep[v] == "conj" and p.head[v] != v:
        return p.tag[v] == "VBN" and is_passive(p, p.head[v])
    return False


def subject_token(p: Parse, v: int, depth: int = 0) -> int:
    """The token that is the (surface) subject of a verb, through coordination, control, participles and relatives."""
    kid = p.kid(v, "nsubj", "nsubjpass")
    if kid >= 0:
        if p.tag[kid] in ("WP", "WDT") and PRONOUNS.get(p.low[kid]) == "who":
            return antecedent(p, kid)
        return kid
    up, dep = p.head[v], p.dep[v]
    if depth > 5 or up == v:
        return -1
    if dep == "acl":
        return up if p.tag[v] in ("VBN", "VBG") else -1
    if dep in ("xcomp", "ccomp") and p.tag[v] in ("VB", "VBG", "VBN"):
        dobj = p.kid(up, "dobj")
        if dobj >= 0 and p.tag[v] == "VB":
            return dobj
        return subject_token(p, up, depth + 1)
    if dep in ("conj", "advcl", "pcomp", "dep") or (dep == "prep" and p.tag[v] == "VBG"):
        if dep == "pcomp":
            up = p.head[up]
        while p.tag[up][:2] != "VB" and p.head[up] != up:
            up = p.head[up]
        if p.tag[up][:2] == "VB" and up != v:
            return subject_token(p, up, depth + 1)
    return -1


def unwrap(p: Parse, i: int) -> int:
    """`position of CEO`, `role as CEO`, `one of the founders` -> the inner noun's governor stays, the outer is skipped."""
    h = p.head[i]
    if p.dep[i] == "pobj" and p.low[h] in ("of", "as") and p.head[h] != h:
        outer = p.head[h]
        if p.lemma[outer] in ("role", "position", "post", "office", "title", "job", "rank", "duty", "one", "appointment", "presidency", "helm"):
            return outer
    return i
