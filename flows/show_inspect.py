"""One id, and what a reader may see, for a terminal. Spans are marked with ⟪ ⟫, so that a pipe shows them too."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.text import Text

from retrieval.inspection.labels import cut

STATES = {"active": "green", "contested": "yellow", "deprecated": "red"}
MARK = "bold reverse"
TEXT_MAX = 400
SPAN_MAX = 600
LIST_MAX = 8
_PLURAL = {"entity": "entities", "source_group": "source groups", "quarantine": "quarantine rows"}


def many(kind: str, n: int) -> str:
    """'1 chunk', '2 chunks'."""
    return f"{n:,} {kind.replace('_', ' ') if n == 1 else _PLURAL.get(kind, kind.replace('_', ' ') + 's')}"


def show_id(out: Console, data: dict[str, Any]) -> None:
    """Prints what `retrieval.inspection.show.show` gives."""
    also = f" · also a {' and a '.join(k.replace('_', ' ') for k in data['also'])}" if data["also"] else ""
    out.print(Text.assemble((f"{data['kind'].replace('_', ' ')} ", "bold"), (data["id"], "bold cyan"), (also + f" · release {data['release']}", "dim")))
    _record(out, data["record"])
    if data["rows_n"] > 1 and data["kind"] != "entity":
        out.print(Text(f"stands on {data['rows_n']:,} rows", style="dim"))
    _evidence(out, data)
    if data["decisions"]:
        _title(out, "decisions")
        for d in data["decisions"]:
            what = f"{d['rule']} → {d['verdict']}: {d['reason']}" + (f" ({d['conflict_type']})" if d["conflict_type"] else "")
            line = Text("  ").append(what, style=STATES.get({"accepted": "active", "contested": "contested"}.get(d["verdict"], ""), ""))
            out.print(line.append(f" · {d['label']} · {d['decision_id']}" + (f" · {d['evidence']}" if d["evidence"] else ""), style="dim"))
            if d.get("meaning"):
                out.print(Padding(Text(d["meaning"], style="dim"), (0, 0, 0, 4), expand=False))
    for name in ("upstream", "downstream"):
        if data[name]:
            _title(out, {"upstream": "comes from", "downstream": "leads to"}[name])
            for part in data[name]:
                _section(out, part)
    if data["related"]:
        _title(out, "beside it")
        for r in data["related"]:
            _line(out, r["id"], r["text"], f"{r['relation']}: ")
    if data["across"]:
        _title(out, "across releases")
        for a in data["across"]:
            out.print(Text(f"  {a['lineage_kind']} {a['old_id']} → {a['new_id'] or 'nothing'} when release {a['release']} was built"))
    for note in data["notes"]:
        out.print(Text(f"note: {note}", style="dim"))


def _title(out: Console, text: str) -> None:
    out.print(Text(text, style="bold"))


def _line(out: Console, id_: str, text: str, before: str = "") -> None:
    line = Text(before).append(id_, style="cyan").append(" " + text)
    out.print(Padding(line, (0, 0, 0, 4), expand=False))


def _section(out: Console, part: dict[str, Any]) -> None:
    out.print(Text(f"  {many(part['kind'], part['n'])}"))
    for item in part["items"]:
        _line(out, item["id"], item["text"])
    if part["n"] > len(part["items"]):
        out.print(Text(f"    … and {part['n'] - len(part['items']):,} more: --limit or --json", style="dim"))


def _record(out: Console, record: dict[str, Any]) -> None:
    """Every field that holds something, one per line; the empty ones are named together."""
    empty = [n for n, v in record.items() if v is None or v == "" or v == []]
    wide = max((len(n) for n in record if n not in empty), default=0)
    for name, value in record.items():
        if name in empty:
            continue
        shown = Text(_value(value), style=STATES.get(value, "") if name == "state" and isinstance(value, str) else "")
        line = Text().append(f"{name:{wide}}  ", style="dim").append_text(shown)
        out.print(Padding(line, (0, 0, 0, 2), expand=False))
    if empty:
        out.print(Padding(Text("empty: " + ", ".join(empty), style="dim"), (0, 0, 0, 2), expand=False))


def _value(value: Any) -> str:
    if isinstance(value, str):
        return cut(value, TEXT_MAX)
    if isinstance(value, dict) and set(value) == {"start", "end"}:
        return f"{value['start']}–{value['end']}"
    if isinstance(value, list):
        more = f", … {len(value) - LIST_MAX} more" if len(value) > LIST_MAX else ""
        return cut(", ".join(_value(v) for v in value[:LIST_MAX]), TEXT_MAX) + more
    if isinstance(value, dict):
        return cut(json.dumps(value, ensure_ascii=False), TEXT_MAX)
    return str(value)


def _evidence(out: Console, data: dict[str, Any]) -> None:
    if not data["evidence"]:
        return
    n, given = data["evidence_n"], len(data["evidence"])
    _title(out, "evidence" + (f" ({given} of {n:,})" if n > given else f" ({n})" if n > 1 else ""))
    for e in data["evidence"]:
        where = e.get("mention_id") or e.get("sentence_id") or e.get("element_id") or e.get("chunk_id") or ""
        kept = {True: "", False: " · the stored text is NOT what the spans render to", None: ""}[e["verified"]]
        spans = ", ".join(f"{m['start']}–{m['end']}" for m in e["marks"][:6]) + (", …" if len(e["marks"]) > 6 else "")
        head = Text("  ").append(str(e["title"] or e["document_id"]), style="italic")
        out.print(head.append(f" · {e['source']} · {e['uri'] or ''} [{spans}] {where}{kept}", style="dim"))
        for window in windows(e["marks"]):
            out.print(Padding(_window(window), (0, 0, 0, 4), expand=False))
        if not e["marks"]:
            out.print(Padding(Text(cut(e["text"], TEXT_MAX)), (0, 0, 0, 4), expand=False))


def windows(marks: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Marks in runs: two of which the first's right context reaches the second are printed in one line."""
    out: list[list[dict[str, Any]]] = []
    for mark in sorted(marks, key=lambda m: m["start"]):
        last = out[-1][-1] if out else None
        if last is not None and last["end"] <= mark["start"] <= last["end"] + len(last["after"]):
            out[-1].append(mark)
        else:
            out.append([mark])
    return out


def _window(marks: list[dict[str, Any]]) -> Text:
    line = Text("…" if marks[0]["start"] > len(marks[0]["before"]) else "").append(_flat(marks[0]["before"]), style="dim")
    for i, mark in enumerate(marks):
        span = _flat(mark["span"])
        if len(span) > SPAN_MAX:
            span = f"{span[: SPAN_MAX // 2]} … {len(span) - SPAN_MAX:,} characters … {span[-SPAN_MAX // 2 :]}"
        line.append("⟪").append(span, style=MARK).append("⟫")
        gap = mark["after"] if i + 1 == len(marks) else mark["after"][: marks[i + 1]["start"] - mark["end"]]
        line.append(_flat(gap), style="dim")
    return line.append("…" if len(marks[-1]["after"]) == 120 else "", style="dim")


def _flat(text: str) -> str:
    """White space as single blanks, edge blanks kept: they tell where a span begins."""
    flat = " ".join(text.split())
    return (" " if text[:1].isspace() else "") + flat + (" " if flat and text[-1:].isspace() else "")


def operator_note(err: Console) -> None:
    err.print("[dim]operator view: access is not applied[/]")


__all__ = ["escape", "many", "operator_note", "show_id", "windows"]
