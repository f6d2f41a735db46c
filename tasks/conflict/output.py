"""Collects nuggets and decisions as columns and makes the two tables.

Guarantees: a nugget's fields come from its own claims and from the tenures that it was judged with, never from a claim
outside; equal tenures give equal rows.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.fields import DAY, FIELDS, INSTANT
from schemas.ids import content_hash, make_id
from schemas.tables import TABLES
from tasks.conflict.codes import AGAINST_MAX
from tasks.conflict.rows import Rows
from tasks.conflict.unite import BASES, NEG, POS, Tenure
from tasks.conflict.wording import Words

ATTRIBUTED = 0.9  # of the confidence of a claim that reports somebody else's words
FROM_CLAIM = ("key_id", "value_id", "tenant", "subject_id", "predicate", "scope", "cardinality", "object_id", "object",
              "object_type", "value", "unit")
OWN = ("nugget_id", "label", "kind", "subject", "condition", "text", "rendition", "rendition_hash", "text_hash", "start_min",
       "start_max", "end_min", "end_max", "start_basis", "end_basis", "start_confidence", "end_confidence", "recorded_from",
       "recorded_to", "state", "reason", "source_count", "confidence", "language")
LISTS = ("source_groups", "claim_ids", "supersedes", "superseded_by")
DECISION = ("decision_id", "key_id", "label", "nugget_id", "claim_id", "rule", "conflict_type", "verdict", "reason", "against",
            "evidence")


def _usual(values: list[str]) -> str:
    """The value that most have, then the smallest."""
    first = values[0]
    if all(v == first for v in values):
        return first
    return min(set(values), key=lambda v: (-values.count(v), v))


class Output:
    """`add` takes the judged tenures of one key and label; `tables` gives what was collected."""

    def __init__(self, table: pa.Table, rows: Rows, words: Words) -> None:
        self.table, self.rows, self.words = table, rows, words
        self.nuggets: list[tuple] = []  # OWN fields and the row that the FROM_CLAIM fields are taken from
        self.lists: dict[str, list[list]] = {n: [] for n in LISTS}
        self.decisions: list[tuple] = []
        self.pending: list[tuple] = []  # decisions about tenures that had no id yet

    def add(self, tenures: list[Tenure], label: str) -> None:
        """Writes the nuggets of one key and label, and the decisions that made them."""
        c, lists = self.rows, self.lists
        first = tenures[0].rows[0]
        single = len(tenures) == 1 and len(tenures[0].rows) == 1
        subject = c.subject[first] if single else _usual([c.subject[r] for t in tenures for r in t.rows])
        predicate, scope = c.predicate[first], c.scope[first]
        kind = "statement" if predicate == "states" else "event" if c.cardinality[first] == "event" else "fact"
        for t in sorted(tenures, key=_by_id) if len(tenures) > 1 else tenures:
            rows = t.rows
            r = rows[0]
            if len(rows) == 1:
                condition, language = c.condition[r], c.language[r]
                since, until = c.recorded_from[r], c.recorded_to[r]
            else:
                condition, language = _usual([c.condition[x] for x in rows]), _usual([c.language[x] for x in rows])
                since = min((v for x in rows if (v := c.recorded_from[x]) is not None), default=None)
                ends = [c.recorded_to[x] for x in rows]
                until = None if None in ends else max(ends)
            text, rendition = self.words.text(kind, subject, predicate, scope, c.object[r], condition, t)
            text_hash = content_hash(text)
            lists["source_groups"].append(t.sources)
            lists["claim_ids"].append(rows)
            lists["supersedes"].append(sorted(x.id for x in t.supersedes) if t.supersedes else ())
            lists["superseded_by"].append(sorted(x.id for x in t.superseded_by) if t.superseded_by else ())
            self.nuggets.append((
                r, t.id, label, kind, subject, condition, text, rendition,
                text_hash if rendition == text else content_hash(rendition), text_hash,
                t.slo if t.slo > NEG else None, t.shi if t.shi < POS else None,
                t.elo if t.elo > NEG else None, t.ehi if t.ehi < POS else None,
                BASES[t.srank], BASES[t.erank], t.sconf, t.econf, since, until, t.state, t.reason, len(t.sources),
                self.confidence(t), language,
            ))
            if t.rule or t.disputed or t.closed_by is not None:
                self.judged(t, label)
        if self.pending:
            for t, rule, conflict_type, verdict, reason, against, evidence in self.pending:
                self.decision(c.key_id[t.rows[0]], label, t.id, None, rule, conflict_type, verdict, reason,
                              [x.id for x in against], evidence)
            self.pending.clear()

    def confidence(self, t: Tenure) -> float:
        """See the text of `resolve`."""
        c = self.rows
        if t.undone:
            return 0.0
        if t.reason in ("pinned", "suppressed"):
            return 1.0 if t.pinned else 0.0
        if len(t.rows) == 1 and not t.against:
            r = t.rows[0]
            return round(c.confidence[r] * (ATTRIBUTED if c.attribution[r] else 1.0), 6)
        best: dict[str, float] = {}
        for r in t.rows:
            sure = c.confidence[r] * (ATTRIBUTED if c.attribution[r] else 1.0)
            best[c.source_group[r]] = max(best.get(c.source_group[r], 0.0), sure)
        doubt = 1.0
        for group in sorted(best):
            doubt *= 1.0 - best[group]
        sure = 1.0 - doubt
        if t.state != "active" and t.against:
            sure *= t.count / (t.count + max(x.count for x in t.against))
        return round(sure, 6)

    def judged(self, t: Tenure, label: str) -> None:
        """The decision that gave a tenure its state, where something was decided."""
        key = self.rows.key_id[t.rows[0]]
        if t.disputed:
            self.decision(key, label, t.id, None, "unite", "period", "accepted", "bounds_disagree", [], f"{len(t.rows)} claims")
        if t.closed_by is not None and t.state != "deprecated":
            self.decision(key, label, t.id, None, "succession", "", "closed", "succeeded", [t.closed_by.id],
                          f"start of the next: {BASES[t.closed_by.srank]}")
        if t.rule and t.rule != "succession":
            verdict = {"active": "accepted"}.get(t.state, t.state)
            rivals = ",".join(str(x.count) for x in t.against)
            self.decision(key, label, t.id, None, t.rule, t.kind, verdict, t.reason, [x.id for x in t.against],
                          f"sources {t.count}:{rivals}" if rivals else f"sources {t.count}")

    def reject(self, r: int, label: str, reason: str) -> None:
        """A claim that becomes no nugget."""
        c = self.rows
        self.decision(c.key_id[r], label, None, c.claim_id[r], "reject", "", "rejected", reason, [], "")

    def unmatched(self, r: int, label: str, override, found: int) -> None:
        """An override that names this key but not one nugget of it."""
        reason = "several_matches" if found else "no_match"
        key = self.rows.key_id[r]
        self.decision(key, label, None, None, "override_unmatched", "", "rejected", reason, [], override.where, override.where)

    def kin(self, lane: list[Tenure], kin: frozenset, label: str) -> None:
        """Notes tenures that would be rivals but for their precision."""
        if not kin:
            return
        for t in lane:
            others = [x for x in lane if (t.value, x.value) in kin and t.slo < x.ehi and x.slo < t.ehi][:AGAINST_MAX]
            if others:
                self.pending.append((t, "compare", "granularity", "accepted", "granularity_differs", others, ""))

    def conditions(self, lanes: dict[str, list[Tenure]]) -> None:
        """Notes values that live side by side under different conditions."""
        for condition, lane in lanes.items():
            for t in lane:
                others = [x for name, other in lanes.items() if name != condition for x in other if x.value != t.value][:AGAINST_MAX]
                if others:
                    self.pending.append((t, "compare", "condition", "accepted", "conditions_differ", others, t.condition))

    def decision(self, key, label, nugget, claim, rule, conflict_type, verdict, reason, against, evidence, also="") -> None:
        made = make_id("decision", label, key, nugget or claim, rule, conflict_type, also)
        self.decisions.append(
            (made, key, label, nugget, claim, rule, conflict_type, verdict, reason, sorted(against), evidence)
        )

    def tables(self) -> dict[str, pa.Table]:
        """nuggets, decisions."""
        nuggets, decisions = TABLES["nuggets"], TABLES["decisions"]
        if self.nuggets:
            row, *own = zip(*self.nuggets, strict=True)
            columns = dict(zip(OWN, map(_array, OWN, own), strict=True))
            taken = pa.array(row, pa.int64())
            columns |= {name: self.table[name].combine_chunks().take(taken) for name in FROM_CLAIM}
            columns |= {name: _list_array(self.lists[name]) for name in LISTS if name != "claim_ids"}
            flat = pa.array([r for rows in self.lists["claim_ids"] for r in rows], pa.int64())
            columns["claim_ids"] = _list_array(self.lists["claim_ids"], self.table["claim_id"].combine_chunks().take(flat))
            labels = sorted(set(own[OWN.index("label")]))
            acls = pa.array([x.split(",") for x in labels], pa.list_(pa.string()))
            columns["acl"] = acls.take(pc.index_in(columns["label"], value_set=pa.array(labels)))
            made = pa.Table.from_arrays([columns[n] for n in nuggets.fields], schema=nuggets.schema())
        else:
            made = nuggets.empty()
        if self.decisions:
            told = dict(zip(DECISION, zip(*self.decisions, strict=True), strict=True))
            arrays = [pa.array(told[f.name], f.type) for f in decisions.schema()]
            judged = pa.Table.from_arrays(arrays, schema=decisions.schema())
        else:
            judged = decisions.empty()
        return {"nuggets": nuggets.conform(made), "decisions": decisions.conform(judged)}


def _by_id(t: Tenure) -> str:
    return t.id


def _array(name: str, values: tuple) -> pa.Array:
    wanted = FIELDS[name].type
    plain = {DAY: pa.int32(), INSTANT: pa.int64()}.get(wanted)
    return pa.array(values, plain).cast(wanted) if plain else pa.array(values, wanted)


def _list_array(lists: list, flat: pa.Array | None = None) -> pa.Array:
    offsets = np.zeros(len(lists) + 1, np.int32)
    np.cumsum(np.fromiter(map(len, lists), np.int32, len(lists)), out=offsets[1:])
    if flat is None:
        flat = pa.array([x for part in lists for x in part], pa.string())
    return pa.ListArray.from_arrays(pa.array(offsets), flat)
