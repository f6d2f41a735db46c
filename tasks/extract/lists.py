"""List items under a heading or lead-in that names a role: "Name (2002–2011), a note", "2002–2011: Name (Party)", "Name, 2002–2011".

A span of a life beside the name ("Name (1901–1970), chemist, 1935–1940") is no term of office. A note behind the dates is left
out; what stands between name and dates, or before both, makes the item something else.
"""

from __future__ import annotations

import re

from tasks.extract.context import Page
from tasks.extract.drafts import Draft, Span, link_target, trim
from tasks.extract.lexicon import Lexicon
from tasks.extract.tables import heading_role, owner_subject
from tasks.extract.temporal import Temporal, find_temporals, years_apart

_NAME_WORDS = re.compile(
    r"(?:(?:de|da|di|du|van|von|der|den|la|le|of|the|bin|ibn|y|and|zu|dos|del|i)\s+|(?:al-|d'|d’|O'|O’)?[A-Z\u00c0-\u00de\u0100-\u024f][\w.’'\-]*+(?:\s\.)?\s?,?\s*){1,9}"
)
_MARKS = re.compile(r"^[\s\d().,;:–—−\-\[\]/|*•]*$")
_WORDS = re.compile(
    r"\b(?:from|to|until|since|present|incumbent|acting|interim|currently|current|in office|served|the|and|of|as|in|c|now|re-elected)\b|\b\d+(?:st|nd|rd|th)\b", re.IGNORECASE
)
_NOTE = re.compile(r"^\s*[)\]]*\s*(?:$|[,.;:(\[–—−-])")
_NAME_ENDS = re.compile(r"\s*[(\[;:|]|\s*,|\s[–—−-]\s|\s*$")
_BORN = re.compile(r"\b(?:born|b\.|died|d\.)\s*(?:in\s+)?$", re.IGNORECASE)
_ACTING = re.compile(r"\b(acting|interim)\b", re.IGNORECASE)
_LIFE_YEARS, _LONGEST = 25, 240


def list_drafts(item: str, places: list[str], page: Page, links: list[dict], lex: Lexicon) -> list[Draft]:
    """The one mention of an item, or none. `places` are lead-in, headings and title, nearest first."""
    if len(item) > _LONGEST:
        return []
    found = [t for t in find_temporals(item) if t.role not in ("", "former")]
    terms, life = _without_life(item, found)
    if not any(any(c.isdigit() for c in item[t.start : t.end]) for t in terms):
        return []
    role = heading_role(places, lex)
    if role is None or (subject := owner_subject(role[0], role[1], page)) is None:
        return []
    group = _together(item, terms)
    span = _name_before(item, group, life) or _name_behind(item, group)
    if span is None:
        return []
    scope = role[0].scope
    if _ACTING.search(item[: span[0]] + item[span[1] :]):
        scope = f"acting {scope}".strip()
    name, basis, target, kind, sense = subject
    return [Draft(
        predicate=sense.name, subject=name, subject_span=None, subject_basis=basis, subject_type=kind, object=item[span[0] : span[1]], object_span=span,
        object_type=sense.object, confidence=0.8, extractor="list", subject_target=target, object_target=link_target(links, *span),
        scope=scope, cues=[(t.role, t.start, t.end) for t in group],
    )]


def _without_life(item: str, found: list[Temporal]) -> tuple[list[Temporal], list[Temporal]]:
    """The dates that are no dates of a life, and those that are: "(born 1930)", a long range before another date."""
    life = [t for t in found if _BORN.search(item[: t.start])]
    rest = [t for t in found if t not in life]
    if len(rest) > 2 and rest[0].ranged and rest[1].role == "until" and item[: rest[0].start].rstrip().endswith("(") and years_apart(
        item[rest[0].start : rest[0].end], item[rest[1].start : rest[1].end]
    ) > _LIFE_YEARS:
        life, rest = life + rest[:2], rest[2:]
    return rest, life


def _is_bare(text: str) -> bool:
    return bool(_MARKS.match(_WORDS.sub("", text)))


def _together(item: str, terms: list[Temporal]) -> list[Temporal]:
    """The first dates with nothing but marks and small words between them."""
    group = terms[:1]
    for t in terms[1:]:
        if not _is_bare(item[group[-1].end : t.start]) or (re.search(r"\s[–—−-]\s", item[group[-1].end : t.start]) and not t.ranged):
            break
        group.append(t)
    return group


def _clean(item: str, start: int, end: int) -> Span | None:
    """The span without marks and brackets at its ends, where it is a name."""
    start, end = trim(item, start, end)
    while start < end and (item[start] in ")].:" or item[end - 1] in "(["):
        start, end = trim(item, start + (item[start] in ")].:"), end - (item[end - 1] in "(["))
    name = item[start:end]
    return (start, end) if name[:1].isupper() and _NAME_WORDS.fullmatch(name) else None


def _name_before(item: str, group: list[Temporal], life: list[Temporal]) -> Span | None:
    if not _NOTE.match(item[group[-1].end :]) and not _is_bare(item[group[-1].end :]):
        return None
    if life and life[0].start < group[0].start:  # "Name (1901–1970), chemist, 1935–1940"
        return _clean(item, 0, item.find("(") if 0 < item.find("(") < life[0].start else life[0].start)
    end = group[0].start
    if word := re.search(r"(?:\s|\()(?:from|since|in|in office)\s+$", item[:end]):
        end = word.start()
    return _clean(item, 0, end)


def _name_behind(item: str, group: list[Temporal]) -> Span | None:
    if not _is_bare(item[: group[0].start]):
        return None
    at = group[-1].end
    while at < len(item) and (item[at].isspace() or item[at] in ")].:,;–—−-|"):
        at += 1
    end = _NAME_ENDS.search(item, at)
    return _clean(item, at, end.start() if end else len(item))
