"""Tells what kind of change one text for another is: succession, correction, wording, removal, addition.

Pure and symmetric in nothing: the old and the new text of one slot (an infobox key, or a sentence at its place) go in, a
verdict and the code of the rule that gave it come out. Markup is gone before. No list of words of one wiki's topics: the
rules see years, figures, names and how much of the wording stayed.

Rules, the first that fits:

1. `empty_old`, `empty_new`: addition, removal. `same`: no change.
2. `later_year`: the latest year told is later in the new text and is not merely the same statement's date set right: the
   world moved on. `closed`: "present", "incumbent" or an open "1997–" got an end: succession.
3. `fixed_kind`: the slot tells what cannot change (a birth, a foundation, a name, a place on the map): correction.
4. `spelling`, `fuller`: the same words spelled otherwise, or one text holds all words of the other: correction (in prose
   `wording` where neither a figure nor a name differs).
5. `figure`: only figures differ. With the same years, or one digit slipped: correction; else succession.
6. `replaced`: hardly a word stayed: succession. Else `reworked`: correction, in prose wording.
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

_YEAR = re.compile(r"(?<![\d.,])(1[0-9]{3}|20[0-9]{2})(?![\d]|[.,]\d)")
_WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*", re.UNICODE)
_OPEN = re.compile(r"\b(?:present|incumbent|current|ongoing|to date)\b|\d{4}\s*[–-]\s*(?:$|[;,)])", re.IGNORECASE)
_FIXED = re.compile(
    r"\b(?:birth|born|founded|foundation|founder|founders|established|formation|opened|opening|released?|launch(?:ed)?|first aired|premiered?|created|"
    r"creator|director|writer|native name|coordinates|latitude|longitude|area|length|width|height|isbn|oclc|death|died|resting place)\b"
)
_SMALL = frozenset("a an and as at by for from in is it its of on or that the this to was were with he she they his her their which who".split())
_REPLACED_SHARE = 0.34
_SPELLING = 82.0


def plain(text: str) -> str:
    """NFKC, one blank between words, marks of quotation and brackets out."""
    return " ".join(re.sub(r"[\"'“”‘’«»()\[\]{}]", " ", unicodedata.normalize("NFKC", text)).split())


def words_of(text: str) -> list[str]:
    return [w.casefold() for w in _WORD.findall(plain(text))]


def same_text(old: str, new: str) -> bool:
    """Whether two texts differ in case, white space and marks alone."""
    return words_of(old) == words_of(new)


def tell_kind(old: str, new: str, slot: str = "", prose: bool = False) -> tuple[str, str]:
    """(verdict, rule). `slot` is the infobox key ('' in prose)."""
    a, b = words_of(old), words_of(new)
    if a == b:
        return (CORRECTION if plain(old) != plain(new) else "", "same")
    if not a:
        return ADDITION, "empty_old"
    if not b:
        return REMOVAL, "empty_new"
    years, later = _years(old), _years(new)
    opened, closed = bool(_OPEN.search(old)), bool(_OPEN.search(new))
    kept = _kept(a, b)
    if opened and not closed and later and max(later) >= max(years, default=0):
        return SUCCESSION, "closed"
    if slot and _FIXED.search(slot.replace("_", " ")):
        return CORRECTION, "fixed_kind"
    if later and max(later) > max(years, default=0) and (years or _figures(a)) and not (prose and _one_year_fixed(a, b)):
        return SUCCESSION, "later_year"
    fewer, more = sorted((set(a), set(b)), key=len)
    changed = set(a) ^ set(b)
    names = _names(old) ^ _names(new)
    if fewer <= more and not (prose and _figures(changed)):
        if prose and not names and not _figures(changed):
            return (WORDING, "fuller") if len(changed - _SMALL) <= 4 else (ADDITION if len(b) > len(a) else REMOVAL, "fuller")
        return CORRECTION, "fuller"
    if _only_figures(a, b):
        if years and years == later:
            return CORRECTION, "figure"
        return (CORRECTION, "slip") if _slip(a, b) and prose else (SUCCESSION, "figure")
    if fuzz.ratio(" ".join(a), " ".join(b)) >= _SPELLING and not _figures(changed):
        if not prose:
            return CORRECTION, "spelling"
        return (CORRECTION, "spelling") if _spelled_otherwise(a, b) else (SUCCESSION, "name") if _other_name(old, new) else (WORDING, "reworked")
    if kept < _REPLACED_SHARE:
        return SUCCESSION, "replaced"
    if prose:
        if _other_name(old, new):
            return SUCCESSION, "name"
        return (CORRECTION, "reworked") if _figures(changed) or names else (WORDING, "reworked")
    return CORRECTION, "reworked"


@lru_cache(maxsize=65536)
def _years(text: str) -> frozenset[int]:
    return frozenset(int(y) for y in _YEAR.findall(text))


def _figures(words: Sequence[str] | set[str]) -> set[str]:
    return {w for w in words if any(c.isdigit() for c in w)}


def _kept(a: Sequence[str], b: Sequence[str]) -> float:
    """Share of the shorter text's words that stand in the other one."""
    left, right = [w for w in a if w not in _SMALL], [w for w in b if w not in _SMALL]
    if not left or not right:
        return 0.0
    short, long = sorted((left, right), key=len)
    return sum(w in set(long) for w in short) / len(short)


def _only_figures(a: Sequence[str], b: Sequence[str]) -> bool:
    changed = set(a) ^ set(b)
    return bool(changed) and _figures(changed) == changed


def _slip(a: Sequence[str], b: Sequence[str]) -> bool:
    """One figure for another that differs from it by one typing error."""
    gone, came = sorted(set(a) - set(b)), sorted(set(b) - set(a))
    return len(gone) == len(came) == 1 and DamerauLevenshtein.distance(gone[0], came[0]) <= 1


def _one_year_fixed(a: Sequence[str], b: Sequence[str]) -> bool:
    gone, came = set(a) - set(b), set(b) - set(a)
    return len(gone) == len(came) == 1 and _figures(gone) == gone and _figures(came) == came


def _spelled_otherwise(a: Sequence[str], b: Sequence[str]) -> bool:
    """Each word that went has a word that came which is nearly the same."""
    gone, came = sorted(set(a) - set(b) - _SMALL), sorted(set(b) - set(a) - _SMALL)
    return len(gone) == len(came) > 0 and all(max(fuzz.ratio(g, c) for c in came) >= 60.0 for g in gone)


@lru_cache(maxsize=65536)
def _names(text: str) -> frozenset[str]:
    """Capitalised words that do not open the text."""
    found = _WORD.findall(plain(text))
    return frozenset(w.casefold() for w in found[1:] if w[0].isupper())


def _other_name(old: str, new: str) -> bool:
    """A name went and one that is spelled quite otherwise came."""
    gone, came = sorted(_names(old) - _names(new)), sorted(_names(new) - _names(old))
    return bool(gone and came) and all(max(fuzz.ratio(g, c) for c in came) < 60.0 for g in gone)
