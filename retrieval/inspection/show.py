"""Everything that a release knows about one id: the record, its evidence in context, decisions, lineage both ways.

Operator view: whatever the access. Counts are whole, lists capped at `limit`; the same release gives the same output.
"""

from __future__ import annotations

from typing import Any

from retrieval.inspection import changes, files
from retrieval.inspection.context import Contexts
from retrieval.inspection.find import FILE_KINDS, KINDS, Found, find
from retrieval.inspection.labels import LABELLED, label
from retrieval.inspection.rows import Rows, listed, names, shown
from retrieval.inspection.walk import DOWN, SETS, UP, Walk
from schemas.tables import TABLES
from warehouse.duck import literal, quote

EVIDENCE = 5
LISTED = 5
MANY = ("value", "key", "entity", "source_group")  # kinds whose id stands on several rows


def show(rows: Rows, text: str, *, kind: str | None = None, limit: int = LISTED) -> dict[str, Any]:
    """What `lode show` prints. Raises as `find` does.

    Keys: release, kind, id, also, record, rows (of kinds that stand on several), evidence, decisions, upstream, downstream,
    related, across, notes.
    """
    found = find(rows, text, kind)
    if found.kind in FILE_KINDS:
        return {"release": rows.release.id, **_empty(found), **files.describe(rows, found.kind, found.id)}
    return _Page(rows, found, limit).data()


def _empty(found: Found) -> dict[str, Any]:
    return {"kind": found.kind, "id": found.id, "also": list(found.also), "record": {}, "rows": [], "rows_n": 0, "evidence": [],
            "evidence_n": 0, "decisions": [], "upstream": [], "downstream": [], "related": [], "across": [], "notes": []}


class _Page:
    def __init__(self, rows: Rows, found: Found, limit: int) -> None:
        self.rows, self.found, self.limit = rows, found, limit
        self.id = literal(found.id)
        self.walk = Walk(rows, limit)
        self.contexts = Contexts(rows)
        self.out = {"release": rows.release.id, **_empty(found)}
        self.records: list[dict[str, Any]] = []

    def data(self) -> dict[str, Any]:
        kind = self.found.kind
        if kind == "source":
            self._source()
        else:
            spec = KINDS[kind]
            self.records = self.rows.by_id(spec.table, spec.column, self.found.id, limit=max(50, self.limit))
            self.out["rows_n"] = len(self.records) if kind not in MANY else self.rows.value(
                f"SELECT count(*) FROM {quote(spec.table)} WHERE {quote(spec.column)} = {self.id}")
            getattr(self, f"_{kind}")()
        if not self.out["record"]:
            self.out["record"] = shown(self.records[0])
        if kind in MANY:
            self.out["rows"] = [shown(r) for r in self.records]
        self._lineage()
        self.out["across"] = [shown(r) for r in self.rows.all(
            f"SELECT {names(TABLES['lineage'].fields)} FROM lineage WHERE old_id = {self.id} OR new_id = {self.id} "
            f"ORDER BY old_id, lineage_kind LIMIT {self.limit}")]
        return self.out

    @property
    def row(self) -> dict[str, Any]:
        return self.records[0]

    def _in_document(self, column: str, value: str) -> str:
        return f"document_id = {literal(self.row['document_id'])} AND {quote(column)} = {literal(value)}"

    def _both(self, kind: str, condition: str) -> None:
        self.walk.seed("up", kind, condition)
        self.walk.seed("down", kind, condition)

    def _relate(self, relation: str, kind: str, ids) -> None:
        """Names rows that stand beside this one."""
        ids = [i for i in ids if i]
        if not ids:
            return
        table, own, columns, _ = LABELLED[kind]
        rows = self.rows.all(f"SELECT {names(columns)} FROM {quote(table)} WHERE {quote(own)} IN {listed(ids)}")
        by_id = {r[own]: r for r in rows}
        for i in list(dict.fromkeys(ids))[: self.limit]:
            self.out["related"].append({"relation": relation, "kind": kind, "id": i, "text": label(kind, by_id[i]) if i in by_id else "not in this release"})

    def _decide(self, condition: str) -> None:
        self.out["decisions"] = [shown(r) for r in self.rows.all(
            f"SELECT {names(TABLES['decisions'].fields)} FROM decisions WHERE {condition} ORDER BY key_id, decision_id LIMIT {max(20, self.limit)}")]

    def _sentences(self, which: str, table: str = "mentions", count: int = 1) -> None:
        self.out["evidence"] = self.contexts.sentences(which, max(EVIDENCE, self.limit), table)
        self.out["evidence_n"] = count

    def _of_mentions(self) -> None:
        """Evidence of the claims that the walk up begins with."""
        ids = "EXISTS (SELECT 1 FROM up_claim b WHERE b.document_id = m.document_id AND b.mention_id = m.mention_id)"
        self._sentences(ids, count=self.rows.value("SELECT count(DISTINCT (document_id, mention_id)) FROM up_claim"))

    # --- kinds

    def _source(self) -> None:
        body = self.rows.release.body["sources"][self.found.id]
        self.out["record"] = {"name": self.found.id, **body["spec"], "complete": body.get("complete"), "scans": body["scans"]}
        self.walk.seed("down", "document", f"source = {self.id}")

    def _source_group(self) -> None:
        held = listed([r["document_id"] for r in self.rows.all(f"SELECT document_id FROM origins WHERE source_group = {self.id}")])
        self._both("document", f"document_id IN {held}")
        self._copies(held)

    def _copies(self, documents: str) -> None:
        edges = self.rows.all(f"SELECT from_id, to_id, edge, evidence FROM source_edges WHERE from_id IN {documents} OR to_id IN {documents} "
                              f"ORDER BY from_id, to_id, edge LIMIT {self.limit}")
        for e in edges:
            self._relate(f"{e['edge']} by ({e['evidence']})", "document", [e["from_id"]] if e["from_id"] != self.found.id else [])
            self._relate(f"{e['edge']} ({e['evidence']})", "document", [e["to_id"]] if e["to_id"] != self.found.id else [])

    def _document(self) -> None:
        self._both("document", f"document_id = {self.id}")
        group = self.rows.value(f"SELECT source_group FROM origins WHERE document_id = {self.id}")
        self.out["record"] = {**shown(self.row), "source_group": group}
        self._copies(f"({self.id})")
        if group:
            others = self.rows.all(f"SELECT document_id FROM origins WHERE source_group = {literal(group)} AND document_id <> {self.id} "
                                   f"ORDER BY document_id LIMIT {self.limit}")
            self._relate("same source group", "document", [r["document_id"] for r in others])
        dropped = self.rows.value(f"SELECT count(*) FROM quarantine WHERE document_id = {self.id}")
        if dropped:
            self.out["notes"].append(f"{dropped} row(s) of this document are in quarantine")

    def _version(self) -> None:
        self._both("version", self._in_document("version_id", self.found.id))
        head = self.contexts.document(self.row["document_id"])["version_id"] == self.found.id
        self.out["notes"].append("the head of its document: its text is parsed" if head
                                 else "not the head of its document: only the head is parsed; the original is in `raw`")
        time = self.rows.value(f"SELECT count(*) FROM lifetimes WHERE document_id = {literal(self.row['document_id'])} "
                               f"AND first_revision = {literal(self.row['revision'])}")
        gone = self.rows.value(f"SELECT count(*) FROM lifetimes WHERE document_id = {literal(self.row['document_id'])} "
                               f"AND last_revision = {literal(self.row['revision'])}")
        if time or gone:
            self.out["notes"].append(f"{time} block(s) first shown in this revision, {gone} last shown in it")

    def _text(self) -> None:
        self._both("version", self._in_document("text_object", self.found.id))
        text = self.rows.canonical(self.row["document_id"], self.found.id) or ""
        self.out["record"] = {**shown(self.row), "characters": len(text), "canonical_text": text}

    def _block(self) -> None:
        self._both("block", self._in_document("block_id", self.found.id))
        self.out["evidence"] = [self.contexts.block(self.row)]
        self.out["evidence_n"] = 1
        lives = self.rows.all(f"SELECT {names('first_revision last_revision from_time to_time status')} FROM lifetimes "
                              f"WHERE {self._in_document('block_id', self.found.id)} ORDER BY from_time, first_revision")
        self.out["record"] = {**shown(self.row), "lifetimes": [shown(r) for r in lives]}
        if not self.out["evidence"][0]["marks"]:
            self.out["notes"].append("the head of its document does not hold this block any more")

    def _element(self) -> None:
        self._both("element", self._in_document("element_id", self.found.id))
        self.out["evidence"], self.out["evidence_n"] = [self.contexts.element(self.row)], 1
        self._relate("parent", "element", [self.row["parent_id"]])
        children = self.rows.all(f"SELECT element_id FROM elements WHERE {self._in_document('parent_id', self.found.id)} "
                                 f"ORDER BY ordinal, element_id LIMIT {self.limit}")
        self._relate("child", "element", [r["element_id"] for r in children])

    def _chunk(self) -> None:
        self._both("chunk", self._in_document("chunk_id", self.found.id))
        self.out["evidence"], self.out["evidence_n"] = [self.contexts.chunk(self.row)], 1
        for relation, column in (("parent", "parent_id"), ("before", "previous_id"), ("after", "next_id")):
            self._relate(relation, "chunk", [self.row[column]])

    def _sentence(self) -> None:
        condition = self._in_document("sentence_id", self.found.id)
        self._both("sentence", condition)
        self._sentences("m." + condition.replace(" AND ", " AND m."), "sentences")

    def _mention(self) -> None:
        condition = self._in_document("mention_id", self.found.id)
        self._both("mention", condition)
        self._sentences("m." + condition.replace(" AND ", " AND m."))
        dropped = self.rows.all(f"SELECT reason, detail FROM quarantine WHERE document_id = {literal(self.row['document_id'])} "
                                f"AND \"where\" = {self.id} ORDER BY quarantine_id")
        self.out["notes"] += [f"dropped: {r['reason']}: {r['detail']}" for r in dropped]

    def _claim(self) -> None:
        self._both("claim", self._in_document("claim_id", self.found.id))
        self._of_mentions()
        self._decide(f"key_id = {literal(self.row['key_id'])} AND claim_id = {self.id}")

    def _value(self) -> None:
        self._key_like(f"value_id = {self.id}")
        self._decide(f"key_id = {literal(self.row['key_id'])} AND nugget_id IN (SELECT nugget_id FROM nuggets WHERE value_id = {self.id})")

    def _key(self) -> None:
        self._key_like("true")
        self._decide(f"key_id = {self.id}")

    def _key_like(self, condition: str) -> None:
        key = self.row["key_id"]
        for direction in ("up", "down"):
            self.walk.seed_claims(direction, key, condition)
        first = {k: self.row[k] for k in ("key_id", "tenant", "subject_id", "subject", "predicate", "scope", "cardinality")}
        if self.found.kind == "value":
            first |= {k: self.row[k] for k in ("value_id", "object_id", "object", "object_type", "value", "unit")}
        self.out["record"] = shown(first)
        self._of_mentions()

    def _nugget(self) -> None:
        key = literal(self.row["key_id"])
        self.walk.seed_claims("up", self.row["key_id"], f"claim_id IN {listed(self.row['claim_ids'])}")
        self.walk.seed("down", "nugget", f"key_id = {key} AND nugget_id = {self.id}")
        self._of_mentions()
        self._decide(f"key_id = {key} AND (nugget_id = {self.id} OR list_contains(against, {self.id}))")
        self._relate("supersedes", "nugget", self.row["supersedes"])
        self._relate("superseded by", "nugget", self.row["superseded_by"])
        hidden = self.rows.value(f"SELECT hidden_for FROM nugget_docs WHERE key_id = {key} AND id = {self.id}")
        self.out["record"] = {**shown(self.row), "hidden_for": hidden or []}

    def _decision(self) -> None:
        key = self.row["key_id"]
        if self.row["nugget_id"]:
            ids = self.rows.value(f"SELECT claim_ids FROM nuggets WHERE key_id = {literal(key)} AND nugget_id = {literal(self.row['nugget_id'])}")
            self._relate("decides on", "nugget", [self.row["nugget_id"]])
        else:
            ids = [self.row["claim_id"]] if self.row["claim_id"] else []
            self._relate("decides on", "claim", [self.row["claim_id"]])
        self._relate("against", "nugget", self.row["against"])
        self.walk.seed_claims("up", key, f"claim_id IN {listed(ids or [])}")
        self._of_mentions()
        self.out["upstream"] = self.walk.follow("up", "claim " + UP["claim"])

    def _change(self) -> None:
        row, document = self.row, literal(self.row["document_id"])
        told = changes.mentions_of(self.rows, row)
        self.out["record"] = changes.record(self.contexts.document(row["document_id"])["title"], row)
        self._relate("document", "document", [row["document_id"]])
        versions = changes.versions_of(self.rows, row)
        for relation, side in (("last revision with the old text", "old"), ("first revision with the new text", "new")):
            self._relate(relation, "version", versions[side])
        for relation, side in (("states the old text", "old"), ("states the new text", "new")):
            self._relate(relation, "mention", told[side])
        self.walk.seed("up", "version", f"document_id = {document} AND version_id IN {listed(versions['old'] + versions['new'])}")
        which = f"document_id = {document} AND mention_id IN {listed(told['old'] + told['new'])}"
        count = self.walk.seed("down", "mention", which)
        self._sentences("m." + which.replace(" AND ", " AND m."), count=count)
        self.out["notes"] += changes.notes(row, told)

    def _entity(self) -> None:
        self.out["record"] = {"entity_id": self.found.id, "entity_name": self.row["entity_name"],
                              "surfaces": [shown({k: r[k] for k in ("surface", "entity_type", "target", "link_basis")}) for r in self.records]}
        linked = self.rows.value(f"SELECT count(DISTINCT document_id) FROM links WHERE entity_id = {self.id}")
        self.out["notes"].append(f"linked in {linked} document(s)")
        which = f"subject_id = {self.id} OR object_id = {self.id}"
        self.walk.seed("down", "nugget", which)
        self.walk.seed("up", "claim", which)
        self._of_mentions()
        self.out["upstream"] = self.walk.follow("up", "claim mention document")
        for column in ("subject", "object"):
            n = self.rows.value(f"SELECT count(*) FROM nuggets WHERE {column}_id = {self.id}")
            self.out["notes"].append(f"{column} of {n} nugget(s)")

    def _quarantine(self) -> None:
        document, where = self.row["document_id"] or "", self.row["where"] or ""
        self._relate("document", "document", [document])
        for kind in ("mention", "sentence", "element", "chunk"):
            table, column = SETS[kind][0], KINDS[kind].column
            if not self.rows.value(f"SELECT count(*) FROM {quote(table)} WHERE document_id = {literal(document)} AND {column} = {literal(where)}"):
                continue
            self._relate("drops", kind, [where])
            condition = f"document_id = {literal(document)} AND {column} = {literal(where)}"
            self.walk.seed("up", kind, condition)
            self.out["upstream"] = self.walk.follow("up", f"{kind} " + UP[kind])
            if kind in ("mention", "sentence"):
                self._sentences("m." + condition.replace(" AND ", " AND m."), SETS[kind][0])
            else:
                row = self.rows.by_id(table, column, where)[0]
                self.out["evidence"], self.out["evidence_n"] = [getattr(self.contexts, kind)(row)], 1
            break

    # --- both directions

    def _lineage(self) -> None:
        kind = self.found.kind
        if not self.out["upstream"]:
            start = {"value": "claim ", "key": "claim ", "nugget": "claim ", "source_group": "document ", "text": "version "}.get(kind, "")
            steps = [k for k in (start + UP.get(kind, "")).split() if k != kind or start]
            self.out["upstream"] = self.walk.follow("up", " ".join(dict.fromkeys(steps)))
        if not self.out["downstream"]:
            start = {"value": "claim ", "key": "claim ", "source": "document ", "source_group": "document ", "entity": "nugget "}.get(kind, "")
            down = "" if kind == "nugget" else start + DOWN.get(kind, "")
            narrow = kind if kind in ("element",) else None
            self.out["downstream"] = self.walk.follow("down", " ".join(dict.fromkeys(down.split())), narrow)
        if ("up", "document") in self.walk.n:
            found = self.rows.all("SELECT source, count(*) AS n FROM up_document GROUP BY ALL ORDER BY source")
            specs = self.rows.release.body["sources"]
            items = [{"id": r["source"], "text": f"{specs.get(r['source'], {}).get('spec', {}).get('kind', '')} · {r['n']} document(s)"} for r in found]
            self.out["upstream"].append({"kind": "source", "n": len(items), "items": items[: self.limit]})
