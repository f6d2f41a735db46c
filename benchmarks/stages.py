"""Runs texts through the stages parse … validity in this process, for benchmarks: no Prefect, no warehouse.

`run_stages` calls the very functions that `lode build` calls. With `keep_parses` spaCy's analyses are kept in a file between
runs, so that a change of rules is measured in seconds; the result is the same.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from schemas.config import CONFIG_DIR, Config, resolve  # noqa: E402 (needs the path above)
from schemas.ids import content_hash, document_id  # noqa: E402 (needs the path above)
from schemas.stage import Tables  # noqa: E402 (needs the path above)
from schemas.tables import TABLES  # noqa: E402 (needs the path above)
from tasks.extract import parses, sentence  # noqa: E402 (needs the path above)
from tasks.registry import load_stage  # noqa: E402 (needs the path above)

SOURCE = "benchmark"
_FIELDS = ("text", "words", "lemma", "tag", "dep", "head", "start", "ents")


class Kept:
    """Parses by sentence, read from and written to a file; without a file nothing is kept."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.known: dict[str, tuple] = pickle.loads(path.read_bytes()) if path and path.exists() else {}

    def analyse(self, sentences: Sequence[str], model: str) -> Iterator[parses.Parse]:
        """As `tasks.extract.parses.analyse`."""
        missing = [s for s in sentences if s not in self.known]
        for p in _ANALYSE(missing, model) if missing else ():
            self.known[p.text] = tuple(getattr(p, name) for name in _FIELDS)
        if missing and self.path:
            self.path.write_bytes(pickle.dumps(self.known))
        for s in sentences:
            yield parses.Parse(*self.known[s])


_ANALYSE = parses.analyse


def keep_parses(path: Path | None) -> None:
    """From now on the extract stage takes its parses from the file where it has them."""
    if path is not None:
        sentence.analyse = Kept(path).analyse


def raw_rows(texts: Mapping[str, tuple[str, str]]) -> Tables:
    """The stage parse's input of native key -> (title, Markdown)."""
    rows: list[dict[str, Any]] = []
    for key, (title, text) in sorted(texts.items()):
        data = text.encode("utf-8")
        rows.append({
            "document_id": document_id(SOURCE, key), "source": SOURCE, "native_key": key, "uri": key, "title": title, "namespace": None,
            "mime": "text/markdown", "language": "en", "revision": content_hash(data), "parent_revision": None, "time": None,
            "source_date": None, "fetched_at": None, "contributor": None, "comment": None, "minor": False, "content_hash": content_hash(data),
            "raw": data, "stretches": None, "redirect_to": None, "acl": ["public"], "tenant": "default", "status": "ok",
        })
    return {"raw": TABLES["raw"].from_rows(rows), "stretches": TABLES["stretches"].empty()}


def run_stages(tables: Tables, until: str = "validity", config: Mapping[str, Any] | None = None) -> Tables:
    """All tables after the stages from parse on; `quarantine` is left out. `config`: resolved; default that of a new warehouse."""
    config = config or resolve(Config(), CONFIG_DIR)
    for name in ("parse", "chunk", "extract", "link", "normalize", "validity"):
        for step in load_stage(name).steps:
            tables |= {r.table: TABLES[r.table].empty() for r in step.reads if r.table not in tables}
            tables |= {k: v for k, v in step.run(config, tables).items() if k != "quarantine"}
        if name == until:
            break
    return tables


def rows_by_document(tables: Tables, name: str) -> dict[str, list[dict[str, Any]]]:
    """Rows of a table by the native key of their document; days as integers, since Python has no years before 1."""
    keys = dict(zip(tables["documents"]["document_id"].to_pylist(), tables["documents"]["native_key"].to_pylist(), strict=True))
    out: dict[str, list[dict[str, Any]]] = {key: [] for key in keys.values()}
    table = tables[name]
    for n, column in enumerate(table.schema):
        if str(column.type) == "date32[day]":
            table = table.set_column(n, column.name, table[n].cast("int32"))
    for row in table.to_pylist():
        out[keys[row["document_id"]]].append(row)
    return out
