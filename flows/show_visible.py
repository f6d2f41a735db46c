"""What a reader may see, for a terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text


def show_visible(out: Console, data: dict[str, Any]) -> None:
    """Prints what `retrieval.inspection.visible.visible` gives, and the listing if there is one."""
    _reader(out, data)
    for group in data["groups"]:
        mark = Text("✓ " if group["held"] else "✗ ", style="green" if group["held"] else "red")
        out.print(Padding(mark.append(group["group"], style="bold").append(f" · {group['documents']:,} document(s) name it"), (0, 0, 0, 2), expand=False))
    table = Table(box=None, header_style="dim", pad_edge=False)
    for name in ("source", "label", "documents", "chunks", "nuggets"):
        table.add_column(name, justify="left" if name in ("source", "label") else "right")
    for row in data["sources"]:
        tenant = "" if row["tenant"] == data["reader"]["tenant"] else f" (tenant {row['tenant']})"
        table.add_row(Text(row["source"] + tenant), Text(row["label"] or "nobody"), *[_counts(row[w]) for w in ("documents", "chunks", "nuggets")])
    out.print(Text("visible / hidden, by source and access label (a nugget counts at every source that it rests on)", style="dim"))
    out.print(table)
    facts = Table(box=None, header_style="dim", pad_edge=False)
    for name in ("nuggets of", "state", "visible / hidden", "hidden by"):
        facts.add_column(name, justify="right" if "/" in name else "left")
    for row in data["nuggets"]:
        why = ", ".join(f"{k} {n:,}" for k, n in sorted(row["why_hidden"].items()))
        facts.add_row(Text(row["label"] or "nobody"), row["state"], _counts(row), Text(why))
    out.print(facts)
    if "list" in data:
        for name in ("visible", "hidden"):
            part = data["list"][name]
            out.print(Text(f"{name} {data['list']['what']}: {part['n']:,}", style="bold"))
            for item in part["items"]:
                line = Text().append(item["id"], style="cyan").append(f" {item['text']}").append(f" · {item['why']}" if "why" in item else "", style="red")
                out.print(Padding(line, (0, 0, 0, 2), expand=False))
            if part["n"] > len(part["items"]):
                out.print(Text(f"  … and {part['n'] - len(part['items']):,} more: --limit", style="dim"))


def _reader(out: Console, data: dict[str, Any]) -> None:
    reader = data["reader"]
    out.print(Text.assemble(("reader ", "bold"), f"holds {', '.join(reader['groups'])} · tenant {reader['tenant']} · release {data['release']}"))


def _counts(pair: dict[str, int]) -> Text:
    return Text().append(f"{pair['visible']:,}", style="green" if pair["visible"] else "dim").append(
        f" / {pair['hidden']:,}", style="red" if pair["hidden"] else "dim")


def show_one(out: Console, data: dict[str, Any]) -> None:
    """Prints what `retrieval.inspection.visible.explain` gives."""
    _reader(out, data)
    seen = data["visible"]
    verdict = Text("visible" if seen else "hidden", style="bold green" if seen else "bold red")
    out.print(Text.assemble(f"{data['kind'].replace('_', ' ')} ", (data["id"], "cyan"), " is ", verdict, f" · judged by {data['by']}" if data.get("by") else ""))
    for name, check in data["checks"].items():
        ok = check["passed"]
        found = ", ".join(check["found"]) if isinstance(check["found"], list) else check["found"]
        wanted = ", ".join(check["wanted"]) if isinstance(check["wanted"], list) else check["wanted"]
        line = Text().append("✓ " if ok else "✗ ", style="green" if ok else "red").append(f"{name:11}", style="bold")
        out.print(Padding(line.append(f"{found or 'none'} · wanted: {'any of ' if name == 'acl' else ''}{wanted}"), (0, 0, 0, 2), expand=False))
    if data.get("replaced_by"):
        out.print(Text(f"  the reader's own label has another verdict on its key: {', '.join(data['replaced_by'])}"))
    if "evidence" in data:
        out.print(Text(f"  evidence: {data['evidence']['readable']} claim(s) readable, {data['evidence']['hidden']} not · "
                       f"shown in the view(s) {', '.join(data['views'])}", style="dim"))
    if "nuggets" in data:
        out.print(Text(f"  {data['nuggets']['visible']} of its nuggets visible, {data['nuggets']['hidden']} hidden", style="dim"))
