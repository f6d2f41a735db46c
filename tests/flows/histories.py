"""A small wiki with a history, written as an export: what the tests of `lode backfill` read."""

from __future__ import annotations

import bz2
from pathlib import Path
from xml.sax.saxutils import escape

HEAD = '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en"><siteinfo><sitename>T</sitename>' \
       "<dbname>testwiki</dbname><base>https://t.example/wiki/Main</base></siteinfo>"


def acme(ceo: str, employees: str, extra: str = "") -> str:
    return (
        "{{Infobox company\n| name = Acme Pumps\n| key_people = " + ceo + "\n| num_employees = " + employees + "\n| founded = 1954\n}}\n\n"
        "'''Acme Pumps''' is a maker of pumps. Acme Pumps is headquartered in Borin.\n\n" + extra + "== History ==\n\nAcme Pumps was founded in 1954 by Erik Dahl."
    )


ADA, BERT = "Ada Long ([[Chief executive officer|CEO]])", "Bert Moss ([[Chief executive officer|CEO]])"
OLD_SENTENCE = "Its largest works stood at the harbour of Borin until the fire.\n\n"

# (revision, time, contributor, text) of the page Acme Pumps, oldest first
REVISIONS = [
    (101, "2010-01-10T08:00:00Z", "Kim", acme(ADA, "400 (2009)", OLD_SENTENCE)),
    (102, "2011-03-01T08:00:00Z", "Lee", acme(ADA, "420 (2010)", OLD_SENTENCE)),
    (103, "2012-06-01T09:00:00Z", "192.0.2.7", "poo"),
    (104, "2012-06-01T09:01:00Z", "Kim", acme(ADA, "420 (2010)", OLD_SENTENCE)),
    (105, "2013-02-01T08:00:00Z", "192.0.2.9", acme("Zorg Nine ([[Chief executive officer|CEO]])", "420 (2010)", OLD_SENTENCE)),
    (106, "2013-02-01T10:00:00Z", "Kim", acme(ADA, "420 (2010)", OLD_SENTENCE)),
    (107, "2014-05-20T08:00:00Z", "Lee", acme("Bert Mos ([[Chief executive officer|CEO]])", "420 (2010)", OLD_SENTENCE)),
    (108, "2014-05-21T08:00:00Z", "Lee", acme(BERT, "430 (2013)", OLD_SENTENCE)),
    (109, "2016-08-01T08:00:00Z", "Kim", acme(BERT, "430 (2013)")),
    (110, "2016-08-01T08:05:00Z", "Kim", acme(BERT, "430 (2013)")),
    (111, "2018-01-15T08:00:00Z", "Lee", acme(BERT, "510 (2017)")),
]
OTHERS = [(2, "Borin", 0, [(201, "2011-01-01T00:00:00Z", "Kim", "'''Borin''' is a town. Borin is the capital of Lund.")]),
          (3, "Talk:Acme Pumps", 1, [(301, "2011-01-01T00:00:00Z", "Kim", "A talk page.")])]


def page_xml(number: int, title: str, namespace: int, revisions: list[tuple[int, str, str, str]]) -> str:
    rows = "".join(
        f"<revision><id>{r}</id><timestamp>{time}</timestamp><contributor><username>{who}</username></contributor><comment/>"
        f'<model>wikitext</model><text xml:space="preserve">{escape(text)}</text></revision>' for r, time, who, text in revisions
    )
    return f"<page><title>{escape(title)}</title><ns>{namespace}</ns><id>{number}</id>{rows}</page>"


def write_export(path: Path, revisions: list[tuple[int, str, str, str]] | None = None, others: bool = True) -> Path:
    """An export of Acme Pumps with these revisions (all), and of the other pages."""
    pages = [(1, "Acme Pumps", 0, REVISIONS if revisions is None else revisions), *(OTHERS if others else [])]
    data = (HEAD + "".join(page_xml(*p) for p in pages) + "</mediawiki>").encode()
    path.write_bytes(bz2.compress(data) if path.suffix == ".bz2" else data)
    return path
