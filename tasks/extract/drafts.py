"""A mention before it has ids: what every rule family hands over, with all offsets in its sentence."""

from __future__ import annotations

from dataclasses import dataclass, field

Span = tuple[int, int]


@dataclass(slots=True)
class Draft:
    """Offsets are half open in the sentence; a null span means the page's or the heading's name, which is not in it."""

    predicate: str
    subject: str
    subject_span: Span | None
    subject_basis: str
    subject_type: str
    object: str
    object_span: Span | None
    object_type: str
    confidence: float
    extractor: str
    predicate_span: Span | None = None
    subject_target: str = ""
    object_target: str = ""
    scope: str = ""
    condition: str = ""
    cues: list[tuple[str, int, int]] = field(default_factory=list)
    polarity: str = "positive"
    modality: str = "asserted"
    attribution: str = ""


def link_target(links: list[dict], start: int, end: int) -> str:
    """Target of the link that covers the argument (or most of it, or is most of it); '' where none does."""
    best, score = "", 0.0
    for link in links:
        lo, hi = max(link["start"], start), min(link["end"], end)
        if lo < hi:
            share = (hi - lo) / max(end - start, link["end"] - link["start"])
            if share > score and share >= 0.6:
                best, score = link["target"] or "", share
    return best


def trim(text: str, start: int, end: int) -> Span:
    """The span without blanks, list marks and closing punctuation at its ends."""
    while start < end and (text[start].isspace() or text[start] in ",;:•*·|–—-\"“”'‘ "):
        start += 1
    while start < end and (text[end - 1].isspace() or text[end - 1] in ",;:•*·|–—-\"“”‘ †‡§#^"):
        end -= 1
    return start, end
