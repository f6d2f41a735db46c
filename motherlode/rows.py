"""Single rows as typed values, and days as text. Heavy libraries are imported by the functions that need them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from motherlode.results import Interval
from schemas.time import day_from_civil, day_of_instant, iso

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Nugget:
    """One governed fact as it is stored. `recorded_*` are the instants (UTC) at which sources first and last said it."""

    id: str
    key_id: str
    kind: str
    subject: str
    subject_id: str
    predicate: str
    scope: str
    object: str
    object_id: str
    object_type: str
    value: float | None
    unit: str
    condition: str
    text: str
    valid: Interval
    recorded_from: str | None
    recorded_to: str | None
    state: str
    reason: str
    acl: tuple[str, ...]
    tenant: str
    source_count: int
    claim_ids: tuple[str, ...]
    supersedes: tuple[str, ...]
    superseded_by: tuple[str, ...]
    confidence: float
    language: str | None


@dataclass(frozen=True)
class Chunk:
    """One unit of text retrieval as it is stored. `source_spans` count in the canonical text of `version_id`.

    `valid_from` and `valid_to` (half open) are what the document says of its own force, never its date.
    """

    id: str
    document_id: str
    version_id: str
    kind: str
    ordinal: int
    title: str | None
    heading_path: tuple[str, ...]
    text: str
    rendition: str
    source_spans: tuple[tuple[int, int], ...]
    parent_id: str | None
    previous_id: str | None
    next_id: str | None
    acl: tuple[str, ...]
    tenant: str
    language: str | None
    valid_from: str | None
    valid_to: str | None


def iso_day(value: Any) -> str | None:
    """ISO text, with astronomical years, of a day from `table`, `sql` or `pandas`; None for null.

    Takes an int of days since 1970-01-01, a `date`, a date32 scalar, a numpy `datetime64` or a pandas Timestamp. (pandas
    itself writes 44 BC as `-043-03-15`, which is not ISO 8601.) Raises TypeError on anything else.
    """
    import numpy as np

    if value is None or type(value).__name__ == "NaTType":
        return None
    if type(value).__name__ == "Date32Scalar":
        return iso(value.value)
    if isinstance(value, np.datetime64):
        return None if np.isnat(value) else iso(int(value.astype("datetime64[D]").astype("int64")))
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return iso(int(value))
    if all(hasattr(value, part) for part in ("year", "month", "day")):
        return iso(day_from_civil(int(value.year), int(value.month), int(value.day)))
    raise TypeError(f"not a day: {value!r}")


def iso_instant(seconds: int | None) -> str | None:
    """ISO text, UTC, of an instant in seconds since the epoch."""
    if seconds is None:
        return None
    rest = seconds % 86400
    return f"{iso(day_of_instant(seconds))}T{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}Z"


def plain_row(table: pa.Table) -> dict[str, Any]:
    """The first row of a table as plain data: days and instants as ISO text (Python dates fail before year 1)."""
    import pyarrow as pa

    row: dict[str, Any] = {}
    for column in table.schema:
        cell = table[column.name][:1]
        if pa.types.is_date32(column.type):
            row[column.name] = iso(cell.cast(pa.int32()).to_pylist()[0])
        elif pa.types.is_timestamp(column.type):
            row[column.name] = iso_instant(cell.cast(pa.timestamp("s", column.type.tz)).cast(pa.int64()).to_pylist()[0])
        else:
            row[column.name] = cell.to_pylist()[0]
    return row


def nugget_of(row: dict[str, Any]) -> Nugget:
    """A row of `nuggets`, as `plain_row` gives it."""
    valid = Interval(**{f.name: row[f.name] for f in dataclasses.fields(Interval)})
    return Nugget(**_taken(Nugget, row), id=row["nugget_id"], valid=valid)


def chunk_of(row: dict[str, Any]) -> Chunk:
    """A row of `chunks`, as `plain_row` gives it."""
    spans = tuple((s["start"], s["end"]) for s in row["source_spans"])
    return Chunk(**{**_taken(Chunk, row), "source_spans": spans}, id=row["chunk_id"])


def _taken(kind: type[Any], row: dict[str, Any]) -> dict[str, Any]:
    """What the class and the row both name; lists as tuples."""
    names = [f.name for f in dataclasses.fields(kind) if f.name in row]
    return {n: tuple(row[n]) if isinstance(row[n], list) else row[n] for n in names}
