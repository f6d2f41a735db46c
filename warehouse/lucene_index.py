"""Builds a Lucene index of INDEX_DOCS rows: always fresh, one segment, documents in the order of their ids.

So no deleted document weighs on BM25's statistics, and Lucene's own tie-break (lower document number first) is the
tie-break by id. The id is stored as well, for other readers (pyserini, Luke). Each text field is a Lucene field of its
own per store and analyzer (`nuggets.text.en`), so that lengths and document frequencies of nuggets and chunks never
mix. No text is stored. Everything that reconciliation compares lies in one packed binary doc value per document
(`RECORD`).
"""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import LodeError
from schemas.search import INDEX_DOCS, TEXT_FIELDS, hidden_groups
from warehouse.lucene_jvm import LOCK, cast, java, start_jvm
from warehouse.manifest import write_manifest

PACKED = "id"  # Anserini breaks ties by the binary doc value of this name: our record begins with the id's bytes
OPEN_DAY = -(2**31)  # null, in RECORD
MIN_INT, MAX_INT = -(2**31), 2**31 - 1
MIN_LONG, MAX_LONG = -(2**63), 2**63 - 1
DAYS = ("start_min", "start_max", "end_min", "end_max")
CODED = ("label", "state", "language", "kind", "tenant")  # few distinct values: a code each, spelled out in the commit
RECORD = np.dtype(
    [("id", "V12"), ("text_hash", "V16"), ("rendition_hash", "V16"), *((day, "<i4") for day in DAYS)]
    + [(name, "<u2") for name in CODED]
)
READ_BACK = pa.schema(
    [
        ("id", pa.string()),
        ("text_hash", pa.string()),
        ("rendition_hash", pa.string()),
        ("label", pa.string()),
        ("state", pa.string()),
    ]
    + [(day, pa.date32()) for day in DAYS]
    + [("language", pa.string()), ("kind", pa.string()), ("tenant", pa.string())]
)
_SHAPES = 4096
_SEPARATORS = str.maketrans(":_", "  ")


def analyzer_of(language: str) -> str:
    """Suffix of the text fields of a language: 'en' (stop words, stemmer) or 'std' (every other language)."""
    return "en" if language.split("-")[0].lower() == "en" else "std"


def clean_text(text: str | None) -> str:
    """What is analysed of a text, in documents and queries alike.

    NFKC, and `:` and `_` separate words (Lucene's tokenizer takes `mayor:John` and `end_date` for one word). A lone
    surrogate, which Java's text cannot hold, becomes '?'.
    """
    if not text:
        return ""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.encode("utf-8", "replace").decode("utf-8"))
    return text.translate(_SEPARATORS)


def make_analyzer(manifest: dict, suffix: str):
    """The Lucene analyzer that the manifest describes. Call under LOCK."""
    told = manifest["analyzers"][suffix]
    words = java("java.util.ArrayList")()
    for word in told["stop_words"]:
        words.add(word)
    stop = java("org.apache.lucene.analysis.CharArraySet")(words, True)
    if told["stemmer"] == "porter":
        return java("org.apache.lucene.analysis.en.EnglishAnalyzer")(stop)
    return java("org.apache.lucene.analysis.standard.StandardAnalyzer")(stop)


def gate(tenant: str, state: str, group: str) -> str:
    """The filter term of one group that may read a document: access, tenant and state are one look-up, not three."""
    return json.dumps([tenant, state, group], ensure_ascii=False, separators=(",", ":"))


def pack(docs: pa.Table) -> tuple[np.ndarray, dict[str, list[str]]]:
    """RECORD rows of the documents and, per coded column, the values that the codes stand for (sorted)."""
    out = np.zeros(docs.num_rows, RECORD)
    for name, digits in (("id", 24), ("text_hash", 32), ("rendition_hash", 32)):
        values = docs[name].to_pylist()
        if any(len(v) != digits for v in values):
            raise LodeError(
                f"a document's {name} is not {digits} hex digits", expected="ids and hashes made by schemas.ids"
            )
        raw = bytes.fromhex("".join(values))
        out[name] = np.frombuffer(raw, f"V{digits // 2}") if raw else np.zeros(0, f"V{digits // 2}")
    for day in DAYS:
        column = docs[day].cast(pa.int32()).fill_null(OPEN_DAY)
        out[day] = column.to_numpy()
    codes = {}
    for name in CODED:
        values = sorted(pc.unique(docs[name]).to_pylist())
        if len(values) > 65_536:
            raise LodeError(f"{len(values)} distinct values of {name}", expected="at most 65,536 in one index")
        codes[name] = values
        code = {value: i for i, value in enumerate(values)}
        out[name] = np.array([code[v] for v in docs[name].to_pylist()], "<u2")
    return out, codes


def unpack(records: np.ndarray, codes: dict[str, list[str]]) -> pa.Table:
    """The READ_BACK table of RECORD rows."""
    columns = {}
    for name, digits in (("id", 24), ("text_hash", 32), ("rendition_hash", 32)):
        text = np.ascontiguousarray(records[name]).tobytes().hex().encode()
        columns[name] = pa.array(np.frombuffer(text, f"S{digits}").astype(str), pa.string())
    for day in DAYS:
        values = np.ascontiguousarray(records[day])
        columns[day] = pa.array(values, pa.int32(), mask=values == OPEN_DAY).cast(pa.date32())
    for name in CODED:
        codes_of = pa.array(np.ascontiguousarray(records[name]).astype("int32"))
        columns[name] = pa.DictionaryArray.from_arrays(codes_of, pa.array(codes[name], pa.string())).cast(pa.string())
    return pa.table([columns[name] for name in READ_BACK.names], schema=READ_BACK)


def _int_range(starts, ends) -> list[tuple[int, int] | None]:
    """[start, end - 1] per document, None where it holds no moment."""
    return [(lo, hi - 1) if lo < hi else None for lo, hi in zip(starts, ends, strict=True)]


def _ranges(docs: pa.Table) -> dict[str, list[tuple[int, int] | None]]:
    """possible, certain and recorded ranges, both ends inclusive; open ends at the extreme of the type."""
    day = {n: docs[n].cast(pa.int32()).to_pylist() for n in DAYS}
    known = {n: docs[n].cast(pa.int64()).to_pylist() for n in ("recorded_from", "recorded_to")}

    def open_start(values, limit):
        return [limit if v is None else v for v in values]

    def open_end(values, limit):
        return [limit + 1 if v is None else v for v in values]

    certain = [
        (lo, hi - 1) if lo is not None and hi is not None and lo < hi else None
        for lo, hi in zip(day["start_max"], day["end_min"], strict=True)
    ]
    return {
        "possible": _int_range(open_start(day["start_min"], MIN_INT), open_end(day["end_max"], MAX_INT)),
        "certain": certain,
        "recorded": _int_range(open_start(known["recorded_from"], MIN_LONG), open_end(known["recorded_to"], MAX_LONG)),
    }


class _Documents:
    """Reused Lucene documents. A shape is what does not vary but in value: which fields, and the filter terms."""

    def __init__(self) -> None:
        self._shapes: dict[tuple, object] = {}
        self._terms: dict[tuple[str, str], object] = {}
        self.fields: dict[str, Any] = {}
        options = java("org.apache.lucene.index.IndexOptions").DOCS_AND_FREQS
        self._text_type = java("org.apache.lucene.document.FieldType")()
        self._text_type.setTokenized(True)
        self._text_type.setIndexOptions(options)
        self._text_type.freeze()
        self._no = java("org.apache.lucene.document.Field$Store").NO
        ref = java("org.apache.lucene.util.BytesRef")(b"\0" * RECORD.itemsize)
        self.fields[PACKED] = java("org.apache.lucene.document.BinaryDocValuesField")(PACKED, ref)
        for name in ("possible", "certain"):
            self.fields[name] = java("org.apache.lucene.document.IntRange")(name, [0], [0])
        self.fields["stored"] = java("org.apache.lucene.document.StoredField")("id", "")
        self.fields["recorded"] = java("org.apache.lucene.document.LongRange")("recorded", [0], [0])

    def text(self, name: str):
        if name not in self.fields:
            blank = java("java.lang.String")("")
            sequence = cast("java.lang.CharSequence", blank)
            self.fields[name] = java("org.apache.lucene.document.Field")(name, sequence, self._text_type)
        return self.fields[name]

    def _term(self, name: str, value: str):
        if (name, value) not in self._terms:
            self._terms[name, value] = java("org.apache.lucene.document.StringField")(name, value, self._no)
        return self._terms[name, value]

    def of(self, names: tuple[str, ...], terms: tuple[tuple[str, str], ...]):
        """A document with these varying fields and these constant filter terms."""
        shape = self._shapes.get((names, terms))
        if shape is None:
            if len(self._shapes) >= _SHAPES:
                self._shapes.clear()
                self._terms.clear()
            shape = java("org.apache.lucene.document.Document")()
            fields = [self.fields[name] for name in names] + [self._term(*term) for term in terms]
            for field in fields:
                shape.add(field)
            self._shapes[names, terms] = shape
        return shape


def build_index(docs: pa.Table, manifest: dict, folder: Path) -> None:
    """Writes a fresh index of an INDEX_DOCS table into `folder`, with the manifest beside it.

    Raises LodeError where the documents do not fit the schema, an id occurs twice, or the running Lucene is not the
    manifest's.
    """
    docs = docs.select(INDEX_DOCS.names).cast(INDEX_DOCS).sort_by("id")
    if len(pc.unique(docs["id"])) != docs.num_rows:
        raise LodeError("an id occurs twice among the documents to index", expected="each id once")
    records, codes = pack(docs)
    folder.mkdir(parents=True, exist_ok=True)
    start_jvm()
    with LOCK:
        _build(docs, manifest, folder, records, codes)
    (folder / "write.lock").unlink(missing_ok=True)
    write_manifest(folder, manifest)


def _build(docs: pa.Table, manifest: dict, folder: Path, records: np.ndarray, codes: dict) -> None:
    found = java("org.apache.lucene.util.Version").LATEST.toString()
    if found != manifest["lucene"]:
        raise LodeError(
            f"this environment runs Lucene {found}",
            expected=f"Lucene {manifest['lucene']}, as the manifest says",
            fix="install the locked requirements",
        )
    file = java("java.io.File")(str(folder))
    path = file.toPath()
    directory = java("org.apache.lucene.store.FSDirectory").open(path)
    config = _writer_config(manifest, docs)
    writer = java("org.apache.lucene.index.IndexWriter")(directory, config)
    try:
        _add_all(writer, docs, records)
        commit = java("java.util.HashMap")()
        families = sorted({(store, analyzer_of(language)) for store, language in _pairs(docs)})
        spelled = json.dumps({"codes": codes, "families": families}, ensure_ascii=True)
        commit.put("lode", spelled)
        entries = commit.entrySet()
        writer.forceMerge(1)
        writer.setLiveCommitData(entries)
        writer.commit()
    finally:
        writer.close()
        directory.close()


def _pairs(docs: pa.Table) -> list[tuple[str, str]]:
    distinct = docs.select(["store", "language"]).group_by(["store", "language"]).aggregate([])
    return list(zip(distinct["store"].to_pylist(), distinct["language"].to_pylist(), strict=True))


def _writer_config(manifest: dict, docs: pa.Table):
    default = make_analyzer(manifest, "std")
    english = make_analyzer(manifest, "en")
    by_field = java("java.util.HashMap")()
    for store in pc.unique(docs["store"]).to_pylist():
        for name in TEXT_FIELDS:
            by_field.put(f"{store}.{name}.en", english)
    analyzer = java("org.apache.lucene.analysis.miscellaneous.PerFieldAnalyzerWrapper")(default, by_field)
    config = java("org.apache.lucene.index.IndexWriterConfig")(analyzer)
    similarity = make_similarity(manifest)
    policy = java("org.apache.lucene.index.LogDocMergePolicy")()  # merges neighbours only: keeps the order by id
    policy.setNoCFSRatio(1.0)  # always one compound file, so that forceMerge has nothing to rewrite after one flush
    scheduler = java("org.apache.lucene.index.SerialMergeScheduler")()
    create = java("org.apache.lucene.index.IndexWriterConfig$OpenMode").CREATE
    mode = java("org.apache.lucene.codecs.lucene104.Lucene104Codec$Mode").BEST_COMPRESSION
    codec = java("org.apache.lucene.codecs.lucene104.Lucene104Codec")(mode)
    config.setCodec(codec)
    config.setSimilarity(similarity)
    config.setMergePolicy(policy)
    config.setMergeScheduler(scheduler)
    config.setOpenMode(create)
    config.setRAMBufferSizeMB(256.0)
    config.setUseCompoundFile(True)
    return config


def make_similarity(manifest: dict):
    return java("org.apache.lucene.search.similarities.BM25Similarity")(float(manifest["k1"]), float(manifest["b"]))


def _add_all(writer, docs: pa.Table, records: np.ndarray) -> None:
    ranges = _ranges(docs)
    columns = {
        name: docs[name].to_pylist()
        for name in docs.column_names
        if name not in (*DAYS, "recorded_from", "recorded_to")
    }
    raw, width = records.tobytes(), RECORD.itemsize
    made = _Documents()
    packed, fields = made.fields[PACKED], made.fields
    for row in range(docs.num_rows):
        names = [PACKED, "stored"]
        prefix, suffix = columns["store"][row], analyzer_of(columns["language"][row])
        for name in TEXT_FIELDS:
            text = clean_text(columns[name][row])
            if text:
                field = f"{prefix}.{name}.{suffix}"
                made.text(field).setStringValue(text)
                names.append(field)
        for name in ("possible", "certain", "recorded"):
            bounds = ranges[name][row]
            if bounds is not None:
                fields[name].setRangeValues([bounds[0]], [bounds[1]])
                names.append(name)
        tenant, state = columns["tenant"][row], columns["state"][row]
        terms = [("gate", gate(tenant, state, group)) for group in sorted(set(columns["acl"][row]))]
        terms += [("hidden_for", group) for group in sorted(hidden_groups(columns["hidden_for"][row]))]
        terms += [(name, columns[name][row]) for name in ("language", "kind")]
        fields["stored"].setStringValue(columns["id"][row])
        packed.setBytesValue(raw[row * width : (row + 1) * width])
        document = made.of(tuple(names), tuple(terms))
        writer.addDocument(document)
