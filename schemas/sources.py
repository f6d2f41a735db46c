"""What a scan is told about a source."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.ids import content_hash


def listing_hash(inputs: list[tuple[str, int, str]]) -> str:
    """Hash of what a scan would read: (relative path, size in bytes, content hash) of each file."""
    return content_hash("\n".join(f"{path}\t{size}\t{digest}" for path, size, digest in inputs))


@dataclass(frozen=True)
class Selection:
    """What is wanted of an export. `pages`: titles or page ids, none = all. `first` and `until`: seconds, half open, None =
    no bound. `max_revisions`: the last so many of each page, as the export lists them; 0 = all."""

    pages: tuple[str, ...] = ()
    first: int | None = None
    until: int | None = None
    max_revisions: int = 0

    @property
    def everything(self) -> bool:
        return self == Selection()


EVERYTHING = Selection()


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
    select: Selection = EVERYTHING
