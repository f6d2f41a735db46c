"""Triples and names of Re-DocRED's documents against what the extractor and the clustering of names find.

    python benchmarks/redocred.py [--parses FILE] [--wrong]

Prints one JSON line. `labels/redocred-relations.json` says which predicates mean a Wikidata relation ("-": the other way round); a
gold triple is one of those relations. It is *found* where an asserted claim has one of its predicates and a surface name of each of
its entities as an argument (without case, marks, articles). Precision: of the claims whose predicate the table has and whose two
arguments are names of gold entities, the share whose pair of entities has such a relation in the gold. Aliases: pairs of names of one gold
entity in one document that share a word of four letters or more, or that one is the initials of; linked where both are one entity, with
the gold's names given (`gold_names`) and with those that the extractor found (`found_names`: pairs it missed a name of count as missed).
Yardstick of names: the words of one are all among those of the other. Yardstick of triples: every pair of gold names in one sentence gets the
commonest relation of its two types.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

from stages import ROOT, keep_parses, raw_rows, rows_by_document, run_stages
from timeqa_facts import words

from schemas.config import CONFIG_DIR, Config, resolve
from schemas.tables import TABLES
from tasks.registry import load_stage

CORPUS = Path(os.environ.get("LODE_CORPORA", ROOT.parent / "shared" / "corpora")) / "redocred" / "dev.json"
TYPES = {"PER": "PERSON", "LOC": "GPE", "ORG": "ORG"}
Pair = tuple[int, int]


def share_something(one: str, other: str) -> bool:
    a, b = words(one), words(other)
    if a == b or not a or not b:
        return False
    short, long = sorted((a, b), key=len)
    initials = len(short) == 1 and len(long) > 1 and short[0] == "".join(w[0] for w in long)
    return initials or any(len(w) >= 4 for w in set(a) & set(b))


def alias_pairs(document: dict[str, Any]) -> set[tuple[str, str]]:
    out = set()
    for entity in document["vertexSet"]:
        if entity[0]["type"] in TYPES:
            names = sorted({m["name"] for m in entity})
            out |= {(a, b) for a, b in combinations(names, 2) if share_something(a, b)}
    return out


def gold_mentions(tables: dict[str, Any], documents: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The link stage on the gold's names alone: each name is the subject of a mention without an object."""
    ids = dict(zip(tables["documents"]["native_key"].to_pylist(), tables["documents"]["document_id"].to_pylist(), strict=True))
    empty = {f.name: None if f.nullable else [] if str(f.type).startswith("list") else 0 if "int" in str(f.type) or str(f.type) == "float" else ""
             for f in TABLES["mentions"].schema()}
    rows = []
    for key, document in documents.items():
        for name, kind in sorted({(m["name"], TYPES.get(m["type"], "")) for e in document["vertexSet"] for m in e if m["type"] not in ("TIME", "NUM")}):
            rows.append({**empty, "mention_id": f"{key}:{len(rows)}", "document_id": ids[key], "subject": name, "subject_type": kind})
    linked = dict(tables) | {"mentions": TABLES["mentions"].from_rows(rows)}
    for step in load_stage("link").steps:
        linked |= step.run(resolve(Config(), CONFIG_DIR), linked)
    return linked


def linked_pairs(tables: dict[str, Any], documents: dict[str, dict[str, Any]]) -> int:
    known: dict[str, dict[tuple[str, ...], set[str]]] = defaultdict(lambda: defaultdict(set))
    for key, links in rows_by_document(tables, "links").items():
        for link in links:
            known[key][words(link["surface"])].add(link["entity_id"])
    return sum(bool(known[k][words(a)] & known[k][words(b)]) for k, d in documents.items() for a, b in alias_pairs(d))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parses", type=Path)
    parser.add_argument("--wrong", action="store_true")
    asked = parser.parse_args()
    documents = {f"{n:04}": d for n, d in enumerate(json.loads(CORPUS.read_text()))}
    table: dict[str, list[str]] = json.loads((ROOT / "benchmarks" / "labels" / "redocred-relations.json").read_text())
    readings: dict[str, set[tuple[str, bool]]] = defaultdict(set)
    for relation, names in table.items():
        for name in names:
            readings[name.removeprefix("-")].add((relation, name.startswith("-")))
    keep_parses(asked.parses)
    texts = {k: (d["title"], f"# {d['title']}\n\n" + " ".join(" ".join(s) for s in d["sents"]) + "\n") for k, d in documents.items()}
    tables = run_stages(raw_rows(texts))
    mentions = {m["mention_id"]: m for m in tables["mentions"].to_pylist()}
    right: Counter[str] = Counter()
    said: Counter[str] = Counter()
    hit: set[tuple[str, str, int, int]] = set()
    gold = {(k, x["r"], x["h"], x["t"]) for k, d in documents.items() for x in d["labels"] if x["r"] in table}
    for key, claims in rows_by_document(tables, "claims").items():
        entities: dict[tuple[str, ...], set[int]] = defaultdict(set)
        for n, entity in enumerate(documents[key]["vertexSet"]):
            for m in entity:
                entities[words(m["name"])].add(n)
        judged = set()
        for claim in claims:
            m = mentions[claim["mention_id"]]
            if claim["polarity"] != "positive" or claim["modality"] != "asserted" or claim["predicate"] not in readings:
                continue
            pairs: set[Pair] = {(h, t) for h in entities.get(words(m["subject"]), ()) for t in entities.get(words(m["object"]), ()) if h != t}
            if not pairs or (claim["predicate"], *sorted(pairs)) in judged:
                continue
            judged.add((claim["predicate"], *sorted(pairs)))
            found = {(key, r, *((t, h) if turned else (h, t))) for r, turned in readings[claim["predicate"]] for h, t in pairs} & gold
            said[claim["predicate"]] += 1
            right[claim["predicate"]] += bool(found)
            hit |= found
            if asked.wrong and not found:
                print(documents[key]["title"], "|", m["subject"], "|", claim["predicate"], "|", m["object"], "|", m["sentence"][:250], file=sys.stderr)
    pairs_n = sum(len(alias_pairs(d)) for d in documents.values())
    subset = sum(set(words(a)) <= set(words(b)) or set(words(b)) <= set(words(a)) for d in documents.values() for a, b in alias_pairs(d))
    p, r = sum(right.values()) / max(1, sum(said.values())), len(hit) / len(gold)
    by_relation = {x: {"gold": sum(g[1] == x for g in gold), "found": sum(h[1] == x for h in hit)} for x in table}
    print(json.dumps({
        "benchmark": "redocred", "documents": len(documents), "gold": len(gold), "claims": sum(said.values()), "precision": round(p, 3),
        "recall": round(r, 3), "f1": round(2 * p * r / (p + r) if p + r else 0.0, 3), **{f"yardstick_{k}": v for k, v in _guess(documents, gold, set(table)).items()},
        "alias_pairs": pairs_n, "alias_recall_gold_names": round(linked_pairs(gold_mentions(tables, documents), documents) / pairs_n, 3),
        "alias_recall_found_names": round(linked_pairs(tables, documents) / pairs_n, 3), "yardstick_alias_subset": round(subset / pairs_n, 3),
        "relations": {k: v for k, v in by_relation.items() if v["gold"]},
        "predicates": {k: {"claims": n, "precision": round(right[k] / n, 2)} for k, n in said.most_common()},
    }))


def _guess(documents: dict[str, dict[str, Any]], gold: set[tuple[str, str, int, int]], relations: set[str]) -> dict[str, float]:
    """Precision and recall of guessing by the types of two names of one sentence alone."""
    often: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for key, r, h, t in gold:
        often[tuple(documents[key]["vertexSet"][x][0]["type"] for x in (h, t))][r] += 1  # type: ignore[index]
    guessed = set()
    for key, d in documents.items():
        for a, b in {(i, j) for i, e in enumerate(d["vertexSet"]) for j, f in enumerate(d["vertexSet"]) if i != j
                     and {m["sent_id"] for m in e} & {m["sent_id"] for m in f}}:
            counts = often.get((d["vertexSet"][a][0]["type"], d["vertexSet"][b][0]["type"]))
            if counts:
                guessed.add((key, max(sorted(counts), key=lambda r: counts[r]), a, b))
    return {"precision": round(len(guessed & gold) / len(guessed), 3), "recall": round(len(guessed & gold) / len(gold), 3)}


if __name__ == "__main__":
    main()
