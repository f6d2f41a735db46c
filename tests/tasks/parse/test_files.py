"""Encodings, front matter, validity and titles of one file."""

import codecs

import pytest

from schemas.time import day_from_civil, parse_iso
from tasks.parse.files import (
    HTML,
    MARKDOWN,
    PLAIN,
    Refusal,
    decode,
    front_matter,
    mime_of,
    parse_file,
    sniff_mime,
    source_date,
    validity,
)

CONFIG = {"max_depth": 40}
FRENCH = "Le château était fermé à l'été dernier, où la forêt brûla. Élève, garçon, naïve, déjà vu."


def test_mime_by_extension_and_by_content():
    assert [mime_of(n) for n in ("a.md", "b/C.HTM", "d.txt", "e.pdf", "README")] == [MARKDOWN, HTML, PLAIN, None, None]
    assert sniff_mime("<!-- x -->\n<!DOCTYPE html><p>", PLAIN) == HTML and sniff_mime("<htmlish> text", PLAIN) == PLAIN


@pytest.mark.parametrize("mark, encoding", [
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
])
def test_byte_order_marks(mark, encoding):
    found = decode(mark + "é\r\nb\rc".encode(encoding), PLAIN)
    assert (found.text, found.encoding, found.guessed) == ("é\nb\nc", encoding, False)


def test_utf8_needs_no_mark():
    assert decode("é中".encode(), PLAIN).text == "é中"


def test_declared_charset_of_a_page():
    page = "<meta http-equiv='Content-Type' content='text/html; charset=windows-1251'><p>Компания</p>"
    found = decode(page.encode("cp1251"), HTML)
    assert (found.text, found.guessed) == (page, False)
    assert decode("<meta charset=iso-8859-1><p>“é”".encode("cp1252"), HTML).text.endswith("“é”")


@pytest.mark.parametrize("text, encoding", [
    (FRENCH, "latin-1"), ("Die Größe der Straße überrascht die Mädchen.", "latin-1"), ("Café Zürich", "latin-1"),
    ("The company’s profit – 20 € – rose “sharply” in 2019.", "cp1252"),
    ("Компания была основана в 1990 году в Москве и продана в 2001 году.", "cp1251"),
    ("会社は1990年に設立されました。社長は田中さんです。", "shift_jis"),
])
def test_undeclared_encodings_are_guessed_and_said(text, encoding):
    found = decode(text.encode(encoding), PLAIN)
    assert found.guessed and found.text == text


@pytest.mark.parametrize("raw, reason", [
    (b"\x89PNG\r\n\x1a\n123", "binary_content"), (b"%PDF-1.7 text", "binary_content"), (b"PK\x03\x04abc", "binary_content"),
    (b"some text\0more", "binary_content"), (bytes(range(1, 32)) * 20, "binary_content"),
    (codecs.BOM_UTF16_LE + b"\x00\xd8\x41", "undecodable"),
])
def test_refusals_say_what_to_do(raw, reason):
    found = decode(raw, MARKDOWN)
    assert isinstance(found, Refusal) and found.reason == reason and len(found.detail) > 20


def test_front_matter():
    text = "---\ntitle: \"A: b\" # c\ndate: 2020-01-02 # d\ntags: [x]\nEffective-From: '2021-03-04'\nnested:\n  date: 1999-01-01\n---\nbody"
    assert front_matter(text) == {"title": "A: b", "date": "2020-01-02", "effective_from": "2021-03-04"}
    assert front_matter("text\n---\ntitle: x\n---\n") == {} and front_matter("---\ntitle: x\n") == {}


def test_source_date_is_what_the_source_says():
    day = parse_iso("2020-01-02").first * 86400
    assert source_date("---\ndate: 2020-01-02\n---\n", MARKDOWN) == day
    assert source_date("---\ndate: 2020-01-02T10:00:00+02:00\n---\n", MARKDOWN) == day + 8 * 3600
    assert source_date("---\ndate: soon\n---\n", MARKDOWN) is None and source_date("x", PLAIN) is None
    assert source_date("<meta name=date content='2020-01-02'>", HTML) == day


def test_validity():
    d = day_from_civil
    assert validity({"effective": "2020-01-01", "expires": "2021-01-01"}) == (d(2020, 1, 1), d(2021, 1, 1))
    assert validity({"effective_from": "2020-01-01", "effective_to": "2020-12-31"}) == (d(2020, 1, 1), d(2021, 1, 1))
    assert validity({"effective": "2020", "expires": "never"}) == (None, None)
    assert validity({"effective": "2021-01-01", "expires": "2020-01-01"}) == (None, None)


@pytest.mark.parametrize("mime, text, title", [
    (MARKDOWN, "---\ntitle: Front\n---\n# Head\n", "Front"), (MARKDOWN, "# *Head*\n", "Head"), (MARKDOWN, "## Sub\n", "stem"),
    (HTML, "<title>T</title><h1>H</h1>", "H"), (HTML, "<title>T</title><p>x", "T"), (HTML, "<p>x", "stem"),
    (PLAIN, "Name\n====\n", "Name"), (PLAIN, "x\n", "stem"),
])
def test_titles(mime, text, title):
    assert parse_file("d", "v", "sub/stem.ext", mime, text, CONFIG).title == title
