"""Deterministic ids: BLAKE2b over a length-prefixed, type-tagged encoding, so that no two field lists collide.

No uuid, no wall clock, no row number. An id is 24 lower-case hex digits (96 bits). The kind of the id is hashed with
the fields (as the BLAKE2b `person`), so a document and a chunk with the same fields have different ids.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence

ID_BYTES = 12
ID_CHARS = 2 * ID_BYTES

Field = str | int | bool | bytes | None | Sequence["Field"]

_WHITE = re.compile(r"\s+")


def encode(fields: Iterable[Field]) -> bytes:
    """Injective encoding of a field list: every item carries its type and its length."""
    out = bytearray()
    for field in fields:
        if type(field) is str:  # nearly all fields are
            raw = field.encode("utf-8", "surrogatepass")
            out += b"s%d:%b" % (len(raw), raw)
        else:
            _encode_into(out, field)
    return bytes(out)


def _encode_into(out: bytearray, field: Field) -> None:
    if field is None:
        out += b"n;"
    elif isinstance(field, bool):
        out += b"t;" if field else b"f;"
    elif isinstance(field, int):
        raw = b"%d" % field
        out += b"i%d:" % len(raw) + raw
    elif isinstance(field, str):
        raw = field.encode("utf-8", "surrogatepass")
        out += b"s%d:" % len(raw) + raw
    elif isinstance(field, bytes):
        out += b"b%d:" % len(field) + field
    elif isinstance(field, list | tuple):
        out += b"l%d:" % len(field)
        for item in field:
            _encode_into(out, item)
    else:
        raise TypeError(f"an id field must be str, int, bool, bytes, None or a list of these, not {type(field)!r}")


def make_id(kind: str, *fields: Field) -> str:
    """H(fields) for one kind of id; 24 hex digits. `kind` is at most 16 ASCII characters."""
    person = kind.encode("ascii")
    return hashlib.blake2b(encode(fields), digest_size=ID_BYTES, person=person).hexdigest()


def content_hash(data: bytes | str) -> str:
    """Hash of a content (32 hex digits), for objects, texts and comparisons of equality."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return hashlib.blake2b(raw, digest_size=16).hexdigest()


def shard_of(unit: str, shards: int) -> int:
    """Shard of a unit by its first four hex digits; `shards` is a power of two up to 65,536.

    '' is in shard 0; what is no id (a file's name in `quarantine`) is hashed first.
    """
    if not unit:
        return 0
    try:
        return int(unit[:4], 16) & (shards - 1)
    except ValueError:
        return int(content_hash(unit)[:4], 16) & (shards - 1)


def normalize_text(text: str) -> str:
    """NFC, runs of white space to one space, ends stripped: what `chunk_id` sees."""
    return _WHITE.sub(" ", unicodedata.normalize("NFC", text)).strip()


def fold_name(text: str) -> str:
    """Case-folded NFKC with single spaces: what an unlinked entity's id sees."""
    return _WHITE.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def document_id(source: str, native_key: str) -> str:
    """`source` is the wiki's dbname for MediaWiki, the source's name for files and records."""
    return make_id("document", source, native_key)


def version_id(document: str, revision: str) -> str:
    """`revision` is the revision id, or the content hash where a source has no revisions."""
    return make_id("version", document, revision)


def block_id(document: str, wikitext: str) -> str:
    return make_id("block", document, wikitext)


def element_id(version: str, spans: Sequence[tuple[int, int]], kind: str) -> str:
    return make_id("element", version, [[int(s), int(e)] for s, e in spans], kind)


def chunk_id(document: str, granularity: str, kind: str, text: str, occurrence: int) -> str:
    """`occurrence` counts equal normalized texts of one document in document order, from 0."""
    return make_id("chunk", document, granularity, kind, normalize_text(text), occurrence)


def sentence_id(document: str, sentence: str, occurrence: int) -> str:
    return make_id("sentence", document, sentence, occurrence)


def mention_id(
    document: str, sentence: str, occurrence: int, offsets: Sequence[int | None], predicate: str, extractor: str
) -> str:
    """`offsets` are the argument offsets within the sentence, so that re-chunking keeps the id."""
    return make_id("mention", document, sentence, occurrence, list(offsets), predicate, extractor)


def key_id(tenant: str, subject_id: str, predicate: str, scope: str) -> str:
    return make_id("key", tenant, subject_id, predicate, scope)


def claim_id(mention: str, key: str, obj: str) -> str:
    return make_id("claim", mention, key, obj)


def value_id(key: str, obj: str) -> str:
    return make_id("value", key, obj)


def nugget_id(label: str, key: str, obj: str, start_year: int | None, n: int) -> str:
    """`n` counts only intervals of that value that start in the same year, from 0."""
    return make_id("nugget", label, key, obj, "?" if start_year is None else start_year, n)


def page_entity_id(wiki: str, page: str) -> str:
    return make_id("entity", "page", wiki, page)


def alias_entity_id(alias: str) -> str:
    return make_id("entity", "alias", alias)


def name_entity_id(name: str, entity_type: str, local_document: str | None = None) -> str:
    return make_id("entity", "name", fold_name(name), entity_type, local_document)


def label_of(acl: Sequence[str] | None) -> str:
    """The access label of a document: its sorted groups joined by a comma; '' is readable by nobody."""
    return ",".join(sorted(set(acl or ())))
