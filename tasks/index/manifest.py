"""What an index rests on, as plain data. Any change of it is another index; a store that was built with another is
refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schemas.encoder import describe
from schemas.tables import SCHEMA_VERSION

LUCENE_VERSION = "10.5.0"  # inside the locked pyserini; the index is not built with another
INDEX_FORMAT = 1  # fields, filter terms and record layout of warehouse.lucene_index and warehouse.vectors
# Lucene's EnglishAnalyzer.ENGLISH_STOP_WORDS_SET, spelled out so that a change of the library changes nothing here.
ENGLISH_STOP_WORDS = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with"
).split()


def manifest(config: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The manifest of both stores by the sections `index` and `embed` of the config; JSON-serialisable."""
    index, embed = config["index"], config["embed"]
    stemmer = index["stemmer"]
    return {
        "schema_version": SCHEMA_VERSION,
        "index_format": INDEX_FORMAT,
        "lucene": LUCENE_VERSION,
        "characters": "NFKC; ':' and '_' separate words",
        "analyzers": {
            "en": {
                "analyzer": "english" if stemmer == "porter" else "standard",
                "stemmer": stemmer,
                "stop_words": ENGLISH_STOP_WORDS[:],
            },
            "std": {"analyzer": "standard", "stemmer": "none", "stop_words": []},
        },
        "synonyms": list(index["synonyms"]),
        "weights": {name: float(index["weights"][name]) for name in sorted(index["weights"])},
        "k1": float(index["k1"]),
        "b": float(index["b"]),
        "embedding": {"enabled": True, **describe(embed["model"], embed["max_tokens"])}
        if embed["enabled"]
        else {"enabled": False},
        "ann": {"method": "exact", "seed": None, "stored_as": "float16"},
    }
