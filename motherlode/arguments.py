"""Arguments that the types already rule out, for callers that no type checker reads: each is refused by name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

from schemas.errors import UsageError

LARGEST = 2**31 - 1  # what Lucene counts with


def text(value: object, name: str, expected: str = "text") -> str:
    """A str, as it is."""
    if not isinstance(value, str):
        raise wrong_type(value, name, expected)
    return value


def name_of(value: object, name: str, expected: str) -> str:
    """A str that is not empty."""
    if text(value, name, expected) == "":
        raise UsageError(f"{name} is empty", expected=expected)
    return str(value)


def folder(value: object) -> str | os.PathLike[str] | None:
    """The folder of a warehouse; None where none is given."""
    if value is None:
        return None
    expected = "a folder made by `lode init`, or None for that of LODE_WAREHOUSE, else data/warehouse"
    try:
        path = os.fspath(value)  # type: ignore[call-overload]
    except TypeError:
        raise wrong_type(value, "warehouse", expected) from None
    return name_of(path, "warehouse", expected)


def flag(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise wrong_type(value, name, "True or False")
    return value


def number(value: object, name: str, least: int) -> int:
    """A whole number, numpy's too; no bool."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise wrong_type(value, name, f"a whole number from {least}")
    whole = int(value)
    if not least <= whole <= LARGEST:
        raise UsageError(f"{name} is {whole}", expected=f"a whole number from {least} to {LARGEST}")
    return whole


def optional_number(value: object, name: str, least: int) -> int | None:
    return None if value is None else number(value, name, least)


def pair(value: object, name: str) -> tuple[Any, Any]:
    """A sequence of two that are both given."""
    expected = 'two days, half open, as in ("2015-01-01", "2016-01-01")'
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise wrong_type(value, name, expected)
    if len(value) != 2:
        raise UsageError(f"{name} has {len(value)} item(s)", expected=expected)
    if value[0] is None or value[1] is None:
        raise UsageError(f"{name} {tuple(value)!r} leaves a day out", expected=expected)
    return value[0], value[1]


def names(value: object, name: str) -> list[str]:
    """A sequence of str, not empty, each once."""
    expected = "a list of names, or None for all"
    if isinstance(value, str | bytes) or not isinstance(value, Sequence) or not value:
        raise wrong_type(value, name, expected)
    for item in value:
        if not isinstance(item, str):
            raise wrong_type(item, f"an item of {name}", expected)
    if len(set(value)) < len(value):
        raise UsageError(f"{name} {list(value)!r}", expected="each name once")
    return list(value)


def parameters(value: object) -> Sequence[Any] | dict[str, Any] | None:
    """Values of a statement: a sequence for `?`, a mapping for `$name`."""
    if isinstance(value, Mapping):
        for key in value:
            text(key, "a name in params", "the name after the $")
        return dict(value)
    if value is None or (isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)):
        return value
    raise wrong_type(value, "params", "a list for ?, or a dict for $name")


def hooks(value: object) -> tuple[Any, ...]:
    expected = "a list of objects with hooks of retrieval.hooks"
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise wrong_type(value, "plugins", expected)
    out = tuple(value)
    if len({id(p) for p in out}) < len(out):
        raise UsageError("plugins holds an object twice", expected=expected)
    for item in out:
        if item is None or isinstance(item, str | bytes | int | float):
            raise wrong_type(item, "an item of plugins", expected)
    return out


def wrong_type(value: object, name: str, expected: str) -> UsageError:
    """A refusal that shows the value, cut where it is long, and its type."""
    shown = repr(value)
    return UsageError(f"{name} is {shown if len(shown) <= 60 else shown[:57] + '…'} ({type(value).__name__})", expected=expected)
