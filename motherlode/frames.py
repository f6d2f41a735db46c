"""From Arrow to pandas without losing a day, a null or a type.

A day becomes `datetime64[s]`: pandas' own nanoseconds end in 1677 and 2262, seconds reach any year that a release can
hold, before year 1 too. Integers and booleans become pandas' nullable types, so a null turns no number into a float.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """A frame with the table's columns and rows, in order. Lists and structs are objects (arrays and dicts)."""
    import pandas as pd
    import pyarrow as pa

    nullable: dict[Any, Any] = {
        pa.bool_(): pd.BooleanDtype(), pa.int32(): pd.Int32Dtype(), pa.int64(): pd.Int64Dtype(), pa.uint32(): pd.UInt32Dtype(),
    }
    for i, column in enumerate(table.schema):
        if pa.types.is_date32(column.type):  # whole days are whole seconds; by way of int32, which knows every year
            days = table[column.name].cast(pa.int32()).cast(pa.int64())
            table = table.set_column(i, column.name, pa.compute.multiply(days, 86400).cast(pa.timestamp("s")))
    frame: pd.DataFrame = table.to_pandas(types_mapper=nullable.get)
    return frame
