"""Verify the hand-made labels of page changes: `python benchmarks/labels/check.py [CORPORA]` prints one JSON line.

Guarantees when it exits with 0: every row names two revisions of its dump, of its page and in order; its label is one
of the eight; no slot and pair of revisions stands twice; the parameter is written in at least one of the two revisions;
spans lie inside the two texts, are not blank, and differ from each other. Faults go to stderr, one a line; exit code 1.
The corpora are found under CORPORA, else LODE_CORPORA, else ../shared/corpora beside the checkout.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import json
import lzma
import os
import re
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LABELS = ("succession", "correction", "vandalism", "revert", "removal", "rename", "addition", "wording")
DUMPS = {
    "enwiki-revisions": ("enwiki-revisions.xml.bz2", bz2.open),
    "anarchism_full_history_15180rev": ("anarchism_full_history_15180rev.xml.lzma", lzma.open),
    "amen_49rev": ("amen_49rev.xml.gz", gzip.open),
    "dbpedia_frwiki_history_sample": ("dbpedia_frwiki_history_sample.xml", open),
}
FIELDS = {"dump", "page_id", "slot", "old_revision", "new_revision", "label", "also", "why"}


def revisions(path: Path, opener, wanted: set[str]) -> dict[str, tuple[str, int, str]]:
    """Of the wanted revision ids: page id, position in the dump, wikitext. Streams; holds only what is wanted."""
    found: dict[str, tuple[str, int, str]] = {}
    page, place, parent = "", 0, None
    with opener(path, "rb") as handle:
        for event, node in ET.iterparse(handle, events=("start", "end")):
            tag = node.tag.rsplit("}", 1)[-1]
            if event == "start":
                if tag == "page":
                    page, parent = "", node
                continue
            if tag != "revision":
                continue
            fields = {child.tag.rsplit("}", 1)[-1]: child.text or "" for child in node}
            if not page:
                page = next((child.text or "" for child in parent if child.tag.endswith("}id")), "")
            if fields["id"] in wanted:
                found[fields["id"]] = (page, place, fields.get("text", ""))
            place += 1
            parent.remove(node)
    return found


def faults(row: dict, found: dict[str, tuple[str, int, str]]) -> list[str]:
    """What is wrong with one row, in words; empty when all is well."""
    wrong = []
    spans = {"old_span", "new_span"} if row["slot"] == "text" else set()
    if set(row) != FIELDS | spans:
        wrong.append("fields")
    if row["label"] not in LABELS or row["also"] not in (None, *LABELS) or row["also"] == row["label"]:
        wrong.append("label")
    if not re.fullmatch(r"text|page|parameter:\S.*", row["slot"]):
        wrong.append("slot")
    old, new = found.get(row["old_revision"]), found.get(row["new_revision"])
    if not old or not new:
        return [*wrong, "revision not in the dump"]
    if not old[0] == new[0] == row["page_id"]:
        wrong.append("page")
    if old[1] >= new[1]:
        wrong.append("order of revisions")
    if old[2] == new[2]:
        wrong.append("the two texts are the same")
    if row["slot"].startswith("parameter:"):
        key = re.compile(r"\|\s*" + re.escape(row["slot"].split(":", 1)[1]) + r"\s*=")
        if not (key.search(old[2]) or key.search(new[2])):
            wrong.append("parameter in neither revision")
    if spans:
        parts = []
        for span, text in ((row["old_span"], old[2]), (row["new_span"], new[2])):
            if span is not None and not (0 <= span[0] < span[1] <= len(text) and text[span[0] : span[1]].strip()):
                wrong.append("span")
            parts.append(None if span is None else text[span[0] : span[1]])
        if parts[0] == parts[1]:
            wrong.append("the two spans are the same")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="?", type=Path)
    default = Path(os.environ.get("LODE_CORPORA", ROOT.parent / "shared" / "corpora"))
    folder = (parser.parse_args().corpora or default) / "wikipedia"
    rows = [json.loads(line) for line in (Path(__file__).parent / "changes.jsonl").read_text("utf-8").splitlines()]
    bad = 0
    for name in sorted({row["dump"] for row in rows}):
        mine = [row for row in rows if row["dump"] == name]
        wanted = {row[side] for row in mine for side in ("old_revision", "new_revision")}
        file, opener = DUMPS[name]
        found = revisions(folder / file, opener, wanted)
        for row in mine:
            for fault in faults(row, found):
                bad += 1
                print(name, row["slot"], row["new_revision"], fault, sep="\t", file=sys.stderr)
    named = ("dump", "slot", "old_revision", "new_revision", "old_span", "new_span")
    keys = Counter(tuple(str(row.get(field)) for field in named) for row in rows)
    bad += sum(n - 1 for n in keys.values())
    counts: dict[str, Counter] = {}
    for row in rows:
        counts.setdefault(row["dump"] + " " + row["slot"].split(":")[0], Counter())[row["label"]] += 1
    labels = dict(sorted(Counter(row["label"] for row in rows).items()))
    total = {"rows": len(rows), "faults": bad, "also": sum(row["also"] is not None for row in rows), "labels": labels}
    print(json.dumps(total | {"sources": counts}))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
