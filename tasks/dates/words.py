"""The words that date expressions are made of, per language, and the text clean-up before they are read.

Nothing here knows today's date.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_MONTHS = {
    "en": "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|october oct|"
    "november nov|december dec",
    "de": "januar jänner jan|februar feb|märz mär|april apr|mai|juni jun|juli jul|august aug|september sept sep|"
    "oktober okt|november nov|dezember dez",
    "fr": "janvier janv|février févr fevrier|mars|avril avr|mai|juin|juillet juil|août aout|septembre sept|octobre oct|"
    "novembre nov|décembre déc decembre",
    "es": "enero ene|febrero feb|marzo mar|abril abr|mayo|junio jun|julio jul|agosto ago|septiembre setiembre sept sep|"
    "octubre oct|noviembre nov|diciembre dic",
    "it": "gennaio gen|febbraio feb|marzo mar|aprile apr|maggio mag|giugno giu|luglio lug|agosto ago|settembre set|"
    "ottobre ott|novembre nov|dicembre dic",
    "pt": "janeiro jan|fevereiro fev|março mar|abril abr|maio mai|junho jun|julho jul|agosto ago|setembro set|"
    "outubro out|novembro nov|dezembro dez",
    "nl": "januari jan|februari feb|maart mrt|april apr|mei|juni jun|juli jul|augustus aug|september sept sep|"
    "oktober okt|november nov|december dec",
}
MONTHS: dict[str, dict[str, int]] = {
    lang: {name: n for n, names in enumerate(line.split("|"), 1) for name in names.split()}
    for lang, line in _MONTHS.items()
}

NUMBER_WORDS = {
    w: n
    for n, w in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen twenty".split()
    )
} | {"a": 1, "an": 1, "thirty": 30, "forty": 40, "fifty": 50}
ORDINAL_WORDS = {
    w: n
    for n, w in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(),
        1,
    )
} | {"twenty-first": 21, "twenty first": 21}
DECADE_WORDS = {
    "twenties": 20,
    "thirties": 30,
    "forties": 40,
    "fifties": 50,
    "sixties": 60,
    "seventies": 70,
    "eighties": 80,
    "nineties": 90,
}
WEEKDAYS = (
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun".split()
)

_DASHES = re.compile(r"\s*[‐‑‒–—―−]\s*|\s+-\s+|&[nm]dash;")
_FOOTNOTE = re.compile(r"\[[^\[\]]{0,40}\]")
_AGE = re.compile(
    r"\s*[(;,]\s*(?:age|aged)\b[^()]*\)?|\s*[;,(]\s*(?:\d+|" + "|".join(NUMBER_WORDS) + r")\s+(?:years?|months?|days?)"
    r"(?:\s+and\s+\d+\s+\w+)?\s+(?:ago|old)\s*\)?"
)
_PAREN = re.compile(r"\s*\([^()]*\)")
_TIME = re.compile(r"(?:,|\bat)?\s*\b\d{1,2}:\d{2}(?::\d{2})?\s*(?:[ap]\.?m\.?)?\s*(?:utc|gmt|[a-z]{2,4}t)?\b")
_WEEKDAY = re.compile(r"^(?:on\s+)?(?:" + "|".join(WEEKDAYS) + r")\.?,?\s+(?=\S)")
_ISO_INSTANT = re.compile(r"^([+-]?\d{4,6}-\d{2}-\d{2})[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:z|[+-]\d{2}:?\d{2})?$")
_LEAD = re.compile(
    r"^(?:(?:in|on|at|of|during|within|from|since|until|till|til|through|thru|dated?|born|died|effective)\s+|the\s+(?=\d|(?:early|mid|late|year|month|spring|summer|autumn|fall|winter|first|second|third|fourth|fiscal|end|beginning|start|middle)\b)|the\s+(?=[a-z-]+\s+century))+"
)


@lru_cache(maxsize=65_536)
def fold_date(text: str) -> str:
    """Case-folded text with one kind of dash, without footnote marks, ages, times of day and weekdays.

    A dash becomes `–` without blanks around it, except the hyphens inside ISO dates, words and `2010-11`.
    """
    out = unicodedata.normalize("NFKC", text).casefold()
    out = _FOOTNOTE.sub("", out)
    out = re.sub(r"\s+", " ", out).strip(" \t\n.,;:•*")
    if match := _ISO_INSTANT.match(out):
        return match[1]
    if re.match(r"^[−-]\d{4,6}(-\d|$)", out):
        return out.replace("−", "-")
    out = _DASHES.sub("–", out)
    out = _AGE.sub("", out)
    out = _TIME.sub("", out)
    kept = _PAREN.sub("", out).strip(" ,;")
    out = kept or out.strip("()")
    out = _WEEKDAY.sub("", out)
    return re.sub(r"\s+", " ", out).strip(" ,;")


def strip_lead(text: str) -> str:
    """Without leading prepositions and articles: "in the early 1990s" -> "early 1990s"."""
    return _LEAD.sub("", text).strip(" ,")


def number(text: str) -> int | None:
    """A small count as digits or as an English word."""
    if text.isascii() and text.isdigit():
        return int(text)
    return NUMBER_WORDS.get(text)


def ordinal(text: str) -> int | None:
    """`19th`, `nineteenth` -> 19."""
    match = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)", text)
    return int(match[1]) if match else ORDINAL_WORDS.get(text)
