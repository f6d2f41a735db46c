"""Words for matching a question with a text: any string in, folded words out.

Words of every script count (combining marks stay with their letter; Han, kana and Thai count per character). Folding
is NFKC and case folding; `stem` is a light English one, for comparing wordings, not for the index.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache

MAX_QUERY_CHARS = 2000


def _ranges(prefix: str) -> str:
    """Character class of all characters up to U+1FFF whose category starts so (marks beyond are rare)."""
    points = [c for c in range(0x300, 0x2000) if unicodedata.category(chr(c)).startswith(prefix)]
    out, first = [], points[0]
    for here, after in zip(points, [*points[1:], sys.maxunicode], strict=True):
        if after != here + 1:
            out.append(f"{chr(first)}-{chr(here)}")
            first = after
    return "".join(out)


_SINGLE = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_MARK = _ranges("M")
_WORD = re.compile(rf"[{_SINGLE}]|(?:(?![{_SINGLE}_])[\w{_MARK}])+(?:['\u2019](?:(?![{_SINGLE}_])[\w{_MARK}])+)*")
_INITIALS = re.compile(r"\b(?:[^\W\d_]\.){2,}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff\ud800-\udfff]+")
_LATIN = re.compile("[a-z\u00df-\u024f]")
_TOKEN = re.compile(r"\w+|[^\w\s]")

STOP_WORDS = frozenset(
    """a about above after again all also am an and any are aren't as at be because been before being below between
    both but by can can't could couldn't did didn't do does doesn't doing don't down during each either etc ever few for
    from further get got had hadn't has hasn't have haven't having he her here hers herself him himself his how i if in
    into is isn't it its itself just let like many may me might more most much must my myself neither no nor not now
    of off on once one only or other our ours out over own per please s same shall she should show so some still such
    t tell than that the their theirs them then there these they this those through to too under until up upon very
    was wasn't we were weren't what what's when when's where where's whether which while who who's whom whose why will
    with won't would you your yours currently current today nowadays name named""".split()
)
NEGATIONS = frozenset("no not never neither nor none nobody nothing without cannot non".split())

_IRREGULAR = {
    form: lemma
    for lemma, forms in {
        "be": "is are was were been being am", "have": "has had having", "do": "does did done", "bear": "born bore borne",
        "become": "became", "begin": "began begun", "buy": "bought", "build": "built", "choose": "chose chosen",
        "come": "came", "draw": "drew drawn", "fall": "fell fallen", "fight": "fought", "find": "found",
        "fly": "flew flown", "get": "got gotten", "give": "gave given", "go": "went gone", "grow": "grew grown",
        "hold": "held", "keep": "kept", "know": "knew known", "lead": "led", "leave": "left", "lose": "lost",
        "make": "made", "meet": "met", "pay": "paid", "rise": "rose risen", "run": "ran", "say": "said",
        "see": "saw seen", "sell": "sold", "send": "sent", "sing": "sang sung", "sit": "sat", "speak": "spoke spoken",
        "spend": "spent", "stand": "stood", "steal": "stole stolen", "swim": "swam swum", "take": "took taken",
        "teach": "taught", "tell": "told", "think": "thought", "wear": "wore worn", "win": "won",
        "write": "wrote written", "woman": "women", "man": "men", "child": "children", "person": "people",
        "die": "died dying", "lie": "lay lain lying",
    }.items()
    for form in forms.split()
}


def clean(text: str) -> str:
    """Any string to one legal line: NFC, control characters, lone surrogates and white space runs to single spaces."""
    return " ".join(unicodedata.normalize("NFC", _CONTROL.sub(" ", text)).split())


def words(text: str) -> list[str]:
    """Folded words in order; possessive 's is cut off, initials lose their dots (U.S. -> us)."""
    text = _INITIALS.sub(lambda m: m.group().replace(".", ""), unicodedata.normalize("NFKC", text))
    out = []
    for match in _WORD.finditer(text):
        word = match.group().casefold().replace("\u2019", "'")
        out.append(word.removesuffix("'s") or word)
    return out


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Light English stem: plural s and the endings ed, ing, e off, doubled consonant undone, accents off.

    Words of other scripts come back unchanged."""
    word = word.rstrip("'")
    if not word.isascii() and _LATIN.search(word):  # José = Jose
        word = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and re.search("[aeiouy]", word[: -len(ending)]):
            word = word[: -len(ending)]
            if word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            elif word.endswith("i"):
                word = word[:-1] + "y"
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


@lru_cache(maxsize=50_000)
def forms(word: str) -> frozenset[str]:
    """What a word of a question may be compared by: its stem, and the stem of its lemma where it is irregular."""
    lemma = _IRREGULAR.get(word)
    return frozenset({stem(word), stem(lemma)} if lemma else {stem(word)})


def content(tokens: list[str]) -> list[str]:
    """The words that carry meaning, in order; all of them where none does ("who is who")."""
    return [w for w in tokens if w not in STOP_WORDS] or list(tokens)


@lru_cache(maxsize=20_000)
def stems(text: str) -> tuple[str, ...]:
    """Stems of the content words of a text, in order."""
    return tuple(stem(w) for w in content(words(text)))


def count_tokens(text: str) -> int:
    """Length in tokens as the chunk profiles count: words and marks."""
    return len(_TOKEN.findall(text))
