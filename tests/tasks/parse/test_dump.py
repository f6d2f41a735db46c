"""Reading exports: versions, packings, faults. Golden cases are written by hand; real dumps are read where present."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path

import pytest

from schemas.ids import content_hash, document_id
from schemas.sources import SourceSpec
from schemas.tables import TABLES
from schemas.time import instant_from_iso
from tasks.parse.compression import PIECE_BYTES, PackedFault, open_stream, packing
from tasks.parse.dump import is_dump, read_dump
from tasks.parse.wikisite import dbname_of, page_address, page_title, redirect_target
from tests.pages import with_texts

CONFIG = {"parse": {"namespaces": [0], "max_page_bytes": 1_000_000}}

SITE = "<siteinfo><sitename>W</sitename><dbname>xxwiki</dbname><base>https://xx.example.org/wiki/Main</base><namespaces>" \
       '<namespace key="0"/><namespace key="1">Talk</namespace></namespaces></siteinfo>'


def revision(number: int, text: str, more: str = "") -> str:
    return (f"<revision><id>{number}</id><parentid>{number - 1}</parentid><timestamp>2020-01-0{number % 9 + 1}T00:00:00Z</timestamp>"
            f"<contributor><username>U</username><id>7</id></contributor>{more}{text}</revision>")


def page(title: str, number: int, *revisions: str, ns: str = "<ns>0</ns>", more: str = "") -> str:
    return f"<page><title>{title}</title>{ns}<id>{number}</id>{more}{''.join(revisions)}</page>"


def export(*pages: str, version: str = "0.11", site: str = SITE) -> bytes:
    return (f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-{version}/" version="{version}" xml:lang="xx">{site}'
            + "".join(pages) + "</mediawiki>").encode()


def read(tmp_path: Path, data: bytes, config=CONFIG, name: str = "dump.xml") -> tuple[list[dict], list[dict]]:
    path = tmp_path / name
    path.write_bytes(data)
    rows = list(read_dump(path, SourceSpec(str(path), "mine", "mediawiki", ("staff",), "t1", "en"), config))
    TABLES["raw"].from_rows([r for k, r in rows if k == "raw"])
    raw, quarantined = ([r for k, r in with_texts(rows) if k == kind] for kind in ("raw", "quarantine"))
    TABLES["quarantine"].from_rows(quarantined)
    return raw, quarantined


def test_one_row_per_revision(tmp_path):
    raw, quarantined = read(tmp_path, export(page(
        "A &amp; B", 5, revision(1, '<text xml:space="preserve">x &lt;b&gt; ü\n</text>', "<minor/><comment>c</comment>"), revision(2, "<text>y</text>"))))
    assert not quarantined and [r["revision"] for r in raw] == ["1", "2"]
    assert raw[0] == {
        "document_id": document_id("xxwiki", "5"), "source": "xxwiki", "native_key": "5", "uri": "https://xx.example.org/wiki/A_%26_B",
        "title": "A & B", "namespace": 0, "mime": "text/x-wiki", "language": "xx", "revision": "1", "parent_revision": "0",
        "time": instant_from_iso("2020-01-02"), "source_date": instant_from_iso("2020-01-02"), "fetched_at": None, "contributor": "U",
        "comment": "c", "minor": True, "content_hash": content_hash("x <b> ü\n"), "raw": "x <b> ü\n".encode(), "redirect_to": None,
        "acl": ["staff"], "tenant": "t1", "status": "ok",
    }


@pytest.mark.parametrize(
    ("text", "more", "status", "target"),
    [
        ("<text>#REDIRECT [[other page#x]]</text>", "", "redirect", "Other page"),
        ("<text>#redirect: [[b_c|label]]</text>", "", "redirect", "B c"),
        ("<text>#WEITERLEITUNG [[Ü]]</text>", "", "redirect", "Ü"),
        ("<text># an item with a [[link]]</text>", "", "ok", None),
        ("<text>#YMDRAIN [[Z]]</text>", '<redirect title="Z"/>', "redirect", "Z"),
        ("<text>older text</text>", '<redirect title="Z"/>', "ok", None),
        ('<text deleted="deleted"/>', "", "suppressed", None),
        ('<text bytes="0" sha1="x"/>', "", "empty", None),
        ("<text>  \n</text>", "", "empty", None),
    ],
)
def test_status(tmp_path, text, more, status, target):
    raw, quarantined = read(tmp_path, export(page("P", 1, revision(1, text), more=more)))
    assert not quarantined and (raw[0]["status"], raw[0]["redirect_to"]) == (status, target)


def test_revisions_that_cannot_be_kept_say_why(tmp_path):
    raw, quarantined = read(tmp_path, export(
        page("A", 1, revision(1, ""), revision(2, '<text bytes="50" id="9"/>'), revision(3, "<text>kept</text>")),
        page("B", 2, revision(4, f"<text>{'x' * 1_000_001}</text>"), revision(5, f"<text>{'ü' * 600_000}</text>")),
        page("C", 3, revision(6, "<text>{}</text>", "<model>json</model><format>application/json</format>")),
        page("D", 4),
    ))
    assert [r["revision"] for r in raw] == ["3"]
    assert [q["reason"] for q in quarantined] == ["text_missing", "text_missing", "page_too_large", "page_too_large", "content_model_skipped", "no_revision"]
    assert len({q["quarantine_id"] for q in quarantined}) == 6


def test_suppressed_parts_are_null(tmp_path):
    data = export(page("A", 1, '<revision><id>1</id><timestamp>2020-01-01T00:00:00Z</timestamp><contributor deleted="deleted"/>'
                               '<comment deleted="deleted"/><text>x</text></revision>'
                               "<revision><id>2</id><text>no time</text></revision>"))
    raw, quarantined = read(tmp_path, data)
    assert not quarantined and [(r["contributor"], r["comment"], r["time"] is None) for r in raw] == [(None, None, False), (None, None, True)]


def test_namespaces(tmp_path):
    data = export(page("Talk:A", 1, revision(1, "<text>t</text>"), revision(2, "<text>u</text>"), ns="<ns>1</ns>"),
                  page("A", 2, revision(3, "<text>a</text>")))
    raw, quarantined = read(tmp_path, data)
    assert [r["title"] for r in raw] == ["A"]
    assert [(q["reason"], q["severity"], q["document_id"]) for q in quarantined] == [("namespace_skipped", "info", document_id("xxwiki", "1"))]
    both, none = read(tmp_path, data, {"parse": {**CONFIG["parse"], "namespaces": [0, 1]}})
    assert len(both) == 3 and not none


@pytest.mark.parametrize("version", ["0.3", "0.4", "0.5"])
def test_old_exports_have_no_dbname_and_no_ns(tmp_path, version):
    site = '<siteinfo><base>http://de.wikipedia.org/wiki/Hauptseite</base><namespaces><namespace key="1">Diskussion</namespace></namespaces></siteinfo>'
    raw, quarantined = read(tmp_path, export(page("Diskussion:A", 1, revision(1, "<text>x</text>"), ns=""),
                                             page("Bogus:A", 2, revision(2, "<text>x</text>"), ns=""), version=version, site=site))
    assert [(r["source"], r["namespace"], r["uri"]) for r in raw] == [("dewiki", 0, "http://de.wikipedia.org/wiki/Bogus:A")]
    assert [q["reason"] for q in quarantined] == ["namespace_skipped"]


def test_without_siteinfo_the_source_is_the_given_name(tmp_path):
    raw, _ = read(tmp_path, export("<page><title>A</title><revision><text>x</text></revision></page>", site=""))
    assert (raw[0]["source"], raw[0]["uri"], raw[0]["native_key"]) == ("mine", None, "0:A")
    assert raw[0]["revision"] == raw[0]["content_hash"]


@pytest.mark.parametrize("cut", ["</contributor>", "<text>second", "<id>2</id>"])
def test_a_truncated_export_keeps_the_complete_revisions(tmp_path, cut):
    whole = export(page("A", 1, revision(1, "<text>first</text>"), revision(2, "<text>second</text>"))).decode()
    at = whole.index(cut, whole.index("first</text>")) + len(cut)
    raw, quarantined = read(tmp_path, whole[:at].encode())
    assert [r["raw"] for r in raw] == [b"first"]
    assert [q["reason"] for q in quarantined] == ["xml_truncated", "page_cut_off"]
    assert "1 complete revision" in quarantined[1]["detail"] and quarantined[1]["document_id"] == document_id("xxwiki", "1")


def test_malformed_xml_names_line_and_column(tmp_path):
    data = export(page("A", 1, revision(1, "<text>first</text>")), "\n<page><title>B</title><oops></page>\n", page("C", 3))
    raw, quarantined = read(tmp_path, data)
    assert [r["title"] for r in raw] == ["A"]
    assert quarantined[0]["reason"] == "xml_malformed" and "line 2, column 31" in quarantined[0]["where"]
    assert [q["reason"] for q in quarantined] == ["xml_malformed", "page_cut_off"]


@pytest.mark.parametrize("data", [b"<html><body/></html>", b'<?xml version="1.0"?><rss/>'])
def test_other_xml_is_not_an_export(tmp_path, data):
    raw, quarantined = read(tmp_path, data)
    assert not raw and [q["reason"] for q in quarantined] == ["not_an_export"] and not is_dump(tmp_path / "dump.xml")


def test_entities_are_refused_not_expanded(tmp_path):
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>' + export(page("A", 1, revision(1, "<text>&b;</text>")))
    raw, quarantined = read(tmp_path, bomb)
    assert not raw and len(quarantined) == 1 and "entity" in quarantined[0]["detail"]


def seven_zip(data: bytes, tmp_path: Path) -> bytes:
    import py7zr

    with py7zr.SevenZipFile(tmp_path / "made.7z", "w") as archive:
        archive.writestr(data, "dump.xml")
    return (tmp_path / "made.7z").read_bytes()


PACKERS = {
    "plain": lambda d, _: d, "gzip": lambda d, _: gzip.compress(d), "bzip2": lambda d, _: bz2.compress(d[:90], 1) + bz2.compress(d[90:], 1),
    "xz": lambda d, _: lzma.compress(d, preset=0), "lzma": lambda d, _: lzma.compress(d, lzma.FORMAT_ALONE, preset=0), "7z": seven_zip,
}


@pytest.mark.parametrize("kind", PACKERS)
def test_packing_is_told_by_content(tmp_path, kind):
    data = PACKERS[kind](export(page("A", 1, revision(1, "<text>x</text>"))), tmp_path)
    assert packing(data[:16]) == kind
    raw, quarantined = read(tmp_path, data, name="misnamed.txt")
    assert [r["raw"] for r in raw] == [b"x"] and not quarantined and is_dump(tmp_path / "misnamed.txt")


@pytest.mark.parametrize("kind", ["gzip", "bzip2", "xz", "lzma"])
def test_what_precedes_the_damage_is_kept(tmp_path, kind):
    import random

    noise = random.Random(1)
    pages = [page(f"P{n}", n, revision(n, f"<text>{noise.randbytes(1500).hex()}</text>")) for n in range(1, 400)]
    data = PACKERS[kind](export(*pages), tmp_path)
    raw, quarantined = read(tmp_path, data[: len(data) * 2 // 3])
    assert quarantined[0]["reason"] == "packed_damaged" and quarantined[0]["severity"] == "error"
    assert 1 <= len(raw) < 399 and [r["title"] for r in raw] == [f"P{n}" for n in range(1, len(raw) + 1)]


def test_a_damaged_7z_is_reported(tmp_path):
    data = bytearray(seven_zip(export(page("A", 1, revision(1, "<text>x</text>"))) * 50, tmp_path))
    data[60:70] = b"\0" * 10
    _, quarantined = read(tmp_path, bytes(data))
    assert "packed_damaged" in [q["reason"] for q in quarantined]


def test_unpacking_is_bounded(tmp_path):
    for kind in ("gzip", "bzip2", "xz", "lzma"):
        path = tmp_path / kind
        path.write_bytes(PACKERS[kind](b"a" * (6 * PIECE_BYTES), tmp_path))
        sizes = [len(p) for p in open_stream(path)]
        assert sum(sizes) == 6 * PIECE_BYTES and max(sizes) <= PIECE_BYTES


def test_an_unread_packing_says_what_to_do(tmp_path):
    (tmp_path / "x").write_bytes(b"\x28\xb5\x2f\xfd" + b"0" * 20)
    with pytest.raises(PackedFault, match=r"zstd.*bzip2"):
        open_stream(tmp_path / "x")


@pytest.mark.parametrize(
    ("base", "name"),
    [("http://en.wikipedia.org/wiki/Main_Page", "enwiki"), ("https://zh-min-nan.wikipedia.org/wiki/X", "zh_min_nanwiki"),
     ("https://de.wiktionary.org/wiki/X", "dewiktionary"), ("https://commons.wikimedia.org/wiki/X", "commonswiki"),
     ("https://www.wikidata.org/wiki/X", "wikidatawiki"), ("https://example.org/wiki/X", ""), ("", "")],
)
def test_dbname_from_base(base, name):
    assert dbname_of(base) == name


def test_titles_and_addresses():
    assert page_title(":en_ x#y") == "En x" and page_title("#only") == "" and page_title("éa") == "Éa"
    assert page_address("", "A") is None
    assert redirect_target("#REDIRECT[[a]]") == "A" and redirect_target("text #REDIRECT [[a]]") is None


@pytest.mark.parametrize(
    ("name", "revisions", "pages"),
    [("amen_49rev.xml.gz", 49, 1), ("dbpedia_frwiki_history_sample.xml", 83, 2), ("aawiki-20260101-pages-meta-history.xml.7z", 1307, 507),
     ("aawiki-20260101-pages-meta-current.xml.bz2", 507, 507), ("wiki4.xml", 3, 1), ("wiki5.xml", 7, 1)],
)
def test_real_dumps(corpora, name, revisions, pages):
    path = corpora / "wikipedia" / name
    config = {"parse": {"namespaces": list(range(-2, 3000)), "max_page_bytes": 20_000_000}}
    rows = list(read_dump(path, SourceSpec(str(path), "x", "mediawiki", ("public",)), config))
    raw = [r for k, r in rows if k == "raw"]
    other = [r for k, r in rows if k == "quarantine" and r["reason"] == "content_model_skipped"]  # style sheets, scripts
    assert (len(raw) + len(other), len({r["document_id"] for r in raw + other})) == (revisions, pages)
    errors = [r["reason"] for k, r in rows if k == "quarantine" and r["severity"] == "error"]
    assert errors == (["xml_malformed", "page_cut_off"] if name in ("wiki4.xml", "wiki5.xml") else [])
