"""Which arguments of a mention are names that want an entity: one rule for `link`, which gives it, and `normalize`, which asks."""

from __future__ import annotations

VALUE_TYPES = frozenset(("DATE", "TIME", "CARDINAL", "ORDINAL", "PERCENT", "MONEY", "QUANTITY", "date", "quantity"))
_KINDS = frozenset(("entity", "string"))
_MAX_NAME_CHARS = 120


def entity_type_of(kind: str) -> str:
    """The entity type in a mention's `object_type`, which may hold a plain kind of value instead."""
    return "" if kind in _KINDS or kind in VALUE_TYPES else kind


def object_surface(text: str, kind: str, target: str) -> tuple[str, str, str] | None:
    """The surface row that an object wants, or None where it cannot be a name (a number, a date, a long text)."""
    if not text or (
        not target and (kind in VALUE_TYPES or len(text) > _MAX_NAME_CHARS or not any(c.isalpha() for c in text))
    ):
        return None
    if kind == "string" and not target and not any(c.isupper() or ord(c) > 0x2E80 for c in text):
        return None
    return text, entity_type_of(kind), target
