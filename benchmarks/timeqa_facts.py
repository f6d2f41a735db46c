"""Facts with their years that TimeQA's pages state, against what the extractor finds in them.

    python benchmarks/timeqa_facts.py [--pages N] [--half seen|unseen] [--parses FILE] [--sample N] [--misses] [--peer PYTHON]

Prints one JSON line. A gold fact is (page, relation, answer, start year, end year) of an answered question. It is *supported*
where one paragraph holds the answer as written and each of its years that is not null: no model judges. It is *found* where one
claim of the page under a predicate of the predicate file, asserted and positive, has the answer as the words of its subject or
object, and a start or end in each gold year. Words are compared without case, marks, articles; one may have more words than the
other, as long as it holds all of the other's and they are at least half. `statements` (all other claims) are scored apart. `ends`:
supported facts with an end year, found with the answer and the end right. Yardstick, in the same run: every capitalised span of a
sentence with the sentence's first and last year; with --peer, an interpreter that has nuggetindex, the peer's facts. --sample prints facts to judge by hand, --misses the supported facts not found. --half takes half of the pages, told by a hash of
the name: rules are made by looking at the seen half only.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from peer import peer_facts
from stages import ROOT, keep_parses, raw_rows, rows_by_document, run_stages

from schemas.predicates import load_predicates
from schemas.time import Day, iso, year_of

CORPUS = Path(os.environ.get("LODE_CORPORA", ROOT.parent / "shared" / "corpora")) / "timeqa"
_CAPITALS = re.compile(r"(?:[A-Z\u00c0-\u00de][\w.'’&-]*)(?:\s+(?:(?:of|the|and|for|de|la|du|von|van)\s+)?(?:[A-Z\u00c0-\u00de][\w.'’&-]*))*")
_YEAR = re.compile(r"(?<!\d)(1\d{3}|20\d{2})(?!\d)")


class Gold(NamedTuple):
    page: str
    relation: str
    answer: str
    start: int | None
    end: int | None


class Found(NamedTuple):
    """A fact with the words of its two arguments and the years that its bounds lie in."""

    names: tuple[tuple[str, ...], ...]
    starts: frozenset[int]
    ends: frozenset[int]


def words(text: str) -> tuple[str, ...]:
    text = unicodedata.normalize("NFKC", text).casefold()
    return tuple(w for w in re.findall(r"[^\W_]+", text) if w not in ("the", "a", "an", "s"))


def alike(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """One run of words within the other, at least half of it."""
    short, long = sorted((one, other), key=len)
    if not short or 2 * len(short) < len(long):
        return False
    return any(long[i : i + len(short)] == short for i in range(len(long) - len(short) + 1))


def gold_facts(pages: set[str]) -> list[Gold]:
    out = {}
    for line in (CORPUS / "questions.jsonl").read_text().splitlines():
        q = json.loads(line)
        for answer in q["answers"] if q["page"] in pages else ():
            if answer["answer"]:
                years = (int(y[:4]) if y else None for y in (q["start"], q["end"]))
                out[Gold(q["page"], q["relation"], answer["answer"], *years)] = None
    return list(out)


def supported(gold: Gold, paragraphs: Iterable[str]) -> bool:
    years = [str(y) for y in (gold.start, gold.end) if y is not None]
    return any(gold.answer in p and all(y in p for y in years) for p in paragraphs)


def markdown(paragraphs: list[str]) -> str:
    """The page as Markdown: its title, headings (short paragraphs that TimeQA closes with a loose full stop), the rest as it is."""
    out = [f"# {paragraphs[0]}"]
    for text in paragraphs[1:]:
        heading = text.endswith(" .") and len(text.split()) <= 7 and not text.startswith("-") and not _YEAR.search(text)
        out.append(f"## {text[:-2]}" if heading else text)
    return "\n\n".join(out) + "\n"


def matches(gold: Gold, found: Found, start: bool = True, end: bool = True) -> bool:
    answer = words(gold.answer)
    if start and gold.start is not None and gold.start not in found.starts:
        return False
    if end and gold.end is not None and gold.end not in found.ends:
        return False
    return any(alike(answer, name) for name in found.names)


def year_set(low: Day | None, high: Day | None, ends: bool) -> frozenset[int]:
    """Years in which a bound may lie: an end on the first of January ends the year before."""
    if low is None or high is None:
        return frozenset()
    return frozenset({year_of(low), year_of(high - 1 if ends and high > low else high)})


def found_of(mention: dict[str, Any], claim: dict[str, Any]) -> Found:
    return Found(
        tuple(dict.fromkeys(words(x) for x in (mention["subject"], mention["object"]))),
        year_set(claim["start_min"], claim["start_max"], False), year_set(claim["end_min"], claim["end_max"], True))


def sprayed(paragraphs: Iterable[str]) -> list[Found]:
    """The yardstick: every capitalised span of a sentence with the sentence's first and last year."""
    out = []
    for text in paragraphs:
        for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z])", text):
            years = [int(y) for y in _YEAR.findall(sentence)]
            if years:
                out += [Found((words(m[0]),), frozenset({years[0]}), frozenset({years[-1]})) for m in _CAPITALS.finditer(sentence)]
    return out


def share(golds: list[Gold], facts: dict[str, list[Found]], start: bool = True, end: bool = True) -> int:
    return sum(any(matches(g, f, start, end) for f in facts[g.page]) for g in golds)


def peer_scores(python: Path, paragraphs: dict[str, list[str]], held: list[Gold]) -> dict[str, float]:
    """The peer's share of the supported facts, with and without years, its facts per page and the pages it raised on."""
    peer = peer_facts(python, {page: "\n\n".join(text) for page, text in paragraphs.items()})
    facts = {page: [Found((words(f["subject"]), words(f["object"])), frozenset({f["start"]}), frozenset({f["end"]})) for f in rows]
             for page, rows in peer.facts.items()}
    return {
        "peer_share": round(share(held, facts) / len(held), 3), "peer_answer_without_years": round(share(held, facts, False, False) / len(held), 3),
        "peer_per_page": round(peer.count / len(paragraphs), 1), "peer_errors": peer.errors,
    }


def seen(page: str) -> bool:
    """Whether a page belongs to the half that whoever makes rules may look at."""
    return hashlib.blake2b(page.encode()).digest()[0] % 2 == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=0)
    parser.add_argument("--half", choices=("seen", "unseen"))
    parser.add_argument("--parses", type=Path)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--peer", type=Path)
    asked = parser.parse_args()
    paragraphs = {entry["link"]: entry["paras"] for entry in json.loads((CORPUS / "annotated.json").read_text())}
    if asked.half:
        paragraphs = {page: text for page, text in paragraphs.items() if seen(page) == (asked.half == "seen")}
    if asked.pages:
        paragraphs = dict(sorted(paragraphs.items())[: asked.pages])
    keep_parses(asked.parses)
    tables = run_stages(raw_rows({page: (text[0], markdown(text)) for page, text in paragraphs.items()}))
    predicates = set(load_predicates(ROOT / "configs" / "predicates.toml"))
    mentions = {m["mention_id"]: m for m in tables["mentions"].to_pylist()}
    facts: dict[str, list[Found]] = defaultdict(list)
    statements: dict[str, list[Found]] = defaultdict(list)
    shown = []
    for page, claims in rows_by_document(tables, "claims").items():
        for claim in claims:
            mention = mentions[claim["mention_id"]]
            if claim["predicate"] not in predicates:
                statements[page].append(found_of(mention, claim))
            elif claim["polarity"] == "positive" and claim["modality"] == "asserted":
                facts[page].append(found_of(mention, claim))
                shown.append((page, mention, claim))
    golds = gold_facts(set(paragraphs))
    held = [g for g in golds if supported(g, paragraphs[g.page])]
    ended = [g for g in held if g.end is not None]
    spray = {page: sprayed(text) for page, text in paragraphs.items()}
    count, n = share(held, facts), len(paragraphs)
    beside = peer_scores(asked.peer, paragraphs, held) if asked.peer else {}
    print(json.dumps({
        "benchmark": "timeqa_facts", "pages": n, "gold": len(golds), "supported": len(held), "found": count,
        "share_of_supported": round(count / len(held), 3), "share_of_all": round(share(golds, facts) / len(golds), 3),
        "answer_without_years": round(share(held, facts, False, False) / len(held), 3),
        "facts_per_page": round(len(shown) / n, 1), "ends": len(ended), "ends_found": round(share(ended, facts, start=False) / len(ended), 3),
        "statements_share": round(share(held, statements) / len(held), 3),
        "facts_or_statements_share": round(share(held, {p: facts[p] + statements[p] for p in paragraphs}) / len(held), 3),
        "statements_per_page": round(sum(map(len, statements.values())) / n, 1),
        "yardstick_spray_share": round(share(held, spray) / len(held), 3), "yardstick_spray_per_page": round(sum(map(len, spray.values())) / n, 1),
        **beside,
    }))
    for page, m, c in random.Random(asked.seed).sample(sorted(shown, key=lambda x: x[2]["claim_id"]), asked.sample):
        print(page, "|", m["subject"], "|", c["predicate"], c["scope"], "|", m["object"], "|", *("?" if c[k] is None else iso(c[k]) for k in ("start_min", "start_max", "end_min", "end_max")),
              "|", m["extractor"], "|", m["sentence"][:300], file=sys.stderr)
    for g in held if asked.misses else ():
        if not any(matches(g, f) for f in facts[g.page]):
            answer = any(matches(g, f, False, False) for f in facts[g.page])
            where = next(p for p in paragraphs[g.page] if supported(g, [p]))
            at = where.index(g.answer)
            print("years" if answer else "answer", "|", *g, "|", where[max(0, at - 160) : at + 140], file=sys.stderr)


if __name__ == "__main__":
    main()
