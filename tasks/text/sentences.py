"""Sentences by rules: deterministic, exact offsets, no model.

A sentence ends at `.`, `?`, `!` or `…` (with the closing quotes and brackets behind it) that is followed by white space
and something that can open a sentence, and that is no abbreviation, initial or ordinal; at a CJK full stop whatever
follows; and at a newline, for chunks join their pieces by newlines. Neither a semicolon nor a colon ends one. Nothing
ends within a number or an address, since no white space follows there. The sentences cover all but white space.
The rules follow the usual practice (Grefenstette and Tapanainen 1994; Mikheev 2002): judge the word before the stop and
the word behind it.
"""

from __future__ import annotations

import re

# Always followed by a name or a number: a stop behind them never ends a sentence.
_TITLES = frozenset(
    ["mr", "mrs", "ms", "mx", "dr", "prof", "rev", "fr", "hon", "pres", "gov", "sen", "rep", "gen", "maj", "col", "lt", "sgt", "capt", "cmdr", "adm", "messrs", "mme", "mlle", "st", "ste", "mt", "ft", "vs", "v", "viz", "cf", "eg", "e.g", "ie", "i.e", "ca", "c", "approx", "fig", "figs", "eq", "eqs", "sec", "chap", "vol", "vols", "pp", "p", "para", "art", "ed", "eds", "trans", "al", "dept", "univ", "assn", "bros", "est", "op", "nr", "bzw", "z.b", "u.a", "d.h"]
)
# May end a sentence: a stop behind them ends one only if the next word opens one for sure.
_MAYBE = frozenset(
    ["inc", "ltd", "co", "corp", "llc", "plc", "jr", "sr", "esq", "etc", "u.s", "u.k", "u.n", "e.u", "u.s.a", "u.s.s.r", "d.c", "a.m", "p.m", "b.c", "a.d", "b.c.e", "c.e", "ph.d", "m.d", "b.a", "m.a", "b.sc", "m.sc", "llp", "s.a", "n.v", "a.g", "gmbh", "ave", "blvd", "rd", "mts", "dist"]
)
_MONTHS = frozenset(["jan", "feb", "mar", "apr", "jun", "jul", "aug", "sept", "sep", "oct", "nov", "dec", "mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri", "sat", "sun"])
_NUMBERED = frozenset(["no", "nos", "nr", "art", "sec", "vol", "pp", "p", "fig", "ch", "chap", "eq", "op"])  # an abbreviation if a number follows
_OPENERS = frozenset(
    ["the", "a", "an", "he", "she", "it", "they", "we", "i", "you", "this", "that", "these", "those", "his", "her", "its", "their", "our", "my", "in", "on", "at", "from", "by", "for", "with", "after", "before", "during", "since", "until", "when", "while", "although", "though", "if", "as", "but", "and", "however", "its", "there", "what", "who", "which", "why", "how", "where", "both", "many", "most", "some", "several", "all", "each", "no", "one", "two", "three", "first", "then", "later", "according", "following", "today"]
)
_STOP = re.compile(r"[。！？｡]+[」』”’）)》】\]\"']*|[.?!…]+[\"'”’»)\]}]*(?:\[\d{1,3}\])*(?=\s|$)|\n+")
_WORD_BEFORE = re.compile(r"[^\s(\[{\"'“‘«–—/]+$")
_NEXT = re.compile(r"\s*[\"'“‘«(\[{¿¡*-]*\s*")
_INITIAL = re.compile(r"^[^\W\d_](?:[.-][^\W\d_])*$")


def split_sentences(text: str, language: str = "en") -> list[tuple[int, int]]:
    """Half-open offsets of the sentences of `text`, in order, without the white space around them.

    `language` is a BCP 47 tag; in German an ordinal ("3. Mai") does not end a sentence.
    """
    out: list[tuple[int, int]] = []
    start = 0
    for match in _STOP.finditer(text):
        if match.start() < start or not _ends(text, start, match, language):
            continue
        _append(out, text, start, match.end())
        start = match.end()
    _append(out, text, start, len(text))
    return out


def _append(out: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        out.append((start, end))


def _ends(text: str, start: int, match: re.Match, language: str) -> bool:
    mark = match.group()
    if mark[0] in "\n。！？｡":
        return True
    behind = _NEXT.match(text, match.end())
    at = behind.end()
    if at >= len(text) or "\n" in behind.group():
        return True
    opener = text[at]
    stops = mark.rstrip("\"'”’»)]}0123456789[")
    lower = opener.islower() and not text[at + 1 : at + 2].isupper()  # iPad, eBay
    if stops != ".":  # ?, !, an ellipsis: a quoted question within a sentence goes on in lower case
        return not lower
    if lower:
        return False
    if text[start : match.start()].strip().isdigit():  # the number of an item: "2. Second"
        return False
    found = _WORD_BEFORE.search(text, max(start, match.start() - 40), match.start())
    word = found.group() if found else ""
    if mark != "." and word and len(mark) > len(stops):  # the stop lies inside quotes or brackets: "… Inc.)"
        if word.lower() in _TITLES:
            return False
        return opener.isupper() or opener.isdigit() or not opener.isalpha()
    return not _abbreviation(text, word, at, language)


def _abbreviation(text: str, word: str, at: int, language: str) -> bool:
    low = word.lower()
    if len(word) == 1 and word.isupper():
        low = ""  # an initial, not `c.` or `v.`
    next_word = re.match(r"[^\W\d_]+", text[at : at + 30])
    opens = next_word is not None and next_word.group().lower() in _OPENERS
    digit = text[at].isdigit()
    if low in _NUMBERED:
        return digit or (low not in ("no", "art", "ch", "fig") and low in _TITLES)
    if low in _TITLES:
        return True
    if low in _MONTHS:
        return digit
    if low in _MAYBE:
        return not opens
    if len(word) == 1 and word.isalpha():
        # "J. Smith", "J. K. Rowling"; but "Plan B. The", "vitamin C. It"
        return (word.isupper() and not (opens and len(next_word.group()) > 1)) or (word == "I" and not opens)
    if _INITIAL.match(word) and "." in word:
        return not opens
    return bool(language.split("-")[0] in ("de", "da", "no", "nb", "fi", "cs") and word.isdigit() and len(word) <= 2)
