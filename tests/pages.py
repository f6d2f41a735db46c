"""Rows of `raw` as a scan gives them: the text of a revision in stretches, the bytes of a file as they are."""

from __future__ import annotations

from schemas.config import CONFIG_DIR, Config, resolve
from schemas.tables import TABLES
from tasks.parse.stretches import Splitter, rebuild

HISTORY = resolve(Config(), CONFIG_DIR)["history"]


def parse_input(rows: list[dict]) -> dict:
    """What the stage `parse` reads, of rows whose `raw` holds the UTF-8 of a file or revision."""
    raw, pieces = [], []
    splitter = Splitter()
    for row in rows:
        if row["mime"] != "text/x-wiki":
            raw.append(row | {"stretches": None})
            continue
        splitter.forget()
        names, told = splitter.split(row["raw"])
        raw.append(row | {"raw": None, "stretches": names})
        pieces += [{"document_id": row["document_id"], "stretch": name, "text": text} for name, text in told]
    distinct = {(p["document_id"], p["stretch"], p["text"]): p for p in pieces}
    return {"raw": TABLES["raw"].from_rows(raw), "stretches": TABLES["stretches"].from_rows(list(distinct.values()))}


def with_texts(rows: list[tuple[str, dict]]) -> list[tuple[str, dict]]:
    """Rows of a scan; those of `raw` get their bytes back."""
    texts: dict[str, dict[int, str]] = {}
    out = []
    for table, row in rows:
        if table == "stretches":
            texts.setdefault(row["document_id"], {})[row["stretch"]] = row["text"]
        elif table == "raw" and row["stretches"] is not None:
            row = row | {"raw": rebuild(row["stretches"], texts.get(row["document_id"], {})).encode("utf-8", "surrogatepass")}
            del row["stretches"]
        out.append((table, row))
    return out
