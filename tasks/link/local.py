"""Names within one document: which longer name of the same document a short one stands for.

Guarantee: a short name gets a longer form only if exactly one longer name of the document fits, and the result depends
on the set of names and introductions, not on their order.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from schemas.ids import fold_name
from tasks.link.names import (
    PRONOUNS,
    acronym_letters,
    base_title,
    family,
    initials_of,
    name_key,
    set_apart,
    short_group,
    short_person,
    short_place,
    words,
)

_INTRODUCED = re.compile(
    r"((?:[A-Z][\w&'’.-]*|[0-9]+)(?:\s+(?:(?:of|and|the|for|in|on|to|de|la|du|des|&)\s+){0,2}(?:[A-Z][\w&'’.-]*)){1,9})"
    r"\s+\(\s*(?:the\s+|or\s+|abbreviated\s+(?:as\s+)?|formerly\s+)?[\"“']?([A-Z][A-Za-z&.-]{1,9}s?)[\"”']?\s*[);,]"
)


def introductions(text: str) -> dict[str, set[str]]:
    """Short forms that a text introduces in parentheses: "International Business Machines (IBM)" -> IBM: {long name}.

    Only where the letters of the short form are the initials of the end of the name before it.
    """
    out: dict[str, set[str]] = {}
    for match in _INTRODUCED.finditer(text):
        letters = acronym_letters(match[2])
        if not letters:
            continue
        parts = match[1].split()
        for at in range(len(parts)):  # the longest end of the phrase that spells the letters
            phrase = " ".join(parts[at:])
            if len(parts) - at > 1 and not parts[at].islower() and letters in initials_of(phrase):
                out.setdefault(match[2], set()).add(phrase)
                break
    return out


def local_forms(
    names: set[tuple[str, str, str]], title: str, introduced: dict[str, set[str]]
) -> dict[tuple[str, str, str], str]:
    """(surface, entity_type, target) -> longer form, for the names without a target that have exactly one.

    A longer form is the target or the surface of the longer name. `title` is the document's own.
    """
    longs = _Longs(_long_forms(names, title))
    linked: dict[str, set[str]] = {}
    for surface, _, target in names:
        if target:
            linked.setdefault(fold_name(surface), set()).add(target)
    out = {}
    for key in sorted(names):
        surface, entity_type, target = key
        if target:
            continue
        kind = family(entity_type)
        found = (
            _linked(surface, linked)
            or _own_title(surface, title)
            or _introduced(surface, introduced)
            or (kind == "PERSON" and _full_name(surface, title))
            or _fitting(surface, kind, longs, title)
        )
        if found and found != surface:
            out[key] = found
    return out


def _long_forms(names: set[tuple[str, str, str]], title: str) -> list[tuple[str, str, str]]:
    """(surface, family, form) of all names; forms of linked ones are their targets."""
    out = {(base_title(title), "", title)} if title else set()
    out |= {(s, family(t), target or s) for s, t, target in names if s != title}
    return sorted(out)


def _linked(surface: str, linked: dict[str, set[str]]) -> str:
    """The only target of links with this very text in the document: pages link a name once."""
    found = linked.get(fold_name(surface), set())
    return next(iter(found)) if len(found) == 1 and fold_name(surface) not in PRONOUNS else ""


def _full_name(surface: str, title: str) -> str:
    """The title of a person's page for the full name that its text gives: "Christian Atsu Twasam"."""
    short, long = words(base_title(title)), words(surface)
    fits = len(short) > 1 and short[0] == long[0] and set_apart(short) == set_apart(long)
    return title if fits and (short_person(short, long) or long[: len(short)] == short) else ""


def _own_title(surface: str, title: str) -> str:
    """ "Titanic" in the document "Titanic (1997 film)", "Paris" in "Paris, Texas"."""
    own = {words(base_title(title)), words(title.split(",")[0])} if title else set()
    return title if words(surface) in own and words(surface) else ""


def _introduced(surface: str, introduced: dict[str, set[str]]) -> str:
    found = introduced.get(surface, set())
    return next(iter(found)) if len(found) == 1 else ""


class _Longs:
    """The names of a document by their words and initials, so that a short name meets only those it may stand for."""

    def __init__(self, forms: list[tuple[str, str, str]]) -> None:
        self.forms = forms
        self._words: dict[str, dict[str, set[int]]] = {}
        self._initials: dict[str, set[int]] = {}

    def near(self, surface: str, parts: tuple[str, ...], kind: str) -> list[tuple[str, tuple[str, ...], str, str]]:
        """(surface, words compared under `kind`, family, form) of the names that share the last word or the initials."""
        if kind not in self._words:
            index = self._words[kind] = {}
            for n, (name, _, _) in enumerate(self.forms):
                for word in name_key(name, kind).split():
                    index.setdefault(word, set()).add(n)
        found = set(self._words[kind].get(parts[-1], ()))
        if letters := acronym_letters(surface):
            if not self._initials:
                for n, (name, _, _) in enumerate(self.forms):
                    for initials in initials_of(name):
                        self._initials.setdefault(initials, set()).add(n)
            found |= self._initials.get(letters, set())
        rows = (self.forms[n] for n in sorted(found))
        return [
            (name, tuple(name_key(name, kind).split()), other, form) for name, other, form in rows if name != surface
        ]


def _fitting(surface: str, kind: str, longs: _Longs, title: str) -> str:
    """The longer form by the first relation that any name of the document fulfils; the title's owner breaks a tie."""
    parts = tuple(name_key(surface, kind).split())
    if not words(surface):
        return ""
    near = longs.near(surface, parts, kind)
    for fits in _relations(surface, parts, kind) if near else ():
        forms: dict[str, str] = {}
        for name, long, other, form in near:
            if fits(name, long, other):
                key = name_key(base_title(form), kind or "PERSON")
                forms[key] = min(forms.get(key, form), form, key=lambda f: (-len(f), f))
        if forms:
            return title if len(forms) > 1 and title in forms.values() else _one(forms)
    return ""


def _relations(surface: str, parts: tuple[str, ...], kind: str) -> list[Callable[[str, tuple[str, ...], str], bool]]:
    """Ways in which a name may stand for a longer one, the surest first, by the short name's family."""
    letters = acronym_letters(surface)
    if kind == "PERSON":
        lone = parts[0] if len(parts) == 1 and len(parts[0]) > 2 else ""
        return [
            lambda _, long, other: other in ("PERSON", "") and short_person(parts, long),
            lambda _, long, other: other == "PERSON" and len(long) > 1 and lone in long and not set_apart(long),
        ]
    out = []
    if letters:
        out.append(lambda name, _, other: other in (kind, "") and letters in initials_of(name))
    if kind == "GPE":
        out.append(lambda _, long, other: other in ("GPE", "") and short_place(parts, long))
    elif kind not in ("", "NORP", "LANGUAGE"):
        out.append(lambda _, long, other: other in (kind, "") and short_group(parts, long))
    return out


def _one(fits: dict[str, str]) -> str:
    """The only candidate; "John Smith" and "John Q. Smith" count as one, the longest."""
    if not fits:
        return ""
    keys = sorted(fits, key=lambda k: (-len(k.split()), k))
    longest = tuple(keys[0].split())
    for key in keys[1:]:
        short = tuple(key.split())
        if short == longest or (len(short) > 1 and short_person(short, longest)):
            continue
        return ""
    return fits[keys[0]]
