"""What stands beside a row of `changes`: its two revisions, and the mentions that state its old and its new text.

Guarantees: a mention is linked only where its sentence is the changed text as a whole: the sentence of a slot `text`, the line
`key: value` of a slot `parameter:<key>`. A row of the slot `page` is about a whole revision and states nothing by itself.
"""

from __future__ import annotations

from typing import Any

from retrieval.inspection.rows import Rows, shown
from warehouse.duck import literal

PARAMETER, PAGE = "parameter:", "page"
SIDES = ("old", "new")


def record(title: str | None, row: dict[str, Any]) -> dict[str, Any]:
    """The row as it is read: slot and texts first, each with the revision and the time that showed it."""
    told = shown(row)
    first = ("slot", "old_text", "last_revision", "to_time", "new_text", "first_revision", "from_time", "verdict", "reason")
    return {"change_id": told["change_id"], "title": title, **{n: told[n] for n in first}, "document_id": told["document_id"]}


def versions_of(rows: Rows, row: dict[str, Any]) -> dict[str, list[str]]:
    """Ids of the last version that showed the old text and of the first that showed the new one, as far as they are held."""
    document = literal(row["document_id"])
    return {
        side: [] if revision is None else [r["version_id"] for r in rows.all(
            f"SELECT version_id FROM versions WHERE document_id = {document} AND revision = {literal(revision)} ORDER BY version_id")]
        for side, revision in (("old", row["last_revision"]), ("new", row["first_revision"]))
    }


def mentions_of(rows: Rows, row: dict[str, Any]) -> dict[str, list[str]]:
    """Ids of the mentions whose sentence is the old text, and the new one."""
    return {side: _stating(rows, row, row[f"{side}_text"]) for side in SIDES}


def _stating(rows: Rows, row: dict[str, Any], text: str) -> list[str]:
    if not text or row["slot"] == PAGE:
        return []
    document = literal(row["document_id"])
    if row["slot"].startswith(PARAMETER):  # the sentence of a field may hold the lines of its neighbours
        line = f"{row['slot'][len(PARAMETER):]}: {text}"
        which = f"starts_with(extractor, 'infobox') AND list_contains(string_split(sentence, chr(10)), {literal(line)})"
    else:
        which = f"sentence = {literal(text)}"
    found = rows.all(f"SELECT mention_id FROM mentions WHERE document_id = {document} AND {which} ORDER BY mention_id")
    return [r["mention_id"] for r in found]


def notes(row: dict[str, Any], told: dict[str, list[str]]) -> list[str]:
    """What a reader may miss: a side that no mention states."""
    if row["slot"] == PAGE:
        return ["about a whole revision: " + ("it undid others" if row["reason"] == "undid" else "what it alone said counts for nothing")]
    return [f"no mention rests on the {side} text as a whole" for side in SIDES if row[f"{side}_text"] and not told[side]]
