"""The field registry: every column of every table is named, typed and described once, here.

Units are in the names (`_bytes`, `_days`); fact days are `date32`, source instants `timestamp[s, UTC]`.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

INSTANT = pa.timestamp("s", tz="UTC")
DAY = pa.date32()
SPAN = pa.struct([pa.field("start", pa.int32()), pa.field("end", pa.int32())])
SPANS = pa.list_(SPAN)
STRINGS = pa.list_(pa.string())
CELL = pa.struct([("name", pa.string()), ("text", pa.string()), ("source_spans", SPANS)])
LINK = pa.struct([("start", pa.int32()), ("end", pa.int32()), ("target", pa.string())])
CUE = pa.struct([("role", pa.string()), ("text", pa.string()), ("start", pa.int32()), ("end", pa.int32())])


@dataclass(frozen=True)
class FieldSpec:
    """One named quantity. `required` fields hold no nulls."""

    name: str
    type: pa.DataType
    description: str
    required: bool = False

    def arrow(self) -> pa.Field:
        return pa.field(self.name, self.type, nullable=not self.required)


_ALL: list[FieldSpec] = []


def _f(name: str, type_: pa.DataType, description: str, required: bool = False) -> None:
    _ALL.append(FieldSpec(name, type_, description, required))


S, I32, I64, F32, BOOL = pa.string(), pa.int32(), pa.int64(), pa.float32(), pa.bool_()

# --- identity and origin
_f("document_id", S, "Logical document: H(wiki or source name, native key).", True)
_f("version_id", S, "One state of a document: H(document_id, revision id or content hash).", True)
_f("source", S, "Name of the source: the wiki's dbname, or the name given to a folder or record set.", True)
_f("uri", S, "Where the document was read: page title's address in the wiki, or path relative to the given folder.")
_f("title", S, "Title of the page or document.")
_f("language", S, "BCP 47 language tag, or 'und'.")
_f("mime", S, "Media type of the original.")
_f("source_date", INSTANT, "When the source says this state was written: revision time, front matter date, else null.")
_f("fetched_at", INSTANT, "When the source says it was fetched; null where it does not. Never the wall clock.")
_f("acl", STRINGS, "Groups any of which may read; empty = nobody.", True)
_f("label", S, "Access label: the sorted groups joined by commas.", True)
_f("tenant", S, "Tenant; keys never cross tenants.", True)
_f("status", S, "documents: ok | redirect | empty | deleted. versions: ok | suppressed | empty. lifetimes: standing | gone | reverted | vandalism | blanked.", True)
_f("noise", S, "Why a revision counts for nothing in the history: reverted, blanked, vandalism, suppressed, duplicate; '' = it counts.")
_f("undone_by", S, "Revision that undid this one; null = none did.")
_f("redirect_to", S, "Title a redirect page points to.")
_f("native_key", S, "Key of the document in its source: page id, relative path, primary key.", True)
_f("namespace", I32, "MediaWiki namespace number; 0 for files.")
_f("revision", S, "Revision id, or the content hash where the source has no revisions.", True)
_f("parent_revision", S, "Revision this one was made from.")
_f("time", INSTANT, "When the revision was saved.")
_f("text_object", S, "Content hash under which `texts` holds the canonical text; null where the text is suppressed.")
_f("content_hash", S, "Hash of the original content (revision text or file bytes); versions: null where the text is suppressed.", True)
_f("canonical_text", S, "Canonical text that all spans of the version count in.", True)
_f("raw", pa.large_binary(), "Original bytes of a file; null for revisions, whose text is in `stretches`.")
_f("stretches", pa.list_(I64), "A revision's text: the stretches between its blank lines, in order, by `stretch`; null for files.")
_f("stretch", I64, "Name of a stretch: the 8 bytes of a BLAKE2b of its UTF-8, big-endian and signed.", True)
_f("minor", BOOL, "Marked as a minor edit.")
_f("comment", S, "Edit summary.")
_f("contributor", S, "User name or address; null where suppressed.")

# --- structure
_f("block_id", S, "Distinct block of a revisioned page: H(document_id, wikitext); null for other documents.")
_f("text", S, "Text, rendered from the spans.", True)
_f("first_revision", S, "First revision that shows the block.")
_f("last_revision", S, "Last revision that shows the block; null while it stands at the head.")
_f("from_time", INSTANT, "Time of first_revision.")
_f("to_time", INSTANT, "Time of last_revision; null while the block stands at the head.")
_f("gone_revision", S, "First revision that counts and lacks the block; null while it stands at the head.")
_f("gone_time", INSTANT, "Time of gone_revision.")
_f("same_as", S, "Block of the page that reads the same without markup and stands for this one; null = it stands for itself.")
_f("shown_from", INSTANT, "First time a passage of the past was shown; null for passages of the head.")
_f("shown_to", INSTANT, "When a passage of the past was seen to be gone; null for passages of the head.")
_f("element_id", S, "H(version_id, spans, kind).", True)
_f("parent_id", S, "Enclosing element, or for a chunk the chunk that opens its section.")
_f("kind", S, "Element or chunk kind: heading, paragraph, list_item, table, row, code, caption, footnote, infobox, field.", True)
_f("ordinal", I32, "Position in document order, from 0.", True)
_f("level", I32, "Heading level 1-6 or nesting depth of a list item.")
_f("heading_path", STRINGS, "Headings above, outermost first, the document's title excluded.", True)
_f("source_spans", SPANS, "Half-open code-point spans into the version's canonical text whose renderings join to the text.", True)
_f("locator", S, "Other position: 'row=3', 'page=2;box=…', 'key=…'.")
_f("cells", pa.list_(CELL), "Cells of a row, or the value of an infobox field: column header or key, text, spans.")
_f("links", pa.list_(LINK), "Wikilinks or hyperlinks: half-open offsets in `text`, and the target title or address.")

# --- chunks
_f("chunk_id", S, "H(document_id, granularity, kind, normalized text, occurrence).", True)
_f("granularity", S, "Chunk size class: 'passage'.", True)
_f("header", S, "Table caption and column headers that the rendition carries; '' elsewhere.", True)
_f("rendition", S, "What is indexed and embedded: title and heading path, header, text.", True)
_f("text_hash", S, "Hash of text.", True)
_f("rendition_hash", S, "Hash of rendition; vectors are shared by it.", True)
_f("tokens", I32, "Length of the rendition in tokens of the profile's counter (words and marks).", True)
_f("config_version", S, "Hash of the chunk profile.", True)
_f("element_ids", STRINGS, "Elements the chunk was made from, in order.", True)
_f("pieces", pa.list_(pa.struct([("kind", S), ("source_spans", SPANS), ("start", I32), ("end", I32)])),
   "How text is joined: renderer kind, source spans, and half-open offsets in `text`; gaps between are newlines.", True)
_f("previous_id", S, "Chunk before this one in the document.")
_f("next_id", S, "Chunk after this one in the document.")
_f("valid_from", DAY, "First day of the document's own stated force; null = not stated.")
_f("valid_to", DAY, "First day after the document's own stated force; null = not stated.")

# --- sentences, mentions
_f("change_id", S, "H(document_id, slot, revisions, texts).", True)
_f("slot", S, "What changed: parameter:<infobox key>, text (a sentence), or page (a whole revision).", True)
_f("old_text", S, "What the slot showed before; '' = nothing.", True)
_f("new_text", S, "What the slot showed then; '' = nothing.", True)
_f("sentence_id", S, "H(document_id, sentence, occurrence).", True)
_f("sentence", S, "The sentence (or the row, or infobox line) that states the fact.", True)
_f("sentence_start", I32, "Offset of the sentence in the chunk's text.", True)
_f("occurrence", I32, "Occurrence of the equal sentence in the document, from 0.", True)
_f("analysis", S, "analysed | dropped:<reason>.", True)
_f("mention_id", S, "H(document_id, sentence, occurrence, argument offsets, predicate with its scope, extractor).", True)
_f("subject", S, "Subject as written (mentions) or its entity's name (claims, nuggets).", True)
_f("subject_span", SPAN, "Offsets in the sentence; null where the subject is the page's or the heading's.")
_f("subject_basis", S, "text | page | heading | pronoun: where the subject comes from.", True)
_f("subject_type", S, "Entity type of the subject: PERSON, ORG, GPE, …; '' unknown.", True)
_f("predicate", S, "mentions: relation as written or its trigger; claims, nuggets: canonical predicate.", True)
_f("predicate_span", SPAN, "Offsets of the trigger in the sentence.")
_f("subject_target", S, "Page title that the subject links to, or the page's own title; '' = none.", True)
_f("object_target", S, "Page title that the object links to; '' = none.", True)
_f("object", S, "Object as written (mentions), canonical display form (claims, nuggets).", True)
_f("object_span", SPAN, "Offsets in the sentence.")
_f("condition", S, "Condition the fact holds under, as written; '' = none.", True)
_f("cues", pa.list_(CUE), "Temporal expressions that bear on this mention: role (start, end, until, since, point, asof, former, current), text, offsets in the sentence.", True)
_f("polarity", S, "positive | negative.", True)
_f("modality", S, "asserted | planned | hypothetical.", True)
_f("attribution", S, "Who is said to say so; '' = the document itself.", True)
_f("extractor", S, "Extractor and rule family: spacy, infobox, table, list.", True)
_f("confidence", F32, "0..1.", True)
_f("scope", S, "Scope taken out of the role: acting, deputy, region, unit, series; '' = none.", True)

# --- linking
_f("surface", S, "Name as written.", True)
_f("entity_type", S, "PERSON, ORG, GPE, …; '' unknown.", True)
_f("target", S, "Page title the surface links to, or is; '' where none.", True)
_f("mentions_n", I32, "How often the surface occurs in the document.", True)
_f("local_form", S, "Longer name in the same document that the surface is short for; '' = none.", True)
_f("entity_id", S, "Entity, by page, alias file, or folded name.", True)
_f("entity_name", S, "Display name of the entity.", True)
_f("link_basis", S, "page | redirect | wikilink | alias | introduction | string | name.", True)

# --- claims
_f("key_id", S, "H(tenant, subject, predicate, scope).", True)
_f("claim_id", S, "H(mention_id, key, object).", True)
_f("subject_id", S, "Entity of the subject.", True)
_f("object_id", S, "Entity of the object, or canonical typed value: what equality and ids see.", True)
_f("object_type", S, "entity | quantity | date | string.", True)
_f("value", pa.float64(), "Number of a quantity in `unit`, scale applied; null elsewhere.")
_f("unit", S, "Canonical unit; '' = none.", True)
_f("cardinality", S, "functional | multi | event: from the predicate file; unknown predicates are multi.", True)
for _name, _what in (("start_min", "Earliest possible first day."), ("start_max", "Latest possible first day."),
                     ("end_min", "Earliest possible first day without the fact."), ("end_max", "Latest possible first day without the fact.")):
    _f(_name, DAY, _what + " Null = uninformative.")
for _side in ("start", "end"):
    _f(f"{_side}_basis", S, f"Where the {_side} comes from: explicit, table, infobox, revision, succession, document; '' = unknown.", True)
    _f(f"{_side}_confidence", F32, f"0..1 for the {_side} bound.", True)
_f("rule_id", S, "Rule that set the validity.", True)
_f("recorded_from", INSTANT, "When a source first said it.")
_f("recorded_to", INSTANT, "When a source was first seen to say it no longer; null while it stands.")
_f("history", S, "What the page's history says of the claim: nothing ('' or null), succeeded, removed, corrected, vandalism.")

# --- origins
_f("sketch", pa.list_(pa.uint32()), "MinHash values of the document's shingles; null where the text is too short.")
_f("source_group", S, "Documents of one group count as one source.", True)
_f("scheme", S, "Sketch scheme, seed and version.", True)
_f("from_id", S, "Copying or citing document.", True)
_f("to_id", S, "Copied or cited document.", True)
_f("edge", S, "copy_of | cites | shared_upstream.", True)
_f("evidence", S, "What shows it.", True)

# --- values, nuggets
_f("value_id", S, "H(key, object): equal claims of one key.", True)
_f("nugget_id", S, "H(label, key, object, start year or '?', n).", True)
_f("state", S, "active | deprecated | contested.", True)
_f("reason", S, "Why the state: reason code.", True)
_f("source_count", I32, "Independent sources (distinct source groups).", True)
_f("source_groups", STRINGS, "The source groups, sorted.", True)
_f("claim_ids", STRINGS, "All claims united in the nugget, sorted.", True)
_f("supersedes", STRINGS, "Nuggets of the same key that this one follows.", True)
_f("superseded_by", STRINGS, "Nuggets of the same key that follow this one.", True)
_f("decision_id", S, "H(label, key, nugget or claim, rule).", True)
_f("rule", S, "Conflict rule that decided.", True)
_f("conflict_type", S, "contradiction | scope | condition | period | granularity | unit; '' = none.", True)
_f("verdict", S, "decisions: accepted | closed | deprecated | contested | rejected. changes: succession | correction | wording | removal | addition | rename | revert | vandalism.", True)
_f("against", STRINGS, "Nuggets it was weighed against.", True)

# --- vectors, lineage, quarantine, sources
_f("vector", pa.list_(pa.float16()), "Unit-length embedding of the rendition.", True)
_f("id", S, "Id of an index document: its nugget_id or chunk_id.", True)
_f("store", S, "nuggets | chunks.", True)
_f("hidden_for", STRINGS, "Labels whose own verdict on the key replaces this public nugget for their holders.", True)
_f("old_id", S, "Id that went.", True)
_f("new_id", S, "Id that took its place; null where nothing did.")
_f("lineage_kind", S, "chunk | nugget | document.", True)
_f("release", S, "Release in which it happened.", True)
_f("quarantine_id", S, "H(stage, document, where, reason).", True)
_f("stage", S, "Stage that wrote the row.", True)
_f("severity", S, "info (dropped for a reason) | error.", True)
_f("where", S, "Place: line, offset, element, file.", True)
_f("detail", S, "What was found, what was expected, what to do.", True)

FIELDS: dict[str, FieldSpec] = {f.name: f for f in _ALL}
if len(FIELDS) != len(_ALL):
    raise AssertionError("a field is described twice")
