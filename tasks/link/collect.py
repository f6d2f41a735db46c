"""Mentions of one document to its surfaces: the names that want an entity, and what the short ones stand for."""

from __future__ import annotations

from collections import defaultdict

import pyarrow as pa

from schemas.stage import Tables
from schemas.tables import TABLES
from tasks.link.local import introductions, local_forms
from tasks.text.surfaces import entity_type_of, object_surface


def collect_surfaces(tables: Tables) -> Tables:
    """surfaces: one row per (document, surface, entity_type, target), the page's own title and redirects included."""
    found: dict[str, dict[tuple[str, str, str], int]] = defaultdict(lambda: defaultdict(int))
    m = tables["mentions"]
    columns = [
        m[n].to_pylist()
        for n in ("document_id", "subject", "subject_type", "subject_target", "object", "object_type", "object_target")
    ]
    for document, subject, s_type, s_target, obj, o_type, o_target in zip(*columns, strict=True):
        if subject:
            found[document][(subject, entity_type_of(s_type), s_target)] += 1
        surface = object_surface(obj, o_type, o_target)
        if surface:
            found[document][surface] += 1
    texts: dict[str, list[str]] = defaultdict(list)
    chunks = tables["chunks"]
    for document, text in zip(*(chunks[n].to_pylist() for n in ("document_id", "text")), strict=True):
        if "(" in text:
            texts[document].append(text)
    rows = []
    d = tables["documents"]
    for document, source, title, status, redirect in zip(
        *(d[n].to_pylist() for n in ("document_id", "source", "title", "status", "redirect_to")), strict=True
    ):
        names = found[document]
        if title and status != "deleted":
            names[(title, "", redirect or title)] += 0
        introduced: dict[str, set[str]] = defaultdict(set)
        for text in texts[document]:
            for short, longs in introductions(text).items():
                introduced[short] |= longs
        forms = local_forms(set(names), title if status != "redirect" and title else "", introduced)
        for key, n in names.items():
            rows.append((document, source, *key, forms.get(key, ""), n))
    schema = TABLES["surfaces"].schema()
    names = ("document_id", "source", "surface", "entity_type", "target", "local_form", "mentions_n")
    arrays = zip(*rows, strict=True) if rows else ([] for _ in names)
    table = pa.table({n: pa.array(a, schema.field(n).type) for n, a in zip(names, map(list, arrays), strict=True)})
    return {"surfaces": TABLES["surfaces"].conform(table)}
