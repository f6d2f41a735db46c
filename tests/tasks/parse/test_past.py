"""Blocks that stand no longer: each parsed once, its spans in its own text, with the headings where it stood last."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.ids import block_id, content_hash, version_id
from schemas.render import render
from tasks.parse import STAGE
from tasks.parse.past import BlockNumbers
from tests.history_pages import DAY, DOCUMENT, Page, at
from tests.pages import HISTORY, parse_input

OLD, NEW, KEPT = "The old works stood at the harbour.", "The new works stand on the hill.", "Acme makes pumps."


def texts_of(page: Page) -> list[str]:
    return [row["text"] for row in page.past.elements]


def check_spans(elements, texts):
    for row in elements:
        spans = [(s["start"], s["end"]) for s in row["source_spans"]]
        assert row["text"] == render(row["kind"], texts[row["text_object"]], spans)


def test_a_block_is_parsed_once_in_however_many_revisions_it_stood():
    steps = [(f"20{10 + n}-01-01", f"{KEPT} {n}\n\n{OLD}") for n in range(9)]
    page = Page(*steps, ("2020-01-01", KEPT))
    assert page.parsed.count(OLD) == 1 and len(page.parsed) == len(set(page.parsed)) == 10
    assert texts_of(page).count(OLD) == 1
    (row,) = (r for r in page.past.elements if r["text"] == OLD)
    assert row["version_id"] == version_id(DOCUMENT, "109"), "the last revision that showed it"
    assert row["block_id"] == block_id(DOCUMENT, OLD) and row["text_object"] == content_hash(OLD)
    assert all(text not in page.parsed for text in (KEPT,)), "what stands at the head is the head's"


def test_newest_first_then_by_place_and_numbered_after_the_head():
    page = Page(("2010-01-01", "One old.\n\nTwo old.\n\nStays."), ("2011-01-01", "Two old.\n\nThree old.\n\nStays."), ("2012-01-01", "Stays."))
    assert texts_of(page) == ["Two old.", "Three old.", "One old."]
    assert [r["ordinal"] for r in page.past.elements] == [1, 2, 3] and len(page.head) == 1


def test_a_block_that_differs_in_markup_alone_has_no_elements_of_its_own():
    marked = KEPT.replace("pumps", "'''[[Pump|pumps]]'''")
    page = Page(("2010-01-01", f"{marked}\n\n{OLD}"), ("2011-01-01", f"{KEPT}\n\n''{OLD}''"), ("2012-01-01", KEPT))
    assert page.past.same_as == {block_id(DOCUMENT, marked): block_id(DOCUMENT, KEPT),
                                 block_id(DOCUMENT, OLD): block_id(DOCUMENT, f"''{OLD}''")}, "the head's first, else the newest"
    assert texts_of(page) == [OLD] and [t["canonical_text"] for t in page.past.texts] == [f"''{OLD}''"]
    rows = {r["block_id"]: r["same_as"] for r in page.tables()["blocks"].to_pylist()}
    assert rows[block_id(DOCUMENT, marked)] == block_id(DOCUMENT, KEPT) and rows[block_id(DOCUMENT, KEPT)] is None


def test_the_headings_are_those_where_it_stood_last():
    first = f"{KEPT}\n\n== History ==\n\n{OLD}\n\n=== Fire ===\n\nIt burnt."
    later = f"{KEPT}\n\n== Buildings ==\n\n=== Former ===\n\n{OLD}\n\n== History ==\n\n=== Fire ===\n\nIt burnt down."
    page = Page(("2010-01-01", first), ("2011-01-01", later), ("2012-01-01", KEPT))
    paths = {r["text"]: r["heading_path"] for r in page.past.elements}
    assert paths == {OLD: ["Buildings", "Former"], "It burnt.": ["History", "Fire"], "It burnt down.": ["History", "Fire"]}


def test_a_block_that_stands_at_the_head_is_not_of_the_past_though_it_was_gone_between():
    page = Page(("2010-01-01", f"{OLD}\n\n{KEPT}"), ("2012-01-01", NEW), ("2014-01-01", f"{OLD}\n\nOther."))
    assert OLD not in texts_of(page) and set(texts_of(page)) == {NEW, KEPT}


def test_spans_count_in_the_block():
    box = "{{Infobox company\n| name = Acme\n| key_people = [[Ada Long]] (CEO)<br>[[Bo|Bo Lind]]\n| founded = 1954\n}}"
    table = "{| class=\"wikitable\"\n! Year !! Output\n|-\n| 1990 || 5&nbsp;t\n|}"
    old = f"{'x' * 500}\n\n{box}\n\n* one '''two'''\n* [[three]]\n\n{table}\n\nA ''b''<ref>c d</ref> &amp; e."
    page = Page(("2010-01-01", old), ("2012-01-01", KEPT))
    assert {r["kind"] for r in page.past.elements} >= {"field", "list_item", "row", "paragraph"}
    texts = {t["text_object"]: t["canonical_text"] for t in page.past.texts}
    assert all(content_hash(text) == name for name, text in texts.items())
    check_spans(page.past.elements, texts)
    assert "A b & e." in " ".join(texts_of(page)) and any("Ada Long" in t for t in texts_of(page))


_SOUP = st.lists(st.sampled_from(["[[", "]]", "{{", "}}", "|", "'''", "''", "=", "\n", "*", "a", "b c", "&amp;", "<ref>", "</ref>", "{|", "|}", "|-"]),
                 min_size=1, max_size=14).map("".join)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(_SOUP, min_size=1, max_size=3).map("\n\n".join), min_size=2, max_size=5))
def test_any_wikitext_keeps_the_promises(texts):
    page = Page(*((f"20{10 + n}-01-01", text) for n, text in enumerate(texts)))
    assert len(page.parsed) == len(set(page.parsed))
    sources = {t["text_object"]: t["canonical_text"] for t in page.past.texts}
    check_spans(page.past.elements, sources)
    standing = {b.id for b in page.blocks if any(r.last is None and page.blocks[r.block] is b for r in page.history.runs)}
    told = {r["block_id"] for r in page.past.elements}
    assert not told & standing and not told & set(page.past.same_as)
    assert set(page.past.same_as.values()) <= told | {r["block_id"] for r in page.head}
    assert len({r["element_id"] for r in [*page.head, *page.past.elements]}) == len(page.head) + len(page.past.elements)


def test_equal_blocks_have_one_number_and_are_met_once():
    met = []
    numbers = BlockNumbers(DOCUMENT, lambda block, text: met.append(text))
    assert numbers.read("1", lambda: f"{OLD}\n\n{NEW}\n\n{OLD}")[1] == (0, 1, 0)
    assert numbers.read("2", lambda: f"{NEW}\n\n<!-- note -->\n\n{KEPT}")[1] == (1, 2, 3)
    assert numbers.read("1", lambda: pytest.fail("a text that is known is not asked for"))[1] == (0, 1, 0)
    assert met == [OLD, NEW, KEPT], "a comment shows nothing"


def run_stage(rows, **history):
    config = {"parse": {"namespaces": [0], "max_page_bytes": 1 << 20, "page_timeout_seconds": 20.0, "page_memory_mb": 1024, "max_depth": 40},
              "history": {**HISTORY, **history}}
    return {name: table.to_pylist() for name, table in STAGE.steps[0].run(config, parse_input(rows)).items()}


def row(revision, text, status="ok", source="xwiki"):
    raw = text.encode()
    return {"document_id": DOCUMENT, "source": source, "native_key": "7", "uri": "u", "namespace": 0, "mime": "text/x-wiki", "language": "en",
            "title": "Page", "revision": str(revision), "time": at("2010-01-01") + revision * DAY, "content_hash": content_hash(raw), "raw": raw,
            "acl": ["public"], "tenant": "default", "status": status}


def test_the_stage_gives_what_stood_once():
    out = run_stage([row(1, f"{KEPT}\n\n{OLD}"), row(40, KEPT)])
    past = [e for e in out["elements"] if e["text_object"] is not None]
    assert [e["text"] for e in past] == [OLD] and [e["text"] for e in out["elements"] if e["text_object"] is None] == [KEPT]
    check_spans(past, {t["text_object"]: t["canonical_text"] for t in out["texts"]})
    (life,) = (r for r in out["lifetimes"] if r["block_id"] == block_id(DOCUMENT, OLD))
    assert (life["first_revision"], life["last_revision"], life["gone_revision"], life["status"]) == ("1", "1", "40", "gone")
    without = run_stage([row(1, f"{KEPT}\n\n{OLD}"), row(40, KEPT)], past=False)
    assert [e["text"] for e in without["elements"]] == [KEPT] and without["lifetimes"] == out["lifetimes"]


@pytest.mark.parametrize("rows", [
    [row(1, KEPT), row(2, f"{KEPT}\n\nA secret.", "suppressed"), row(40, NEW)],
    [row(1, KEPT), row(2, f"{KEPT}\n\nA secret."), row(2, f"{KEPT}\n\nA secret.", "suppressed", "other"), row(40, NEW)],
])
def test_what_is_withheld_is_nowhere(rows):
    out = run_stage(rows)
    assert {v["revision"]: v["status"] for v in out["versions"]} == {"1": "ok", "2": "suppressed", "40": "ok"}
    assert [e["text"] for e in out["elements"]] == [NEW, KEPT]
    assert "secret" not in str(out)


def check_blocks(out):
    """Every block that a lifetime, an element or `same_as` names is in `blocks`."""
    known = {b["block_id"] for b in out["blocks"]}
    assert {r["block_id"] for r in out["lifetimes"]} == known
    assert {e["block_id"] for e in out["elements"] if e["block_id"] is not None} <= known
    assert {b["same_as"] for b in out["blocks"] if b["same_as"] is not None} <= known
    assert all(b["block_id"] == block_id(b["document_id"], b["text"]) for b in out["blocks"])


def test_the_stage_reads_a_block_of_many_revisions_once():
    once = [row(40 * n, f"{KEPT}\n\n== Works ==\n\n{OLD}\n\nState {n}.") for n in range(1, 6)]
    out = run_stage([*once, row(900, KEPT)])
    past = [e for e in out["elements"] if e["text_object"] is not None]
    assert [e["text"] for e in past] == [OLD, "State 5.", "State 4.", "State 3.", "State 2.", "State 1."]
    assert past[0]["version_id"] == version_id(DOCUMENT, "200")
    assert {tuple(e["heading_path"]) for e in past} == {("Works",)}
    assert [e["ordinal"] for e in out["elements"]] == list(range(len(out["elements"])))
    check_spans(past, {t["text_object"]: t["canonical_text"] for t in out["texts"]})
    check_blocks(out)


def test_the_stage_tells_that_only_the_markup_of_a_block_changed():
    marked = OLD.replace("harbour", "'''[[Harbour of Lenz|harbour]]'''")
    out = run_stage([row(1, f"{KEPT}\n\n{marked}"), row(40, f"{KEPT}\n\n{OLD}"), row(80, f"{KEPT}\n\n{OLD}\n\n{NEW}")])
    assert {b["text"]: b["same_as"] for b in out["blocks"]} == {
        KEPT: None, NEW: None, OLD: None, marked: block_id(DOCUMENT, OLD)}
    assert [e["text"] for e in out["elements"]] == [KEPT, OLD, NEW] and len(out["texts"]) == 1
    check_blocks(out)


def test_without_the_past_the_stage_still_tells_when_blocks_stood():
    rows = [row(1, f"{KEPT}\n\n{OLD}"), row(40, f"{KEPT}\n\n''{OLD}''"), row(80, KEPT)]
    told, without = run_stage(rows), run_stage(rows, past=False)
    assert [e["text"] for e in without["elements"]] == [KEPT] and len(without["texts"]) == 1
    assert [{**b, "same_as": None} for b in told["blocks"]] == without["blocks"]
    assert (told["lifetimes"], told["versions"]) == (without["lifetimes"], without["versions"])
    check_blocks(without)


def test_a_withheld_head_leaves_the_newest_that_is_shown():
    secret = "A secret that stood at the head."
    out = run_stage([row(1, f"{KEPT}\n\n{OLD}"), row(40, KEPT), row(80, f"{KEPT}\n\n{secret}", "suppressed")])
    assert [e["text"] for e in out["elements"]] == [KEPT, OLD] and "secret" not in str(out)
    assert out["documents"][0]["version_id"] == version_id(DOCUMENT, "40")
    assert secret not in str(run_stage([row(1, KEPT), row(40, secret, "suppressed"), row(80, NEW)], past=False))
    check_blocks(out)


@pytest.mark.parametrize("where", range(3))
def test_the_hash_of_a_withheld_text_is_told_nowhere(where):
    """Who guesses a text could confirm the guess by its hash."""
    texts = [f"{KEPT}\n\nIt began small.", f"{KEPT}\n\n{OLD}", f"{NEW}\n\n{KEPT}"]
    rows = [row(n * 40, text, "suppressed" if n == where else "ok") for n, text in enumerate(texts)]
    other = row(where * 40, texts[where], "ok", "other")
    for told in (rows, [*rows, other]):
        out = run_stage(told)
        assert content_hash(texts[where]) not in str(out)
        assert [v["content_hash"] for v in out["versions"]] == [None if n == where else content_hash(t) for n, t in enumerate(texts)]


def test_the_stage_gives_the_same_in_any_order_of_revisions():
    rows = [row(1, f"{KEPT}\n\n{OLD}"), row(40, f"{NEW}\n\n* one\n* two"), row(80, f"{NEW}\n\n* one"), row(120, KEPT)]
    out = run_stage(rows)
    assert run_stage(rows[::-1]) == out == run_stage([rows[2], rows[0], rows[3], rows[1]])
    check_blocks(out)
