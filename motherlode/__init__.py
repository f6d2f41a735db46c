"""The Python API: open a release, read its tables, ask it questions.

    import motherlode

    with motherlode.open_release("data/warehouse") as release:
        answer = release.search("Who was CEO of IBM?", at="2015-06-30")
        nuggets = release.pandas("nuggets", ["subject", "predicate", "object", "start_min"])

What is exported here is the contract, typed throughout; the rooms behind it (`warehouse`, `retrieval`) may change. The
import is light: Arrow, DuckDB, pandas and Java are loaded by the first call that needs them.

`search` shows what its reader may see. All else is for operators and reads everything, whatever the access.
"""

from __future__ import annotations

from importlib.metadata import version

from motherlode.catalog import ReleaseInfo, releases
from motherlode.release import Release, open_release
from motherlode.results import Evidence, Fact, Interval, Passage, Rival, SearchResult
from motherlode.rows import Chunk, Nugget, iso_day
from schemas.errors import LodeError, UsageError

__version__ = version("motherlode")

__all__ = [
    "Chunk",
    "Evidence",
    "Fact",
    "Interval",
    "LodeError",
    "Nugget",
    "Passage",
    "Release",
    "ReleaseInfo",
    "Rival",
    "SearchResult",
    "UsageError",
    "__version__",
    "iso_day",
    "open_release",
    "releases",
]
