"""Linking: golden cases for every kind of evidence, names that must stay apart, and order independence."""

import random

import pyarrow as pa
import pyarrow.compute
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import ConfigError
from schemas.ids import alias_entity_id, document_id, name_entity_id, page_entity_id
from schemas.tables import TABLES
from tasks.link import STAGE
from tasks.link.aliases import read_aliases
from tasks.link.local import introductions, local_forms
from tasks.link.names import initials_of, is_distinctive, name_key, short_person, words

MAP, REDUCE = STAGE.steps
CONFIG = {"link": {"use_redirects": True}, "aliases": {}}


def _rows(table, rows):
    spec = TABLES[table]
    full = []
    for row in rows:
        base = {}
        for field in spec.schema():
            if not field.nullable:
                kind = str(field.type)
                base[field.name] = [] if kind.startswith("list") else 0 if kind.startswith(("int", "float")) else ""
        full.append(base | row)
    return spec.from_rows(full)


class Corpus:
    """Pages and mentions of a small corpus, run through both steps."""

    def __init__(self):
        self.documents, self.mentions, self.chunks = [], [], []

    def page(self, title, key, source="wiki", redirect=None, text="", label="public", tenant="default"):
        doc = document_id(source, key)
        self.documents.append({
            "document_id": doc, "source": source, "native_key": key, "title": title, "status": "redirect" if redirect else "ok",
            "redirect_to": redirect, "label": label, "tenant": tenant, "acl": label.split(","),
        })
        if text:
            self.chunks.append({"document_id": doc, "chunk_id": f"{doc}-{len(self.chunks)}", "kind": "paragraph", "text": text})
        return doc

    def mention(self, doc, subject, subject_type="", target="", obj="x 1", object_type="quantity", object_target=""):
        self.mentions.append({
            "document_id": doc, "mention_id": f"m{len(self.mentions):03}", "subject": subject, "subject_type": subject_type,
            "subject_target": target, "object": obj, "object_type": object_type, "object_target": object_target,
        })

    def run(self, config=CONFIG, shuffle=None):
        lists = [list(self.documents), list(self.mentions), list(self.chunks)]
        tables = {n: _rows(n, rows) for n, rows in zip(("documents", "mentions", "chunks"), lists, strict=True)}
        if shuffle is not None:
            rng = random.Random(shuffle)
            tables = {n: t.take(pa.array(rng.sample(range(t.num_rows), t.num_rows), pa.int64())) for n, t in tables.items()}
        surfaces = MAP.run(config, tables)["surfaces"]
        if shuffle is not None:
            surfaces = surfaces.take(pa.array(rng.sample(range(surfaces.num_rows), surfaces.num_rows), pa.int64()))
        return surfaces, REDUCE.run(config, {"surfaces": surfaces, "documents": tables["documents"]})

    def ids(self, config=CONFIG):
        """(document, surface, type) -> (entity id, name, basis)"""
        links = self.run(config)[1]["links"].to_pylist()
        return {(r["document_id"], r["surface"], r["entity_type"], r["target"]): (r["entity_id"], r["entity_name"], r["link_basis"]) for r in links}


@pytest.fixture
def corpus():
    c = Corpus()
    c.ibm = c.page("IBM", "1", text="International Business Machines (IBM) is a firm.")
    c.page("Big Blue", "2", redirect="IBM")
    c.other = c.page("Thomas J. Watson", "3")
    return c


def test_page_redirect_wikilink(corpus):
    corpus.mention(corpus.other, "the company", "ORG", "IBM")
    corpus.mention(corpus.other, "Big Blue", "ORG", "Big Blue")
    got = corpus.ids()
    ibm = page_entity_id("wiki", "1")
    assert got[(corpus.ibm, "IBM", "", "IBM")] == (ibm, "IBM", "page")
    assert got[(corpus.other, "the company", "ORG", "IBM")] == (ibm, "IBM", "wikilink")
    assert got[(corpus.other, "Big Blue", "ORG", "Big Blue")] == (ibm, "IBM", "redirect")
    assert got[(document_id("wiki", "2"), "Big Blue", "", "IBM")] == (ibm, "IBM", "redirect")


def test_link_spelling_does_not_matter(corpus):
    for target in ("iBM", "IBM#History", "I B M".replace(" ", ""), " IBM"):
        corpus.mention(corpus.other, f"it {target}", "ORG", target)
    got = corpus.ids()
    assert {v[0] for k, v in got.items() if k[1].startswith("it ")} == {page_entity_id("wiki", "1")}


def test_redirects_can_be_switched_off(corpus):
    corpus.mention(corpus.other, "Big Blue", "ORG", "Big Blue")
    got = corpus.ids({"link": {"use_redirects": False}, "aliases": {}})
    assert got[(corpus.other, "Big Blue", "ORG", "Big Blue")][0] == name_entity_id("big blue", "")


def test_redirect_cycles_end(corpus):
    corpus.page("A", "10", redirect="B")
    corpus.page("B", "11", redirect="A")
    corpus.mention(corpus.other, "a", "", "A")
    corpus.mention(corpus.other, "b", "", "B")
    got = corpus.ids()
    assert got[(corpus.other, "a", "", "A")][0] == got[(corpus.other, "b", "", "B")][0]


def test_a_target_without_a_page_is_one_entity_with_its_plain_name(corpus):
    corpus.mention(corpus.other, "Hollerith's firm", "ORG", "Tabulating Machine Company")
    corpus.mention(corpus.ibm, "Tabulating Machine Company", "ORG")
    got = corpus.ids()
    linked = got[(corpus.other, "Hollerith's firm", "ORG", "Tabulating Machine Company")]
    assert linked == (name_entity_id("tabulating machine company", ""), "Tabulating Machine Company", "wikilink")
    assert got[(corpus.ibm, "Tabulating Machine Company", "ORG", "")][0] == linked[0]


def test_a_name_that_equals_a_title_is_the_page(corpus):
    corpus.mention(corpus.other, "IBM", "ORG")
    assert corpus.ids()[(corpus.other, "IBM", "ORG", "")] == (page_entity_id("wiki", "1"), "IBM", "string")


def test_an_ambiguous_title_is_not_guessed(corpus):
    corpus.page("Titanic", "20")
    corpus.page("Titanic (1997 film)", "21")
    corpus.mention(corpus.other, "Titanic", "PRODUCT")
    got = corpus.ids()[(corpus.other, "Titanic", "PRODUCT", "")]
    assert got[2] == "name" and got[0] not in (page_entity_id("wiki", "20"), page_entity_id("wiki", "21"))


def test_known_types_decide_between_ambiguous_titles(corpus):
    corpus.page("Mercury", "20")
    corpus.page("Mercury (singer)", "21")
    corpus.mention(corpus.ibm, "the planet", "LOC", "Mercury")
    corpus.mention(corpus.ibm, "Freddie", "PERSON", "Mercury (singer)")
    corpus.mention(corpus.other, "Mercury", "LOC")
    assert corpus.ids()[(corpus.other, "Mercury", "LOC", "")][0] == page_entity_id("wiki", "20")


def test_a_person_is_not_a_company_of_the_same_name(corpus):
    corpus.page("Hugo Boss", "30")
    corpus.mention(corpus.ibm, "Boss", "ORG", "Hugo Boss")
    corpus.mention(corpus.other, "Hugo Boss", "PERSON")
    assert corpus.ids()[(corpus.other, "Hugo Boss", "PERSON", "")][0] != page_entity_id("wiki", "30")


def test_own_title_without_its_parenthesis(corpus):
    film = corpus.page("Titanic (1997 film)", "21")
    corpus.page("Titanic", "20")
    corpus.mention(film, "Titanic", "WORK_OF_ART")
    assert corpus.ids()[(film, "Titanic", "WORK_OF_ART", "")][0] == page_entity_id("wiki", "21")


def test_introductions_and_surnames(corpus):
    doc = corpus.page("Notes", "40", text="The World Health Organization (WHO) met. Ann Lee spoke.")
    corpus.mention(doc, "World Health Organization", "ORG")
    corpus.mention(doc, "WHO", "ORG")
    corpus.mention(doc, "Ann Lee", "PERSON")
    corpus.mention(doc, "Lee", "PERSON")
    corpus.mention(corpus.ibm, "Lee", "PERSON")
    got = corpus.ids()
    assert got[(doc, "WHO", "ORG", "")][0] == got[(doc, "World Health Organization", "ORG", "")][0]
    assert got[(doc, "WHO", "ORG", "")][2] == "introduction"
    assert got[(doc, "Lee", "PERSON", "")][0] == got[(doc, "Ann Lee", "PERSON", "")][0]
    assert got[(corpus.ibm, "Lee", "PERSON", "")][0] == name_entity_id("lee", "PERSON", corpus.ibm)


def test_two_persons_of_one_surname_leave_it_open(corpus):
    for name in ("Ann Lee", "Bob Lee", "Lee"):
        corpus.mention(corpus.other, name, "PERSON")
    got = corpus.ids()
    assert got[(corpus.other, "Lee", "PERSON", "")][0] == name_entity_id("lee", "PERSON", corpus.other)


@pytest.mark.parametrize("one, other", [
    ("World War I", "World War II"), ("Henry V", "Henry VI"), ("Ken Griffey Jr.", "Ken Griffey Sr."), ("Ken Griffey", "Ken Griffey Jr."),
    ("1st Battalion", "2nd Battalion"), ("Apollo 11", "Apollo 12"), ("First World Bank", "Second World Bank"), ("North Korea", "South Korea"),
    ("John Paul", "John Paul II"), ("Leopold", "Leopold I"), ("Henry", "Henry V"), ("Alpha Corp", "Alpha 2 Corp"),
])
@pytest.mark.parametrize("kind", ["PERSON", "ORG", "GPE", "EVENT", ""])
def test_never_merged(one, other, kind):
    c = Corpus()
    doc = c.page("Notes", "1", text=f"{one} and {other}.")
    c.mention(doc, one, kind)
    c.mention(doc, other, kind)
    got = c.ids()
    assert got[(doc, one, kind, "")][0] != got[(doc, other, kind, "")][0]
    assert not short_person(words(one), words(other)) and not short_person(words(other), words(one))


@pytest.mark.parametrize("one, other, kind", [
    ("IBM", "Ibm", "ORG"), ("Microsoft Corporation", "Microsoft", "ORG"), ("The Beatles", "Beatles", "ORG"), ("J. K. Rowling", "J.K. Rowling", "PERSON"),
    ("Dr. Ann Lee", "Ann Lee", "PERSON"), ("Ｔｏｋｙｏ", "Tokyo", "GPE"), ("Acme's", "Acme", "ORG"), ("José Pérez", "Jose Perez", "PERSON"),
])
def test_merged_by_careful_equality(one, other, kind):
    c = Corpus()
    a, b = c.page("Notes A", "1"), c.page("Notes B", "2")
    c.mention(a, one, kind)
    c.mention(b, other, kind)
    got = c.ids()
    assert got[(a, one, kind, "")][0] == got[(b, other, kind, "")][0]


def test_a_name_linked_once_is_linked_again_in_the_same_document(corpus):
    corpus.mention(corpus.other, "Watson", "PERSON", "Arthur K. Watson")
    corpus.mention(corpus.other, "Watson", "PERSON")
    got = corpus.ids()
    assert got[(corpus.other, "Watson", "PERSON", "")][0] == got[(corpus.other, "Watson", "PERSON", "Arthur K. Watson")][0]


def test_the_full_name_of_the_pages_person(corpus):
    doc = corpus.page("Ann Lee", "50")
    for name in ("Ann Lee Wong", "Ann Maria Lee", "Bob Lee", "Lee"):
        corpus.mention(doc, name, "PERSON")
    got = {k[1]: v[0] for k, v in corpus.ids().items() if k[0] == doc}
    page = page_entity_id("wiki", "50")
    assert got["Ann Lee Wong"] == got["Ann Maria Lee"] == got["Lee"] == page
    assert got["Bob Lee"] != page


@pytest.mark.parametrize("short, long, kind, same", [
    ("Yale", "Yale University", "ORG", True), ("Supreme Court", "Supreme Court of Pakistan", "ORG", True),
    ("Heathrow Airport", "London Heathrow Airport", "FAC", True), ("Thailand", "Kingdom of Thailand", "GPE", True),
    ("Sony", "Sony Pictures", "ORG", False), ("Albany", "Albany County", "GPE", False), ("Mexico", "Mexico City", "GPE", False),
    ("Brazil", "Brazilian", "GPE", False), ("Galaxy S9", "Galaxy S9 +", "PRODUCT", False), ("US", "United States", "GPE", True),
    ("Jung Won-yong", "Kang Won-yong", "PERSON", False), ("Atsu", "Christian Atsu Twasam", "PERSON", True),
    ("De Masi", "Francesco De Masi", "PERSON", True), ("Chechnya", "Chechen Republic", "GPE", False),
])
def test_short_forms_within_a_document(short, long, kind, same):
    c = Corpus()
    doc = c.page("Notes", "1")
    c.mention(doc, short, kind)
    c.mention(doc, long, kind)
    got = c.ids()
    assert (got[(doc, short, kind, "")][0] == got[(doc, long, kind, "")][0]) is same


def test_anchor_texts_teach_names(corpus):
    corpus.mention(corpus.ibm, "Lotus Corp of America", "ORG", "Lotus Development")
    corpus.mention(corpus.other, "Lotus Corp of America", "ORG")
    corpus.mention(corpus.ibm, "the old firm", "ORG", "Lotus Development")
    corpus.mention(corpus.other, "the old firm", "ORG")
    got = corpus.ids()
    target = name_entity_id("lotus development", "")
    assert got[(corpus.other, "Lotus Corp of America", "ORG", "")][0] == target
    assert got[(corpus.other, "the old firm", "ORG", "")][0] == name_entity_id("old firm", "ORG", corpus.other)


def test_alias_file(corpus):
    aliases = {"same": [{"id": "acme", "names": ["Acme", "Ajax Works"], "type": "ORG"}, {"id": "ibm", "names": ["IBM", "Armonk giant"]}]}
    for name in ("Acme", "Ajax Works", "Armonk giant"):
        corpus.mention(corpus.other, name, "ORG")
    got = corpus.ids({"link": {"use_redirects": True}, "aliases": aliases})
    assert got[(corpus.other, "Acme", "ORG", "")] == (alias_entity_id("acme"), "Acme", "alias")
    assert got[(corpus.other, "Ajax Works", "ORG", "")] == (alias_entity_id("acme"), "Acme", "alias")
    assert got[(corpus.other, "Armonk giant", "ORG", "")][0] == page_entity_id("wiki", "1")  # a page comes before the alias


def test_different_names_never_share_an_entity(corpus):
    corpus.mention(corpus.other, "Big Blue", "ORG", "Big Blue")
    corpus.mention(corpus.other, "Big Blue", "ORG")
    corpus.mention(corpus.other, "IBM", "ORG")
    aliases = {"different": [{"names": ["IBM", "Big Blue"]}]}
    got = corpus.ids({"link": {"use_redirects": True}, "aliases": aliases})
    by_name = {}
    for (_, surface, _, _), (entity, _, _) in got.items():
        by_name.setdefault(surface, set()).add(entity)
    assert not by_name["IBM"] & by_name["Big Blue"]
    assert by_name["IBM"] == {page_entity_id("wiki", "1")}


@pytest.mark.parametrize("data, words_", [
    ({"sane": []}, "did you mean [[same]]"), ({"same": {"id": "x"}}, "double brackets"), ({"same": [{"names": ["a"]}]}, "has no id"),
    ({"same": [{"id": "x", "names": []}]}, "too few"), ({"same": [{"id": "x", "names": ["a"], "typ": "ORG"}]}, "typ"),
    ({"same": [{"id": "x", "names": ["a"], "type": "COMPANY"}]}, "COMPANY"), ({"same": [{"id": "x", "names": "a"}]}, "list of non-empty"),
    ({"same": [{"id": "x", "names": ["a"]}, {"id": "x", "names": ["b"]}]}, "two [[same]]"),
    ({"same": [{"id": "x", "names": ["a"]}, {"id": "y", "names": ["A"]}]}, "is in both"),
    ({"different": [{"names": ["a", "A"]}]}, "too few"),
    ({"same": [{"id": "x", "names": ["a", "b"]}], "different": [{"names": ["a", "b"]}]}, "the same by"),
])
def test_bad_alias_files_say_what_is_wrong(data, words_):
    with pytest.raises(ConfigError) as caught:
        read_aliases(data)
    assert words_ in str(caught.value)


def test_two_wikis_keep_their_pages_apart(corpus):
    other = corpus.page("IBM", "9", source="other")
    corpus.mention(other, "it", "ORG", "IBM")
    corpus.mention(corpus.ibm, "it", "ORG", "IBM")
    got = corpus.ids()
    assert got[(other, "it", "ORG", "IBM")][0] == page_entity_id("other", "9")
    assert got[(corpus.ibm, "it", "ORG", "IBM")][0] == page_entity_id("wiki", "1")


def test_files_of_one_title_are_themselves():
    c = Corpus()
    a, b = c.page("Introduction", "a.md", source="docs"), c.page("Introduction", "b.md", source="docs")
    got = c.ids()
    assert got[(a, "Introduction", "", "Introduction")][0] == page_entity_id("docs", "a.md")
    assert got[(b, "Introduction", "", "Introduction")][0] == page_entity_id("docs", "b.md")


def test_every_surface_gets_exactly_one_link_and_names_agree(corpus):
    for name, kind in (("Ann Lee", "PERSON"), ("Lee", "PERSON"), ("IBM", ""), ("the firm", "ORG"), ("Ann Lee", "")):
        corpus.mention(corpus.other, name, kind, obj=name, object_type="entity")
    surfaces, out = corpus.run()
    keys = ["document_id", "surface", "entity_type", "target"]
    assert sorted(map(tuple, (r.values() for r in surfaces.select(keys).to_pylist()))) == sorted(
        map(tuple, (r.values() for r in out["links"].select(keys).to_pylist())))
    shown = {}
    for row in out["links"].to_pylist():
        if row["link_basis"] != "name":
            assert shown.setdefault(row["entity_id"], row["entity_name"]) == row["entity_name"]


def test_a_new_document_leaves_other_documents_rows(corpus):
    corpus.mention(corpus.other, "IBM", "ORG")
    before = corpus.run()[1]["links"].to_pylist()
    new = corpus.page("Something else", "77")
    corpus.mention(new, "Zed Works", "ORG")
    after = {tuple(r.items()) for r in corpus.run()[1]["links"].to_pylist()}
    assert {tuple(r.items()) for r in before} <= after


NAMES = st.sampled_from([
    "IBM", "International Business Machines", "Big Blue", "Ann Lee", "Lee", "A. Lee", "Ann Q. Lee", "Bob Lee", "World War I", "World War II",
    "Titanic", "Paris", "the company", "Microsoft Corp.", "Microsoft", "WHO", "World Health Organization",
])
TYPES = st.sampled_from(["PERSON", "ORG", "GPE", ""])
TARGETS = st.sampled_from(["", "", "", "IBM", "Big Blue", "Titanic (film)", "Nowhere", "Ann Lee (singer)"])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), NAMES, TYPES, TARGETS), max_size=25), st.integers(0, 10_000))
def test_order_does_not_matter(picked, seed):
    c = Corpus()
    docs = [c.page("IBM", "1", text="International Business Machines (IBM)."), c.page("Titanic", "2"), c.page("Titanic (film)", "3"),
            c.page("Lee", "4", text="The World Health Organization (WHO) met."), c.page("Notes", "n.md", source="files")]
    c.page("Big Blue", "5", redirect="IBM")
    c.page("Loop", "6", redirect="Pool")
    c.page("Pool", "7", redirect="Loop")
    for n, name, kind, target in picked:
        c.mention(docs[n], name, kind, target)
    config = {"link": {"use_redirects": True}, "aliases": {
        "same": [{"id": "who", "names": ["WHO", "World Health Organization"]}], "different": [{"names": ["World War I", "World War II"]}]}}
    plain, first = c.run(config)
    shuffled, second = c.run(config, shuffle=seed)
    assert TABLES["surfaces"].conform(plain).equals(TABLES["surfaces"].conform(shuffled))
    assert first["links"].equals(second["links"]) and first["entities"].equals(second["entities"])


@pytest.mark.parametrize(("label", "tenant"), [("board", "default"), ("public", "other")])
def test_what_a_reader_may_not_see_names_nothing_for_him(label, tenant):
    """A restricted page, redirect, link and longer name: the public rows stay what they are, byte for byte."""
    def build(with_hidden):
        c = Corpus()
        note = c.page("Note", "n")
        c.mention(note, "Lodestar Minerals", "ORG")
        c.mention(note, "Ada", "PERSON")
        c.ids()
        if with_hidden:
            memo = c.page("Lodestar Minerals, Inc.", "m", label=label, tenant=tenant)
            c.page("Lodestar Minerals", "p", label=label, tenant=tenant)
            c.page("Ada", "r", redirect="Lodestar Minerals", label=label, tenant=tenant)
            c.mention(memo, "Lodestar Minerals", "ORG", "Lodestar Minerals, Inc.")
            c.mention(memo, "Ada Long", "PERSON")
        return c.run()[1]["links"].filter(pa.compute.equal(c.run()[1]["links"]["document_id"], note))

    assert build(True).equals(build(False))


def test_a_restricted_document_means_what_the_public_ones_mean():
    c = Corpus()
    note = c.page("Note", "n")
    c.mention(note, "Lodestar Minerals", "ORG")
    memo = c.page("Lodestar Minerals", "m", source="memos", label="board")
    c.mention(memo, "Lodestar Minerals", "ORG")
    c.mention(memo, "Edda Lind", "PERSON")
    got = c.ids()
    assert got[(memo, "Lodestar Minerals", "ORG", "")] == got[(note, "Lodestar Minerals", "ORG", "")]
    assert got[(memo, "Edda Lind", "PERSON", "")][1] == "Edda Lind"


def test_introductions():
    assert introductions("The United Nations Educational, Scientific and Cultural Organization") == {}
    assert introductions("He joined the World Health Organization (WHO), and left.") == {"WHO": {"World Health Organization"}}
    assert introductions("In Geneva (Switzerland) it met.") == {}
    assert introductions("The Bank of America (ABC) fell.") == {}


@pytest.mark.parametrize("short, long, ok", [
    ("lee", "ann lee", True), ("a lee", "ann lee", True), ("ann lee", "ann q lee", True), ("ann", "ann lee", False), ("bob lee", "ann lee", False),
    ("lee", "ann lee jr", False), ("b lee", "ann b lee", False), ("ann lee", "ann lee", False),
])
def test_short_person(short, long, ok):
    assert short_person(tuple(short.split()), tuple(long.split())) is ok


def test_name_parts():
    assert name_key("The Coca-Cola Company", "ORG") == "coca cola"
    assert "ibm" in initials_of("International Business Machines Corporation")
    assert all(is_distinctive(w) for w in ("ii", "iv", "3", "2nd", "jr", "north"))
    assert not is_distinctive("lee")
    assert local_forms({("Lee", "PERSON", "")}, "", {}) == {}
