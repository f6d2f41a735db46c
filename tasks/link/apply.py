"""The clustering over tables: distinct names are resolved once, and every document's surfaces get their entity by a join."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.ids import name_entity_id, page_entity_id
from schemas.stage import Tables
from schemas.tables import TABLES
from tasks.link.aliases import Aliases, read_aliases
from tasks.link.cluster import BASES, Clustering, Found, Name, entity_id_of
from tasks.link.names import title_key
from tasks.link.pages import Pages, Ref

PUBLIC = "public"
_KEY = ("source", "surface", "entity_type", "target", "local_form")


@dataclass
class _Scope:
    """What one class of readers may know: the clustering over its documents, and what it calls each entity."""

    clustering: Clustering
    found: dict[Name, Found]
    names: dict[Ref, str]


def link_all(config: Mapping[str, Any], tables: Tables) -> Tables:
    """surfaces and documents of the whole corpus -> entities, links. Raises ConfigError for a bad alias file.

    One clustering per tenant over the public documents, and one for each other label over the public documents plus its
    own: what a restricted document says names nothing for those who may not read it. A name that public documents
    have resolved means the same under every label.
    """
    aliases = read_aliases(config["aliases"])
    documents, surfaces = tables["documents"], tables["surfaces"]
    parts = []
    for tenant, label, visible, own in _scopes(documents):
        shown = documents.filter(pc.is_in(documents["document_id"], value_set=visible))
        seen = surfaces.filter(pc.is_in(surfaces["document_id"], value_set=visible))
        mine = surfaces.filter(pc.is_in(surfaces["document_id"], value_set=own))
        if label == PUBLIC:
            public = scope = _cluster(config, aliases, shown, seen)
            public_tenant = tenant
        else:
            scope = _below(public if public_tenant == tenant else None, _cluster(config, aliases, shown, seen), mine)
        links = _own_pages(_links(mine, scope.found, scope.names), shown, scope.clustering)
        parts.append(links.select(TABLES["links"].fields))
    links = pa.concat_tables(parts) if parts else TABLES["links"].empty()
    return {"entities": _entities(links), "links": TABLES["links"].conform(links)}


def _scopes(documents: pa.Table) -> list[tuple[str, str, pa.Array, pa.Array]]:
    """(tenant, label, visible documents, own documents), each tenant's public class first; labels that hold the group
    `public` are public."""
    classes: dict[str, dict[str, list[str]]] = defaultdict(lambda: {PUBLIC: []})
    for document, tenant, label in zip(
        *(documents[n].to_pylist() for n in ("document_id", "tenant", "label")), strict=True
    ):
        classes[tenant].setdefault(PUBLIC if PUBLIC in label.split(",") else label, []).append(document)
    out = []
    for tenant in sorted(classes):
        public = classes[tenant].pop(PUBLIC)
        out.append((tenant, PUBLIC, pa.array(public, pa.string()), pa.array(public, pa.string())))
        for label, own in sorted(classes[tenant].items()):
            out.append((tenant, label, pa.array([*public, *own], pa.string()), pa.array(own, pa.string())))
    return out


def _count(surfaces: pa.Table) -> dict[Name, int]:
    grouped = surfaces.group_by(list(_KEY)).aggregate([("mentions_n", "sum")])
    columns = (grouped[n].to_pylist() for n in (*_KEY, "mentions_n_sum"))
    return {Name(*key): n for *key, n in zip(*columns, strict=True)}


def _cluster(config: Mapping[str, Any], aliases: Aliases, documents: pa.Table, surfaces: pa.Table) -> _Scope:
    columns = (documents[n].to_pylist() for n in ("source", "native_key", "title", "status", "redirect_to"))
    pages = Pages(list(zip(*columns, strict=True)), bool(config["link"]["use_redirects"]))
    counts = _count(surfaces)
    clustering = Clustering(counts, pages, aliases)
    found = {name: clustering.resolve(name) for name in sorted(counts)}
    clustering.keep_apart(found)
    return _Scope(clustering, found, _display_names(found, counts, clustering, aliases))


def _below(public: _Scope | None, scope: _Scope, surfaces: pa.Table) -> _Scope:
    """The scope of a label, with every name that the public documents resolve taken from there."""
    if public is None:
        return scope
    known = {what.ref for what in public.found.values() if what.ref is not None}
    found = {}
    for name in sorted(_count(surfaces)):
        told = public.found.get(name) or public.clustering.resolve(name)
        found[name] = told if told.ref in known else scope.found[name]
    return _Scope(scope.clustering, found, {**scope.names, **public.names})


def _display_names(
    found: dict[Name, Found], counts: dict[Name, int], clustering: Clustering, aliases: Aliases
) -> dict[Ref, str]:
    """Title, else the alias entry's first name, else the most frequent surface (then the longest, then the first)."""
    first = {("alias", g.id): g.names[0] for g in aliases.same}
    tally: dict[Ref, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for name, what in found.items():
        if what.ref is not None:
            tally[what.ref][name.surface if not name.local_form else name.local_form] += counts[name]
    return {
        ref: clustering.name_of(ref) or first.get(ref) or min(forms, key=lambda s: (-forms[s], -len(s), s))
        for ref, forms in tally.items()
    }


def _links(surfaces: pa.Table, found: dict[Name, Found], names: dict[Ref, str]) -> pa.Table:
    """surfaces joined with their entities; names local to a document get an id of their own there."""
    columns: dict[str, list] = {
        n: [] for n in (*_KEY, "entity_id", "entity_name", "link_basis", "local_key", "local_kind")
    }
    for name, what in found.items():
        for n in _KEY:
            columns[n].append(getattr(name, n))
        local = what.ref is None
        columns["entity_id"].append(None if local else entity_id_of(what.ref))
        columns["entity_name"].append(name.surface if local else names[what.ref])
        columns["link_basis"].append(what.basis)
        columns["local_key"].append(what.key if local else None)
        columns["local_kind"].append(what.kind if local else None)
    lookup = pa.table({n: pa.array(v, pa.string()) for n, v in columns.items()})
    joined = surfaces.join(lookup, keys=list(_KEY), join_type="left outer")
    is_local = pc.is_null(joined["entity_id"])
    if not pc.any(is_local).as_py():
        return joined
    local = joined.filter(is_local)
    ids = [
        name_entity_id(key, kind, document)
        for key, kind, document in zip(
            *(local[n].to_pylist() for n in ("local_key", "local_kind", "document_id")), strict=True
        )
    ]
    local = local.set_column(local.column_names.index("entity_id"), "entity_id", pa.array(ids, pa.string()))
    return pa.concat_tables([joined.filter(pc.invert(is_local)), local])


def _own_pages(links: pa.Table, documents: pa.Table, clustering: Clustering) -> pa.Table:
    """Where a title is not unique, a link from a document to that title means the document itself."""
    by_title: dict[tuple[str, str], list[tuple[str, str, str]]] = defaultdict(list)
    for document, source, native, title, status in zip(
        *(documents[n].to_pylist() for n in ("document_id", "source", "native_key", "title", "status")), strict=True
    ):
        if title and status not in ("redirect", "deleted"):
            by_title[(source, title_key(title))].append((document, native, title))
    shared = {
        document: (page_entity_id(source, native), title)
        for (source, _), rows in by_title.items()
        if len(rows) > 1
        for document, native, title in rows
    }
    if not shared:
        return links
    rows = links.to_pydict()
    for i, (document, target) in enumerate(zip(rows["document_id"], rows["target"], strict=True)):
        if document in shared and target and title_key(target) == title_key(shared[document][1]):
            rows["entity_id"][i], rows["entity_name"][i] = shared[document]
            rows["link_basis"][i] = "page"
    return pa.table({n: pa.array(rows[n], links.schema.field(n).type) for n in links.column_names})


def _entities(links: pa.Table) -> pa.Table:
    """Distinct (entity, surface, type, target) with the strongest basis."""
    keys = ["entity_id", "surface", "entity_type", "target"]
    rank = pc.index_in(links["link_basis"], value_set=pa.array(BASES))
    grouped = links.append_column("rank", rank).group_by(keys).aggregate([("rank", "min"), ("entity_name", "min")])
    table = pa.table(
        {
            **{n: grouped[n] for n in keys},
            "entity_name": grouped["entity_name_min"],
            "link_basis": pa.array(BASES).take(grouped["rank_min"].combine_chunks()),
        }
    )
    return TABLES["entities"].conform(table)
