"""MediaWiki XML exports (versions 0.3 to 0.11) to rows of `raw` and `stretches`, in bounded memory.

Guarantees: rows come in the order of the file, one of `raw` per revision whose text the export holds, after the
stretches of its text that the page had not shown before; every page gives a row or says in `quarantine` why not; what
stands before a fault (malformed XML, a cut-off or damaged file) is kept, and the fault is one `quarantine` row that says
where and what to do. Nothing is unpacked to memory whole, no entity is expanded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.parsers import expat

from schemas.errors import LodeError
from schemas.ids import content_hash, document_id
from schemas.sources import SourceSpec
from schemas.tables import quarantine_row
from schemas.time import instant_from_iso
from tasks.parse.compression import PackedFault, first_bytes, open_stream
from tasks.parse.stretches import Splitter
from tasks.parse.wikisite import ENGLISH_NAMESPACES, dbname_of, namespace_of, page_address, redirect_target

WIKITEXT = "text/x-wiki"
_SNIFF_BYTES = 4096
_ROOT = re.compile(rb"^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*\?>)?\s*(?:<!--.*?-->\s*)*<(?:\w+:)?mediawiki[\s>]", re.DOTALL)

# Elements whose text is kept, by their parent.
_TEXTS = {
    "siteinfo": {"dbname", "base"},
    "namespaces": {"namespace"},
    "page": {"title", "ns", "id"},
    "revision": {"id", "parentid", "timestamp", "comment", "model", "format", "text"},
    "contributor": {"username", "ip"},
}


def is_dump(path: Path) -> bool:
    """True where the unpacked content begins like a MediaWiki export."""
    head = first_bytes(path, _SNIFF_BYTES)
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        head = head.decode("utf-16", "ignore").encode()
    return bool(_ROOT.match(head))


def read_dump(path: Path, spec: SourceSpec, config: Mapping[str, Any]) -> Iterator[tuple[str, dict]]:
    """Yields ("stretches", row), ("raw", row) and ("quarantine", row) while the file is read; needs `config["parse"]`.

    Raises LodeError only where the file cannot be opened at all.
    """
    reader = _Reader(path.name, spec, config["parse"])
    try:
        stream = open_stream(path)
        for piece in stream:
            alive = reader.feed(piece)
            yield from reader.take()
            if not alive:
                stream.close()
                return
        reader.finish()
    except PackedFault as fault:
        reader.packed_fault(str(fault))
    except OSError as error:
        raise LodeError(f"{path} cannot be read: {error.strerror}", expected="a readable MediaWiki export") from None
    yield from reader.take()


class _Refused(Exception):
    """Raised out of a callback: the XML is well formed so far but not what we read."""


class _Reader:
    """One expat run over one export."""

    def __init__(self, name: str, spec: SourceSpec, config: Mapping[str, Any]) -> None:
        self.name, self.spec = name, spec
        self.wanted = frozenset(config["namespaces"])
        self.max_bytes = config["max_page_bytes"]
        self.out: list[tuple[str, dict]] = []
        self.splitter = Splitter()
        self.site: dict[str, str] = {}
        self.namespaces: dict[str, int] = {}
        self.language = spec.language
        self.path: list[str] = []
        self.page: dict | None = None
        self.revision: dict | None = None
        self.target: tuple[dict, str] | None = None
        self.pieces: list[str] = []
        self.held = 0
        self.attributes: dict[str, str] = {}
        self.parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.buffer_size = 1 << 18
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.EntityDeclHandler = self.entity

    # --- the run

    def feed(self, data: bytes, final: bool = False) -> bool:
        """False after a fault: nothing more can be read."""
        try:
            self.parser.Parse(data, final)
            return True
        except expat.ExpatError as error:
            cut = final or error.code == expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]
            if cut:
                self.fault("xml_truncated", error.lineno, error.offset, "the export ends before </mediawiki>",
                           "fetch the file again: its end is missing")
            else:
                self.fault("xml_malformed", error.lineno, error.offset, f"not well-formed XML: {expat.ErrorString(error.code)}",
                           "what precedes the fault is kept; mend the file there or fetch it again")
        except _Refused as refusal:
            self.fault("not_an_export" if not self.path else "xml_refused", self.parser.CurrentLineNumber,
                       self.parser.CurrentColumnNumber, str(refusal), "give a file made by MediaWiki's export or dumps")
        return False

    def finish(self) -> None:
        self.feed(b"", final=True)

    def packed_fault(self, message: str) -> None:
        self.fault("packed_damaged", self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber, message,
                   "what precedes the damage is kept; fetch the file again")

    def take(self) -> list[tuple[str, dict]]:
        rows, self.out = self.out, []
        return rows

    def fault(self, reason: str, line: int, column: int, found: str, fix: str) -> None:
        where = f"{self.name}: line {line}, column {column + 1}"
        self.quarantine(self.name, where, reason, f"{found} ({where}). {fix}")
        page, self.page = self.page, None
        if page is not None:
            title = page.get("title") or "?"
            self.quarantine(self.document(page), f"{self.name}: page {title}", "page_cut_off",
                            f"page {title!r} is cut off at line {line}: its {page['revisions']} complete revision(s) are kept, "
                            f"the rest is lost. {fix}")

    def quarantine(self, document: str, where: str, reason: str, detail: str, severity: str = "error") -> None:
        self.out.append(("quarantine", quarantine_row("parse", document, where, reason, detail, severity)))

    # --- expat's callbacks

    def entity(self, name, *_) -> None:
        raise _Refused(f"the XML declares an entity ({name}); an export has none")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(":")[2]
        parent = self.path[-1] if self.path else ""
        if not parent:
            if name != "mediawiki":
                raise _Refused(f"the root element is <{name}>, not <mediawiki>")
            self.language = attributes.get("xml:lang") or self.language
        self.path.append(name)
        if name in _TEXTS.get(parent, ()):
            self.attributes = attributes
            self.pieces, self.held = [], 0
            if name == "text":
                self.begin_text(attributes)
            else:
                self.parser.CharacterDataHandler = self.pieces.append
        elif parent == "mediawiki" and name == "page":
            self.page = {"revisions": 0}
            self.splitter.forget()
        elif parent == "page" and self.page is not None:
            if name == "revision":
                self.revision = {}
            elif name == "redirect":
                self.page["redirect"] = attributes.get("title") or ""
        elif parent == "revision" and self.revision is not None and name == "minor":
            self.revision["minor"] = True

    def begin_text(self, attributes: dict[str, str]) -> None:
        if self.revision is None:
            return
        self.revision["has_text"] = True
        self.revision["deleted"] = "deleted" in attributes
        self.revision["declared_bytes"] = attributes.get("bytes", "")
        if self.skipped():
            return
        self.parser.CharacterDataHandler = self.hold

    def hold(self, data: str) -> None:
        self.held += len(data)
        if self.held <= self.max_bytes:
            self.pieces.append(data)
        else:
            self.pieces.clear()

    def end(self, name: str) -> None:
        name = name.rpartition(":")[2]
        self.path.pop()
        parent = self.path[-1] if self.path else ""
        if name in _TEXTS.get(parent, ()):
            self.parser.CharacterDataHandler = None
            self.end_text(parent, name, "".join(self.pieces))
            self.pieces = []
        elif name == "revision" and parent == "page":
            self.end_revision()
        elif name == "page" and parent == "mediawiki":
            self.end_page()

    def end_text(self, parent: str, name: str, value: str) -> None:
        if parent == "siteinfo":
            self.site[name] = value.strip()
        elif parent == "namespaces":
            if value and self.attributes.get("key", "").lstrip("-").isdigit():
                self.namespaces[value.strip().lower()] = int(self.attributes["key"])
        elif parent == "page":
            if self.page is not None:
                self.page[name] = value.strip()
        elif self.revision is not None:
            if name == "text":
                self.revision["text"] = value
                self.revision["characters"] = self.held
            elif parent == "contributor":
                self.revision["contributor"] = value
            elif not (name == "comment" and "deleted" in self.attributes):
                self.revision[name] = value if name == "comment" else value.strip()

    # --- rows

    def wiki(self) -> str:
        return self.site.get("dbname") or dbname_of(self.site.get("base", "")) or self.spec.name

    def namespace(self, page: dict) -> int:
        if "namespace" not in page:
            declared = page.get("ns", "")
            page["namespace"] = (
                int(declared) if declared.lstrip("-").isdigit()
                else namespace_of(page.get("title", ""), {**ENGLISH_NAMESPACES, **self.namespaces})
            )
        return page["namespace"]

    def skipped(self) -> bool:
        return self.page is not None and self.namespace(self.page) not in self.wanted

    def native_key(self, page: dict) -> str:
        return page.get("id") or f"{self.namespace(page)}:{page.get('title', '')}"

    def document(self, page: dict) -> str:
        return document_id(self.wiki(), self.native_key(page))

    def end_page(self) -> None:
        page, self.page = self.page, None
        title = page.get("title", "")
        where = f"{self.name}: page {title}"
        if self.namespace(page) not in self.wanted:
            self.quarantine(self.document(page), where, "namespace_skipped",
                            f"page {title!r} is in namespace {self.namespace(page)}, which parse.namespaces does not name", "info")
        elif not page["revisions"]:
            self.quarantine(self.document(page), where, "no_revision", f"page {title!r} holds no revision", "info")

    def end_revision(self) -> None:
        revision, self.revision = self.revision, None
        page = self.page
        if page is None or revision is None:
            return
        page["revisions"] += 1
        if self.skipped():
            return
        title, number = page.get("title", ""), revision.get("id", "")
        where = f"{self.name}: page {title}, revision {number or page['revisions']}"
        text = revision.get("text", "")
        declared = revision.get("declared_bytes", "")
        model = revision.get("model") or "wikitext"
        if not revision.get("has_text") or (not text and not revision["deleted"] and declared.isdigit() and int(declared) > 0
                                            and not revision["characters"]):
            self.quarantine(self.document(page), where, "text_missing",
                            "the export holds no text of this revision (a stub dump?): read one with texts")
            return
        if revision["characters"] > self.max_bytes or (len(text) * 4 > self.max_bytes and len(text.encode()) > self.max_bytes):
            self.quarantine(self.document(page), where, "page_too_large",
                            f"the text is longer than parse.max_page_bytes = {self.max_bytes}: raise it to keep this revision")
            return
        if model != "wikitext":
            self.quarantine(self.document(page), where, "content_model_skipped", f"content model {model!r} is not wikitext", "info")
            return
        self.keep(page, revision, text)

    def keep(self, page: dict, revision: dict, text: str) -> None:
        last = page.get("last")
        if last is not None and text == last[0]:  # a null edit: nothing about its text is found out again
            _, target, hashed, blank, names = last
            told: list[tuple[int, str]] = []
        else:
            target = redirect_target(text, any_word=page.get("redirect") is not None)
            data = text.encode("utf-8", "surrogatepass")
            hashed = content_hash(data)
            blank = not text or text.isspace()
            names, told = self.splitter.split(data, hashed)
            page["last"] = text, target, hashed, blank, names
        status = "suppressed" if revision["deleted"] else "redirect" if target else "empty" if blank else "ok"
        try:
            time = instant_from_iso(revision.get("timestamp", ""))
        except ValueError:
            time = None
        common = page.get("common")
        if common is None:
            common = page["common"] = {
                "document_id": self.document(page), "source": self.wiki(), "native_key": self.native_key(page),
                "uri": page_address(self.site.get("base", ""), page.get("title", "")), "title": page.get("title", ""),
                "namespace": self.namespace(page), "mime": WIKITEXT, "language": self.language,
            }
        document = common["document_id"]
        self.out += [("stretches", {"document_id": document, "stretch": name, "text": piece}) for name, piece in told]
        self.out.append(("raw", {
            **common, "revision": revision.get("id") or hashed, "parent_revision": revision.get("parentid") or None,
            "time": time, "source_date": time, "fetched_at": None,
            "contributor": revision.get("contributor") or None, "comment": revision.get("comment"),
            "minor": revision.get("minor", False), "content_hash": hashed, "raw": None, "stretches": names,
            "redirect_to": target, "acl": list(self.spec.acl), "tenant": self.spec.tenant, "status": status,
        }))
