"""The history of one page: which revisions were noise, and the lifetimes of its blocks over the others.

Words: a *text* is a group of neighbouring revisions with one hash. Suppressed revisions and second revisions of one id are
seen through: they are in no text, and neither cut, start nor extend anything. A text has the time of its first revision.
A duration *fits* a limit when it is not known to exceed it, and fits *surely* when it is known not to.

Guarantees:

1. **Identity.** A text p *restores* the nearest earlier text i with its hash for which all of this holds, the *stretch*
   being the texts between them, and its length the time from its first text to p:
   - the stretch fits `revert_days`;
   - where p is *brief* (at most `blank_share` of the larger of the text just before it and the text just after the last
     earlier one with its hash, as a blank page or a redirect is), the stretch surely fits `vandalism_hours`, and no text of
     it has half of the blocks that were lost with i, or, where i restores another, with the one that it goes back to in
     the end: such texts are written twice without being reverts, and a page that is blanked, mended and blanked again
     was not mended in error;
   - where the stretch is *far* (known to exceed `restore_days`), no text behind p, surely within `vandalism_hours` of it,
     has half of the blocks that the last text of the stretch had and p has not: nobody put back what p took away;
   - i was not *taken back* before p (by a text between i and p that restores one before i); or all texts that were first
     written between i and p were taken back before p: an edit war and nothing more; or the stretch is surely no
     longer than that of the restoration that first took i back: the smaller revert is believed.
   Going back from the last text, which stands, what lies between p and what it restores is `reverted`; what is left
   stands, so far. Of an edit war A B A B, B stands from its first time on. A vandal's text that was taken back and comes
   again years later reverts nothing, and an old version that somebody puts up for an hour does not end the years between.
2. **Blankings.** Of the texts left, one is `blanked` when it is at most `blank_share` of the size of the last one before
   it that is not blanked, and a later one that is not as small has at least half of that one's blocks again; the time
   between fits `restore_days`. What is never restored, as a blanking at the head, stands.
3. **Repairs.** Over the texts left after 2, a *stay* of a block is a maximal stretch of texts that have it. A block that
   begins a stay in a text *replaces* the blocks that end one there and that followed the same block of those in both
   texts (or the beginning). A stay is *undone* when a block it replaced is there again in the text which ends it, in a
   later stay that is not itself undone; and either it surely lasted at most `vandalism_hours`, or that block came back
   in the very text that ends the stay and the time fits `restore_days`. Two neighbouring stays of a block that are not
   undone are one run when the time from the end of the one to the beginning of the other surely fits `gap_hours`, or
   when the first was replaced by a stay that was undone because this block came back. A block that is replaced by one
   that stays, or comes back after a long time, is not bridged.
   A text of which nothing is left (all stays that begin in it are undone, all that end in it are bridged, and there are
   any) is `vandalism` when that surely took at most `vandalism_hours` and its contributor is known and has no text on this
   page that stands; else it is `reverted`, as in a quarrel. A text equal to the one before it shares its verdict.
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

from tasks.parse.historystays import Stays
from tasks.parse.historytypes import (
    BACK_SHARE,
    BLANKED,
    DAY,
    DUPLICATE,
    HOUR,
    REVERTED,
    STANDING,
    SUPPRESSED,
    History,
    Options,
    Revision,
    Run,
    Text,
    Verdict,
    fits,
    seconds,
    surely,
)
from tasks.parse.wikiblocks import revision_order

__all__ = ["History", "Options", "Revision", "Run", "Verdict", "read_history"]


def read_history(revisions: Iterable[Revision], options: Options | None = None) -> History:
    """Verdicts and runs of one page. Revisions in any order; any of them, and none, is a legal history."""
    options = options or Options()
    order = sorted(revisions, key=_key)
    texts, of = _texts(order)
    restored = _restorations(texts, options)
    left = _standing(texts, restored)
    left = _without_blankings(left, options)
    stays = Stays(left, options)
    stays.judge()
    runs = stays.runs()
    _noise_runs(texts, runs)
    runs.sort(key=lambda r: (r.block, r.first))
    return History(order, _verdicts(order, texts, of), runs)


def _key(r: Revision) -> tuple:
    return (*revision_order(r.time, r.id), r.suppressed, r.hash, r.size, r.blocks, r.contributor is not None, r.contributor or "",
            r.comment is not None, r.comment or "")


def _texts(order: list[Revision]) -> tuple[list[Text], list[int]]:
    """The texts, and for each revision the index of its text; -1 without one."""
    texts: list[Text] = []
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
            texts.append(Text(revision, index, index, blocks))
        of[index] = len(texts) - 1
    return texts, of


def _restorations(texts: list[Text], options: Options) -> list[int]:
    """For each text the index of the one that it restores, -1 without one. Also notes who first took each text back."""
    restored = [-1] * len(texts)
    places: dict[str, list[int]] = {}
    fresh: list[int] = []  # first appearances that were not taken back yet, the newest last
    lengths: list[int | None] = [None] * len(texts)  # of the stretch with which each was first taken back
    onwards = list(range(len(texts) + 1))  # to the next text that was not taken back yet, with path halving
    for p, text in enumerate(texts):
        earlier = places.setdefault(text.head.hash, [])
        while fresh and texts[fresh[-1]].undone_by is not None:
            fresh.pop()
        between = max(texts[earlier[-1] + 1].head.size, texts[p - 1].head.size) if earlier else 0
        brief = text.head.size <= options.blank_share * between
        for i in reversed(earlier):
            age = seconds(texts, i + 1, p)
            if options.revert_days > 0 and not fits(age, options.revert_days * DAY):
                continue
            if brief and (not surely(age, options.vandalism_hours * HOUR) or _mended(texts, restored, i, p)):
                continue
            if age is not None and age > options.restore_days * DAY and _put_back(texts, p, options):
                continue
            if (
                texts[i].undone_by is None or not fresh or fresh[-1] <= i
                or _no_longer(age, lengths[i])
            ):
                restored[p] = i
                break
        if restored[p] >= 0:
            at = _next(onwards, restored[p] + 1)
            length = seconds(texts, restored[p] + 1, p)
            while at < p:
                texts[at].undone_by, lengths[at] = text.first, length
                onwards[at] = at + 1
                at = _next(onwards, at)
        if not earlier:
            fresh.append(p)
        earlier.append(p)
    return restored


def _no_longer(age: int | None, other: int | None) -> bool:
    return age is not None and other is not None and age <= other


def _mended(texts: list[Text], restored: list[int], i: int, p: int) -> bool:
    """Whether half of what was lost with text i stood again before text p."""
    root = i
    while restored[root] >= 0:
        root = restored[root]
    lost = texts[root - 1].blocks - texts[root].blocks if root else frozenset()
    return bool(lost) and any(len(lost & t.blocks) >= BACK_SHARE * len(lost) for t in texts[i + 1 : p])


def _put_back(texts: list[Text], p: int, options: Options) -> bool:
    """Whether half of what text p took away was soon there again."""
    lost = texts[p - 1].blocks - texts[p].blocks
    for q in range(p + 1, len(texts)):
        if not lost or not surely(seconds(texts, p, q), options.vandalism_hours * HOUR):
            return False
        if len(lost & texts[q].blocks) >= BACK_SHARE * len(lost):
            return True
    return False


def _next(onwards: list[int], at: int) -> int:
    while onwards[at] != at:
        onwards[at] = onwards[onwards[at]]
        at = onwards[at]
    return at


def _standing(texts: list[Text], restored: list[int]) -> list[Text]:
    """The texts that no standing one reverted, oldest first; the verdicts of the others."""
    left: list[Text] = []
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


def _without_blankings(left: list[Text], options: Options) -> list[Text]:
    kept: list[Text] = []
    for k, text in enumerate(left):
        if kept and text.head.size <= options.blank_share * kept[-1].head.size:
            back = _back(left, k, kept[-1], options)
            if back is not None:
                text.verdict, text.code, text.undone_by = BLANKED, "blank", back
                continue
        kept.append(text)
    return kept


def _back(left: list[Text], k: int, before: Text, options: Options) -> int | None:
    """First revision after text k that has half of what stood before again; None where none has, or too late."""
    if not before.blocks:
        return None
    for m in range(k + 1, len(left)):
        if not fits(seconds(left, k, m), options.restore_days * DAY):
            return None
        small = left[m].head.size <= options.blank_share * before.head.size
        if not small and len(before.blocks & left[m].blocks) >= BACK_SHARE * len(before.blocks):
            return left[m].first
    return None


def _noise_runs(texts: list[Text], runs: list[Run]) -> None:
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


def _verdicts(order: list[Revision], texts: list[Text], of: list[int]) -> list[Verdict]:
    out: list[Verdict] = []
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
