"""Rollback: one move of the ref, after checking that the release is whole. Corpus, config and indexes go together."""

from __future__ import annotations

from schemas.errors import IntegrityError, LodeError
from warehouse.indexes import read_index
from warehouse.layout import Warehouse
from warehouse.objects import object_path
from warehouse.refs import CURRENT, move_ref, read_ref
from warehouse.releases import Release, open_release, published


def rollback(wh: Warehouse, target: str) -> str:
    """Points `current` at a release that exists and is whole; gives its id. LodeError where it is neither."""
    release = open_release(wh, target)
    missing = missing_part(release)
    if missing:
        raise LodeError(f"release {release.id} lacks {missing}", expected="everything it names", fix="choose another release")
    try:
        found = read_ref(wh, CURRENT)
    except IntegrityError:
        found = None
    told = published(wh) if found is not None else []
    if found != release.id or not told or told[-1]["to"] != release.id:  # a damaged ref or log is mended as well
        move_ref(wh, found, release.id, "rollback")
    return release.id


def missing_part(release: Release) -> str | None:
    """The first object or index file that a release names and that is not there."""
    for refs in release.tables().tables.values():
        for ref in (r for shard in refs for r in shard):
            if not object_path(release.wh, ref.hash).exists():
                return f"object {ref.hash}"
    for legs in release.body["indexes"].values():
        for key in legs.values():
            body = read_index(release.wh, key)
            if body is None:
                return f"index {key}"
            for file in body["files"]:
                if not object_path(release.wh, file["hash"], ".bin").exists():
                    return f"file {file['name']} of index {key}"
    return None
