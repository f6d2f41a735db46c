"""All DuckDB connections are made here: in-memory, bounded, with nothing installed behind one's back."""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb


def connect(*, threads: int = 1, memory_limit_mb: int = 2048, temp_folder: Path | None = None) -> duckdb.DuckDBPyConnection:
    """An in-memory connection. Insertion order is kept, extensions are neither installed nor loaded by themselves."""
    folder = str(temp_folder or Path(tempfile.gettempdir()) / "lode-duckdb")
    return duckdb.connect(
        ":memory:",
        config={
            "threads": threads,
            "memory_limit": f"{memory_limit_mb}MB",
            "temp_directory": folder,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "preserve_insertion_order": True,
        },
    )


def quote(name: str) -> str:
    """A quoted identifier: `values` and `where` are key words."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
