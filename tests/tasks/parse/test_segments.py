"""Segments from names of stretches: the same as from whole texts, over real and made histories."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.ids import block_id
from schemas.sources import SourceSpec
from tasks.parse import segments as module
from tasks.parse.dump import read_dump
from tasks.parse.past import BlockNumbers
from tasks.parse.segments import Segmenter
from tasks.parse.stretches import Splitter, rebuild
from tests.tasks.parse.plain_segments import lifetimes, plain_segments

History = tuple[list[tuple[str, int, list[int]]], dict[int, str]]


def by_names(revisions: list[tuple[str, int, list[int]]], stretches: dict[int, str]) -> tuple[list[dict], list[dict]]:
    """What `lifetimes` gives, from the numbers of blocks; `revisions` are in order."""
    numbering = BlockNumbers("d", stretches=stretches)
    running: dict[int, tuple[str, int]] = {}
    rows, last = [], None

    def row(number, began, ended, status):
        return {"block_id": numbering.blocks[number].id, "document_id": "d", "first_revision": began[0], "from_time": began[1],
                "last_revision": ended[0] if ended else None, "to_time": ended[1] if ended else None, "status": status}

    for revision, time, names in revisions:
        length, found = numbering.read_names(str(names), lambda names=names: names)
        assert length == len(rebuild(names, stretches))
        here = set(found)
        rows += [row(n, running.pop(n), last, "gone") for n in list(running) if n not in here]
        for number in here - running.keys():
            running[number] = (revision, time)
        last = (revision, time)
    rows += [row(number, began, None, "standing") for number, began in running.items()]
    blocks = [{"block_id": b.id, "document_id": "d", "text": b.text} for b in numbering.blocks]
    assert all(b["block_id"] == block_id("d", b["text"]) for b in blocks)
    return sorted(blocks, key=lambda r: r["block_id"]), sorted(rows, key=lambda r: (r["block_id"], r["first_revision"]))


def compare(revisions: list[tuple[str, int, list[int]]], stretches: dict[int, str]) -> None:
    segmenter, memo = Segmenter(stretches), {}
    for _, _, names in revisions:
        plain = [segment for _, segment in plain_segments(rebuild(names, stretches), memo)]
        assert segmenter.segments(names) == plain
        assert all(segmenter.memo[s] == memo[s] for s in plain)
    texts = [(revision, time, rebuild(names, stretches)) for revision, time, names in revisions]
    assert by_names(revisions, stretches) == lifetimes("d", texts)


def history(texts: list[str]) -> History:
    splitter, stretches, revisions = Splitter(), {}, []
    for number, text in enumerate(texts):
        names, told = splitter.split(text.encode())
        stretches.update(told)
        revisions.append((str(number), number, names))
    return revisions, stretches


@pytest.mark.parametrize(("name", "count"), [
    ("anarchism_full_history_15180rev.xml.lzma", 800), ("amen_49rev.xml.gz", None), ("dbpedia_frwiki_history_sample.xml", None),
])
def test_real_histories(corpora, name, count):
    path = corpora / "wikipedia" / name
    config = {"parse": {"namespaces": list(range(-2, 3000)), "max_page_bytes": 20_000_000}}
    stretches: dict[str, dict[int, str]] = {}
    pages: dict[str, list] = {}
    for table, row in islice(read_dump(path, SourceSpec(str(path), "x", "mediawiki", ("public",)), config), None if count is None else 3 * count):
        if table == "stretches":
            stretches.setdefault(row["document_id"], {})[row["stretch"]] = row["text"]
        elif table == "raw" and row["status"] != "suppressed" and len(pages.get(row["document_id"], ())) != count:
            pages.setdefault(row["document_id"], []).append((row["revision"], row["time"], row["stretches"]))
    assert pages and (count is None or max(map(len, pages.values())) == count)
    for document, found in pages.items():
        compare(sorted(found, key=lambda r: (r[1], int(r[0]))), stretches[document])


PIECE = st.lists(st.sampled_from(
    ["a", "b c", "\n", "{{", "}}", "{{x|\n", "{|\n", "\n|}", "\n|-\n|", "\n== h ==\n", "== h ==", "=", "* ", "<!--", "-->", "<ref>", "</ref>", "<pre>",
     "</pre>", "<pre", "</pre", ">", "[[", "]]", "<nowiki>", "</nowiki>", "<gallery>", "</gallery>", "é", "\n== h == <!-- c --> ", "Infobox", "<math>"]
), max_size=5).map("".join)


@st.composite
def histories(draw):
    """A page of few stretches, put in, taken out, moved and exchanged."""
    pool = draw(st.lists(PIECE, min_size=2, max_size=8))
    page = draw(st.lists(st.sampled_from(pool), max_size=8))
    texts = ["\n\n".join(page)]
    for _ in range(draw(st.integers(1, 8))):
        at = draw(st.integers(0, len(page)))
        to = draw(st.integers(at, min(len(page), at + 2)))
        page = page[:at] + draw(st.lists(st.sampled_from(pool), max_size=2)) + page[to:]
        texts.append("\n\n".join(page))
    return texts


@settings(max_examples=400, deadline=None)
@given(histories())
def test_made_histories(texts):
    compare(*history(texts))


@settings(max_examples=60, deadline=None)
@given(histories())
def test_what_is_forgotten_is_read_again(texts):
    was, module._MAX_HELD = module._MAX_HELD, 3
    try:
        compare(*history(texts))
    finally:
        module._MAX_HELD = was


@pytest.mark.parametrize("edit", ["", " edited", "\n\nnew stretch", "\n\n-->", "\n\n</pre>", "\n\n}}", "\n== h2 =="])
@pytest.mark.parametrize("opener", ["{{Infobox\n|a=b", "{|\n| a", "<!-- a", "<ref>a", "<pre>a", "<pre", "[[a"])
def test_what_comes_later_may_close_what_is_open(opener, edit):
    """One after the other, so that what was remembered of the one would be wrong for the next."""
    page = ["before", opener, "middle", "== Head ==\nunder it{}", "last{}", "end"]
    base = [text.replace("{}", "") for text in page]
    texts = ["\n\n".join(base)]
    for at in range(len(page)):
        texts += ["\n\n".join([*base[:at], base[at] + edit, *base[at + 1 :]]), "\n\n".join(base[:at]), "\n\n".join(base[at:])]
    compare(*history([*texts, *reversed(texts)]))


def test_a_section_is_read_once_for_all_revisions(monkeypatch):
    reads = []
    real = Segmenter._read
    monkeypatch.setattr(Segmenter, "_read", lambda self, names: reads.append(len(names)) or real(self, names))
    revisions, stretches = history([f"{{{{x\n\n|y}}}}\n\n== H ==\n\nedit {n}" for n in range(50)])
    segmenter = Segmenter(stretches)
    assert len({tuple(segmenter.segments(names)) for _, _, names in revisions}) == 50 and len(reads) == 1
