"""Pages of a wiki from dump to chunks: structure, conservation and spans, on a written page and on real ones."""

import pytest

from schemas.sources import SourceSpec
from tasks.parse.scan import scan_source
from tests.pages import with_texts

from .builders import PARSE_CONFIG, chunk

PAGE = """{{Infobox company
| name = Acme
| founded = {{start date|1990}}
| key_people = [[Ann Lee]] (CEO)<br>[[Bob Ray]]
}}
'''Acme''' is a company.<ref>{{cite web|title=On Acme|url=http://x.y}}</ref>

== Chiefs ==
The chiefs were:
* [[Ann Lee]] (1990–2001)
* [[Bob Ray|Bob]] (2001–)

{| class="wikitable"
|+ Sales
! Year !! Amount
|-
| 2001 || 5
|-
| 2002 || 7
|}

== See also ==
"""
DUMP = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" xml:lang="en"><siteinfo><dbname>xwiki</dbname></siteinfo>
<page><title>Acme</title><ns>0</ns><id>7</id><revision><id>1</id><timestamp>2020-01-02T03:04:05Z</timestamp>
<text xml:space="preserve">{}</text></revision></page></mediawiki>"""


def scan(path):
    spec = SourceSpec(str(path), "w", "mediawiki", ("public",))
    return [row for table, row in with_texts(list(scan_source(spec, {"parse": PARSE_CONFIG}))) if table == "raw"]


def test_a_page(tmp_path):
    from xml.sax.saxutils import escape

    (tmp_path / "dump.xml").write_text(DUMP.format(escape(PAGE)), "utf-8")
    chunks, notes, parsed = chunk(scan(tmp_path / "dump.xml"))
    assert not notes and not parsed["quarantine"].num_rows
    found = {c["kind"]: c for c in chunks}
    assert "Acme" in found["infobox"]["text"] and found["infobox"]["header"]
    assert found["list_item"]["text"].split("\n")[-2:] == ["Ann Lee (1990–2001)", "Bob (2001–)"]
    assert found["list_item"]["heading_path"] == ["Chiefs"]
    assert [k["target"] for k in found["list_item"]["links"]] == ["Ann Lee", "Bob Ray"]
    assert found["table"]["header"] == "Sales\nYear | Amount" and found["table"]["text"] == "2001 | 5\n2002 | 7"
    assert found["heading"]["text"] == "See also"
    assert {c["title"] for c in chunks} == {"Acme"} and all(c["block_id"] for c in chunks if len(c["element_ids"]) == 1)
    assert {str(c["source_date"]) for c in chunks} == {"2020-01-02 03:04:05+00:00"}


@pytest.mark.parametrize("name", ["enwiki-table-markup.xml.bz2", "amen_49rev.xml.gz", "dbpedia_frwiki_history_sample.xml"])
def test_real_pages(corpora, name):
    chunks, _, _ = chunk(scan(corpora / "wikipedia" / name))
    assert chunks
