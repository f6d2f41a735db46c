"""The one clustering: distinct names to entities, by evidence in a fixed order.

Evidence, strongest first: the page itself or its redirect, the target of a wikilink, the alias file, a title that the
name equals, a redirect's title, the only target that links with this text have, an introduction or longer form in the
document, the folded name. All of it is counted over sets, so the order of rows cannot matter.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from schemas.ids import alias_entity_id, fold_name, name_entity_id, page_entity_id
from tasks.link.aliases import Aliases
from tasks.link.names import (
    PRONOUNS,
    acronym_letters,
    base_title,
    family,
    initials_of,
    name_key,
    opposed,
    title_key,
    words,
)
from tasks.link.pages import Pages, Ref

BASES = ("page", "redirect", "wikilink", "alias", "introduction", "string", "name")


@dataclass(frozen=True, slots=True, order=True)
class Name:
    """One distinct row of `surfaces`, without its document."""

    source: str
    surface: str
    entity_type: str
    target: str
    local_form: str


@dataclass(frozen=True, slots=True)
class Found:
    """What a name is: `ref` None = local to its document."""

    ref: Ref | None
    basis: str
    key: str = ""
    kind: str = ""


class Clustering:
    """Resolves names against pages, aliases and each other. `counts`: how often each distinct name occurs."""

    def __init__(self, counts: dict[Name, int], pages: Pages, aliases: Aliases) -> None:
        self.counts, self.pages = counts, pages
        self.by_alias = aliases.by_name
        self.different = aliases.different
        self.guarded = frozenset(n for group in aliases.different for n in group)
        self.alias_refs, self.merged = self._resolve_aliases(aliases)
        self.title_names: dict[Ref, str] = {}
        self._titles: dict[tuple[str, str], set[Ref]] = defaultdict(set)
        self._anchors: dict[str, set[Ref]] = defaultdict(set)
        self._families: dict[Ref, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self._known: dict[str, set[str]] = defaultdict(set)
        self._index()

    def _resolve_aliases(self, aliases: Aliases) -> tuple[dict[str, Ref], dict[Ref, Ref]]:
        """Entity of each alias group (a page where a name is the title of just one), and pages that it joins."""
        refs: dict[str, Ref] = {}
        merged: dict[Ref, Ref] = {}
        for group in aliases.same:
            pages: set[Ref] = set()
            for name in group.names:
                exact = {r for s in self.pages.sources for r in [self.pages.resolve(s, name)[0]] if r[0] == "page"}
                pages |= exact
            refs[group.id] = min(pages) if pages else ("alias", group.id)
            for page in pages:
                merged[page] = refs[group.id]
        return refs, merged

    def _index(self) -> None:
        """What links teach: targets without a page, anchor texts, families of pages, families of names."""
        for name in sorted(self.counts):
            if name.target:
                ref, _ = self._by_target(name)
                if ref[0] == "title":
                    self._keep_title(ref, name)
                kind = family(name.entity_type)
                if fold_name(name.surface) not in PRONOUNS:
                    self._anchors[fold_name(name.surface)].add(ref)
                    if kind:
                        self._families[ref][kind] += self.counts[name]
            elif kind := family(name.entity_type):
                self._known[fold_name(name.surface)].add(kind)

    def _keep_title(self, ref: Ref, name: Name) -> None:
        shown = title_key(name.target)
        old = self.title_names.get(ref)
        self.title_names[ref] = shown if old is None else min(old, shown)
        for kind in ("", "PERSON", "ORG"):
            self._titles[(kind, name_key(shown, kind))].add(ref)

    def family_of(self, ref: Ref) -> str:
        """The family that more than half of the typed links to an entity say; '' if there is none."""
        counts = self._families.get(ref)
        if not counts:
            return ""
        kind, n = max(sorted(counts.items()), key=lambda item: item[1])
        return kind if 2 * n > sum(counts.values()) else ""

    def _by_target(self, name: Name) -> tuple[Ref, str]:
        ref, redirected = self.pages.resolve(name.source, name.target)
        own = title_key(name.surface) == title_key(name.target)
        redirected = redirected or self.pages.is_redirect(name.source, name.surface)
        basis = "redirect" if redirected else "page" if own and ref[0] == "page" else "wikilink"
        if ref[0] == "title" and (group := self.by_alias.get(fold_name(name.target))):
            return self.alias_refs[group.id], "alias"
        return self.merged.get(ref, ref), basis

    def resolve(self, name: Name) -> Found:
        """The entity of one distinct name."""
        if name.target:
            ref, basis = self._by_target(name)
            return Found(ref, basis)
        folded = fold_name(name.surface)
        kind = family(name.entity_type)
        if folded in self.guarded:
            return self._guarded(name, folded, kind)
        if group := self.by_alias.get(folded):
            return Found(self.alias_refs[group.id], "alias")
        if name.local_form:
            found = self._longer(name, kind)
            if found is not None:
                return found
        return self._by_text(name.source, name.surface, kind)

    def _guarded(self, name: Name, folded: str, kind: str) -> Found:
        """A name of a [[different]] entry: only its own title, its own alias, or itself."""
        if group := self.by_alias.get(folded):
            return Found(self.alias_refs[group.id], "alias")
        ref, redirected = self.pages.resolve(name.source, name.surface)
        if ref[0] == "page" and not redirected:
            return Found(self.merged.get(ref, ref), "string")
        return Found(("name", folded, kind), "name")

    def _longer(self, name: Name, kind: str) -> Found | None:
        basis = "introduction" if acronym_letters(name.surface) else "string"
        form = name.local_form
        ref, _ = self.pages.resolve(name.source, form)
        if ref[0] == "title" and ref not in self.title_names:
            if group := self.by_alias.get(fold_name(form)):
                return Found(self.alias_refs[group.id], "alias")
            known = self._known.get(fold_name(form), set())
            found = self._by_text(name.source, form, next(iter(known)) if len(known) == 1 else kind)
            return None if found.ref is None else Found(found.ref, basis)
        ref = self.merged.get(ref, ref)
        return None if opposed(kind, self.family_of(ref)) else Found(ref, basis)

    def _by_text(self, source: str, text: str, kind: str) -> Found:
        if not kind:
            known = self._known.get(fold_name(text), set())
            kind = next(iter(known)) if len(known) == 1 else ""
        one_word_person = kind == "PERSON" and len(words(text)) < 2
        for refs in self._candidates(source, text, kind, one_word_person):
            fitting = {r for r in (self.merged.get(r, r) for r in refs) if not opposed(kind, self.family_of(r))}
            if len(fitting) > 1 and kind:
                same = {r for r in fitting if self.family_of(r) == kind}
                fitting = same or fitting
            if one_word_person:
                fitting = {r for r in fitting if self.family_of(r) == "PERSON"}
            if len(fitting) == 1:
                return Found(next(iter(fitting)), "string")
            if fitting:
                break  # ambiguous: weaker evidence must not decide
        key = name_key(text, kind)
        if one_word_person or not any(c.isupper() or c.isdigit() or ord(c) > 0x2E80 for c in text):
            return Found(None, "name", key, kind)
        return Found(("name", key, kind), "name")

    def _candidates(self, source: str, text: str, kind: str, one_word_person: bool):
        yield self.pages.by_name(source, text, kind)
        if not one_word_person:
            yield {r for r in self.pages.by_redirect(source, text) if r[0] == "page"}
        yield self._titles.get((kind if kind in ("PERSON", "ORG") else "", name_key(text, kind)), set())
        anchors = self._anchors.get(fold_name(text), set())
        if not one_word_person and len(anchors) == 1 and self._anchor_holds(text, next(iter(anchors))):
            yield anchors

    def _anchor_holds(self, text: str, ref: Ref) -> bool:
        """A link's text stands for its target elsewhere too, if it looks like a name of it."""
        if not any(c.isupper() for c in text):
            return False
        title = self.name_of(ref)
        shared = set(words(text)) & set(words(title))
        letters = acronym_letters(text)
        return bool(letters and letters in initials_of(base_title(title))) or (len(words(text)) > 1 and bool(shared))

    def name_of(self, ref: Ref) -> str:
        """Title of a page or of a link's target; '' for others."""
        return self.pages.titles.get(ref) or self.title_names.get(ref, "")

    def keep_apart(self, found: dict[Name, Found]) -> None:
        """Enforces the [[different]] entries: of two of its names in one entity the one that is not its title leaves."""
        for group in self.different:
            by_ref: dict[Ref, set[str]] = defaultdict(set)
            for name, what in found.items():
                if what.ref is not None and fold_name(name.surface) in group:
                    by_ref[what.ref].add(fold_name(name.surface))
            crowded = {ref: names for ref, names in by_ref.items() if len(names) > 1}
            for name in sorted(found):
                ref, folded = found[name].ref, fold_name(name.surface)
                if ref in crowded and folded in crowded[ref]:
                    stays = fold_name(self.name_of(ref))
                    stays = stays if stays in crowded[ref] else min(crowded[ref])
                    if folded != stays:
                        found[name] = Found(("name", folded, family(name.entity_type)), "name")


def entity_id_of(ref: Ref) -> str:
    """The id of an entity, by the priority page, alias, name."""
    if ref[0] == "page":
        return page_entity_id(ref[1], ref[2])
    if ref[0] == "alias":
        return alias_entity_id(ref[1])
    return name_entity_id(ref[1], ref[2] if ref[0] == "name" else "")
