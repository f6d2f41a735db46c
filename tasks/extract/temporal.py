"""Temporal expressions in a text: where they stand and in what role, never what days they mean.

Roles: start, end, until, since, point, asof, former, current, between. The expression is the narrowest text that a
date parser needs ("6 April 2020", "2012", "the 1990s"); its role comes from the words around it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MONTH = (r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|"
          r"Nov(?:ember)?|Dec(?:ember)?)\.?")
_DAY = r"[0-3]?\d(?:st|nd|rd|th)?"
_YEAR = r"(?:1\d{3}|20\d{2})"
_ERA = r"(?:\s?(?:BCE?|B\.C\.(?:E\.)?|AD|A\.D\.|CE)(?![A-Za-z]))"
_PART = r"(?:(?:the\s+)?(?:early|mid|late|beginning\s+of|end\s+of|middle\s+of)[\s-]+(?:the\s+)?)"
_SEASON = r"(?:(?:spring|summer|autumn|fall|winter|Spring|Summer|Autumn|Fall|Winter)(?:\s+of)?)"
ATOM = re.compile(
    rf"(?<![\w$£€.,/])(?:"
    rf"{_DAY}\s+(?:of\s+)?{_MONTH},?\s+\d{{1,4}}{_ERA}?"
    rf"|{_MONTH}\s+{_DAY}\s?,?\s+\d{{3,4}}{_ERA}?"
    rf"|{_PART}?{_MONTH},?\s+(?:of\s+)?\d{{3,4}}{_ERA}?"
    rf"|\d{{4}}-[01]\d-[0-3]\d"
    rf"|(?:the\s+)?(?:first|second|third|fourth)\s+(?:quarter|half)\s+of\s+{_YEAR}|Q[1-4]\s+{_YEAR}"
    rf"|{_SEASON}\s+{_YEAR}"
    rf"|{_PART}?\d{{1,2}}(?:st|nd|rd|th)[\s-]+century{_ERA}?"
    rf"|{_PART}?(?:the\s+)?{_YEAR}s"
    rf"|\d{{1,4}}{_ERA}|AD\s+\d{{1,4}}"
    rf"|{_PART}?{_YEAR}"
    rf")(?![\w%])(?!,\d)(?!\.\d)"
)
_RANGE = re.compile(r"\s*(?:[–—−-]|to|until|till|through|thru|up\s+to)\s*(?:the\s+)?$")
_SHORT = re.compile(r"\s?[–—/-](\d{2})(?!\d)")
_OPEN = re.compile(r"\s*(?:[–—−-]|to|until)\s*(?:the\s+)?(present|now|today|date|incumbent|current|Present|Incumbent)\b")
_DANGLING = re.compile(r"\s*[–—−-]\s*(?=[)\],;|]|$)")
_BEFORE = re.compile(
    r"(?:^|[\s(,;])(from|since|until|till|til|up\s+to|through|by|as\s+of|as\s+at|in|on|at|during|before|after|following|between|"
    r"(?:starting|beginning|commencing|effective)(?:\s+(?:in|on|from|as\s+of))?|prior\s+to|to|for)\s+(?:(?:the|about|around|circa|c\.|"
    r"early|late|mid|year|years|a|fiscal|calendar|financial|summer|spring|end\s+of|beginning\s+of|start\s+of)[\s-]+)*$",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"\b(?:(no longer|formerly|former|previously|erstwhile|ex(?=-)|one-time|onetime)|"
    r"(currently|current|incumbent|presently|at present|nowadays|to this day|now))\b", re.IGNORECASE,
)
CENSUS = re.compile(r"\s+(?:\w+\s+)?(?:census|estimates?|survey|figures?|fiscal year)\b", re.IGNORECASE)

_ROLE = {
    "from": "start", "since": "since", "until": "until", "till": "until", "til": "until", "through": "until", "up to": "until",
    "by": "asof", "as of": "asof", "as at": "asof", "before": "", "prior to": "", "after": "", "following": "", "between": "start",
    "to": "until", "for": "point",
}


@dataclass(frozen=True, slots=True)
class Temporal:
    """One expression: half-open offsets, and its role by the words around it ('' = says nothing usable)."""

    start: int
    end: int
    role: str
    ranged: bool = False


def find_temporals(text: str) -> list[Temporal]:
    """All expressions in text order; ranges give two (start, until), an open range `since` and `current`."""
    out: list[Temporal] = []
    if any(c.isdigit() for c in text):
        out = _dates(text)
    for match in _STATE.finditer(text):
        out.append(Temporal(match.start(), match.end(), "former" if match[1] else "current"))
    out.sort(key=lambda t: (t.start, t.end))
    return out


def years_apart(first: str, second: str) -> int:
    """Years between two expressions, by the last year that each writes out; 0 where one writes none."""
    a, b = re.findall(r"\d{3,4}", first), re.findall(r"\d{3,4}", second)
    return int(b[-1]) - int(a[-1]) if a and b else 0


def _dates(text: str) -> list[Temporal]:
    atoms = [m.span() for m in ATOM.finditer(text)]
    out: list[Temporal] = []
    i = 0
    while i < len(atoms):
        start, end = atoms[i]
        before = _BEFORE.search(text[max(0, start - 40) : start])
        word = re.sub(r"\s+", " ", before[1].lower()) if before else ""
        if i + 1 < len(atoms):
            between = text[end : atoms[i + 1][0]]
            if _RANGE.fullmatch(between) or (word == "between" and re.fullmatch(r"\s+and\s+(?:the\s+)?", between)):
                out += [Temporal(start, end, "start", True), Temporal(*atoms[i + 1], "until", True)]
                i += 2
                continue
        i += 1
        rest = text[end:]
        opened = _OPEN.match(rest)
        short = _SHORT.match(rest)
        if opened:
            out += [Temporal(start, end, "since", True), Temporal(end + opened.start(1), end + opened.end(1), "current", True)]
        elif short and re.fullmatch(_YEAR, text[start:end]):
            out += [Temporal(start, end, "start", True), Temporal(end + short.start(1), end + short.end(1), "until", True)]
        elif _DANGLING.match(rest) and text[max(0, start - 1) : start] in ("(", "|", "", " ", ","):
            out.append(Temporal(start, end, "since", True))
        elif CENSUS.match(rest):
            out.append(Temporal(start, end, "asof"))
        elif re.search(r"[–—−-]\s*$", text[:start]) and text[:start].rstrip(" –—−-")[-1:] in ("(", "|", ""):
            out.append(Temporal(start, end, "until", True))
        elif word.startswith(("starting", "beginning", "commencing", "effective")):
            out.append(Temporal(start, end, "start"))
        else:
            role = _ROLE.get(word, "point")
            if word == "from" and text[max(0, start - 12) : start].lower().endswith("away from "):
                role = "point"
            out.append(Temporal(start, end, role))
    return out


_CURRENCY = r"(?:US\$|A\$|C\$|HK\$|NZ\$|R\$|\$|£|€|¥|₹|US \$|USD|EUR|GBP|Rs\.?)"
_SCALE = r"(?:thousand|million|billion|trillion|crore|lakh|mn|bn)"
_UNIT = (
    r"(?:%|percent|per\s+cent|°\s?[CF]|(?:square|sq\.?|cubic)\s+(?:kilomet(?:er|re)s?|met(?:er|re)s?|miles?|feet|foot|km|mi|m|ft|yards?)|"
    r"k?m(?:²|2|3)?(?:/[hs])?|sq\s?mi|mi(?:les?)?|mph|kph|cm|mm|ft|feet|foot|inch(?:es)?|yards?|acres?|ha|hectares?|"
    r"(?:kilo|centi|milli|micro|nano)?met(?:er|re)s?|(?:kilo|milli|micro)?grams?|kg|mg|g|lbs?|pounds?|tonn?es|tonn?e|tons?|(?:kilo|mega|giga|tera)?watts?|"
    r"[kMGT]Wh?|[kMGT]?Hz|[KMGT]i?B|lit(?:er|re)s?|barrels?|people|inhabitants|residents|employees|students|members|dollars|euros|"
    r"pounds|yen|rupees|francs|years?|months?|days?|hours?|minutes?|seconds?|knots?|seats?)"
)
QUANTITY = re.compile(
    rf"(?<![\w.,])(?:{_CURRENCY}\s?)?[-−]?\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?(?:[\s-]{_SCALE})?(?:[\s-]?{_UNIT}(?![\w/]))?(?![\d])"
    rf"|(?<![\w.,])(?:{_CURRENCY}\s?)?[-−]?\d+(?:\.\d+)?(?:[\s-]{_SCALE})?(?:[\s-]?{_UNIT}(?![\w/]))?(?![\d\w])",
)
