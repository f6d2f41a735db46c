"""How a stage is declared: a name, a version, what it reads and writes, and pure functions on Arrow tables.

A stage is one or more steps. A step runs once per shard of its unit column (`by`) or once for the corpus. It takes
tables and gives tables; it never learns where they lie, which release this is, or what day it is.

`Read.mode` says how rows reach a shard:
- `shard`: the rows of the same shard (the table is sharded by the step's unit);
- `shuffle`: the table is sharded by another column; the engine moves each row to the shard of its `by` value;
- `whole`: every row, for steps with `by = None`.

With `incremental`, units (documents, keys) of a changed shard whose input rows are as before are not run again: their
old output rows are taken over. That needs every table written to carry the unit column, and no state across units.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

Tables = dict[str, pa.Table]


@dataclass(frozen=True)
class Read:
    """One input table. `columns` limits what is read; only those columns take part in the shard key of a shuffle."""

    table: str
    mode: str = "shard"
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.mode not in ("shard", "shuffle", "whole"):
            raise ValueError(f"no such read mode: {self.mode}")


@dataclass(frozen=True)
class Step:
    """One pure function of a stage. `run(config, tables) -> tables`; `config` is the stage's config part, as plain data."""

    name: str
    run: Callable[[Mapping[str, Any], Tables], Tables]
    reads: tuple[Read, ...]
    writes: tuple[str, ...]
    by: str | None = "document_id"
    incremental: bool = True


@dataclass(frozen=True)
class Stage:
    """A named, versioned part of the pipeline.

    `config` names the sections of the config whose change reruns the stage; `libraries` the distributions whose version
    does. Bump `version` when the output of equal input changes (`tasks/versions.lock` watches the code).
    """

    name: str
    version: int
    steps: tuple[Step, ...]
    config: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    modules: tuple[str, ...] = field(default=())

    def writes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(t for s in self.steps for t in s.writes))


STAGE_NAMES = (
    "parse", "chunk", "extract", "link", "normalize", "validity", "origins", "dedupe", "conflict", "embed", "index",
)
