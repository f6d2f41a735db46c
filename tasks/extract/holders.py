"""Who or what holds a role in a sentence: by copula, apposition, place before a name, or a verb of office.

A holder comes with what its clause does to the role (it starts, it ends, or neither) and the verb of that clause.
"""

from __future__ import annotations

from tasks.extract.arguments import Arg, arg_of, is_named, is_passive, name_arg, subject_token, unwrap
from tasks.extract.clauses import verb_kind
from tasks.extract.matches import Match
from tasks.extract.parses import Parse

_LINKS = frozenset({"be", "become", "remain", "stay"})
_AS_VERBS = frozenset("serve work act continue remain start begin take return function operate join stay".split())
_PUT_VERBS = frozenset(
    "appoint name elect choose select make hire install swear inaugurate designate crown declare promote reappoint re-elect reelect "
    "confirm recruit nominate announce bring proclaim".split()
)
_FOLLOW_VERBS = frozenset({"succeed", "replace", "follow"})
_LEAVE_VERBS = frozenset("resign step retire leave depart quit stand oust fire dismiss remove sack abdicate depose suspend".split())
_BEGIN = frozenset({"become", "take", "start", "begin", "join", "return"})

Held = tuple[Arg, str, int, float]  # holder, kind of the clause (start, end, ''), verb token or -1, confidence


def holders_of(p: Parse, m: Match, matches: list[Match], cut: frozenset[int]) -> list[Held]:
    """Who or what holds the role: by copula, apposition, position before a name, or a verb of office."""
    head = m.head
    out: list[Held] = []
    named = not m.person_role
    text_valued = named and any(s.object == "string" for s in m.senses)

    def arg(i: int) -> Arg | None:
        got = None if i < 0 or i == m.head else arg_of(p, i, cut, phrases=text_valued)
        return got if got is None or text_valued or is_named(p, got) else None

    for k in [] if text_valued else [k for k in p.kids[head] if p.dep[k] == "appos" and k > head]:
        if (got := arg(k)) and not got.ref and (got.label in ("PERSON", "ORG", "GPE", "") or named):
            out.append((got, "", -1, 0.85))
    if p.dep[head] == "appos" and not text_valued and not _is_role(p, p.head[head], matches):
        if got := arg(p.head[head]):
            out.append((got, "", -1, 0.85))
    if not out and m.person_role and p.dep[head] in ("nsubj", "nsubjpass"):  # an apposition that the parser took for a subject
        beside = [k for k in p.kids[p.head[head]] if k > head and p.dep[k] == p.dep[head] and p.label(k) == "PERSON"]
        if beside and (got := arg(beside[0])) and not got.ref:
            out.append((got, "", -1, 0.8))
    if p.dep[head] in ("compound", "nmod") or (not out and m.last < p.n and p.ent[m.last] >= 0 and p.dep[head] not in ("attr", "oprd")):
        k = p.head[head] if p.dep[head] in ("compound", "nmod") else m.last
        if k >= m.last:
            if p.ent[m.last] >= 0 and p.label(m.last) == "PERSON":
                k = p.ents[p.ent[m.last]][1] - 1
            if k - m.last < 5 and p.tag[k][:3] == "NNP" and k not in cut and all(p.words[j] not in (",", ";", "(") for j in range(m.last, k)):
                got = name_arg(p, k, cut)
                if got and got.start >= p.end[m.last - 1] and got.label in ("PERSON", "") and m.person_role:
                    out.append((got, "", -1, 0.8))
    if out:
        return out + (_followers(p, m, out, arg, False) if m.person_role else [])
    place = unwrap(p, head)
    while p.dep[place] == "conj" and p.tag[p.head[place]][:2] != "VB" and p.head[place] != place:
        place = unwrap(p, p.head[place])
    h, dep = p.head[place], p.dep[place]
    if dep in ("attr", "oprd", "dobj", "xcomp", "ccomp", "acomp", "npadvmod", "nsubj", "nsubjpass") and p.tag[h][:2] == "VB":
        out += _by_verb(p, m, place, h, dep, arg, as_=False)
    elif dep == "pobj" and p.low[h] in ("as", "to", "for") and p.head[h] != h:
        v = p.head[h]
        while p.tag[v][:2] != "VB" and p.head[v] != v:
            v = p.head[v]
        if p.tag[v][:2] == "VB" and (p.low[h] == "as" or p.lemma[v] in ("elect", "appoint", "promote", "name", "elevate")):
            out += _by_verb(p, m, place, v, "as", arg, as_=True)
    if not out and m.person_role:
        out = _shared(p, m, matches, cut)
    if m.person_role and (out or p.dep[head] in ("nsubj", "nsubjpass")):
        out += _followers(p, m, out, arg, sum(x.person_role for x in matches) == 1)
    return out


def _shared(p: Parse, m: Match, matches: list[Match], cut) -> list[Held]:
    """"director of A until 1920 and chairman of B": a coordinated role whose parse hangs elsewhere takes the earlier one's holder."""
    k = m.left - 1
    while k >= 0 and p.low[k] in ("the", "its", "a", "as", "then", "later", ","):
        k -= 1
    if k < 0 or (p.low[k] not in ("and", "&", "or", "both") and p.words[k + 1] != ","):
        return []
    earlier = [x for x in matches if x.person_role and x.last <= k + 1 and p.clause[x.head] == p.clause[m.head]]
    if not earlier or any(p.tag[i][:2] == "VB" and p.dep[i] not in ("aux", "auxpass") for i in range(earlier[-1].last, m.first)):
        return []
    return [h for h in holders_of(p, earlier[-1], matches[: matches.index(earlier[-1]) + 1], cut) if h[2] >= 0]


def _followers(p: Parse, m: Match, held: list[Held], arg, alone: bool) -> list[Held]:
    """"X served as R until 2011, when he was succeeded by Y", "its R, X, was replaced by Y": the successor holds the role.

    It is the role of the one who is replaced where that is worded, else the sentence's one role (`alone`).
    """
    out: list[Held] = []
    for v in range(p.n):
        if p.lemma[v] not in ("succeed", "replace") or p.tag[v][:2] != "VB" or any(h[2] == v for h in held):
            continue
        if any(p.low[k] == "as" for k in p.kids[v]):
            continue
        subject = subject_token(p, v)
        worded = subject >= 0 and subject in (m.head, p.head[m.head] if p.dep[m.head] in ("appos", "compound", "nmod") else -1)
        worded = worded or (subject >= 0 and p.head[subject] == m.head and p.dep[subject] == "appos")
        worded = worded or (p.head[m.head] == v and p.dep[m.head] in ("nsubj", "nsubjpass"))
        if not worded and (not alone or p.clause[m.head] == v):
            continue
        by = p.kid(v, "agent")
        if worded and is_passive(p, v) and by >= 0 and len(held) == 1 and held[0][2] < 0:
            out.append((held[0][0], "end", v, 0.8))
        if is_passive(p, v) and by >= 0 and (new := arg(p.kid(by, "pobj"))) and not new.ref:
            out.append((new, "start", v, 0.8))
        elif not is_passive(p, v) and (old := arg(p.kid(v, "dobj"))) and not old.ref:
            out.append((old, "end", v, 0.7))
    return out


def _is_role(p: Parse, k: int, matches: list[Match]) -> bool:
    return any(x.first <= k < x.last and x.person_role for x in matches)


def _by_verb(p, m, place, v, dep, arg, as_) -> list[Held]:
    lemma = p.lemma[v]
    surface = subject_token(p, v)
    passive = is_passive(p, v)
    out: list[Held] = []
    if dep in ("nsubj", "nsubjpass"):
        if lemma in _LINKS:
            value = p.kid(v, "attr")
            got = arg(value)
            if got and not got.ref and (got.label or not m.person_role) and (not m.person_role or p.tag[value][:3] == "NNP"):
                out += [(arg(k) or got, "start" if lemma == "become" else "", v, 0.9) for k in p.conjuncts(value)]
        return out
    if lemma in _LINKS and dep in ("attr", "xcomp", "acomp", "dobj", "oprd", "as"):
        if got := arg(surface):
            out += [(arg(k) or got, "start" if lemma == "become" else "", v, 0.9) for k in p.conjuncts(surface)]
    elif lemma in _FOLLOW_VERBS and as_:
        by = p.kid(v, "agent")
        new = arg(p.kid(by, "pobj")) if passive and by >= 0 else arg(surface) if not passive else None
        old = arg(surface) if passive else arg(p.kid(v, "dobj"))
        if new:
            out.append((new, "start", v, 0.9))
        if old:
            out.append((old, "end", v, 0.85))
    elif lemma in _PUT_VERBS and dep != "nsubj":
        who = surface if passive else p.kid(v, "dobj", "dative")
        beside = m.left - 1
        if not as_ and beside > v and p.label(beside) == "PERSON" and p.ents[p.ent[beside]][0] > v:
            who = beside
        if who == place or who < 0:
            who = p.kid(v, "dative", "nsubj") if dep in ("oprd", "ccomp", "dobj") else -1
            who = who if who >= 0 and who != surface else -1
        if not passive and who < 0 and dep == "oprd" and p.kid(place, "nsubj") >= 0:
            who = p.kid(place, "nsubj")
        if got := arg(who):
            out += [(arg(k) or got, "start", v, 0.9 if lemma != "nominate" else 0.4) for k in p.conjuncts(who)]
    elif lemma in _LEAVE_VERBS and as_:
        who = surface if passive or lemma not in ("oust", "fire", "dismiss", "remove", "sack", "depose", "suspend") else p.kid(v, "dobj")
        if got := arg(who):
            out.append((got, "end", v, 0.9))
    elif as_ and lemma in _AS_VERBS:
        if got := arg(surface):
            out += [(arg(k) or got, "start" if lemma in _BEGIN else "", v, 0.9) for k in p.conjuncts(surface)]
    elif as_ and p.kid(v, "dobj") < 0 and m.person_role and verb_kind(lemma) != "end" and not passive:
        if got := arg(surface):
            out.append((got, "", v, 0.55))
    elif dep == "dobj" and lemma in ("leave", "assume", "hold", "take", "resign", "relinquish", "vacate") and place != m.head:
        if got := arg(surface):
            out.append((got, "end" if lemma in ("leave", "resign", "relinquish", "vacate") else "start" if lemma != "hold" else "", v, 0.8))
    return out
