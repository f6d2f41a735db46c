"""Why two names are one thing or two: the rules of the clustering, said in words.

Pure: what is known of the two names goes in, reasons come out, the deciding one first. It decides nothing by itself;
what the clustering did is in `links` and `entities`.
"""

from __future__ import annotations

from collections.abc import Collection

from schemas.ids import fold_name
from tasks.link.aliases import Aliases
from tasks.link.names import acronym_letters, family, initials_of, name_key, opposed, set_apart, words

MEANINGS = {
    "page": "it is the title of that page",
    "redirect": "a redirect of that title leads there",
    "wikilink": "links with this text lead there",
    "alias": "a [[same]] entry of the alias file says so",
    "introduction": "a document introduces it as the short form",
    "string": "a longer name, a title or a link's text is the same name",
    "name": "no page, link or alias file knows it: it is what it is called",
}


def explain_apart(one: str, other: str, types: Collection[str], other_types: Collection[str], aliases: Aliases) -> list[str]:
    """Reasons for which two names are not joined, the strongest first; never empty.

    `types` are the entity types under which each name was found (spaCy's labels; '' where untyped).
    """
    a, b = fold_name(one), fold_name(other)
    out = [
        f"the alias file keeps them apart: a [[different]] entry holds {', '.join(sorted(group))}"
        for group in aliases.different if a in group and b in group
    ]
    first, second = words(one), words(other)
    left, right = set_apart(first), set_apart(second)
    if left != right:
        only = sorted(left ^ right)
        out.append(f"numbers, numerals, ordinals and suffixes that differ are never one name: {', '.join(only)} stands in one of them alone")
    families, others = {family(t) for t in types} - {""}, {family(t) for t in other_types} - {""}
    if families and others and all(opposed(x, y) for x in families for y in others):
        out.append(f"they are of different kinds: {' or '.join(sorted(families))} against {' or '.join(sorted(others))}")
    kind = next(iter(sorted(families & others)), "")
    keys = name_key(one, kind), name_key(other, kind)
    if keys[0] != keys[1]:
        out.append(f"as names they differ ({keys[0]!r}, {keys[1]!r}), and no page, redirect, link, introduction or alias entry joins them")
        for short, long in ((one, other), (other, one)):
            letters = acronym_letters(short)
            if letters and letters in initials_of(long):
                out.append(f"{short!r} are the initials of {long!r}: they are joined only in a document that says both, or introduces one by the other")
    return out or ["they are written alike, but each document has its own: one-word persons and names that several pages share are not joined across documents"]
