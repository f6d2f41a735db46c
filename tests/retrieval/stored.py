"""A `World` written as a release into a real warehouse: for what reads tables by SQL and not through retrieval's ports."""

from __future__ import annotations

from pathlib import Path

from schemas.ids import value_id
from schemas.tables import TABLES
from tests.retrieval.world import World
from warehouse.layout import Warehouse
from warehouse.objects import put_table
from warehouse.refs import move_ref, read_ref
from warehouse.releases import Release, open_release, release_id, write_release
from warehouse.shuffle import split_by_shard
from warehouse.snapshots import write_snapshot
from warehouse.tableset import TableSet


def rows_of(world: World) -> dict[str, list[dict]]:
    """The world's tables, and those that follow from them: `values`, index documents, entities and links of its names."""
    out = {name: [dict(r) for r in rows] for name, rows in world.tables.items()}
    out["values"] = [{**c, "value_id": value_id(c["key_id"], c["object_id"]), "source_group": "g", "language": "en"} for c in out["claims"]]
    out["nugget_docs"], out["chunk_docs"] = world.docs("nuggets"), world.docs("chunks")
    for name in ("nuggets", "chunks"):
        for doc in out[f"{name[:-1]}_docs"]:
            doc.update(store=name, key_id=doc.get("key_id", ""))
    homes = {c["claim_id"]: c["document_id"] for c in out["claims"]}
    names = {(homes[i], n["subject"], n["subject_id"]) for n in out["nuggets"] for i in n["claim_ids"] if i in homes}
    names |= {(d, surface, i) for d, surface, i in getattr(world, "aliases", ())}
    subject = {n["subject_id"]: n["subject"] for n in out["nuggets"]}
    out["links"] = [dict(document_id=d, surface=s, entity_type="", target="", entity_id=i, entity_name=subject.get(i, s), link_basis="string")
                    for d, s, i in sorted(names)]
    out["entities"] = [dict(entity_id=i, entity_name=subject.get(i, s), surface=s, entity_type="", target="", link_basis="string")
                       for s, i in sorted({(s, i) for _, s, i in names})]
    return out


def store(world: World, root: Path, *, lineage: list[dict] = (), shards: int = 2) -> Release:
    """Writes and publishes the world; a second call on the same folder is a second release."""
    wh = Warehouse.init(root, shards)
    tables = TableSet(shards)
    for name, rows in rows_of(world).items():
        table = TABLES[name].from_rows(rows)
        tables.set(name, [[put_table(wh, name, part)] for part in split_by_shard(table, TABLES[name].unit, shards)])
    body = {
        "format": 1, "stages": {"conflict": write_snapshot(wh, "conflict", 1, {"world": [str(tables.to_json())]}, tables)},
        "sources": {}, "config": world.config, "indexes": {}, "parent": read_ref(wh), "as_of": None if world.as_of is None else world.as_of * 86400,
    }
    body["id"] = release_id(body)
    if lineage:
        table = TABLES["lineage"].from_rows([{**r, "release": body["id"]} for r in lineage])
        body["lineage"] = {"lineage": [[put_table(wh, "lineage", part).to_json()] for part in split_by_shard(table, "old_id", shards)]}
    release = write_release(wh, body)
    move_ref(wh, read_ref(wh), body["id"], "publish")
    return open_release(wh, release.id)

