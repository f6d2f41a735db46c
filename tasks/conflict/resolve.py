"""Runs the judgement over the keys of a shard: claims in, nuggets and decisions out.

Guarantees: one pass per key and label. Public claims are judged alone (label `public`); every other label that has claims
of its own which state a fact is judged over the public claims and its own, and all nuggets of the key are written for it.
A label whose claims on a key are all rejected has the public verdict. Labels that contain the group `public` are public.

Confidence of a nugget: 1 - prod(1 - c_g) over its source groups, c_g the best confidence of a claim of the group (0.9 of
it where the claim reports somebody else's words); contested and deprecated nuggets have this times their share of the
sources, own / (own + strongest rival). Pinned: 1. Suppressed: 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.ids import fold_name, nugget_id
from schemas.tables import TABLES
from schemas.time import year_of as _year_of
from tasks.conflict.judge import Rules, chain, judge
from tasks.conflict.kin import kin_of
from tasks.conflict.output import Output
from tasks.conflict.overrides import OverrideIndex, read_overrides
from tasks.conflict.rows import Rows
from tasks.conflict.unite import NEG, POS, Tenure, unite
from tasks.conflict.wording import Words

year_of = lru_cache(maxsize=65536)(_year_of)


class Resolver:
    """Judges one key at a time."""

    def __init__(self, config: Mapping[str, Any], table: pa.Table) -> None:
        self.rows = Rows(table)
        self.out = Output(table, self.rows, Words(config["predicates"]))
        self.overrides = OverrideIndex(read_overrides(config["overrides"]))
        self.half_lives = {n: p["half_life_days"] for n, p in config["predicates"].items()}
        self.conflict = config["conflict"]
        self.rules: dict[str, Rules] = {}

    def rules_of(self, predicate: str) -> Rules:
        found = self.rules.get(predicate)
        if found is None:
            found = self.rules[predicate] = Rules(
                self.conflict["outvote_ratio"], self.conflict["min_sources_to_outvote"], self.half_lives.get(predicate, 1500)
            )
        return found

    def key(self, rows: list[int]) -> None:
        """Judges the claims of one key, in order of claim_id, for every label that has a say."""
        view = self.rows.view
        if len(rows) == 1 and not self.rows.reject[rows[0]]:
            self.judge(rows, view[rows[0]])
            return
        labels: dict[str, list[int]] = {}
        for r in rows:
            reason = self.rows.reject[r]
            if reason:
                self.out.reject(r, view[r], reason)
            else:
                labels.setdefault(view[r], []).append(r)
        public = labels.pop("public", [])
        if public:
            self.judge(public, "public")
        if labels:
            place = {r: n for n, r in enumerate(rows)}
            for label in sorted(labels):
                self.judge(sorted(public + labels[label], key=place.__getitem__), label)

    def judge(self, rows: list[int], label: str) -> None:
        """Judges the claims that a label reads; rows are in order of claim_id."""
        c = self.rows
        if len(rows) == 1 and not self.overrides.by_predicate and not c.undone[rows[0]]:  # the easy majority
            t = Tenure(c.value_id[rows[0]], *c.interval[rows[0]], rows)
            t.sources = (c.source_group[rows[0]],)
            if c.past[rows[0]] and c.cardinality[rows[0]] == "functional":
                t.past, t.reason = True, "held_before"
            tenures = [t]
            if c.predicate[rows[0]] == "states":
                t.reason = "statement"
        else:
            tenures = self.tenures(rows)
            self.decide(rows, tenures, label)
        self.name(rows[0], tenures, label)
        self.out.add(tenures, label)

    def tenures(self, rows: list[int]) -> list[Tenure]:
        """United tenures of all values of one key, in canonical order."""
        c = self.rows
        event = c.cardinality[rows[0]] == "event"
        values: dict[tuple[str, str, str], dict[tuple, list[int]]] = {}
        for r in rows:
            values.setdefault((c.value_id[r], c.condition_fold[r], c.undone[r]), {}).setdefault(c.interval[r], []).append(r)
        out = []
        for (value, condition, undone), entries in values.items():
            for t in unite(value, entries, event):
                t.condition = condition
                t.undone, t.suppressed = undone, bool(undone)
                t.past = all(c.past[r] for r in t.rows)
                if len(t.rows) > 1:
                    t.rows.sort(key=c.claim_id.__getitem__)
                    t.sources = tuple(sorted({c.source_group[r] for r in t.rows}))
                    t.count = len(t.sources)
                else:
                    t.sources = (c.source_group[t.rows[0]],)
                t.unit = c.unit[t.rows[0]] if c.object_type[t.rows[0]] == "quantity" else ""
                out.append(t)
        return sorted(out, key=Tenure.order)

    def decide(self, rows: list[int], tenures: list[Tenure], label: str) -> None:
        """Sets the state of every tenure of the key."""
        c, first = self.rows, rows[0]
        overrides = self.overrides.for_key(c.tenant[first], c.subject_id[first], c.subject[first], c.predicate[first], c.scope[first])
        lanes: dict[str, list[Tenure]] = {}
        for t in tenures:
            lanes.setdefault(t.condition, []).append(t)
        functional = c.cardinality[first] == "functional"
        kins = {}
        rules = self.rules_of(c.predicate[first])
        if functional:
            for condition, lane in lanes.items():
                kins[condition] = kin_of({t.value: self.typed(t.rows[0]) for t in lane}) if len(lane) > 1 else frozenset()
        if overrides:
            if functional:  # ends by succession first: an override's day is inside the interval as it is shown
                for condition, lane in lanes.items():
                    judge(lane, rules, kins[condition])
            self.apply(overrides, tenures, rows[0], label)
            for t in tenures:
                t.state, t.reason, t.rule, t.kind, t.against = "active", "uncontradicted", "", "", []
        for condition, lane in lanes.items():
            if functional:
                if len(lane) > 1 or lane[0].pinned:
                    judge(lane, rules, kins[condition])
                    chain([t for t in lane if not t.undone])
                    self.out.kin([t for t in lane if not t.undone], kins[condition], label)
            else:
                several = len({t.value for t in lane if not t.undone}) > 1
                for t in lane:
                    t.reason = "coexists" if several else "uncontradicted"
                    if c.predicate[first] == "states":
                        t.reason = "statement"
                    elif t.pinned:
                        t.reason, t.rule = "pinned", "override_pin"
        for t in tenures:
            if t.undone:
                t.state, t.reason, t.rule, t.kind, t.against = "deprecated", t.undone, "page_history", "", []
            elif t.suppressed:
                t.state, t.reason, t.rule, t.kind, t.against = "deprecated", "suppressed", "override_suppress", "", []
            elif functional and t.past and t.state == "active" and t.reason == "uncontradicted":
                t.reason = "held_before"
        if functional and len(lanes) > 1:
            self.out.conditions({condition: [t for t in lane if not t.undone] for condition, lane in lanes.items()})

    def typed(self, r: int) -> tuple:
        c = self.rows
        kind = c.object_type[r]
        return kind, c.object_id[r], fold_name(c.object[r]) if kind == "string" else "", c.value[r], c.unit[r]

    def apply(self, overrides, tenures: list[Tenure], row: int, label: str) -> None:
        """Marks what overrides name; reports those that name none or several of this key."""
        c = self.rows
        for o in overrides:
            found = [
                t for t in tenures
                if o.object in (c.object_id[t.rows[0]], fold_name(c.object[t.rows[0]])) and o.meets(t.slo, t.ehi)
            ]
            found = [t for t in found if not t.undone] or found
            if len(found) != 1:
                self.out.unmatched(row, label, o, len(found))
                continue
            t = found[0]
            if t.undone:  # an override has the last word, over the page's history too
                t.undone, t.suppressed = "", False
            if o.kind == "pin":
                t.pinned = True
            else:
                t.suppressed = True

    def name(self, row: int, tenures: list[Tenure], label: str) -> None:
        """Gives nugget ids: n counts the tenures of one value that start in the same year, those that pages take back last."""
        c = self.rows
        key, counted = c.key_id[row], {}
        for t in sorted(tenures, key=lambda t: t.undone):
            year = year_of(t.slo) if t.slo > NEG and t.shi < POS else None
            obj = c.object_id[t.rows[0]]
            n = counted[obj, year] = counted.get((obj, year), -1) + 1
            t.id = nugget_id(label, key, obj, year, n)


def resolve(config: Mapping[str, Any], tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """values -> nuggets, decisions."""
    table = tables["values"]
    if table.num_rows == 0:
        read_overrides(config["overrides"])
        return {name: TABLES[name].empty() for name in ("nuggets", "decisions")}
    order = pc.sort_indices(table, sort_keys=[("key_id", "ascending"), ("claim_id", "ascending")]).to_numpy()
    codes = table["key_id"].combine_chunks().dictionary_encode().indices.to_numpy()[order]
    starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])
    resolver = Resolver(config, table)
    rows = order.tolist()
    for start, stop in zip(starts.tolist(), np.r_[starts[1:], len(codes)].tolist(), strict=True):
        resolver.key(rows[start:stop])
    return resolver.out.tables()
