"""A sentence's own analysis: parse once, apply the rules once, keep only proto-mentions and what the next sentence needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.extract.arguments import Arg
from tasks.extract.clauses import ClauseFacts, attribution, condition
from tasks.extract.context import Lead, inner_antecedent, lead_of
from tasks.extract.lexicon import Lexicon, build_lexicon
from tasks.extract.matches import Proto, find_matches
from tasks.extract.parses import Parse, analyse
from tasks.extract.roles import noun_protos
from tasks.extract.temporal import find_temporals
from tasks.extract.verbs import verb_protos
from tasks.parallel import map_slices

SHARE_SENTENCES = 2000  # fewer are not worth another process, which loads the model first


@dataclass(slots=True)
class Analysis:
    """Proto-mentions, the sentence's lead, and per reference the antecedent inside the sentence (False: several)."""

    protos: list[Proto]
    lead: Lead
    inner: dict[Arg, tuple[int, int, str] | bool | None]


def analyse_sentence(sentences: Sequence[str], model: str, lex: Lexicon) -> dict[str, Analysis]:
    """Sentence -> analysis, for distinct sentences; independent of their order."""
    return {p.text: read_sentence(p, lex) for p in analyse(sentences, model)}


def analyse_shared(sentences: Sequence[str], model: str, predicates: Mapping[str, Any]) -> dict[str, Analysis]:
    """As `analyse_sentence`, shared between the cores that stand idle."""
    out: dict[str, Analysis] = {}
    for part in map_slices(_analyse_slice, sentences, SHARE_SENTENCES, model, predicates):
        out |= part
    return out


def _analyse_slice(sentences: Sequence[str], model: str, predicates: Mapping[str, Any]) -> dict[str, Analysis]:
    return analyse_sentence(sentences, model, build_lexicon(dict(predicates)))


def _scoped_elsewhere(key: tuple, proto: Proto, best: dict[tuple, Proto]) -> bool:
    """Whether another reading of the same words found a scope ("deputy CEO"): then it is no plain CEO."""
    if proto.scope:
        return False
    return any(
        other[:-1] == key[:-1] and found.scope and found.trigger[0] < proto.trigger[1] and proto.trigger[0] < found.trigger[1]
        for other, found in best.items()
    )


def read_sentence(p: Parse, lex: Lexicon) -> Analysis:
    """All rules over one parse, duplicates (same arguments, predicate and scope) removed, the most confident kept."""
    facts = ClauseFacts(p, find_temporals(p.text))
    matches = find_matches(p, lex)
    found = noun_protos(p, lex, matches, facts) + verb_protos(p, lex, matches, facts)
    best: dict[tuple, Proto] = {}
    for proto in found:
        key = (proto.subject.start, proto.subject.end, proto.subject.ref, proto.object.start, proto.object.end, proto.object.ref, proto.predicate, proto.scope)
        if key not in best or proto.confidence > best[key].confidence:
            best[key] = proto
    protos = [proto for key, proto in best.items() if not _scoped_elsewhere(key, proto, best)]
    inner = {}
    speakers: dict[int, tuple[str, str]] = {}
    for proto in protos:
        if proto.verb >= 0:
            if proto.verb not in speakers:
                speakers[proto.verb] = attribution(p, proto.verb), condition(p, proto.verb)
            proto.attribution, proto.condition = speakers[proto.verb]
        for arg in (proto.subject, proto.object):
            if arg.ref in ("he", "she", "it") and arg not in inner:
                inner[arg] = inner_antecedent(p, arg)
    return Analysis(protos, lead_of(p), inner)
