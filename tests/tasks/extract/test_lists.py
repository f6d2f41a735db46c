"""Lists of holders of a role: what stands before and behind the name and its dates."""

from __future__ import annotations

import pytest

from tests.tasks.extract.builders import Doc, extract

CASES = [
    ("Chairmen", "Karl Huber ( 1981 to 1992 )", "Karl Huber", [("start", "1981"), ("until", "1992")]),
    ("Chairmen", "Lena Peyer (1992–1999), later minister of trade", "Lena Peyer", [("start", "1992"), ("until", "1999")]),
    ("Chairpersons", "1999–2004: Anton Gail (Green Party)", "Anton Gail", [("start", "1999"), ("until", "2004")]),
    ("Chairman", "Ruth M . Tal ( born 1934 ) , chemist , 1981 - 1989", "Ruth M . Tal", [("start", "1981"), ("until", "1989")]),
    ("Chairman", "Otto Brandt (1901–1970), engineer, 1935–1940", "Otto Brandt", [("start", "1935"), ("until", "1940")]),
    ("Secretaries general", "Ida Falk, March 3 , 2010 – May 9 , 2012", "Ida Falk", [("start", "March 3 , 2010"), ("until", "May 9 , 2012")]),
]
NOTHING = [("Chairmen", "The works burned down in 1990."), ("Chairmen", "Karl Huber"), ("History", "Karl Huber (1981–1992)"),
           ("Chairmen", "1999–2004: " + 180 * "A" + "!"), ("Chairmen", 60 * "Ab" + "! 1999–2004"), ("Chairmen", "1999: " + 40 * "A. " + "!")]  # end in no time


def _mentions(first, heading, line):
    doc = Doc("Orme Works", key=line)
    doc.paragraph(first)
    doc.items([line], heading=(heading,))
    return [m for m in extract(doc)["mentions"] if m["extractor"] == "list"]


@pytest.mark.parametrize("first", ["Orme Works is a German company.", "Orme Works makes pumps."], ids=["company", "unsaid"])
@pytest.mark.parametrize(("heading", "line", "name", "cues"), CASES, ids=[c[1][:30] for c in CASES])
def test_holder(first, heading, line, name, cues):
    [m] = _mentions(first, heading, line)
    assert (m["subject"], m["object"], [(c["role"], c["text"]) for c in m["cues"]]) == ("Orme Works", name, cues)


@pytest.mark.parametrize(("heading", "line"), NOTHING)
def test_no_holder(heading, line):
    assert _mentions("Orme Works is a German company.", heading, line) == []
