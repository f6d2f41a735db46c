"""When two strings are the same value in other words.

Guarantees: `same` is symmetric and says no whenever the strings differ in a number, date word, unit, sign or symbol,
negation, numeral, script, or in any short word. The strings may differ in case, spacing, hyphens, Unicode composition,
articles, and in one long word by one letter (a plural, a spelling), if their character 3-grams are alike enough.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

FILLERS = frozenset({"the", "a", "an"})
LONG_WORD = 6  # a word of fewer letters must be equal: units, numerals, negations and most names of numbers are short
# Long words that mean a number, date or negation, or are one letter from another that does.
_EXACT = """
thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty fifty sixty seventy eighty ninety
hundred hundreds thousand thousands million millions billion billions trillion trillions hundredth thousandth
millionth billionth second seconds fourth seventh eighth twelfth thirteenth fourteenth fifteenth sixteenth
seventeenth eighteenth nineteenth twentieth january february august september october november december monday
tuesday wednesday thursday friday saturday sunday century centuries decade decades without neither nobody
nothing cannot metres meters metre grams kilogram kilograms kilometre kilometres kilometer kilometers hectare
hectares percent degrees degree dollar dollars pounds minutes minute
"""
EXACT = frozenset(_EXACT.split())
_MINUS = str.maketrans({"−": "-", "‐": "-", "‑": "-", "–": "-", "—": "-", "’": "'", "ʼ": "'"})
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)*|[^\w\s]|_", re.UNICODE)
_ROMAN = re.compile(r"(?<![^\W\d_])[IVXLCDM]+(?![^\W\d_]|'[^\W\d_])")
_MARK = re.compile(r"[^\w\s]|_")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_DIGIT = re.compile(r"\d+")
_SEPARATORS = frozenset(".,;:!?\"'()[]{}«»“”„‘·/|-")


@dataclass(frozen=True, slots=True)
class Form:
    """What comparison sees of a string. `folded`: equal means the same; `exact`: must be equal; `words`: compared."""

    folded: str
    exact: tuple
    words: tuple[str, ...]
    joined: str


def fold(text: str) -> str:
    """Case-folded NFC with one kind of hyphen and single spaces. Not NFKC, to which 10² is 102."""
    if text.isascii():
        return " ".join(text.lower().split())
    return " ".join(unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()).translate(_MINUS).split())


def _script(word: str) -> str:
    """Scripts of a word's letters, '' for a plain Latin one: accents are a matter of spelling, not of script."""
    found = {unicodedata.name(c, "?").split(" ", 1)[0] for c in word if not unicodedata.combining(c)}
    return "" if found == {"LATIN"} else ",".join(sorted(found))


def _symbols(text: str) -> tuple[str, ...]:
    """Marks that carry meaning, with what stands before them: C++ and C#, AA+ and AA-, -5, 50 %, € 3."""
    out = []
    if not _MARK.search(text):
        return ()
    for n, c in enumerate(text):
        if c.isalnum() or c.isspace():
            continue
        before, after = text[n - 1 : n], text[n + 1 : n + 2]
        if c == "-":
            joins = (before.isalnum() and after.isalpha()) or (before.isspace() and after.isspace())
            if not joins:  # a sign, a rank or a range
                out.append(f"{before}-")
        elif c not in _SEPARATORS or unicodedata.category(c)[0] == "S":
            out.append(c)
    return tuple(out)


def form_of(text: str) -> Form:
    """The form of one string; about 10 microseconds for 40 characters."""
    folded = fold(text)
    plain = text if text.isascii() else unicodedata.normalize("NFC", text)
    tokens = _TOKEN.findall(folded)
    words, numbers = [], []
    for token in tokens:
        if token[0].isdigit():
            numbers.append(re.sub(r"(?<=\d),(?=\d{3}(?:\D|$))", "", token))
        elif token[0].isalpha() and token not in FILLERS:
            words.append(token)
    romans = tuple(_ROMAN.findall(plain))
    scripts = () if folded.isascii() else tuple(filter(None, map(_script, words)))
    short = tuple(w if len(w) < LONG_WORD or w in EXACT else "" for w in words)
    joined = " ".join(t for t in tokens if t not in _SEPARATORS)
    return Form(folded, (tuple(numbers), romans, scripts, _symbols(folded), short), tuple(words), joined)


def sketch_of(text: str) -> tuple[str, str]:
    """Equal for any two strings that can be the same: the first letter of the first word, and all digits."""
    folded = fold(text)
    first = ""
    for word in _WORD.finditer(folded):
        if word[0] not in FILLERS and word[0].isalpha():
            first = word[0][0]
            break
    return first, "".join(_DIGIT.findall(folded))


def grams(text: str) -> frozenset[str]:
    """Character 3-grams."""
    return frozenset(text[i : i + 3] for i in range(max(1, len(text) - 2)))


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Size of the intersection over the size of the union; 0 for two empty sets."""
    both = len(a & b)
    return both / (len(a) + len(b) - both) if both else 0.0


def same(a: Form, b: Form, threshold: float) -> bool:
    """Whether the two strings are one value."""
    if a.folded == b.folded:
        return a.exact[1] == b.exact[1]
    if a.exact != b.exact:
        return False
    changed = [(x, y) for x, y in zip(a.words, b.words, strict=True) if x != y]
    if len(changed) > 1:
        return False
    for x, y in changed:
        if x[0] != y[0] or Levenshtein.distance(x, y, score_cutoff=1) > 1:
            return False
    return jaccard(grams(a.joined), grams(b.joined)) >= threshold
