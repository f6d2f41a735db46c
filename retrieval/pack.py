"""From results to a prompt: numbered citations, validity in words, disagreement, packed to a token budget.

A fact, its validity and its notice of disagreement are packed as one piece or not at all, so no reader is shown a
contested fact as a settled one. The context never exceeds the budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from retrieval.evidence import Evidence
from retrieval.ports import Candidate
from retrieval.words import count_tokens
from schemas.time import iso


@dataclass
class Packed:
    """`context` is the prompt text; `shown` the ids in it, `extra` the expansions that fitted, per candidate id."""

    context: str
    shown: list[str] = field(default_factory=list)
    extra: dict[str, list[Evidence]] = field(default_factory=dict)


def one_line(text: str) -> str:
    return " ".join(text.split())


def bound_words(first: int | None, last: int | None, basis: str, confidence: float | None, start: bool) -> str:
    """One bound in words: exact, a range, one-sided, or unknown; with basis and confidence where it is known."""
    name = "from" if start else "until"
    if first is None and last is None:
        return "start unknown" if start else "end unknown"
    if first is not None and first == last:
        said = f"{name} {iso(first)}"
    elif first is not None and last is not None:
        said = f"{name} a day in {iso(first)}..{iso(last)}"
    elif start:
        said = f"from {iso(last)} or before" if first is None else f"from {iso(first)} or later"
    else:
        said = f"until {iso(last)} or before" if first is None else f"still so on {iso(first - 1)}, end open"
    sure = f"{basis}, confidence {confidence or 0.0:.2f}" if basis else ""
    return f"{said} ({sure})" if sure else said


def validity_words(row: dict) -> str:
    """Both bounds of a nugget in words, with their confidences."""
    return "; ".join((
        bound_words(row["start_min"], row["start_max"], row["start_basis"], row["start_confidence"], True),
        bound_words(row["end_min"], row["end_max"], row["end_basis"], row["end_confidence"], False),
    ))


def chunk_validity_words(row: dict) -> str:
    """What a document says of its own force, or ''."""
    if row.get("valid_from") is None and row.get("valid_to") is None:
        return ""
    return f"in force from {iso(row.get('valid_from')) or 'an unstated day'} until {iso(row.get('valid_to')) or 'further notice'}"


class _Numbers:
    """Citation numbers: one per place, in order of first use."""

    def __init__(self) -> None:
        self.of: dict[tuple, int] = {}
        self.lines: list[str] = []

    def plan(self, entries: Sequence[Evidence]) -> tuple[list[int], list[tuple[tuple, str]]]:
        """Numbers of these entries, and the source lines that are new."""
        numbers, new = [], []
        known = dict(self.of)
        for e in entries:
            if e.place not in known:
                known[e.place] = len(known) + 1
                where = ", ".join(part for part in (one_line(e.title), one_line(e.uri)) if part) or e.document_id
                new.append((e.place, f"[{known[e.place]}] {where}: {one_line(e.text)}"))
            numbers.append(known[e.place])
        return list(dict.fromkeys(numbers)), new

    def take(self, new: list[tuple[tuple, str]]) -> None:
        for place, line in new:
            self.of[place] = len(self.of) + 1
            self.lines.append(line)


def _fact_line(c: Candidate, marks: str) -> str:
    row = c.row
    parts = [f"- {one_line(row['text'])} {marks}".rstrip(), f"(valid: {validity_words(row)}"]
    if row.get("condition"):
        parts[-1] += f"; condition: {one_line(row['condition'])}"
    if row["state"] != "active":
        parts[-1] += f"; {row['state']}" + (f": {row['reason']}" if row.get("reason") else "")
    parts[-1] += ")"
    if c.rivals:
        others = "; ".join(f"{one_line(r['object'])} ({validity_words(r)})" for r in c.rivals)
        parts.append(f"\n  Sources disagree; also said: {others}")
    return parts[0] + " " + "".join(parts[1:])


def pack(
    results: Sequence[Candidate], evidence: dict[str, list[Evidence]], budget_tokens: int, notices: Sequence[str],
    more: dict[str, list[Evidence]] | None = None,
) -> Packed:
    """Packs results in rank order, each with all its sources or, where that is too long, with the first of them alone.

    `notices` (disagreement in general, withheld, abstention) come first and are kept before any result. `more` are
    expansions, added in rank order from what is left.
    """
    numbers = _Numbers()
    used = 0
    head: list[str] = []
    for notice in notices:
        size = count_tokens(notice)
        if used + size <= budget_tokens:
            head.append(notice)
            used += size
    facts: list[str] = []
    packed = Packed("")
    titles = {"facts": count_tokens("Facts:"), "sources": count_tokens("Sources:")}
    opened = 0
    for c in results:
        entries = evidence.get(c.id) or []
        for choice in ([entries] if len(entries) < 2 else [entries, entries[:1]]):
            marks, new = numbers.plan(choice)
            text = "".join(f"[{n}]" for n in marks)
            line = _fact_line(c, text) if c.store == "nuggets" else ""
            lines = [s for _, s in new]
            if c.store == "chunks" and (said := chunk_validity_words(c.row)) and lines:
                new = [(new[0][0], f"{lines[0]} ({said})"), *new[1:]]
                lines = [s for _, s in new]
            title = (0 if opened & 1 or not line else titles["facts"]) + (0 if opened & 2 or not lines else titles["sources"])
            size = count_tokens(line) + sum(count_tokens(s) for s in lines) + title
            if used + size <= budget_tokens:
                used += size
                opened |= (1 if line else 0) | (2 if lines else 0)
                numbers.take(new)
                if line:
                    facts.append(line)
                packed.shown.append(c.id)
                break
    for c in results:
        for entry in (more or {}).get(c.id, ()):
            if c.id not in packed.shown or entry.place in numbers.of:
                continue
            _, new = numbers.plan([entry])
            size = sum(count_tokens(s) for _, s in new)
            if used + size <= budget_tokens:
                used += size
                numbers.take(new)
                packed.extra.setdefault(c.id, []).append(entry)
    blocks = [*head]
    if facts:
        blocks += ["Facts:", *facts]
    if numbers.lines:
        blocks += ["Sources:", *numbers.lines]
    packed.context = "\n".join(blocks)
    return packed
