"""The tables: which fields, what they are sharded by, and their total order.

`unit` is the column that a table is sharded and reused by. `order` is a total order (it ends in the primary key), so
equal rows give equal Parquet bytes. Table names are a contract.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import IntegrityError
from schemas.fields import FIELDS

SCHEMA_VERSION = 1
# Depend on the machine, or on what another scan may bring: such a unit is run again. Only what stands before a colon.
RETRY_REASONS = ("parse_timeout", "parse_memory", "parse_crash", "text_lost")


@dataclass(frozen=True)
class TableSpec:
    """One table of the warehouse.

    `optional` names fields whose nulls this table allows though the registry forbids; of `one_of` each row has exactly
    one; `later` are nullable fields that objects of earlier versions lack: they are read as null.
    """

    name: str
    description: str
    unit: str
    key: tuple[str, ...]
    order: tuple[str, ...]
    fields: tuple[str, ...]
    public: bool = True
    optional: tuple[str, ...] = field(default=())
    one_of: tuple[str, ...] = field(default=())
    later: tuple[str, ...] = field(default=())

    def schema(self) -> pa.Schema:
        out = []
        for name in self.fields:
            column = FIELDS[name].arrow()
            out.append(column.with_nullable(True) if name in self.optional else column)
        return pa.schema(out)

    def empty(self) -> pa.Table:
        return self.schema().empty_table()

    def from_rows(self, rows: list[dict]) -> pa.Table:
        """Rows as dicts (missing nullable keys are null) to a table in total order."""
        schema = self.schema()
        table = pa.Table.from_pylist(rows, schema=schema) if rows else schema.empty_table()
        return self.conform(table)

    def conform(self, table: pa.Table) -> pa.Table:
        """Columns in schema order, nulls checked, rows in total order. Raises IntegrityError naming the column."""
        schema = self.schema()
        missing = [n for n in schema.names if n not in table.column_names]
        if missing:
            raise IntegrityError(f"table {self.name} lacks column(s) {', '.join(missing)}", expected=", ".join(schema.names))
        table = table.select(schema.names)
        # Arrow calls list<element: T>, as read from Parquet, equal to list<item: T>; their bytes in Parquet differ.
        if not table.schema.equals(schema) or [str(t) for t in table.schema.types] != [str(t) for t in schema.types]:
            table = table.cast(schema)
        for column in schema:
            if not column.nullable and table[column.name].null_count:
                raise IntegrityError(
                    f"table {self.name}: {table[column.name].null_count} null(s) in {column.name}", expected="no nulls"
                )
        if self.one_of:
            given = sum(np.asarray(pc.is_valid(table[name]).combine_chunks().cast("int8")) for name in self.one_of)
            if np.any(given != 1):
                raise IntegrityError(f"table {self.name}: a row without exactly one of {' and '.join(self.one_of)}")
        if table.num_rows > 1:
            order = pc.sort_indices(table, sort_keys=[(n, "ascending") for n in self.order])
            if not np.array_equal(order.to_numpy(), np.arange(len(order))):  # a take copies every column
                table = table.take(order)
        return table.combine_chunks()


def _t(name, description, unit, key, order, fields, **more) -> TableSpec:  # type: ignore[no-untyped-def]
    return TableSpec(name, description, unit, tuple(key.split()), tuple(order.split()), tuple(fields.split()), **more)


_BOUNDS = "start_min start_max end_min end_max start_basis end_basis start_confidence end_confidence"
_INDEX_DOC = (
    "id store title subject predicate object text text_hash rendition_hash acl label hidden_for tenant key_id kind state language "
    "start_min start_max end_min end_max recorded_from recorded_to"
)

_SPECS = [
    _t("raw", "What the scan read: one row per document version of one source, with the original content.", "document_id",
       "document_id revision source", "document_id time revision source",
       "document_id source native_key uri title namespace mime language revision parent_revision time source_date fetched_at "
       "contributor comment minor content_hash raw stretches redirect_to acl tenant status", public=False,
       one_of=("raw", "stretches"), later=("stretches",)),
    _t("stretches", "Distinct stretches of a page's revisions: a text is its stretches joined by blank lines.", "document_id",
       "document_id stretch text", "document_id stretch text", "document_id stretch text", public=False),
    _t("documents", "One row per document: its head.", "document_id", "document_id", "document_id",
       "document_id version_id source native_key uri title namespace language mime source_date fetched_at acl label tenant "
       "valid_from valid_to status redirect_to", optional=("version_id",)),
    _t("versions", "One row per state of a document.", "document_id", "version_id", "document_id time version_id",
       "version_id document_id revision parent_revision time text_object content_hash status contributor comment minor noise undone_by",
       optional=("content_hash",)),
    _t("texts", "Canonical texts, by content hash.", "document_id", "document_id text_object", "document_id text_object",
       "document_id text_object canonical_text", public=True),
    _t("blocks", "Distinct blocks of revisioned pages.", "document_id", "block_id", "document_id block_id",
       "block_id document_id text same_as"),
    _t("lifetimes", "When a block stood in its page.", "document_id", "document_id block_id first_revision",
       "document_id block_id first_revision",
       "block_id document_id first_revision last_revision from_time to_time gone_revision gone_time status"),
    _t("elements", "Nodes of the structured parse: of each document's head, then of the blocks that stand there no longer.", "document_id", "element_id",
       "document_id ordinal element_id",
       "element_id document_id version_id text_object block_id parent_id kind level ordinal heading_path text source_spans locator cells links"),
    _t("chunks", "Units of text retrieval.", "document_id", "chunk_id", "document_id ordinal chunk_id",
       "chunk_id document_id version_id text_object block_id parent_id previous_id next_id granularity kind ordinal title heading_path header "
       "text rendition text_hash rendition_hash source_spans pieces element_ids links tokens acl label tenant language valid_from valid_to "
       "source_date shown_from shown_to config_version"),
    _t("sentences", "Sentences of the chunks: analysed or dropped with a reason.", "document_id", "sentence_id",
       "document_id sentence_id", "sentence_id document_id chunk_id sentence sentence_start occurrence analysis"),
    _t("sightings", "Which blocks say a sentence: its lifetime is the union of theirs.", "document_id",
       "document_id sentence_id block_id", "document_id sentence_id block_id", "document_id sentence_id block_id", public=False),
    _t("mentions", "Statements of facts as written.", "document_id", "mention_id", "document_id mention_id",
       "mention_id document_id chunk_id sentence_id sentence sentence_start occurrence source_spans subject subject_target subject_span subject_basis "
       "subject_type predicate predicate_span object object_target object_span object_type scope condition cues polarity modality attribution "
       "extractor confidence"),
    _t("surfaces", "Names that want an entity, per document.", "document_id", "document_id surface entity_type target",
       "document_id surface entity_type target",
       "document_id source surface entity_type target local_form mentions_n", public=False),
    _t("entities", "The corpus-wide clustering of names.", "entity_id", "entity_id surface entity_type target",
       "entity_id surface entity_type target", "entity_id entity_name surface entity_type target link_basis"),
    _t("links", "Surface to entity, per document.", "document_id", "document_id surface entity_type target",
       "document_id surface entity_type target",
       "document_id surface entity_type target entity_id entity_name link_basis"),
    _t("keyed", "Mentions with key and typed object, before validity.", "document_id", "claim_id", "document_id claim_id",
       "claim_id mention_id document_id chunk_id key_id tenant acl label subject_id subject predicate scope cardinality object_id object "
       "object_type value unit condition polarity modality attribution confidence", public=False),
    _t("claims", "Mentions after normalization, with validity.", "document_id", "claim_id", "document_id claim_id",
       "claim_id mention_id document_id chunk_id key_id tenant acl label subject_id subject predicate scope cardinality object_id object "
       f"object_type value unit condition polarity modality attribution confidence {_BOUNDS} rule_id recorded_from recorded_to history"),
    _t("changes", "What changed between revisions that count, slot by slot, and what kind of change it was.", "document_id",
       "change_id", "document_id first_revision slot change_id",
       "change_id document_id slot old_text new_text last_revision first_revision to_time from_time verdict reason"),
    _t("sketches", "MinHash sketch of each document.", "document_id", "document_id", "document_id",
       "document_id content_hash sketch scheme", public=False),
    _t("groups", "The corpus-wide grouping of documents into sources.", "document_id", "document_id", "document_id",
       "document_id source_group", public=False),
    _t("origins", "Source group of each document.", "document_id", "document_id", "document_id", "document_id source_group"),
    _t("source_edges", "Which document copies or cites which.", "from_id", "from_id to_id edge", "from_id to_id edge",
       "from_id to_id edge evidence confidence"),
    _t("sourced", "Claims with the source group, date and language of their document.", "document_id", "claim_id",
       "document_id claim_id",
       "claim_id document_id chunk_id key_id source_group tenant acl label subject_id subject predicate scope cardinality object_id "
       f"object object_type value unit condition polarity modality attribution confidence {_BOUNDS} rule_id recorded_from recorded_to history "
       "source_date language", public=False),
    _t("values", "Claims of each key with the value they support.", "key_id", "key_id value_id claim_id",
       "key_id value_id claim_id",
       "key_id value_id claim_id document_id chunk_id source_group tenant acl label subject_id subject predicate scope cardinality object_id "
       f"object object_type value unit condition polarity modality attribution confidence {_BOUNDS} rule_id recorded_from recorded_to history "
       "source_date language"),
    _t("nuggets", "Governed facts.", "key_id", "nugget_id", "key_id nugget_id",
       "nugget_id key_id value_id label acl tenant kind subject_id subject predicate scope cardinality object_id object object_type value unit "
       f"condition text rendition rendition_hash text_hash {_BOUNDS} recorded_from recorded_to state reason source_count source_groups "
       "claim_ids supersedes superseded_by confidence language"),
    _t("decisions", "Verdicts and why.", "key_id", "decision_id", "key_id decision_id",
       "decision_id key_id label nugget_id claim_id rule conflict_type verdict reason against evidence",
       optional=("nugget_id", "claim_id")),
    _t("vectors", "Embeddings, shared by rendition.", "rendition_hash", "rendition_hash", "rendition_hash",
       "rendition_hash vector"),
    _t("chunk_docs", "Chunks as index documents (schemas.search.INDEX_DOCS).", "document_id", "id", "document_id id",
       f"document_id {_INDEX_DOC}", public=False),
    _t("nugget_docs", "Nuggets as index documents (schemas.search.INDEX_DOCS).", "key_id", "id", "key_id id",
       _INDEX_DOC, public=False),
    _t("lineage", "Ids that changed between releases.", "old_id", "old_id lineage_kind", "old_id lineage_kind",
       "old_id new_id lineage_kind release"),
    _t("quarantine", "Rows that were dropped (info) or failed (error).", "document_id", "quarantine_id",
       "document_id quarantine_id", "quarantine_id stage severity document_id where reason detail",
       optional=("document_id",)),
]

TABLES: dict[str, TableSpec] = {t.name: t for t in _SPECS}


def quarantine_row(stage: str, document: str, where: str, reason: str, detail: str, severity: str = "error") -> dict:
    """One row of `quarantine`. `document` is a document_id, or the file's name where there is no document yet."""
    from schemas.ids import make_id

    return {
        "quarantine_id": make_id("quarantine", stage, document, where, reason),
        "stage": stage, "severity": severity, "document_id": document, "where": where, "reason": reason, "detail": detail,
    }
