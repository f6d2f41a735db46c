"""Predicate nouns with their owner and their holder: roles ("CEO of IBM"), relations ("capital of"), attributes.

A wording R with owner S and value O gives (S, R, O): "O is the R of S", "S's R, O,", "S R O", "O was appointed R of S",
"O1 succeeded O2 as R", "the R of S was 3.6 million", "S has a R of 3.6 million", "S is 324 metres tall".
"""

from __future__ import annotations

from tasks.extract.arguments import PAGE, Arg, arg_of, is_named, name_arg, subject_token
from tasks.extract.clauses import ClauseFacts
from tasks.extract.holders import holders_of
from tasks.extract.lexicon import VALUES, Lexicon, Sense, compatible
from tasks.extract.matches import CURRENT, FORMER, Match, Proto, role_cut
from tasks.extract.parses import Parse
from tasks.extract.temporal import QUANTITY

_CREEDS = frozenset(
    "democratic republican conservative labour liberal socialist communist green christian muslim jewish catholic protestant democrat "
    "islamic nationalist fascist nazi marxist".split()
)


def noun_protos(p: Parse, lex: Lexicon, matches: list[Match], facts: ClauseFacts) -> list[Proto]:
    """All proto-mentions whose relation is worded by a noun."""
    out: list[Proto] = []
    cut = role_cut(matches)
    for at, m in enumerate(matches):
        owners = owners_of(p, m, matches, cut)
        if owners is None:
            continue
        if any(s.object in ("quantity", "date") for s in m.senses):
            out += _valued(p, m, owners, facts)
        if any(s.object in ("entity", "string") for s in m.senses):
            out += _held(p, m, owners, matches, at, cut, facts)
    return out


def owners_of(p: Parse, m: Match, matches: list[Match], cut: frozenset[int]) -> list[Arg] | None:
    """The owner(s) of a role or attribute; empty where none is worded, None where one is that cannot be an argument."""
    heads = [m.head]
    if p.dep[m.head] == "conj":
        heads.append(p.head[m.head])
    if p.dep[m.head] in ("compound", "nmod", "amod") or (p.dep[m.head] == "appos"):
        heads.append(p.head[m.head])
    heads += [k for k in p.kids[m.head] if p.dep[k] == "conj" and any(x.first <= k < x.last for x in matches)]
    if m.last < p.n and p.low[m.last] in ("of", "for", "at") and p.dep[m.last] == "prep":
        pobj = p.kid(m.last, "pobj")
        if pobj >= 0:
            got = _owner_args(p, pobj, cut)
            if got or (p.low[m.last] == "of" and not _numeric(p, pobj)):
                return got or None
    for h in heads[:1] + [h for h in heads[1:] if any(x.first <= h < x.last for x in matches)]:
        for prep in p.all_kids(h, "prep"):
            if p.low[prep] in ("of", "for", "at") and prep > h:
                pobj = p.kid(prep, "pobj")
                if pobj >= 0 and (got := _owner_args(p, pobj, cut)):
                    return got
    for h in heads:
        poss = p.kid(h, "poss")
        if 0 <= poss < m.first:
            got = arg_of(p, poss, cut, phrases=False)
            return [got] if got else None
    k = m.left - 1
    if k >= 0 and p.low[k] in ("'s", "’s", "'", "’") and k > 0 and (got := name_arg(p, k - 1, cut)):
        return [got]
    if k >= 0 and p.tag[k][:2] in ("NN", "JJ") and p.words[k][:1].isupper() and p.label(k) in ("ORG", "GPE", "NORP", "FAC", "LOC", "") \
            and p.low[k] not in _CREEDS and p.dep[k] in ("compound", "nmod", "amod", "poss") and (got := name_arg(p, k, cut)) and not _role_word(p, k):
        return [got]
    return []


def _role_word(p: Parse, k: int) -> bool:
    return p.low[k] in ("mr", "mrs", "sir", "dr", "president", "director", "general", "executive", "chief", "senior", "vice")


def _owner_args(p: Parse, pobj: int, cut: frozenset[int]) -> list[Arg]:
    out = []
    for k in p.conjuncts(pobj):
        if k in cut:
            continue
        if got := arg_of(p, k, cut, phrases=False):
            out.append(got)
    return out


def _numeric(p: Parse, k: int) -> bool:
    return p.tag[k] == "CD" or p.label(k) in VALUES or any(p.tag[j] == "CD" for j in p.kids[k])


def _held(p, m, owners, matches, at, cut, facts) -> list[Proto]:
    out = []
    for holder, kind, v, confidence in holders_of(p, m, matches, cut):
        following = matches[at + 1].first if at + 1 < len(matches) else p.n
        if v >= 0:
            polarity, modality, extra = facts.state(v)
            cues = facts.of_verb(v, kind, *_window(p, m, matches, facts))
            if extra and not any(c[0] == extra for c in cues):
                cues.append((extra, p.start[v], p.end[v]))
        else:
            polarity, modality = "positive", "asserted"
            lo = min(holder.start, p.start[m.left]) if holder.head >= 0 else p.start[m.left]
            hi = p.start[following] if following < p.n else len(p.text) + 1
            cues = facts.of_noun(m.head, holder.head if holder.head >= 0 else m.head, lo, hi)
        of_role = m.cues if kind != "start" else [c for c in m.cues if c[0] not in ("current", "former")]  # said of who held it
        cues = of_role + [c for c in cues if c not in of_role]
        if owners and owners[0].head >= 0 and owners[0].start < p.start[m.left] and (k := p.token_at(owners[0].start) - 1) >= 0:
            if p.low[k] in FORMER or p.low[k] in CURRENT:
                cues.append(("former" if p.low[k] in FORMER else "current", p.start[k], p.end[k]))
        if m.scope.endswith(("elect", "designate")) and modality == "asserted":
            modality = "planned"
        for owner in owners or [PAGE]:
            if (owner.head >= 0 and owner.head == holder.head) or (owner.ref == "page" and not m.person_role):
                continue
            senses = m.senses
            if v < 0 and owner.ref == "page":  # "author X" beside a name says what X is, not that the page is X's work
                if " of " in p.text[holder.start : holder.end]:  # "King Alfonso of Castile" names the owner itself
                    continue
                senses = tuple(s for s in senses if not s.subject & {"WORK_OF_ART", "PRODUCT"})
            picked = _orient(senses, owner, holder, v >= 0)
            for subject, obj, senses, fit in picked:
                out.append(Proto(subject, obj, senses, senses[0].name, (p.start[m.left if m.scope else m.first], p.end[m.last - 1]), cues, v,
                                 confidence * fit * (0.9 if owner.ref == "page" else 1.0), senses[0].object, m.scope, polarity, modality))
    return out


def _window(p, m, matches, facts) -> tuple[int, int]:
    """Where coordinated roles of one clause have dates of their own, the part of the text whose dates are this role's."""
    same = [x for x in matches if x.person_role and p.clause[x.head] == p.clause[m.head]]
    if len(same) < 2 or m not in same:
        return -1, 1 << 30
    starts = [p.start[x.first] for x in same] + [len(p.text) + 1]
    own = [any(starts[i] <= t.start < starts[i + 1] and t.role for t in facts.temporals) for i in range(len(same))]
    k = same.index(m)
    if not own[k]:
        j = next((j for j in range(k + 1, len(same)) if own[j]), -1)
        return (starts[j], starts[j + 1]) if j >= 0 and not any(own[:k]) else (-1, 1 << 30) if not any(own) else (starts[k], starts[k + 1])
    return (starts[k], starts[k + 1]) if sum(own) > 1 or k == len(same) - 1 else (-1, 1 << 30)


def _orient(senses: tuple[Sense, ...], owner: Arg, value: Arg, predicated: bool):
    """(subject, object, senses, fit) by what the file says, swapped only in a predication where the types say so."""
    straight, swapped = [], []
    for s in senses:
        subject, obj = (value, owner) if s.inverse else (owner, value)
        fit = _fit(s.subject, subject)
        fit = fit * _fit(s.object_types, obj) if fit > 0.62 else 0.0
        if fit > 0:
            straight.append((fit, s))
        elif predicated and s.object_types and owner.label and value.label and (back := _fit(s.subject, obj) * _fit(s.object_types, subject)) > 0.5:
            swapped.append((back, s))
    for found, turn in ((straight, False), (swapped, True)):
        if found:
            best = max(f for f, _ in found)
            chosen = tuple(s for f, s in found if f == best)
            inverse = chosen[0].inverse != turn
            subject, obj = (value, owner) if inverse else (owner, value)
            return [(subject, obj, chosen, best)]
    return []


def _fit(types: frozenset[str], arg: Arg) -> float:
    if arg.ref in ("he", "she"):
        return 1.0 if not types or "PERSON" in types else 0.0
    if arg.ref == "it":
        return 0.9 if types != frozenset({"PERSON"}) else 0.0
    if arg.ref == "page" or not arg.ref:
        return compatible(types, arg.label)
    return compatible(types, arg.ref) if not types or arg.ref in types else 0.0


def _valued(p, m, owners, facts) -> list[Proto]:
    """Quantities and dates of an attribute noun: "population of Y was N", "Y has a population of N", "N employees"."""
    head = m.head
    senses = tuple(s for s in m.senses if s.object in ("quantity", "date") and not s.inverse)
    v = p.clause[head]
    lo, hi, owner_tok = p.end[m.last - 1], -1, -1
    numeric = p.kid(head, "nummod")
    dep, h = p.dep[head], p.head[head]
    if numeric >= 0 and numeric < m.first:
        lo, hi = p.start[min([numeric] + p.kids[numeric])], p.start[m.first]
    elif p.tag[head] == "JJ" and p.kid(head, "npadvmod") >= 0:
        unit = p.kid(head, "npadvmod")
        lo, hi = p.start[min([unit] + p.kids[unit])], p.start[m.first]
        owner_tok = subject_token(p, p.head[head]) if p.tag[p.head[head]][:2] == "VB" else p.head[head]
    elif dep == "nsubj" and p.lemma[h] in ("be", "stand", "reach", "total", "exceed", "rise", "fall", "grow", "increase", "decrease", "drop", "amount"):
        lo = p.end[h]
    elif dep in ("dobj", "pobj", "attr", "appos", "ROOT", "conj", "nsubj"):
        nxt = m.last
        if not (nxt < p.n and (p.low[nxt] in ("of", ":", "(", "is", "was", "at") or p.tag[nxt] == "CD" or p.words[nxt][:1] in "$£€")):
            return []
    else:
        return []
    value = _first_value(p, senses, lo, hi if hi >= 0 else len(p.text), bounded=hi >= 0)
    if value is None:
        return []
    if not owners:
        if owner_tok < 0 and dep == "dobj" and p.lemma[h] in ("have", "employ", "record", "report", "reach", "register", "boast", "possess", "post"):
            owner_tok = subject_token(p, h)
        elif owner_tok < 0 and dep == "pobj" and p.low[h] in ("with", "at", "of", "by"):
            up = p.head[h]
            owner_tok = up if p.tag[up][:2] == "NN" and p.kid(p.head[up], "nsubj") != up and p.dep[up] != "attr" else subject_token(p, p.clause[up])
        got = arg_of(p, owner_tok, phrases=False) if owner_tok >= 0 else PAGE if dep in ("nsubj", "ROOT") else None
        if got is None or not (got.ref or is_named(p, got)):
            return []
        owners = [got]
    polarity, modality, extra = facts.state(v)
    lone = value.start, value.end
    cues = [c for c in facts.of_verb(v, "") if not (c[1] < lone[1] and lone[0] < c[2])]
    points = [c for c in cues if c[0] in ("point", "asof")]
    if len(points) > 1:
        near = min(points, key=lambda c: (c[1] - lone[1] if c[1] >= lone[1] else 1000 + lone[0] - c[2], c[1]))
        cues = [c for c in cues if c not in points or c == near]
    out = []
    for owner in owners[:1] if len(owners) > 1 else owners:
        fitting = tuple(s for s in senses if _fit(s.subject, owner) > 0)
        if fitting:
            out.append(Proto(owner, value, fitting, fitting[0].name, (p.start[m.first], p.end[m.last - 1]), m.cues + cues, v,
                             0.85 if owner.ref != "page" else 0.6, fitting[0].object, m.scope, polarity, modality))
    return out


def _first_value(p: Parse, senses, lo: int, hi: int, bounded: bool) -> Arg | None:
    from tasks.extract.temporal import ATOM

    dates = any(s.object == "date" for s in senses)
    for match in (ATOM if dates else QUANTITY).finditer(p.text, lo, hi):
        if not dates:
            tok = p.token_at(match.start())
            counts = p.dep[tok] == "nummod" and p.tag[p.head[tok]] == "NNS" and p.head[tok] > tok
            if p.label(tok) == "DATE" and not counts and (ATOM.match(p.text, match.start()) or match.end() - match.start() == 4):
                continue
            between = p.text[lo : match.start()]
            if not bounded and (len(between) > 45 or ";" in between):
                return None
        elif match.start() - lo > 30:
            return None
        end = match.end()
        while end > match.start() and not (p.text[end - 1].isalnum() or p.text[end - 1] in "%²³°"):
            end -= 1
        return Arg(match.start(), end, "DATE" if dates else "QUANTITY", p.token_at(match.start()))
    return None
