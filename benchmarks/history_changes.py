"""How well kinds of change are told apart: the labelled changes of real histories against the table `changes`.

    python benchmarks/history_changes.py [--dump enwiki-revisions] [--misses]

Prints one JSON line: confusion matrix, precision, recall and F1 of succession against correction, over all rows and apart
for parameters, sentences and whole edits, each with n; and a yardstick beside it: calling every change by whether its
value is longer or shorter is no method, so the yardstick is the majority class of the slot. The rows whose number is even are
those that rules were looked at with; the odd ones were not, and are reported apart (`held_out`).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
CORPORA = Path(os.environ.get("LODE_CORPORA", ROOT.parent / "shared" / "corpora")) / "wikipedia"
LABELS = ROOT / "benchmarks" / "labels" / "changes.jsonl"
MANY_REVISIONS = 2000  # of such a page whole edits are labelled, whose texts are not looked at
CLASSES = ("succession", "correction", "vandalism", "revert", "removal", "rename", "addition", "wording", "")


def changes_of(path: Path) -> tuple[dict[tuple[str, str, str], list[dict[str, Any]]], dict[tuple[str, str], str]]:
    """(page id, last revision, first revision) -> rows of `changes`; (page id, revision) -> wikitext."""
    from schemas.config import Config, resolve
    from schemas.sources import SourceSpec
    from schemas.tables import TABLES
    from tasks.parse.scan import scan_source
    from tasks.parse.stage import run as parse
    from tasks.validity.changes import find_changes

    config = resolve(Config(), ROOT / "configs")
    rows: dict[str, list] = defaultdict(list)
    for table, row in scan_source(SourceSpec(str(path), "bench", "mediawiki", ("public",), "default", "en"), config):
        rows[table].append(row)
    tables = {name: TABLES[name].from_rows(rows[name]) for name in ("raw", "stretches")}
    parsed = parse(config, tables)
    found = find_changes(config, parsed)["changes"].to_pylist()
    keys = dict(zip(parsed["documents"]["document_id"].to_pylist(), parsed["documents"]["native_key"].to_pylist(), strict=True))
    out: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in found:
        out[keys[row["document_id"]], row["last_revision"] or "", row["first_revision"]].append(row)
    return out, texts_of(rows)


def texts_of(rows: dict[str, list]) -> dict[tuple[str, str], str]:
    """(page id, revision) -> wikitext, of an export small enough to hold."""
    from tasks.parse.stretches import rebuild

    pieces: dict[str, dict[int, str]] = defaultdict(dict)
    for row in rows["stretches"]:
        pieces[row["document_id"]][row["stretch"]] = row["text"]
    if len(rows["raw"]) > MANY_REVISIONS:
        return {}
    return {(r["native_key"], r["revision"]): rebuild(r["stretches"], pieces[r["document_id"]]) for r in rows["raw"]}


def _words(text: str) -> Counter:
    return Counter(re.findall(r"[^\W_]+", text.casefold()))


def _overlap(a: str, b: str) -> float:
    x, y = _words(a), _words(b)
    both = sum((x & y).values())
    return 2 * both / (sum(x.values()) + sum(y.values()) or 1)


def predict(label: dict[str, Any], rows: list[dict[str, Any]], texts: dict[tuple[str, str], str]) -> str:
    """The verdict that the table gives on a labelled change; '' where it shows none."""
    if label["slot"].startswith("parameter:"):
        mine = [r for r in rows if r["slot"] == label["slot"]]
        return mine[0]["verdict"] if mine else ""
    if label["slot"] == "text":
        said = [
            texts.get((label["page_id"], label[f"{side}_revision"]), "")[slice(*label[f"{side}_span"])] if label[f"{side}_span"] else ""
            for side in ("old", "new")
        ]
        scored = [
            (_overlap(r["old_text"], said[0]) * bool(said[0]) + _overlap(r["new_text"], said[1]) * bool(said[1]), r["verdict"])
            for r in rows if r["slot"] == "text"
        ]
        return max(scored, default=(0.0, ""))[1]
    verdicts = Counter(r["verdict"] for r in rows)
    for strong in ("vandalism", "revert"):
        if any(r["slot"] == "page" and r["verdict"] == strong for r in rows):
            return strong
    if not verdicts:
        return "correction"  # markup alone
    order = {name: n for n, name in enumerate(("succession", "correction", "rename", "addition", "removal", "wording", "revert"))}
    return min(verdicts, key=lambda v: (-verdicts[v], order.get(v, 9)))


def score(pairs: list[tuple[dict[str, Any], str]]) -> dict[str, Any]:
    """Confusion, accuracy, and F1 of succession against correction (rows that are labelled one of the two)."""
    matrix: dict[str, Counter] = defaultdict(Counter)
    right = 0
    for label, told in pairs:
        ok = told in (label["label"], label["also"])
        right += ok
        matrix[label["label"]][label["label"] if ok else told or "none"] += 1
    out: dict[str, Any] = {"n": len(pairs), "right": round(right / len(pairs), 3) if pairs else None,
                           "confusion": {k: dict(sorted(v.items())) for k, v in sorted(matrix.items())}}
    two = [(x, t) for x, t in pairs if x["label"] in ("succession", "correction")]
    for name in ("succession", "correction"):
        hit = sum(t == name and name in (x["label"], x["also"]) for x, t in two)
        told = sum(t == name for _, t in two)
        wanted = sum(x["label"] == name and t != x["also"] for x, t in two)
        precision, recall = hit / told if told else 0.0, hit / wanted if wanted else 0.0
        recall = min(1.0, recall)
        out[name] = {"n": wanted, "precision": round(precision, 3), "recall": round(recall, 3),
                     "f1": round(2 * precision * recall / (precision + recall), 3) if precision + recall else 0.0}
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dump", action="append", help="only labels of this dump (name without extensions)")
    parser.add_argument("--misses", action="store_true", help="list wrong rows of the even numbers on stderr")
    asked = parser.parse_args()
    labels = [json.loads(line) | {"number": n} for n, line in enumerate(LABELS.read_text().splitlines())]
    labels = [x for x in labels if not asked.dump or x["dump"] in asked.dump]
    pairs: list[tuple[dict[str, Any], str]] = []
    for dump in sorted({x["dump"] for x in labels}):
        path = next(p for p in sorted(CORPORA.iterdir()) if p.name.split(".")[0] == dump)
        found, texts = changes_of(path)
        for label in (x for x in labels if x["dump"] == dump):
            rows = found.get((label["page_id"], label["old_revision"], label["new_revision"]), [])
            told = predict(label, rows, texts)
            pairs.append((label, told))
            if asked.misses and label["number"] % 2 == 0 and told not in (label["label"], label["also"]):
                mine = [r for r in rows if r["slot"] == label["slot"]][:3]
                print(label["number"], label["slot"], label["label"], label["also"], "->", told or "none", "|", label["why"], "|",
                      *(f"[{r['reason']}: {r['old_text'][:150]!r} => {r['new_text'][:150]!r}]" for r in mine), file=sys.stderr)
    majority = {s: Counter(x["label"] for x, _ in pairs if x["slot"].split(":")[0] == s).most_common(1)[0][0]
                for s in {x["slot"].split(":")[0] for x, _ in pairs}}
    out = {"benchmark": "history_changes", **score(pairs)}
    for name in sorted(majority):
        out[name] = score([p for p in pairs if p[0]["slot"].split(":")[0] == name])
    out["held_out"] = score([p for p in pairs if p[0]["number"] % 2])
    out["yardstick_majority"] = score([(x, majority[x["slot"].split(":")[0]]) for x, _ in pairs])["right"]
    print(json.dumps(out))


if __name__ == "__main__":
    main()
