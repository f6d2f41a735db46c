"""The date in a question: a small parser over `schemas.time` that reads only what is worded as a time.

It finds days ("on 31 March 2020", "2020-03-31"), months, years after a preposition ("in 2018", "as of 2015"), decades
("in the early 1990s"), centuries ("in the 19th century"), seasons, BC years, and ranges ("between 2010 and 2012",
"from May 2004 to 2007", "2010-2012"). A bare year is not taken ("the 2008 Olympics", "Blade Runner 2049"), and neither
is the date of a side clause ("the man born on 2 March 1911") unless it stands alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from schemas.time import Day, DayRange, day_from_civil, day_range, month_range, years_range

_MONTHS = {name: i // 2 + 1 for i, name in enumerate(
    "january jan february feb march mar april apr may may june jun july jul august aug september sep october oct "
    "november nov december dec".split())} | {"sept": 9}
_MONTH = r"(?P<@month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_ERA = r"(?P<@era>\s*\b(?:bc|bce|ad|ce)\b)?"
_YEAR = r"(?P<@year>\d{3,4})(?!\d|[.,]\d)" + _ERA
_ANY_YEAR = r"(?P<@year>\d{3,4}|\d{1,2}(?=\s*\b(?:bc|bce|ad|ce)\b))(?!\d|[.,]\d)" + _ERA
_PART = r"(?:(?P<@part>early|mid|late)[\s-]+)?(?:the\s+)?"
_DOM = r"(?P<@dom>\d{1,2})(?:st|nd|rd|th)?"
_ISO = r"(?P<@iso>\d{4}-\d{2}(?:-\d{2})?)(?![\d-])"
_SHAPES = (  # letter of the shape, and what it looks like; `@` stands for the group prefix
    ("i", _ISO),
    ("d", _DOM + r"(?:\s+of)?\s+" + _MONTH + r",?\s+" + _ANY_YEAR),
    ("m", _MONTH + r"\s+(?:" + _DOM + r",?\s+)?(?:of\s+)?" + _ANY_YEAR),
    ("t", _PART + r"(?P<@decade>\d{3}0)'?s\b"),
    ("n", _PART + r"(?P<@century>\d{1,2})(?:st|nd|rd|th)[\s-]+century\b" + _ERA),
    ("s", _PART + r"(?P<@season>spring|summer|autumn|fall|winter)\s+(?:of\s+)?" + _YEAR),
    ("c", _PART + r"(?:year\s+)?" + _ANY_YEAR),
)


def _point(prefix: str) -> str:
    return r"(?:the\s+)?(?:" + "|".join(shape.replace("@", prefix + letter) for letter, shape in _SHAPES) + ")"


_RANGE = re.compile(
    r"\b(?:(?P<word>between|from|during|in)\s+)?(?:the\s+years?\s+)?" + _point("x")
    + r"\s*(?:\band\b|\bto\b|\buntil\b|\btill\b|\bthrough\b|[-\u2013\u2014])\s*"
    r"(?:the\s+year\s+)?" + _point("y") + r"(?!\w)", re.IGNORECASE)
_SINGLE = re.compile(
    r"\b(?P<word>as\s+of|as\s+at|on|in|during|by|since|until|till|before|after|from|around|circa|at|through|throughout|within|for)\s+"
    r"(?:(?:about|around|the\s+month\s+of|the\s+course\s+of|the\s+period)\s+)?" + _point("x") + r"(?!\w)", re.IGNORECASE)
_FULL = re.compile(_point("x") + r"(?!\w)", re.IGNORECASE)
_SIDE = re.compile(r"\b(?:born|died|dead|founded|established|created|built|opened|formed|began|begun|started|released)\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Asked:
    """A stretch of time that a question asks about. Half open; None is open. `text` is the wording that was read.

    `point` is the single day it names, else None. `relation` is `in`, `since`, `until`, `before`, `after` or `range`.
    """

    first: Day | None
    until: Day | None
    text: str
    start: int
    end: int
    relation: str = "in"

    @property
    def point(self) -> Day | None:
        return self.first if self.first is not None and self.until == self.first + 1 else None


def _year(number: str, era: str | None) -> int:
    return 1 - int(number) if era and era.strip().lower().startswith("bc") else int(number)


def _part(part: str | None, first: int, last: int) -> tuple[int, int]:
    """The early, mid or late four tenths of a stretch of years."""
    part = (part or "").strip(" -").lower()
    tenth = (last - first + 1) / 10
    if part == "early":
        return first, first + round(4 * tenth) - 1
    if part == "mid":
        return first + round(3 * tenth), first + round(7 * tenth) - 1
    if part == "late":
        return first + round(6 * tenth), last
    return first, last


def _range_of(match: re.Match, prefix: str) -> DayRange | None:
    """What the point with this group prefix denotes; None where there is no such day."""
    found = [(k[1], k[2:], v) for k, v in match.groupdict().items() if k.startswith(prefix) and v is not None]
    shape, g = found[0][0], {name: value for _, name, value in found}
    try:
        if shape == "i":
            year, month, *day = (int(x) for x in g["iso"].split("-"))
            return day_range(year, month, day[0]) if day else month_range(year, month)
        if shape in "dm":
            year, month = _year(g["year"], g.get("era")), _MONTHS[g["month"].lower()]
            return day_range(year, month, int(g["dom"])) if "dom" in g else month_range(year, month)
        if shape == "t":
            return years_range(*_part(g.get("part"), int(g["decade"]), int(g["decade"]) + 9))
        if shape == "n":
            n = int(g["century"])
            first = 1 - 100 * n if g.get("era", "").strip().lower().startswith("bc") else 100 * (n - 1) + 1
            return years_range(*_part(g.get("part"), first, first + 99)) if n else None
        year = _year(g["year"], g.get("era"))
        if shape == "s":
            month = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}[g["season"].lower()]
            last = month_range(year + 1, 2) if month == 12 else month_range(year, month + 2)
            return DayRange(day_from_civil(year, month, 1), last.last)
        opening, closing = {"early": (1, 4), "mid": (5, 8), "late": (9, 12)}.get(g.get("part", "").lower(), (1, 12))
        return DayRange(month_range(year, opening).first, month_range(year, closing).last)
    except ValueError:
        return None


def _in_a_name(text: str, match: re.Match) -> bool:
    """A bare year is part of a name after `the` ("in the 2008 election"), and before a capital ("in 2008 Summer Olympics")
    unless it opens the text."""
    if match.groupdict().get("xcyear") is None:
        return False
    if re.search(r"\bthe\s+\d{3,4}$", match.group(), re.IGNORECASE):
        return True
    return match.start() > 0 and bool(re.match(r"\s+[A-Z]\w", text[match.end() :]))


def find_date(text: str) -> Asked | None:
    """The time that a question asks about, or None. Ranges win over points, points outside side clauses over others."""
    found: list[tuple[int, Asked]] = []
    for match in _RANGE.finditer(text):
        left, right = _range_of(match, "x"), _range_of(match, "y")
        years = match["xcyear"] and match["ycyear"] and not match["word"]
        if left is None or right is None or left.first > right.last or (years and len(match["xcyear"]) != len(match["ycyear"])):
            continue
        found.append((2, Asked(left.first, right.last + 1, match.group(), match.start(), match.end(), "range")))
    taken = [(a.start, a.end) for _, a in found]
    for match in [*_SINGLE.finditer(text), *_FULL.finditer(text)]:
        if any(s < match.end() and match.start() < e for s, e in taken):
            continue
        word = " ".join((match.groupdict().get("word") or "").lower().split())
        if not word and match.groupdict().get("xcyear") is not None:
            continue
        days = _range_of(match, "x")
        if days is None or (word and _in_a_name(text, match)) or (word in ("for", "at", "within") and match["xcyear"]):
            continue
        taken.append((match.start(), match.end()))
        side = bool(_SIDE.search(text[: match.start()]))
        found.append((0 if side else 1, _asked(word, days, match)))
    if not found:
        return None
    best = max(weight for weight, _ in found)
    return max((a for weight, a in found if weight == best), key=lambda a: a.start)


def _asked(word: str, days: DayRange, match: re.Match) -> Asked:
    where = (match.group(), match.start(), match.end())
    if word in ("since", "from"):
        return Asked(days.first, None, *where, "since")
    if word == "after":
        return Asked(days.last + 1, None, *where, "after")
    if word == "before":
        return Asked(None, days.first, *where, "before")
    if word in ("until", "till"):
        return Asked(None, days.last + 1, *where, "until")
    return Asked(days.first, days.last + 1, *where)
