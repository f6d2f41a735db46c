"""One file: what kind it is, its text, and its elements. Dirty bytes become a `Refusal`, never an exception.

Decoding, in this order: a byte order mark; UTF-8, strictly; the charset that an HTML page declares; a guess
(charset-normalizer), which is reported. Newlines become `\\n`; nothing else of the text is changed.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from schemas.time import Day, instant_from_iso, parse_iso

HTML, MARKDOWN, PLAIN = "text/html", "text/markdown", "text/plain"
MIMES = {
    ".md": MARKDOWN, ".markdown": MARKDOWN, ".mdx": MARKDOWN, ".mkd": MARKDOWN, ".html": HTML, ".htm": HTML, ".xhtml": HTML,
    ".txt": PLAIN, ".text": PLAIN,
}

# UTF-32 before UTF-16: its mark begins with that of UTF-16.
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAGIC = (
    (b"%PDF-", "PDF"), (b"PK\x03\x04", "ZIP (or DOCX, XLSX, …)"), (b"\x89PNG", "PNG"), (b"\xff\xd8\xff", "JPEG"), (b"GIF8", "GIF"),
    (b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"7z\xbc\xaf\x27\x1c", "7z"), (b"\xfd7zXZ", "xz"), (b"\x7fELF", "ELF"),
    (b"\xd0\xcf\x11\xe0", "old Office document"), (b"SQLite format 3", "SQLite"),
)
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"^\s*<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([A-Za-z0-9_.:-]{2,40})")
_HTML_HEAD = re.compile(r"^\ufeff?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE | re.DOTALL)
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\x80-\x84\x86-\x9f]")
_MAX_CONTROL_SHARE = 0.01
_FRONT = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE)
_ENTRY = re.compile(r"^([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*))?$")


@dataclass(frozen=True)
class Refusal:
    """Why a file's bytes are no text: a reason code and what was found and what to do."""

    reason: str
    detail: str


@dataclass(frozen=True)
class Decoded:
    """The text, the encoding, and whether that was guessed."""

    text: str
    encoding: str
    guessed: bool = False


def mime_of(relpath: str) -> str | None:
    """Media type by the file's extension; None where we read no such files."""
    return MIMES.get(PurePosixPath(relpath).suffix.lower())


def sniff_mime(text: str, mime: str) -> str:
    """The media type after a look at the text: a page saved under another name is still a page."""
    return HTML if mime != HTML and _HTML_HEAD.match(text[:2000]) else mime


def decode(raw: bytes, mime: str) -> Decoded | Refusal:
    """Bytes to text; see the module's text for the order of tries."""
    for magic, name in _MAGIC:
        if raw.startswith(magic):
            return Refusal("binary_content", f"the file begins like {name}, not like {mime}: rename it or take it out")
    for mark, encoding in _BOMS:
        if raw.startswith(mark):
            try:
                return _checked(raw[len(mark) :].decode(encoding), encoding)
            except UnicodeDecodeError as error:
                return Refusal("undecodable", f"the byte order mark says {encoding}, but {error.reason} at byte {error.start}: "
                               "save the file as UTF-8")
    if b"\0" in raw:
        return Refusal("binary_content", f"a NUL byte at offset {raw.index(0)}: this is no {mime}; rename it or take it out")
    try:
        return _checked(raw.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        pass
    declared = _CHARSET.search(raw[:4096]) if mime == HTML else None
    declared = declared or _XML_ENCODING.match(raw[:200])
    if declared:
        name = declared[1].decode("ascii")
        try:
            # As browsers do (WHATWG Encoding): Latin-1 is read as its superset.
            label = {"iso-8859-1": "cp1252", "latin1": "cp1252", "latin-1": "cp1252", "ascii": "cp1252", "us-ascii": "cp1252"}
            return _checked(raw.decode(label.get(name.lower(), name)), name.lower())
        except (LookupError, UnicodeDecodeError):
            pass
    return _guess(raw)


# Encodings that the web knows (WHATWG); cp1252 first, as browsers fall back to it.
_WEB = ("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "koi8_r", "iso8859_2", "iso8859_5",
        "iso8859_7", "cp866", "cp874", "cp932", "euc_jp", "gb18030", "big5", "euc_kr")


def _guess(raw: bytes) -> Decoded | Refusal:
    """The best of charset-normalizer's matches, but cp1252 where that fits as well: most such files are."""
    from charset_normalizer import from_bytes

    matches = from_bytes(raw, cp_isolation=list(_WEB))
    best = matches.best()
    nothing = Refusal("undecodable", "not UTF-8, and no other encoding fits: save the file as UTF-8")
    if best is None:
        return nothing
    western = next((m for m in matches if "cp1252" in m.could_be_from_charset), None)
    fits = western is not None and western.chaos <= best.chaos + 0.1 and western.coherence >= best.coherence - 0.02
    encoding = "cp1252" if fits else best.encoding
    try:
        decoded = _checked(raw.decode(encoding), encoding)
    except (LookupError, UnicodeDecodeError):
        return nothing
    return decoded if isinstance(decoded, Refusal) else Decoded(decoded.text, encoding, guessed=True)


def _checked(text: str, encoding: str) -> Decoded | Refusal:
    controls = len(_CONTROLS.findall(text))
    if controls > max(1, _MAX_CONTROL_SHARE * len(text)) or "\0" in text:
        return Refusal("binary_content", f"{controls} control characters in {len(text)}: this is no text")
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return Decoded(text, encoding)


def front_matter(text: str) -> dict[str, str]:
    """Top-level `key: value` lines of a YAML front matter, keys in lower case, quotes taken off. Lists and maps are left out."""
    match = _FRONT.match(text)
    out: dict[str, str] = {}
    for line in match[1].split("\n") if match else ():
        entry = _ENTRY.match(line.rstrip())
        if entry:
            value = (entry[2] or "").strip()
            if value[:1] in "\"'" and len(value) > 1 and value.rfind(value[0]) > 0:
                value = value[1 : value.rfind(value[0])]
            else:
                value = re.split(r"\s#", value, maxsplit=1)[0].strip()
            if value and value[0] not in "[{|>&*":
                out.setdefault(entry[1].lower().replace("-", "_"), value)
    return out


def instant_or_none(text: str | None) -> int | None:
    """Seconds since the epoch of an ISO date or instant; None where it is neither."""
    try:
        return instant_from_iso(text) if text else None
    except (ValueError, OverflowError):
        return None


def source_date(text: str, mime: str) -> int | None:
    """When the document says it was written: front matter `date`, or the page's meta tags. Never the file's time."""
    if mime == HTML:
        from tasks.parse.htmltree import find_date, open_tree

        return instant_or_none(find_date(open_tree(text)))
    return instant_or_none(front_matter(text).get("date"))


def _day(text: str | None) -> Day | None:
    try:
        found = parse_iso(text) if text else None
    except ValueError:
        return None
    return found.first if found is not None and found.first == found.last else None


def validity(front: Mapping[str, str]) -> tuple[Day | None, Day | None]:
    """(first day in force, first day no longer in force) by the keys effective, effective_from, effective_to, expires.

    `effective_to` is the last day in force; on the day it `expires` a document is in force no more.
    """
    start = _day(front.get("effective_from")) if "effective_from" in front else _day(front.get("effective"))
    last = _day(front.get("effective_to"))
    end = last + 1 if last is not None else _day(front.get("expires"))
    return (None, None) if None not in (start, end) and start >= end else (start, end)


@dataclass(frozen=True)
class Parsed:
    """What the parse of one file gives: canonical text, title, validity, `elements` rows."""

    canonical: str
    title: str
    valid_from: Day | None
    valid_to: Day | None
    elements: list[dict]


def parse_file(
    document_id: str, version_id: str, native_key: str, mime: str, text: str, config: Mapping[str, Any]
) -> Parsed:
    """Parses a decoded text. The title: front matter, else the first heading of level 1, else `<title>`, else the file's stem."""
    stem = PurePosixPath(native_key).stem
    if mime == HTML:
        from tasks.parse.html import parse_html
        from tasks.parse.htmltree import find_title, open_tree

        tree = open_tree(text)
        title = find_title(tree) or stem
        canonical, rows = parse_html(document_id, version_id, title, tree, config)
        return Parsed(canonical, title, None, None, rows)
    front = front_matter(text)
    if mime == MARKDOWN:
        from tasks.parse.markdown import Markdown

        read = Markdown(text, config)
        title = front.get("title") or read.title() or stem
        rows = read.elements(document_id, version_id, title)
    else:
        from tasks.parse import plain

        title = plain.find_title(text) or stem
        rows = plain.parse_plain(document_id, version_id, title, text, config)
        front = {}
    return Parsed(text, title, *validity(front), rows)
