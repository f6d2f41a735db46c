"""The stages in the order they run."""

from __future__ import annotations

from importlib import import_module

from schemas.errors import UsageError
from schemas.stage import STAGE_NAMES, Stage


def load_stage(name: str) -> Stage:
    """The declaration of a stage. Raises UsageError with the nearest name where there is none."""
    if name not in STAGE_NAMES:
        import difflib

        close = difflib.get_close_matches(name, STAGE_NAMES, n=1, cutoff=0.4)
        raise UsageError(
            f"no stage named {name!r}", expected=", ".join(STAGE_NAMES),
            fix=f"did you mean `{close[0]}`?" if close else "choose one of these",
        )
    return import_module(f"tasks.{name}").STAGE


def all_stages() -> list[Stage]:
    return [load_stage(name) for name in STAGE_NAMES]
