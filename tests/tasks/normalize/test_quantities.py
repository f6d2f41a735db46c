"""Quantities: golden cases with exact values, refusals, and that different numbers never look equal."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.normalize.quantities import parse_quantity
from tasks.normalize.units import key_unit

GOLDEN = [
    ("$26.2 billion", "", "26200000000 USD"), ("US$26.2 billion", "", "26200000000 USD"), ("26.20 billion dollars", "", "26200000000 USD"),
    ("US$ 1.2bn (2015)", "", "1200000000 USD"), ("£30m", "", "30000000 GBP"), ("€3.5 million", "", "3500000 EUR"),
    ("¥1.5 trillion", "", "1500000000000 JPY"), ("Rs 3 crore", "", "30000000 INR"), ("20 million pounds", "", "20000000 GBP"),
    ("A$4,500", "", "4500 AUD"), ("CHF 12 million", "", "12000000 CHF"), ("-$5 million", "", "-5000000 USD"), ("$10–15 million", "", "10000000..15000000 USD"),
    ("$10-$15 million", "", "10000000..15000000 USD"), ("increase US$5.2 billion (2019)", "", "5200000000 USD"),
    ("10 million people", "people", "10000000 people"), ("3.6 million", "people", "3600000 people"), ("about 352,600", "people", "352600 people"),
    ("8,336,817 [3]", "people", "8336817 people"), ("120,000+", "people", "120000 people"), ("10,000 fans", "people", "10000 people"),
    ("3,000 employees (2020)", "people", "3000 people"), ("Approximately 50,000 employees worldwide", "people", "50000 people"),
    ("between 10 and 20 people", "people", "10..20 people"), ("12,34,567", "people", "1234567 people"), ("three", "people", "3 people"),
    ("15%", "", "15 percent"), ("15 percent", "", "15 percent"), ("15.5 per cent", "", "15.5 percent"),
    ("1,234.5 km", "", "1234500 meter"), ("828 m", "", "828 meter"), ("30 m", "meter", "30 meter"), ("1 mile", "meter", "1609.344 meter"),
    ("6 ft 2 in", "meter", "1.8796 meter"), ("5'10\"", "meter", "1.778 meter"), ("1.83 m (6 ft 0 in)", "meter", "1.83 meter"),
    ("8,848 metres", "meter", "8848 meter"), ("8,848 m above sea level", "meter", "8848 meter"),
    ("100 sq mi", "kilometer ** 2", "258.9988110336 kilometer ** 2"), ("50 ha", "kilometer ** 2", "0.5 kilometer ** 2"),
    ("105.4 km²", "kilometer ** 2", "105.4 kilometer ** 2"), ("105.4 km2", "kilometer ** 2", "105.4 kilometer ** 2"),
    ("105.4", "kilometer ** 2", "105.4 kilometer ** 2"), ("2,345/km2", "1 / kilometer ** 2", "2345 1 / kilometer ** 2"),
    ("60 mph", "meter / second", "26.8224 meter / second"), ("20 pounds", "kilogram", "9.0718474 kilogram"), ("2 tonnes", "kilogram", "2000 kilogram"),
    ("50 °F", "", "10 degree_Celsius"), ("−5 °C", "", "-5 degree_Celsius"), ("minus 5 °C", "", "-5 degree_Celsius"), ("12 albums", "", "12 albums"),
    ("two dozen", "", "24"), ("1 234 567", "", "1234567"), ("half", "", None), ("unknown", "people", None), ("5 km", "kilometer ** 2", None),
    ("5 km", "people", None), ("$5", "people", None), ("", "", None), ("n/a", "people", None), ("IBM", "", None), ("5 kg", "meter", None),
]


@pytest.mark.parametrize("text, unit, expected", GOLDEN)
def test_golden(text, unit, expected):
    found = parse_quantity(text, unit)
    assert (found.object_id if found else None) == expected


def test_a_bare_number_takes_the_unit_of_its_key():
    assert parse_quantity("100", "kilometer ** 2", key_unit("area_total_sq_mi")).object_id == "258.9988110336 kilometer ** 2"
    assert parse_quantity("29,029", "meter", key_unit("elevation_ft")).number == pytest.approx(8848.04, abs=0.01)


@pytest.mark.parametrize("key, unit", [
    ("area_total_sq_mi", "mile ** 2"), ("area_km2", "kilometer ** 2"), ("Area (km²)", "kilometer ** 2"), ("Height (m)", "meter"),
    ("elevation_ft", "foot"), ("population", ""), ("m", ""), ("weight_kg", "kilogram"), ("team", ""),
])
def test_key_units(key, unit):
    assert key_unit(key) == unit


def test_the_number_of_a_range_is_its_middle():
    assert parse_quantity("10–15 million people", "people").number == 12_500_000


@given(st.integers(0, 10**15), st.integers(0, 6))
def test_thousands_separators_change_nothing(n, places):
    value = Decimal(n).scaleb(-places)
    plain, grouped = f"{value:f}", f"{value:,f}"
    assert parse_quantity(plain, "people").object_id == parse_quantity(grouped, "people").object_id
    assert Decimal(parse_quantity(plain, "people").object_id.split()[0]) == value


@given(st.decimals(0, 10**6, places=3), st.decimals(0, 10**6, places=3), st.sampled_from(["", " km", " million people", "%", " billion dollars"]))
def test_different_numbers_never_have_one_id(a, b, unit):
    same = parse_quantity(f"{a}{unit}").object_id == parse_quantity(f"{b}{unit}").object_id
    assert same == (a == b)


@given(st.text(max_size=40))
def test_any_text_is_legal(text):
    parse_quantity(text), parse_quantity(text, "meter"), parse_quantity(text, "people")
