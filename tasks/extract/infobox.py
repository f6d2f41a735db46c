"""Infobox fields to mentions: the key says the predicate, each item is a value, companions and brackets give the time.

The sentence is the field's line; where a companion field (`term_start`, `population_as_of`) dates the value, it is the
text of the infobox from the first to the last of the lines used, so that every offset stands in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from schemas.predicates import UNKNOWN_KEY, split_key
from tasks.extract.context import Page
from tasks.extract.drafts import Draft, link_target, trim
from tasks.extract.lexicon import Lexicon, Sense, compatible
from tasks.extract.roletext import best_sense, find_roles, guess_owner
from tasks.extract.temporal import ATOM, QUANTITY, find_temporals
from tasks.text.media import FILE_NAME

_BRACKET = re.compile(r"\(([^()]*)\)")
_DATED = ("as of", "date", "year", "as of date", "census year", "est as of", "asof")
_PARTS = re.compile(r"(?<!\d)\d{4} (?:0?[1-9]|1[0-2]) (?:[12]\d|3[01]|0?[1-9])(?!\d)")  # the parts of a date template: year, month, day
_SPAN_CHARS, _VALUE_CHARS = 1200, 400
_ROLE_FIELDS = ("key people", "leader name", "leader", "people")
_OFFICE = ("office", "order", "title", "position", "jobtitle")


@dataclass(slots=True)
class Field:
    """One line of an infobox: folded key without its number, the number, the line's and the items' offsets in the chunk."""

    key: str
    index: str
    start: int
    end: int
    items: list[tuple[int, int]]


def make_field(text: str, start: int, end: int, cells: list[dict]) -> Field:
    """A field line of a chunk's text with the items found in it, in order."""
    name = cells[0]["name"] if cells else text[start:end].partition(":")[0]
    key, number = split_key(name or "")
    items, at = [], min(end, start + len(name or "") + 1)
    texts = [c["text"] for c in cells if c["text"]] or [t for t in text[at:end].split("; ") if t.strip()]
    for item in texts:
        found = text.find(item, at, end)
        if found >= 0:
            items.append((found, found + len(item)))
            at = found + len(item)
    return Field(key, number, start, end, items)


def infobox_drafts(text: str, fields: list[Field], page: Page, links: list[dict], lex: Lexicon) -> list[tuple[int, int, Draft]]:
    """(sentence start, sentence end, draft) in the chunk's text for every value of the infobox."""
    by_key = {(f.key, f.index): f for f in reversed(fields)}
    out: list[tuple[int, int, Draft]] = []
    for f in fields:
        held = _office(text, f, by_key, page, links, lex) if f.key in _OFFICE else []
        out += held
        if not any(d.subject_basis == "page" for _, _, d in held):
            known = _plain(text, f, by_key, page, links, lex)
            out += known or ([] if held else _unknown(text, f, page, links))
    return out


def _senses(f: Field, page: Page, lex: Lexicon) -> list[Sense]:
    senses = lex.infobox.get(f.key) or lex.infobox.get(f"{f.key} {f.index}") or ()
    fitting = [(compatible(s.subject, page.kind), s) for s in senses]
    best = max((fit for fit, _ in fitting), default=0)
    return [s for fit, s in fitting if fit == best >= (0.9 if page.kind else 0.1)][:1]


def _plain(text, f, by_key, page, links, lex):
    out = []
    role_key = f.key if f.key in _ROLE_FIELDS or any(k.startswith(f.key + ":") for k in lex.infobox) else ""
    titled = by_key.get((f.key.replace("name", "title"), f.index)) if "name" in f.key else None
    for item in _merged(text, f):
        main, brackets = _split_item(text, *item)
        if main[0] >= main[1]:
            continue
        cues = _bracket_cues(text, brackets)
        if f.key.startswith(("past ", "former ", "previous ")):
            cues.append(("former", f.start, f.start + len(f.key.split()[0])))
        if role_key:
            got = _with_roles(text, f, titled, role_key, main, brackets, cues, page, links, lex)
            if got:
                out += got
                continue
        lo, hi = f.start, f.end
        if (years := _years_of(f, by_key)) is not None and years.items:
            a, b = min(lo, years.start), max(hi, years.end)
            if b - a <= _SPAN_CHARS:
                lo, hi = a, b
                x, y = years.items[0][0], years.items[-1][1]
                cues = cues + [(t.role or "point", x + t.start, x + t.end) for t in find_temporals(text[x:y])]
        for sense in _senses(f, page, lex):
            if sense.object == "quantity":
                out += _quantity(text, f, by_key, item, sense, page)
            elif sense.object == "date":
                out += _date(text, f, item, sense, page)
            else:
                for span in _names(text, main) if sense.object == "entity" and "PERSON" in sense.object_types else [main]:
                    out.append((lo, hi, _draft(text, lo, hi, span, sense.name, page, links, cues, sense, 0.9 if page.kind else 0.8)))
    return out


def _unknown(text, f, page, links):
    """The whole value of a key that no predicate is known for, as it stands: "genre: Drama; Comedy"."""
    if not f.items or not f.key:
        return []
    start, end = trim(text, f.items[0][0], f.items[-1][1])
    if start >= end or end - start > _VALUE_CHARS or FILE_NAME.fullmatch(text[start:end]) or not re.search(r"\w", text[start:end]):
        return []
    d = _draft(text, f.start, f.end, (start, end), f"{UNKNOWN_KEY}{f.key}", page, links, [], None, 0.6)
    d.object_type = "string"
    return [(f.start, f.end, d)]


def _merged(text: str, f: Field) -> list[tuple[int, int]]:
    """Items, with one that is only a bracket joined to the item before it, and semicolons inside an item split."""
    out: list[list[int]] = []
    for start, end in f.items:
        at = start
        for piece in re.split(r"(;\s+(?![^()]*\)))", text[start:end]):
            stop = at + len(piece)
            shown = piece.strip()
            if shown and shown != ";":
                if shown.startswith("(") and out:
                    out[-1][1] = stop
                else:
                    out.append([at, stop])
            at = stop
    return [(a, b) for a, b in out]


def _split_item(text, start, end):
    """The value outside brackets (up to the first), and the brackets' inner spans."""
    brackets = [(start + m.start(1), start + m.end(1)) for m in _BRACKET.finditer(text[start:end])]
    first = brackets[0][0] - 1 if brackets else end
    if first <= start + 1 and brackets:
        return trim(text, brackets[-1][1] + 1, end), brackets
    return trim(text, start, first), brackets


def _bracket_cues(text, brackets):
    out = []
    for a, b in brackets:
        for t in find_temporals(text[a:b]):
            before = text[a : a + t.start].rstrip().lower()
            role = t.role or "point"
            if before.endswith(("m.", "married", "m")):
                role = "start"
            elif before.endswith(("div.", "divorced", "sep.", "separated", "died", "d.", "ann.", "annulled", "dis.", "dissolved", "end", "div")):
                role = "end"
            out.append((role, a + t.start, a + t.end))
    return out


def _years_of(f: Field, by_key: dict) -> Field | None:
    """The numbered companion that dates a numbered field: `years2` for `clubs2`, `manageryears1` for `managerclubs1`."""
    if not f.index:
        return None
    found = [(len(k) - 5, other) for (k, i), other in by_key.items() if i == f.index and k.endswith("years") and f.key.startswith(k[:-5])]
    return max(found, key=lambda x: x[0])[1] if found else None


def _with_roles(text, f, titled, key, main, brackets, cues, page, links, lex):
    """`Name (Role and Role)`, `Name, Role`, or a name field beside its title field."""
    out, places = [], []
    if titled is not None and titled.items:
        places.append((titled.items[0][0], titled.items[-1][1]))
    places += brackets
    if not places:
        for sep in (",", " – ", " - ", ": "):
            at = text.find(sep, *main)
            if at > 0:
                roles = find_roles(text[at:main[1]], lex, key=key)
                if roles:
                    places.append((at, main[1]))
                    main = trim(text, main[0], at)
                    break
    for start, end in places:
        roles = find_roles(text[start:end], lex, key=key)
        inner = _BRACKET.sub("", text[start:end])
        for role in roles:
            senses = [s for s in role.senses if compatible(s.subject, page.kind) > 0] or list(role.senses)
            senses.sort(key=lambda s: -compatible(s.subject, page.kind))
            lo, hi = min(f.start, start), max(f.end, end)
            if titled is not None:
                lo, hi = min(f.start, titled.start), max(f.end, titled.end)
            if hi - lo > _SPAN_CHARS:
                lo, hi = f.start, f.end
            own = list(cues) + [("former", start + role.start, start + role.end)] * role.former
            if role.current:
                own.append(("current", start + role.start, start + role.end))
            d = _draft(text, lo, hi, main, senses[0].name, page, links, own, senses[0], 0.9)
            d.scope = role.scope
            if role.owner[0] >= 0:
                d.scope = f"{role.scope} {text[start + role.owner[0] : start + role.owner[1]]}".strip()
            if lo <= start:
                d.predicate_span = (start + role.start - lo, start + role.end - lo)
            out.append((lo, hi, d))
        if not roles and re.search(r"[A-Za-z]{3}", inner) and not ATOM.search(inner) and titled is None and len(inner) < 60:
            d = _draft(text, f.start, f.end, main, inner.strip().lower(), page, links, cues, None, 0.6)
            d.predicate_span = (start - f.start, end - f.start)
            out.append((f.start, f.end, d))
    return out


def _names(text, span):
    """People of one item: split at " and ", "&" and commas where each part is a name."""
    parts, at = [], span[0]
    for piece in re.split(r"(\s+and\s+|\s*&\s*|,\s+)", text[span[0] : span[1]]):
        if piece and not re.fullmatch(r"\s+and\s+|\s*&\s*|,\s+", piece):
            parts.append(trim(text, at, at + len(piece)))
        at += len(piece)
    if len(parts) > 1 and all(a < b and " " in text[a:b] and text[a].isupper() and not re.match(r"(?:Jr|Sr|II|III|Inc)\b", text[a:b]) for a, b in parts):
        return parts
    return [span]


def _draft(text, lo, hi, span, predicate, page, links, cues, sense, confidence):
    """Builds a draft; offsets turn from the chunk to the sentence [lo, hi)."""
    return Draft(
        predicate=predicate, subject=page.title, subject_span=None, subject_basis="page", subject_type=page.kind,
        object=text[span[0] : span[1]], object_span=(span[0] - lo, span[1] - lo),
        object_type=sense.object if sense else "entity", confidence=confidence, extractor="infobox",
        subject_target=page.title, object_target=link_target(links, *span),
        cues=[(r, a - lo, b - lo) for r, a, b in cues if lo <= a and b <= hi],
    )


def _quantity(text, f, by_key, item, sense, page):
    match = QUANTITY.search(text, *item)
    if match is None:
        return []
    lo, hi = f.start, f.end
    rest = find_temporals(text[match.end() : item[1]])
    cues = [("asof" if t.role in ("", "point", "asof") else t.role, match.end() + t.start, match.end() + t.end) for t in rest]
    if not cues:
        stems = [f.key, f.key.split()[0]]
        for stem in stems:
            for suffix in _DATED:
                other = by_key.get((f"{stem} {suffix}", f.index))
                if other is not None and other.items and (m := ATOM.search(text, other.items[0][0], other.items[0][1])):
                    a, b = min(lo, other.start), max(hi, other.end)
                    if b - a <= _SPAN_CHARS:
                        lo, hi = a, b
                        cues = [("asof", m.start(), m.end())]
                    break
            if cues:
                break
    return [(lo, hi, _draft(text, lo, hi, trim(text, match.start(), match.end()), sense.name, page, [], cues, sense, 0.9))]


def _date(text, f, item, sense, page):
    match = _PARTS.search(text, *item) or ATOM.search(text, *item)
    if match is None:
        return []
    return [(f.start, f.end, _draft(text, f.start, f.end, match.span(), sense.name, page, [], [], sense, 0.9))]


def _office(text, f, by_key, page, links, lex):
    """A holder's box: `office = ROLE of Y` with term_start, term_end, predecessor, successor of the same number."""
    out = []
    if not f.items or page.kind not in ("", "PERSON"):
        return out
    start, end = f.items[0][0], f.items[-1][1]
    lo, hi, cues = f.start, f.end, []
    terms: dict[str, tuple[int, int]] = {}
    for name, role in (("term start", "start"), ("term end", "until"), ("term", ""), ("termstart", "start"), ("termend", "until")):
        other = by_key.get((name, f.index))
        if other is None or not other.items:
            continue
        a, b = min(lo, other.start), max(hi, other.end)
        if b - a > _SPAN_CHARS:
            continue
        lo, hi = a, b
        x, y = other.items[0][0], other.items[-1][1]
        found = find_temporals(text[x:y])
        for t in found:
            this = "current" if t.role == "current" else role or t.role
            cues.append((this, x + t.start, x + t.end))
            terms.setdefault(role, (x + t.start, x + t.end))
        if role == "until" and re.search(r"incumbent|present", text[x:y], re.IGNORECASE) and not any(c[0] == "current" for c in cues):
            cues.append(("current", x, y))
    for role in find_roles(text[start:end], lex)[:3]:
        if role.owner[0] < 0:
            continue
        owner = trim(text, start + role.owner[0], start + role.owner[1])
        sense = best_sense(role.senses, text[owner[0] : owner[1]])
        people = [(None, cues, lo, hi)]
        for key, when, bound in (("predecessor", "until", "start"), ("successor", "start", "until"), ("preceded", "until", "start"), ("succeeded", "start", "until")):
            other = by_key.get((key, f.index))
            if other is not None and len(other.items) == 1 and f.key != "title":
                a, b = min(lo, other.start), max(hi, other.end)
                if b - a <= _SPAN_CHARS:
                    own = [(when, *terms[bound])] if bound in terms else []
                    people.append((_split_item(text, *other.items[0])[0], own, a, b))
        for span, own, a, b in people:
            if span is not None and (span[0] >= span[1] or not text[span[0]].isupper()):
                continue
            out.append((a, b, Draft(
                predicate=sense.name, subject=text[owner[0] : owner[1]], subject_span=(owner[0] - a, owner[1] - a), subject_basis="text",
                subject_type=guess_owner(text[owner[0] : owner[1]], sense), object=text[span[0] : span[1]] if span else page.title,
                object_span=(span[0] - a, span[1] - a) if span else None, object_type="entity", confidence=0.88 if span is None else 0.75,
                extractor="infobox", predicate_span=(start + role.start - a, start + role.end - a),
                subject_target=link_target(links, *owner), object_target=link_target(links, *span) if span else page.title,
                scope=role.scope, cues=[(r, x - a, y - a) for r, x, y in own],
            )))
    for sense in _senses(f, page, lex):
        if cues and sense.object == "string":
            for item in f.items[:1]:
                out.append((lo, hi, _draft(text, lo, hi, trim(text, *item), sense.name, page, links, cues, sense, 0.9)))
    return out
