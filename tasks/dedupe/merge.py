"""Gives every claim of a key the value it supports.

Guarantees: claims of equal object are one value; strings and unlinked names are also one value where `likeness.same`
says so. Values of public claims are formed from public claims alone; claims of another label join these or form their
own, so that a restricted claim neither joins two public values nor renames one. A value's object is the one with most
claims, then the longest, then the smallest: no order of claims matters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.ids import name_entity_id, value_id
from schemas.tables import TABLES
from tasks.dedupe.likeness import Form, form_of, same, sketch_of

# Entity types that an unlinked name may have been given; its id is made of the name and one of these.
NAME_TYPES = ("", "PERSON", "ORG", "GPE", "LOC", "NORP", "FAC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "LANGUAGE")
CANONICAL = ("object_id", "object", "object_type", "value", "unit")


def _is_public(label: str) -> bool:
    return "public" in label.split(",")


def _best(rows: list[int], wording: list[str], detail: list[tuple]) -> int:
    """The row whose wording most rows have, then the longest, then the smallest wording, unit and value."""
    if len(rows) == 1:
        return rows[0]
    count: dict[str, int] = {}
    for r in rows:
        count[wording[r]] = count.get(wording[r], 0) + 1
    return min(rows, key=lambda r: (-count[wording[r]], -len(wording[r]), wording[r], detail[r]))


class _Merger:
    """Merges the values of one key at a time; holds the columns of the shard as lists."""

    def __init__(self, table: pa.Table, threshold: float) -> None:
        self.threshold = threshold
        self.object_id = table["object_id"].to_pylist()
        self.object = table["object"].to_pylist()
        self.type = table["object_type"].to_pylist()
        self.document = table["document_id"].to_pylist()
        self.label = table["label"].to_pylist()
        value = pc.fill_null(table["value"], -1.0).to_pylist()
        self.detail = list(zip(self.type, table["unit"].to_pylist(), value, table["value"].is_null().to_pylist(), strict=True))
        self.forms: dict[str, Form] = {}
        self.sketches: dict[str, tuple[str, str]] = {}

    def sketch(self, text: str) -> tuple[str, str]:
        found = self.sketches.get(text)
        if found is None:
            found = self.sketches[text] = sketch_of(text)
        return found

    def form(self, text: str) -> Form:
        found = self.forms.get(text)
        if found is None:
            found = self.forms[text] = form_of(text)
        return found

    def _mergeable(self, row: int) -> bool:
        """Strings, and names that no page, alias or wikilink stands behind."""
        if self.type[row] == "string":
            return True
        return self.type[row] == "entity" and any(
            self.object_id[row] == name_entity_id(self.object[row], kind, local)
            for kind in NAME_TYPES for local in (None, self.document[row])
        )

    def _alike(self, left: list[int], right: list[int] | None) -> list[tuple[int, int]]:
        """Pairs of rows whose objects are one value: within `left`, or between `left` and `right`.

        Rows that could be the same have equal exact parts and share all words, or all but one: two hash joins find
        them, so that a key of thousands of strings costs no square.
        """
        rough: dict[tuple, int] = {}
        for row in left if right is None else left + right:
            key = self.sketch(self.object[row])
            rough[key] = rough.get(key, 0) + 1
        if len(rough) == len(left) + len(right or ()):
            return []
        left = [row for row in left if rough[self.sketch(self.object[row])] > 1]
        right = right and [row for row in right if rough[self.sketch(self.object[row])] > 1]
        buckets: dict[tuple, list[int]] = {}
        for row in left if right is None else right:
            form = self.form(self.object[row])
            for key in self._keys(form):
                buckets.setdefault(key, []).append(row)
        pairs = []
        for row in left:
            form = self.form(self.object[row])
            for key in self._keys(form):
                for other in buckets.get(key, ()):
                    if (right is None and other <= row) or self.type[other] != self.type[row]:
                        continue
                    if same(form, self.form(self.object[other]), self.threshold):
                        pairs.append((row, other))
        return [(a, b) for a, b in dict.fromkeys(pairs) if self._mergeable(a) and self._mergeable(b)]

    @staticmethod
    def _keys(form: Form) -> list[tuple]:
        out: list[tuple] = [("folded", form.folded), ("words", form.exact, form.words)]
        for n, short in enumerate(form.exact[4]):
            if short == "":
                words = form.words
                out.append(("but one", form.exact, n, words[:n], words[n + 1 :]))
        return out

    def key(self, rows: list[int]) -> list[int]:
        """For each row of one key, the row that represents its value."""
        objects: dict[str, list[int]] = {}
        for r in rows:
            objects.setdefault(self.object_id[r], []).append(r)
        if len(objects) == 1 and all(_is_public(self.label[r]) for r in rows):
            return [_best(rows, self.object, self.detail)] * len(rows)
        chosen: dict[int, int] = {}
        public = [r for r in rows if _is_public(self.label[r])]
        standing = self._settle(public, {}, chosen)
        for label in sorted({self.label[r] for r in rows} - {self.label[r] for r in public}):
            self._settle([r for r in rows if self.label[r] == label], standing, chosen)
        return [chosen[r] for r in rows]

    def _settle(self, rows: list[int], standing: dict[str, int], chosen: dict[int, int]) -> dict[str, int]:
        """Chooses for `rows`, given values that stand (object_id -> representative row); gives the new ones."""
        objects: dict[str, list[int]] = {}
        for r in rows:
            objects.setdefault(self.object_id[r], []).append(r)
        best = {o: _best(rs, self.object, self.detail) for o, rs in objects.items()}
        fuzzy = [best[o] for o in sorted(best) if o not in standing and self.type[best[o]] in ("string", "entity")]
        parent = {o: o for o in objects}

        def find(o: str) -> str:
            while parent[o] != o:
                parent[o] = parent[parent[o]]
                o = parent[o]
            return o

        if len(fuzzy) > 1:
            for a, b in self._alike(fuzzy, None):
                one, two = sorted((find(self.object_id[a]), find(self.object_id[b])))
                parent[two] = one
        offers: dict[str, list[int]] = {}
        for o in objects:
            if o in standing:
                offers.setdefault(find(o), []).append(standing[o])
        if fuzzy and standing:
            others = sorted({r for r in standing.values() if self.type[r] in ("string", "entity")})
            for a, b in self._alike(fuzzy, others) if others else ():
                offers.setdefault(find(self.object_id[a]), []).append(b)
        members: dict[str, list[str]] = {}
        for o in sorted(objects):
            members.setdefault(find(o), []).append(o)
        out = {}
        for root, parts in members.items():
            if root in offers:
                winner = min(offers[root], key=lambda r: (self.object_id[r], self.object[r]))
            else:
                winner = min(
                    (best[o] for o in parts),
                    key=lambda r: (-len(objects[self.object_id[r]]), -len(self.object[r]), self.object[r], self.object_id[r]),
                )
            for o in parts:
                out[o] = winner
                for r in objects[o]:
                    chosen[r] = winner
        return out


def merge_values(config: Mapping[str, Any], tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """sourced -> values: the same rows with `value_id`, their object replaced by the value's."""
    spec = TABLES["values"]
    table = tables["sourced"]
    if table.num_rows == 0:
        return {"values": spec.empty()}
    order = pc.sort_indices(table, sort_keys=[("key_id", "ascending"), ("claim_id", "ascending")]).to_numpy()
    key = table["key_id"].combine_chunks().dictionary_encode()
    codes = key.indices.to_numpy()
    ordered = codes[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    stops = np.r_[starts[1:], len(codes)]
    merger = _Merger(table, config["dedupe"]["jaccard_threshold"])
    chosen = np.arange(len(codes))
    several = stops - starts > 1
    for start, stop in zip(starts[several].tolist(), stops[several].tolist(), strict=True):
        rows = order[start:stop].tolist()
        chosen[rows] = merger.key(rows)
    names = key.dictionary.to_pylist()
    made: dict[tuple[int, str], str] = {}
    ids = []
    for code, row in zip(codes.tolist(), chosen.tolist(), strict=True):
        at = (code, merger.object_id[row])
        found = made.get(at)
        if found is None:
            found = made[at] = value_id(names[code], at[1])
        ids.append(found)
    if (chosen != np.arange(len(codes))).any():
        source = pa.array(chosen)
        for column in CANONICAL:
            table = table.set_column(table.schema.get_field_index(column), table.schema.field(column), table[column].take(source))
    return {"values": spec.conform(table.append_column("value_id", pa.array(ids)))}
