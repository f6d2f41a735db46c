"""Human verdicts: `[[pin]]` and `[[suppress]]` in the override file.

Guarantees: an override is applied to a key only where it names exactly one nugget of it (subject, predicate, object, and
a day on which it possibly holds); one that names none, or several, is applied to nothing and reported. Names are compared
case-folded; ids work as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from schemas.errors import ConfigError
from schemas.ids import fold_name
from schemas.tables import TABLES, quarantine_row
from schemas.time import parse_iso
from tasks.conflict.rows import UNDONE
from tasks.conflict.unite import NEG, POS

FIELDS = ("subject", "predicate", "object", "day", "reason", "scope", "tenant")


@dataclass(frozen=True)
class Override:
    """One verdict. `days` is None where no day is given: then the value must have one tenure."""

    kind: str
    subject: str
    predicate: str
    object: str
    scope: str
    tenant: str
    days: tuple[int, int] | None
    reason: str
    where: str

    def meets(self, slo: int, ehi: int) -> bool:
        """Whether a tenure possibly holds on the day (or on one of the days, where a month or year is given)."""
        return self.days is None or (slo <= self.days[1] and self.days[0] < ehi)


def read_overrides(section: Mapping[str, Any]) -> list[Override]:
    """The override file's content, checked. Raises ConfigError naming the entry, what it lacks and how to mend it."""
    extra = sorted(set(section) - {"pin", "suppress"})
    if extra:
        raise ConfigError(f"overrides: unknown table [[{extra[0]}]]", expected="[[pin]] or [[suppress]]")
    out = []
    for kind in ("pin", "suppress"):
        for n, entry in enumerate(section.get(kind, ()), 1):
            where = f"overrides: [[{kind}]] {n}"
            unknown = sorted(set(entry) - set(FIELDS))
            missing = [f for f in ("subject", "predicate", "object", "reason") if not str(entry.get(f, "")).strip()]
            if unknown or missing:
                what = f"has the unknown key `{unknown[0]}`" if unknown else f"lacks {', '.join(missing)}"
                raise ConfigError(f"{where} {what}", expected=", ".join(FIELDS[:5]) + " (and scope, tenant where needed)")
            days = None
            if entry.get("day") not in (None, ""):
                try:
                    found = parse_iso(str(entry["day"]))
                except ValueError as error:
                    raise ConfigError(f"{where}: day: {error}", fix="give one day inside the interval") from None
                days = (found.first, found.last)
            out.append(Override(
                kind, fold_name(entry["subject"]), entry["predicate"], fold_name(str(entry["object"])),
                entry.get("scope", ""), entry.get("tenant", "default"), days, entry["reason"], where,
            ))
    return out


class OverrideIndex:
    """Overrides by predicate, so that a key that none names costs one look-up."""

    def __init__(self, overrides: list[Override]) -> None:
        self.all = overrides
        self.by_predicate: dict[str, list[Override]] = {}
        for o in overrides:
            self.by_predicate.setdefault(o.predicate, []).append(o)

    def for_key(self, tenant: str, subject_id: str, subject: str, predicate: str, scope: str) -> list[Override]:
        """The overrides that name this key."""
        found = self.by_predicate.get(predicate)
        if not found:
            return []
        names = (subject_id, fold_name(subject))
        return [o for o in found if o.subject in names and o.scope == scope and o.tenant == tenant]


def report_unmatched(config: Mapping[str, Any], tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """nuggets -> quarantine: one info row for each override that names no nugget of the corpus, or several of one label.

    Nuggets that pages take back count only where no other is named."""
    index = OverrideIndex(read_overrides(config["overrides"]))
    hits: dict[str, dict[str, list[int]]] = {o.where: {} for o in index.all}
    table = tables["nuggets"]
    if index.all:
        names = ("tenant", "subject_id", "subject", "predicate", "scope", "reason", "object_id", "object", "label")
        columns = [table[c].to_pylist() for c in names]
        slo = [NEG if v is None else v for v in table["start_min"].cast(pa.int32()).to_pylist()]
        ehi = [POS if v is None else v for v in table["end_max"].cast(pa.int32()).to_pylist()]
        for *key, reason, object_id, obj, label, first, until in zip(*columns, slo, ehi, strict=True):
            for o in index.for_key(*key):
                if o.object in (object_id, fold_name(obj)) and o.meets(first, until):
                    hits[o.where].setdefault(label, [0, 0])[reason in UNDONE] += 1
    rows = []
    for o in index.all:
        most = max((stated or undone for stated, undone in hits[o.where].values()), default=0)
        if most != 1:
            rows.append(quarantine_row(
                "conflict", "", o.where, "override_unmatched",
                f"{o.kind} {o.subject} / {o.predicate} / {o.object} matches {most} nuggets, expected 1; it was not applied. "
                f"Its reason was: {o.reason}", "info",
            ))
    return {"quarantine": TABLES["quarantine"].from_rows(rows)}
