"""Names within one document: which longer name of the same document a short one stands for.

Guarantee: a short name gets a longer form only if exactly one longer name of the document fits, and the result depends
on the set of names and introductions, not on their order.
"""

from __future__ import annotations

import re

from tasks.link.names import acronym_letters, base_title, family, initials_of, name_key, short_person, words

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
            if len(parts) - at > 1 and letters in initials_of(phrase):
                out.setdefault(match[2], set()).add(phrase)
                break
    return out


def local_forms(
    names: set[tuple[str, str, str]], title: str, introduced: dict[str, set[str]]
) -> dict[tuple[str, str, str], str]:
    """(surface, entity_type, target) -> longer form, for the names without a target that have exactly one.

    A longer form is the target or the surface of the longer name. `title` is the document's own.
    """
    longs = _long_forms(names, title)
    out = {}
    for key in sorted(names):
        surface, entity_type, target = key
        if target:
            continue
        found = (
            _own_title(surface, title)
            or _introduced(surface, introduced)
            or _fitting(surface, family(entity_type), longs)
        )
        if found and found != surface:
            out[key] = found
    return out


def _long_forms(names: set[tuple[str, str, str]], title: str) -> list[tuple[str, str, str]]:
    """(surface, family, form) of all names of more than one word; forms of linked ones are their targets."""
    out = {(base_title(title), "", title)} if title else set()
    out |= {(s, family(t), target or s) for s, t, target in names if len(words(s)) > 1}
    return sorted(out)


def _own_title(surface: str, title: str) -> str:
    """ "Titanic" in the document "Titanic (1997 film)", "Paris" in "Paris, Texas"."""
    own = {words(base_title(title)), words(title.split(",")[0])} if title else set()
    return title if words(surface) in own and words(surface) else ""


def _introduced(surface: str, introduced: dict[str, set[str]]) -> str:
    found = introduced.get(surface, set())
    return next(iter(found)) if len(found) == 1 else ""


def _fitting(surface: str, kind: str, longs: list[tuple[str, str, str]]) -> str:
    short = words(surface)
    if not short:
        return ""
    letters = acronym_letters(surface)
    fits: dict[str, str] = {}
    for name, other, form in longs:
        if name == surface:
            continue
        if kind == "PERSON" and other in ("PERSON", ""):
            ok = short_person(tuple(name_key(surface, "PERSON").split()), tuple(name_key(name, "PERSON").split()))
        elif letters and len(letters) >= 3 and kind in ("ORG", "") and other in ("ORG", ""):
            ok = letters in initials_of(name)
        else:
            ok = False
        if ok:
            fits.setdefault(_merge_key(form, other), form)
            fits[_merge_key(form, other)] = min(fits[_merge_key(form, other)], form, key=lambda f: (-len(f), f))
    return _one(fits)


def _merge_key(form: str, kind: str) -> str:
    return name_key(base_title(form), kind or "PERSON")


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
