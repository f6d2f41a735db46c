"""The history of one page: which revisions were noise, and the lifetimes of its blocks over the others.

Words: a *text* is a group of neighbouring revisions with one hash. Suppressed revisions and second revisions of one id are
seen through: they are in no text, and neither cut, start nor extend anything. A text has the time of its first revision.
A duration *fits* a limit when it is not known to exceed it, and fits *surely* when it is known not to.

Guarantees:

1. **Identity.** A text p *restores* the nearest earlier text i with its hash for which all of this holds: the stretch
   between them (from its first text to p) fits `revert_days`; where p is *brief* (at most `blank_share` of the larger of
   the first and last text between, as a blank page or redirect is), the stretch surely fits `vandalism_hours`, since such
   texts are written twice without being reverts; and i was not taken back before p (lay between a text and its
   restoration), or else all that was first written between them was taken back before p too: an edit war, nothing more.
   Going back from the last text, which stands, what lies between p and what it restores is `reverted`; what is left
   stands, so far. Of an edit war A B A B, B stands from its first time on. A vandal's text that was taken back and comes
   again years later reverts nothing.
2. **Blankings.** Of the texts left, one is `blanked` when it is at most `blank_share` of the size of the last one before
   it that is not blanked, and a later one has at least half of that one's blocks again; the time between fits
   `restore_days`. What is never restored, as a blanking at the head, stands.
3. **Repairs.** Over the texts left after 2, a *stay* of a block is a maximal stretch of texts that have it. A block that
   begins a stay in a text *replaces* the blocks that end one there and that followed the same block of those in both
   texts (or the beginning). A stay is *undone* when a block it replaced is there again in the text which ends it, in a
   later stay that is not itself undone; and either it surely lasted at most `vandalism_hours`, or that block came back
   in the very text that ends the stay and the time fits `restore_days`. Two neighbouring stays of a block that are not
   undone are one run when the time from the end of the one to the beginning of the other surely fits `gap_hours`, or
   when the first was replaced by a stay that was undone because this block came back. A block that is replaced by one
   that stays, or comes back after a long time, is not bridged.
   A text of which nothing is left (all stays that begin in it are undone, all that end in it are bridged, and there are
   any) is `vandalism` when that surely took at most `vandalism_hours` and was not done by its own contributor, else
   `reverted`.
4. **Runs** of a block are in order and do not overlap. Each standing revision that has a block is within a run of it, of
   status `gone` or `standing`; or `reverted` where the stay was undone but the revision also did something that was kept
   (`vandalism` where all revisions of the stay are). Only a block without any of these runs has runs over the noise:
   one per stretch of neighbouring texts, with the verdict of the first.
5. Null edits are `duplicate` where their text stands, and have the verdict of their text where it does not.
6. The result depends on the revisions alone, not on the order in which they are given. Nothing is required of times, ids or
   sizes. `comment` is not read: rules in words hold for one language.

Cost: one pass over differences of neighbouring texts; sets of block numbers are made once per text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tasks.parse.wikiblocks import revision_order

STANDING, DUPLICATE, REVERTED, BLANKED, VANDALISM, SUPPRESSED, GONE = (
    "standing", "duplicate", "reverted", "blanked", "vandalism", "suppressed", "gone"
)
BACK_SHARE = 0.5
_HOUR = 3600
_DAY = 24 * _HOUR


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
class _Text:
    """Neighbouring revisions of one hash: `first` to `last` are indexes of revisions."""

    head: Revision
    first: int
    last: int
    blocks: frozenset[int]
    verdict: str = STANDING
    undone_by: int | None = None
    code: str = "edit"


def read_history(revisions: Iterable[Revision], options: Options | None = None) -> History:
    """Verdicts and runs of one page. Revisions in any order; any of them, and none, is a legal history."""
    options = options or Options()
    order = sorted(revisions, key=_key)
    texts, of = _texts(order)
    restored = _restorations(texts, options)
    left = _standing(texts, restored)
    left = _without_blankings(left, options)
    stays = _Stays(left, options)
    stays.judge()
    runs = stays.runs()
    _noise_runs(texts, runs)
    runs.sort(key=lambda r: (r.block, r.first))
    return History(order, _verdicts(order, texts, of), runs)


def _key(r: Revision) -> tuple:
    return (*revision_order(r.time, r.id), r.suppressed, r.hash, r.size, r.blocks, r.contributor is not None, r.contributor or "",
            r.comment is not None, r.comment or "")


def _texts(order: list[Revision]) -> tuple[list[_Text], list[int]]:
    """The texts, and for each revision the index of its text; -1 without one."""
    texts: list[_Text] = []
    of = [-1] * len(order)
    ids: set[str] = set()
    known: dict[tuple[int, ...], frozenset[int]] = {}
    for index, revision in enumerate(order):
        if revision.suppressed or revision.id in ids:
            continue
        ids.add(revision.id)
        if texts and texts[-1].head.hash == revision.hash:
            texts[-1].last = index
        else:
            blocks = known.get(revision.blocks)
            if blocks is None:
                blocks = known[revision.blocks] = frozenset(revision.blocks)
            texts.append(_Text(revision, index, index, blocks))
        of[index] = len(texts) - 1
    return texts, of


def _seconds(texts: list[_Text], start: int, end: int) -> int | None:
    """From one text to another; None where a time is unknown."""
    a, b = texts[start].head.time, texts[end].head.time
    return None if a is None or b is None else b - a


def _fits(seconds: int | None, limit: int) -> bool:
    return seconds is None or seconds <= limit


def _surely(seconds: int | None, limit: int) -> bool:
    return seconds is not None and seconds <= limit


def _restorations(texts: list[_Text], options: Options) -> list[int]:
    """For each text the index of the one that it restores, -1 without one. Also notes who first took each text back."""
    restored = [-1] * len(texts)
    places: dict[str, list[int]] = {}
    fresh: list[int] = []  # first appearances that were not taken back yet, the newest last
    onwards = list(range(len(texts) + 1))  # to the next text that was not taken back yet, with path halving
    for p, text in enumerate(texts):
        earlier = places.setdefault(text.head.hash, [])
        while fresh and texts[fresh[-1]].undone_by is not None:
            fresh.pop()
        for i in reversed(earlier):
            seconds = _seconds(texts, i + 1, p)
            if options.revert_days > 0 and not _fits(seconds, options.revert_days * _DAY):
                break
            between = max(texts[i + 1].head.size, texts[p - 1].head.size)
            if text.head.size <= options.blank_share * between and not _surely(seconds, options.vandalism_hours * _HOUR):
                continue
            if texts[i].undone_by is None or not fresh or fresh[-1] <= i:
                restored[p] = i
                break
        if restored[p] >= 0:
            at = _next(onwards, restored[p] + 1)
            while at < p:
                texts[at].undone_by = text.first
                onwards[at] = at + 1
                at = _next(onwards, at)
        if not earlier:
            fresh.append(p)
        earlier.append(p)
    return restored


def _next(onwards: list[int], at: int) -> int:
    while onwards[at] != at:
        onwards[at] = onwards[onwards[at]]
        at = onwards[at]
    return at


def _standing(texts: list[_Text], restored: list[int]) -> list[_Text]:
    """The texts that no standing one reverted, oldest first; the verdicts of the others."""
    left: list[_Text] = []
    p = len(texts) - 1
    while p >= 0:
        texts[p].undone_by = None
        left.append(texts[p])
        i = restored[p]
        if i < 0:
            i = p - 1
        else:
            texts[p].code = "restore"
        for text in texts[i + 1 : p]:
            text.verdict, text.code = REVERTED, "identity"
        p = i
    left.reverse()
    return left


def _without_blankings(left: list[_Text], options: Options) -> list[_Text]:
    kept: list[_Text] = []
    for k, text in enumerate(left):
        if kept and text.head.size <= options.blank_share * kept[-1].head.size:
            back = _back(left, k, kept[-1].blocks, options.restore_days * _DAY)
            if back is not None:
                text.verdict, text.code, text.undone_by = BLANKED, "blank", back
                continue
        kept.append(text)
    return kept


def _back(left: list[_Text], k: int, blocks: frozenset[int], limit: int) -> int | None:
    """First revision after text k that has half of the blocks again; None where none has, or too late."""
    if not blocks:
        return None
    for m in range(k + 1, len(left)):
        if not _fits(_seconds(left, k, m), limit):
            return None
        if len(blocks & left[m].blocks) >= BACK_SHARE * len(blocks):
            return left[m].first
    return None


@dataclass(slots=True)
class _Stay:
    """Texts `start` to `end` - 1 have the block; `end` is None at the head."""

    block: int
    start: int
    end: int | None = None
    undone: bool = False
    bridged_to: int | None = None  # text in which the next stay of the same run begins


class _Stays:
    """Rule 3, and the runs over the texts that are left."""

    def __init__(self, texts: list[_Text], options: Options) -> None:
        self.texts, self.options = texts, options
        self.of: dict[int, list[_Stay]] = {}
        self.begun: list[list[_Stay]] = [[] for _ in texts]
        self.ended: list[list[_Stay]] = [[] for _ in texts]
        self.evidence: set[tuple[int, int]] = set()  # (block, text): replaced there, and the intruder was undone for it
        self.places: dict[int, dict[int, int | None]] = {}
        before: frozenset[int] = frozenset()
        for k, text in enumerate(texts):
            if text.blocks is before:
                continue
            for block in before - text.blocks:
                stay = self.of[block][-1]
                stay.end = k
                self.ended[k].append(stay)
            for block in text.blocks - before:
                stay = _Stay(block, k)
                self.of.setdefault(block, []).append(stay)
                self.begun[k].append(stay)
            before = text.blocks

    def judge(self) -> None:
        """Marks undone stays, those that end last first, as each rests on stays that end later; then bridges and verdicts."""
        for k in range(len(self.texts) - 1, 0, -1):
            for stay in self.ended[k]:
                if stay.start and self.ended[stay.start]:
                    self._judge_stay(stay, k)
        for stays in self.of.values():
            if len(stays) > 1:
                self._bridge([s for s in stays if not s.undone])
        for k in range(1, len(self.texts)):
            self._judge_text(k)

    def _judge_stay(self, stay: _Stay, end: int) -> None:
        seconds = _seconds(self.texts, stay.start, end)
        if not _fits(seconds, max(self.options.restore_days * _DAY, self.options.vandalism_hours * _HOUR)):
            return
        short = _surely(seconds, self.options.vandalism_hours * _HOUR)
        exchange = _fits(seconds, self.options.restore_days * _DAY)
        for lost in self.ended[stay.start]:
            back = self._at(lost, end)
            if back is None or back.undone or not (short or (exchange and back.start == end)):
                continue
            places = self._places(stay.start)
            if places[lost.block] == places[stay.block]:
                stay.undone = True
                self.evidence.add((lost.block, stay.start))

    def _at(self, lost: _Stay, k: int) -> _Stay | None:
        """A later stay of the same block that covers text k."""
        for stay in reversed(self.of[lost.block]):
            if stay.start <= lost.start:
                return None
            if stay.start <= k:
                return stay if stay.end is None or stay.end > k else None
        return None

    def _places(self, k: int) -> dict[int, int | None]:
        """For each block that begins or ends a stay in text k, the last block before it of those in both texts."""
        places = self.places.get(k)
        if places is None:
            places = self.places[k] = {}
            shared = self.texts[k - 1].blocks & self.texts[k].blocks
            for text in (self.texts[k - 1], self.texts[k]):
                last: int | None = None
                for block in text.head.blocks:
                    if block in shared:
                        last = block
                    else:
                        places.setdefault(block, last)
        return places

    def _bridge(self, stays: list[_Stay]) -> None:
        for one, other in zip(stays, stays[1:]):
            assert one.end is not None
            if (
                _surely(_seconds(self.texts, one.end, other.start), self.options.gap_hours * _HOUR)
                or (one.block, one.end) in self.evidence
            ):
                one.bridged_to = other.start

    def _judge_text(self, k: int) -> None:
        ends: list[int] = []
        for stay in self.begun[k]:
            if not stay.undone or stay.end is None:
                return
            ends.append(stay.end)
        for stay in self.ended[k]:
            if stay.bridged_to is None:
                return
            ends.append(stay.bridged_to)
        if not ends:
            return
        end = max(ends)
        text, by = self.texts[k], self.texts[end]
        itself = text.head.contributor is not None and text.head.contributor == by.head.contributor
        quick = _surely(_seconds(self.texts, k, end), self.options.vandalism_hours * _HOUR)
        text.verdict = VANDALISM if quick and not itself else REVERTED
        text.code, text.undone_by = "self" if itself else "repair", by.first

    def runs(self) -> list[Run]:
        """Runs of all blocks of the texts that are left."""
        texts = self.texts
        standing = [0] * len(texts)  # the last standing text up to each
        for k in range(1, len(texts)):
            standing[k] = k if texts[k].verdict == STANDING else standing[k - 1]
        out: list[Run] = []
        for block, stays in self.of.items():
            begin, reach = -1, -1
            for stay in stays:
                end = stay.end
                if stay.undone:
                    if stay.start >= reach and end is not None:
                        vandal = all(t.verdict == VANDALISM for t in texts[stay.start : end])
                        out.append(Run(block, texts[stay.start].first, texts[end - 1].last, VANDALISM if vandal else REVERTED, texts[end].first))
                    continue
                if begin < 0:
                    begin = stay.start
                if stay.bridged_to is not None:
                    reach = stay.bridged_to
                    continue
                first = texts[begin].first
                if end is None:
                    out.append(Run(block, first, None, STANDING, None))
                else:
                    out.append(Run(block, first, texts[standing[end - 1]].last, GONE, texts[end].first))
                begin = -1
        return out


def _noise_runs(texts: list[_Text], runs: list[Run]) -> None:
    """Adds the runs of blocks that have none: they were only ever in noise."""
    real = {run.block for run in runs}
    noise = [k for k, text in enumerate(texts) if text.verdict in (REVERTED, BLANKED) and not text.blocks <= real]
    ender: list[int | None] = [None] * len(texts)
    following: int | None = None
    for k in range(len(texts) - 1, -1, -1):
        ender[k] = following
        if texts[k].verdict == STANDING:
            following = texts[k].first
    open_runs: dict[int, tuple[int, int]] = {}
    for k in noise:
        for block in texts[k].blocks - real:
            start, last = open_runs.get(block, (k, k))
            if last < k - 1:
                runs.append(Run(block, texts[start].first, texts[last].last, texts[start].verdict, ender[last]))
                start = k
            open_runs[block] = (start, k)
    for block, (start, last) in open_runs.items():
        runs.append(Run(block, texts[start].first, texts[last].last, texts[start].verdict, ender[last]))


def _verdicts(order: list[Revision], texts: list[_Text], of: list[int]) -> list[Verdict]:
    out: list[Verdict] = []
    ids: set[str] = set()
    for index, revision in enumerate(order):
        if revision.suppressed:
            out.append(Verdict(SUPPRESSED, None, "withheld"))
        elif of[index] < 0:
            out.append(Verdict(DUPLICATE, None, "same-id"))
        else:
            text = texts[of[index]]
            if index > text.first and text.verdict == STANDING:
                out.append(Verdict(DUPLICATE, None, "same-text"))
            else:
                code = text.code
                if code == "identity" and text.undone_by is not None and revision.contributor is not None:
                    code = "self" if order[text.undone_by].contributor == revision.contributor else code
                out.append(Verdict(text.verdict, text.undone_by, code))
    return out
