"""Documents for the chunk tests: Markdown through the real parser to the real stage."""

from schemas.ids import content_hash, document_id
from schemas.render import render_pieces
from tasks.chunk import STAGE
from tasks.parse import STAGE as PARSE
from tests.pages import HISTORY, parse_input

CHUNK = {"profile": "default", "target_tokens": 180, "max_tokens": 320, "min_tokens": 24}
PARSE_CONFIG = {"namespaces": [0], "max_page_bytes": 1 << 20, "page_timeout_seconds": 20.0, "page_memory_mb": 1024, "max_depth": 40}


def raw_row(key, text, mime="text/markdown", **more):
    raw = text.encode()
    digest = content_hash(raw)
    return {
        "document_id": document_id("docs", key), "source": "docs", "native_key": key, "uri": key, "namespace": 0, "mime": mime,
        "language": "en", "revision": digest, "content_hash": digest, "raw": raw, "acl": ["public"], "tenant": "default",
        "status": "ok" if raw.strip() else "empty",
    } | more


def parse(rows):
    return PARSE.steps[0].run({"parse": PARSE_CONFIG, "history": HISTORY}, parse_input(rows))


def chunk(rows, **profile):
    """(chunks in document order, quarantine rows, parsed tables); every promise of the stage is checked on the way."""
    parsed = parse(rows)
    out = STAGE.steps[0].run({"chunk": CHUNK | profile}, {read.table: parsed[read.table] for read in STAGE.steps[0].reads})
    chunks, notes = out["chunks"].to_pylist(), out["quarantine"].to_pylist()
    check(chunks, notes, parsed)
    return chunks, notes, parsed


def chunk_text(text, mime="text/markdown", **profile):
    return chunk([raw_row("a", text, mime)], **profile)[0]


def check(chunks, notes, parsed):
    sources = {(r["document_id"], r["text_object"]): r["canonical_text"] for r in parsed["texts"].to_pylist()}
    by_id = {c["chunk_id"]: c for c in chunks}
    assert len(by_id) == len(chunks)
    placed = {e for c in chunks for e in c["element_ids"]}
    dropped = {n["where"] for n in notes if n["reason"].startswith("dropped:")}
    assert placed | dropped == set(parsed["elements"]["element_id"].to_pylist()) and not placed & dropped
    for document in {d for d, _ in sources}:
        own = [c for c in chunks if c["document_id"] == document]
        assert [c["ordinal"] for c in own] == list(range(len(own)))
        for n, c in enumerate(own):
            assert c["text"] == render_pieces(sources[document, c["text_object"]], c["pieces"])
            assert c["source_spans"] == [s for p in c["pieces"] for s in p["source_spans"]]
            assert "\n".join(c["text"][p["start"] : p["end"]] for p in c["pieces"]) == c["text"]
            past = c["shown_from"] is not None  # each block of the past stands alone
            assert c["previous_id"] == (own[n - 1]["chunk_id"] if n and not past else None)
            after = own[n + 1]["chunk_id"] if n + 1 < len(own) and own[n + 1]["shown_from"] is None else None
            assert c["next_id"] == (None if past else after)
            assert c["parent_id"] is None or (by_id[c["parent_id"]]["ordinal"] < n and by_id[c["parent_id"]]["document_id"] == document)
            assert c["text_hash"] == content_hash(c["text"]) and c["rendition"].endswith(c["text"])
            assert all(0 <= k["start"] < k["end"] <= len(c["text"]) for k in c["links"])
