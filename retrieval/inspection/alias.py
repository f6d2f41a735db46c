"""What a release takes two names for: the entities of each, by which evidence, in how many documents.

It reads all documents, like the other operator commands. Names are compared without case and by NFC.
"""

from __future__ import annotations

from typing import Any

from retrieval.inspection.naming import folded, near_subjects
from retrieval.inspection.rows import Rows
from schemas.errors import LodeError
from schemas.ids import fold_name
from warehouse.duck import literal

ONE, TWO, SEVERAL = "one", "two", "several"
NEAR = 5


def compare(rows: Rows, one: str, other: str) -> dict[str, Any]:
    """{release, names: [{name, entities}], verdict, shared}.

    An entity: {entity_id, entity_name, documents, types, evidence: [{basis, surface, target, documents}]}, by the number of
    documents. `verdict`: `one` where both names mean the same entities, `two` where they share none, else `several`. LodeError
    where a name occurs nowhere.
    """
    told: list[dict[str, Any]] = [{"name": name, "entities": _entities(rows, name)} for name in (one, other)]
    for entry in told:
        if not entry["entities"]:
            near = near_subjects(rows, entry["name"])[:NEAR]
            raise LodeError(f"no document of release {rows.release.id} uses the name {entry['name']!r}", expected="a name as it is written in a document, or a page's title",
                            fix=f"did you mean: {', '.join(near)}?" if near else "")
    ids = [{e["entity_id"] for e in entry["entities"]} for entry in told]
    shared = ids[0] & ids[1]
    verdict = ONE if ids[0] == ids[1] else SEVERAL if shared else TWO
    return {"release": rows.release.id, "names": told, "verdict": verdict, "shared": sorted(shared)}


def _entities(rows: Rows, name: str) -> list[dict[str, Any]]:
    wanted = folded(literal(" ".join(name.split())))
    named = " OR ".join(f"{folded(column)} = {wanted}" for column in ("surface", "target", "entity_name"))
    found = rows.all(
        "SELECT entity_id, entity_name, surface, target, link_basis, list(DISTINCT entity_type) AS types, list(DISTINCT document_id) AS documents FROM links "
        f"WHERE {named} GROUP BY entity_id, entity_name, surface, target, link_basis"
    )
    own = [r for r in found if fold_name(r["surface"]) == fold_name(name)] or found  # what it is called elsewhere tells nothing of this name
    out: dict[str, dict[str, Any]] = {}
    for r in own:
        one = out.setdefault(r["entity_id"], {"entity_id": r["entity_id"], "entity_name": r["entity_name"], "documents": set(), "types": set(), "evidence": []})
        one["documents"].update(r["documents"])
        one["types"].update(r["types"])
        one["evidence"].append({"basis": r["link_basis"], "surface": r["surface"], "target": r["target"], "documents": len(r["documents"])})
    for one in out.values():
        one.update(documents=len(one["documents"]), types=sorted(one["types"] - {""}))
        one["evidence"].sort(key=lambda e: (-e["documents"], e["basis"], e["surface"], e["target"]))
    return sorted(out.values(), key=lambda e: (-e["documents"], e["entity_name"], e["entity_id"]))
