"""The nearest peer's facts, for benchmarks that quote them beside ours; see `peer_extract.py`, which runs in its environment."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple


class PeerFacts(NamedTuple):
    """Facts by document (dicts with subject, predicate, object, start and end year or None), and texts that it raised on."""

    facts: dict[str, list[dict[str, Any]]]
    errors: int

    @property
    def count(self) -> int:
        return sum(map(len, self.facts.values()))


def peer_facts(python: Path, texts: Mapping[str, str]) -> PeerFacts:
    """Runs `python`, an interpreter with nuggetindex 0.3.2, over document id -> text. Raises CalledProcessError where it cannot."""
    lines = "".join(json.dumps({"id": key, "text": text}) + "\n" for key, text in texts.items())
    done = subprocess.run([python, Path(__file__).with_name("peer_extract.py")], input=lines, stdout=subprocess.PIPE, text=True, check=True)
    *rows, last = map(json.loads, done.stdout.splitlines())
    facts: dict[str, list[dict[str, Any]]] = {key: [] for key in texts}
    for row in rows:
        facts[row["id"]].append(row)
    return PeerFacts(facts, last["errors"])
