"""Built indexes: a manifest of write-once files, stored as objects and laid out read-only by hard link.

`indexes/<key>.json` is written last; the key hashes the manifest (analyzers, weights, model, …) and the objects that
were indexed, so an unchanged index is never built again.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

from schemas.ids import make_id
from schemas.search import INDEX_DOCS
from warehouse import faults
from warehouse.keep import hold
from warehouse.layout import Warehouse
from warehouse.objects import ObjectRef, get_tables, object_path, put_file
from warehouse.tableset import TableSet

DOC_TABLES = {"nuggets": "nugget_docs", "chunks": "chunk_docs"}
LEGS = ("sparse", "dense")


def index_key(store: str, leg: str, manifest: dict[str, Any], tables: TableSet) -> str:
    """Identity of one index: what it holds and how it was made."""
    hashes = [r.hash for r in tables.all_refs(DOC_TABLES[store]) if r.rows]
    vectors = [r.hash for r in tables.all_refs("vectors") if r.rows] if leg == "dense" else []
    return make_id("index", store, leg, json.dumps(manifest, sort_keys=True), hashes, vectors)


def read_index(wh: Warehouse, key: str) -> dict | None:
    """The manifest of an index whose files are all there; None where it was not built, or lost a file."""
    path = wh.path("indexes", key + ".json")
    try:
        body = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    return body if hold(wh, [path, *(object_path(wh, f["hash"], ".bin") for f in body["files"])]) else None


def build(wh: Warehouse, key: str, store: str, leg: str, manifest: dict[str, Any], tables: TableSet) -> dict:
    """Builds one index from its documents unless it is there; stores its files, then its manifest."""
    done = read_index(wh, key)
    if done is not None:
        return done
    docs = get_tables(wh, DOC_TABLES[store], tables.all_refs(DOC_TABLES[store])).select(INDEX_DOCS.names).cast(INDEX_DOCS)
    docs = docs.sort_by("id").combine_chunks()
    with wh.scratch_folder() as scratch:
        folder = scratch / "index"
        folder.mkdir()
        if leg == "sparse":
            from warehouse.lucene import build_index

            build_index(docs, manifest, folder)
        else:
            from warehouse.vectors import build_vectors

            build_vectors(docs, tables.read(wh, "vectors"), manifest, folder)
        files = []
        for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.name != "write.lock"):
            ref = put_file(wh, path)
            files.append({"name": path.relative_to(folder).as_posix(), **ref.to_json()})
    body = {"key": key, "store": store, "leg": leg, "manifest": manifest, "docs": docs.num_rows, "files": files}
    stale = wh.path("indexes", key)
    if stale.is_dir():  # laid out from files that were lost
        with wh.scratch_folder() as away:
            os.rename(stale, away / "stale")
    faults.point("index")
    wh.write(wh.path("indexes", key + ".json"), json.dumps(body, sort_keys=True).encode())
    return body


def materialize(wh: Warehouse, body: dict) -> Path:
    """The folder of an index, its files hard-linked (copied where the file system cannot) from the objects."""
    folder = wh.path("indexes", body["key"])
    if folder.is_dir():
        return folder
    with wh.scratch_folder() as scratch:
        made = scratch / "laid"
        for file in body["files"]:
            target = made / file["name"]
            target.parent.mkdir(parents=True, exist_ok=True)
            source = object_path(wh, file["hash"], ".bin")
            try:
                os.link(source, target)
            except OSError:
                shutil.copyfile(source, target)
        made.mkdir(exist_ok=True)
        try:
            os.rename(made, folder)
        except OSError:  # another reader was first
            if not folder.is_dir():
                raise
    return folder


def index_objects(body: dict) -> list[ObjectRef]:
    return [ObjectRef.from_json({k: f[k] for k in ("hash", "rows", "size_bytes")}) for f in body["files"]]
