"""How a fact meets a question: is its subject named, its object, its relation worded, its time the one asked about.

Names are compared by stems of whole words, so "IBM's" names IBM; a name as some readable document writes it counts as
the fact's name too. Nothing is guessed from documents that the reader may not read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from retrieval.filters import TimeAsked
from retrieval.lexicon import Lexicon
from retrieval.ports import Candidate
from retrieval.query import Question
from retrieval.words import STOP_WORDS, stem, stems, words
from schemas.time import Interval

_PARENTHESIS = re.compile(r"\s*\([^)]*\)\s*$")
_LEGAL = frozenset("inc corp corporation co ltd llc plc gmbh ag sa company limited".split())


@dataclass(frozen=True)
class FactMatch:
    """`named`: the subject is in the question; `object_named`: the object is; `worded`: the relation is.

    `specificity` (0..1) is the share of the question's name words that the subject or object accounts for; `fits`
    says whether the object is of the kind asked for; `coverage` (0..1) is the share of all content words accounted for.
    """

    named: bool
    object_named: bool
    worded: bool
    specificity: float
    fits: bool
    coverage: float

    @property
    def answers(self) -> bool:
        """The fact's subject or object and its relation are those of the question."""
        return self.worded and (self.named or self.object_named)


def name_stems(name: str) -> frozenset[str]:
    """Stems that identify a name: no closing parenthesis, no stop words, no legal form (unless nothing else is left)."""
    tokens = [w for w in words(_PARENTHESIS.sub("", name) or name) if w not in STOP_WORDS] or words(name)
    return frozenset(stem(w) for w in tokens if w not in _LEGAL) or frozenset(stem(w) for w in tokens)


def initials(name: str) -> str:
    """First letters of a name of three or more words ("International Business Machines" -> ibm), else ''."""
    parts = [w for w in words(_PARENTHESIS.sub("", name)) if w not in _LEGAL and w not in ("of", "the", "and", "for")]
    return "".join(p[0] for p in parts) if len(parts) >= 3 else ""


def _named(question: Question, names: tuple[str, ...]) -> tuple[bool, frozenset[str]]:
    """Whether one of the names stands in the question, and which of its name words the best of them accounts for."""
    best: frozenset[str] = frozenset()
    found = False
    for name in names:
        have = name_stems(name)
        if not have:
            continue
        short = initials(name)
        shared = question.names & have
        if short and short in question.names:
            found, shared = True, shared | {short}
        elif have <= question.stems or (question.names and question.names <= have):
            found = True
        else:
            continue
        best = max(best, shared, key=len)
    return found, best


def match_fact(question: Question, lexicon: Lexicon, candidate: Candidate) -> FactMatch:
    """How one nugget meets the question."""
    row = candidate.row
    named, by_subject = _named(question, (row["subject"], *candidate.names))
    object_named, by_object = _named(question, (row["object"],)) if row["object"] else (False, frozenset())
    accounted = by_subject | by_object
    predicate = row["predicate"]
    known = predicate in lexicon.predicates
    relation = frozenset(stem(w) for w in words(predicate.replace("_", " ")) if w not in STOP_WORDS)
    worded = row["kind"] != "statement" and (
        predicate in question.predicates if known else bool(relation) and relation <= question.stems
    )
    text = frozenset(stems(f"{row['subject']} {row['object']} {row['text']} {row.get('condition') or ''}"))
    for name in candidate.names:
        text |= name_stems(name)
    covered = (question.names & text) | accounted
    relations = question.relation_stems if worded else question.relation_stems & (text | lexicon.wording_stems(predicate))
    total = len(question.content_stems)
    return FactMatch(
        named=named, object_named=object_named, worded=worded,
        specificity=len(accounted) / len(question.names) if question.names else float(named or object_named),
        fits=lexicon.answers(predicate, question.asked) if known else True,
        coverage=len(covered | relations) / total if total else 0.0,
    )


def match_text(question: Question, candidate: Candidate) -> FactMatch:
    """How one chunk meets the question: by its words, title and headings included."""
    row = candidate.row
    text = frozenset(stems(" ".join([row.get("title") or "", *(row.get("heading_path") or ()), row.get("header") or "", row["text"]])))
    total = len(question.content_stems)
    covered = len(question.content_stems & text) / total if total else 0.0
    return FactMatch(False, False, False, 0.0, True, covered)


def interval_of(row: dict) -> Interval:
    """The four days of a nugget row, or of a chunk row (what its document says of its own force)."""
    if "nugget_id" in row:
        return Interval(row["start_min"], row["start_max"], row["end_min"], row["end_max"])
    return Interval(row.get("valid_from"), row.get("valid_from"), row.get("valid_to"), row.get("valid_to"))


def time_fit(row: dict, time: TimeAsked) -> float:
    """0..1: how well a fact's interval meets the time asked about.

    A day: 1 where it certainly holds; possibly: 0.7 with a start known to lie before, 0.65 with an end known to lie after,
    0.5 with neither; 0 not. A stretch: 0.6 times the
    share of it that the possible range covers, plus 0.4 where it certainly meets it. Without a time: 0.5.
    """
    if time.basis == "none":
        return 0.5
    interval = interval_of(row)
    if time.point is not None:
        if interval.certainly(time.point):
            return 1.0
        if not interval.possibly(time.point):
            return 0.0
        if interval.start_max is not None and interval.start_max <= time.point:
            return 0.7
        return 0.65 if interval.end_min is not None and interval.end_min > time.point else 0.5
    first = time.first if time.first is not None else interval.start_min
    until = time.until if time.until is not None else interval.end_max
    low = first if interval.start_min is None else interval.start_min if first is None else max(first, interval.start_min)
    high = until if interval.end_max is None else interval.end_max if until is None else min(until, interval.end_max)
    if low is not None and high is not None and low >= high:
        return 0.0
    if first is None or until is None or low is None or high is None:
        share = 0.5
    else:
        share = (high - low) / max(1, until - first)
    certain = (
        interval.start_max is not None and (until is None or interval.start_max < until)
        and interval.end_min is not None and (first is None or interval.end_min > first)
    )
    return 0.6 * min(1.0, share) + (0.4 if certain else 0.0)


def edge_fit(row: dict, question: Question, time: TimeAsked) -> bool:
    """For "who became … in 2018": the fact is known to have started (ended) on a day of the time asked about."""
    if not question.edge or not time.filters:
        return False
    low, high = (row["start_min"], row["start_max"]) if question.edge == "start" else (row["end_min"], row["end_max"])
    if low is None or high is None:
        return False
    return (time.until is None or low < time.until) and (time.first is None or high >= time.first)
