"""Numbers with units as written to exact values in one canonical unit.

Guarantees: arithmetic is decimal, so "26.2 billion" is exactly 26200000000; two texts have the same `object_id` only if
their value and unit are equal; a range is never flattened to one of its ends in the id.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import lru_cache

from tasks.normalize.units import CURRENCY, PERCENT, UNITS, canonical_unit, convert

SCALE = {
    "hundred": 10**2,
    "thousand": 10**3,
    "k": 10**3,
    "lakh": 10**5,
    "lakhs": 10**5,
    "million": 10**6,
    "millions": 10**6,
    "mn": 10**6,
    "mln": 10**6,
    "m": 10**6,
    "mio": 10**6,
    "crore": 10**7,
    "crores": 10**7,
    "billion": 10**9,
    "billions": 10**9,
    "bn": 10**9,
    "b": 10**9,
    "trillion": 10**12,
    "tn": 10**12,
    "dozen": 12,
}
_DIGITS = Context(prec=15)  # of converted values: as many as a double keeps
_MONEY_ONLY = frozenset(("k", "m", "b"))  # letters that scale only money and bare numbers
_WORDS = {
    w: n
    for n, w in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
        "nineteen twenty".split()
    )
} | {"a": 1, "an": 1, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}

_NUMBER = r"(?:\d{1,3}(?:[,  ]\d{3})+(?:\.\d+)?|\d{1,3}(?:,\d{2})*,\d{3}(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
_SYMBOLS = "|".join(
    re.escape(s) for s in sorted(CURRENCY, key=len, reverse=True) if not s.replace(".", "").isalpha() or len(s) <= 3
)
_SCALES = "|".join(sorted(SCALE, key=len, reverse=True))
_QUANTITY = re.compile(
    rf"(?P<cur>{_SYMBOLS})?\s*(?P<sign>[-−+]|minus\s)?\s*(?P<cur2>{_SYMBOLS})?\s*(?P<num>{_NUMBER}|{'|'.join(sorted(_WORDS, key=len, reverse=True))})"
    rf"(?:[\s-]*(?P<scale>{_SCALES})(?![a-z0-9²/]))?[\s-]*(?P<unit>.*)",
    re.DOTALL,
)
_RANGE = re.compile(
    rf"(?P<a>(?:{_SYMBOLS})?\s*{_NUMBER}(?:\s*(?:{_SCALES})(?![a-z]))?(?:\s*[%a-z°²]+)?)\s*(?:–|to|and|-(?=\s*(?:{_SYMBOLS})?\s*\d))\s*"
    rf"(?P<b>(?:{_SYMBOLS})?\s*{_NUMBER}.*)",
    re.DOTALL,
)
_COMPOUND = re.compile(
    rf"({_NUMBER})\s*(ft|feet|foot|'|′|lb|lbs|st|stone)[\s,]*(?:and\s+)?({_NUMBER})\s*(in|inch|inches|\"|''|″|oz|ounces|lb|lbs)?\.?"
)
_LEAD = re.compile(
    r"^(?:[▲▼△▽↑↓≈~<>≥≤±=]|increase|decrease|steady|profit|(?:c|ca)\.(?=\s?\d)|circa|about|around|approximately|approx\.?|roughly|nearly|almost|over|"
    r"under|above|below|more than|less than|fewer than|at least|at most|up to|some|an? estimated|estimated(?: at)?|between|from|only|just|"
    r"exactly|total(?: of)?|a total of|an average of|as many as|as much as)\s*",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s*(?:\[[^\]]*\]|\([^()]*\))\s*$|\s*[,;]?\s*(?:approx\.?|or so|or more|est\.?|estimated|\+)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """`value` in `unit` (canonical); a range has `high` as well and its middle is the number shown."""

    value: Decimal
    unit: str
    high: Decimal | None = None

    @property
    def object_id(self) -> str:
        text = _plain(self.value) if self.high is None else f"{_plain(self.value)}..{_plain(self.high)}"
        return f"{text} {self.unit}".strip()

    @property
    def number(self) -> float:
        return float(self.value if self.high is None else (self.value + self.high) / 2)


def _plain(value: Decimal) -> str:
    """All digits, no exponent, no trailing zeros."""
    text = f"{value:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def _fold(text: str) -> str:
    out = re.sub(r"[−‒–—―]", "–", unicodedata.normalize("NFC", text).replace("\u00a0", " ").replace("\u2009", " "))
    out = re.sub(r"(?<![\w)])–(?=\d)", "-", out)  # a minus sign, not a range
    out = re.sub(r"\s+", " ", out).strip().casefold()
    while True:
        cut = _TAIL.sub("", _LEAD.sub("", out)).strip(" ,;:")
        if cut == out or not cut:
            return out
        out = cut


@lru_cache(maxsize=100_000)
def parse_quantity(text: str, unit: str = "", implied: str = "") -> Quantity | None:
    """A quantity as written, in `unit` (a canonical unit of the predicate; '' = the dimension's own).

    `implied` is the unit of a bare number (from an infobox key or a header). None where the text is no quantity, or
    measures something else than `unit`.
    """
    if (
        not text
        or len(text) > 120
        or (not any(c.isdigit() for c in text) and not any(w in _WORDS for w in text.casefold().split()))
    ):
        return None
    folded = _fold(text)
    if match := _COMPOUND.fullmatch(folded):
        return _compound(match, unit)
    if (match := _RANGE.fullmatch(folded)) and not re.fullmatch(r"\d{4}\s*–\s*\d{2,4}", folded):
        found = _range(match["a"], match["b"], unit, implied)
        if found:
            return found
    one = _one(folded)
    if one is None:
        return None
    value, written = one
    return _in_unit(value, written or implied, unit)


def _one(text: str) -> tuple[Decimal, str] | None:
    """(value with scale, unit as named in `units`, '' = none) of a single number."""
    match = _QUANTITY.fullmatch(text)
    if match is None:
        return None
    number = re.sub(r"[,\s ]", "", match["num"])
    value = Decimal(_WORDS[number]) if number in _WORDS else Decimal(number)
    if number in ("a", "an") and not match["scale"]:
        return None
    currency = CURRENCY.get(match["cur"] or match["cur2"] or "", "")
    rest = match["unit"].strip(" .")
    scale = match["scale"]
    if scale in _MONEY_ONLY and not currency and rest:
        rest, scale = f"{scale} {rest}", None
    if scale == "m" and not currency and not rest:
        rest, scale = "m", None  # "30 m" is a length, "$30m" is money
    if scale:
        value *= SCALE[scale]
    if match["sign"] in ("-", "−") or (match["sign"] or "").startswith("minus"):
        value = -value
    if currency:
        return value, currency
    if not rest:
        return value, ""
    named = _unit_name(rest, bool(scale))
    return None if named is None else (value, named)


def _unit_name(text: str, scaled: bool) -> str | None:
    """Canonical name of a written unit; None where it is none. A noun that is no unit counts things: the noun itself."""
    text = re.sub(
        r"^of\s+|\s+(?:in|per year|annually|as of|worldwide|globally|total|live|live there|a year|above|below|tall|long|high|deep|wide|thick|away|across)\b.*$",
        "",
        text,
    ).strip(" .,")
    if text in PERCENT:
        return "percent"
    if scaled and text in ("pounds", "pound"):
        return "GBP"
    if text in CURRENCY:
        return CURRENCY[text]
    if text in UNITS:
        return UNITS[text]
    words = text.split()
    if words and words[-1] in UNITS and UNITS[words[-1]] == "people":
        return "people"
    for size in range(min(4, len(words)), 0, -1):  # "km long", "metres above sea level"
        head = " ".join(words[:size])
        if head in UNITS and len(head) > 1:
            return UNITS[head]
    return text if text and len(words) <= 4 and all(w.isalpha() for w in words) else None


def _in_unit(value: Decimal, written: str, unit: str) -> Quantity | None:
    if not written:
        return Quantity(value, unit)
    if not unit:
        known = written in UNITS.values()
        unit = canonical_unit(written) if known else written
        if not known:
            return Quantity(value, written)
    if written == unit:
        return Quantity(value, unit)
    if written not in UNITS.values() or written == "people" or unit == "people":
        if unit == "people" and written not in UNITS.values() and not written.isupper() and written != "percent":
            return Quantity(value, unit)  # "10,000 fans": a count of persons by a noun of their kind
        return None
    got = convert(value, written, unit)
    return None if got is None else Quantity(_DIGITS.plus(got), unit)


def _compound(match: re.Match, unit: str) -> Quantity | None:
    big, small = (
        UNITS[match[2]],
        UNITS[match[4] or {"ft": "in", "feet": "in", "foot": "in", "'": "in", "′": "in"}.get(match[2], "lb")],
    )
    a, b = (
        _in_unit(Decimal(match[1].replace(",", "")), big, unit),
        _in_unit(Decimal(match[3].replace(",", "")), small, unit),
    )
    return Quantity(a.value + b.value, a.unit) if a and b and a.unit == b.unit else None


def _range(a: str, b: str, unit: str, implied: str) -> Quantity | None:
    high = _one(b.strip())
    low = _one(a.strip())
    if high is None or low is None:
        return None
    value, written = low
    if not written or written == "":
        written = high[1]
    scale = re.search(rf"\d\s*({_SCALES})(?![a-z])", b)
    if scale and not re.search(rf"\d\s*({_SCALES})(?![a-z])", a):
        value *= SCALE[scale[1]]
    first, last = _in_unit(value, written or implied, unit), _in_unit(high[0], high[1] or written or implied, unit)
    if first is None or last is None or first.unit != last.unit or first.value > last.value:
        return None
    return Quantity(first.value, first.unit, last.value)
