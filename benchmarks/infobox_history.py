"""Every real change of an infobox value in `infobox-history.jsonl` against what is published after a backfill.

    python benchmarks/infobox_history.py [--warehouse DIR] [--misses]

Without --warehouse it backfills the export first. Prints one JSON line. A change is two runs of one page and key, one after
the other; it is *real* where the values differ after markup, template names, white space, case, references and file names
are taken off (`stripped`, no model, written before what it judges). It is *found* where the published table `changes` has a
row of the page and key with the old value, the new value, the last revision that showed the old and the first that showed
the new. Precision: published rows with an old and a new value, of the pages, keys and time of the file, that are a real change.
`as_nuggets`: changes whose two values are both published nuggets of the page, the old one with an end of saying unless a later
change of the file brings it back. Yardstick: a raw diff, that is every pair of runs, real or not (its precision).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
CORPORA = Path(os.environ.get("LODE_CORPORA", ROOT.parent / "shared" / "corpora")) / "wikipedia"
DUMP = CORPORA / "enwiki-revisions.xml.bz2"
_FILE = re.compile(r"(?:\b(?:File|Image):)?[^|=\[\]{}\n<>]+\.(?:svg|png|jpe?g|gif|tiff?|webp|ogg|webm)\b", re.IGNORECASE)


def stripped(raw: str) -> str:
    """A value as the words that it shows: no references, comments, files, template names, link targets, marks, case."""
    text = re.sub(r"\{\{\s*(US\$|A\$|C\$)\s*(?=[|}])", r" \1 {{x", unicodedata.normalize("NFKC", raw.replace("&nbsp;", " ")))
    text = re.sub(r"<ref\b[^<>]*/>|<ref\b.*?</ref>|<!--.*?-->", " ", text, flags=re.DOTALL | re.IGNORECASE)
    text = re.sub(r"\[\[(?:File|Image):(?:[^\[\]]|\[\[[^\[\]]*\]\])*\]\]", " ", text, flags=re.IGNORECASE)
    text = _FILE.sub(" ", text)
    text = re.sub(r"<br\s*/?>|</?[a-zA-Z][^<>]*>|&nbsp;", " ", text)
    text = re.sub(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]", r"\1", text)
    text = re.sub(r"\[https?://\S+\s+([^\]]*)\]", r"\1", text)
    for _ in range(6):
        text, count = re.subn(r"\{\{\s*[^{}|]*(?:\|([^{}]*))?\}\}", lambda m: " " + " ".join(
            re.sub(r"^\s*[a-zA-Z_]+\s*=\s*(?:yes|no|on|off|left|right|center|\d+)?\s*", " ", p) for p in (m[1] or "").split("|")) + " ", text)
        if not count:
            break
    text = re.sub(r"[|*\[\]{}#]+|''+|&\w+;|&#\d+;", " ", text.casefold())
    return " ".join(text.split()).strip(" ,;")


def real_changes() -> tuple[list[dict[str, Any]], int]:
    """Real changes {page, key, old, new, last_seen, first_rev}, and how many pairs of runs there are."""
    out, pairs = [], 0
    for line in (CORPORA / "infobox-history.jsonl").read_text().splitlines():
        entry = json.loads(line)
        for a, b in zip(entry["runs"], entry["runs"][1:], strict=False):
            pairs += 1
            if stripped(a["value"]).replace(" ", "") != stripped(b["value"]).replace(" ", ""):
                out.append({"page": entry["page"], "key": entry["key"], "old": a["value"], "new": b["value"],
                            "last_seen": a["last_seen"], "first_rev": b["first_rev"]})
    return out, pairs


def alike(raw: str, shown: str) -> bool:
    """Whether a shown value has the words of a raw one: no word that the raw one lacks but for units and months, and most of its words."""
    want, have = re.findall(r"[^\W_]+", stripped(raw)), re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", shown).casefold())
    if not want or not have:
        return not want and not have
    joined = "".join(want)
    share = sum(w in want or w in joined for w in have) / len(have)
    covered = sum(w in have for w in set(want)) / len(set(want))
    return share >= 0.6 and (covered >= 0.5 or " ".join(have) in " ".join(want))


def published(warehouse: Path) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]], dict[str, str]]:
    """Rows of `changes` with page titles, nuggets by page, and time by revision."""
    import motherlode

    with motherlode.open_release(warehouse) as release:
        rows = release.sql(
            "SELECT title AS page, substr(slot, 11) AS key, old_text, new_text, last_revision, first_revision, verdict "
            "FROM changes JOIN documents USING (document_id) WHERE starts_with(slot, 'parameter:')").to_pylist()
        nuggets = release.sql(
            "SELECT DISTINCT d.title AS page, n.object, n.text, m.sentence, n.recorded_from, n.recorded_to, c.recorded_from AS said_from, "
            "c.recorded_to AS said_to FROM nuggets n, unnest(n.claim_ids) AS u(claim_id) JOIN claims c ON c.claim_id = u.claim_id "
            "JOIN documents d ON d.document_id = c.document_id JOIN mentions m ON m.mention_id = c.mention_id "
            "WHERE starts_with(m.extractor, 'infobox')").to_pylist()
        times = release.sql("SELECT revision, strftime(time, '%Y-%m-%dT%H:%M:%SZ') AS time FROM versions").to_pylist()
    by_page: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for n in nuggets:
        by_page[n["page"]].append(n)
    return rows, by_page, {t["revision"]: t["time"] for t in times}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--warehouse", type=Path)
    parser.add_argument("--misses", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        warehouse = asked.warehouse or Path(folder) / "wh"
        if asked.warehouse is None:
            config = Path(folder) / "lode.toml"
            config.write_text("[embed]\nenabled = false\n")
            subprocess.run([str(Path(sys.executable).parent / "lode"), "backfill", str(DUMP), "--acl", "public", "-c", str(config), "-w",
                            str(warehouse), "--quiet"], check=True)
        rows, nuggets, times = published(warehouse)
    real, pairs = real_changes()
    found = as_nuggets = 0
    used: set[int] = set()
    for change in real:
        mine = [
            (n, r) for n, r in enumerate(rows)
            if r["page"] == change["page"] and r["key"] == change["key"] and r["first_revision"] == change["first_rev"]
            and times.get(r["last_revision"]) == change["last_seen"] and alike(change["old"], r["old_text"]) and alike(change["new"], r["new_text"])
        ]
        if mine:
            found += 1
            used.add(mine[0][0])
            row = mine[0][1]
            page = nuggets[change["page"]]
            back = any(c["page"] == change["page"] and c["key"] == change["key"] and times.get(c["first_rev"], "") > times.get(change["first_rev"], "")
                       and alike(c["new"], row["old_text"]) for c in real)
            old = any(_says(x, change["key"], row["old_text"]) and (back or x["said_to"] is not None) for x in page)
            new = any(_says(x, change["key"], row["new_text"]) for x in page)
            as_nuggets += old and new
        elif asked.misses:
            near = [r for r in rows if r["page"] == change["page"] and r["key"] == change["key"]]
            print("missed", change["page"], change["key"], repr(change["old"][:90]), "->", repr(change["new"][:90]), change["last_seen"],
                  change["first_rev"], "|", [(r["old_text"][:60], r["new_text"][:60], r["last_revision"], r["first_revision"]) for r in near][:3], file=sys.stderr)
    newest: dict[str, str] = defaultdict(str)
    for entry in map(json.loads, (CORPORA / "infobox-history.jsonl").read_text().splitlines()):
        newest[entry["page"]] = max(newest[entry["page"]], *(r["last_seen"] for r in entry["runs"]))
    keys = {(c["page"], c["key"]) for c in real} | {(e["page"], e["key"]) for e in map(json.loads, (CORPORA / "infobox-history.jsonl").read_text().splitlines())}
    told = [n for n, r in enumerate(rows) if (r["page"], r["key"]) in keys and r["old_text"] and r["new_text"]
            and times.get(r["first_revision"], "") <= newest[r["page"]]]
    if asked.misses:
        for n in told:
            if n not in used:
                print("surplus", rows[n], file=sys.stderr)
    print(json.dumps({
        "benchmark": "infobox_history", "real": len(real), "found": found, "recall": round(found / len(real), 3), "published": len(told),
        "right": len(used & set(told)), "precision": round(len(used & set(told)) / len(told), 3) if told else None,
        "as_nuggets": round(as_nuggets / len(real), 3), "yardstick_raw_diff_precision": round(len(real) / pairs, 3),
    }))


def _says(nugget: dict[str, Any], key: str, value: str) -> bool:
    """Whether the nugget rests on the infobox line of this key and value."""
    return value in nugget["sentence"] and nugget["sentence"].casefold().replace("_", " ").find(re.sub(r"\d+$", "", key).replace("_", " ").casefold()) >= 0


if __name__ == "__main__":
    main()
