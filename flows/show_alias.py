"""Two names and what they are taken for, for a terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

_VERDICTS = {"one": "one thing", "two": "two things", "several": "one thing in some documents, several in others"}
_MOST = 5


def show_alias(out: Console, data: dict[str, Any]) -> None:
    """Prints what `retrieval.inspection.alias.compare` gives, with `reasons` and `fix`."""
    one, other = (entry["name"] for entry in data["names"])
    out.print(Text.assemble((f"{one} · {other}: ", "bold"), (_VERDICTS[data["verdict"]], "bold green" if data["verdict"] == "one" else "bold yellow"),
                            f" · release {data['release']}"))
    for entry in data["names"]:
        out.print(Text(entry["name"], style="bold"))
        for entity in entry["entities"][:_MOST]:
            types = f" · {', '.join(entity['types'])}" if entity["types"] else ""
            line = Text().append(entity["entity_id"], style="cyan").append(f" {entity['entity_name']} · in {entity['documents']:,} document(s){types}")
            out.print(Padding(line, (0, 0, 0, 2), expand=False))
            for evidence in entity["evidence"][:_MOST]:
                target = f" → {evidence['target']}" if evidence["target"] else ""
                line = Text(f"{evidence['basis']}: {evidence['meaning']}", style="dim").append(f" ({evidence['surface']}{target}, {evidence['documents']:,})")
                out.print(Padding(line, (0, 0, 0, 4), expand=False))
        if len(entry["entities"]) > _MOST:
            out.print(Text(f"  … and {len(entry['entities']) - _MOST:,} more entities: --json", style="dim"))
    for reason in data["reasons"]:
        out.print(Text(f"because {reason}"))
    if data["fix"]:
        out.print(Text(data["fix"], style="dim"))
