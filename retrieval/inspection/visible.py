"""What one reader may see of a release, counted in SQL, and why one id is or is not among it.

The condition is `schemas.search.matches` with nothing but access asked: the acl meets the reader's groups, the tenant is the
reader's, and no label of which the reader holds a group has a verdict of its own on the key (`hidden_for`). A test holds
the two, and the gate of retrieval, to each other.
"""

from __future__ import annotations

from typing import Any

from retrieval.inspection.find import KINDS, Found, find
from retrieval.inspection.labels import LABELLED, label
from retrieval.inspection.rows import Rows, names
from schemas.errors import UsageError
from schemas.search import VIEWS, hidden_groups
from warehouse.duck import literal, quote

LISTS = {"documents": "document", "chunks": "chunk", "nuggets": "nugget"}


class Access:
    """One reader's groups and tenant, as SQL conditions on rows with `acl`, `tenant` and, for facts, `hidden_for`."""

    def __init__(self, groups: tuple[str, ...], tenant: str = "default") -> None:
        self.groups, self.tenant = tuple(groups), tenant
        self._listed = "[" + ", ".join(literal(g) for g in groups) + "]"

    def acl(self, prefix: str = "") -> str:
        return f"list_has_any({prefix}acl, {self._listed})"

    def in_tenant(self, prefix: str = "") -> str:
        return f"{prefix}tenant = {literal(self.tenant)}"

    def row(self, prefix: str = "") -> str:
        """Documents, chunks, claims."""
        return f"({self.acl(prefix)} AND {self.in_tenant(prefix)})"

    def replaced(self, prefix: str = "") -> str:
        """Whether a verdict of the reader's own label stands in this public fact's place."""
        return f"list_has_any(flatten(list_transform({prefix}hidden_for, lambda one: string_split(one, ','))), {self._listed})"

    def fact(self, prefix: str = "") -> str:
        """Rows of `nugget_docs`."""
        return f"({self.row(prefix)} AND NOT {self.replaced(prefix)})"

    def why_hidden(self, prefix: str = "", fact: bool = False) -> str:
        """The first reason as text: acl, tenant, hidden_for; null where it is visible."""
        last = f" WHEN {self.replaced(prefix)} THEN 'hidden_for'" if fact else ""
        return f"CASE WHEN NOT {self.acl(prefix)} THEN 'acl' WHEN NOT {self.in_tenant(prefix)} THEN 'tenant'{last} END"

    def to_json(self) -> dict[str, Any]:
        return {"groups": list(self.groups), "tenant": self.tenant}


def visible(rows: Rows, access: Access) -> dict[str, Any]:
    """{release, reader, groups, sources, nuggets}: counts of what is visible and hidden.

    `groups` names every group of the release's documents and whether it is held; `sources` has a row per source, label and tenant
    with documents, chunks, and nuggets that have evidence there; `nuggets` a row per label, tenant and state, each nugget once.
    """
    own = "source, label, tenant"
    rows.keep("seen_documents", f"SELECT document_id, {own}, {access.row()} AS seen FROM documents")
    rows.keep("seen_nuggets", f"SELECT id, key_id, {access.fact()} AS seen, label, tenant, state, {access.why_hidden(fact=True)} AS why FROM nugget_docs")
    rows.keep("rests", "SELECT DISTINCT n.nugget_id, v.document_id FROM (SELECT key_id, nugget_id, unnest(claim_ids) AS claim_id FROM nuggets) n "
                       "JOIN \"values\" v ON v.key_id = n.key_id AND v.claim_id = n.claim_id")
    counted = {
        "documents": f"SELECT {own}, seen, count(*) AS n FROM seen_documents GROUP BY ALL",
        "chunks": f"SELECT d.source, d.label, d.tenant, {access.row('c.')} AS seen, count(*) AS n FROM chunks c JOIN seen_documents d USING (document_id) GROUP BY ALL",
        "nuggets": "SELECT d.source, d.label, d.tenant, s.seen, count(DISTINCT s.id) AS n FROM rests r JOIN seen_nuggets s ON s.id = r.nugget_id "
                   "JOIN seen_documents d ON d.document_id = r.document_id GROUP BY ALL",
    }
    lines: dict[tuple, dict[str, Any]] = {}
    for what, query in counted.items():
        for r in rows.all(query):
            line = lines.setdefault((r["source"], r["label"], r["tenant"]), {
                "source": r["source"], "label": r["label"], "tenant": r["tenant"],
                **{w: {"visible": 0, "hidden": 0} for w in counted},
            })
            line[what]["visible" if r["seen"] else "hidden"] += r["n"]
    held = rows.all("SELECT g AS \"group\", count(*) AS documents FROM (SELECT unnest(acl) AS g FROM documents) GROUP BY g ORDER BY g")
    facts = rows.all("SELECT label, tenant, state, coalesce(why, '') AS why, count(*) AS n FROM seen_nuggets GROUP BY ALL ORDER BY ALL")
    return {
        "release": rows.release.id, "reader": access.to_json(),
        "groups": [{**g, "held": g["group"] in access.groups} for g in held],
        "sources": [lines[k] for k in sorted(lines)], "nuggets": _facts(facts),
    }


def _facts(counted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    out: dict[tuple, dict[str, Any]] = {}
    for r in counted:
        line = out.setdefault((r["label"], r["tenant"], r["state"]), {
            "label": r["label"], "tenant": r["tenant"], "state": r["state"], "visible": 0, "hidden": 0, "why_hidden": {}})
        line["visible" if not r["why"] else "hidden"] += r["n"]
        if r["why"]:
            line["why_hidden"][r["why"]] = r["n"]
    return [out[k] for k in sorted(out)]


def listing(rows: Rows, access: Access, what: str, limit: int) -> dict[str, Any]:
    """{what, visible: {n, items}, hidden: {n, items}}; a hidden item says why. Raises UsageError on an unknown list."""
    if what not in LISTS:
        raise UsageError(f"--list {what}", expected=", ".join(LISTS))
    kind = LISTS[what]
    table, own, columns, order = LABELLED[kind]
    docs = {"document": "documents", "chunk": "chunks", "nugget": "nugget_docs"}[kind]
    reason = access.why_hidden("d.", fact=kind == "nugget")
    met = "a.nugget_id = d.id AND a.key_id = d.key_id" if kind == "nugget" else "a.document_id = d.document_id AND " + f"a.{own} = d.{own}"
    out: dict[str, Any] = {"what": what}
    for name, test in (("visible", "IS NULL"), ("hidden", "IS NOT NULL")):
        n = rows.value(f"SELECT count(*) FROM {docs} d WHERE {reason} {test}")
        found = rows.all(f"SELECT {names(columns, 'a.')}, {reason} AS why FROM {quote(table)} a JOIN {docs} d ON {met} WHERE {reason} {test} "
                         f"ORDER BY {_order(order)} LIMIT {limit}")
        items = [{"id": r[own], "text": label(kind, r), **({"why": r["why"]} if r["why"] else {})} for r in found]
        out[name] = {"n": n, "items": items}
    return out


def _order(order: str) -> str:
    return ", ".join("a." + part.strip() for part in (order.split(",") if "," in order else order.split()))


def explain(rows: Rows, access: Access, text: str, view: str = "active") -> dict[str, Any]:
    """Whether this reader may see one id, and if not why. Raises as `find` does.

    {release, reader, kind, id, visible, checks, ...}: `checks` are {acl, tenant, hidden_for, view}, each {passed, found,
    wanted}. A fact is also said to be replaced by which nuggets, shown in which views, and how much of its evidence is readable.
    What has no access of its own (an element, a mention) has its document's; a key, value or entity is visible where one of
    its nuggets is.
    """
    found = find(rows, text)
    out = {"release": rows.release.id, "reader": access.to_json(), "kind": found.kind, "id": found.id}
    if found.kind == "nugget":
        return {**out, **_nugget(rows, access, found.id, view)}
    if found.kind in ("key", "value", "entity"):
        column = {"key": "key_id = {}", "value": "value_id = {}", "entity": "(subject_id = {0} OR object_id = {0})"}[found.kind].format(literal(found.id))
        ids = [r["nugget_id"] for r in rows.all(f"SELECT nugget_id FROM nuggets WHERE {column} ORDER BY nugget_id")]
        seen = rows.all(f"SELECT id FROM nugget_docs WHERE id IN (SELECT nugget_id FROM nuggets WHERE {column}) AND {access.fact()} ORDER BY id")
        return {**out, "visible": bool(seen), "checks": {}, "nuggets": {"visible": len(seen), "hidden": len(ids) - len(seen)},
                "visible_ids": [r["id"] for r in seen[:20]]}
    if found.kind == "decision":
        row = rows.by_id("decisions", "decision_id", found.id)[0]
        return {**out, **_of_acl(access, row["label"].split(",") if row["label"] else [], access.tenant, f"label {row['label']}")}
    return {**out, **_of_document(rows, access, found)}


def _check(passed: bool, found: Any, wanted: Any) -> dict[str, Any]:
    return {"passed": passed, "found": found, "wanted": wanted}


def _of_acl(access: Access, acl: list[str], tenant: str, by: str) -> dict[str, Any]:
    checks = {
        "acl": _check(bool(set(acl) & set(access.groups)), sorted(acl), list(access.groups)),
        "tenant": _check(tenant == access.tenant, tenant, access.tenant),
    }
    return {"visible": all(c["passed"] for c in checks.values()), "by": by, "checks": checks}


def _of_document(rows: Rows, access: Access, found: Found) -> dict[str, Any]:
    """What has an acl of its own, or that of its document."""
    if found.kind not in KINDS:
        raise UsageError(f"{found.kind} {found.id} has no readers of its own", expected="the id of a document, chunk, nugget or another row")
    spec = KINDS[found.kind]
    if found.kind in ("document", "chunk", "claim"):
        row = rows.by_id(spec.table, spec.column, found.id)[0]
        return _of_acl(access, row["acl"], row["tenant"], "its own acl")
    homes = rows.all(f"SELECT DISTINCT d.document_id, d.acl, d.tenant FROM documents d JOIN {quote(spec.table)} t ON t.document_id = d.document_id "
                     f"WHERE t.{quote(spec.column)} = {literal(found.id)} ORDER BY d.document_id")
    if not homes:
        return {"visible": False, "by": "no document", "checks": {}}
    judged = [_of_acl(access, r["acl"], r["tenant"], f"the acl of its document {r['document_id']}") for r in homes]
    return next((j for j in judged if j["visible"]), judged[0])


def _nugget(rows: Rows, access: Access, i: str, view: str) -> dict[str, Any]:
    doc = rows.by_id("nugget_docs", "id", i)[0]
    held = [h for h in doc["hidden_for"] if hidden_groups([h]) & set(access.groups)]
    out = _of_acl(access, doc["acl"], doc["tenant"], "its own acl")
    out["checks"]["hidden_for"] = _check(not held, doc["hidden_for"], "no label of which the reader holds a group")
    out["visible"] = out["visible"] and not held
    out["checks"]["view"] = _check(doc["state"] in VIEWS[view], doc["state"], list(VIEWS[view]))
    key = literal(doc["key_id"])
    replaced = rows.all(f"SELECT id FROM nugget_docs WHERE key_id = {key} AND list_contains([{', '.join(map(literal, held))}], label) ORDER BY id") if held else []
    claims = rows.all(f"SELECT {access.row()} AS seen, count(*) AS n FROM (SELECT v.* FROM \"values\" v JOIN nuggets n ON n.key_id = v.key_id AND "
                      f"list_contains(n.claim_ids, v.claim_id) WHERE v.key_id = {key} AND n.nugget_id = {literal(i)}) GROUP BY ALL")
    return {
        **out, "shown": out["visible"] and doc["state"] in VIEWS[view], "view": view, "views": [v for v, states in VIEWS.items() if doc["state"] in states],
        "replaced_by": [r["id"] for r in replaced],
        "evidence": {"readable": sum(r["n"] for r in claims if r["seen"]), "hidden": sum(r["n"] for r in claims if not r["seen"])},
    }
