"""The scan of files and folders, bad inputs first."""

import os
from pathlib import Path

import pytest

from schemas.errors import LodeError, UsageError
from schemas.ids import content_hash, document_id
from schemas.sources import SourceSpec
from schemas.tables import TABLES
from tasks.parse.scan import detect_kind, list_inputs, scan_source

CONFIG = {"parse": {"namespaces": [0], "max_page_bytes": 1 << 20, "page_timeout_seconds": 20, "page_memory_mb": 512, "max_depth": 40}}


def scan(path, **more):
    spec = SourceSpec(str(path), "docs", "files", ("staff", "board"), **more)
    rows = {"raw": [], "quarantine": []}
    for table, row in scan_source(spec, CONFIG):
        rows[table].append(row)
    for table, found in rows.items():
        TABLES[table].from_rows(found)
    return rows["raw"], rows["quarantine"]


def reasons(notes):
    return [(n["where"], n["severity"], n["reason"]) for n in notes]


def test_a_folder(tmp_path):
    (tmp_path / "sub" / ".hidden").mkdir(parents=True)
    (tmp_path / "b.md").write_text("---\ndate: 2020-01-02\n---\n# B\n")
    (tmp_path / "sub" / "a.html").write_text("<p>x")
    (tmp_path / ".c.md").write_text("x")
    (tmp_path / "sub" / ".hidden" / "d.md").write_text("x")
    (tmp_path / "e.pdf").write_bytes(b"%PDF-1.7")
    raw, notes = scan(tmp_path, tenant="t", language="de")
    assert [(r["native_key"], r["mime"], r["status"]) for r in raw] == [("b.md", "text/markdown", "ok"), ("sub/a.html", "text/html", "ok")]
    assert reasons(notes) == [("e.pdf", "info", "unsupported_format")]
    row = raw[0]
    assert row["document_id"] == document_id("docs", "b.md") and row["revision"] == row["content_hash"] == content_hash(row["raw"])
    assert (row["source"], row["acl"], row["tenant"], row["language"], row["time"]) == ("docs", ["board", "staff"], "t", "de", None)
    assert row["source_date"] == 1577923200 and raw[1]["source_date"] is None


def test_a_file_time_changes_nothing(tmp_path):
    file = tmp_path / "a.md"
    file.write_text("x")
    before, listing = scan(tmp_path), list_inputs(tmp_path)
    os.utime(file, (1, 1))
    assert scan(tmp_path) == before and list_inputs(tmp_path) == listing


def test_one_file(tmp_path):
    (tmp_path / "a.md").write_text("x")
    raw, _ = scan(tmp_path / "a.md")
    assert [r["native_key"] for r in raw] == ["a.md"]


def test_bad_inputs_are_rows(tmp_path):
    (tmp_path / "binary.md").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    (tmp_path / "empty.md").write_bytes(b"")
    (tmp_path / "blank.txt").write_text(" \n\t\n")
    (tmp_path / "latin.txt").write_bytes("Le château était fermé à l'été dernier, où la forêt brûla.".encode("latin-1"))
    raw, notes = scan(tmp_path)
    assert {r["native_key"]: r["status"] for r in raw} == {"empty.md": "empty", "blank.txt": "empty", "latin.txt": "ok"}
    assert reasons(notes) == [
        ("binary.md", "error", "binary_content"), ("blank.txt", "info", "empty_file"), ("empty.md", "info", "empty_file"),
        ("latin.txt", "info", "encoding_guessed"),
    ]
    assert "cp1252" in notes[-1]["detail"]


def test_an_unreadable_file_is_a_row(tmp_path, monkeypatch):
    (tmp_path / "a.md").write_text("x")
    (tmp_path / "b.md").write_text("y")
    real = Path.read_bytes

    def refuse(self):
        if self.name == "a.md":
            raise PermissionError(13, "Permission denied")
        return real(self)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    raw, notes = scan(tmp_path)
    assert [r["native_key"] for r in raw] == ["b.md"] and reasons(notes) == [("a.md", "error", "unreadable")]


def test_links_out_of_the_folder_are_not_followed(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "secret.md").write_text("x")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.md").write_text("y")
    (tmp_path / "in" / "link.md").symlink_to(tmp_path / "out" / "secret.md")
    (tmp_path / "in" / "folder").symlink_to(tmp_path / "out")
    (tmp_path / "in" / "loop").symlink_to(tmp_path / "in")
    (tmp_path / "in" / "broken.md").symlink_to(tmp_path / "gone")
    raw, _ = scan(tmp_path / "in")
    assert [r["native_key"] for r in raw] == ["a.md"] == [name for name, _, _ in list_inputs(tmp_path / "in")]


@pytest.mark.parametrize("call", [lambda p: scan(p), detect_kind, list_inputs])
def test_a_missing_path_names_itself(tmp_path, call):
    with pytest.raises(UsageError, match="nowhere"):
        call(tmp_path / "nowhere")


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(LodeError, match="holds no files"):
        scan(tmp_path)


def test_detect_kind(tmp_path):
    (tmp_path / "dump.xml").write_text('<mediawiki xml:lang="en"><siteinfo><dbname>xwiki</dbname></siteinfo></mediawiki>')
    (tmp_path / "a.md").write_text("x")
    assert [detect_kind(tmp_path / n) for n in ("dump.xml", "a.md", ".")] == ["mediawiki", "files", "files"]


def test_list_inputs_sees_every_change(tmp_path):
    (tmp_path / "a.md").write_text("x")
    before = list_inputs(tmp_path)
    assert before == [("a.md", 1, content_hash(b"x"))]
    (tmp_path / "a.md").write_text("y")
    assert list_inputs(tmp_path) != before
