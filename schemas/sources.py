"""What a scan is told about a source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SourceSpec:
    """One path to read. `name` names a folder's or file's source; MediaWiki documents take the wiki's dbname instead.

    `kind` is `mediawiki` (an XML export, packed or not) or `files` (one file, or a folder read recursively).
    """

    path: str
    name: str
    kind: str
    acl: tuple[str, ...]
    tenant: str = "default"
    language: str = "en"
