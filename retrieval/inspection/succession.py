"""What took the place of an id that went from one release to the next, and why it went, came or changed.

Guarantees: the rule for chunks and nuggets is that of `lineage`, and what `lineage` recorded is taken first; a successor
is an id that the newer release holds.
"""

from __future__ import annotations

from typing import Any

from retrieval.inspection.causes import Causes
from retrieval.inspection.diff import chunk_successors, nugget_successors
from retrieval.inspection.nugget_causes import nugget_causes
from retrieval.inspection.pair import NEW, OLD, Pair
from retrieval.inspection.settings import settings_changes
from schemas.time import parse_iso, year_of
from warehouse.duck import literal
from warehouse.layout import Warehouse
from warehouse.releases import Release

NAMED_DOCUMENTS = 5


class Step:
    """Two releases that readers saw one after the other. Use as a context manager."""

    def __init__(self, wh: Warehouse, old: Release, new: Release) -> None:
        self.pair = Pair(wh, old, new)
        self.causes = Causes(self.pair, settings_changes(wh, old, new))

    def __enter__(self) -> Step:
        return self

    def __exit__(self, *_) -> None:
        self.pair.con.close()

    def why(self, kind: str, old: dict[str, Any] | None, new: dict[str, Any] | None, successor: dict | None = None) -> dict[str, Any]:
        """{why: [text], cause: …} of a row that is in one release alone, or differs."""
        row = new or old or {}
        if kind == "nugget":
            cause = nugget_causes(self.causes, [(old, new)])[0]
            texts = cause.pop("why")
            return {"why": _year_moved(old, successor) + texts, "cause": cause}
        if kind == "entity":
            return self._entity(row, old is None or new is None)
        if kind == "claim" and (old is None or new is None):
            one = {row["claim_id"]: row["document_id"]}
            cause = self.causes.claims(one if new is None else {}, one if old is None else {})[row["claim_id"]]
        else:
            cause = self.causes.document(row["document_id"], kind)
        return {"why": [cause["text"]], "cause": {k: v for k, v in cause.items() if k != "text"}}

    def _entity(self, row: dict[str, Any], whole: bool) -> dict[str, Any]:
        """An entity follows the documents that name it."""
        texts: dict[str, None] = {}
        for side in (OLD, NEW):
            rows = self.pair.lookup(side, "links", "entity_id", [row["entity_id"]], ["document_id"], changed=True)
            for document in list(dict.fromkeys(r["document_id"] for r in rows))[:NAMED_DOCUMENTS]:
                cause = self.causes.document(document, "entity")
                if cause["kind"] != "elsewhere":
                    texts.setdefault(cause["text"])
        settings = self.causes.settings("link", "link")
        lead = "no name is linked to it in one of the two" if whole else "other names are linked to it"
        return {"why": [lead, *texts] if texts else [lead, settings["text"]], "cause": {"kind": settings["kind"]}}

    def successor(self, kind: str, row: dict[str, Any]) -> dict[str, Any] | None:
        """{id, how} of what stands in the newer release where the row stood; None where nothing does."""
        own = row[f"{kind}_id"]
        recorded = self.pair.lookup(NEW, "lineage", "old_id", [own], ["new_id"], units=[own])
        if recorded and recorded[0]["new_id"] and self.pair.new.body.get("parent") == self.pair.old.id:
            return {"id": recorded[0]["new_id"], "how": "lineage"}
        found = getattr(self, f"_after_{kind}", lambda _: None)(row)
        return found

    def _after_chunk(self, row: dict[str, Any]) -> dict[str, Any] | None:
        found = chunk_successors(self.pair, [row]).get(row["chunk_id"])
        return {"id": found, "how": "the nearest new chunk of the document"} if found else None

    def _after_nugget(self, row: dict[str, Any]) -> dict[str, Any] | None:
        found = nugget_successors(self.pair, [row]).get(row["nugget_id"])
        if found is None:
            return None
        how = "the same key and value" if found["label"] == row["label"] else f"the same key and value, for readers {found['label']}"
        return {"id": found["nugget_id"], "how": how}

    def _first(self, sql: str, how: str) -> dict[str, Any] | None:
        found = self.pair.rows(sql)
        return {"id": found[0]["id"], "how": how} if found else None

    def _after_document(self, row: dict[str, Any]) -> dict[str, Any] | None:
        """The same bytes under another name."""
        old = self.pair.lookup(OLD, "versions", "version_id", [row["version_id"]], ["content_hash"], units=[row["document_id"]])
        if not old or old[0]["content_hash"] is None:
            return None
        return self._first(f"""SELECT d.document_id AS id FROM {self.pair.changed(NEW, 'documents')} d
            JOIN {self.pair.changed(NEW, 'versions')} v USING (document_id, version_id) WHERE v.content_hash = {literal(old[0]['content_hash'])}
            AND d.document_id NOT IN (SELECT document_id FROM {self.pair.changed(OLD, 'documents')}) ORDER BY id LIMIT 1""",
                           "a new document with the same content")

    def _after_version(self, row: dict[str, Any]) -> dict[str, Any] | None:
        document = row["document_id"]
        return self._first(f"SELECT version_id AS id FROM {self.pair.whole(NEW, 'documents', [document])} "
                           f"WHERE document_id = {literal(document)} AND version_id IS NOT NULL", "the document's head")

    def _after_element(self, row: dict[str, Any]) -> dict[str, Any] | None:
        document = row["document_id"]
        return self._first(f"""SELECT element_id AS id FROM {self.pair.whole(NEW, 'elements', [document])}
            WHERE document_id = {literal(document)} AND kind = {literal(row['kind'])}
            ORDER BY text <> {literal(row['text'])}, abs(ordinal - {int(row['ordinal'])}), element_id LIMIT 1""",
                           "the nearest element of its kind in the document")

    def _after_mention(self, row: dict[str, Any]) -> dict[str, Any] | None:
        same = " AND ".join(f'"{c}" = {literal(row[c])}' for c in ("document_id", "subject", "predicate", "object"))
        return self._first(f"SELECT mention_id AS id FROM {self.pair.changed(NEW, 'mentions')} WHERE {same} "
                           f"ORDER BY jaccard(sentence, {literal(row['sentence'])}) DESC, mention_id LIMIT 1",
                           "the same statement elsewhere in the document")

    def _after_claim(self, row: dict[str, Any]) -> dict[str, Any] | None:
        new = self.pair.changed(NEW, "claims")
        found = self._first(f"SELECT claim_id AS id FROM {new} WHERE mention_id = {literal(row['mention_id'])} ORDER BY id", "the same words, read otherwise")
        same = " AND ".join(f'"{c}" = {literal(row[c])}' for c in ("document_id", "key_id", "object_id"))
        return found or self._first(f"SELECT claim_id AS id FROM {new} WHERE {same} ORDER BY id LIMIT 1", "the same value elsewhere in the document")

    def _after_entity(self, row: dict[str, Any]) -> dict[str, Any] | None:
        names = self.pair.ids(row["surfaces"])
        return self._first(f"SELECT entity_id AS id FROM {self.pair.whole(NEW, 'entities')} WHERE surface IN (FROM {names}) "
                           "GROUP BY 1 ORDER BY count(DISTINCT surface) DESC, id LIMIT 1", "the entity that holds its names")


def _year_moved(old: dict[str, Any] | None, successor: dict | None) -> list[str]:
    """Says that the id went because the year of its start, which is part of it, moved."""
    row = (successor or {}).get("state")
    if old is None or row is None or (row["label"], row["object_id"]) != (old["label"], old["object_id"]):
        return []
    a, b = (r["start_min"] or r["start_max"] for r in (old, row))
    years = [None if d is None else year_of(parse_iso(d).first) for d in (a, b)]
    if years[0] == years[1]:
        return []
    return [f"its start moved from {a or 'unknown'} to {b or 'unknown'}; the year is part of the id, so it has a new one"]
