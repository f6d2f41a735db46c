"""`make check`: each part finds what is wrong, and the site is whole and asks nothing of other hosts."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from selectolax.lexbor import LexborHTMLParser

ROOT = Path(__file__).resolve().parent.parent
MKDOCS = [sys.executable, "-m", "mkdocs", "build", "--strict"]


def _hooks():
    spec = importlib.util.spec_from_file_location("site_hooks", ROOT / "scripts" / "site_hooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run([*MKDOCS, "-d", folder], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_is_on_the_site_but_the_notes(site):
    pages = {p.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for p in (ROOT / "docs").rglob("*.md")}
    wanted = {p.replace("README.html", "index.html") for p in pages - {"notes.html"}} | {"contributing.html", "changelog.html"}
    held = {p.relative_to(site).as_posix() for p in site.rglob("*.html")} - {"404.html"}
    assert held == wanted and not list(site.rglob("refresh.py"))


def test_the_site_loads_nothing_from_other_hosts(site):
    for page in site.rglob("*.html"):
        tree = LexborHTMLParser(page.read_text("utf-8"))
        loaded = [n.attributes.get("src") or n.attributes.get("href") for n in tree.css("script[src], link[href], img[src], iframe[src]")]
        assert loaded and not [u for u in loaded if re.match(r"(https?:)?//", u or "")], page.name
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//|@import", sheet.read_text("utf-8")), sheet.name


def test_links_lead_somewhere_and_no_markup_is_left(site):
    ids = {p: {n.attributes["id"] for n in LexborHTMLParser(p.read_text("utf-8")).css("[id]")} for p in site.rglob("*.html")}
    for page in ids:
        tree = LexborHTMLParser(page.read_text("utf-8"))
        for node in tree.css("a[href]"):
            path, _, anchor = (node.attributes["href"] or "").partition("#")
            if re.match(r"[a-z]+:", path) or page.name == "404.html":
                continue
            target = (page.parent / path).resolve() if path else page
            assert target.exists(), (page.name, path)
            assert not anchor or target.suffix != ".html" or anchor in ids[target], (page.name, path, anchor)
        for node in tree.css("pre, code, script, style"):
            node.decompose()
        left = re.findall(r"```|\]\(|\|---|\*\*", tree.body.text())
        assert left == [], page.name


def test_a_broken_link_fails_the_strict_build(tmp_path):
    for name in ("docs", "scripts"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("mkdocs.yml", "CONTRIBUTING.md", "CHANGELOG.md", "README.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    page = tmp_path / "docs" / "faq.md"
    sound = page.read_text("utf-8")

    def build() -> int:
        return subprocess.run([*MKDOCS, "-d", tmp_path / "site"], cwd=tmp_path, capture_output=True, check=False, timeout=120).returncode

    assert build() == 0
    for wrong in ("[x](tutorial.md#no-such-part)", "![x](img/none.svg)"):
        page.write_text(f"{sound}\n{wrong}\n", "utf-8")
        assert build() != 0, wrong
    page.write_text(sound, "utf-8")
    (tmp_path / "docs" / "forgotten.md").write_text("# Not in the nav\n")
    assert build() != 0


def test_links_of_files_become_links_of_the_site():
    published = {"contributing.md", "changelog.md", "index.md", "faq.md", "adr/README.md", "adr/0001-x.md"}

    def turned(text: str, folder: str = "docs") -> str:
        return _hooks().rewritten(text, folder, published)

    assert turned("[How](../CONTRIBUTING.md#types)") == "[How](contributing.md#types)"
    assert turned("[Why](../faq.md) and [up](../../CONTRIBUTING.md)", "docs/adr") == "[Why](../faq.md) and [up](../contributing.md)"
    assert turned("[a](docs/faq.md) [b](docs/adr/README.md) [c](README.md)", "") == "[a](faq.md) [b](adr/README.md) [c](index.md)"
    assert turned("[The sample](../data/README.md)") == "The sample (`data/README.md`)"
    assert turned("[`configs/a.toml`](../configs/a.toml)") == "`configs/a.toml`"
    for same in ("[x](#here)", "[x](https://example.org/a.md)", "![x](img/house.svg)", "```\n[x](../LICENSE)\n```", "`a[b](c)`"):
        assert turned(same) == same


def test_check_runs_every_part_and_fails_when_one_does(tmp_path):
    """The real script with programs that only say how they were called: one of them fails."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "check.sh", tmp_path / "scripts")
    tools = tmp_path / ".venv" / "bin"
    tools.mkdir(parents=True)
    for name in ("ruff", "mypy", "python", "mkdocs"):
        (tools / name).write_text(f'#!/bin/sh\necho "$0 $@" >>"{tmp_path}/called"\necho said by {name}\nexit {1 if name == "mypy" else 0}\n')
        (tools / name).chmod(0o755)
    done = subprocess.run(["bash", tmp_path / "scripts" / "check.sh"], capture_output=True, text=True, check=False, timeout=60)
    lines = [line for line in done.stdout.splitlines() if line.startswith("check:")]
    assert done.returncode == 1 and len(lines) == 4 and "types (mypy): FAILED" in lines[1]
    assert "said by mypy" in done.stdout and "said by ruff" not in done.stdout
    assert len((tmp_path / "called").read_text().splitlines()) == 4
    (tools / "mypy").write_text("#!/bin/sh\nexit 0\n")
    assert subprocess.run(["bash", tmp_path / "scripts" / "check.sh"], capture_output=True, check=False, timeout=60).returncode == 0


def test_the_nav_names_every_decision():
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
    listed = next(item["Decisions"] for item in nav if "Decisions" in item)
    assert [d for d in listed if isinstance(d, str)] == sorted(f"adr/{p.name}" for p in (ROOT / "docs" / "adr").glob("0*.md"))
