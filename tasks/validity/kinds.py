"""Tells what kind of change one text for another is: succession, correction, wording, removal, addition.

Pure and symmetric in nothing: the old and the new text of one slot (an infobox key, or a sentence at its place) go in, a
verdict and the code of the rule that gave it come out. Markup is gone before. No list of words of one wiki's topics: the
rules see years, figures, names and how much of the wording stayed.

Dates are compared as days, months or years, however they are written. Rules, the first that fits:

1. `empty_old`, `empty_new`: addition, removal. `same`: only marks, the order of words or the writing of a date differ: correction.
2. `over`, `closed`: the present tense went into the past with a later date, "present", "incumbent" or an open "1997–" got an
   end: succession.
3. `fixed_kind`: the slot tells what cannot change (a birth, a foundation, a work's author): correction. `citation`: a footnote.
4. `later_date`: the latest date told is later in the new text, in a slot or in a sentence about the present, or as all that a
   sentence gained: succession. `pointer`, `same_day`: a list stands for "See …", or both tell the same latest day: correction.
5. `figure`: only figures differ: succession where they may move on (no year, a year told beside it moved on, present tense, a
   subject that has not ended), else correction. `slip`: one typing error.
6. `fuller`, `spelling`: one text holds all words of the other, or the words are the same spelled otherwise: correction.
7. `ended`: a subject that is dead or dissolved has values that move no longer: correction. `replaced`: hardly a word stayed:
   succession. `name`: a name went and quite another came, in the present tense or beside the office that stayed: succession.
8. `facts`: figures, names or a negation differ: correction. `small`: a word was missing, or a qualifier came: correction.
   `reworked`: else; correction, in prose wording.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz import fuzz
from rapidfuzz.distance import DamerauLevenshtein

SUCCESSION, CORRECTION, WORDING, REMOVAL, ADDITION = "succession", "correction", "wording", "removal", "addition"
REVERT, VANDALISM, RENAME = "revert", "vandalism", "rename"

_MONTHS = {m: n for n, m in enumerate(
    "january february march april may june july august september october november december".split(), 1)}
_MONTH = r"(?P<m{0}>" + "|".join("sep(?:t(?:ember)?)?" if m == "september" else f"{m[:3]}(?:{m[3:]})?" if m != "may" else m for m in _MONTHS) + r")\.?"
_DATE = re.compile(
    rf"(?<!\w)(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\s+{_MONTH.format(1)},?\s*(?P<y1>\d{{4}})|{_MONTH.format(2)}\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,?\s+"
    rf"(?P<y2>\d{{4}})|{_MONTH.format(3)},?\s+(?P<y3>\d{{4}})|(?P<y4>\d{{4}})[- ](?P<n4>\d{{1,2}})[- ](?P<d4>\d{{1,2}}))(?!\w)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![\d.,])(1[0-9]{3}|20[0-9]{2})(?![\d]|[.,]\d)")
_WORD = re.compile(r"\d{4}(?:-\d\d)+(?!\d)|[^\W_]+(?:[.,]\d+)*", re.UNICODE)
_OPEN = re.compile(r"\b(?:present|incumbent|ongoing|to date)\b|\d{4}\s*[–-]\s*(?:$|[;,)])", re.IGNORECASE)
_FIXED = re.compile(
    r"\b(?:birth|born|founded|foundation|founders?|established|formation|opened|opening|released?|launch(?:ed)?|first aired|premiered?|created|"
    r"creator|director|writer|native name|coordinates|latitude|longitude|area|elevation|depth|death|died|resting place)\b"
)
_KINDS_OF = frozenset("date place year name by country city total km2 sqmi mi km m ft ha".split())
_NOW = re.compile(
    r"\b(?:is|are|has|have|holds|remains|serves|leads|employs|owns|operates|currently|current|now|today|as of|since|to date|present)\b", re.IGNORECASE
)
_SMALL = frozenset(
    "a an and as at been by for from had has have in is it its of on or that the this to was were with he she they his her their which who are be".split()
)
_OVER = re.compile(
    r"\b(?:formerly|previously|until|no longer|used to|ceased|ended|closed|dissolved|retired|resigned|stepped down|was replaced|were replaced|moved to)\b",
    re.IGNORECASE,
)
_POINTER = re.compile(r"\W*(?:see\b|(?:full |complete )?list of\b|various\W*$|several\W*$|many\W*$)", re.IGNORECASE)
_NUMBERS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty "
    "forty fifty sixty seventy eighty ninety hundred thousand million billion".split()
)
_NOT = frozenset("no not never none nor neither without cannot".split())
_REPLACED_SHARE = 0.34
_SPELLING = 82.0
_HOLDER = re.compile(r"([^()]+?)\s*\(([^()]*[^\W\d_][^()]*)\)")
_DECADE = re.compile(r"(?:\d\d)?\d0s")
_NEAR = 70.0  # of one word: "publish" and "publishes", not "into" and "in"
_SMALL_CHANGE = 2


def plain(text: str) -> str:
    """NFKC, one blank between words, dates as ISO, marks of quotation and brackets out."""
    text = re.sub(r"[\"'“”‘’«»()\[\]{}]", " ", unicodedata.normalize("NFKC", text))
    return " ".join(_DATE.sub(_iso, text).split())


def _iso(match: re.Match[str]) -> str:
    """A date as written to ISO; what is no date stays."""
    found = match.groupdict()
    year = next(found[f"y{n}"] for n in (1, 2, 3, 4) if found[f"y{n}"])
    name = next((found[f"m{n}"] for n in (1, 2, 3) if found.get(f"m{n}")), None)
    month = int(found["n4"]) if name is None else next(n for m, n in _MONTHS.items() if m.startswith(name.casefold()[:3]))
    day = next((found[f"d{n}"] for n in (1, 2, 4) if found[f"d{n}"]), None)
    if not 1 <= month <= 12:
        return match[0]
    return f"{year}-{month:02}" + (f"-{int(day):02}" if day else "")


@lru_cache(maxsize=65536)
def words_of(text: str) -> tuple[str, ...]:
    return tuple(w.casefold() for w in _WORD.findall(plain(text)))


def folded(text: str) -> str:
    """A text without case and runs of white space."""
    return " ".join(text.split()).casefold()


def same_text(old: str, new: str) -> bool:
    """Whether two texts differ in case and white space alone."""
    return folded(old) == folded(new)


def tell_kind(
    old: str, new: str, slot: str = "", prose: bool = False, citation: bool = False, ended: bool = False, beside: bool | None = None
) -> tuple[str, str]:
    """(verdict, rule). `slot` is the infobox key ('' in prose), `ended` whether the box says that its subject has ended, `beside`
    whether the date that the box tells next to the slot moved on; None where it tells none."""
    a, b = words_of(old), words_of(new)
    if a == b or [w.replace(",", "") for w in a] == [w.replace(",", "") for w in b]:
        return (CORRECTION, "same") if not same_text(old, new) else ("", "same")
    if not a:
        return ADDITION, "empty_old"
    if not b:
        return REMOVAL, "empty_new"
    if citation:
        return CORRECTION, "citation"
    before, after = _dates(a), _dates(b)
    later = bool(after) and _later(max(after), max(before, default=""))
    if prose and later and _NOW.search(old) and not _OVER.search(old) and _OVER.search(new):
        return SUCCESSION, "over"
    if _OPEN.search(old) and not _OPEN.search(new) and after and (later or max(after) in before):
        return SUCCESSION, "closed"
    if slot and _is_fixed(slot):
        return CORRECTION, "fixed_kind"
    changed = set(a) ^ set(b)
    moving = not prose or bool(_NOW.search(old) and _NOW.search(new))
    if later and moving and (before or _figures(a)):
        return SUCCESSION, "later_date"
    if later and before and before < after and all(d > max(before) for d in after - before) and changed - _SMALL == after - before:
        return SUCCESSION, "later_date"
    if _decade_otherwise(a, b):
        return CORRECTION, "spelling"
    dated = bool(before) and not later  # it tells when, and no later day than before
    return _in_prose(old, new, a, b, moving, dated) if prose else _in_slot(old, new, a, b, dated, ended, beside)


def _in_slot(old: str, new: str, a: tuple[str, ...], b: tuple[str, ...], dated: bool, ended: bool, beside: bool | None) -> tuple[str, str]:
    """The rules for values, from the fourth on."""
    changed, before, after = set(a) ^ set(b), _dates(a), _dates(b)
    figures = _figures(changed)
    if _POINTER.match(old) or _POINTER.match(new):
        return CORRECTION, "pointer"
    if changed and figures == changed:
        return (CORRECTION, "figure") if ended or beside is False or dated else (SUCCESSION, "figure")
    if before and after and max(before) == max(after) and bool(_OPEN.search(old)) == bool(_OPEN.search(new)):
        return CORRECTION, "same_day"
    if set(a) <= set(b) or set(b) <= set(a):
        return CORRECTION, "fuller"
    if not figures and (fuzz.ratio(" ".join(a), " ".join(b)) >= _SPELLING or _spelled_otherwise(a, b)):
        return CORRECTION, "spelling"
    if ended:
        return CORRECTION, "ended"
    if _kept(a, b) < _REPLACED_SHARE:
        return SUCCESSION, "replaced"
    return (SUCCESSION, "name") if _other_holder(old, new) else (CORRECTION, "reworked")


def _in_prose(old: str, new: str, a: tuple[str, ...], b: tuple[str, ...], moving: bool, dated: bool) -> tuple[str, str]:
    """The rules for sentences, from the fifth on."""
    gone, came = set(a) - set(b), set(b) - set(a)
    changed = gone | came
    figures = _figures(changed)
    if changed and figures == changed:
        if _slip(a, b) and not moving:
            return CORRECTION, "slip"
        return (SUCCESSION, "figure") if moving and not dated else (CORRECTION, "figure")
    content = changed - _SMALL
    other = _other_name(old, new)
    if not changed or "".join(a) == "".join(b) or _spelled_otherwise(a, b, _NEAR):
        return CORRECTION, "spelling"
    if _kept(a, b) < _REPLACED_SHARE:
        return SUCCESSION, "replaced"
    if other and moving and len(content) <= 3 * _SMALL_CHANGE:
        return SUCCESSION, "name"
    if figures or other or changed & (_NOT | _NUMBERS):
        return CORRECTION, "facts"
    if len(content) <= _SMALL_CHANGE and (not gone or _names_differ(old, new)):
        return CORRECTION, "small"
    return WORDING, "reworked"


def _is_fixed(slot: str) -> bool:
    """Whether the key names what cannot change: by its last word, or by its first where the last only says of what kind."""
    words = re.sub(r"\d+$", "", slot.casefold()).replace("_", " ").split()
    if not words or set(words) & {"latest", "last", "current"}:
        return False
    return bool(_FIXED.fullmatch(words[-1]) or _FIXED.fullmatch(" ".join(words)) or (words[-1] in _KINDS_OF and _FIXED.fullmatch(words[0])))


def _dates(words: Sequence[str]) -> frozenset[str]:
    """Days, months and years told, as ISO."""
    return frozenset(w for w in words if re.fullmatch(r"(?:1\d{3}|20\d{2})(?:-\d\d){0,2}", w))


def latest_date(text: str) -> str:
    """The latest day, month or year told, as ISO; '' where there is none."""
    return max(_dates(words_of(text)), default="")


def _later(some: str, other: str) -> bool:
    """Whether one date begins after another; one that only is more exact does not."""
    return some > other and not some.startswith(other or "x")


def _figures(words: Sequence[str] | set[str]) -> set[str]:
    return {w for w in words if any(c.isdigit() for c in w)}


def _kept(a: Sequence[str], b: Sequence[str]) -> float:
    """Share of the shorter text's words that stand in the other one."""
    left, right = [w for w in a if w not in _SMALL], [w for w in b if w not in _SMALL]
    if not left or not right:
        return 0.0
    short, long = sorted((left, right), key=len)
    return sum(w in set(long) for w in short) / len(short)


def _slip(a: Sequence[str], b: Sequence[str]) -> bool:
    """One figure for another that differs from it by one typing error."""
    gone, came = sorted(set(a) - set(b)), sorted(set(b) - set(a))
    return len(gone) == len(came) == 1 and DamerauLevenshtein.distance(gone[0], came[0]) <= 1


def _swapped(a: Sequence[str], b: Sequence[str]) -> tuple[list[str], list[str]]:
    """Words that went, and those that came; the small ones left out."""
    return sorted(set(a) - set(b) - _SMALL), sorted(set(b) - set(a) - _SMALL)


def _decade_otherwise(a: Sequence[str], b: Sequence[str]) -> bool:
    """All that changed is how a decade is written: "80s", "1980s"."""
    gone, came = _swapped(a, b)
    if not len(gone) == len(came) == 1 or not (_DECADE.fullmatch(gone[0]) and _DECADE.fullmatch(came[0])):
        return False
    return gone[0].endswith(came[0]) or came[0].endswith(gone[0])


def _spelled_otherwise(a: Sequence[str], b: Sequence[str], least: float = 60.0) -> bool:
    """Each word that went has a word that came which is nearly the same."""
    gone, came = _swapped(a, b)
    return len(gone) == len(came) > 0 and all(max(fuzz.ratio(g, c) for c in came) >= least for g in gone)


@lru_cache(maxsize=65536)
def _names(text: str) -> frozenset[str]:
    """Capitalised words that do not open the text."""
    found = _WORD.findall(plain(text))
    return frozenset(w.casefold() for w in found[1:] if w[0].isupper())


def _other_name(old: str, new: str) -> bool:
    """A name went and one that is spelled quite otherwise came."""
    gone, came = sorted(_names(old) - _names(new)), sorted(_names(new) - _names(old))
    return bool(gone and came) and all(max(fuzz.ratio(g, c) for c in came) < 60.0 for g in gone)


def _names_differ(old: str, new: str) -> bool:
    """A name went or came that is not the beginning of one on the other side."""
    a, b = _names(old), _names(new)
    return any(not any(x.startswith(y) or y.startswith(x) for y in other) for some, other in ((a - b, b), (b - a, a)) for x in some)


def _other_holder(old: str, new: str) -> bool:
    """One holder for another, where what stands in brackets beside the name stayed: "Ann Birk (chair)", "Carl Dorn (chair)"."""
    left, right = ([_HOLDER.fullmatch(item.strip()) for item in text.split(";")] for text in (old, new))
    if len(left) != len(right):
        return False
    pairs = [(x, y) for x, y in zip(left, right, strict=True) if x and y and x[2].casefold() == y[2].casefold() and x[1] != y[1]]
    return bool(pairs) and all(fuzz.ratio(x[1].casefold(), y[1].casefold()) < 60.0 and not set(words_of(x[1])) & set(words_of(y[1])) for x, y in pairs)
