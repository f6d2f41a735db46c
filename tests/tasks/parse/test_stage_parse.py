"""The parse stage: heads, versions of several sources, access, statuses; rows depend on the document alone."""

import random

import pytest

from schemas.ids import content_hash, document_id, version_id
from tasks.parse import STAGE, WRITES
from tasks.parse.stage import restrict
from tests.pages import HISTORY, parse_input

CONFIG = {"parse": {"namespaces": [0], "max_page_bytes": 1 << 20, "page_timeout_seconds": 20.0, "page_memory_mb": 1024, "max_depth": 40},
          "history": HISTORY}


def file_row(key, text, acl=("public",), **more):
    raw = text if isinstance(text, bytes) else text.encode()
    row = {
        "document_id": document_id("docs", key), "source": "docs", "native_key": key, "uri": key, "namespace": 0,
        "mime": "text/markdown", "language": "en", "revision": content_hash(raw), "content_hash": content_hash(raw), "raw": raw,
        "acl": list(acl), "tenant": "default", "status": "ok" if raw.strip() else "empty",
    }
    return row | more


def page_row(revision, time, text, page="7", status="ok", source="xwiki", **more):
    return file_row(page, text, mime="text/x-wiki", title="Page " + page, revision=revision, time=time, source_date=time, status=status,
                    source=source, document_id=document_id(source, page)) | more


def run(rows):
    out = STAGE.steps[0].run(CONFIG, parse_input(rows))
    assert tuple(out) == WRITES
    return {name: table.to_pylist() for name, table in out.items()}


def test_a_markdown_file():
    out = run([file_row("a/b.md", "---\neffective: 2020-01-01\nexpires: 2021-01-01\n---\n# Name\r\n\r\nText.\r\n")])
    (document,), (version,), (text,) = out["documents"], out["versions"], out["texts"]
    assert (document["title"], document["status"], document["label"], str(document["valid_from"]), str(document["valid_to"])) == (
        "Name", "ok", "public", "2020-01-01", "2021-01-01",
    )
    assert document["version_id"] == version["version_id"] == version_id(document["document_id"], version["revision"])
    assert "\r" not in text["canonical_text"] and version["text_object"] == text["text_object"] == content_hash(text["canonical_text"])
    assert [e["text"] for e in out["elements"]] == ["Name", "Text."] and not out["quarantine"] and not out["blocks"]


def test_html_spans_count_in_the_linear_text():
    out = run([file_row("a.html", "<h1>T</h1><p>A &amp; b</p>", mime="text/html")])
    assert out["texts"][0]["canonical_text"] == "T\nA & b\n"
    assert out["versions"][0]["text_object"] == content_hash("T\nA & b\n")


def test_empty_file_is_a_document_without_elements():
    out = run([file_row("a.md", "")])
    assert [d["status"] for d in out["documents"]] == ["empty"] and not out["elements"] and out["versions"][0]["status"] == "empty"


def test_a_file_of_nothing_but_front_matter_says_so():
    out = run([file_row("a.md", "---\ntitle: x\n---\n")])
    assert [(q["severity"], q["reason"]) for q in out["quarantine"]] == [("info", "no_content")]


def test_rows_depend_on_their_document_alone():
    rows = [file_row(f"{n}.md", f"# T{n}\n\nText {n}.\n") for n in range(5)] + [file_row("x.md", b"\xff\xfe\x00")]
    together = run(rows)
    random.Random(1).shuffle(rows)
    assert run(rows) == together
    for row in rows:
        alone = run([row])
        for name in WRITES:
            assert alone[name] == [r for r in together[name] if r["document_id"] == row["document_id"]]


def test_restrict():
    assert restrict(["public"], ["b", "a"]) == ["a", "b"] and restrict(["a", "b"], ["b", "c"]) == ["b"]
    assert restrict(["public"], []) == [] and restrict(["a"], ["b"]) == [] and restrict(["public"], ["public", "a"]) == ["a", "public"]


def test_a_parser_fault_leaves_the_others(monkeypatch):
    import tasks.parse.markdown as markdown

    real = markdown.Markdown.elements

    def fail(self, *args):
        if "boom" in self.text:
            raise RuntimeError("boom")
        return real(self, *args)

    monkeypatch.setattr(markdown.Markdown, "elements", fail)
    out = run([file_row("a.md", "boom"), file_row("b.md", "fine")])
    assert [q["reason"] for q in out["quarantine"]] == ["parser_failed"] and [e["text"] for e in out["elements"]] == ["fine"]
    assert len(out["documents"]) == 2


@pytest.fixture
def no_wikitext(monkeypatch):
    """Stands in for the wikitext parser where only the choice of versions is at issue."""
    from tasks.parse import parsers

    monkeypatch.setattr(parsers.WikiParsers, "parse", lambda self, row, version, text: ([], []))
    monkeypatch.setattr(parsers.Ahead, "add", lambda self, block, text: None)
    monkeypatch.setattr(parsers.Ahead, "parsed", lambda self, blocks: [([], [])] * len(blocks))


def test_the_head_is_the_newest_that_is_shown(no_wikitext):
    rows = [page_row("9", 100, "old"), page_row("10", 200, "new"), page_row("11", 200, "newer"), page_row("12", 300, "", status="suppressed")]
    out = run(rows)
    (document,) = out["documents"]
    assert document["version_id"] == version_id(document["document_id"], "11") and document["title"] == "Page 7"
    assert {v["revision"]: (v["status"], v["text_object"]) for v in out["versions"]} == {
        "9": ("ok", content_hash("old")), "10": ("ok", content_hash("new")), "11": ("ok", content_hash("newer")), "12": ("suppressed", None),
    }
    assert [t["canonical_text"] for t in out["texts"]] == ["newer"]
    assert {b["text"] for b in out["blocks"]} == {"old", "new", "newer"}
    standing = [row for row in out["lifetimes"] if row["last_revision"] is None]
    assert len(out["lifetimes"]) == 3 and [row["first_revision"] for row in standing] == ["11"]


def test_two_dumps_unite_and_the_stricter_access_wins(no_wikitext):
    a = [page_row("1", 100, "one"), page_row("2", 200, "two")]
    b = [page_row("2", 200, "two", acl=["staff"]), page_row("3", 300, "three", acl=["staff"])]
    out = run(a + b)
    assert [v["revision"] for v in out["versions"]].count("2") == 1 and len(out["versions"]) == 3
    (document,) = out["documents"]
    assert document["acl"] == ["staff"] and document["label"] == "staff"
    assert run(b + a) == out


def test_equal_revisions_with_other_content_are_chosen_by_hash(no_wikitext):
    rows = [page_row("1", 100, "x"), page_row("1", 100, "y")]
    assert run(rows) == run(rows[::-1])
    assert len(run(rows)["versions"]) == 1


def test_what_one_source_withholds_is_withheld(no_wikitext):
    out = run([page_row("1", 100, "secret"), page_row("1", 100, "", status="suppressed")])
    assert out["documents"][0]["status"] == "deleted" and out["documents"][0]["version_id"] is None
    assert not out["texts"] and not out["elements"] and [v["text_object"] for v in out["versions"]] == [None]
    assert not out["blocks"] and [q["reason"] for q in out["quarantine"]] == ["suppressed"]


def test_redirects_and_empty_pages(no_wikitext):
    out = run([page_row("1", 1, "#REDIRECT [[Other]]", status="redirect", redirect_to="Other"), page_row("2", 1, " ", page="8", status="empty")])
    assert {d["status"]: d["redirect_to"] for d in out["documents"]} == {"empty": None, "redirect": "Other"} and not out["elements"]


def test_a_tenant_conflict_is_an_error():
    out = run([file_row("a.md", "x"), file_row("a.md", "x", tenant="other")])
    assert [(q["severity"], q["reason"].split(":")[0]) for q in out["quarantine"]] == [("error", "tenant_conflict")]
