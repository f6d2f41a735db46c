"""What chunks hold: golden cases of every kind of element, links, parents, offsets."""

import pytest

from schemas.render import render_pieces

from .builders import chunk, chunk_text, raw_row

WORDS = "The board of the company met in the old town hall on the first Monday of the month and decided nothing at all"


def shown(chunks):
    return [(c["kind"], c["heading_path"], c["text"]) for c in chunks]


def long_paragraph(sentences):
    return " ".join(f"{WORDS} for the {n}th time." for n in range(sentences))


def test_one_paragraph_one_chunk_never_across_a_heading():
    chunks = chunk_text("# Doc\n\nLead.\n\n## A\n\nOne.\n\nTwo.\n\n### B\n\nThree.\n\n## Empty\n\n## C\n\n### D\n\nFour.\n")
    assert shown(chunks) == [
        ("paragraph", [], "Lead."), ("paragraph", ["A"], "One."), ("paragraph", ["A"], "Two."), ("paragraph", ["A", "B"], "Three."),
        ("heading", [], "Empty"), ("paragraph", ["C", "D"], "Four."),
    ]
    assert chunks[3]["rendition"] == "Doc > A > B\nThree."
    # The title's heading counts with the lead, A's with its first paragraph, C's and D's with Four.
    assert [len(c["element_ids"]) for c in chunks] == [2, 2, 1, 2, 1, 3]


def test_parents_are_the_openers_of_sections():
    chunks = chunk_text("# Doc\n\nLead.\n\n## A\n\nOne.\n\nTwo.\n\n### B\n\nThree.\n\nFour.\n\n## C\n\n### D\n\nFive.\n")
    name = {c["chunk_id"]: c["text"] for c in chunks}
    assert {c["text"]: name.get(c["parent_id"]) for c in chunks} == {
        "Lead.": None, "One.": "Lead.", "Two.": "One.", "Three.": "One.", "Four.": "Three.", "Five.": "Lead.",
    }


def test_a_list_stays_with_its_lead_in():
    chunks = chunk_text("Some text.\n\nThe rule applies if:\n\n- one\n  - deep\n- two\n\n  more of two\n\nAfter.\n")
    assert shown(chunks) == [
        ("paragraph", [], "Some text."), ("list_item", [], "The rule applies if:\none\ndeep\ntwo\nmore of two"), ("paragraph", [], "After."),
    ]
    assert [p["kind"] for p in chunks[1]["pieces"]] == ["paragraph", "list_item", "list_item", "list_item", "paragraph"]


def test_a_long_list_is_cut_between_outermost_items():
    items = "".join(f"- item {n}: {WORDS}\n  - below {n}\n" for n in range(40))
    chunks = chunk_text(f"They are:\n\n{items}")
    assert len(chunks) > 3 and chunks[0]["text"].startswith("They are:\nitem 0")
    for c in chunks:
        lines = c["text"].split("\n")
        assert lines[-1].startswith("below") and c["tokens"] <= 320 + 4
    assert "\n".join(c["text"] for c in chunks).count("item ") == 40


def test_long_paragraphs_are_cut_between_sentences():
    text = long_paragraph(40)
    chunks = chunk_text(text + "\n")
    assert len(chunks) > 3 and " ".join(c["text"] for c in chunks) == text
    assert all(c["text"].endswith("time.") and c["text"].startswith("The board") for c in chunks)
    assert all(c["tokens"] <= 322 for c in chunks)
    assert {len(c["element_ids"]) for c in chunks} == {1} and len({c["element_ids"][0] for c in chunks}) == 1


def test_a_sentence_longer_than_the_limit_stays_whole():
    sentence = "It was " + " and ".join(WORDS for _ in range(20)) + "."
    chunks = chunk_text(f"Short one. {sentence} Short two. {long_paragraph(5)}\n")
    assert sum(sentence in c["text"] for c in chunks) == 1


def test_marks_and_entities_in_a_cut_paragraph():
    text = " ".join(f"**{WORDS}** &amp; `x|y` number {n} &lt; [link {n}](u{n}). " for n in range(30))
    chunks = chunk_text(text)
    assert len(chunks) > 3
    links = [(c["text"][k["start"] : k["end"]], k["target"]) for c in chunks for k in c["links"]]
    assert links == [(f"link {n}", f"u{n}") for n in range(30)]


def test_table_rows_carry_caption_and_headers():
    rows = "".join(f"| row {n} | {WORDS} |\n" for n in range(30))
    chunks = chunk_text(f"## S\n\nThe meetings were:\n\n| Name | What |\n|---|---|\n{rows}")
    tables = [c for c in chunks if c["kind"] == "table"]
    assert len(tables) > 2 and {c["header"] for c in tables} == {"The meetings were:\nName | What"}
    assert tables[1]["rendition"].split("\n")[:3] == ["a > S", "The meetings were:", "Name | What"]
    assert "".join(c["text"] + "\n" for c in tables).count("row ") == 30
    assert tables[0]["tokens"] <= 320 + 12


def test_labels_of_rows_are_no_column_headers():
    (c,) = chunk_text("<table><caption>Acme</caption><tr><th>Founded<td>1990</tr><tr><th>Chief<td>Ann</tr></table>", mime="text/html")
    assert (c["header"], c["text"]) == ("Acme", "Founded | 1990\nChief | Ann")


def test_code_captions_and_footnotes_stand_alone():
    chunks = chunk_text("Run:\n\n```\na\n\nb\n```\n\nText[^1].\n\n[^1]: Note one.\n")
    assert [(c["kind"], c["text"]) for c in chunks] == [
        ("paragraph", "Run:"), ("code", "a\n\nb"), ("paragraph", "Text."), ("footnote", "Note one."),
    ]
    html = chunk_text("<p>x</p><figure><figcaption>Cap</figcaption></figure>", mime="text/html")
    assert [(c["kind"], c["text"]) for c in html] == [("paragraph", "x"), ("caption", "Cap")]


def test_long_code_is_cut_between_lines_and_nothing_is_lost():
    lines = [f"    call_{n}(one, two, three, four, five)" for n in range(80)]
    chunks = chunk_text("```\n" + "\n".join(lines) + "\n```\n")
    assert len(chunks) > 3 and "\n".join(c["text"] for c in chunks) == "\n".join(lines)


def test_links_move_with_their_text():
    chunks = chunk_text("They are:\n\n- x [one](u1)\n- [two](u2) y\n")
    assert [(chunks[0]["text"][k["start"] : k["end"]], k["target"]) for k in chunks[0]["links"]] == [("one", "u1"), ("two", "u2")]


def test_a_table_without_rows_or_text_is_dropped_and_said():
    _, notes, _ = chunk([raw_row("a", "<p>x</p><table><tr><th>&nbsp;</tr><tr><td>&nbsp;<td>&nbsp;</tr></table>", "text/html")])
    assert [(n["severity"], n["reason"]) for n in notes] == [("info", "dropped:table_without_text")]


def test_governance_is_copied_from_the_document():
    rows = [raw_row("a", "---\neffective: 2020-01-01\nexpires: 2021-01-01\n---\nText.\n", acl=["b", "a"], tenant="t", language="de", source_date=86400)]
    (c,), _, _ = chunk(rows)
    assert (c["acl"], c["label"], c["tenant"], c["language"]) == (["a", "b"], "a,b", "t", "de")
    assert (str(c["valid_from"]), str(c["valid_to"]), c["source_date"].timestamp()) == ("2020-01-01", "2021-01-01", 86400)


def test_documents_do_not_mix():
    rows = [raw_row(f"{n}.md", f"# T\n\nSame text.\n\nOwn {n}.\n") for n in range(4)]
    together, _, _ = chunk(rows)
    alone = [c for row in rows for c in chunk([row])[0]]
    assert sorted(together, key=lambda c: c["chunk_id"]) == sorted(alone, key=lambda c: c["chunk_id"])


def test_profile_merged_joins_short_neighbours_only():
    text = "One.\n\nTwo.\n\nThree.\n\n" + long_paragraph(2) + "\n\nFour.\n\n## H\n\nFive.\n"
    chunks = chunk_text(text, profile="merged")
    assert len(chunks) < 7 and any("\n" in c["text"] for c in chunks)
    assert all(long_paragraph(2) == c["text"] or "board" not in c["text"] for c in chunks)
    assert {c["config_version"] for c in chunks} != {c["config_version"] for c in chunk_text(text)}


@pytest.mark.parametrize("name", ["paragraph", "list", "table", "code"])
def test_a_shifted_offset_is_caught(name):
    """Moving any one offset of any piece by one changes the text made anew."""
    text = {
        "paragraph": "First *word* and a & b `code` here [link](u) x.\n\nNext one.\n",
        "list": "They are:\n\n- alpha **beta**\n- gamma\n", "table": "| A | B |\n|---|---|\n| xy | *zw* |\n| 12 | 34 |\n",
        "code": "```\nab\n  cd\n```\n",
    }[name]
    chunks, _, parsed = chunk([raw_row("a", text)])
    source = parsed["texts"]["canonical_text"][0].as_py()
    shifts = 0
    for c in chunks:
        for p in c["pieces"]:
            for span in p["source_spans"]:
                if span["start"] == span["end"]:
                    continue
                for edge in ("start", "end"):
                    for by in (-1, 1):
                        if not 0 <= span[edge] + by <= len(source):
                            continue
                        span[edge] += by
                        changed = render_pieces(source, c["pieces"]) != c["text"]
                        span[edge] -= by
                        # Inwards always; outwards a blank more at an edge folds away.
                        inwards = (edge == "start") == (by > 0)
                        at = span[edge] - (1 if by < 0 else 0)
                        assert changed or (not inwards and source[at].isspace())
                        shifts += changed
    assert shifts >= 4

