"""What the history of a page is made of, and how durations are held against limits: see `tasks.parse.history`.

Guarantees: revisions, verdicts and runs cannot be changed; a time that is not known never counts as a short one.
"""

from __future__ import annotations

from dataclasses import dataclass

STANDING, DUPLICATE, REVERTED, BLANKED, VANDALISM, SUPPRESSED, GONE = (
    "standing", "duplicate", "reverted", "blanked", "vandalism", "suppressed", "gone"
)
BACK_SHARE = 0.5
HOUR = 3600
DAY = 24 * HOUR


@dataclass(frozen=True, slots=True)
class Revision:
    """One version of a page. `blocks`: numbers of its blocks in page order, which may repeat."""

    id: str
    time: int | None  # seconds UTC
    hash: str  # equal for equal texts and for no others
    size: int  # characters
    blocks: tuple[int, ...]
    contributor: str | None = None
    comment: str | None = None
    suppressed: bool = False  # the text is withheld: hash, size and blocks are not read


@dataclass(frozen=True, slots=True)
class Options:
    """Limits of the rules; the module says what each is for."""

    revert_days: int = 0  # 0: at any distance
    restore_days: int = 30
    vandalism_hours: int = 72
    blank_share: float = 0.1  # of characters
    gap_hours: int = 72


@dataclass(frozen=True, slots=True)
class Verdict:
    """`undone_by`: index of the revision that first undid it, None where nothing did.

    `code`: edit, restore (standing); same-text, same-id (duplicate); identity, repair, self (reverted, the last by its
    own contributor); blank; repair (vandalism); withheld (suppressed).
    """

    verdict: str
    undone_by: int | None
    code: str


@dataclass(frozen=True, slots=True)
class Run:
    """A block stood from revision `first` to `last`, indexes into the order; both have it.

    `last` and `ended_by` are None while it stands at the head. `ended_by`: the first standing revision without it.
    """

    block: int
    first: int
    last: int | None
    status: str
    ended_by: int | None


@dataclass(frozen=True, slots=True)
class History:
    """`order`: the revisions by time, then number; `verdicts`: one for each; `runs`: by block, then first revision."""

    order: list[Revision]
    verdicts: list[Verdict]
    runs: list[Run]


@dataclass(slots=True)
class Text:
    """Neighbouring revisions of one hash: `first` to `last` are indexes of revisions."""

    head: Revision
    first: int
    last: int
    blocks: frozenset[int]
    verdict: str = STANDING
    undone_by: int | None = None
    code: str = "edit"


def seconds(texts: list[Text], start: int, end: int) -> int | None:
    """From one text to another; None where a time is unknown."""
    a, b = texts[start].head.time, texts[end].head.time
    return None if a is None or b is None else b - a


def fits(seconds: int | None, limit: int) -> bool:
    return seconds is None or seconds <= limit


def surely(seconds: int | None, limit: int) -> bool:
    return seconds is not None and seconds <= limit
