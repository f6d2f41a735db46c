"""What `lode config check` tells: whether a config can be taken as it is, and what a build with it would do again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flows.sources import requests_from, to_spec
from schemas.config import Config, load_config, resolve
from schemas.errors import ConfigError, LodeError
from tasks.registry import all_stages
from warehouse.layout import Warehouse
from warehouse.releases import current_release

NOT_IN_A_RELEASE = ("run", "sources")


def changed_keys(old: dict[str, Any], new: dict[str, Any], path: str = "") -> list[dict[str, Any]]:
    """Keys whose values differ, as [{key, old, new}], in order of the keys."""
    out = []
    for key in sorted({*old, *new}):
        name = f"{path}.{key}" if path else key
        a, b = old.get(key), new.get(key)
        if isinstance(a, dict) and isinstance(b, dict):
            out += changed_keys(a, b, name)
        elif a != b:
            out.append({"key": name, "old": a, "new": b})
    return out


def check_config(path: Path | None, root: Path | None) -> dict[str, Any]:
    """{file, problems, sources, changed_from_defaults, release, changed_from_release, reruns}.

    `problems` is empty where a build may start. Raises ConfigError where the file itself cannot be read.
    """
    config, base = load_config(path)
    resolved = resolve(config, base)
    problems = [*_files(resolved), *_models(config)]
    sources = []
    for request in requests_from([], None, config, None, None, None, None, base) if config.sources else []:
        entry: dict[str, Any] = {"name": request.name, "path": request.path, "readers": list(request.acl or ()), "kind": None}
        try:
            entry["kind"] = to_spec(request).kind
        except LodeError as error:
            problems.append(error.to_json())
        sources.append(entry)
    defaults = resolve(Config(), load_config(None)[1])
    out: dict[str, Any] = {
        "file": None if path is None else str(path), "problems": problems, "sources": sources,
        "changed_from_defaults": changed_keys(_plain(defaults), _plain(resolved)),
        "release": None, "changed_from_release": [], "reruns": [],
    }
    if root is not None and (root / "lode.json").exists():
        release = current_release(Warehouse.open(root))
        if release is not None:
            changed = changed_keys(release.config, {k: v for k, v in _plain(resolved).items() if k not in NOT_IN_A_RELEASE})
            sections = {c["key"].split(".")[0] for c in changed}
            reruns = [s.name for s in all_stages() if sections & set(s.config)]
            out |= {"release": release.id, "changed_from_release": changed, "reruns": reruns}
    return out


def _plain(resolved: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in resolved.items() if k != "sources"}


def _files(resolved: dict[str, Any]) -> list[dict[str, str]]:
    """Alias and override files, read as their stages will."""
    from tasks.conflict.overrides import read_overrides
    from tasks.link.aliases import read_aliases

    out = []
    for read, section in ((read_aliases, "aliases"), (read_overrides, "overrides")):
        try:
            read(resolved[section])
        except ConfigError as error:
            out.append(error.to_json())
    return out


def _models(config: Config) -> list[dict[str, str]]:
    import importlib.util

    name = config.extract.spacy_model
    if config.extract.extractor != "none" and importlib.util.find_spec(name) is None:
        return [ConfigError(f"[extract] spacy_model = {name!r} is not installed", expected="an installed spaCy model",
                            fix="install it, or leave the key out").to_json()]
    return []
