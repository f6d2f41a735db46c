"""The steps `index.chunk_docs` and `index.nugget_docs`: rows to index documents (schemas.search.INDEX_DOCS)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.predicates import fold_alias
from schemas.search import chunk_window
from schemas.stage import Tables
from schemas.tables import TABLES

_SAME = ("text_hash", "rendition_hash", "acl", "label", "tenant", "kind")
_SMALL_WORDS = frozenset("a an and as at be by for in of on or the to with".split())


def chunk_docs(config: Mapping[str, Any], tables: Tables) -> Tables:
    """One document per chunk. Its validity is what the document says about its own force; it is recorded from its date
    on. A passage of the past has the state `past`, and the range in which it was shown."""
    table = tables["chunks"]
    rows = table.num_rows
    window = chunk_window(table)
    column = {name: table[name].to_pylist() for name in ("title", "heading_path", "header", "text", "language")}
    titles = [
        " ".join([t or "", *(p or ())]).strip() for t, p in zip(column["title"], column["heading_path"], strict=True)
    ]
    texts = [f"{h}\n{t}" if h else t for h, t in zip(column["header"], column["text"], strict=True)]
    out = {
        "document_id": table["document_id"],
        "id": table["chunk_id"],
        "store": _constant("chunks", rows),
        "title": pa.array(titles, pa.string()),
        **{name: _constant("", rows) for name in ("subject", "predicate", "object", "key_id")},
        "text": pa.array(texts, pa.string()),
        **{name: table[name] for name in _SAME},
        "hidden_for": pa.array([[]] * rows, pa.list_(pa.string())),
        "state": window["state"],
        "language": pa.array([v or "und" for v in column["language"]], pa.string()),
        "start_min": window["start_min"],
        "start_max": pa.nulls(rows, pa.date32()),
        "end_min": pa.nulls(rows, pa.date32()),
        "end_max": window["end_max"],
        "recorded_from": pc.coalesce(table["shown_from"], table["source_date"]),
        "recorded_to": table["shown_to"],
    }
    return {"chunk_docs": TABLES["chunk_docs"].conform(pa.table(out))}


def nugget_docs(config: Mapping[str, Any], tables: Tables) -> Tables:
    """One document per nugget. Its predicate is searched by every wording that the predicate file gives it."""
    table = tables["nuggets"]
    rows = table.num_rows
    wordings = predicate_wordings(config["predicates"])
    column = {
        name: table[name].to_pylist()
        for name in ("key_id", "acl", "label", "kind", "predicate", "object", "text", "language")
    }
    predicates = [
        "" if kind == "statement" else wordings.get(name) or name.replace("_", " ")
        for kind, name in zip(column["kind"], column["predicate"], strict=True)
    ]
    objects = ["" if o == t else o for o, t in zip(column["object"], column["text"], strict=True)]
    out = {
        "id": table["nugget_id"],
        "store": _constant("nuggets", rows),
        "title": _constant("", rows),
        "subject": table["subject"],
        "predicate": pa.array(predicates, pa.string()),
        "object": pa.array(objects, pa.string()),
        "text": table["text"],
        **{name: table[name] for name in _SAME},
        "hidden_for": pa.array(_hidden_for(column["key_id"], column["acl"], column["label"]), pa.list_(pa.string())),
        "language": pa.array([v or "und" for v in column["language"]], pa.string()),
        **{
            name: table[name]
            for name in (
                "key_id",
                "state",
                "start_min",
                "start_max",
                "end_min",
                "end_max",
                "recorded_from",
                "recorded_to",
            )
        },
    }
    return {"nugget_docs": TABLES["nugget_docs"].conform(pa.table(out))}


def _constant(value: str, rows: int) -> pa.Array:
    return pa.repeat(pa.scalar(value, pa.string()), rows)


def _hidden_for(keys: list[str], acls: list[list[str]], labels: list[str]) -> list[list[str]]:
    """Per nugget: if public, the labels of the nuggets of its key that are not; else none."""
    others: dict[str, set[str]] = {}
    for key, acl, label in zip(keys, acls, labels, strict=True):
        if acl and "public" not in acl:
            others.setdefault(key, set()).add(label)
    return [sorted(others.get(key, ())) if "public" in (acl or ()) else [] for key, acl in zip(keys, acls, strict=True)]


def predicate_wordings(predicates: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Per predicate the distinct words of its name, aliases and verbs, each once, so that "CEO" finds its facts.

    An alias that names another predicate as well ("chairman and CEO") is left out: it would make a query for the one
    find the other.
    """
    owners: dict[str, set[str]] = {}
    for name, told in predicates.items():
        for alias in (name, *told.get("aliases", ()), *told.get("inverse_aliases", ())):
            owners.setdefault(fold_alias(alias), set()).add(name)
    out = {}
    for name, told in predicates.items():
        words: dict[str, None] = dict.fromkeys(name.split("_"))
        for alias in (*told.get("aliases", ()), *told.get("inverse_aliases", ())):
            if not _names_another(fold_alias(alias), name, owners):
                words.update(dict.fromkeys(_words(alias)))
        for verb in (*told.get("verbs", ()), *told.get("inverse_verbs", ())):
            words.update(dict.fromkeys(_words(verb)))
        out[name] = " ".join(w for w in words if w not in _SMALL_WORDS)
    return out


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _names_another(alias: str, name: str, owners: Mapping[str, set[str]]) -> bool:
    """Whether a part of the alias, cut at "and", "&" or a comma, is a wording of another predicate and not of this
    one."""
    parts = [p.strip() for p in re.split(r"\band\b|&|,", alias)]
    return len(parts) > 1 and any(p in owners and name not in owners[p] for p in parts)
