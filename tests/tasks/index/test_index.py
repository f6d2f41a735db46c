"""The stage index: documents of chunks and nuggets, and the manifest."""

import json

import pyarrow as pa
import pytest

from schemas.config import CONFIG_DIR, Config, resolve
from schemas.errors import LodeError
from schemas.fields import DAY, INSTANT, STRINGS
from schemas.ids import content_hash, label_of, make_id
from schemas.search import INDEX_DOCS
from tasks.index import STAGE, manifest
from tasks.index.docs import predicate_wordings
from warehouse.manifest import check_manifest

CONFIG = resolve(Config(), CONFIG_DIR)
TYPES = {
    "acl": STRINGS,
    "heading_path": STRINGS,
    **dict.fromkeys(("start_min", "start_max", "end_min", "end_max", "valid_from", "valid_to"), DAY),
    **dict.fromkeys(("recorded_from", "recorded_to", "source_date", "shown_from", "shown_to"), INSTANT),
}


def run(step_name: str, rows: list[dict]) -> list[dict]:
    step = next(s for s in STAGE.steps if s.name == step_name)
    (read,), (written,) = step.reads, step.writes
    schema = pa.schema([(name, TYPES.get(name, pa.string())) for name in read.columns])
    table = step.run(
        {name: CONFIG[name] for name in STAGE.config}, {read.table: pa.Table.from_pylist(rows, schema=schema)}
    )[written]
    table.select(INDEX_DOCS.names).cast(INDEX_DOCS)
    return table.to_pylist()


def nugget(number, **more):
    row = {
        "key_id": make_id("key", "k"),
        "nugget_id": make_id("n", number),
        "subject": "Apple Inc.",
        "predicate": "chief_executive_officer",
        "object": "Tim Cook",
        "text": "Tim Cook is chief executive officer of Apple Inc.",
        "text_hash": content_hash("t"),
        "rendition_hash": content_hash("r"),
        "acl": ["public"],
        "tenant": "default",
        "kind": "fact",
        "state": "active",
        "language": "en",
        **more,
    }
    row["label"] = label_of(row["acl"])
    return row


def chunk(number, **more):
    row = {
        "document_id": make_id("d", "d"),
        "chunk_id": make_id("c", number),
        "title": "Apple",
        "heading_path": ["History", "Early years"],
        "header": "",
        "text": "It began.",
        "text_hash": content_hash("t"),
        "rendition_hash": content_hash("r"),
        "acl": ["public"],
        "tenant": "default",
        "kind": "paragraph",
        "language": None,
        **more,
    }
    row["label"] = label_of(row["acl"])
    return row


def test_a_chunk_is_found_by_title_headings_header_and_text():
    (row,) = run("index.chunk_docs", [chunk(1, header="Sales (USD)", text="2001 | 5", kind="row")])
    assert (row["title"], row["text"]) == ("Apple History Early years", "Sales (USD)\n2001 | 5")
    assert (row["store"], row["state"], row["key_id"], row["language"], row["kind"]) == (
        "chunks",
        "active",
        "",
        "und",
        "row",
    )
    (bare,) = run("index.chunk_docs", [chunk(1, title=None, heading_path=[])])
    assert (bare["title"], bare["text"]) == ("", "It began.")


def test_a_chunk_is_valid_as_its_document_says_and_recorded_from_its_date():
    import datetime as dt

    first, last = dt.date(2001, 1, 1), dt.date(2002, 1, 1)
    (row,) = run("index.chunk_docs", [chunk(1, valid_from=first, valid_to=last, source_date=1000)])
    assert (row["start_min"], row["start_max"], row["end_min"], row["end_max"]) == (first, None, None, last)
    assert row["recorded_from"].timestamp() == 1000 and row["recorded_to"] is None


def test_a_nugget_is_found_by_the_wordings_of_its_predicate():
    (row,) = run("index.nugget_docs", [nugget(1)])
    words = row["predicate"].split()
    assert {"ceo", "chief", "executive", "officer"} <= set(words) and len(words) == len(set(words))
    assert "chairman" not in words and "founder" not in words
    (unknown,) = run("index.nugget_docs", [nugget(1, predicate="was_painted_by")])
    assert unknown["predicate"] == "was painted by"
    (statement,) = run(
        "index.nugget_docs", [nugget(1, kind="statement", predicate="states", object="It rained.", text="It rained.")]
    )
    assert (statement["predicate"], statement["object"], statement["text"]) == ("", "", "It rained.")


def test_a_public_nugget_is_hidden_for_labels_with_a_verdict_of_their_own():
    other_key = make_id("key", "other")
    rows = run(
        "index.nugget_docs",
        [
            nugget(1),
            nugget(2, acl=["legal", "board"]),
            nugget(3, acl=["sales"], state="deprecated"),
            nugget(4, acl=["public", "sales"]),
            nugget(5, key_id=other_key),
            nugget(6, acl=[]),
        ],
    )
    hidden = {row["id"]: row["hidden_for"] for row in rows}
    assert [hidden[make_id("n", i)] for i in range(1, 7)] == [
        ["board,legal", "sales"],
        [],
        [],
        ["board,legal", "sales"],
        [],
        [],
    ]


def test_an_alias_of_two_predicates_is_left_out():
    wordings = predicate_wordings(
        {
            "chair": {"aliases": ["chairman"]},
            "ceo": {"aliases": ["chief executive", "chairman and chief executive"]},
            "founded_by": {"aliases": ["founder"], "inverse_verbs": ["found"]},
            "island": {"aliases": ["Trinidad and Tobago"]},
        }
    )
    assert wordings == {
        "chair": "chair chairman",
        "ceo": "ceo chief executive",
        "founded_by": "founded founder found",
        "island": "island trinidad tobago",
    }


def test_the_manifest_is_plain_and_names_what_the_index_rests_on():
    made = manifest(CONFIG)
    assert json.loads(json.dumps(made)) == made
    for key in ("k1", "b", "weights", "synonyms", "analyzers", "embedding", "lucene", "schema_version", "ann"):
        assert key in made
    assert {
        "sha256",
        "dimension",
        "distance",
        "query_template",
        "document_template",
        "max_tokens",
        "normalization",
    } <= set(made["embedding"])
    check_manifest(made, manifest(CONFIG))


@pytest.mark.parametrize(
    "section, key, value, named",
    [
        ("index", "k1", 1.2, "k1"),
        ("index", "stemmer", "none", "analyzers.en"),
        ("index", "synonyms", ["a, b"], "synonyms"),
        ("index", "weights", {"text": 3.0}, "weights"),
        ("embed", "max_tokens", 64, "embedding.max_tokens"),
        ("embed", "enabled", False, "embedding"),
    ],
)
def test_any_change_is_another_manifest(section, key, value, named):
    changed = {**CONFIG, section: {**CONFIG[section], key: value}}
    with pytest.raises(LodeError) as error:
        check_manifest(manifest(CONFIG), manifest(changed))
    assert error.value.found.startswith(f"the index was built with {named}") and error.value.fix == "lode rerun index"


def test_the_stop_words_are_lucenes():
    from warehouse.lucene_jvm import LOCK, java, start_jvm

    start_jvm()
    with LOCK:
        words = java("org.apache.lucene.analysis.en.EnglishAnalyzer").ENGLISH_STOP_WORDS_SET
        held = [word for word in manifest(CONFIG)["analyzers"]["en"]["stop_words"] if words.contains(word)]
        assert len(held) == words.size() == 33
