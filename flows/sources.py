"""Which sources a build reads: named on the command line or in the config, with their access, and what they held before.

Without `--acl`, `default_acl` or `require_acl` a source is refused: nothing becomes readable by default.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schemas.config import Config, SourceConfig
from schemas.errors import LodeError, UsageError
from schemas.ids import make_id
from schemas.sources import EVERYTHING, Selection, SourceSpec
from warehouse.layout import Warehouse
from warehouse.releases import read_scan

_PACKED = re.compile(r"(\.(bz2|gz|xz|lzma|7z|xml|md|markdown|html?|txt))+$", re.IGNORECASE)
SCAN_CONFIG = ("namespaces", "max_page_bytes")
MASS_DELETION_DOCUMENTS = 5


@dataclass(frozen=True)
class SourceRequest:
    """A source as asked for; `complete` says that what it no longer lists is gone (None: folders yes, dumps no)."""

    path: str
    name: str | None = None
    acl: tuple[str, ...] | None = None
    require_acl: bool = False
    tenant: str = "default"
    language: str = "en"
    complete: bool | None = None
    named: bool = False
    select: Selection = EVERYTHING


def source_name(path: str) -> str:
    """Default name of a source: the folder's or file's name without packing and format endings."""
    name = _PACKED.sub("", Path(path).resolve().name)
    return re.sub(r"[^\w.-]+", "-", name, flags=re.UNICODE).strip("-") or "source"


def requests_from(paths: list[str], acl: list[str] | None, config: Config, name: str | None, complete: bool | None,
                  language: str | None, tenant: str | None, base: Path) -> list[SourceRequest]:
    """Command line paths, or with none the config's sources."""
    if not paths:
        if not config.sources:
            raise UsageError("no source to build", expected="paths, or [sources.<name>] in the config",
                             fix="run `lode build PATH --acl public`")
        return [
            SourceRequest(str((base / s.path) if not Path(s.path).is_absolute() else s.path), n, s.default_acl,
                          s.require_acl, s.tenant, s.language, s.complete, named=True)
            for n, s in sorted(config.sources.items())
        ]
    if name and len(paths) > 1:
        raise UsageError(f"--name {name} for {len(paths)} paths", expected="one path, or no --name")
    out = []
    for path in paths:
        chosen = name or source_name(path)
        known: SourceConfig | None = config.sources.get(chosen)
        out.append(SourceRequest(
            path, chosen, tuple(acl) if acl is not None else known.default_acl if known else None,
            known.require_acl if known else False, tenant or (known.tenant if known else "default"),
            language or (known.language if known else "en"), complete if complete is not None else known.complete if known else None,
            named=name is not None or known is not None,
        ))
    names = [r.name for r in out]
    for given in names:
        if names.count(given) > 1:
            raise UsageError(f"two sources named {given!r}", expected="one name per source", fix="build one of them with --name")
    return out


def to_spec(request: SourceRequest) -> SourceSpec:
    """Checks access and existence. LodeError with the command to add."""
    from tasks.parse.scan import detect_kind

    if request.acl is None and not request.require_acl:
        raise LodeError(
            f"source {request.name} declares no access", expected="who may read it, declared before it is built",
            fix=f"add `--acl public` (or another group), or `default_acl = [...]` under [sources.{request.name}] in the config",
        )
    for group in request.acl or ():
        if not re.fullmatch(r"[\w.@:-]+", group):
            raise UsageError(f"access group {group!r}", expected="letters, digits and . _ - @ :")
    path = Path(request.path)
    if not path.exists():
        raise LodeError(f"no such file or folder: {request.path}", expected="a path to read", fix="check the path")
    kind = detect_kind(path)
    if kind == "files":
        _refuse_unreadable(path)
    return SourceSpec(
        str(path), request.name or source_name(request.path), kind, tuple(sorted(set(request.acl or ()))),
        request.tenant, request.language, request.select,
    )


def _refuse_unreadable(path: Path) -> None:
    """A path that was named and holds nothing that can be read is a mistake, not an empty source."""
    from tasks.parse.files import MIMES

    formats = f"a folder or file of {' '.join(sorted(MIMES))}, or a MediaWiki export (plain, gz, bz2, xz, lzma, 7z)"
    if path.is_file() and path.suffix.casefold() not in MIMES:
        raise LodeError(f"{path.name} is none of the formats that are read, or a damaged export", expected=formats, fix="check the file")
    if path.is_dir() and any(path.iterdir()) and not any(p.suffix.casefold() in MIMES for p in path.rglob("*")):
        raise LodeError(f"{path} holds no file that can be read", expected=formats, fix="check the path; give exports by name")


def refuse_other_path(name: str, old: dict | None, was: str | None, request: SourceRequest, spec: SourceSpec) -> None:
    """Two folders of one base name must not replace each other unasked."""
    if old is None or request.named or was is None or spec.kind != "files" or was == str(Path(spec.path).resolve()):
        return
    raise LodeError(
        f"source {name} was read from {was}, now it would be read from {Path(spec.path).resolve()}",
        expected="one name per folder", fix=f"add `--name` with another name to keep both, or `--name {name}` to replace it",
    )


def scan_key(spec: SourceSpec, config: dict[str, Any], listing: str, shards: int, version: int) -> str:
    """Identity of a scan: what would be read, under which name, access and scan settings; not where it lies."""
    part = {k: config["parse"][k] for k in SCAN_CONFIG}
    if not spec.select.everything:
        part["select"] = str(spec.select)
    return make_id("scan", version, spec.name, spec.kind, list(spec.acl), spec.tenant, spec.language, str(sorted(part.items())),
                   listing, shards)


def merge_source(wh: Warehouse, old: dict | None, request: SourceRequest, spec: SourceSpec, key: str) -> dict:
    """The release's entry of a source after this scan: folders are replaced, dumps add unless `complete`."""
    complete = request.complete if request.complete is not None else spec.kind == "files"
    told = {"name": spec.name, "kind": spec.kind, "acl": list(spec.acl), "tenant": spec.tenant, "language": spec.language}
    new = {"spec": told, "complete": complete, "newest": key, "scans": [key]}
    if old is None or complete:
        return new
    if old["spec"] != told:
        # Rows carry access, tenant and language: earlier dumps under others cannot stay, and may not vanish silently.
        gone, _ = deleted_documents(wh, old, new)
        if gone:
            changed = ", ".join(k for k in told if old["spec"][k] != told[k])
            raise LodeError(
                f"source {spec.name}: {changed} changed, and {len(gone)} document(s) are only in what was read before",
                expected="every dump of the source to be read under the same declaration",
                fix="build a dump that holds them, or add --complete to let them go, or --name to keep both apart",
            )
        return new
    kept = [k for k in old["scans"] if k != key and read_scan(wh, k) is not None]
    return {**new, "scans": sorted([*kept, key])}


def deleted_documents(wh: Warehouse, old: dict | None, new: dict) -> tuple[set[str], int]:
    """Documents that a source no longer holds, and how many it held."""
    if old is None:
        return set(), 0
    before = {d for k in old["scans"] for d in (read_scan(wh, k) or {"documents": []})["documents"]}
    after = {d for k in new["scans"] for d in (read_scan(wh, k) or {"documents": []})["documents"]}
    return before - after, len(before)


def refuse_mass_deletion(name: str, gone: set[str], before: int, limit: float) -> None:
    if len(gone) >= MASS_DELETION_DOCUMENTS and len(gone) > limit * before:
        raise LodeError(
            f"source {name} lost {len(gone)} of {before} documents", expected=f"at most {limit:.0%} to go at once",
            fix="check the path; if they are really gone, add --allow-delete",
        )
