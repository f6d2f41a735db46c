"""Mentions of sampled revisions out of the history, against processing each of these revisions by itself.

    python benchmarks/history_equality.py [--warehouse DIR] [--revisions 200]

Prints one JSON line. For each sampled revision: the mentions (sentence, subject, predicate, object) whose sentence a block of
the revision says, as the backfill stored them once, and those that the same stages give when the revision is a document of its
own. `equal`: share of revisions where both sets are the same; `recall` and `precision` of the first against the second, over
all mentions. Without --warehouse the full history of one page is backfilled first. Yardstick: seconds of both ways per revision.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

Fact = tuple[str, str, str, str]


def stored(warehouse: Path) -> dict[str, Any]:
    """What the backfill stored, as plain lists, and the texts of all revisions by id."""
    from tasks.parse.stretches import rebuild
    from warehouse.layout import Warehouse
    from warehouse.releases import open_release

    release = open_release(Warehouse.open(warehouse))
    raw = release.read("raw").to_pylist()
    pieces: dict[str, dict[int, str]] = defaultdict(dict)
    for row in release.read("stretches").to_pylist():
        pieces[row["document_id"]][row["stretch"]] = row["text"]
    texts = {r["revision"]: rebuild(r["stretches"], pieces[r["document_id"]]) for r in raw if r["status"] == "ok"}
    return {"raw": {r["revision"]: r for r in raw}, "texts": texts, "config": release.config,
            **{name: release.read(name).to_pylist() for name in ("blocks", "sightings", "mentions")}}


def from_history(held: dict[str, Any], revisions: list[str]) -> dict[str, set[Fact]]:
    from tasks.parse.past import BlockNumbers

    same = {b["block_id"]: b["same_as"] or b["block_id"] for b in held["blocks"]}
    said: dict[str, set[str]] = defaultdict(set)
    for row in held["sightings"]:
        said[row["block_id"]].add(row["sentence_id"])
    facts: dict[str, list[Fact]] = defaultdict(list)
    for m in held["mentions"]:
        facts[m["sentence_id"]].append((m["sentence"], m["subject"], m["predicate"], m["object"]))
    out = {}
    for revision in revisions:
        numbers = BlockNumbers(held["raw"][revision]["document_id"])
        numbers.read("", lambda revision=revision: held["texts"][revision])
        blocks = {same.get(b.id, b.id) for b in numbers.blocks}
        out[revision] = {fact for block in blocks for sentence in said.get(block, ()) for fact in facts[sentence]}
    return out


def by_itself(held: dict[str, Any], revisions: list[str]) -> dict[str, set[Fact]]:
    from stages import run_stages

    from schemas.tables import TABLES
    from tasks.parse.stretches import Splitter

    rows, pieces = [], []
    for revision in revisions:
        splitter = Splitter()
        document = f"{held['raw'][revision]['document_id']}:{revision}"
        names, told = splitter.split(held["texts"][revision].encode("utf-8", "surrogatepass"))
        rows.append(held["raw"][revision] | {"document_id": document, "stretches": names})
        pieces += [{"document_id": document, "stretch": n, "text": t} for n, t in dict(told).items()]
    raw = {"raw": TABLES["raw"].from_rows(rows), "stretches": TABLES["stretches"].from_rows(pieces)}
    tables = run_stages(raw, "extract", held["config"])
    out: dict[str, set[Fact]] = {revision: set() for revision in revisions}
    for m in tables["mentions"].to_pylist():
        out[m["document_id"].rpartition(":")[2]].add((m["sentence"], m["subject"], m["predicate"], m["object"]))
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--warehouse", type=Path)
    parser.add_argument("--revisions", type=int, default=200)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        warehouse = asked.warehouse
        if warehouse is None:
            from benchmarks.full_history import DUMP, backfill

            backfill(DUMP, Path(name))
            warehouse = Path(name) / DUMP.stem
        held = stored(warehouse)
    revisions = sorted(random.Random(1).sample(sorted(held["texts"]), min(asked.revisions, len(held["texts"]))), key=int)
    began = time.perf_counter()
    ours = from_history(held, revisions)
    middle = time.perf_counter()
    theirs = by_itself(held, revisions)
    both = sum(len(ours[r] & theirs[r]) for r in revisions)
    print(json.dumps({
        "benchmark": "history_equality", "revisions": len(revisions), "equal": round(sum(ours[r] == theirs[r] for r in revisions) / len(revisions), 3),
        "mentions": sum(map(len, theirs.values())), "recall": round(both / max(1, sum(map(len, theirs.values()))), 4),
        "precision": round(both / max(1, sum(map(len, ours.values()))), 4),
        "seconds_per_revision": {"history": round((middle - began) / len(revisions), 3), "by_itself": round((time.perf_counter() - middle) / len(revisions), 3)},
    }))
    if os.environ.get("LODE_SHOW"):
        for r in revisions[:: max(1, len(revisions) // 10)]:
            print(r, "missing", sorted(theirs[r] - ours[r])[:3], "surplus", sorted(ours[r] - theirs[r])[:3], file=sys.stderr)


if __name__ == "__main__":
    main()
