"""What a sentence says at all, without any list of predicates: subject, relation as worded, arguments, from the parse alone.

One relation per full verb, apposition, and title before a name. The relation is the verb with its auxiliaries, negation, particle,
the infinitives it governs ("began to build") and, where it has no object, its first preposition ("moved to"). The first argument is
the subject, through relative clauses, participles, coordination and control; then the object or complement and the other
phrases of the verb in text order. All words are the sentence's own, in its order.
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.extract.arguments import is_passive, subject_token
from tasks.extract.parses import Parse

_PLAIN = frozenset({"relcl", "acl", "advcl", "parataxis", "ccomp", "csubj"})
_ENDS = frozenset({",", ";", ":", ".", "-", "–", "—", "''", "``", '"', "?", "!"})
_WORDS = ("aux", "auxpass", "neg", "prt")
_PHRASES = ("prep", "agent", "npadvmod", "dative", "advmod", "advcl")


@dataclass(frozen=True, slots=True)
class OpenRelation:
    """A relation as worded. `arguments[0]` is the subject; `verb` the token that carries the relation."""

    relation: str
    arguments: tuple[str, ...]
    confidence: float
    verb: int


def relations_of(p: Parse) -> list[OpenRelation]:
    """Every relation of a sentence, in the order of the verbs."""
    out: list[OpenRelation] = []
    for v in range(p.n):
        if p.tag[v][:2] == "VB" and p.dep[v] not in ("aux", "auxpass", "amod", "compound", "pcomp"):
            out += _of_verb(p, v)
        elif p.dep[v] == "appos":
            out += _apposition(p, v)
    return list(dict.fromkeys(out))


def _below(p: Parse, i: int, drop: frozenset[str] = frozenset(), without: frozenset[int] = frozenset()) -> list[int]:
    """Tokens of a phrase in text order; children by a label in `drop`, and tokens in `without`, are left out with all below."""
    out, stack = [], [i]
    while stack:
        j = stack.pop()
        out.append(j)
        stack += [k for k in p.kids[j] if p.dep[k] not in drop and k not in without]
    return sorted(out)


def _text(p: Parse, tokens: list[int]) -> str:
    """The words as written; a gap between them is one space. Punctuation at the ends is left out."""
    while tokens and p.words[tokens[0]] in _ENDS:
        tokens = tokens[1:]
    while tokens and p.words[tokens[-1]] in _ENDS:
        tokens = tokens[:-1]
    parts: list[str] = []
    at = 0
    while at < len(tokens):
        stop = at
        while stop + 1 < len(tokens) and tokens[stop + 1] == tokens[stop] + 1:
            stop += 1
        parts.append(p.text[p.start[tokens[at]] : p.end[tokens[stop]]])
        at = stop + 1
    return " ".join(parts)


def _noun(p: Parse, i: int) -> str:
    """A noun phrase without relative clauses and appositions."""
    return _text(p, _below(p, i, _PLAIN | {"appos"}))


def _chain(p: Parse, v: int) -> list[int]:
    """The verb and the infinitives or participles that it governs without an object of its own: "began to build"."""
    out = [v]
    while (k := p.kid(out[-1], "xcomp")) >= 0 and p.tag[k][:2] == "VB" and p.kid(out[-1], "dobj") < 0 and len(out) < 4:
        out.append(k)
    return out


def _of_verb(p: Parse, v: int) -> list[OpenRelation]:
    if p.dep[v] == "xcomp" and p.tag[p.head[v]][:2] == "VB" and v in _chain(p, p.head[v]):
        return []  # it is part of the relation of the verb above
    s = subject_token(p, v)
    if s < 0 or p.tag[s] in ("EX",):
        return []
    chain = _chain(p, v)
    words = {k for c in chain for k in p.kids[c] if p.dep[k] in _WORDS} | set(chain)
    for a, b in zip(chain, chain[1:], strict=False):
        words |= {k for k in p.kids[a] if p.dep[k] in ("acomp",) and k < b}
    inner = chain[-1]
    core = [k for c in chain for k in p.kids[c] if p.dep[k] in ("dobj", "attr", "acomp", "oprd", "ccomp") and k not in words]
    core = [k for k in core if p.dep[k] != "ccomp" or k > inner]
    rest = [k for c in chain for k in p.kids[c] if p.dep[k] in _PHRASES and k not in words]
    rest = [k for k in rest if p.dep[k] != "advmod" or len(_below(p, k)) > 1]
    whole: list[str] = []
    if not core:
        first = next((k for k in rest if k > inner and p.dep[k] in ("prep", "agent") and p.kid(k, "pobj", "pcomp") >= 0), -1)
        if first >= 0:
            words.add(first)
            rest.remove(first)
            whole.append(_text(p, [k for k in _below(p, first, frozenset({"relcl"})) if k != first]))
    subject = _noun(p, s)
    objects = [_text(p, _below(p, k, frozenset({"relcl"}))) for k in core]
    arguments = [a for a in (*objects, *whole, *(_text(p, _below(p, k)) for k in sorted(rest))) if a]
    if not subject or not arguments:
        return []
    relation = _text(p, sorted(words))
    confidence = 0.9 if p.kid(v, "nsubj", "nsubjpass") >= 0 else 0.6 if is_passive(p, v) or p.dep[v] == "conj" else 0.5
    return [OpenRelation(relation, (subject, *arguments), confidence, v)]


def _apposition(p: Parse, i: int) -> list[OpenRelation]:
    """"X, the Y of Z," says that X is the Y of Z."""
    above, said = _noun(p, p.head[i]), _noun(p, i)
    if not above or not said or p.tag[i][:2] != "NN" or p.tag[p.head[i]][:2] not in ("NN", "PR"):
        return []
    return [OpenRelation("is", (above, said), 0.45, i)]
