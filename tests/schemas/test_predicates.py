"""The predicate files load, are as rich as promised, and a wording that two predicates claim is refused."""

from pathlib import Path

import pytest

from schemas.errors import ConfigError
from schemas.predicates import check_predicates, fold_alias, load_predicates
from tasks.normalize.relations import Relations
from tasks.normalize.units import canonical_unit, convert

ROOT = Path(__file__).resolve().parents[2]
GENERAL = ROOT / "configs" / "predicates.toml"
SECOND = ROOT / "tests" / "data" / "predicates_second_domain.toml"
ENTITY_TYPES = {"PERSON", "ORG", "GPE", "LOC", "FAC", "NORP", "EVENT", "WORK_OF_ART", "PRODUCT", "LAW", "LANGUAGE"}


@pytest.fixture(scope="module")
def general():
    return load_predicates(GENERAL)


def test_there_are_enough_predicates_of_every_kind(general):
    assert len(general) >= 60
    assert {p.object for p in general.values()} == {"entity", "quantity", "date", "string"}
    assert {p.cardinality for p in general.values()} == {"functional", "multi", "event"}


def test_every_predicate_is_worded_and_typed(general):
    for name, p in general.items():
        assert p.aliases or p.verbs or p.inverse_verbs or p.inverse_aliases, name
        assert p.subject and set(p.subject) <= ENTITY_TYPES, name
        assert set(p.object_types) <= ENTITY_TYPES, name
        assert bool(p.object_types) == (p.object == "entity"), name
        assert p.description.endswith("."), name


def test_units_are_known_and_canonical(general):
    for name, p in general.items():
        if p.unit:
            assert p.object == "quantity", name
            assert p.unit == "people" or (convert(1, p.unit, p.unit) is not None and canonical_unit(p.unit)), name


def test_the_loader_finds_each_wording_again(general):
    relations = Relations({n: p.model_dump(mode="json") for n, p in general.items()})
    for name, p in general.items():
        for alias in p.aliases:
            found = {r.name for t in p.subject for r in relations.readings(alias, "", t, (p.object_types or ("",))[0])}
            assert name in found, (name, alias)


def test_the_second_domain_loads_and_shares_no_predicate(general):
    second = load_predicates(SECOND)
    assert len(second) >= 5
    assert not set(second) & set(general)


def _two(group: str, one: str, other: str, subject_one, subject_other) -> dict:
    return {"predicates": {
        "first": {"description": "One.", "subject": subject_one, group: [one]},
        "second": {"description": "Two.", "subject": subject_other, group: [other]},
    }}


@pytest.mark.parametrize("group", ["aliases", "inverse_aliases", "verbs", "inverse_verbs", "infobox", "columns"])
def test_a_collision_is_refused_and_names_both(group):
    with pytest.raises(ConfigError) as caught:
        check_predicates(_two(group, "chief_executive", "Chief Executive", ["ORG"], ["ORG", "GPE"]), "x.toml")
    assert "first" in str(caught.value) and "second" in str(caught.value) and "chief executive" in str(caught.value)


@pytest.mark.parametrize("mine, theirs", [([], ["ORG"]), (["ORG"], []), ([], [])])
def test_any_subject_collides_with_every_subject(mine, theirs):
    with pytest.raises(ConfigError):
        check_predicates(_two("aliases", "boss", "boss", mine, theirs), "x.toml")


def test_disjoint_subjects_may_share_a_wording():
    assert len(check_predicates(_two("aliases", "president", "president", ["ORG"], ["GPE"]), "x.toml")) == 2


def test_directions_do_not_collide():
    data = _two("aliases", "owner", "x", ["ORG"], ["ORG"])
    data["predicates"]["second"]["inverse_aliases"] = ["owner"]
    assert len(check_predicates(data, "x.toml")) == 2


def test_one_predicate_may_repeat_its_own_wording():
    data = {"predicates": {"one": {"description": "One.", "aliases": ["CEO", "ceo", "C_E_O"]}}}
    assert check_predicates(data, "x.toml")["one"].aliases == ("CEO", "ceo", "C_E_O")


@pytest.mark.parametrize("data, words", [
    ({"predicates": {"Bad Name": {"description": "x"}}}, "Bad Name"),
    ({"predicates": {"one": {"description": "x", "cardinality": "single"}}}, "cardinality"),
    ({"predicates": {"one": {"description": "x", "object": "number"}}}, "object"),
    ({"predicates": {"one": {"description": "x", "alias": ["y"]}}}, "alias"),
    ({"predicates": {"one": {"description": "x", "half_life_days": 0}}}, "half_life_days"),
    ({"predicates": {}}, "no predicate"),
    ({"relations": {}}, "relations"),
])
def test_a_wrong_file_says_what_is_wrong(data, words):
    with pytest.raises(ConfigError) as caught:
        check_predicates(data, "x.toml")
    assert words in str(caught.value)


def test_missing_and_broken_files(tmp_path):
    with pytest.raises(ConfigError, match="no predicate file"):
        load_predicates(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("[predicates")
    with pytest.raises(ConfigError, match="not valid TOML"):
        load_predicates(tmp_path / "bad.toml")


def test_fold_alias():
    assert fold_alias("Chief_Executive–Officer") == "chief executive officer"
