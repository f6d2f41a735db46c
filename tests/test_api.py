"""The Python API without a warehouse: a light import, every year in pandas, intervals, and types that are checked."""

from __future__ import annotations

import datetime as dt
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import motherlode
from motherlode.frames import to_pandas
from motherlode.rows import iso_instant
from motherlode.times import first_day, known_by
from schemas.time import day_from_civil, iso

ROOT = Path(__file__).resolve().parent.parent
YEARS = (-290307, -9999, -43, 0, 1, 1677, 1678, 1970, 2262, 9999, 10000, 290307)


def test_the_import_is_light():
    code = """if True:
        import sys, time
        began = time.perf_counter()
        import motherlode
        taken = time.perf_counter() - began
        heavy = {m.split(".")[0] for m in sys.modules} & {"pyarrow", "duckdb", "numpy", "pandas", "prefect", "jnius", "typer", "spacy"}
        print(taken, sorted(heavy))
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT, timeout=60)
    taken, heavy = done.stdout.strip().split(" ", 1)
    assert heavy == "[]" and float(taken) < 0.5


def test_the_version_is_that_of_the_distribution():
    assert motherlode.__version__ == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert all(hasattr(motherlode, name) for name in motherlode.__all__)


# --- pandas


def test_every_year_survives_in_a_frame():
    days = [*(day_from_civil(y, 3, 15) for y in YEARS), None]
    frame = to_pandas(pa.table({"day": pa.array(days, pa.int32()).cast(pa.date32())}))
    assert str(frame["day"].dtype) == "datetime64[s]"
    assert list(frame["day"].dt.year.dropna()) == list(YEARS)
    assert [motherlode.iso_day(d) for d in frame["day"]] == [iso(d) for d in days]
    assert [motherlode.iso_day(d) for d in frame["day"].to_numpy()] == [iso(d) for d in days]
    assert list(frame["day"].sort_values(ascending=False).dropna().dt.year) == sorted(YEARS, reverse=True)
    assert (frame["day"] < np.datetime64("-0042-01-01", "s")).sum() == 3
    assert repr(frame)  # pandas can show it


def test_nulls_change_no_type():
    table = pa.table({
        "whole": pa.array([1, None], pa.int32()), "big": pa.array([2**60 + 1, None], pa.int64()), "flag": pa.array([True, None]),
        "at": pa.array([-62135596801, None], pa.timestamp("s", tz="UTC")), "text": ["a", None], "list": [["x"], None],
    })
    frame = to_pandas(table)
    assert [str(t) for t in frame.dtypes] == ["Int32", "Int64", "boolean", "datetime64[s, UTC]", "str", "object"]
    assert frame["big"][0] == 2**60 + 1 and frame["at"][0].timestamp() == -62135596801 and frame.isna().iloc[1].all()
    assert to_pandas(table.slice(0, 0)).dtypes.equals(frame.dtypes)


def test_days_as_text():
    ides = day_from_civil(-43, 3, 15)
    scalar = pa.array([ides], pa.int32()).cast(pa.date32())[0]
    for value in (ides, scalar, np.int32(ides), np.datetime64("-0043-03-15")):
        assert motherlode.iso_day(value) == "-0043-03-15"
    assert motherlode.iso_day(dt.date(2020, 4, 6)) == "2020-04-06"
    assert [motherlode.iso_day(v) for v in (None, np.datetime64("NaT"), pa.scalar(None, pa.date32()))] == [None] * 3
    for wrong in ("2020-04-06", 1.5, True):
        with pytest.raises(TypeError):
            motherlode.iso_day(wrong)
    assert iso_instant(0) == "1970-01-01T00:00:00Z" and iso_instant(-1) == "1969-12-31T23:59:59Z"


# --- times and intervals


def test_what_a_time_may_be():
    evening = dt.datetime(2020, 4, 5, 22, tzinfo=dt.timezone(dt.timedelta(hours=-5)))
    day = day_from_civil(2020, 4, 6)
    assert first_day("2020-04-06", "at") == first_day(dt.date(2020, 4, 6), "at") == first_day(evening, "at") == day
    assert first_day("2020", "at") == day_from_civil(2020, 1, 1) and first_day("-0043", "at") == day_from_civil(-43, 1, 1)
    assert first_day(None, "at") is None and known_by(None) is None
    assert known_by(evening) == int(evening.timestamp()) and known_by(dt.date(2020, 4, 6)) == "2020-04-06"
    with pytest.raises(motherlode.UsageError, match="between"):
        first_day("6 April", "between")


def test_an_interval_answers_for_every_year():
    reign = motherlode.Interval("-0049-01-01", "-0048-12-31", "-0043-03-15", "-0043-03-15")
    assert reign.possibly("-0049-06-01") and not reign.certainly("-0049-06-01")
    assert reign.certainly("-0044-01-01") and reign.certainly("-0043-03-14")
    assert not reign.possibly("-0043-03-15") and not reign.possibly("0043-03-15")
    assert motherlode.Interval().possibly("9999-12-31") and not motherlode.Interval().certainly("9999-12-31")
    for wrong in ("2020", "today"):
        with pytest.raises(motherlode.UsageError):
            reign.possibly(wrong)


# --- types

RIGHT = """
import motherlode
with motherlode.open_release("x") as release:
    for result in release.search("a", at="2020", k=3):
        score: float = result.score
        if isinstance(result, motherlode.Fact):
            name: str = result.subject
"""
WRONG = {
    'release.search("a", when="2020")': "call-arg",
    'release.search("a", "2020")': "call-arg",
    'release.search("a", k="3")': "arg-type",
    'release.search("a", between=("2020",))': "arg-type",
    'release.search("a").results[0].subject.upper()': "union-attr",
    'release.search("a").facts[0].valid.start_min.upper()': "union-attr",
    'release.search("a").facts[0].rank = 2': "misc",
    'release.search("a").facts[0].legs["x"] = 1': "index",
    'release.nugget(3)': "arg-type",
    'release.tabel("nuggets")': "attr-defined",
    'motherlode.open_release(3)': "arg-type",
    'release.pandas("nuggets").no_such_method()': "operator",
}


@pytest.mark.slow
def test_a_wrong_use_is_rejected_by_mypy(tmp_path):
    caller = tmp_path / "caller.py"
    body = "".join(f"    {line}\n" for line in WRONG)
    caller.write_text(RIGHT + 'with motherlode.open_release("x") as release:\n' + body)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir", str(ROOT / ".mypy_cache" / "callers"), str(caller)],
        capture_output=True, text=True, check=False, cwd=ROOT, timeout=300, env={**os.environ, "MYPYPATH": str(ROOT)},
    )
    first = len(RIGHT.splitlines()) + 2
    found = {int(m[1]): m[2] for m in re.finditer(r"caller\.py:(\d+): error: .*\[([a-z-]+)\]$", done.stdout, re.MULTILINE)}
    assert found == {first + n: code for n, code in enumerate(WRONG.values())}, done.stdout + done.stderr
