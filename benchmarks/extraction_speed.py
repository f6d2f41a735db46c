"""The extract stage against bare `nlp.pipe` over the same sentences: one process each, cold, per word analysed.

    python benchmarks/extraction_speed.py [--pages N] [--pairs N]

Prints one JSON line. TimeQA's pages are parsed and chunked first, untimed. Then, in turn, a new process runs the extract step over
the chunks, and another the yardstick: spaCy's pipe, as the stage loads it, over the distinct sentences that the stage analysed. Both
times hold the loading of the model. `ratio` is the median over pairs of the ratio of processor times; `ratio_wall` the same of the
clock; a word is a run of letters or digits of a distinct analysed sentence.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stages import raw_rows, run_stages
from timeqa_facts import CORPUS, markdown

from schemas.config import CONFIG_DIR, Config, resolve
from schemas.stage import Tables
from schemas.tables import TABLES
from tasks.extract import extraction, sentence
from tasks.extract.parses import BATCH_SENTENCES, ZONE_SENTENCES, load_model
from tasks.registry import load_stage

_WORD = re.compile(r"[^\W_]+")


def timed(work: Callable[..., None], *arguments: Any) -> tuple[float, float]:
    """Processor and clock seconds of a call in a new process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measure, (work, arguments))


def _measure(work: Callable[..., None], arguments: tuple) -> tuple[float, float]:
    cpu, clock = time.process_time(), time.perf_counter()
    work(*arguments)
    return time.process_time() - cpu, time.perf_counter() - clock


def extract(tables: Tables) -> None:
    config = resolve(Config(), CONFIG_DIR)
    for step in load_stage("extract").steps:
        tables |= {r.table: TABLES[r.table].empty() for r in step.reads if r.table not in tables}
        tables |= step.run(config, tables)


def pipe(sentences: list[str]) -> None:
    nlp = load_model(resolve(Config(), CONFIG_DIR)["extract"]["spacy_model"])
    for at in range(0, len(sentences), ZONE_SENTENCES):
        with nlp.memory_zone():
            for _ in nlp.pipe(sentences[at : at + ZONE_SENTENCES], batch_size=BATCH_SENTENCES):
                pass


def asked_of_spacy() -> list[str]:
    """A list that from now on gets every sentence that the stage has analysed in this process."""
    out: list[str] = []
    analyse_shared = extraction.analyse_shared

    def noted(sentences: Sequence[str], model: str, predicates: Mapping[str, Any]) -> dict[str, sentence.Analysis]:
        out.extend(sentences)
        return analyse_shared(sentences, model, predicates)

    extraction.analyse_shared = noted
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=5)
    asked = parser.parse_args()
    entries = sorted(json.loads((CORPUS / "annotated.json").read_text()), key=lambda e: e["link"])[: asked.pages]
    sentences = asked_of_spacy()
    tables = run_stages(raw_rows({e["link"]: (e["paras"][0], markdown(e["paras"])) for e in entries}), until="extract")
    inputs = {name: tables[name] for name in ("chunks", "elements", "texts")}
    pairs = [(timed(extract, inputs), timed(pipe, sentences)) for _ in range(asked.pairs)]
    words = sum(len(_WORD.findall(s)) for s in sentences)
    print(json.dumps({
        "benchmark": "extraction_speed", "pages": len(entries), "sentences": len(sentences), "words": words, "pairs": len(pairs),
        "seconds": round(statistics.median(e[0] for e, _ in pairs), 2), "yardstick_pipe_seconds": round(statistics.median(p[0] for _, p in pairs), 2),
        "words_per_second": round(words / statistics.median(e[0] for e, _ in pairs)),
        "ratio": round(statistics.median(e[0] / p[0] for e, p in pairs), 3), "ratio_wall": round(statistics.median(e[1] / p[1] for e, p in pairs), 3),
        "ratios": [round(e[0] / p[0], 3) for e, p in pairs],
    }))


if __name__ == "__main__":
    main()
