"""Unites the claims of one value into tenures: intervals of four days, each with all its evidence.

Guarantees: a function of the set of claims. Claims that can speak of the same tenure unite: their bounds are
intersected, a bound of better basis wins over a worse one, and bounds of equal basis that exclude each other span both
(`disputed`). Disjoint tenures stay apart. A claim that is only *shown* (it holds on the day of a document or while revisions
say it, and states no day) makes no tenure of its own where a dated one of the same value is known: it is one more source
for the nearest.

Days are ints; NEG and POS stand for the uninformative bounds.
"""

from __future__ import annotations

NEG, POS = -(1 << 40), 1 << 40
BASES = ("explicit", "table", "infobox", "revision", "succession", "document", "")
RANK = {basis: n for n, basis in enumerate(BASES)}
WEAK = RANK["document"]  # this rank and worse: the fact itself is not dated
REVISION = RANK["revision"]


def start_is_dated(slo: int, shi: int, rank: int) -> bool:
    """Whether a start is known by more than the first day on which a document or revision shows the fact."""
    return slo > NEG if rank == REVISION else rank < WEAK and (slo > NEG or shi < POS)


def end_is_dated(elo: int, ehi: int, rank: int) -> bool:
    """Whether an end is known by more than the last day on which a document or revision shows the fact."""
    return ehi < POS if rank == REVISION else rank < WEAK and (elo > NEG or ehi < POS)


class Tenure:
    """One value of one key over one interval. `rows`: its claims, as row numbers. `sources`: their source groups."""

    __slots__ = (
        "against", "closed_by", "condition", "count", "disputed", "econf", "ehi", "elo", "erank", "id", "kind", "past", "pinned",
        "reason", "rows", "rule", "sconf", "shi", "slo", "sources", "srank", "state", "stated_end", "superseded_by",
        "supersedes", "suppressed", "undone", "unit", "value",
    )

    def __init__(self, value, slo, shi, elo, ehi, srank, erank, sconf, econf, rows, disputed=False) -> None:
        self.value, self.rows, self.disputed = value, rows, disputed
        # It holds on one day at least: it began before its last possible end, and ended after its first possible start.
        self.slo, self.shi = slo, ehi - 1 if slo < ehi <= shi < POS else shi
        self.elo, self.ehi = slo + 1 if NEG < elo <= slo < ehi else elo, ehi
        self.srank, self.erank, self.sconf, self.econf = srank, erank, sconf, econf
        self.stated_end = (self.elo, self.ehi, erank, econf)
        self.pinned = self.suppressed = False
        self.undone = ""  # why the history of the pages that say it takes it back
        self.past = False  # all its claims say that it held once, and none says when
        self.state, self.reason, self.rule, self.kind = "active", "uncontradicted", "", ""
        self.against, self.closed_by, self.supersedes, self.superseded_by = [], None, [], []
        self.sources, self.count, self.unit, self.id, self.condition = (), 1, "", "", ""

    @property
    def start_dated(self) -> bool:
        return start_is_dated(self.slo, self.shi, self.srank)

    @property
    def end_dated(self) -> bool:
        """Its end is stated by the facts (not inferred from a successor), if only on one side."""
        return end_is_dated(*self.stated_end[:3])

    def order(self) -> tuple:
        """Canonical place among the tenures of a key."""
        return self.slo, self.shi, *self.stated_end[:2], self.srank, self.stated_end[2], self.condition, self.value


def _side(bounds: list[tuple[int, int, int, float]]) -> tuple[int, int, int, float, bool]:
    """(lo, hi, rank, confidence, disputed) of one side from (rank, lo, hi, confidence) of the claims."""
    told = [b for b in bounds if b[1] > NEG or b[2] < POS]
    if not told:
        rank = min(b[0] for b in bounds)
        return NEG, POS, rank, max(b[3] for b in bounds if b[0] == rank), False
    best = min(b[0] for b in told)
    lo, hi, disputed = NEG, POS, False
    for rank in sorted({b[0] for b in told}):
        group = [b for b in told if b[0] == rank]
        low, high = max(b[1] for b in group), min(b[2] for b in group)
        if low > high:
            low, high = min(b[1] for b in group), max(b[2] for b in group)
            disputed = disputed or rank == best
        if max(lo, low) <= min(hi, high):
            lo, hi = max(lo, low), min(hi, high)
    return lo, hi, best, max(b[3] for b in told if b[0] == best), disputed


class _Cluster:
    """Claims that speak of one tenure. `s`, `e`: what they date of its start and end, or None."""

    __slots__ = ("e", "entries", "s")

    def __init__(self, entry: tuple) -> None:
        self.s, self.e = _dated(entry)
        self.entries = [entry]

    def fit(self, entry: tuple, event: bool) -> tuple | None:
        """How well the entry fits: None = another tenure; else a key, the smallest is the best fit."""
        s, e = _dated(entry)
        start, end = _meet(self.s, s), _meet(self.e, e)
        if start is not False and end is not False:
            first = start[0] if start else NEG
            until = end[1] if end else POS
            if first < until:
                return (0, until - first, first)
        if event:
            return None
        # The bounds differ, but one tenure cannot begin or end inside another of the same value: a dispute.
        mine = (self.s[1] if self.s else None, self.e[0] if self.e else None)
        theirs = (s[1] if s else None, e[0] if e else None)
        if None in mine and None not in theirs:
            mine, theirs = theirs, mine
        if None in mine or mine[0] >= mine[1]:
            return None
        if None not in theirs:
            inside = theirs[0] < theirs[1] and max(mine[0], theirs[0]) < min(mine[1], theirs[1])
        else:
            day = theirs[0] if theirs[0] is not None else theirs[1]
            inside = day is not None and mine[0] <= day < mine[1]
        return (1, mine[1] - mine[0], mine[0]) if inside else None

    def add(self, entry: tuple) -> None:
        s, e = _dated(entry)
        self.s, self.e = _meet(self.s, s) or self.s, _meet(self.e, e) or self.e
        self.entries.append(entry)


def _dated(entry: tuple):
    slo, shi, elo, ehi, srank, erank = entry[:6]
    return (
        (slo, shi) if start_is_dated(slo, shi, srank) else None,
        (elo, ehi) if end_is_dated(elo, ehi, erank) else None,
    )


def _meet(a, b):
    """Intersection of two ranges, None being anything; False where they exclude each other."""
    if a is None or b is None:
        return a or b
    low, high = max(a[0], b[0]), min(a[1], b[1])
    return (low, high) if low <= high else False


def _observed(entry: tuple) -> int | None:
    """The first day on which an undated claim is shown to hold."""
    if entry[1] < POS:
        return entry[1]
    return entry[2] - 1 if entry[2] > NEG else None


def _nearest(clusters: list[_Cluster], day: int | None) -> _Cluster:
    """The tenure that an undated claim of this day speaks of: one it lies in, else the last before it, else the first."""
    def start(c: _Cluster) -> int:
        return c.s[0] if c.s else (c.e[0] if c.e else NEG)

    placed = sorted(clusters, key=lambda c: (start(c), c.e or (POS, POS), c.entries[0]))
    if day is None:
        return placed[-1]
    within = [c for c in placed if (not c.s or c.s[0] <= day) and (not c.e or day < c.e[1])]
    before = [c for c in placed if start(c) <= day]
    return (within or before or placed[:1])[-1]


def unite(value: str, entries: dict[tuple, list[int]], event: bool) -> list[Tenure]:
    """Tenures of one value. `entries`: (slo, shi, elo, ehi, srank, erank, sconf, econf) -> rows with just that interval."""
    if len(entries) == 1:
        (entry, rows), = entries.items()
        return [Tenure(value, *entry, rows)]
    dated, undated = [], []
    for entry in entries:
        s, e = _dated(entry)
        if s is None and e is None:
            undated.append(entry)
        else:
            # Closed tenures first, then better bases, then narrower bounds: what is known best makes the tenures.
            width = (s[1] - s[0] if s else POS) + (e[1] - e[0] if e else POS)
            dated.append((-(s is not None) - (e is not None), entry[4] + entry[5], width, entry))
    clusters: list[_Cluster] = []
    for *_, entry in sorted(dated):
        fits = [(fit, n) for n, c in enumerate(clusters) if (fit := c.fit(entry, event)) is not None]
        if fits:
            clusters[min(fits)[1]].add(entry)
        else:
            clusters.append(_Cluster(entry))
    loose: dict[int, list[tuple]] = {}
    for entry in sorted(undated):
        if clusters:
            cluster = _nearest(clusters, _observed(entry))
            loose.setdefault(clusters.index(cluster), []).append(entry)
    groups = [c.entries + loose.get(n, []) for n, c in enumerate(clusters)] or [sorted(undated)]
    out = []
    for group in groups:
        slo, shi, srank, sconf, odd_start = _side([(e[4], e[0], e[1], e[6]) for e in group])
        elo, ehi, erank, econf, odd_end = _side([(e[5], e[2], e[3], e[7]) for e in group])
        rows = [r for e in group for r in entries[e]]
        out.append(Tenure(value, slo, shi, elo, ehi, srank, erank, sconf, econf, rows, odd_start or odd_end))
    return out
