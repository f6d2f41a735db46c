"""Why two names are not joined: the reasons, by kind."""

import pytest

from tasks.link.aliases import read_aliases
from tasks.link.cluster import BASES
from tasks.link.why import MEANINGS, explain_apart

NONE = read_aliases({})


def reasons(one, other, types=(), others=(), aliases=NONE):
    return explain_apart(one, other, set(types), set(others), aliases)


@pytest.mark.parametrize(("one", "other", "word"), [
    ("World War I", "World War II", "ii"), ("Apollo 11", "Apollo 13", "11"), ("Orme Trust", "Second Orme Trust", "second"),
    ("John Birk Jr.", "John Birk", "jr"), ("North Lenz", "Lenz", "north"),
])
def test_what_sets_names_apart_is_named(one, other, word):
    for told in (reasons(one, other), reasons(other, one)):
        assert "never one name" in told[0] and word in told[0]


def test_the_alias_file_comes_first():
    aliases = read_aliases({"different": [{"names": ["Orme Trust", "Orme Fund"]}]})
    assert "[[different]]" in reasons("Orme Fund", "ORME TRUST", aliases=aliases)[0]
    assert not any("[[different]]" in r for r in reasons("Orme Fund", "Lenz", aliases=aliases))


def test_kinds_that_cannot_be_one():
    assert any("PERSON against ORG" in r for r in reasons("Jordan", "Jordan Company", ["PERSON"], ["ORG"]))
    assert not any("kinds" in r for r in reasons("Jordan", "Jordan Company", ["PERSON", "ORG"], ["ORG"]))


def test_initials_are_pointed_out_and_like_names_explained():
    assert any("initials" in r for r in reasons("OTL", "Orme Trust Lenz"))
    assert any("initials" in r for r in reasons("Orme Trust Lenz", "OTL"))
    assert "one-word persons" in reasons("Birk", "BIRK", ["PERSON"], ["PERSON"])[0]


def test_every_basis_has_a_meaning():
    assert set(MEANINGS) == set(BASES)
