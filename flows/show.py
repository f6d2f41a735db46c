"""A query's result for a terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape

MARKS = {"contested": "[yellow]contested[/] ", "deprecated": "[red]deprecated[/] "}


def describe_valid(valid: dict[str, Any]) -> str:
    """'2012-01-01 … 2020-04-06' with imprecise bounds as ranges; '' where nothing is known."""

    def bound(low: str | None, high: str | None) -> str:
        if low == high:
            return low or "?"
        if low is None or high is None:
            return f"{'≥ ' + low if low else ''}{'≤ ' + high if high else ''}"
        return f"{low}..{high}"

    start, end = bound(valid["start_min"], valid["start_max"]), bound(valid["end_min"], valid["end_max"])
    return "" if start == end == "?" else f"{start} → {end}"


def show_result(out: Console, result: dict[str, Any]) -> None:
    """Prints answers with validity and evidence, then notes."""
    if result["abstained"]:
        out.print("[yellow]No answer is supported.[/]")
    for r in result["results"]:
        head = f"[bold]{r['rank']}.[/] {MARKS.get(r['state'], '')}{escape(r['text'][:600])}"
        out.print(head, highlight=False)
        valid = describe_valid(r["valid"]) if r.get("valid") else ""
        where = ", ".join(r["legs"]) if isinstance(r["legs"], list | dict) else str(r["legs"])
        out.print(f"   [dim]{r.get('nugget_id') or r.get('chunk_id')}{' · ' + valid if valid else ''} · {escape(where)}[/]", highlight=False)
        for e in r["evidence"][:2]:
            spans = ", ".join(f"{s['start']}–{s['end']}" if isinstance(s, dict) else f"{s[0]}–{s[1]}" for s in e["spans"][:3])
            out.print(f"   [cyan]“{escape(e['text'][:240])}”[/] [dim]{escape(str(e.get('title') or e['document_id']))} [{spans}][/]", highlight=False)
    shown = f"confidence {result['confidence']:.2f}" if result["confidence"] is not None else ""
    out.print(f"[dim]release {result['release']} · {shown} · withheld {result['withheld']}[/]", highlight=False)
    for note in result["notes"]:
        out.print(f"[dim]note: {escape(str(note))}[/]", highlight=False)
