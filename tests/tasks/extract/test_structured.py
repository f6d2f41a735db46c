"""Infoboxes, tables and lists: values by key, column and heading, with their dates, every offset in the sentence."""

from __future__ import annotations

from tests.tasks.extract.builders import Doc, extract


def facts(doc: Doc) -> dict[tuple[str, str, str], dict]:
    out = extract(doc)
    assert out["quarantine"] == []
    found = {}
    for m in out["mentions"]:
        row = dict(m, cues=[(c["role"], c["text"]) for c in m["cues"]])
        for c in m["cues"]:
            assert m["sentence"][c["start"] : c["end"]] == c["text"]
        found.setdefault((m["subject"], m["predicate"], m["object"]), row)
    return found


def company() -> Doc:
    return Doc("Acme").paragraph("Acme is an American technology company.")


def test_infobox_of_a_company():
    doc = company().infobox([
        "founded=June 16, 1911", "headquarters=Armonk, New York, United States", "founder=Charles Flint\nThomas Watson",
        "key_people=Arvind Krishna (Chairman and CEO)\nGary Cohn (Vice Chairman)\nAndy Murray (Chief Customer Officer)",
        "num_employees=282,200 (2021)", "revenue=US$60.53 billion", "revenue_year=2022", "ceo=Ginni Rometty (2012–2020)",
    ])
    found = facts(doc)
    assert ("Acme", "founding_date", "June 16, 1911") in found
    assert ("Acme", "headquarters", "Armonk, New York, United States") in found
    assert {("Acme", "founder", "Charles Flint"), ("Acme", "founder", "Thomas Watson")} <= set(found)
    assert found[("Acme", "chief_executive_officer", "Arvind Krishna")]["scope"] == ""
    assert ("Acme", "chairperson", "Arvind Krishna") in found
    assert found[("Acme", "chairperson", "Gary Cohn")]["scope"] == "vice"
    assert ("Acme", "chief customer officer", "Andy Murray") in found
    assert found[("Acme", "number_of_employees", "282,200")]["cues"] == [("asof", "2021")]
    assert found[("Acme", "revenue", "US$60.53 billion")]["cues"] == [("asof", "2022")]
    assert found[("Acme", "chief_executive_officer", "Ginni Rometty")]["cues"] == [("start", "2012"), ("until", "2020")]
    assert all(m["extractor"] == "infobox" and m["subject_basis"] == "page" for k, m in found.items() if k[1] != "be")


def test_role_in_an_item_of_its_own_and_with_a_date():
    found = facts(company().infobox(["key_people=Ginni Rometty\n(CEO)\nArvind Krishna (CEO, effective April 6, 2020)\nJohn Miller (former CEO)"]))
    assert ("Acme", "chief_executive_officer", "Ginni Rometty") in found
    assert ("start", "April 6, 2020") in found[("Acme", "chief_executive_officer", "Arvind Krishna")]["cues"]
    assert "former" in [r for r, _ in found[("Acme", "chief_executive_officer", "John Miller")]["cues"]]


def test_infobox_of_an_office_holder():
    doc = Doc("Jane Roe").paragraph("Jane Roe (born 1 May 1950) is a British politician.").infobox([
        "office=44th Mayor of London", "term_start=4 May 2008", "term_end=9 May 2016", "predecessor=Ken Doe", "successor=Sam Poe",
        "office2=Chief Executive Officer of Acme Corp", "term_start2=1999", "term_end2=2003", "birth_date=1 May 1950",
        "spouse=John Roe (m. 1975; div. 1980)",
    ])
    found = facts(doc)
    assert found[("London", "mayor", "Jane Roe")]["cues"] == [("start", "4 May 2008"), ("until", "9 May 2016")]
    assert found[("London", "mayor", "Jane Roe")]["object_span"] is None
    assert found[("London", "mayor", "Sam Poe")]["cues"] == [("start", "9 May 2016")]
    assert found[("London", "mayor", "Ken Doe")]["cues"] == [("until", "4 May 2008")]
    assert found[("Acme Corp", "chief_executive_officer", "Jane Roe")]["cues"] == [("start", "1999"), ("until", "2003")]
    assert found[("Jane Roe", "position_held", "44th Mayor of London")]["cues"] == [("start", "4 May 2008"), ("until", "9 May 2016")]
    assert found[("Jane Roe", "spouse", "John Roe")]["cues"] == [("start", "1975"), ("end", "1980")]


def test_infobox_of_a_city_and_of_a_player():
    city = Doc("Bern").paragraph("Bern is a city in Switzerland.").infobox(
        ["leader_title=Mayor", "leader_name=Alec Muster", "population_total=134,794", "population_as_of=December 2020"])
    found = facts(city)
    assert ("Bern", "mayor", "Alec Muster") in found
    assert found[("Bern", "population", "134,794")]["cues"] == [("asof", "December 2020")]
    player = Doc("Jim Poe").paragraph("Jim Poe (born 1980) is an English footballer.").infobox(
        ["years1=1998–2003", "clubs1=Arsenal", "years2=2003–", "clubs2=Leeds United"])
    found = facts(player)
    assert found[("Jim Poe", "member_of_sports_team", "Arsenal")]["cues"] == [("start", "1998"), ("until", "2003")]
    assert found[("Jim Poe", "member_of_sports_team", "Leeds United")]["cues"] == [("since", "2003")]


def test_table_of_office_holders():
    doc = company().table(
        ["Name", "Took office", "Left office"],
        [["Sam Palmisano", "2002", "2011"], ["Ginni Rometty", "January 1, 2012", "April 2020"], ["Arvind Krishna", "April 6, 2020", "Incumbent"]],
        heading=("History", "List of chief executives"))
    found = facts(doc)
    assert found[("Acme", "chief_executive_officer", "Sam Palmisano")]["cues"] == [("start", "2002"), ("until", "2011")]
    assert found[("Acme", "chief_executive_officer", "Arvind Krishna")]["cues"] == [("start", "April 6, 2020"), ("current", "Incumbent")]
    assert found[("Acme", "chief_executive_officer", "Ginni Rometty")]["extractor"] == "table"


def test_role_column_and_owner_from_the_heading():
    bern = Doc("Bern").paragraph("Bern is a city in Switzerland.").table(["Mayor", "Term", "Party"], [["Kurt Baumann", "1979–1992", "SVP"], ["Alec Muster", "2017–", "SP"]])
    found = facts(bern)
    assert found[("Bern", "mayor", "Kurt Baumann")]["cues"] == [("start", "1979"), ("until", "1992")]
    assert found[("Bern", "mayor", "Alec Muster")]["cues"] == [("since", "2017")]
    listing = Doc("List of mayors of Thun").table(["Name", "Term"], [["Kurt Baumann", "1979–1992"]])
    found = facts(listing)
    assert found[("Thun", "mayor", "Kurt Baumann")]["subject_basis"] == "heading"


def test_attribute_tables():
    doc = company().table(["Year", "Revenue"], [["2019", "$77.1 billion"], ["2020", "$73.6 billion"]])
    assert facts(doc)[("Acme", "revenue", "$77.1 billion")]["cues"] == [("point", "2019")]
    rows = Doc("List of cities").table(["City", "Mayor", "Population"], [["Bern", "Alec Muster", "134,000 (2019)"], ["Thun", "—", "43,000"]])
    found = facts(rows)
    assert ("Bern", "mayor", "Alec Muster") in found
    assert found[("Bern", "population", "134,000")]["cues"] == [("asof", "2019")]
    assert not [k for k in found if k[2] == "—"]


def test_a_page_about_an_office_and_rows_of_other_things():
    office = Doc("Chancellor of Germany").table(
        ["Name", "Party", "Term of office Start", "Term of office End"], [["Willy Brandt", "SPD", "1969", "7 May 1974"]],
        caption="Chancellors of the Federal Republic of Germany Name Party Term of office Start End")
    found = facts(office)
    assert found[("Germany", "chancellor", "Willy Brandt")]["cues"] == [("start", "1969"), ("until", "7 May 1974")]
    state = Doc("Alba").paragraph("Alba is a state in the north.").table(["Hospital", "Location"], [["Mercy Center South", "Inverness"]])
    assert not [k for k in facts(state) if k[0] == "Alba" and k[1] == "located_in"]
    awards = Doc("Jane Roe").paragraph("Jane Roe (born 1 May 1950) is a British actress.").table(
        ["Year", "Award", "Result"], [["2011", "Golden Globe", "Nominated"], ["2012", "Golden Lion", "Won"]])
    assert {k[2] for k in facts(awards) if k[1] == "award_received"} == {"Golden Lion"}


def test_lists_under_a_role_heading():
    doc = company().items(
        ["Sam Palmisano (2002–2011)", "2012–2020: Ginni Rometty", "Arvind Krishna, 2020–present", "Some other thing in 2012"], heading=("Chief executives",))
    found = {k: v for k, v in facts(doc).items() if v["extractor"] == "list"}
    assert {k[2]: v["cues"] for k, v in found.items()} == {
        "Sam Palmisano": [("start", "2002"), ("until", "2011")], "Ginni Rometty": [("start", "2012"), ("until", "2020")],
        "Arvind Krishna": [("since", "2020"), ("current", "present")]}
    plain = company().items(["Sam Palmisano (2002–2011)"], heading=("Notable customers",))
    assert not [m for m in facts(plain).values() if m["extractor"] == "list"]


def test_links_give_targets():
    doc = company().paragraph("Arvind Krishna is the CEO of IBM.", links=[("Arvind Krishna", "Arvind Krishna (manager)"), ("IBM", "International Business Machines")])
    m = facts(doc)[("IBM", "chief_executive_officer", "Arvind Krishna")]
    assert (m["subject_target"], m["object_target"]) == ("International Business Machines", "Arvind Krishna (manager)")


def test_the_title_of_a_cited_work_states_nothing():
    doc = Doc("Acme Corporation")
    doc.add("footnote", [("footnote", "Weinman Sam Acme Corporation CEO Ada Long is first woman in club Golf Digest", None, None)])
    doc.add("footnote", [("footnote", "Bo Ek is the chief executive officer of Acme Corporation.", None, None)])
    out = extract(doc)
    assert {m["object"] for m in out["mentions"] if m["predicate"] == "chief_executive_officer"} == {"Bo Ek"}
    assert sorted(s["analysis"] for s in out["sentences"]) == ["analysed", "dropped:citation"]
