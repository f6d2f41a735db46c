"""`tasks.parse.history` again, written from its docstring alone: slow, plain, and without any code in common with it.

Everything is asked by looking at all texts. A page is at most a few dozen revisions here.
"""

from __future__ import annotations

from functools import cache

INFINITE = float("inf")


class Reference:
    """`verdicts`: (verdict, undone_by) for each revision in order; `runs`: set of (block, first, last, status, ended_by)."""

    def __init__(self, revisions, options) -> None:
        self.o = options
        self.order = sorted(revisions, key=lambda r: (-INFINITE if r.time is None else r.time, int(r.id)))
        seen, groups = set(), []
        for n, r in enumerate(self.order):
            if r.suppressed or r.id in seen:
                continue
            seen.add(r.id)
            if groups and self.order[groups[-1][0]].hash == r.hash:
                groups[-1].append(n)
            else:
                groups.append([n])
        self.groups = groups
        self.texts = [self.order[g[0]] for g in groups]
        self.n = len(groups)
        self.target = cache(self._target)
        self.state = ["standing"] * self.n
        self.undoer: list[int | None] = [None] * self.n
        self.identity()
        self.blankings()
        self.left = [t for t in range(self.n) if self.state[t] == "standing"]
        self.undone = cache(self._undone)
        self.repairs()
        self.runs = set(self.real_runs())
        self.runs |= set(self.noise_runs())
        self.verdicts = self.all_verdicts()

    # Durations.

    def lasted(self, a: int, b: int):
        s, e = self.texts[a].time, self.texts[b].time
        return None if s is None or e is None else e - s

    def not_known_above(self, a, b, limit):
        return not (self.lasted(a, b) is not None and self.lasted(a, b) > limit)

    def known_within(self, a, b, limit):
        return self.lasted(a, b) is not None and self.lasted(a, b) <= limit

    # Rule 1.

    def takers(self, i: int, p: int) -> list[int]:
        """Texts between i and p that restore one before i, in order."""
        return [u for u in range(i + 1, p) if self.target(u) is not None and self.target(u) < i]

    def _target(self, p: int):
        return next((i for i in range(p - 1, -1, -1) if self.restores(p, i)), None)

    def restores(self, p: int, i: int) -> bool:
        t, o = self.texts, self.o
        if t[i].hash != t[p].hash:
            return False
        if o.revert_days and not self.not_known_above(i + 1, p, o.revert_days * 86400):
            return False
        last = max(j for j in range(p) if t[j].hash == t[p].hash)
        if t[p].size <= o.blank_share * max(t[last + 1].size, t[p - 1].size) and not self.known_within(i + 1, p, o.vandalism_hours * 3600):
            return False
        if t[p].size <= o.blank_share * max(t[last + 1].size, t[p - 1].size):
            origin = i
            while self.target(origin) is not None:
                origin = self.target(origin)
            lost = set(t[origin - 1].blocks) - set(t[origin].blocks) if origin else set()
            if lost and any(2 * len(lost & set(t[k].blocks)) >= len(lost) for k in range(i + 1, p)):
                return False
        taken_away = set(t[p - 1].blocks) - set(t[p].blocks)
        if not self.not_known_above(i + 1, p, o.restore_days * 86400) and taken_away:
            for q in range(p + 1, self.n):
                if self.known_within(p, q, o.vandalism_hours * 3600) and 2 * len(taken_away & set(t[q].blocks)) >= len(taken_away):
                    return False
        takers = self.takers(i, p)
        if not takers:
            return True
        first_written = [k for k in range(i + 1, p) if t[k].hash not in {t[j].hash for j in range(k)}]
        if all(self.takers(k, p) for k in first_written):
            return True
        other = self.lasted(self.target(takers[0]) + 1, takers[0])
        return other is not None and self.lasted(i + 1, p) is not None and self.lasted(i + 1, p) <= other

    def identity(self) -> None:
        p = self.n - 1
        while p > 0:
            i = self.target(p)
            if i is None:
                p -= 1
                continue
            for k in range(i + 1, p):
                self.state[k] = "reverted"
                self.undoer[k] = self.groups[self.takers(k, p + 1)[0]][0]
            p = i

    # Rule 2.

    def blankings(self) -> None:
        left = [t for t in range(self.n) if self.state[t] == "standing"]
        for at, k in enumerate(left):
            before = [j for j in left[:at] if self.state[j] == "standing"]
            if not before or self.texts[k].size > self.o.blank_share * self.texts[before[-1]].size:
                continue
            stood = set(self.texts[before[-1]].blocks)
            for m in left[at + 1 :]:
                if self.texts[m].size <= self.o.blank_share * self.texts[before[-1]].size:
                    continue
                again = stood & set(self.texts[m].blocks)
                if stood and 2 * len(again) >= len(stood) and self.not_known_above(k, m, self.o.restore_days * 86400):
                    self.state[k], self.undoer[k] = "blanked", self.groups[m][0]
                    break

    # Rule 3. Places are positions in `left`.

    def blocks(self, at: int) -> set[int]:
        return set(self.texts[self.left[at]].blocks) if at >= 0 else set()

    def stays(self, block: int) -> list[tuple[int, int]]:
        """[begin, end) of each; the end of one that lasts is the number of texts left."""
        has = [block in self.blocks(at) for at in range(len(self.left))] + [False]
        begins = [at for at in range(len(self.left)) if has[at] and (at == 0 or not has[at - 1])]
        return [(b, has.index(False, b)) for b in begins]

    def follows(self, block: int, at: int, text: int):
        """The nearest block before this one's first place in `text` that both `at` - 1 and `at` have."""
        sequence = self.texts[self.left[text]].blocks
        common = [b for b in sequence[: sequence.index(block)] if b in self.blocks(at - 1) & self.blocks(at)]
        return common[-1] if common else None

    def replaced(self, block: int, at: int) -> set[int]:
        if at == 0:
            return set()
        return {b for b in self.blocks(at - 1) - self.blocks(at) if self.follows(b, at, at - 1) == self.follows(block, at, at)}

    def came_back(self, block: int, begin: int, end: int) -> set[int]:
        """The blocks for which the stay [begin, end) counts as undone."""
        if end == len(self.left):
            return set()
        b, e, out = self.left[begin], self.left[end], set()
        for lost in self.replaced(block, begin):
            for s, f in self.stays(lost):
                if begin < s <= end < f and not self.undone(lost, s, f):
                    quick = self.known_within(b, e, self.o.vandalism_hours * 3600)
                    if quick or (s == end and self.not_known_above(b, e, self.o.restore_days * 86400)):
                        out.add(lost)
        return out

    def _undone(self, block: int, begin: int, end: int) -> bool:
        return bool(self.came_back(block, begin, end))

    def chains(self, block: int) -> list[list[tuple[int, int]]]:
        """The stays that are not undone, those of one run together."""
        out: list[list[tuple[int, int]]] = []
        for stay in self.stays(block):
            if self.undone(block, *stay):
                continue
            if out:
                gone = out[-1][-1][1]
                short = self.known_within(self.left[gone], self.left[stay[0]], self.o.gap_hours * 3600)
                intruders = [
                    x for x in self.blocks(gone) - self.blocks(gone - 1)
                    for s, f in self.stays(x) if s == gone and block in self.came_back(x, s, f)
                ]
                if short or intruders:
                    out[-1].append(stay)
                    continue
            out.append([stay])
        return out

    def undone_with(self, at: int) -> int | None:
        if at and self.texts[self.left[at]].hash == self.texts[self.left[at - 1]].hash:
            return self.undone_with(at - 1)
        ends: list[int | None] = []
        for block in self.blocks(at) - self.blocks(at - 1):
            stay = next(s for s in self.stays(block) if s[0] == at)
            ends.append(stay[1] if self.undone(block, *stay) else None)
        for block in self.blocks(at - 1) - self.blocks(at):
            bridges = {one[1]: other[0] for chain in self.chains(block) for one, other in zip(chain, chain[1:], strict=False)}
            ends.append(bridges.get(at))
        return max(ends) if at and ends and None not in ends else None

    def repairs(self) -> None:
        ends = {at: self.undone_with(at) for at in range(len(self.left))}
        stand = {self.texts[self.left[at]].contributor for at, end in ends.items() if end is None}
        for at, end in ends.items():
            if end is None:
                continue
            author = at
            while self.texts[self.left[author]].hash == self.texts[self.left[author - 1]].hash:
                author -= 1
            name = self.texts[self.left[author]].contributor
            fast = self.known_within(self.left[author], self.left[end], self.o.vandalism_hours * 3600)
            self.state[self.left[at]] = "vandalism" if fast and name is not None and name not in stand else "reverted"
            self.undoer[self.left[at]] = self.groups[self.left[end]][0]

    # Rule 4.

    def first(self, at: int) -> int:
        return self.groups[self.left[at]][0]

    def real_runs(self):
        for block in {b for at in range(len(self.left)) for b in self.blocks(at)}:
            chains = self.chains(block)
            for chain in chains:
                begin, end = chain[0][0], chain[-1][1]
                if end == len(self.left):
                    yield block, self.first(begin), None, "standing", None
                else:
                    good = [at for at in range(begin, end) if block in self.blocks(at) and self.state[self.left[at]] == "standing"]
                    yield block, self.first(begin), self.groups[self.left[good[-1]]][-1], "gone", self.first(end)
            for begin, end in self.stays(block):
                within = any(c[0][0] < begin < c[-1][1] for c in chains)
                if self.undone(block, begin, end) and not within:
                    states = {self.state[self.left[at]] for at in range(begin, end)}
                    status = "vandalism" if states == {"vandalism"} else "reverted"
                    yield block, self.first(begin), self.groups[self.left[end - 1]][-1], status, self.first(end)

    def noise_runs(self):
        real = {run[0] for run in self.runs}
        for block in {b for t in self.texts for b in t.blocks} - real:
            for k in range(self.n):
                if block in self.texts[k].blocks and (k == 0 or block not in self.texts[k - 1].blocks):
                    last = k
                    while last + 1 < self.n and block in self.texts[last + 1].blocks:
                        last += 1
                    ender = next((self.groups[q][0] for q in range(last + 1, self.n) if self.state[q] == "standing"), None)
                    yield block, self.groups[k][0], self.groups[last][-1], self.state[k], ender

    def all_verdicts(self):
        of = {n: t for t, group in enumerate(self.groups) for n in group}
        out = []
        for n, r in enumerate(self.order):
            if r.suppressed:
                out.append(("suppressed", None))
            elif n not in of or (self.state[of[n]] == "standing" and n != self.groups[of[n]][0]):
                out.append(("duplicate", None))
            else:
                out.append((self.state[of[n]], self.undoer[of[n]]))
        return out
