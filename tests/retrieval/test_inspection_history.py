"""Names to subjects and predicates, and the history of a key: order, filters, access."""

import json

import pytest

from retrieval.inspection.history import history
from retrieval.inspection.naming import choose, near_subjects, predicates_of, subjects
from retrieval.inspection.rows import Rows
from retrieval.inspection.visible import Access
from schemas.errors import LodeError
from schemas.ids import document_id, name_entity_id
from tests.retrieval.stored import store
from tests.retrieval.world import CONFIG, World, ceo_world, day

PUBLIC, BOARD = Access(("public",)), Access(("board", "public"))


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    w = ceo_world()
    ibm = name_entity_id("International Business Machines", "")
    w.aliases = [(document_id("test", "IBM"), "Big Blue", ibm), (document_id("test", "Board minutes"), "Project Azure", ibm)]
    w.fact("Paris", "population", "2 million", doc="Paris", start=("-0043-03-15", "-0043-03-15"), state="deprecated")
    w.fact("Paris", "mayor", "Max", doc="Paris", recorded=(1_500_000_000, 1_600_000_000))
    other = w.fact("Paris, Texas", "mayor", "Moe", doc="Paris, Texas")
    w.aliases.append((document_id("test", "Paris, Texas"), "Paris", next(n["subject_id"] for n in w.tables["nuggets"] if n["nugget_id"] == other)))
    for n, name in enumerate(("One", "Two")):
        w.fact(f"Springfield {name}", "mayor", "Quimby", doc=name, n=n)
        w.aliases.append((document_id("test", name), "Springfield", name_entity_id(f"Springfield {name}", "")))
    with Rows(store(w, tmp_path_factory.mktemp("history") / "wh")) as opened:
        yield opened


@pytest.mark.parametrize("text", ["Acme", "ACME", "  acme "])
@pytest.mark.parametrize("words", ["chief_executive_officer", "CEO", "ceo", "chief executive officer", "Chief Executives"])
def test_names_in_any_case_and_wording(rows, text, words):
    chosen = choose(rows, text, words)
    assert (chosen.subject.name, chosen.predicate) == ("Acme", "chief_executive_officer")


def test_an_alias_and_an_id_name_the_subject(rows):
    ibm = name_entity_id("International Business Machines", "")
    for text in ("Big Blue", "big blue", ibm, ibm[:8]):
        assert choose(rows, text, "CEO").subject.id == ibm


def test_the_name_beats_the_alias_and_says_so(rows):
    chosen = choose(rows, "Paris", "mayor")
    assert chosen.subject.name == "Paris" and "Paris, Texas" in chosen.notes[0]


def test_two_of_a_name_are_both_named(rows):
    with pytest.raises(LodeError) as error:
        choose(rows, "springfield", "mayor")
    assert "Springfield One" in error.value.expected and "Springfield Two" in error.value.expected
    wanted = error.value.fix.split()[2:]
    assert choose(rows, *wanted).predicate == "mayor", "the remedy works"


def test_near_misses(rows):
    assert near_subjects(rows, "Acne")[0] == "Acme"
    assert any("→ International" in n for n in near_subjects(rows, "Big Bleu"))
    with pytest.raises(LodeError) as error:
        choose(rows, "Acme", "cheif executive oficer")
    assert "chief_executive_officer" in error.value.found and "headquarters (1)" in error.value.expected
    with pytest.raises(LodeError) as error:
        choose(rows, "Acme", "mayor")
    assert "no facts of mayor" in error.value.found and "chief_executive_officer (4)" in error.value.expected


@pytest.mark.parametrize(("words", "meant"), [
    ("is based in", ["headquarters"]), ("born in", ["birth_place"]), ("the CEO of", ["chief_executive_officer"]), ("Founders", ["founder"]),
    ("married to", ["spouse"]), ("reigns over", []), ("", []), ("of the", []), ("colour", []),
])
def test_wordings_in_other_forms(words, meant):
    assert predicates_of(CONFIG, words, set()) == meant, "a wording with subject and object swapped names nothing of the subject"


def test_the_reader_meets_no_name_of_what_is_hidden(rows):
    assert [s.name for s in subjects(rows, "Project Azure")] == ["International Business Machines"]
    assert subjects(rows, "Project Azure", PUBLIC) == []
    assert [s.name for s in subjects(rows, "Project Azure", BOARD)] == ["International Business Machines"]
    assert not any("Azure" in n for n in near_subjects(rows, "Project Azur", PUBLIC))
    assert "Secretus" not in json.dumps(history(rows, "Acme", "CEO", access=PUBLIC))


def test_hidden_and_missing_subjects_are_alike(tmp_path):
    w = ceo_world()
    w.fact("Quartz", "headquarters", "Oslo", acl=("board",), doc="Quartz")
    with Rows(store(w, tmp_path / "wh")) as opened:
        errors = []
        for name in ("Quartz", "Quarts"):
            with pytest.raises(LodeError) as error:
                choose(opened, name, "headquarters", PUBLIC)
            errors.append(str(error.value).replace(name, ""))
        assert errors[0] == errors[1]
        assert choose(opened, "Quartz", "headquarters", BOARD).subject.name == "Quartz"


def test_order_and_holding(rows):
    told = history(rows, "Acme", "CEO", at=day("2012-03-01"), access=PUBLIC)
    shown = [(n["object"], n["holds"]) for k in told["keys"] for n in k["nuggets"]]
    assert shown == [("Ann Archer", "not"), ("Bob Baker", "certainly"), ("Cleo Chan", "not")]
    assert told["axis"] == {"first": "2001-01-01", "until": "2022-06-30"}, "an open end reaches to the newest source"
    assert told == history(rows, "Acme", "CEO", at=day("2012-03-01"), access=PUBLIC)


def test_labels_are_kept_apart(rows):
    told = history(rows, "Acme", "CEO")
    assert [k["label"] for k in told["keys"]] == ["public", "board"]
    board = history(rows, "Acme", "CEO", access=BOARD)
    assert [n["object"] for k in board["keys"] for n in k["nuggets"]] == ["Gus Secretus"], "the label's own verdict replaces the public one"


@pytest.mark.parametrize(("when", "n"), [(1_499_999_999, 0), (1_500_000_000, 1), (1_599_999_999, 1), (1_600_000_000, 0)])
def test_known_at_is_half_open(rows, when, n):
    told = history(rows, "Paris", "mayor", known_at=when)
    assert sum(len(k["nuggets"]) for k in told["keys"]) == n and told["left_out"] == 1 - n


def test_views_and_years_before_one(rows):
    told = history(rows, "Paris", "population")
    nugget = told["keys"][0]["nuggets"][0]
    assert nugget["valid"]["start_min"] == "-0043-03-15" and told["axis"]["first"] == "-0043-03-15" and nugget["documents"][0]["title"] == "Paris"
    assert history(rows, "Paris", "population", view="active")["keys"] == []
    with pytest.raises(LodeError, match="scope"):
        history(rows, "Paris", "population", scope="acting")


def test_quotes_are_only_text(tmp_path):
    w = World()
    w.fact("O'Brien \"Co\"", "headquarters", "L'Aquila", doc="d'or")
    with Rows(store(w, tmp_path / "wh")) as opened:
        assert history(opened, "o'brien \"co\"", "headquarters")["keys"][0]["nuggets"][0]["object"] == "L'Aquila"
        with pytest.raises(LodeError):
            choose(opened, "'; DROP VIEW nuggets; --", "headquarters")
