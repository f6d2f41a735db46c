"""Stays of blocks: what was put in and taken out again without a whole page coming back. Rule 3 of `tasks.parse.history`.

Guarantees: the runs of a block do not overlap, and each text that has the block is within one.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from tasks.parse.historytypes import (
    DAY,
    GONE,
    HOUR,
    REVERTED,
    STANDING,
    VANDALISM,
    Options,
    Run,
    Text,
    fits,
    seconds,
    surely,
)


@dataclass(slots=True)
class Stay:
    """Texts `start` to `end` - 1 have the block; `end` is None at the head."""

    block: int
    start: int
    end: int | None = None
    undone: bool = False
    bridged_to: int | None = None  # text in which the next stay of the same run begins


class Stays:
    """Rule 3, and the runs over the texts that are left."""

    def __init__(self, texts: list[Text], options: Options) -> None:
        self.texts, self.options = texts, options
        self.of: dict[int, list[Stay]] = {}
        self.begun: list[list[Stay]] = [[] for _ in texts]
        self.ended: list[list[Stay]] = [[] for _ in texts]
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
                stay = Stay(block, k)
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
        self._judge_texts()

    def _judge_stay(self, stay: Stay, end: int) -> None:
        age = seconds(self.texts, stay.start, end)
        if not fits(age, max(self.options.restore_days * DAY, self.options.vandalism_hours * HOUR)):
            return
        short = surely(age, self.options.vandalism_hours * HOUR)
        exchange = fits(age, self.options.restore_days * DAY)
        for lost in self.ended[stay.start]:
            back = self._at(lost, end)
            if back is None or back.undone or not (short or (exchange and back.start == end)):
                continue
            places = self._places(stay.start)
            if places[lost.block] == places[stay.block]:
                stay.undone = True
                self.evidence.add((lost.block, stay.start))

    def _at(self, lost: Stay, k: int) -> Stay | None:
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

    def _bridge(self, stays: list[Stay]) -> None:
        for one, other in itertools.pairwise(stays):
            assert one.end is not None
            if (
                surely(seconds(self.texts, one.end, other.start), self.options.gap_hours * HOUR)
                or (one.block, one.end) in self.evidence
            ):
                one.bridged_to = other.start

    def _judge_texts(self) -> None:
        """Verdicts of the texts of which nothing is left."""
        texts = self.texts
        undone: dict[int, int] = {}
        for k in range(1, len(texts)):
            end = undone.get(k - 1) if texts[k].head.hash == texts[k - 1].head.hash else self._undone_in(k)
            if end is not None:
                undone[k] = end
        trusted = {text.head.contributor for k, text in enumerate(texts) if k not in undone} | {None}
        for k, end in undone.items():
            text, before, by = texts[k], texts[k - 1], texts[end]
            text.undone_by = by.first
            if text.head.hash == before.head.hash:
                text.verdict, text.code = before.verdict, before.code
                continue
            quick = surely(seconds(texts, k, end), self.options.vandalism_hours * HOUR)
            text.verdict = VANDALISM if quick and text.head.contributor not in trusted else REVERTED
            own = text.head.contributor is not None and text.head.contributor == by.head.contributor
            text.code = "self" if own else "repair"

    def _undone_in(self, k: int) -> int | None:
        """The text with which the last of what text k did was undone; None where something is left."""
        ends: list[int | None] = [stay.end if stay.undone else None for stay in self.begun[k]]
        ends += [stay.bridged_to for stay in self.ended[k]]
        known = [end for end in ends if end is not None]
        return max(known) if known and len(known) == len(ends) else None

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
