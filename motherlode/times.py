"""Times as a caller may give them: ISO text, or Python's dates where its years suffice."""

from __future__ import annotations

from datetime import UTC, date, datetime

from motherlode.arguments import wrong_type
from schemas.errors import UsageError
from schemas.time import parse_iso

When = str | date


DAYS = "YYYY-MM-DD, YYYY-MM or YYYY, or a date"
INSTANTS = f"an ISO instant, {DAYS} or datetime"


def first_day(value: When | None, name: str) -> int | None:
    """The first day of a date, as days since 1970-01-01. Raises UsageError, naming the argument."""
    if value is None:
        return None
    _check(value, name, DAYS)
    try:
        return parse_iso(value if isinstance(value, str) else _utc_day(value)).first
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{name}: {error}", expected=DAYS) from None


def known_by(value: When | None) -> str | int | None:
    """An instant as seconds since the epoch, a date as ISO text (its last second counts). Raises UsageError."""
    if value is None:
        return None
    _check(value, "known_at", INSTANTS)
    try:
        if isinstance(value, datetime):
            return int(_in_utc(value).timestamp())
    except (ValueError, OverflowError) as error:
        raise UsageError(f"known_at: {error}", expected=INSTANTS) from None
    return value if isinstance(value, str) else value.isoformat()


def _check(value: object, name: str, expected: str) -> None:
    if not isinstance(value, str | date):
        raise wrong_type(value, name, expected)


def _utc_day(value: date) -> str:
    return (_in_utc(value).date() if isinstance(value, datetime) else value).isoformat()


def _in_utc(value: datetime) -> datetime:
    """An instant goes to UTC before its day is taken; one without a zone is UTC."""
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
