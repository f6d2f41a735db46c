"""Writes docs/data-dictionary.md from the registry: `python -m schemas.dictionary` (a test checks that it is current)."""

from __future__ import annotations

from pathlib import Path

from schemas.audits import AUDITS
from schemas.fields import FIELDS
from schemas.tables import SCHEMA_VERSION, TABLES

PAGE = Path(__file__).resolve().parent.parent / "docs" / "data-dictionary.md"


def render() -> str:
    """The page as Markdown."""
    out = [
        "# Data dictionary", "",
        "Generated from `schemas/fields.py`, `schemas/tables.py` and `schemas/audits.py` by `python -m schemas.dictionary`.",
        f"Schema version {SCHEMA_VERSION}. Fact days are `date32`, instants `timestamp[s, UTC]`; half-open intervals throughout.", "",
    ]
    for spec in TABLES.values():
        kind = "" if spec.public else " (between stages; `lode sql` shows it, `views.sql` does not)"
        out += [f"## {spec.name}", "", f"{spec.description}{kind}", "",
                f"Key: {', '.join(f'`{k}`' for k in spec.key)}. Sharded by `{spec.unit}`. Order: {', '.join(f'`{k}`' for k in spec.order)}.", "",
                "| field | type | null | meaning |", "|---|---|---|---|"]
        for column in spec.schema():
            meaning = (FIELDS[column.name].description if column.name in FIELDS else "").replace("|", "\\|")
            out.append(f"| `{column.name}` | `{column.type}` | {'yes' if column.nullable else 'no'} | {meaning} |")
        out.append("")
    out += ["## Audits", "", "| audit | asserts | stops a publish |", "|---|---|---|"]
    out += [f"| `{a.name}` | {a.description} | {'yes' if a.blocking else 'no'} |" for a in AUDITS]
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(render(), "utf-8")
    print(f"wrote {PAGE.name}: {len(TABLES)} tables")
