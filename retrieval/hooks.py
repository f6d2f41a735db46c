"""The hooks of retrieval, by pluggy: where a plugin may add candidates or change what becomes of them.

Hooks are given candidates that the reader may see and answer with ids or with an order of those candidates, never with
text: what a supplement names is fetched through the same gate and must pass the same filter. A plugin is any object
with functions marked by `hookimpl`, passed in `QueryOptions.plugins` or installed under the entry point group
`motherlode.retrieval`. For the hooks with one answer, the last plugin that gives one wins; the defaults come last.
"""

from __future__ import annotations

from functools import lru_cache

import pluggy

from retrieval.ports import Candidate, Context

PROJECT = "motherlode"
GROUP = "motherlode.retrieval"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


class Specs:
    """The hook specifications."""

    @hookspec
    def retrieve_supplement(self, ctx: Context, candidates: list[Candidate]) -> list[tuple[str, str]]:  # type: ignore[empty-body]
        """More candidates, best first, as (store, id); each answer becomes a leg of its own before the fusion."""

    @hookspec(firstresult=True)
    def rrf_post_merge(self, ctx: Context, candidates: list[Candidate]) -> list[Candidate] | None:
        """The candidates after the fusion, reordered or thinned; None = as they are."""

    @hookspec(firstresult=True)
    def rerank_merged(self, ctx: Context, candidates: list[Candidate]) -> list[Candidate] | None:
        """The final order. `score` should fall along it."""

    @hookspec(firstresult=True)
    def evidence_conflict(self, ctx: Context, candidates: list[Candidate]) -> dict[str, list[str]] | None:
        """{candidate id: nugget ids that contradict it}; ids outside the filter are ignored."""

    @hookspec(firstresult=True)
    def evidence_dedupe(self, ctx: Context, candidates: list[Candidate]) -> dict[str, str] | None:
        """{id of a duplicate: id of the candidate, ranked above it, that stands for it}."""

    @hookspec(firstresult=True)
    def evidence_group(self, ctx: Context, candidates: list[Candidate]) -> dict[str, str] | None:
        """{candidate id: name of its group}."""


@lru_cache(maxsize=16)
def manager(plugins: tuple = ()) -> pluggy.PluginManager:
    """The plugin manager: defaults first (so that they are asked last), then installed plugins, then these."""
    from retrieval import rules

    found = pluggy.PluginManager(PROJECT)
    found.add_hookspecs(Specs)
    found.register(rules, name="defaults")
    found.load_setuptools_entrypoints(GROUP)
    for plugin in plugins:
        found.register(plugin)
    return found
