"""Bad input: a clear message or a quarantine row, and nothing else lost."""

import json

import pytest

from tests.conftest import SAMPLE
from tests.flows.small import PAGES, write_pages

BROKEN = SAMPLE / "broken"


@pytest.fixture
def wh(tmp_path):
    return tmp_path / "wh"


def reasons(lode_offline, wh):
    rows = json.loads(lode_offline("sql", "SELECT severity, reason, detail FROM quarantine ORDER BY ALL", "--json", "--limit", "500", "-w", wh).stdout)
    return {(r["severity"], r["reason"]) for r in rows}, rows


def test_a_broken_folder_keeps_its_good_files(lode, lode_offline, wh, tmp_path, without_vectors):
    """Everything bad at once, beside good files: the good ones are all there."""
    folder = write_pages(tmp_path / "pages")
    for bad in ("binary.md", "empty.md", "latin1.txt"):
        (folder / bad).write_bytes((BROKEN / bad).read_bytes())
    done = lode.json("build", folder, "--acl", "public", "-w", wh, "-c", without_vectors, code=3)
    assert done["published"] and done["errors"] >= 1, "exit code 3: errors above the threshold"
    found, rows = reasons(lode_offline, wh)
    assert any(s == "error" and "binary" in r for s, r in found)
    documents = json.loads(lode_offline("sql", "SELECT uri, status FROM documents", "--json", "-w", wh).stdout)
    held = {d["uri"]: d["status"] for d in documents}
    assert set(PAGES) <= {u.split("//")[-1] for u in held} | set(held), held
    assert "latin1.txt" in " ".join(held), "an undeclared encoding is guessed, and said"
    assert lode_offline.json("verify", "-w", wh)["clean"]


@pytest.mark.parametrize(("name", "pages"), [("truncated.xml", 2), ("malformed.xml", 1)])
def test_a_damaged_export_keeps_what_came_before(lode, lode_offline, wh, name, pages, without_vectors):
    done = lode.json("build", BROKEN / name, "--acl", "public", "-w", wh, "-c", without_vectors, code=3)
    assert done["counts"]["documents"] >= pages
    found, rows = reasons(lode_offline, wh)
    errors = [r for r in rows if r["severity"] == "error"]
    assert errors and all(r["detail"] for r in errors)


def test_a_page_without_text(lode, lode_offline, wh, without_vectors):
    done = lode.json("build", BROKEN / "no-text.xml", "--acl", "public", "-w", wh, "-c", without_vectors, ok=False)
    assert done["counts"]["documents"] >= 1 and done["counts"]["chunks"] >= 1
    assert reasons(lode_offline, wh)[1]


def test_refusals_name_what_to_do(lode_offline, tmp_path, wh):
    pages = write_pages(tmp_path / "pages")
    (tmp_path / "empty").mkdir()
    cases = [
        (["build", pages, "-w", wh], 1, "--acl public"),
        (["build", tmp_path / "absent", "--acl", "public", "-w", wh], 1, "no such file"),
        (["query", "x", "-w", wh], 1, "lode init"),
        (["rerun", "chnuk", "-w", wh], 2, "chunk"),
        (["build", pages, "--acl", "a b", "-w", wh], 2, "letters"),
        (["query", "x", "--at", "yesterday", "-w", wh], 2, "YYYY"),
        (["query", "x", "--view", "nope", "-w", wh], 2, "active"),
        (["init", "--shards", "3", "-w", wh], 1, "power of two"),
        (["build", "-w", wh], 2, "no source"),
    ]
    for args, code, words in cases:
        done = lode_offline(*args, code=code)
        assert words in done.stderr.replace("\n", " "), (args, done.stderr)
        assert "Traceback" not in done.stderr


def test_an_empty_folder_and_an_unknown_release(lode, lode_offline, tmp_path, wh, without_vectors):
    (tmp_path / "empty").mkdir()
    done = lode("build", tmp_path / "empty", "--acl", "public", "-w", wh, "-c", without_vectors, code=1)
    assert "empty" in done.stderr and "Traceback" not in done.stderr
    lode("build", write_pages(tmp_path / "pages"), "--acl", "public", "-w", wh, "-c", without_vectors, "--quiet")
    for args in (["rollback", "feedfeed"], ["query", "x", "--release", "feedfeed"], ["verify", "--release", "feedfeed"], ["sql", "SELECT 1", "--release", "feedfeed"]):
        failed = lode_offline(*args, "-w", wh, code=1)
        assert "feedfeed" in failed.stderr and "lode releases" in failed.stderr
    assert lode_offline("sql", "SELEC 1", "-w", wh, code=2).stderr.startswith("error")


def test_a_wrong_key_in_the_config(lode_offline, tmp_path, wh):
    config = tmp_path / "lode.toml"
    config.write_text("[chunk]\nmax_token = 5\n")
    done = lode_offline("build", tmp_path, "--acl", "public", "-c", config, "-w", wh, code=1)
    assert "chunk.max_token" in done.stderr and "max_tokens" in done.stderr
    as_json = json.loads(lode_offline("build", tmp_path, "--acl", "public", "-c", config, "-w", wh, "--json", code=1).stdout)
    assert "chunk.max_token" in as_json["error"]


def test_what_is_named_and_cannot_be_read_is_refused(lode_offline, tmp_path, wh):
    (tmp_path / "report.pdf").write_bytes(b"%PDF-1.7")
    (tmp_path / "cut.xml.bz2").write_bytes(b"BZh9")
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a.png").write_bytes(b"\x89PNG")
    for name in ("report.pdf", "cut.xml.bz2", "pictures"):
        done = lode_offline("build", tmp_path / name, "--acl", "public", "-w", wh, code=1)
        assert "expected" in done.stderr and "Traceback" not in done.stderr, done.stderr


def test_cells_with_brackets_and_many_rows(sample_warehouse, lode_offline):
    wh, outcome = sample_warehouse
    assert "[/b] [citation needed]" in lode_offline("sql", "SELECT '[/b] [citation needed] x' AS c", "-w", wh).stdout
    rows = json.loads(lode_offline("sql", "SELECT chunk_id FROM chunks", "--json", "-w", wh).stdout)
    assert len(rows) == outcome["counts"]["chunks"] > 100
