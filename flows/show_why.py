"""The funnel of one candidate, for a terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from retrieval.inspection.labels import cut


def show_why(out: Console, data: dict[str, Any]) -> None:
    """Prints what `retrieval.inspection.why.why` gives: one line per step, the one that it did not pass marked."""
    about, stopped = data["explain"], data["stopped_at"]
    out.print(Text.assemble((data["id"], "bold cyan"), f" {cut(data['text'], 300)}" if data["text"] else ""))
    out.print(Text(f"query: {cut(data['query'], 200)} · {data['at'] or 'no time'} · view {data['view']} · reader {', '.join(data['reader'])}", style="dim"))
    if not about["found"]:
        _step(out, False, "found", about["outcome"])
        return
    _step(out, True, "found", "in the release, and this reader may see it")
    checks = about["filters"]
    _step(out, all(checks.values()), "filters", ", ".join(f"{name} {'passed' if ok else 'FAILED'}" for name, ok in checks.items()))
    legs = about.get("legs", {})
    for leg, n in sorted({**dict.fromkeys(legs, 0), **about["searched"]}.items()):
        if leg.startswith(data["store"]) and all(checks.values()):
            _step(out, True if leg in legs else None, leg, f"rank {legs[leg]} of {n}" if leg in legs else f"not among its {n}")
    for leg, reason in about["failed_legs"].items():
        _step(out, False, leg, f"failed: {reason}")
    if "fused_rank" in about:
        _step(out, True, "fused", f"rank {about['fused_rank']}, score {about['fused_score']:.6f}")
        back = about["outcome"].startswith("returned")
        rank = about["reranked"]
        _step(out, rank is not None, "reranked", f"rank {rank}, score {about['score']:.6f}" if rank else about["outcome"])
        if rank is not None:
            _step(out, back, "returned", about["outcome"])
        if back:
            _step(out, about["in_context"], "in context", "yes" if about["in_context"] else "no: the token budget was used up")
    else:
        _step(out, False, "outcome", about["outcome"])
    if stopped is not None and data["first"]:
        out.print(Text(f"returned instead: {', '.join(data['first'][:5])}", style="dim"))
    for note in data["notes"]:
        out.print(Text(f"note: {note}", style="dim"))


def _step(out: Console, passed: bool | None, name: str, text: str) -> None:
    """`passed` is None where a leg did not find it: another may have."""
    line = Text().append({True: "✓ ", False: "✗ ", None: "– "}[passed], style={True: "green", False: "red", None: "dim"}[passed]).append(f"{name:20} ", style="bold").append(text, style="")
    out.print(Padding(line, (0, 0, 0, 2), expand=False))
