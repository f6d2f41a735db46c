"""Shared fixtures: where the real corpora are, if they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORPORA = Path(os.environ.get("LODE_CORPORA", ROOT.parent / "shared" / "corpora"))
SAMPLE = ROOT / "data" / "sample"


@pytest.fixture(scope="session")
def corpora() -> Path:
    """Real public data; the test is skipped where it is absent."""
    if not CORPORA.is_dir():
        pytest.skip("the development corpora are not on this machine (set LODE_CORPORA)")
    return CORPORA


@pytest.fixture(scope="session")
def sample() -> Path:
    return SAMPLE
