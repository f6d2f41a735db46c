"""Stretches: texts in and out, what a scan does not tell twice, shared names, and rows of earlier versions."""

from __future__ import annotations

import hashlib

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import IntegrityError
from schemas.ids import content_hash
from schemas.tables import TABLES
from tasks.parse import STAGE, stretches
from tasks.parse.stretches import Originals, PageTexts, Splitter, rebuild, stretch_id
from tests.pages import parse_input
from tests.tasks.parse.test_stage_parse import CONFIG, file_row, page_row

TEXTS = st.lists(st.sampled_from(["\n", "\n\n", "\n\n\n", "a", "b", "é", "𝄞", " ", "ab\n", "long stretch"]), max_size=20).map("".join)


def test_a_name_is_eight_bytes_of_a_hash():
    digest = hashlib.blake2b("é".encode(), digest_size=8).digest()
    assert stretch_id("é".encode()) == int.from_bytes(digest, "big", signed=True)


@settings(max_examples=300, deadline=None)
@given(st.lists(TEXTS, max_size=8), st.sampled_from([0, 250, 10**6]), st.booleans())
def test_every_text_is_made_again_from_what_was_told(page, limit, with_hash):
    splitter, told = Splitter(limit), {}
    for text in page:
        names, more = splitter.split(text.encode(), content_hash(text) if with_hash else None)
        told.update(more)
        assert names == [stretch_id(piece.encode()) for piece in text.split("\n\n")]
        assert rebuild(names, told) == text


@settings(max_examples=300, deadline=None)
@given(TEXTS, TEXTS, TEXTS, TEXTS, TEXTS)
def test_an_edit_is_found_wherever_it_stands(before, was, becomes, also, after):
    splitter = Splitter()
    for text in (before + was + after, before + becomes + after, before + becomes + also + after, before + was + after, after):
        assert splitter.split(text.encode())[0] == [stretch_id(piece.encode()) for piece in text.split("\n\n")]


def test_nothing_is_told_twice_before_it_is_forgotten():
    splitter = Splitter()
    assert [text for _, text in splitter.split(b"a\n\nb\n\na")[1]] == ["a", "b"]
    assert [text for _, text in splitter.split(b"b\n\nc")[1]] == ["c"]
    splitter.forget()
    assert [text for _, text in splitter.split(b"b\n\nc")[1]] == ["b", "c"]


def test_a_full_memory_tells_again_and_loses_nothing():
    small, told = Splitter(limit=1000), []
    for number in range(100):
        names, more = small.split(f"{number}\n\ncommon\n\nmore {number}".encode())
        told += more
        assert rebuild(names, dict(told)) == f"{number}\n\ncommon\n\nmore {number}"
    assert len(set(told)) == 201 < len(told) < 300


# --- shared names


def four_bits(data: bytes) -> int:
    return hashlib.blake2b(data, digest_size=1).digest()[0] & 15


def test_shared_names_are_told_apart_by_the_content_hash(monkeypatch):
    monkeypatch.setattr(stretches, "stretch_id", four_bits)
    texts = [f"{a}\n\nsecond {b}\n\n{a}" for a in "abcdef" for b in "uvwxyz"]
    splitter, page, rows = Splitter(), PageTexts(), []
    for text in texts:
        names, told = splitter.split(text.encode())
        rows.append((names, content_hash(text), text))
        for name, piece in told:
            page.add(name, piece)
    assert len({name for names, _, _ in rows for name in names}) < 12, "no names are shared: the test tries nothing"
    for names, hashed, text in rows:
        usable = page.resolve(names, hashed)
        assert usable is not None and rebuild(usable, page.texts) == text
    assert page.resolve(rows[0][0], content_hash("other")) is None


def test_order_does_not_matter_to_shared_names():
    pairs = [(1, "a"), (1, "b"), (2, "c"), (1, "a"), (1, "d"), (1, "b")]
    for order in (pairs, pairs[::-1]):
        page = PageTexts()
        for name, text in order:
            page.add(name, text)
        for text in "abd":
            usable = page.resolve([1, 2], content_hash(f"{text}\n\nc"))
            assert usable is not None and rebuild(usable, page.texts) == f"{text}\n\nc"
        assert page.resolve([2], content_hash("c")) == [2] and page.resolve([3], content_hash("x")) is None


def test_more_choices_than_can_be_tried_are_no_text():
    page = PageTexts()
    for name in range(40):
        page.add(name, f"a{name}")
        page.add(name, f"b{name}")
    text = "\n\n".join(f"b{name}" for name in range(40))
    assert page.resolve(list(range(40)), content_hash(text)) is None


# --- through the stage


def run(tables):
    return {name: table.to_pylist() for name, table in STAGE.steps[0].run(CONFIG, tables).items()}


PAGES = [page_row("1", 100, "one\n\ntwo"), page_row("2", 200, "one\n\nthree"), page_row("3", 300, "four", page="8"), file_row("a.md", "# T\n\nx")]


def test_a_revision_with_a_stretch_that_is_missing_is_left_out_and_told():
    tables = parse_input(PAGES)
    lost = stretch_id(b"three")
    tables["stretches"] = TABLES["stretches"].from_rows([r for r in tables["stretches"].to_pylist() if r["stretch"] != lost])
    out = run(tables)
    assert [(q["severity"], q["reason"]) for q in out["quarantine"]] == [("error", "text_lost:2")]
    assert {v["revision"] for v in out["versions"]} == {"1", "3", PAGES[3]["revision"]} and len(out["documents"]) == 3
    tables["stretches"] = TABLES["stretches"].empty()
    out = run(tables)
    assert sorted(q["reason"] for q in out["quarantine"]) == ["text_lost:1", "text_lost:2", "text_lost:3"]
    assert [d["native_key"] for d in out["documents"]] == ["a.md"]


def test_stretches_with_one_name_change_no_row(monkeypatch):
    rows = [page_row(str(n), n, f"{'abc'[n % 3]} head\n\nbody {n}") for n in range(12)]
    right = run(parse_input(rows))
    monkeypatch.setattr(stretches, "stretch_id", four_bits)
    tables = parse_input(rows)
    assert tables["stretches"].num_rows > len(set(tables["stretches"]["stretch"].to_pylist()))
    assert run(tables) == right


def test_two_scans_that_told_the_same_change_no_row():
    tables = parse_input(PAGES)
    doubled = {**tables, "stretches": pa.concat_tables([tables["stretches"], tables["stretches"].slice(1)])}
    assert run(doubled) == run(tables)


def test_revisions_that_were_stored_as_bytes_are_read_too():
    right = run(parse_input(PAGES))
    old = {"raw": TABLES["raw"].from_rows(PAGES), "stretches": TABLES["stretches"].empty()}
    assert run(old) == right
    new = parse_input(PAGES[:1])
    mixed = {"raw": pa.concat_tables([TABLES["raw"].from_rows(PAGES[1:]), new["raw"]]), "stretches": new["stretches"]}
    assert run(mixed) == right


def test_contents_are_found_in_any_chunk():
    tables = [parse_input([row]) for row in PAGES]
    originals = Originals(pa.concat_tables([t["raw"] for t in tables]), pa.concat_tables([t["stretches"] for t in tables]))
    for index, row in enumerate(PAGES):
        names = originals.names(index)
        if row["mime"] == "text/x-wiki":
            assert rebuild(names, originals.page(row["document_id"]).texts).encode() == row["raw"] and originals.data(index) is None
        else:
            assert names is None and originals.data(index) == row["raw"]


@pytest.mark.parametrize("wrong", [{"raw": None, "stretches": None}, {"raw": b"x", "stretches": [1]}])
def test_a_row_has_bytes_or_stretches(wrong):
    with pytest.raises(IntegrityError, match="exactly one of raw and stretches"):
        TABLES["raw"].from_rows([PAGES[0] | wrong])
