"""The documents: generated pages are current, links lead somewhere, and every command and option in them exists."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest
import typer

from flows import cli_page
from schemas import config_page, dictionary
from schemas.config import Config
from schemas.predicates import Predicate
from tasks.registry import STAGE_NAMES, load_stage

ROOT = Path(__file__).resolve().parent.parent
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "data" / "README.md"]
IDS = [str(p.relative_to(ROOT)) for p in PAGES]
OTHER_OPTIONS = {"--same", "--no-deps"}  # of `python -m tasks.versions` and pip
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"!?\[[^\]\n]*\]\(([^)\s]+)\)")


def _refresh():
    spec = importlib.util.spec_from_file_location("refresh", ROOT / "docs" / "refresh.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _prose(text: str) -> str:
    return FENCE.sub("", text)


def _options() -> dict[str, set[str]]:
    """Options by command of `lode`; those of a group's commands count as the group's."""
    import flows.cli

    flows.cli.add_commands()
    group = typer.main.get_command(flows.cli.app)
    return {
        name: {o for c in (command, *getattr(command, "commands", {}).values()) for p in c.params
               for o in (*p.opts, *p.secondary_opts) if o.startswith("-")} | {"--help"}
        for name, command in group.commands.items()
    }


OPTIONS = _options()


# --- generated pages


@pytest.mark.parametrize("module", [dictionary, config_page, cli_page], ids=lambda m: m.__name__)
def test_generated_pages_are_current(module):
    assert module.PAGE.read_text("utf-8") == module.render(), f"run `python -m {module.__name__}`"


def test_every_config_key_has_a_meaning_and_no_meaning_is_left_over():
    assert set(config_page.keys()) == set(config_page.MEANINGS)
    assert set(Config.model_fields) == set(config_page.SECTIONS) == set(config_page.READ_BY)
    assert set(Predicate.model_fields) == set(config_page.PREDICATE_KEYS)


def test_the_page_says_which_stages_a_section_reruns():
    readers = {name: () for name in Config.model_fields}
    for stage in STAGE_NAMES:
        for section in load_stage(stage).config:
            readers[section] += (stage,)
    assert {k: sorted(v) for k, v in config_page.READ_BY.items()} == {k: sorted(v) for k, v in readers.items()}
    assert set(config_page.OTHERWISE) == {name for name, stages in readers.items() if not stages}


# --- links and pictures


def _anchors(text: str) -> set[str]:
    """Anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", _prose(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", t.strip().lower()).replace(" ", "-") for t in titles}


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_relative_links_lead_somewhere(page):
    bad = []
    for target in LINK.findall(_prose(page.read_text("utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in _anchors(file.read_text("utf-8"))):
            bad.append(target)
    assert bad == []


def test_every_decision_is_listed():
    folder = ROOT / "docs" / "adr"
    listed = set(LINK.findall((folder / "README.md").read_text("utf-8")))
    assert listed == {p.name for p in folder.glob("0*.md")}


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "adr").glob("0*.md")), ids=lambda p: p.name)
def test_a_decision_has_its_three_parts(page):
    assert re.findall(r"^## (.+)$", page.read_text("utf-8"), re.MULTILINE) == ["Context", "Decision", "Consequences"]


@pytest.mark.parametrize("picture", sorted((ROOT / "docs" / "img").glob("*.svg")), ids=lambda p: p.name)
def test_pictures_are_well_formed_and_say_what_they_show(picture):
    root = ElementTree.parse(picture).getroot()
    inside = {e.tag.rpartition("}")[2]: e for e in root.iter()}
    assert root.tag.endswith("svg") and inside["title"].text and inside["desc"].text
    assert not set(inside) & {"script", "image", "foreignObject", "style"}


# --- commands


def _called(page: Path) -> list[tuple[str, str]]:
    """(command, the rest of the line or span) of every `lode <command>` in code."""
    text = page.read_text("utf-8")
    pieces = [line.partition(" # ")[0] for _, body in FENCE.findall(text) for line in body.replace("\\\n", " ").splitlines()]
    pieces += SPAN.findall(_prose(text))
    return [(m[1], m[2]) for piece in pieces for m in re.finditer(r"(?:^|[\s$`(])lode ([a-z]+)\b(.*)", piece)]


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_commands_and_their_options_exist(page):
    bad = []
    for command, rest in _called(page):
        if command not in OPTIONS:
            bad.append(f"lode {command}")
            continue
        outside_quotes = re.split(r"[|;>]|&&", re.sub(r"\"[^\"]*\"?|'[^']*'?", " ", rest))[0]
        used = set(re.findall(r"(?:^|\s)(--?[a-z][a-z-]*)\b", outside_quotes))
        bad += [f"lode {command} {o}" for o in sorted(used - OPTIONS[command])]
    assert bad == []


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_options_in_the_text_exist(page):
    known = set().union(*OPTIONS.values()) | OTHER_OPTIONS
    named = {s.split()[0] for s in SPAN.findall(_prose(page.read_text("utf-8"))) if re.match(r"--[a-z]", s)}
    assert named <= known, sorted(named - known)


def test_every_command_is_in_the_documents():
    named = {command for page in PAGES for command, _ in _called(page)}
    assert set(OPTIONS) <= named


def test_make_targets_in_the_text_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in PAGES:
        text = page.read_text("utf-8")
        pieces = [line for _, body in FENCE.findall(text) for line in body.splitlines()] + SPAN.findall(_prose(text))
        named = {m[1] for piece in pieces if (m := re.match(r"make ([a-z-]+)", piece))}
        assert named <= targets, (page.name, named - targets)


def test_the_checks_find_what_is_wrong(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("`lode biuld x` and\n```bash\nlode query \"a --b c\" --att 2020 -k 3\n```\n[x](absent.md)\n")
    assert _called(page) == [("query", ' "a --b c" --att 2020 -k 3'), ("biuld", " x")]
    with pytest.raises(AssertionError, match="lode query --att"):
        test_commands_and_their_options_exist(page)
    with pytest.raises(AssertionError, match="absent"):
        test_relative_links_lead_somewhere(page)


# --- examples


def test_console_blocks_hold_commands_and_their_output():
    refresh = _refresh()
    seen = 0
    for page in refresh.pages():
        for block in refresh.BLOCK.findall(page.read_text("utf-8")):
            asked = refresh.commands(block)
            rest = block
            for command in asked:
                rest = rest.replace(command, "", 1)
            assert asked and len([line for line in rest.splitlines() if line.strip()]) >= len(asked), (page.name, block)
            seen += len(asked)
    assert seen > 10


def test_the_changelog_knows_the_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert re.search(rf"^## \[{re.escape(version)}\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)


@pytest.mark.slow
def test_console_blocks_show_what_the_commands_print(tmp_path):
    lode = Path(sys.executable).parent / "lode"
    warehouse = tmp_path / "wh"
    subprocess.run([lode, "build", "-q", "--config", ROOT / "configs" / "sample.toml", "-w", warehouse], check=True, cwd=ROOT, timeout=600)
    done = subprocess.run([sys.executable, ROOT / "docs" / "refresh.py", warehouse, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr + "\nrun `make run` and `python docs/refresh.py data/warehouse`"
