"""The claims of a shard as one list per column, and what is decided for all of them at once: rejection and label.

Guarantees: each column is turned into Python once; days are ints (NEG and POS for null), instants seconds.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.ids import fold_name
from tasks.conflict.unite import NEG, POS, RANK, WEAK

UNDONE = ("corrected", "vandalism")  # what a page's own history says was never so
HELD_BEFORE = "held_before"  # the rule of claims in the past tense that state no time
COLUMNS = (
    "key_id", "value_id", "claim_id", "document_id", "source_group", "tenant", "label", "subject_id", "subject", "predicate",
    "scope", "cardinality", "object_id", "object", "object_type", "value", "unit", "condition", "attribution", "confidence",
    "language", "history",
)


def _codes(table: pa.Table, column: str, wanted: dict[str, int], other: int) -> np.ndarray:
    encoded = table[column].combine_chunks().dictionary_encode()
    names = np.array([wanted.get(n, other) for n in encoded.dictionary.to_pylist()] or [other])
    return names[encoded.indices.fill_null(0).to_numpy(zero_copy_only=False)]


def _days(table: pa.Table, column: str, null: int) -> np.ndarray:
    days = pc.cast(table[column].combine_chunks(), pa.int32())
    return np.asarray(pc.fill_null(pc.cast(days, pa.int64()), null))


class Rows:
    """Columns as attributes, e.g. `rows.claim_id[n]`. `interval`: (slo, shi, elo, ehi, srank, erank, sconf, econf)."""

    def __init__(self, table: pa.Table) -> None:
        for name in COLUMNS:
            setattr(self, name, table[name].to_pylist())
        slo, shi = _days(table, "start_min", NEG), _days(table, "start_max", POS)
        elo, ehi = _days(table, "end_min", NEG), _days(table, "end_max", POS)
        ranks = [_codes(table, f"{side}_basis", RANK, RANK[""]) for side in ("start", "end")]
        sure = [np.round(table[f"{side}_confidence"].to_numpy().astype(np.float64), 6).tolist() for side in ("start", "end")]
        self.interval = list(zip(
            slo.tolist(), shi.tolist(), elo.tolist(), ehi.tolist(), ranks[0].tolist(), ranks[1].tolist(), *sure, strict=True
        ))
        recorded = [pc.cast(table[f"recorded_{side}"].combine_chunks(), pa.int64()).to_pylist() for side in ("from", "to")]
        self.recorded_from, self.recorded_to = recorded
        self.undone = [h if h in UNDONE else "" for h in self.history]
        self.past = pc.equal(table["rule_id"], HELD_BEFORE).to_pylist()
        self.condition_fold = [fold_name(x) if x else "" for x in self.condition]
        self.view = ["public" if x == "public" or "public" in x.split(",") else x for x in self.label]
        impossible = (slo > shi) | (elo > ehi) | (slo >= ehi)
        negative = _codes(table, "polarity", {"positive": 0}, 1)
        modality = _codes(table, "modality", {"asserted": 0, "planned": 1}, 2)
        # A plan with a stated first day that had come when the text was still told is told as what happened.
        dates = [pc.cast(table[name].combine_chunks(), pa.int64()) for name in ("source_date", "recorded_to")]
        told = pc.fill_null(pc.min_element_wise(*dates), np.iinfo(np.int64).min).to_numpy() // 86400
        came = (np.array(ranks[0]) < WEAK) & (slo > NEG) & (shi <= told)
        modality[(modality == 1) & came] = 0
        unreadable = _codes(table, "label", {"": 1}, 0)
        code = np.select(
            [unreadable == 1, negative == 1, modality == 1, modality == 2, impossible], [1, 2, 3, 4, 5], 0
        )
        names = ("", "unreadable", "negative", "planned", "hypothetical", "impossible_interval")
        self.reject = [names[n] for n in code.tolist()]
