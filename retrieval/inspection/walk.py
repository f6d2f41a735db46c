"""Lineage of one row in both directions: up to the source that it came from, down to the facts that rest on it.

Each step is one join over the rows of the step before, kept as temporary tables, so that counts are whole while lists
are capped. Joins name the unit (document or key) beside the id, so that other units' files are passed over.
"""

from __future__ import annotations

from typing import Any

from retrieval.inspection.labels import LABELLED, label
from retrieval.inspection.rows import Rows, names
from warehouse.duck import literal, quote

# kind -> the columns of its temporary table: id, unit, and what the next steps need
SETS = {
    "document": ("documents", "document_id version_id source"),
    "version": ("versions", "version_id document_id"),
    "block": ("blocks", "block_id document_id"),
    "element": ("elements", "element_id document_id version_id block_id source_spans"),
    "chunk": ("chunks", "chunk_id document_id version_id block_id element_ids"),
    "sentence": ("sentences", "sentence_id document_id chunk_id"),
    "mention": ("mentions", "mention_id document_id chunk_id sentence_id source_spans"),
    "claim": ("claims", "claim_id mention_id document_id chunk_id key_id"),
    "nugget": ("nuggets", "nugget_id key_id value_id claim_ids"),
}
UP = {
    "nugget": "claim mention sentence chunk element version document", "value": "claim mention sentence chunk element version document",
    "key": "claim mention sentence chunk element version document", "claim": "mention sentence chunk element version document",
    "mention": "sentence chunk element version document", "sentence": "chunk element version document",
    "chunk": "element block version document", "element": "block version document", "block": "document", "version": "document",
    "document": "", "source_group": "document", "text": "version document",
    "change": "version document",
}
DOWN = {
    "source": "document chunk mention claim nugget", "source_group": "document chunk mention claim nugget",
    "document": "version block element chunk sentence mention claim nugget", "version": "element chunk sentence mention claim nugget",
    "block": "element chunk sentence mention claim nugget", "element": "chunk mention claim nugget",
    "chunk": "sentence mention claim nugget", "sentence": "mention claim nugget", "mention": "claim nugget", "claim": "nugget",
    "value": "nugget", "key": "nugget", "change": "mention claim nugget",
}
# to -> from -> how the two meet, `a` being the wanted table's rows and `b` those of the step before
_JOINS: dict[str, dict[str, str]] = {
    "document": {k: "a.document_id = b.document_id" for k in ("chunk", "element", "block", "version", "sentence", "mention", "claim")},
    "version": {"chunk": "a.document_id = b.document_id AND a.version_id = b.version_id",
                "element": "a.document_id = b.document_id AND a.version_id = b.version_id", "document": "a.document_id = b.document_id"},
    "block": {k: "a.document_id = b.document_id AND a.block_id = b.block_id" for k in ("element", "chunk")}
    | {"document": "a.document_id = b.document_id"},
    "element": {"chunk": "a.document_id = b.document_id AND list_contains(b.element_ids, a.element_id)",
                "block": "a.document_id = b.document_id AND a.block_id = b.block_id",
                "version": "a.document_id = b.document_id AND a.version_id = b.version_id", "document": "a.document_id = b.document_id"},
    "chunk": {"mention": "a.document_id = b.document_id AND a.chunk_id = b.chunk_id",
              "sentence": "a.document_id = b.document_id AND a.chunk_id = b.chunk_id",
              "element": "a.document_id = b.document_id AND list_contains(a.element_ids, b.element_id)",
              "document": "a.document_id = b.document_id"},
    "sentence": {"mention": "a.document_id = b.document_id AND a.sentence_id = b.sentence_id",
                 "chunk": "a.document_id = b.document_id AND a.chunk_id = b.chunk_id"},
    "mention": {"claim": "a.document_id = b.document_id AND a.mention_id = b.mention_id",
                "sentence": "a.document_id = b.document_id AND a.sentence_id = b.sentence_id",
                "chunk": "a.document_id = b.document_id AND a.chunk_id = b.chunk_id"},
    "claim": {"mention": "a.document_id = b.document_id AND a.mention_id = b.mention_id"},
    "nugget": {"claim": "a.key_id = b.key_id AND list_contains(a.claim_ids, b.claim_id)"},
}
# which earlier step a step is joined to, best first
_FROM = {
    "up": {"claim": ("nugget",), "mention": ("claim",), "sentence": ("mention",), "chunk": ("mention", "sentence"), "element": ("chunk",),
           "block": ("element", "chunk"), "version": ("chunk", "element"),
           "document": ("chunk", "element", "block", "version", "mention")},
    "down": {"version": ("document",), "block": ("document",), "element": ("block", "version", "document"),
             "chunk": ("document", "element"), "sentence": ("chunk",), "mention": ("chunk", "sentence"), "claim": ("mention",),
             "nugget": ("claim",)},
}


class Walk:
    """The sets of one walk: `n` rows per kind, in the temporary tables `<direction>_<kind>`."""

    def __init__(self, rows: Rows, limit: int) -> None:
        self.rows, self.limit = rows, limit
        self.n: dict[tuple[str, str], int] = {}

    def seed(self, direction: str, kind: str, condition: str) -> int:
        """Begins a direction with the rows of a kind that meet a condition."""
        table, columns = SETS[kind]
        return self._keep(direction, kind, f"SELECT {names(columns)} FROM {quote(table)} WHERE {condition}")

    def seed_claims(self, direction: str, key: str, condition: str = "true") -> int:
        """Begins with claims of one key: `values`, sorted by key, says in which documents they are."""
        self.rows.keep("seed", f"SELECT claim_id, document_id FROM \"values\" WHERE key_id = {literal(key)} AND {condition}")
        return self._keep(direction, "claim", f"SELECT {names(SETS['claim'][1], 'a.')} FROM claims a SEMI JOIN seed b "
                                              "ON a.document_id = b.document_id AND a.claim_id = b.claim_id")

    def _keep(self, direction: str, kind: str, query: str) -> int:
        self.n[direction, kind] = self.rows.keep(f"{direction}_{kind}", query)
        return self.n[direction, kind]

    def follow(self, direction: str, kinds: str, narrow: str | None = None) -> list[dict[str, Any]]:
        """Takes the steps in order; one section per kind that has rows: {kind, n, items}, items capped.

        `narrow` names the kind of the seed where mentions of a chunk are to be kept only if they touch its spans.
        """
        out = []
        for kind in kinds.split():
            if (direction, kind) not in self.n:
                origin = next((o for o in _FROM[direction].get(kind, ()) if (direction, o) in self.n), None)
                if origin is None:
                    continue
                self._step(direction, kind, origin, narrow)
            if self.n[direction, kind]:
                out.append({"kind": kind, "n": self.n[direction, kind], "items": self.items(direction, kind)})
        return out

    def _step(self, direction: str, kind: str, origin: str, narrow: str | None) -> None:
        table, columns = SETS[kind]
        join = _JOINS[kind][origin]
        query = f"SELECT {names(columns, 'a.')} FROM {quote(table)} a WHERE EXISTS (SELECT 1 FROM {direction}_{origin} b WHERE {join})"
        if "list_contains" in join:  # an equality in each half lets DuckDB hash
            query = self._listed(direction, kind, origin)
        if kind == "mention" and narrow is not None:
            query = (f"SELECT m.* FROM ({query}) m WHERE EXISTS (SELECT 1 FROM {direction}_{narrow} e WHERE e.document_id = m.document_id AND "
                     "list_min(list_transform(e.source_spans, lambda s: s.start)) < list_max(list_transform(m.source_spans, lambda s: s.\"end\")) AND "
                     "list_min(list_transform(m.source_spans, lambda s: s.start)) < list_max(list_transform(e.source_spans, lambda s: s.\"end\")))")
        self._keep(direction, kind, query)

    def _listed(self, direction: str, kind: str, origin: str) -> str:
        """The joins over a list of ids, as joins over its unnested rows."""
        table, columns = SETS[kind]
        mine = names(columns, "a.")
        if kind == "element":
            return (f"SELECT {mine} FROM elements a SEMI JOIN (SELECT document_id, unnest(element_ids) AS element_id FROM {direction}_chunk) b "
                    "ON a.document_id = b.document_id AND a.element_id = b.element_id")
        unit, ids, one = ("key_id", "claim_ids", "claim_id") if kind == "nugget" else ("document_id", "element_ids", "element_id")
        own = LABELLED[kind][1]
        near = f"SELECT {unit}, {own}, unnest({ids}) AS one FROM {quote(table)} WHERE {unit} IN (SELECT {unit} FROM {direction}_{origin})"
        return (f"SELECT {mine} FROM {quote(table)} a SEMI JOIN (SELECT n.{unit}, n.{own} FROM ({near}) n SEMI JOIN {direction}_{origin} b "
                f"ON n.{unit} = b.{unit} AND n.one = b.{one}) c ON a.{unit} = c.{unit} AND a.{own} = c.{own}")

    def items(self, direction: str, kind: str) -> list[dict[str, Any]]:
        """The first rows of a set, as {id, text}."""
        table, own, columns, order = LABELLED[kind]
        unit = "key_id" if kind == "nugget" else "document_id"
        rows = self.rows.all(
            f"SELECT {names(columns)} FROM {quote(table)} a SEMI JOIN {direction}_{kind} b ON a.{unit} = b.{unit} AND a.{own} = b.{own} "
            f"ORDER BY {order.replace(' ', ', ') if ',' not in order else order} LIMIT {self.limit}"
        )
        return [{"id": r[own], "text": label(kind, r)} for r in rows]
