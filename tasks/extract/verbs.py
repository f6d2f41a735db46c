"""Relations worded by a verb: the predicate file's verbs first, else an open relation with the verb as written."""

from __future__ import annotations

import re

from tasks.extract.arguments import NOUN_TYPE, Arg, arg_of, is_named, is_passive, phrase_arg, subject_token
from tasks.extract.clauses import ClauseFacts, verb_kind
from tasks.extract.lexicon import VALUES, Lexicon, Sense
from tasks.extract.matches import Match, Proto, overlaps_role, role_cut
from tasks.extract.parses import Parse
from tasks.extract.roles import _fit, _window
from tasks.extract.temporal import ATOM, QUANTITY, years_apart

_LIGHT = frozenset("have do let seem appear get go come say tell think know believe feel mean need want try make".split())


def verb_protos(p: Parse, lex: Lexicon, matches: list[Match], facts: ClauseFacts) -> list[Proto]:
    """Proto-mentions of every full verb, in text order."""
    out: list[Proto] = []
    cut = role_cut(matches)
    for v in range(p.n):
        if p.tag[v][:2] != "VB" or p.dep[v] in ("aux", "auxpass", "amod", "compound", "prep"):
            continue
        out += _of_verb(p, v, lex, matches, facts, cut)
    out += _lifespan(p, lex)
    return out


_LIFE = re.compile(r"\((?:[^()]{0,80}[;,]\s*)?(?:(born|b\.)\s+)?(?:[^()\d]{0,12}\s)?(%s)(?:\s*[–—-]\s*(?:died\s+|d\.\s+)?(%s))?[^()]{0,40}\)" % (ATOM.pattern, ATOM.pattern))  # noqa: UP031 (braces of the pattern)


def _lifespan(p: Parse, lex: Lexicon) -> list[Proto]:
    """"NAME (7 November 1867 – 4 July 1934) was …": the file's date predicates for `be bear` and `die`."""
    if "(" not in p.text:
        return []
    m = _LIFE.search(p.text)
    if m is None or not (m[1] or (m[3] and years_apart(m[2], m[3]) > 20)):
        return []
    k = p.token_at(m.start()) - 1
    while k > 0 and p.dep[k] == "pobj" and p.low[p.head[k]] == "of" and p.head[p.head[k]] < k:
        k = p.head[p.head[k]]  # "Anne of Austria (1601–1666)"
    root = next((i for i in range(p.n) if p.head[i] == i), -1)
    if k < 0 or m.start() > 120 or (subject := arg_of(p, k, phrases=False)) is None or subject.ref or (subject.label not in ("PERSON", "") and m[1] is None):
        return []
    if p.lemma[root] != "be" and not p.tag[root].startswith("NN"):
        return []
    out = []
    for key, group in (((True, "bear"), 2), ((False, "die"), 3)):
        senses = tuple(s for s in lex.dated.get(key, ()) if s.subject <= {"PERSON"})
        if senses and m[group]:
            obj = Arg(*m.span(group), "DATE", p.token_at(m.start(group)))
            out.append(Proto(subject, obj, senses, senses[0].name, m.span(), [], -1, 0.85, "date"))
    return out


def _of_verb(p, v, lex, matches, facts, cut) -> list[Proto]:
    lemma = p.lemma[v]
    passive = is_passive(p, v)
    subject_at = subject_token(p, v)
    if lemma == "bear" and p.low[v] == "born":
        passive = True
    if subject_at < 0:
        return []
    subjects = [a for k in p.conjuncts(subject_at) if (a := arg_of(p, k, cut)) is not None]
    if not subjects:
        return []
    slots = _slots(p, v, passive)
    bases = _bases(p, v, lemma, lex)
    polarity, modality, extra = facts.state(v)
    out: list[Proto] = []
    used: set[int] = set()

    def add(subject: Arg, obj: Arg, senses: tuple[Sense, ...], name: str, confidence: float, kind: str, stop: int) -> None:
        role = overlaps_role(p, matches, obj.head) if obj.head >= 0 else None
        window = _window(p, role, matches, facts) if role is not None else (-1, 1 << 30)
        cues = [c for c in facts.of_verb(v, verb_kind(lemma), *window) if not (c[1] < obj.end and obj.start < c[2])]
        cues = _own_range(cues, obj)
        if extra and not any(c[0] == extra for c in cues):
            cues.append((extra, p.start[v], p.end[v]))
        out.append(Proto(subject, obj, senses, name, (p.start[v], p.end[stop]), cues, v, confidence, kind, "", polarity, modality))

    named = [a for a in subjects if is_named(p, a)]
    for base, last in bases:
        for prep, at, prep_tok in slots:
            senses = lex.verbs.get((passive, base, prep), ())
            turned = False
            if not senses and passive and prep == "by":
                senses, turned = lex.verbs.get((False, base, ""), ()), True
            if not senses:
                continue
            for k in p.conjuncts(at):
                obj = _object(p, k, senses, cut)
                if obj is None:
                    continue
                for subject in named:
                    if subject.head == obj.head:
                        continue
                    fitting = _fitting(senses, subject, obj, turned, p.text)
                    if not fitting:
                        continue
                    best, sense_list = fitting
                    swap = sense_list[0].inverse != turned
                    a, b = (obj, subject) if swap else (subject, obj)
                    used.add(at)
                    add(a, b, sense_list, sense_list[0].name, 0.8 * best, sense_list[0].object, max(last, prep_tok) if prep else last)
        dated = lex.dated.get((passive, base), ())
        if dated and not any(o.object_type == "date" for o in out):
            when = next((t for t, place in zip(facts.temporals, facts.places, strict=False) if place == p.clause[v] and t.role in ("point", "start", "since")
                         and t.start > p.start[v]), None) or next(
                (t for t, place in zip(facts.temporals, facts.places, strict=False) if place == p.clause[v] and t.role == "point"), None)
            if when is not None:
                obj = Arg(when.start, when.end, "DATE", p.token_at(when.start))
                for subject in named:
                    if fitting := _fitting(dated, subject, obj, False):
                        add(subject, obj, fitting[1], fitting[1][0].name, 0.85 * fitting[0], "date", last)
    if lemma == "be":
        out += _copula(p, v, lex, named, matches, add)
    elif not out:
        _open(p, v, lemma, passive, subjects, slots, used, add)
    return out


def _own_range(cues, obj: Arg):
    """Of several ranges in one clause ("A from 1995 to 1996 and as B from 1997 to 2001") the first one after the object."""
    starts = [c for c in cues if c[0] == "start"]
    if len(starts) < 2:
        return cues
    after = [c for c in starts if c[1] >= obj.end]
    mine = after[0] if after else starts[-1]
    following = next((c for c in starts if c[1] > mine[1]), None)
    return [c for c in cues if c[0] not in ("start", "until") or (c[1] >= mine[1] and (following is None or c[1] < following[1]))]


def _slots(p: Parse, v: int, passive: bool) -> list[tuple[str, int, int]]:
    """(preposition or '', object token, preposition token) of a verb; prepositions of its object count too."""
    out = []
    dobj = -1
    for k in p.kids[v]:
        dep = p.dep[k]
        if dep in ("dobj", "attr", "oprd") or (dep in ("dative", "nsubj", "npadvmod") and k > v and p.tag[k][:2] in ("NN", "PR")):
            out.append(("", k, k))
            dobj = k if dep == "dobj" else dobj
        elif dep in ("prep", "agent", "dative") and (pobj := p.kid(k, "pobj")) >= 0:
            out.append((p.low[k], pobj, k))
        elif dep == "prep" and p.low[k] not in ("according", "due", "prior") and (inner := p.kid(k, "prep")) >= 0 and (pobj := p.kid(inner, "pobj")) >= 0:
            out.append((p.low[inner], pobj, inner))
    if dobj >= 0:
        for k in p.all_kids(dobj, "prep"):
            if (pobj := p.kid(k, "pobj")) >= 0:
                out.append((p.low[k], pobj, k))
    return out


def _bases(p: Parse, v: int, lemma: str, lex: Lexicon) -> list[tuple[str, int]]:
    """Lexicon bases that the verb's words spell, longest first, with the last token of each."""
    known = lex.verb_bases.get(lemma) or lex.verb_bases.get(p.low[v])
    if not known:
        return []
    found = []
    for base in known:
        words = base.split()
        if len(words) == 1:
            found.append((base, v))
            continue
        middle = [k for k in p.kids[v] if p.dep[k] in ("prt", "advmod", "dobj", "acomp", "attr", "oprd", "prep", "xcomp")]
        at = next((k for k in middle if p.low[k] == words[1] or p.lemma[k].lower() == words[1]), -1)
        if at >= 0 and len(words) == 2:
            found.append((base, at))
        elif at >= 0 or all(w in p.low or w in p.lemma for w in words[1:]):
            joined = " ".join(p.lemma[v + 1 : v + 6])
            if " ".join(words[1:]) in joined:
                found.append((base, v + len(words) - 1 if v + len(words) - 1 < p.n else v))
    found.sort(key=lambda item: (-len(item[0].split()), item[0]))
    if found and len(found[0][0].split()) > 1:
        particle = [f for f in found if len(f[0].split()) > 1]
        return particle + [f for f in found if len(f[0].split()) == 1 and p.kid(v, "prt") < 0]
    return [f for f in found if p.kid(v, "prt") < 0 or len(f[0].split()) > 1]


def _object(p: Parse, k: int, senses: tuple[Sense, ...], cut) -> Arg | None:
    kinds = {s.object for s in senses}
    if "quantity" in kinds and (numeric := _quantity(p, k)):
        return numeric
    if kinds <= {"quantity", "date"}:
        return None
    if p.label(k) in VALUES or p.tag[k] == "CD":
        return None
    if kinds == {"string"}:
        return phrase_arg(p, k) if p.tag[k][:2] in ("NN", "FW") else None
    return arg_of(p, k, cut, phrases=False)


def _quantity(p: Parse, k: int) -> Arg | None:
    first = min([k] + [j for j in p.kids[k] if j < k] + [i for j in p.kids[k] for i in p.kids[j] if i < k])
    match = QUANTITY.search(p.text, p.start[first], min(len(p.text), p.end[k] + 20))
    if match is None or match.start() >= p.end[k] or p.label(k) == "DATE":
        return None
    return Arg(match.start(), match.end(), "QUANTITY", k)


def _fitting(senses, subject: Arg, obj: Arg, turned: bool, text: str = ""):
    best: dict[float, list[Sense]] = {}
    for s in senses:
        a, b = (obj, subject) if s.inverse != turned else (subject, obj)
        fit = _fit(s.subject, a)
        fit *= _fit(s.object_types, b) if s.object == "entity" else 1.0
        if s.object == "string" and s.subject == {"PERSON"} and a.label != "PERSON" and a.ref not in ("he", "she") and not _person_noun(b, text):
            continue
        if fit > (0.45 if s.subject & {"WORK_OF_ART", "PRODUCT"} else 0.6):
            best.setdefault(fit, []).append(s)
    if not best:
        return None
    top = max(best)
    same = best[top][0].inverse
    return top, tuple(s for s in best[top] if s.inverse == same)


def _person_noun(arg: Arg, text: str) -> bool:
    """Whether the words say what a person is: one of them is a known person noun or has an agent's ending."""
    words = text[arg.start : arg.end].lower().replace("-", " ").split()
    return any(NOUN_TYPE.get(w) == "PERSON" or w.endswith(("ist", "man", "woman", "president", "chair", "ceo", "minister", "mayor")) for w in words)


def _copula(p, v, lex, subjects, matches, add) -> list[Proto]:
    """"X is a member of Y" by the file's `be member of`; else "X is a Y" as an open relation `be`."""
    attr = p.kid(v, "attr")
    if attr < 0:
        return []
    for prep in p.all_kids(attr, "prep"):
        for noun in (p.lemma[attr].lower(), p.low[attr]):
            senses = lex.copulas.get((noun, p.low[prep]), ())
            pobj = p.kid(prep, "pobj")
            if not senses or pobj < 0:
                continue
            for k in p.conjuncts(pobj):
                obj = arg_of(p, k, phrases=False)
                for subject in subjects:
                    if obj and (fitting := _fitting(senses, subject, obj, False)):
                        a, b = (obj, subject) if fitting[1][0].inverse else (subject, obj)
                        add(a, b, fitting[1], fitting[1][0].name, 0.8 * fitting[0], "entity", prep)
            break
    if any(m.first <= attr < m.last for m in matches) or p.label(attr) in VALUES or p.tag[attr][:2] != "NN":
        return []
    obj = phrase_arg(p, attr)
    for subject in subjects:
        if obj and (subject.label or subject.ref):
            add(subject, obj, (), "be", 0.45, "string", v)
    return []


def _open(p, v, lemma, passive, subjects, slots, used, add) -> None:
    if lemma in _LIGHT or not lemma.isalpha():
        return
    for prep, at, tok in slots:
        if prep in ("as", "like", "than") or at in used:
            continue
        obj = arg_of(p, at)
        if obj is None or obj.ref or p.label(at) in VALUES:
            continue
        named = bool(obj.label) or any(c.isupper() for c in p.text[obj.start : obj.end])
        if prep and not named:
            continue
        for subject in subjects[:2]:
            if subject.head == obj.head or not (subject.label or subject.ref or p.tag[subject.head][:3] == "NNP"):
                continue
            name = ("be " if passive else "") + lemma + (f" {prep}" if prep else "")
            add(subject, obj, (), name, 0.45 if named else 0.35, "entity" if named else "string", tok if prep else v)
        if len(slots) > 3:
            break
