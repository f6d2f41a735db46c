"""How names are compared: folding, what sets two names apart, initials, person and organisation names.

Guarantee: two names whose numbers, Roman numerals, ordinals or generational suffixes differ never compare equal, and
none is short for the other.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from schemas.ids import fold_name

FAMILY = {
    "PERSON": "PERSON",
    "PER": "PERSON",
    "ORG": "ORG",
    "GPE": "GPE",
    "LOC": "GPE",
    "FAC": "FAC",
    "NORP": "NORP",
    "EVENT": "EVENT",
    "WORK_OF_ART": "WORK_OF_ART",
    "PRODUCT": "PRODUCT",
    "LAW": "WORK_OF_ART",
    "LANGUAGE": "LANGUAGE",
    "MISC": "",
}
_OPPOSED = ({"PERSON"}, {"ORG"}, {"GPE"})

_ROMAN = re.compile(r"(?=[ivxlcdm])m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_GENERATION = {"jr", "sr", "junior", "senior", "jnr", "snr"}
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
_ORDINAL_WORDS = frozenset(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth north south east west "
    "northern southern eastern western upper lower new old men women boys girls".split()
)
_CORPORATE = frozenset(
    "inc incorporated corp corporation co company ltd limited llc plc gmbh ag sa spa nv bv oyj ab as kg pty".split()
)
_HONORIFIC = frozenset(
    "mr mrs ms miss dr prof professor sir dame lord lady rev reverend fr father sister st saint king queen prince princess emperor "
    "president senator governor general colonel captain lieutenant major sergeant admiral judge justice pope bishop archbishop cardinal "
    "chancellor minister secretary sheikh hon".split()
)
_POSSESSIVE = re.compile(r"['’]s?$")
_PAREN = re.compile(r"\s*\([^()]*\)\s*$")
_WORD = re.compile(r"[^\W_]+(?:['’&][^\W_]+)*|[&+#]+")
PRONOUNS = frozenset(
    "he she it they his her its their him them this that these those who which we i you the company".split()
) | {
    "the company",
    "the organization",
    "the organisation",
    "the city",
    "the country",
    "the film",
    "the book",
    "the team",
    "the band",
}


def family(entity_type: str) -> str:
    """Entity types that the tagger confuses are one family; '' = unknown."""
    return FAMILY.get(entity_type, entity_type)


def opposed(one: str, other: str) -> bool:
    """Two known families that the same thing cannot have: person, organisation, place."""
    return one != other and any(one in s for s in _OPPOSED) and any(other in s for s in _OPPOSED)


def title_key(title: str) -> str:
    """A page title as links spell it: no anchor, underscores as spaces, first letter upper case, NFC."""
    text = unicodedata.normalize("NFC", title.split("#", 1)[0]).replace("_", " ").strip(" :")
    text = re.sub(r"\s+", " ", text)
    return text[:1].upper() + text[1:]


def base_title(title: str) -> str:
    """Without the disambiguating parenthesis: "Mercury (planet)" -> "Mercury"."""
    return _PAREN.sub("", title) or title


@lru_cache(maxsize=200_000)
def words(name: str) -> tuple[str, ...]:
    """Folded words of a name without accents, dots and possessive ends: "J. K. O'Neill's" -> (j, k, o'neill)."""
    text = _POSSESSIVE.sub("", fold_name(name))
    text = re.sub(
        r"(?<=\b[^\W\d_])\.(?=[^\W\d_]\b)", " " if not re.fullmatch(r"(?:[^\W\d_]\.)+[^\W\d_]?\.?", text) else "", text
    )
    plain = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return tuple(_WORD.findall(plain.replace("’", "'")))


def is_distinctive(word: str) -> bool:
    """A word that makes two otherwise equal names different things: a number, a numeral, Jr., "North"."""
    return (
        any(c.isdigit() or c in "+#" for c in word)
        or word in _GENERATION
        or word in _ORDINAL_WORDS
        or bool(_ORDINAL.fullmatch(word))
        or (bool(_ROMAN.fullmatch(word)) and word not in ("mix", "dim", "mild", "civic"))
    )


@lru_cache(maxsize=200_000)
def name_key(name: str, kind: str) -> str:
    """What unlinked names of one family are compared by: folded, without articles, honorifics and company forms.

    The key of a name made of nothing else is its folded form.
    """
    parts = list(words(name))
    if len(parts) > 1 and parts[0] == "the":
        parts = parts[1:]
    if kind == "ORG":
        while len(parts) > 1 and parts[-1] in _CORPORATE:
            parts.pop()
    if kind == "PERSON":
        while len(parts) > 1 and parts[0] in _HONORIFIC and not (len(parts) == 2 and is_distinctive(parts[1])):
            parts = parts[1:]
    return " ".join(parts) or fold_name(name)


def set_apart(parts: tuple[str, ...]) -> set[str]:
    """The distinctive words of a name. A single letter is an initial, but a numeral at the end: "Leopold I"."""
    out = {w for w in parts if is_distinctive(w) and not (len(w) == 1 and w.isalpha())}
    return out | {parts[-1]} if len(parts) > 1 and parts[-1] in ("i", "v", "x") else out


_JOINING = frozenset("and with & the in for".split())


def short_person(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """`short` may stand for the person `long`: the surname, or first name or initial and surname with less between.

    Nothing distinctive (Jr., III) may be in one and not in the other.
    """
    if len(short) >= len(long) and not (len(short) == len(long) and short != long):
        return False
    if set_apart(short) != set_apart(long):
        return False
    if short == long[-len(short) :]:  # the surname, with its particles ("De Masi")
        return len(short[0]) > 1 and not _JOINING & set(long[: -len(short)])
    if short[-1] != long[-1]:
        return False
    at = 0
    for word in short[:-1]:
        while at < len(long) - 1 and not (
            word == long[at] or ((len(word) == 1 or len(long[at]) == 1) and word[0] == long[at][0])
        ):
            at += 1
        if at == len(long) - 1:
            return False
        at += 1
    first, head = short[0], long[0]
    return first == head or ((len(first) == 1 or len(head) == 1) and first[0] == head[0])


_SMALL = frozenset("of and the for in on at to de la le du des der die das und et y e & a an".split())


def initials_of(name: str) -> set[str]:
    """Ways to abbreviate a name by the first letters of its words, with and without the small words."""
    parts = words(name)
    if parts and parts[0] == "the":
        parts = parts[1:]
    big = [w for w in parts if w not in _SMALL]
    core = [w for w in big if w not in _CORPORATE] if len(big) > 2 else big
    return {"".join(w[0] for w in p) for p in (parts, big, core) if len(p) > 1}


def acronym_letters(surface: str) -> str:
    """The letters of an all-capitals short form ("U.S.A." -> "usa"), or '' if it is none."""
    letters = surface.replace(".", "").replace("&", "").strip()
    return letters.casefold() if 2 <= len(letters) <= 8 and letters.isalpha() and letters.isupper() else ""


_STATE_FORMS = frozenset("republic kingdom state states city federation commonwealth free federal united".split())


_GENERIC = frozenset(
    "university college school institute academy hospital hotel museum church party club fc afc cf sc il if bk team band group records "
    "bros brothers airlines airways railway bank foundation association federation union league orchestra corporation company county "
    "municipality district".split()
)


def short_group(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """`short` is the longer name of a group without what kind it is ("Yale" of "Yale College") or whose ("Supreme Court"
    of "Supreme Court of Pakistan", "Heathrow Airport" of "London Heathrow Airport").

    Nothing distinctive may be left over. A part of a group ("Sony Pictures" of Sony) is another group.
    """
    if not short or len(short) >= len(long) or set_apart(short) != set_apart(long) or len("".join(short)) < 4:
        return False
    before, after = long[: -len(short)], long[len(short) :]
    if long[: len(short)] == short:
        if all(w in _GENERIC for w in after):
            return short[-1] not in _GENERIC
        return len(short) > 1 and short[-1] in _BODIES and after[0] in ("of", "in") and 2 <= len(after) <= 4
    owned = long[-len(short) :] == short and len(short) > 1 and len(before) <= 2
    return owned and not any(w in _SMALL for w in before)


_BODIES = frozenset(
    "court parliament senate assembly congress council ministry department government army navy police force forces".split()
)


def short_place(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """ "Thailand" of "Kingdom of Thailand", "Prussia" of "Free State of Prussia"; not "Albany" of "Albany County"."""
    before = long[: -len(short)]
    return bool(before) and long[-len(short) :] == short and before[-1] == "of" and set(before) <= _STATE_FORMS | _SMALL
