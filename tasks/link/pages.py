"""The pages of the corpus by title: redirects followed with cycles cut, ambiguous titles known as such."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from schemas.ids import fold_name
from tasks.link.names import base_title, name_key, title_key

Ref = tuple  # ("page", source, native_key) | ("alias", id) | ("title", key) | ("name", key, family)

_MAX_HOPS = 20
KINDS = ("", "PERSON", "ORG")


class Pages:
    """Titles of a corpus. Built from (source, native_key, title, status, redirect_to) rows in any order."""

    def __init__(self, rows: Iterable[tuple[str, str, str, str, str | None]], use_redirects: bool) -> None:
        self.titles: dict[Ref, str] = {}
        self._pages: dict[tuple[str, str], set[Ref]] = defaultdict(set)
        self._redirects: dict[tuple[str, str], str] = {}
        self._folded: dict[tuple[str, str, str], set[Ref]] = defaultdict(set)
        self._bases: dict[tuple[str, str], set[Ref]] = defaultdict(set)
        for source, native_key, title, status, redirect in sorted(rows, key=lambda r: tuple(x or "" for x in r)):
            if not title or status == "deleted":
                continue
            if status == "redirect" or redirect:
                if use_redirects and redirect:
                    self._redirects.setdefault((source, title_key(title)), redirect)
                continue
            ref = ("page", source, native_key)
            self.titles[ref] = title
            self._pages[(source, title_key(title))].add(ref)
            if title.casefold().endswith("(disambiguation)"):
                continue
            self._bases[(source, fold_name(base_title(title)))].add(ref)
            for kind in KINDS:
                self._folded[(source, kind, name_key(title, kind))].add(ref)
            self._folded[(source, "=", fold_name(title))].add(ref)
        self._folded_redirects: dict[tuple[str, str], set[str]] = defaultdict(set)
        for source, title in sorted(self._redirects):
            self._folded_redirects[(source, fold_name(title))].add(title)
        self.sources = sorted({k[0] for k in self._pages} | {k[0] for k in self._redirects})

    def resolve(self, source: str, title: str) -> tuple[Ref, bool]:
        """(page, or ("title", folded title) where no one page has it; whether a redirect was followed)."""
        key, hops, seen = title_key(title), 0, set()
        while (
            (source, key) not in self._pages
            and (source, key) in self._redirects
            and key not in seen
            and hops < _MAX_HOPS
        ):
            seen.add(key)
            key, hops = title_key(self._redirects[(source, key)]), hops + 1
        if key in seen:  # a cycle: all its titles mean its alphabetically first
            key = min(seen)
        found = self._pages.get((source, key), ())
        if len(found) == 1:
            return next(iter(found)), hops > 0
        return ("title", fold_name(key)), hops > 0

    def is_redirect(self, source: str, title: str) -> bool:
        return (source, title_key(title)) in self._redirects

    def by_name(self, source: str, name: str, kind: str) -> set[Ref]:
        """Pages that an unlinked name may mean: by equal title, else by equal name key. Several = ambiguous.

        Pages that differ only by a parenthesis ("Mercury (planet)") count as soon as one of them is met. The name's own
        source first, then all others.
        """
        for group in ([source], self.sources):
            out: set[Ref] = set()
            for s in group:
                hit = self._folded.get((s, "=", fold_name(name))) or self._folded.get(
                    (s, kind if kind in KINDS else "", name_key(name, kind))
                )
                if hit:
                    out |= hit
                    for ref in hit:
                        out |= self._bases[(s, fold_name(base_title(self.titles[ref])))]
            if out:
                return out
        return set()

    def by_redirect(self, source: str, name: str) -> set[Ref]:
        """Pages that redirects of this very title lead to."""
        for group in ([source], self.sources):
            out = {self.resolve(s, t)[0] for s in group for t in self._folded_redirects.get((s, fold_name(name)), ())}
            if out:
                return out
        return set()
