"""The normalize stage over tables: each mention to a key and a typed object, or to an info row with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from schemas.ids import claim_id, fold_name, key_id, normalize_text
from schemas.predicates import UNKNOWN_KEY, split_key
from schemas.stage import Tables
from schemas.tables import TABLES, quarantine_row
from schemas.time import DayRange, iso
from tasks.dates.expressions import parse_expression
from tasks.dates.spans import parse_span
from tasks.normalize.quantities import parse_quantity
from tasks.normalize.relations import Relation, Relations
from tasks.normalize.units import key_unit
from tasks.text.surfaces import entity_type_of, object_surface

_VALUE_LABELS = {
    "DATE": "date",
    "TIME": "date",
    "MONEY": "quantity",
    "PERCENT": "quantity",
    "QUANTITY": "quantity",
    "CARDINAL": "quantity",
    "ORDINAL": "quantity",
    "date": "date",
    "quantity": "quantity",
}
_TYPE_DOUBT = 0.6  # an object whose tagged type is another than the predicate wants: a doubt, since taggers err
_MAX_STRING_CHARS = 300
_UNFIT = ("type_mismatch", "not_a_date", "not_a_quantity")


@dataclass(frozen=True, slots=True)
class Value:
    """A typed object: what ids see, what is shown, its kind, and number with unit for quantities."""

    object_id: str
    object: str
    object_type: str
    value: float | None = None
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Drop:
    """Why a mention makes no claim."""

    reason: str
    detail: str


class _Document:
    """Lookups of one shard: links by surface, access by chunk and document."""

    def __init__(self, tables: Tables) -> None:
        links = tables["links"]
        self.links = {
            key: (entity, name)
            for *key_, entity, name in zip(
                *(
                    links[n].to_pylist()
                    for n in ("document_id", "surface", "entity_type", "target", "entity_id", "entity_name")
                ),
                strict=True,
            )
            for key in [tuple(key_)]
        }
        self.access: dict[str, tuple] = {}
        for table, key in (("documents", "document_id"), ("chunks", "chunk_id")):
            t = tables[table]
            for k, acl, label, tenant, language in zip(
                *(t[n].to_pylist() for n in (key, "acl", "label", "tenant", "language")), strict=True
            ):
                self.access[k] = (acl, label, tenant, language)

    def entity(self, document: str, surface: tuple[str, str, str]) -> tuple[str, str] | None:
        return self.links.get((document, *surface))


_COLUMNS = (
    "mention_id",
    "document_id",
    "chunk_id",
    "extractor",
    "sentence",
    "subject",
    "subject_type",
    "subject_target",
    "predicate",
    "predicate_span",
    "object",
    "object_type",
    "object_target",
    "scope",
    "condition",
    "polarity",
    "modality",
    "attribution",
    "confidence",
)


def run(config: Mapping[str, Any], tables: Tables) -> Tables:
    """One row of `keyed` per mention, or one info row of quarantine."""
    relations = Relations(config["predicates"])
    keep_unknown = bool(config["normalize"]["keep_unknown_predicates"])
    day_first = bool(config.get("dates", {}).get("day_first", False))
    document = _Document(tables)
    mentions = tables["mentions"]
    rows: dict[str, list] = {n: [] for n in TABLES["keyed"].fields}
    dropped = []
    for values in zip(*(mentions[n].to_pylist() for n in _COLUMNS), strict=True):
        m = dict(zip(_COLUMNS, values, strict=True))
        got = _normalize(m, relations, document, keep_unknown, day_first)
        if isinstance(got, Drop):
            dropped.append(
                quarantine_row("normalize", m["document_id"], m["mention_id"], got.reason, got.detail, severity="info")
            )
            continue
        for name, column in rows.items():
            column.append(got[name])
    schema = TABLES["keyed"].schema()
    keyed = pa.table({n: pa.array(rows[n], schema.field(n).type) for n in schema.names}, schema=schema)
    return {"keyed": TABLES["keyed"].conform(keyed), "quarantine": TABLES["quarantine"].from_rows(dropped)}


def _normalize(m: dict, relations: Relations, document: _Document, keep_unknown: bool, day_first: bool) -> dict | Drop:
    object_label = entity_type_of(m["object_type"])
    readings = relations.readings(m["predicate"], m["scope"] or "", m["subject_type"] or "", object_label)
    if not readings[0].known and not keep_unknown:
        return Drop("unknown_predicate", f"{m['predicate']!r} is in no predicate file; expected a known predicate")
    access = document.access.get(m["chunk_id"]) or document.access.get(m["document_id"])
    if access is None:
        return Drop("no_document", "the mention's document and chunk are not there")
    first: Drop | None = None
    for relation in readings:
        got = _read(m, relation, object_label, document, access[3], day_first)
        if not isinstance(got, Drop):
            return _row(m, relation, got, access, object_label)
        first = first or got
    if keep_unknown and m["extractor"].startswith("infobox") and first is not None and first.reason in _UNFIT and (key := _key(m)):
        # A count of children is no child: the line stays a fact, under its own key.
        plain, relation = {**m, "object_type": "string", "object_target": ""}, relations.readings(f"{UNKNOWN_KEY}{key}", "", "", "")[0]
        got = _read(plain, relation, "", document, access[3], day_first)
        if not isinstance(got, Drop):
            return _row(plain, relation, got, access, "")
    return first


def _key(m: dict) -> str:
    """The folded key of an infobox line, without its number; '' where the sentence is no such line."""
    key, colon, _ = m["sentence"].partition(":")
    return split_key(key)[0] if colon else ""


def _read(
    m: dict, relation: Relation, label: str, document: _Document, language: str | None, day_first: bool
) -> tuple[tuple[str, str], Value] | Drop:
    """((subject id, subject name), object) of a mention under one reading."""
    subject_surface = (m["subject"], entity_type_of(m["subject_type"]), m["subject_target"])
    other_surface = object_surface(m["object"], m["object_type"], m["object_target"])
    if relation.inverse:
        if other_surface is None:
            return Drop("type_mismatch", f"{relation.name} read backwards: {m['object']!r} is no name")
        subject = document.entity(m["document_id"], other_surface)
        text, kind, surface = m["subject"], "entity", subject_surface
    else:
        subject = document.entity(m["document_id"], subject_surface)
        text, kind, surface = m["object"], m["object_type"], other_surface
    if subject is None:
        return Drop("unresolved_subject", f"{m['object'] if relation.inverse else m['subject']!r} has no entity")
    value = _typed(m, relation, text, kind, surface, label, document, language, day_first)
    if isinstance(value, Drop):
        return value
    if value.object_id == subject[0]:
        return Drop("self_reference", f"{relation.name}: subject and object are both {subject[1]!r}")
    return subject, value


def _typed(m, relation, text, kind, surface, label, document, language, day_first) -> Value | Drop:
    """The object in the kind that the predicate wants; for an unknown predicate in the kind that it looks like."""
    said = _VALUE_LABELS.get(kind, "")
    wanted = relation.object
    if not relation.known:
        wanted = said or (
            "entity" if surface and ((kind in ("entity", label) and kind) or m["object_target"]) else "string"
        )
    if wanted == "entity":
        if said or surface is None:
            return Drop("type_mismatch", f"{relation.name} wants an entity; {text!r} is {said or 'no name'}")
        got = document.entity(m["document_id"], surface)
        return Value(got[0], got[1], "entity") if got else Drop("unresolved_object", f"{text!r} has no entity")
    if wanted == "date":
        found = date_value(text, language, day_first)
        if found is None and relation.known:
            return Drop("type_mismatch" if not said else "not_a_date", f"{relation.name} wants a date; found {text!r}")
        if found:
            return found
    if wanted == "quantity":
        found = _quantity(m, relation, text, said, label)
        if found is not None or relation.known:
            return found or Drop(
                "type_mismatch" if not said else "not_a_quantity", f"{relation.name} wants a quantity; found {text!r}"
            )
    if relation.known and kind == "DATE":
        return Drop("type_mismatch", f"{relation.name} wants a text; {text!r} is a date")
    return string_value(text, relation.name)


def _quantity(m: dict, relation: Relation, text: str, said: str, label: str) -> Value | None:
    if said == "date" or label in ("PERSON", "ORG", "GPE", "LOC", "NORP"):
        return None
    span = m["predicate_span"]
    trigger = m["sentence"][span["start"] : span["end"]] if span and m["sentence"] else ""
    found = parse_quantity(normalize_text(text), relation.unit, key_unit(trigger) or key_unit(m["predicate"]))
    if found is None:
        return None
    return Value(found.object_id, normalize_text(text), "quantity", found.number, found.unit)


def date_value(text: str, language: str | None = "en", day_first: bool = False) -> Value | None:
    """A date object in ISO 8601 with the precision that the text has: `2020`, `2020-04`, `2020-04-06`, `first/last`."""
    language = (language or "en").split("-")[0].casefold()
    day = parse_expression(text, language=language, day_first=day_first)
    if day is None:
        span = parse_span(text, language=language, day_first=day_first)
        if span is None or span.start is None:
            return None
        shown = f"{_iso_range(span.start)}/{_iso_range(span.end) if span.end else '..'}"
    else:
        shown = _iso_range(day)
    return Value(shown, shown, "date")


def _iso_range(day: DayRange) -> str:
    first, last = iso(day.first), iso(day.last)
    if first == last:
        return first
    if first.endswith("-01-01") and last == first[:-6] + "-12-31":
        return first[:-6]
    if first[:-3] == last[:-3] and day.precision == "month" and first.endswith("-01") and last[-2:] >= "28":
        return first[:-3]
    return f"{first}..{last}"


def string_value(text: str, where: str) -> Value | Drop:
    """A text object: compared folded (case, compatibility forms, white space), shown as written."""
    shown = normalize_text(text).strip(" ,;:\"“”'‘’")
    if not shown:
        return Drop("empty_object", f"{where}: the object is empty")
    if len(shown) > _MAX_STRING_CHARS:
        return Drop("object_too_long", f"{where}: {len(shown)} characters; expected at most {_MAX_STRING_CHARS}")
    return Value(fold_name(shown), shown, "string")


def _row(m: dict, relation: Relation, got: tuple[tuple[str, str], Value], access: tuple, label: str) -> dict:
    (subject_id, subject), value = got
    acl, access_label, tenant, _ = access
    scope = (
        ""
        if value.object_type in ("quantity", "date") and relation.scope in ("estimate", "census", "total")
        else relation.scope
    )
    key = key_id(tenant, subject_id, relation.name, scope)
    confidence = m["confidence"]
    tagged = m["subject_type"] if relation.inverse else label
    if (
        relation.known
        and value.object_type == "entity"
        and tagged
        and relation.object_types
        and tagged not in relation.object_types
    ):
        confidence *= _TYPE_DOUBT
    return {
        "claim_id": claim_id(m["mention_id"], key, value.object_id),
        "mention_id": m["mention_id"],
        "document_id": m["document_id"],
        "chunk_id": m["chunk_id"],
        "key_id": key,
        "tenant": tenant,
        "acl": acl,
        "label": access_label,
        "subject_id": subject_id,
        "subject": subject,
        "predicate": relation.name,
        "scope": scope,
        "cardinality": relation.cardinality,
        "object_id": value.object_id,
        "object": value.object,
        "object_type": value.object_type,
        "value": value.value,
        "unit": value.unit,
        "condition": m["condition"],
        "polarity": m["polarity"],
        "modality": m["modality"],
        "attribution": m["attribution"],
        "confidence": confidence,
    }
