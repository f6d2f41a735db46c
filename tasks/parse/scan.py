"""Reads a source: one `raw` row per file or revision (its text in `stretches`), one `quarantine` row per file that is left out or cannot be read.

The order is by POSIX path relative to the given folder; hidden files are no part of it; a file's time stamp, owner and
place on the disk change no row. A path that is missing or holds nothing is an error of the call, not dirty data.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from schemas.errors import LodeError, UsageError
from schemas.ids import content_hash, document_id
from schemas.sources import SourceSpec
from schemas.tables import quarantine_row
from tasks.parse import files

_BLOCK_BYTES = 1 << 20


def detect_kind(path: str | Path) -> str:
    """`mediawiki` for an XML export (packed or not), else `files`."""
    from tasks.parse.dump import is_dump

    path = _existing(path)
    return "mediawiki" if path.is_file() and is_dump(path) else "files"


def list_inputs(path: str | Path) -> list[tuple[str, int, str]]:
    """(relative path, size in bytes, content hash) of every file that a scan would look at, sorted by path.

    Equal lists mean that a scan would give equal rows. An unreadable file has the hash ''.
    """
    path = _existing(path)
    return [(relpath, *_digest(file)) for relpath, file in _walk(path)]


def scan_source(spec: SourceSpec, config: Mapping[str, Any]) -> Iterator[tuple[str, dict]]:
    """Yields ("raw" | "stretches" | "quarantine", row). `config` holds the section `parse`.

    Raises UsageError for a path that is not there, LodeError for a folder without files.
    """
    path = _existing(spec.path)
    if spec.kind == "mediawiki":
        from tasks.parse.dump import read_dump

        if not path.is_file():
            raise UsageError(f"{spec.path} is a folder", expected="one MediaWiki export (.xml, packed or not)",
                             fix="name each export by itself")
        return read_dump(path, spec, config)
    if spec.kind != "files":
        raise UsageError(f"source {spec.name}: no such kind: {spec.kind}", expected="mediawiki or files")
    listing = _walk(path)
    if not listing:
        raise LodeError(f"{spec.path} holds no files", expected="a folder with Markdown, HTML or text files in it",
                        fix="check the path; hidden files are not read")
    return _scan_files(spec, listing)


def _existing(path: str | Path) -> Path:
    path = Path(path)
    if not path.exists():
        raise UsageError(f"no file or folder at {path}", expected="an existing MediaWiki export, file or folder",
                         fix="check the spelling and the folder you are in")
    return path


def _walk(path: Path) -> list[tuple[str, Path]]:
    """(relative POSIX path, file), sorted; a link out of the folder is not followed, nor is a link to a folder."""
    if path.is_file():
        return [(path.name, path)]
    out = []
    root = path.resolve()
    for folder, folders, names in os.walk(path, followlinks=False):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            file = Path(folder) / name
            if name.startswith(".") or (file.is_symlink() and not file.resolve().is_relative_to(root)) or not file.is_file():
                continue
            out.append((file.relative_to(path).as_posix(), file))
    return sorted(out)


def _digest(file: Path) -> tuple[int, str]:
    import hashlib

    digest = hashlib.blake2b(digest_size=16)  # as schemas.ids.content_hash, in pieces
    size = 0
    try:
        with file.open("rb") as stream:
            while block := stream.read(_BLOCK_BYTES):
                digest.update(block)
                size += len(block)
    except OSError:
        return 0, ""
    return size, digest.hexdigest()


def _scan_files(spec: SourceSpec, listing: list[tuple[str, Path]]) -> Iterator[tuple[str, dict]]:
    for relpath, file in listing:
        document = document_id(spec.name, relpath)

        def note(reason: str, detail: str, severity: str, relpath=relpath, document=document) -> tuple[str, dict]:
            return "quarantine", quarantine_row("parse", document, relpath, reason, detail, severity)

        mime = files.mime_of(relpath)
        if mime is None:
            known = " ".join(sorted(files.MIMES))
            yield note("unsupported_format", f"{relpath} has none of the extensions {known}: it is not read", "info")
            continue
        try:
            raw = file.read_bytes()
        except OSError as error:
            yield note("unreadable", f"{relpath} cannot be read: {error.strerror}. Mend its permissions or take it out", "error")
            continue
        decoded = files.decode(raw, mime)
        if isinstance(decoded, files.Refusal):
            yield note(decoded.reason, f"{relpath}: {decoded.detail}", "error")
            continue
        if decoded.guessed:
            yield note("encoding_guessed", f"{relpath} is not UTF-8 and declares no encoding; read as {decoded.encoding}", "info")
        empty = not decoded.text.strip()
        if empty:
            yield note("empty_file", f"{relpath} holds no text", "info")
        mime = files.sniff_mime(decoded.text, mime)
        yield "raw", _raw_row(spec, relpath, document, mime, raw, decoded.text, empty)


def _raw_row(spec: SourceSpec, relpath: str, document: str, mime: str, raw: bytes, text: str, empty: bool) -> dict:
    digest = content_hash(raw)
    return {
        "document_id": document, "source": spec.name, "native_key": relpath, "uri": relpath, "title": None, "namespace": 0,
        "mime": mime, "language": spec.language, "revision": digest, "parent_revision": None, "time": None,
        "source_date": files.source_date(text, mime), "fetched_at": None, "contributor": None, "comment": None, "minor": None,
        "content_hash": digest, "raw": raw, "stretches": None, "redirect_to": None, "acl": sorted(set(spec.acl)), "tenant": spec.tenant,
        "status": "empty" if empty else "ok",
    }
