"""`tasks/versions.lock`: per stage its version and a hash of the code it rests on.

The hash is over the syntax trees (comments and docstrings left out) of the stage's package and of every module of ours
that it imports, directly or not. When it changes, equal input may give other output: bump the stage's version, or
declare the code the same:

    python -m tasks.versions           # record bumped stages; refuses a changed hash under an unchanged version
    python -m tasks.versions --same chunk   # the change of `chunk` changes no output
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from pathlib import Path

from tasks.registry import STAGE_NAMES, load_stage

ROOT = Path(__file__).resolve().parent.parent
LOCK = Path(__file__).with_name("versions.lock")
ROOMS = ("schemas", "tasks")
IGNORED = {"tasks.registry", "tasks.versions", "schemas.audits", "schemas.stage", "schemas.errors"}


def module_file(name: str) -> Path | None:
    """The file of one of our modules, None where there is none."""
    base = ROOT.joinpath(*name.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


def _strip_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and body
            and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str)
        ):
            node.body = body[1:] or [ast.Pass()]
    return tree


def _shape(node: object) -> str:
    """The tree as text, the same on every Python: `ast.dump` shows empty fields on some versions and not on others."""
    if isinstance(node, ast.AST):
        told = ((name, getattr(node, name, None)) for name in node._fields)
        return f"{type(node).__name__}({','.join(f'{n}={_shape(v)}' for n, v in told if v not in (None, []))})"
    if isinstance(node, list):
        return f"[{','.join(map(_shape, node))}]"
    return repr(node)


def _imports(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            names |= {f"{node.module}.{a.name}" for a in node.names}
    return {n for n in names if n.split(".")[0] in ROOMS}


def code_hash(stage: str) -> str:
    """Hash of the code that a stage's output rests on."""
    package = ROOT / "tasks" / stage
    todo = [f"tasks.{stage}"] + [f"tasks.{stage}.{p.stem}" for p in sorted(package.glob("*.py")) if p.stem != "__init__"]
    seen: dict[str, str] = {}
    while todo:
        name = todo.pop()
        path = module_file(name)
        if name in seen or name in IGNORED or path is None:
            continue
        tree = ast.parse(path.read_text("utf-8"))
        needed = _imports(tree)
        seen[name] = _shape(_strip_docstrings(tree))
        todo += sorted(needed)
    digest = hashlib.blake2b(digest_size=12)
    for name in sorted(seen):
        digest.update(f"{name}\0{seen[name]}\0".encode())
    return digest.hexdigest()


def current() -> dict[str, dict]:
    """What the lock should hold for the code as it is."""
    return {name: {"version": load_stage(name).version, "code": code_hash(name)} for name in STAGE_NAMES}


def problems() -> list[str]:
    """Stages whose code changed without a word; empty when the lock is right."""
    held = json.loads(LOCK.read_text()) if LOCK.exists() else {}
    out = []
    for name, now in current().items():
        was = held.get(name)
        if was == now:
            continue
        if was is not None and was["version"] == now["version"]:
            out.append(f"{name}: the code changed but not the version: bump it in tasks/{name}/__init__.py and run "
                       f"`python -m tasks.versions`, or declare it the same: `python -m tasks.versions --same {name}`")
        else:
            out.append(f"{name}: version {now['version']} is not recorded: run `python -m tasks.versions`")
    return out


def main(args: list[str]) -> int:
    held = json.loads(LOCK.read_text()) if LOCK.exists() else {}
    same = set(args[1:]) if args[:1] == ["--same"] else set()
    refused = []
    for name, now in current().items():
        was = held.get(name)
        if was and was["version"] == now["version"] and was["code"] != now["code"] and name not in same:
            refused.append(name)
        else:
            held[name] = now
    LOCK.write_text(json.dumps(held, indent=1, sort_keys=True) + "\n")
    for name in refused:
        print(f"{name}: the code changed under version {held[name]['version']}: bump it, or --same {name}")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
