"""The alias file: names that are one thing, and names that must never become one.

[[same]]
id = "ibm"                                   # never changes: the entity's id rests on it
names = ["IBM", "International Business Machines"]
type = "ORG"                                 # optional

[[different]]
names = ["World War I", "World War II"]
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schemas.errors import ConfigError
from schemas.ids import fold_name

_KEYS = {"same": {"id", "names", "type"}, "different": {"names"}}
_TYPES = ("PERSON", "ORG", "GPE", "LOC", "FAC", "NORP", "EVENT", "WORK_OF_ART", "PRODUCT", "LAW", "LANGUAGE")


@dataclass(frozen=True, slots=True)
class Same:
    """Names of one thing."""

    id: str
    names: tuple[str, ...]
    type: str


@dataclass(frozen=True)
class Aliases:
    """`by_name`: folded name -> group; `different`: sets of folded names."""

    same: tuple[Same, ...]
    different: tuple[frozenset[str], ...]

    @property
    def by_name(self) -> dict[str, Same]:
        return {fold_name(n): group for group in self.same for n in group.names}


def read_aliases(data: Mapping[str, Any]) -> Aliases:
    """Checks the parsed alias file. Raises ConfigError naming the entry, what was expected and the remedy."""
    for key in data:
        if key not in _KEYS:
            close = difflib.get_close_matches(key, _KEYS, n=1)
            raise ConfigError(
                f"aliases: unknown table [[{key}]]",
                expected="[[same]] or [[different]]",
                fix=f"did you mean [[{close[0]}]]?" if close else "",
            )
    same = tuple(_same(n, entry) for n, entry in enumerate(_entries(data, "same"), 1))
    different = tuple(
        frozenset(fold_name(x) for x in _names(f"[[different]] entry {n}", entry, "different"))
        for n, entry in enumerate(_entries(data, "different"), 1)
    )
    _check(same, different)
    return Aliases(same, different)


def _entries(data: Mapping[str, Any], table: str) -> list:
    found = data.get(table, [])
    if not isinstance(found, list):
        raise ConfigError(
            f"aliases: `{table}` is one table", expected=f"a list: [[{table}]]", fix="use double brackets"
        )
    return found


def _names(where: str, entry: Any, table: str) -> tuple[str, ...]:
    if not isinstance(entry, Mapping):
        raise ConfigError(
            f"aliases: {where} is not a table", expected=f"[[{table}]] with {', '.join(sorted(_KEYS[table]))}"
        )
    extra = sorted(set(entry) - _KEYS[table])
    if extra:
        raise ConfigError(
            f"aliases: {where} has unknown key(s) {', '.join(extra)}", expected=", ".join(sorted(_KEYS[table]))
        )
    names = entry.get("names")
    if not isinstance(names, list) or not all(isinstance(n, str) and n.strip() for n in names):
        raise ConfigError(f"aliases: {where}: names = {names!r}", expected="a list of non-empty strings")
    if len({fold_name(n) for n in names}) < (1 if table == "same" else 2):
        raise ConfigError(
            f"aliases: {where} has too few distinct names", expected="at least two names that differ beyond case"
        )
    return tuple(names)


def _same(n: int, entry: Any) -> Same:
    where = f"[[same]] entry {n}"
    names = _names(where, entry, "same")
    ident, kind = entry.get("id"), entry.get("type", "")
    if not isinstance(ident, str) or not ident.strip():
        raise ConfigError(f"aliases: {where} ({names[0]}) has no id", expected='id = "a-short-name" that never changes')
    if kind not in ("", *_TYPES):
        raise ConfigError(f"aliases: {where} ({ident}): type = {kind!r}", expected=", ".join(_TYPES))
    return Same(ident, names, kind)


def _check(same: tuple[Same, ...], different: tuple[frozenset[str], ...]) -> None:
    ids: set[str] = set()
    owner: dict[str, str] = {}
    for group in same:
        if group.id in ids:
            raise ConfigError(
                f"aliases: two [[same]] entries have the id {group.id!r}", fix="give each its own id, or join them"
            )
        ids.add(group.id)
        for name in group.names:
            other = owner.setdefault(fold_name(name), group.id)
            if other != group.id:
                raise ConfigError(
                    f"aliases: {name!r} is in both {other!r} and {group.id!r}",
                    expected="each name in one [[same]] entry",
                )
    for names in different:
        held: dict[str, str] = {}
        for name in sorted(names):
            group = owner.get(name)
            if group and group in held:
                raise ConfigError(
                    f"aliases: {held[group]!r} and {name!r} are the same by {group!r} and different by a [[different]] entry",
                    expected="one or the other",
                    fix="remove one of the two entries",
                )
            if group:
                held[group] = name
