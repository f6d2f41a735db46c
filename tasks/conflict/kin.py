"""Values of one key of which one is the other told less precisely: a year and a day of it, a rounded number, a place
and the same place with its region.

Guarantees: symmetric. Only for dates, quantities and strings; entities are never guessed to contain one another.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from schemas.time import DayRange, parse_iso

KIN_MAX = 300  # with more distinct values than this, precision is not compared: pairs grow with the square
ROUNDING_SHARE = 0.05


def _day_range(text: str) -> DayRange | None:
    try:
        return parse_iso(text)
    except ValueError:
        return None


def _digits(value: float) -> int:
    """Significant digits as told: 1200000.0 -> 2."""
    try:
        return len(Decimal(repr(value)).normalize().as_tuple().digits)
    except InvalidOperation:  # nan, infinite
        return 99


def rounded(coarse: float, fine: float) -> bool:
    """Whether `coarse` is `fine` rounded to the significant digits of `coarse`, at least two, off by 5 % at most."""
    digits = _digits(coarse)
    if digits < 2 or digits >= _digits(fine) or abs(coarse - fine) > ROUNDING_SHARE * abs(fine):
        return False
    return float(f"{fine:.{digits - 1}e}") == coarse


def _less_precise(a: tuple, b: tuple) -> bool:
    """a, b = (object_type, object_id, folded object, value, unit)."""
    if a[0] != b[0]:
        return False
    if a[0] == "date":
        one, two = _day_range(a[1]), _day_range(b[1])
        return one is not None and two is not None and one.first <= two.first and two.last <= one.last
    if a[0] == "quantity":
        return a[4] == b[4] and a[3] is not None and b[3] is not None and rounded(a[3], b[3])
    return a[0] == "string" and b[2].startswith(a[2] + ", ")


def kin_of(values: dict[str, tuple]) -> frozenset[tuple[str, str]]:
    """Pairs of value ids, in both orders, that are the same value at different precision."""
    if len(values) > KIN_MAX or not any(v[0] in ("date", "quantity", "string") for v in values.values()):
        return frozenset()
    items = sorted(values.items())
    out = set()
    for n, (one, a) in enumerate(items):
        for two, b in items[:n]:
            if _less_precise(a, b) or _less_precise(b, a):
                out |= {(one, two), (two, one)}
    return frozenset(out)
