"""Errors that a user can act on: what was found, what was expected, what to do."""

from __future__ import annotations

from typing import Any

EXIT_DONE = 0
EXIT_REFUSED = 1
EXIT_USAGE = 2
EXIT_ERRORS_ABOVE_THRESHOLD = 3


class LodeError(Exception):
    """A refusal or a failure with a message for the user (exit code 1).

    `found` says what was met, `expected` what would have been right, `fix` the command or change that mends it.
    """

    exit_code = EXIT_REFUSED

    def __init__(self, found: str, *, expected: str = "", fix: str = "") -> None:
        self.found, self.expected, self.fix = found, expected, fix
        parts = [found]
        if expected:
            parts.append(f"expected: {expected}")
        if fix:
            parts.append(f"to mend it: {fix}")
        super().__init__("\n".join(parts))

    def to_json(self) -> dict[str, str]:
        return {"error": self.found, "expected": self.expected, "fix": self.fix}

    def __reduce__(self) -> tuple[Any, ...]:  # keeps the fields across a process pool
        return (_rebuild, (type(self), self.found, self.expected, self.fix))


def _rebuild(cls: type[LodeError], found: str, expected: str, fix: str) -> LodeError:
    return cls(found, expected=expected, fix=fix)


class UsageError(LodeError):
    """The call itself is wrong (exit code 2)."""

    exit_code = EXIT_USAGE


class ConfigError(LodeError):
    """A config file that cannot be taken as it is."""


class StaleBaseError(LodeError):
    """A ref moved while we were building: rebase and try again."""


class IntegrityError(LodeError):
    """A stored object does not hold what its name promises."""
