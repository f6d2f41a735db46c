"""What two releases were made of: sources, config, stages, indexes, and where they differ.

Guarantees: equal releases have no changes; config keys are told one by one, with both values.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from retrieval.inspection.pair import instant
from schemas.errors import IntegrityError
from schemas.stage import STAGE_NAMES
from warehouse.layout import Warehouse
from warehouse.releases import Release
from warehouse.snapshots import read_snapshot

# stage -> the config sections that it reads (a test compares this with the stages' declarations)
SECTIONS: dict[str, tuple[str, ...]] = {
    "parse": ("parse", "history"), "chunk": ("chunk",), "extract": ("extract", "predicates"), "link": ("link", "aliases"),
    "normalize": ("normalize", "predicates", "dates"), "validity": ("validity", "dates", "history"), "origins": ("origins",),
    "dedupe": ("dedupe",), "conflict": ("conflict", "predicates", "overrides"), "embed": ("embed",),
    "index": ("index", "embed", "predicates"),
}
# level -> the stage that makes its rows
MADE_BY = {
    "document": "parse", "version": "parse", "block": "parse", "element": "parse", "chunk": "chunk", "mention": "extract",
    "entity": "link", "claim": "validity", "nugget": "conflict",
}


def settings_changes(wh: Warehouse, old: Release, new: Release) -> dict[str, Any]:
    """JSON data: `sources` (added, removed, changed), `config` [{key, old, new}], `stages` [{stage, old, new, old_version,
    new_version}] whose snapshot differs, `indexes` [{store, leg, old, new, manifest}] that differ, `as_of` [old, new]."""
    return {
        "sources": _sources(old.body["sources"], new.body["sources"]),
        "config": config_changes(old.config, new.config),
        "stages": [
            {"stage": s, "old": a, "new": b, "old_version": _version(wh, s, a), "new_version": _version(wh, s, b)}
            for s in STAGE_NAMES
            if (a := old.body["stages"].get(s)) != (b := new.body["stages"].get(s))
        ],
        "indexes": _indexes(wh, old.body["indexes"], new.body["indexes"]),
        "as_of": [instant(old.body.get("as_of")), instant(new.body.get("as_of"))],
    }


def _sources(old: Mapping[str, dict], new: Mapping[str, dict]) -> dict[str, Any]:
    changed = []
    for name in sorted(set(old) & set(new)):
        a, b = old[name], new[name]
        what = {k: [a["spec"].get(k), b["spec"].get(k)] for k in sorted({*a["spec"], *b["spec"]}) if a["spec"].get(k) != b["spec"].get(k)}
        if a["complete"] != b["complete"]:
            what["complete"] = [a["complete"], b["complete"]]
        if a["scans"] != b["scans"]:
            what["scans"] = [a["scans"], b["scans"]]
        if what:
            changed.append({"source": name, "changes": what})
    return {"added": sorted(set(new) - set(old)), "removed": sorted(set(old) - set(new)), "changed": changed}


def config_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[dict[str, Any]]:
    """[{key, old, new}] of every setting that differs, by key; an absent one is null."""
    a, b = dict(_flat(old)), dict(_flat(new))
    return [{"key": k, "old": a.get(k), "new": b.get(k)} for k in sorted({*a, *b}) if a.get(k) != b.get(k) or (k in a) != (k in b)]


def _flat(value: Any, path: str = "") -> Iterable[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for key in value:
            yield from _flat(value[key], f"{path}.{key}" if path else key)
    elif path:
        yield path, value


def _version(wh: Warehouse, stage: str, fingerprint: str | None) -> int | None:
    if fingerprint is None:
        return None
    try:
        return read_snapshot(wh, stage, fingerprint)["version"]
    except IntegrityError:
        return None


def _indexes(wh: Warehouse, old: Mapping[str, dict], new: Mapping[str, dict]) -> list[dict[str, Any]]:
    out = []
    for store in sorted({*old, *new}):
        for leg in sorted({*old.get(store, {}), *new.get(store, {})}):
            a, b = old.get(store, {}).get(leg), new.get(store, {}).get(leg)
            if a != b:
                manifests = config_changes(_manifest(wh, a), _manifest(wh, b)) if a and b else []
                out.append({"store": store, "leg": leg, "old": a, "new": b, "manifest": manifests})
    return out


def _manifest(wh: Warehouse, key: str) -> dict[str, Any]:
    """What an index was built with; {} where its manifest is gone."""
    try:
        return json.loads(wh.path("indexes", key + ".json").read_text())["manifest"]
    except FileNotFoundError:
        return {}


def definition_changes(changes: Mapping[str, Any], first: str, last: str) -> dict[str, list]:
    """The settings and stage versions that changed from stage `first` to stage `last`: {config: [...], stages: [...]}."""
    stages = STAGE_NAMES[STAGE_NAMES.index(first) : STAGE_NAMES.index(last) + 1]
    sections = {s for stage in stages for s in SECTIONS[stage]}
    return {
        "config": [c for c in changes["config"] if c["key"].split(".")[0] in sections],
        "stages": [
            {"stage": s["stage"], "old": s["old_version"], "new": s["new_version"]} for s in changes["stages"]
            if s["stage"] in stages and s["old_version"] != s["new_version"]
        ],
    }
