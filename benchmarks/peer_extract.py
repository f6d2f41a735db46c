"""Runs the nearest peer's pattern extractor, in the peer's own environment, for benchmarks that quote it beside ours.

    PYTHON_OF_THE_PEER benchmarks/peer_extract.py < documents.jsonl > facts.jsonl

Imports nothing of ours: the environment holds `nuggetindex` 0.3.2 alone. In: one JSON object a line, {"id", "text"}. Out: one per
nugget that its own ingest kept (extraction, canonical predicates, time from the text, de-duplication, conflicts), {"id", "subject",
"predicate", "object", "start", "end"}, years or null, once per source that it names; last line {"errors": N}, texts that it raised on.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")


def _year(text: str | None) -> int | None:
    return int(text[:4]) if text else None


def _rows(nugget: dict[str, Any]) -> list[dict[str, Any]]:
    fact, validity = nugget["fact"], nugget["validity"]
    start = _year(validity.get("start"))
    row = {k: fact[k] for k in ("subject", "predicate", "object")} | {"start": start if start != 1 else None, "end": _year(validity.get("end"))}
    return [{"id": source["source_id"], **row} for source in nugget["provenance"]]


async def main() -> None:
    from nuggetindex import NuggetStore
    from nuggetindex.extractors.trigger import TriggerExtractor
    from nuggetindex.pipeline.constructor import Document

    errors = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "peer.db"
        store = NuggetStore(str(path), extractor=TriggerExtractor())
        for line in sys.stdin:
            row = json.loads(line)
            try:
                await store.aingest(Document(source_id=row["id"], text=row["text"]))
            except Exception as error:  # a crash of the peer is counted, never hidden
                errors += 1
                print(type(error).__name__, error, file=sys.stderr)
        await store.aclose()
        for (data,) in sqlite3.connect(path).execute("select data from nuggets"):
            for out in _rows(json.loads(data)):
                print(json.dumps(out))
    print(json.dumps({"errors": errors}))


if __name__ == "__main__":
    asyncio.run(main())
