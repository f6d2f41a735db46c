"""Collects nuggets and decisions as columns and makes the two tables.

Guarantees: a nugget's fields come from its own claims and from the tenures that it was judged with, never from a claim
outside; equal tenures give equal rows.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from schemas.ids import content_hash, make_id
from schemas.tables import TABLES
from tasks.conflict.codes import AGAINST_MAX
from tasks.conflict.rows import Rows
from tasks.conflict.unite import BASES, NEG, POS, Tenure
from tasks.conflict.wording import Words

ATTRIBUTED = 0.9  # of the confidence of a claim that reports somebody else's words
KINDS = {"event": "event"}
FROM_CLAIM = ("key_id", "value_id", "tenant", "subject_id", "predicate", "scope", "cardinality", "object_id", "object",
              "object_type", "value", "unit")


def _usual(values: list[str]) -> str:
    """The value that most have, then the smallest."""
    first = values[0]
    if all(v == first for v in values):
        return first
    return min(set(values), key=lambda v: (-values.count(v), v))


class Output:
    """`add` takes the judged tenures of one key and label; `tables` gives what was collected."""

    def __init__(self, rows: Rows, words: Words) -> None:
        self.rows, self.words = rows, words
        self.nuggets: dict[str, list[Any]] = {n: [] for n in TABLES["nuggets"].fields}
        self.decisions: dict[str, list[Any]] = {n: [] for n in TABLES["decisions"].fields}
        self.pending: list[tuple] = []  # decisions about tenures that have no id yet

    def add(self, tenures: list[Tenure], label: str) -> None:
        """Writes the nuggets of one key and label, and the decisions that made them."""
        c, put = self.rows, self.nuggets
        acl = label.split(",")
        subject = _usual([c.subject[r] for t in tenures for r in t.rows])
        for t in tenures:
            rows, r = t.rows, t.rows[0]
            kind = "statement" if c.predicate[r] == "states" else KINDS.get(c.cardinality[r], "fact")
            condition = c.condition[r] if len(rows) == 1 else _usual([c.condition[x] for x in rows])
            text, rendition = self.words.text(kind, subject, c.predicate[r], c.scope[r], c.object[r], condition, t)
            for name in FROM_CLAIM:
                put[name].append(getattr(c, name)[r])
            put["nugget_id"].append(t.id)
            put["label"].append(label)
            put["acl"].append(acl)
            put["kind"].append(kind)
            put["subject"].append(subject)
            put["condition"].append(condition)
            put["text"].append(text)
            put["rendition"].append(rendition)
            put["text_hash"].append(content_hash(text))
            put["rendition_hash"].append(content_hash(rendition))
            put["start_min"].append(t.slo if t.slo > NEG else None)
            put["start_max"].append(t.shi if t.shi < POS else None)
            put["end_min"].append(t.elo if t.elo > NEG else None)
            put["end_max"].append(t.ehi if t.ehi < POS else None)
            put["start_basis"].append(BASES[t.srank])
            put["end_basis"].append(BASES[t.erank])
            put["start_confidence"].append(t.sconf)
            put["end_confidence"].append(t.econf)
            known = [c.recorded_from[x] for x in rows if c.recorded_from[x] is not None]
            until = [c.recorded_to[x] for x in rows]
            put["recorded_from"].append(min(known) if known else None)
            put["recorded_to"].append(None if None in until else max(until))
            put["state"].append(t.state)
            put["reason"].append(t.reason)
            put["source_count"].append(len(t.sources))
            put["source_groups"].append(list(t.sources))
            put["claim_ids"].append([c.claim_id[x] for x in rows])
            put["supersedes"].append(sorted(x.id for x in t.supersedes))
            put["superseded_by"].append(sorted(x.id for x in t.superseded_by))
            put["confidence"].append(self.confidence(t))
            put["language"].append(c.language[r] if len(rows) == 1 else _usual([c.language[x] for x in rows]))
            self.judged(t, label)
        for t, rule, conflict_type, verdict, reason, against, evidence in self.pending:
            self.decision(c.key_id[t.rows[0]], label, t.id, None, rule, conflict_type, verdict, reason,
                          [x.id for x in against], evidence)
        self.pending.clear()

    def confidence(self, t: Tenure) -> float:
        """See the text of `resolve`."""
        c = self.rows
        if t.reason in ("pinned", "suppressed"):
            return 1.0 if t.pinned else 0.0
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
        put = self.decisions
        put["decision_id"].append(make_id("decision", label, key, nugget or claim, rule, conflict_type, also))
        for name, value in (("key_id", key), ("label", label), ("nugget_id", nugget), ("claim_id", claim), ("rule", rule),
                            ("conflict_type", conflict_type), ("verdict", verdict), ("reason", reason),
                            ("against", sorted(against)), ("evidence", evidence)):
            put[name].append(value)

    def tables(self) -> dict[str, pa.Table]:
        """nuggets, decisions."""
        out = {}
        for name, columns in (("nuggets", self.nuggets), ("decisions", self.decisions)):
            schema = TABLES[name].schema()
            arrays = []
            for field in schema:
                plain = {"start_min": pa.int32(), "start_max": pa.int32(), "end_min": pa.int32(), "end_max": pa.int32(),
                         "recorded_from": pa.int64(), "recorded_to": pa.int64()}.get(field.name)
                array = pa.array(columns[field.name], plain or field.type)
                arrays.append(array.cast(field.type) if plain else array)
            out[name] = TABLES[name].conform(pa.Table.from_arrays(arrays, schema=schema))
        return out
