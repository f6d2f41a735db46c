"""The predicate file: what relations there are, how they are worded, and how their values live together.

A predicate file is TOML with one table per predicate:

    [predicates.chief_executive_officer]
    description = "Person who leads an organisation as its chief executive."
    subject = ["ORG"]             # entity types the subject may have; empty = any
    object = "entity"             # entity | quantity | date | string
    object_types = ["PERSON"]     # for entities: types the object may have; empty = any
    cardinality = "functional"    # functional | multi | event
    aliases = ["CEO", "chief executive officer", "chief executive"]   # role nouns and relation names as written
    inverse_aliases = []          # worded with subject and object swapped ("X is the capital of Y" -> Y capital X)
    verbs = ["lead"]              # lemmas, with an optional preposition: "found", "be bear in", "acquire"
    inverse_verbs = []            # subject and object swapped: "Gates founded Microsoft" -> Microsoft founded_by Gates
    infobox = ["ceo", "key_people:ceo"]   # infobox keys (normalised), or key:role for fields that list roles
    columns = ["chief executive"] # table column headers
    half_life_days = 1500         # how long an undated open fact stays likely
    unit = ""                     # quantities: canonical unit

Two predicates that claim the same alias, verb, infobox key or column in the same direction for overlapping subject
types collide: loading fails and names both.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from schemas.errors import ConfigError

UNKNOWN_KEY = "infobox "  # begins what an infobox key is called that no predicate knows; it is never read as a wording of one
_NUMBER = re.compile(r"\s*(\d{1,2})$")
_NAME = re.compile(r"^[a-z][a-z0-9_]*$")
_WORDED = ("aliases", "inverse_aliases", "verbs", "inverse_verbs", "infobox", "columns")


class Predicate(BaseModel):
    """One relation. See the module's text for each field."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    description: str
    subject: tuple[str, ...] = ()
    object: Literal["entity", "quantity", "date", "string"] = "entity"
    object_types: tuple[str, ...] = ()
    cardinality: Literal["functional", "multi", "event"] = "multi"
    aliases: tuple[str, ...] = ()
    inverse_aliases: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    inverse_verbs: tuple[str, ...] = ()
    infobox: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    half_life_days: int = Field(default=1500, gt=0)
    unit: str = ""


def fold_alias(text: str) -> str:
    """How aliases, infobox keys and columns are compared: case-folded, separators to single spaces."""
    return re.sub(r"[\s_\-–—/.]+", " ", text.casefold()).strip()


def split_key(name: str) -> tuple[str, str]:
    """An infobox key, folded, without the number that counts boxes or offices in it; and that number, '' where there is none."""
    folded = fold_alias(name)
    number = _NUMBER.search(folded)
    return (folded[: number.start()], number[1]) if number and number.start() else (folded, "")


def load_predicates(path: Path) -> dict[str, Predicate]:
    """Reads and checks a predicate file. Raises ConfigError with what was found, what was expected and the remedy."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"no predicate file at {path}", fix="set [predicates] file in the config") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path.name} is not valid TOML: {error}") from None
    return check_predicates(data, path.name)


def check_predicates(data: dict, where: str) -> dict[str, Predicate]:
    """Validates the parsed content of a predicate file; see `load_predicates`."""
    extra = sorted(set(data) - {"predicates", "domain"})
    if extra:
        raise ConfigError(f"{where}: unknown top-level table(s) {', '.join(extra)}", expected="[predicates.<name>] tables")
    out: dict[str, Predicate] = {}
    for name, body in data.get("predicates", {}).items():
        if not _NAME.match(name):
            raise ConfigError(f"{where}: predicate name {name!r}", expected="lower case letters, digits and _")
        try:
            out[name] = Predicate.model_validate(body)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(p) for p in first["loc"])
            raise ConfigError(
                f"{where}: [predicates.{name}] {field}: {first['msg']}", expected=", ".join(Predicate.model_fields)
            ) from None
    if not out:
        raise ConfigError(f"{where} holds no predicate", expected="at least one [predicates.<name>] table")
    _refuse_collisions(out, where)
    return out


def _refuse_collisions(predicates: dict[str, Predicate], where: str) -> None:
    seen: dict[tuple[str, str], list[str]] = {}
    for name, predicate in predicates.items():
        for group in _WORDED:
            for alias in {fold_alias(a) for a in getattr(predicate, group)}:
                for other in seen.get((group, alias), []):
                    mine, theirs = set(predicate.subject), set(predicates[other].subject)
                    if not mine or not theirs or mine & theirs:
                        raise ConfigError(
                            f"{where}: {other} and {name} both claim {group} {alias!r}",
                            expected="each wording to belong to one predicate per subject type",
                            fix="remove it from one, or give the two disjoint `subject` types",
                        )
                seen.setdefault((group, alias), []).append(name)
