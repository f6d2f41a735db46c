"""Units: names as written to canonical units, and exact conversion by pint with decimal factors.

The registry is made once per process, at the first unit that needs it.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

CURRENCY = {
    "us$": "USD",
    "u.s.$": "USD",
    "us $": "USD",
    "$": "USD",
    "usd": "USD",
    "a$": "AUD",
    "au$": "AUD",
    "aud": "AUD",
    "c$": "CAD",
    "ca$": "CAD",
    "cad": "CAD",
    "hk$": "HKD",
    "hkd": "HKD",
    "nz$": "NZD",
    "nzd": "NZD",
    "s$": "SGD",
    "sgd": "SGD",
    "r$": "BRL",
    "brl": "BRL",
    "nt$": "TWD",
    "£": "GBP",
    "gbp": "GBP",
    "€": "EUR",
    "eur": "EUR",
    "¥": "JPY",
    "jpy": "JPY",
    "₹": "INR",
    "inr": "INR",
    "rs": "INR",
    "rs.": "INR",
    "₩": "KRW",
    "krw": "KRW",
    "₽": "RUB",
    "rub": "RUB",
    "chf": "CHF",
    "cny": "CNY",
    "rmb": "CNY",
    "cn¥": "CNY",
    "sek": "SEK",
    "nok": "NOK",
    "dkk": "DKK",
    "pln": "PLN",
    "zar": "ZAR",
    "mxn": "MXN",
    "₺": "TRY",
    "try": "TRY",
    "₱": "PHP",
    "php": "PHP",
    "₫": "VND",
    "₪": "ILS",
    "dollars": "USD",
    "dollar": "USD",
    "us dollars": "USD",
    "u.s. dollars": "USD",
    "euros": "EUR",
    "euro": "EUR",
    "pounds sterling": "GBP",
    "british pounds": "GBP",
    "yen": "JPY",
    "japanese yen": "JPY",
    "rupees": "INR",
    "swiss francs": "CHF",
    "yuan": "CNY",
    "renminbi": "CNY",
    "australian dollars": "AUD",
    "canadian dollars": "CAD",
    "won": "KRW",
    "roubles": "RUB",
    "rubles": "RUB",
}
_PEOPLE = (
    (
        "people person persons inhabitants residents employees staff workers students pupils members soldiers troops individuals "
        "deaths dead fatalities spectators seats passengers undergraduates postgraduates souls citizens staff\\ members"
    )
    .replace("\\ ", "_")
    .split()
)
_PINT = {
    "meter": "m metre metres meter meters m.",
    "kilometer": "km kilometre kilometres kilometer kilometers kms",
    "centimeter": "cm centimetre centimetres centimeter centimeters",
    "millimeter": "mm millimetre millimetres millimeter millimeters",
    "mile": "mi mile miles",
    "nautical_mile": "nmi nautical_mile nautical_miles",
    "foot": "ft foot feet ′ '",
    "inch": "in inch inches ″ \" ''",
    "yard": "yd yard yards",
    "kilogram": "kg kilogram kilograms kilo kilos",
    "gram": "g gram grams",
    "milligram": "mg milligram milligrams",
    "metric_ton": "t tonne tonnes metric_ton metric_tons metric_tonne metric_tonnes",
    "short_ton": "short_ton short_tons ton tons",
    "long_ton": "long_ton long_tons",
    "pound": "lb lbs pound pounds",
    "ounce": "oz ounce ounces",
    "stone": "stone st",
    "kilometer ** 2": "km2 km² sq_km square_kilometre square_kilometres square_kilometer square_kilometers km^2",
    "meter ** 2": "m2 m² sq_m square_metre square_metres square_meter square_meters m^2",
    "mile ** 2": "mi2 mi² sq_mi square_mile square_miles sqmi",
    "foot ** 2": "ft2 ft² sq_ft square_foot square_feet sqft",
    "hectare": "ha hectare hectares",
    "acre": "acre acres ac",
    "liter": "l litre litres liter liters",
    "gallon": "gallon gallons gal",
    "meter ** 3": "m3 m³ cubic_metre cubic_metres cubic_meter cubic_meters",
    "kilometer ** 3": "km3 km³ cubic_kilometre cubic_kilometres",
    "kilometer / hour": "km/h kph kmh kilometres_per_hour kilometers_per_hour",
    "mile / hour": "mph miles_per_hour",
    "meter / second": "m/s metres_per_second meters_per_second",
    "knot": "kn knot knots kt",
    "1 / kilometer ** 2": "/km2 /km² per_km2 per_km² per_square_kilometre per_square_kilometer /sq_km people/km2",
    "1 / mile ** 2": "/sq_mi /mi2 per_sq_mi per_square_mile people_per_square_mile",
    "second": "s sec second seconds",
    "minute": "min minute minutes",
    "hour": "h hr hour hours",
    "day": "day days",
    "year": "year years yr yrs",
    "watt": "w watt watts",
    "kilowatt": "kw kilowatt kilowatts",
    "megawatt": "mw megawatt megawatts",
    "gigawatt": "gw gigawatt gigawatts",
    "kilowatt_hour": "kwh",
    "megawatt_hour": "mwh",
    "gigawatt_hour": "gwh",
    "terawatt_hour": "twh",
    "horsepower": "hp horsepower bhp",
    "hertz": "hz hertz",
    "kilohertz": "khz",
    "megahertz": "mhz megahertz",
    "gigahertz": "ghz gigahertz",
    "byte": "b bytes byte",
    "kilobyte": "kb kilobytes",
    "megabyte": "mb megabytes",
    "gigabyte": "gb gigabytes",
    "terabyte": "tb terabytes",
    "degree_Celsius": "°c celsius degrees_celsius ℃",
    "degree_Fahrenheit": "°f fahrenheit degrees_fahrenheit ℉",
    "kelvin": "k kelvin kelvins",
    "barrel": "bbl barrel barrels",
    "volt": "v volt volts",
    "newton": "n newton newtons",
    "pascal": "pa pascal pascals",
    "kilopascal": "kpa",
}
UNITS: dict[str, str] = {n.replace("_", " "): unit for unit, names in _PINT.items() for n in names.split()}
UNITS |= {n.replace("_", " "): "people" for n in _PEOPLE}
UNITS |= {
    n: "people / kilometer ** 2"
    for n in ("people per square kilometre", "people per square kilometer", "inhabitants per square kilometre")
}
UNITS |= {"people / kilometer ** 2": "1 / kilometer ** 2"}
PERCENT = frozenset(("%", "percent", "per cent", "pct"))
_CANONICAL = {  # per dimension, where a predicate names no unit
    "[length]": "meter",
    "[mass]": "kilogram",
    "[length] ** 2": "kilometer ** 2",
    "[length] ** 3": "meter ** 3",
    "[time]": "second",
    "[length] / [time]": "meter / second",
    "[temperature]": "degree_Celsius",
    "1 / [length] ** 2": "1 / kilometer ** 2",
}
# endings of infobox keys that say the unit of a bare number, longest first
KEY_UNITS = (
    ("sq mi", "mile ** 2"),
    ("sqmi", "mile ** 2"),
    ("sq ft", "foot ** 2"),
    ("km2", "kilometer ** 2"),
    ("m2", "meter ** 2"),
    ("acre", "acre"),
    ("acres", "acre"),
    ("ha", "hectare"),
    ("kmh", "kilometer / hour"),
    ("mph", "mile / hour"),
    ("km", "kilometer"),
    ("mi", "mile"),
    ("ft", "foot"),
    ("cm", "centimeter"),
    ("mm", "millimeter"),
    ("kg", "kilogram"),
    ("lb", "pound"),
    ("in", "inch"),
    ("m", "meter"),
)


@lru_cache(maxsize=1)
def _registry():
    import pint

    return pint.UnitRegistry(non_int_type=Decimal, autoconvert_offset_to_baseunit=True, cache_folder=None)


@lru_cache(maxsize=4096)
def _offset_and_factor(unit: str, target: str) -> tuple[Decimal, Decimal] | None:
    """x unit = offset + factor * x target; None where the two measure different things."""
    if unit == target:
        return Decimal(0), Decimal(1)
    registry = _registry()
    try:
        zero = registry.Quantity(Decimal(0), registry.Unit(unit)).to(registry.Unit(target)).magnitude
        one = registry.Quantity(Decimal(1), registry.Unit(unit)).to(registry.Unit(target)).magnitude
    except Exception as error:  # pint raises several kinds; only incompatible and unknown units are expected here
        if type(error).__name__ in ("DimensionalityError", "UndefinedUnitError"):
            return None
        raise
    return zero, one - zero


def convert(value: Decimal, unit: str, target: str) -> Decimal | None:
    """The value in another unit, or None where they measure different things."""
    got = _offset_and_factor(unit, target)
    return None if got is None else got[0] + got[1] * value


@lru_cache(maxsize=1024)
def canonical_unit(unit: str) -> str:
    """The unit that quantities of this dimension are kept in; a unit of another dimension stays."""
    if unit in ("", "people", "percent") or unit.isupper():
        return unit
    registry = _registry()
    dims = str(registry.Unit(unit).dimensionality)
    if dims in _CANONICAL:
        return _CANONICAL[dims]
    return str(registry.Quantity(1, registry.Unit(unit)).to_base_units().units)


def key_unit(key: str) -> str:
    """The unit that an infobox key or column header says: `area_total_sq_mi`, "height (m)" -> mile ** 2, meter; '' = none."""
    folded = re.sub(r"[\s_\-/.()\[\]²]+", lambda m: "2" if "²" in m[0] else " ", key.casefold()).strip()
    words = folded.split()
    for ending, unit in KEY_UNITS:
        parts = ending.split()
        if len(words) > len(parts) and words[-len(parts) :] == parts:
            return unit
    return ""
