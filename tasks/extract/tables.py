"""Table rows to mentions: columns name the predicate, the row's dates are its cues.

A role table ("List of mayors": name, took office, left office) has the page or the owner in its caption as subject;
an attribute table has the page's subject (Year | Population) or the entity in the row's first column (Name | Founded).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from schemas.predicates import fold_alias
from tasks.extract.context import Page, part_of_page_name
from tasks.extract.drafts import Draft, link_target, trim
from tasks.extract.lexicon import Lexicon, Sense, compatible
from tasks.extract.roletext import RoleText, best_sense, find_roles, guess_owner
from tasks.extract.temporal import ATOM, QUANTITY, find_temporals

_START = re.compile(r"^(?:.* (?:start|from|began)|took office|term start|start(?:ed)?(?: date| year)?|from|began|since|entered office|assumed office|elected|appointed|begin(?:ning)?|"
                    r"start of (?:term|office)|beginning of term|inaugurated|term began|reign (?:start|began)|date (?:from|appointed)|in office from)$")
_END = re.compile(r"^(?:.* (?:end|until|ended)|left office|term end(?:ed)?|end(?:ed)?(?: date| year)?|to|until|till|end of (?:term|office)|reign (?:end|ended)|date (?:to|left)|in office until)$")
_TERM = re.compile(r"^(?:term(?: of office| in office)?s?|tenure|years?(?: in office| active| served)?|period(?: in office)?|reign|dates?(?: in office| of service)?|"
                   r"in office|service|time in office|term years|duration|office term|span)$")
_WHEN = re.compile(r"^(?:year|date|census|season|fiscal year|as of|census year|years)$")
_NAME = re.compile(r"^(?:name|holder|office ?holder|incumbent|person|leader|title holder|full name|member|minister|name .*|.* name|portrait and name)$")
_ROW = re.compile(r"^(?:name|company|country|city|town|club|team|film|album|song|book|game|building|university|school|organization|organisation|"
                  r"state|province|player|person|species|river|mountain|party|title|work|model|language|software|station|airport|village|"
                  r"municipality|district|county|event|island|ship|aircraft|brand|bank|airline|institution|settlement|structure|bridge|tower)$")
_RANK = frozenset({"no", "#", "rank", "nr", "number", "pos"})
_ASIDE = frozenset({"notes", "note", "ref", "refs", "party", "source"})
_RESULT = frozenset({"result", "outcome", "results"})
_LOST = re.compile(r"nom|lost|runner|pending|defeat|fail", re.IGNORECASE)
_SKIP = frozenset({"", "–", "—", "-", "n/a", "none", "vacant", "unknown", "tbd", "?", "yes", "no"})


@dataclass(slots=True)
class Cell:
    """A cell of a row: folded column header, and offsets of its text in the row's text."""

    column: str
    start: int
    end: int


def make_cells(row: str, cells: list[dict], header: str) -> list[Cell]:
    """Cells located in the row's text, in order; without cells the row is cut at its bars under the header's columns."""
    out, at = [], 0
    if not cells:
        names = [n.strip() for n in header.splitlines()[-1].split("|")] if header.strip() else []
        cells = [{"name": names[i] if i < len(names) else "", "text": t.strip()} for i, t in enumerate(row.split("|"))]
    for cell in cells:
        text = cell["text"] or ""
        found = row.find(text, at) if text else -1
        if found >= 0:
            out.append(Cell(re.sub(r"\s*[\[(].*?[\])]", "", fold_alias(cell["name"] or "")).strip(), found, found + len(text)))
            at = found + len(text)
    return out


def heading_role(places: list[str], lex: Lexicon) -> tuple[RoleText, str, str] | None:
    """The role that the nearest caption or heading names: (role, owner as written or '', the place's text)."""
    nearest: RoleText | None = None
    for place in places:
        for role in find_roles(place, lex):
            owner = place[role.owner[0] : role.owner[1]] if role.owner[0] >= 0 else ""
            if nearest is None:
                nearest, where = role, place
            if owner and {s.name for s in role.senses} & {s.name for s in nearest.senses}:
                return nearest, owner, where
    return None if nearest is None else (nearest, "", where)


def caption_lines(header: str) -> list[str]:
    """A table's caption lines without the column names (the last line, and where they also close the caption)."""
    lines = [line for line in header.splitlines() if line.strip()]
    if not lines or "|" not in lines[-1]:
        return lines
    names = set(lines[-1].replace("|", " ").split())
    out = []
    for line in lines[:-1]:
        words = line.split()
        while words and words[-1] in names:
            words.pop()
        if words:
            out.append(" ".join(words))
    return out


def owner_subject(role: RoleText, owner: str, page: Page) -> tuple[str, str, str, str, Sense] | None:
    """(subject, basis, target, type, sense) of a role named by a heading."""
    senses = [s for s in role.senses if page.kind and compatible(s.subject, page.kind) >= 0.9]
    if page.owner and any(s.name in page.office for s in role.senses):
        sense = next(s for s in role.senses if s.name in page.office)
        return page.owner, "heading", "", guess_owner(page.owner, sense), sense
    if senses and owner and part_of_page_name(page, owner):
        return page.title, "page", page.title, page.kind, senses[0]
    if owner and fold_alias(owner) != fold_alias(page.name):
        sense = best_sense(role.senses, owner)
        return owner, "heading", "", guess_owner(owner, sense), sense
    if senses:
        return page.title, "page", page.title, page.kind, senses[0]
    if not page.kind and not owner and page.title and all(x.person_role for x in role.senses):
        return page.title, "page", page.title, "", best_sense(role.senses, page.name)  # what has presidents is no person
    return None


def row_drafts(row: str, cells: list[Cell], places: list[str], page: Page, links: list[dict], lex: Lexicon) -> list[Draft]:
    """Drafts of one row; `places` are caption, headings and title, nearest first; `links` have offsets in the row."""
    if not cells:
        return []
    cues = _row_cues(row, cells)
    if any(c.column in _RESULT and _LOST.match(row, c.start) for c in cells):
        return []
    senses: dict[int, tuple[Sense, ...]] = {}
    for i, c in enumerate(cells):
        found = lex.columns.get(c.column, ())
        if _ROW.match(c.column) and page.kind:  # "Title" of a list of works is no title that the page's person holds
            found = tuple(s for s in found if compatible(s.subject, page.kind) >= 0.9)
        if found and c.column not in {cells[k].column for k in senses}:  # a second "Party" is somebody else's
            senses[i] = found
    named = next((i for i, c in enumerate(cells) if _NAME.match(c.column) and i not in senses), None)
    role_columns = [i for i, s in senses.items() if any(x.person_role for x in s)]
    has_terms = any(_START.match(c.column) or _END.match(c.column) or _TERM.match(c.column) for c in cells)
    out: list[Draft] = []
    if has_terms and named is not None and not role_columns and (found := heading_role(places, lex)):
        role, owner, _ = found
        if subject := owner_subject(role, owner, page):
            out += _value(row, cells[named], subject, cues, links, role.scope, "table", 0.85)
    rowish = next((i for i, c in enumerate(cells) if i not in senses and (_ROW.match(c.column) or _NAME.match(c.column))
                   and any(x.isupper() for x in row[c.start : c.end])), None)
    dated = any(_timely(c.column) for c in cells)
    if rowish is None and len(cells) > 1:
        # Without a date a row is about what it opens with (after its rank); with one a first column may be the value.
        lead = 1 if cells[0].column in _RANK or row[cells[0].start : cells[0].end].strip(". ").isdigit() else 0
        c = cells[min(lead, len(cells) - 1)]
        if (not dated or lead not in senses) and not _timely(c.column) and re.match(r"[A-Z\d]*[A-Z]\w", row[c.start : c.end]) and c.column not in _ASIDE:
            rowish = lead
    for i, found in senses.items():
        if i == rowish:
            continue
        if rowish is not None and not (i in role_columns and has_terms and page.kind and compatible(found[0].subject, page.kind) >= 0.9):
            c = cells[rowish]
            span = trim(row, c.start, c.end)
            span = _unbracket(row, span)
            subject = (row[span[0] : span[1]], "text", link_target(links, *span), "", found[0], span)
            out += _value(row, cells[i], subject, cues, links, "", "table", 0.75)
        elif dated:
            fitting = [s for s in found if page.kind and compatible(s.subject, page.kind) >= 0.9]
            if fitting:
                out += _value(row, cells[i], (page.title, "page", page.title, page.kind, fitting[0]), cues, links, "", "table", 0.8)
            elif (i in role_columns and (role := heading_role(places, lex)) and role[1] and role[0].senses[0].name in {s.name for s in found}):
                if subject := owner_subject(role[0], role[1], page):
                    out += _value(row, cells[i], subject, cues, links, role[0].scope, "table", 0.8)
    return out


def _timely(column: str) -> bool:
    return any(r.match(column) for r in (_START, _END, _TERM, _WHEN))


def _unbracket(text: str, span: tuple[int, int]) -> tuple[int, int]:
    at = text.find("(", span[0] + 1, span[1])
    at2 = text.find("[", span[0] + 1, span[1])
    stops = [a for a in (at, at2) if a > 0]
    return trim(text, span[0], min(stops)) if stops else span


def _row_cues(row: str, cells: list[Cell]) -> list[tuple[str, int, int]]:
    out = []
    for c in cells:
        text = row[c.start : c.end]
        if _START.match(c.column) or _END.match(c.column):
            role = "start" if _START.match(c.column) else "until"
            if re.fullmatch(r"\W*(?:incumbent|present|current|in office|now|–|—)\W*", text, re.IGNORECASE) and role == "until":
                if text.strip(" –—"):
                    out.append(("current", *trim(row, c.start, c.end)))
            elif m := ATOM.search(row, c.start, c.end):
                out.append((role, *m.span()))
        elif _TERM.match(c.column):
            found = [t for t in find_temporals(text)]
            for t in found:
                role = t.role if t.role in ("start", "until", "since", "current") else "point"
                out.append((role, c.start + t.start, c.start + t.end))
        elif _WHEN.match(c.column) and (m := ATOM.search(row, c.start, c.end)):
            out.append(("point", *m.span()))
    return out


def _value(row, cell, subject, cues, links, scope, extractor, confidence) -> list[Draft]:
    name, basis, target, kind, sense, *rest = subject
    span = trim(row, cell.start, cell.end)
    if row[span[0] : span[1]].lower() in _SKIP or span[0] >= span[1] or not name:
        return []
    own = list(cues)
    if sense.object == "quantity":
        m = QUANTITY.search(row, *span)
        if m is None or m.start() - span[0] > 15 or "=" in row[span[0] : span[1]]:
            return []
        own += [("asof", m.end() + t.start, m.end() + t.end) for t in find_temporals(row[m.end() : span[1]]) if t.role in ("point", "asof")]
        span = trim(row, *m.span())
    elif sense.object == "date":
        m = ATOM.search(row, *span)
        if m is None:
            return []
        span = m.span()
        own = []
    else:
        bracket = row.find("(", span[0] + 1, span[1])
        if bracket > 0:
            own += [(t.role, bracket + t.start, bracket + t.end) for t in find_temporals(row[bracket : span[1]]) if t.role]
        span = _unbracket(row, span)
        text = row[span[0] : span[1]]
        if sense.object == "entity" and (not any(c.isupper() for c in text) or len(text) > 80 or text.lower() in _SKIP):
            return []
    own = [c for c in own if not (c[1] < span[1] and span[0] < c[2])]
    return [Draft(
        predicate=sense.name, subject=name, subject_span=rest[0] if rest else None, subject_basis=basis, subject_type=kind,
        object=row[span[0] : span[1]], object_span=span, object_type=sense.object, confidence=confidence, extractor=extractor,
        subject_target=target, object_target=link_target(links, *span), scope=scope, cues=own,
    )]
