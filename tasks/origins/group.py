"""Groups documents into sources: exact copies, and near copies found by LSH bands and verified by their sketches.

Guarantees: the result is a function of the set of documents. Public documents are grouped among themselves; those of
another access label join the public groups or form their own, but never move, join or number a public one, so that a
restricted document changes nothing about public sources. Tenants never meet. A band that holds more than `band_cap`
distinct texts is capped and reported, never silently.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from schemas.errors import IntegrityError
from schemas.ids import content_hash
from schemas.tables import TABLES, quarantine_row

EMPTY_HASH = content_hash("")
PAIR_BLOCK = 20_000  # pairs of sketches compared at a time: 2 x 20,000 x 128 x 4 bytes
NEVER = 1 << 62


class UnionFind:
    """Disjoint sets whose root is the smallest member, so that the order of unions cannot matter."""

    def __init__(self) -> None:
        self.parent: dict = {}

    def find(self, item):
        parent = self.parent
        parent.setdefault(item, item)
        root = item
        while parent[root] != root:
            root = parent[root]
        while parent[item] != root:
            parent[item], item = root, parent[item]
        return root

    def union(self, a, b) -> None:
        a, b = self.find(a), self.find(b)
        if a != b:
            low, high = (a, b) if a < b else (b, a)
            self.parent[high] = low


def band_keys(sketches: np.ndarray, bands: int) -> np.ndarray:
    """uint64[texts, bands]: one hash per band of rows; equal rows give equal keys. Leskovec et al., MMD ch. 3.4."""
    rows = sketches.shape[1] // bands
    if rows == 0:
        raise IntegrityError(
            f"{bands} bands over {sketches.shape[1]} permutations", expected="[origins] bands <= permutations"
        )
    parts = sketches[:, : rows * bands].reshape(len(sketches), bands, rows).astype(np.uint64)
    key = np.full(parts.shape[:2], 0xCBF29CE484222325, np.uint64)
    for row in range(rows):  # FNV-1a over words, wrapping
        key = (key ^ parts[:, :, row]) * np.uint64(0x100000001B3)
        key ^= key >> np.uint64(29)
    return key


def candidate_pairs(keys: np.ndarray, fresh: np.ndarray, cap: int) -> tuple[np.ndarray, list[tuple[int, int, int]]]:
    """Pairs (low, high) of rows that share a band, at least one of them `fresh`; and (band, first row, size) of capped bands.

    A band is capped to its first `cap` fresh and first `cap` other rows. Rows are in order of document_id.
    """
    found: list[np.ndarray] = []
    capped: list[tuple[int, int, int]] = []
    for band in range(keys.shape[1]):
        column = keys[:, band]
        order = np.lexsort((np.arange(len(column)), column))
        edges = np.flatnonzero(np.diff(column[order])) + 1
        starts, stops = np.r_[0, edges], np.r_[edges, len(order)]
        for start, stop in zip(starts[stops - starts > 1], stops[stops - starts > 1], strict=True):
            members = order[start:stop]
            new, old = members[fresh[members]], members[~fresh[members]]
            if not len(new):
                continue
            if len(new) > cap or len(old) > cap:
                capped.append((band, int(members[0]), len(members)))
                new, old = new[:cap], old[:cap]
            i, j = np.triu_indices(len(new), 1)
            pairs = [np.stack([new[i], new[j]], 1)]
            if len(old):
                pairs.append(np.sort(np.stack([np.repeat(new, len(old)), np.tile(old, len(new))], 1), 1))
            found.append(np.concatenate(pairs))
    if not found:
        return np.empty((0, 2), np.int64), capped
    return np.unique(np.concatenate(found), axis=0), capped


def verified(sketches: np.ndarray, pairs: np.ndarray, threshold: float) -> Iterable[tuple[int, int, float]]:
    """The pairs whose estimated Jaccard (share of equal sketch values) reaches the threshold."""
    for at in range(0, len(pairs), PAIR_BLOCK):
        block = pairs[at : at + PAIR_BLOCK]
        jaccard = (sketches[block[:, 0]] == sketches[block[:, 1]]).mean(axis=1)
        for n in np.flatnonzero(jaccard >= threshold):
            yield int(block[n, 0]), int(block[n, 1]), float(jaccard[n])


class _Texts:
    """The distinct texts of one pass: which documents have each, which of these are fresh, and the oldest of them."""

    def __init__(self, documents: list[int], fresh: set[int], data: dict[str, list]) -> None:
        members: dict[str, list[int]] = {}
        for d in documents:
            if data["content_hash"][d] != EMPTY_HASH:
                members.setdefault(data["content_hash"][d], []).append(d)
        self.members = sorted(members.values())  # documents are in order of id, so texts are too
        self.fresh = np.array([any(d in fresh for d in m) for m in self.members], bool)
        self.oldest = [min(m, key=lambda d: (data["date"][d], d)) for m in self.members]


def _pass(
    documents: list[int], fresh: set[int], group: dict[int, int], data: dict[str, list], part: Mapping[str, Any],
    edges: list[dict], capped: list[dict],
) -> None:
    """Sets `group` of the fresh documents and adds their edges; other documents keep the group they have."""
    texts = _Texts(documents, fresh, data)
    near: dict[int, list[tuple[int, float]]] = {t: [] for t in range(len(texts.members))}
    long = [t for t, m in enumerate(texts.members) if data["row"][m[0]] >= 0]
    if len(long) > 1:
        sketches = data["sketches"][[data["row"][texts.members[t][0]] for t in long]]
        pairs, over = candidate_pairs(band_keys(sketches, part["bands"]), texts.fresh[long], part["band_cap"])
        for a, b, jaccard in verified(sketches, pairs, part["threshold"]):
            near[long[a]].append((long[b], jaccard))
            near[long[b]].append((long[a], jaccard))
        for band, first, size in over:
            document = data["document_id"][texts.members[long[first]][0]]
            capped.append(quarantine_row(
                "origins", document, f"band {band}", "band_capped",
                f"{size} distinct texts share this LSH band; only the first {part['band_cap']} were compared. "
                "Raise [origins] band_cap, or fewer bands make bands smaller.", "info",
            ))
    # Fresh documents join one another directly, and join what stands as groups; two standing groups are never joined.
    sets, standing = UnionFind(), {}
    for t, members in enumerate(texts.members):
        linked = members + [d for other, _ in near[t] for d in texts.members[other]]
        new = [d for d in linked if d in fresh]
        if any(d in fresh for d in members):
            for d in new:
                sets.union(new[0], d)
    for t, members in enumerate(texts.members):
        new = [d for d in members if d in fresh]
        if new:
            old = [group[d] for s in (t, *(o for o, _ in near[t])) for d in texts.members[s] if d not in fresh]
            standing.setdefault(sets.find(new[0]), []).extend(old)
    for d in sorted(fresh):
        root = sets.find(d)
        group[d] = min(standing.get(root) or [root])
    for t, members in enumerate(texts.members):
        if not texts.fresh[t]:
            continue
        offers = [(texts.oldest[t], 1.0)] + [(texts.oldest[other], jaccard) for other, jaccard in near[t]]
        origin, jaccard = min(offers, key=lambda o: (data["date"][o[0]], o[0]))
        for d in members:
            if d in fresh and (data["date"][origin], origin) < (data["date"][d], d):
                edges.append({
                    "from_id": data["document_id"][d], "to_id": data["document_id"][origin], "edge": "copy_of",
                    "evidence": f"jaccard={jaccard:.2f}", "confidence": jaccard,
                })


def reduce_origins(config: Mapping[str, Any], tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """sketches, documents -> origins (document_id -> source_group), the same as `groups`, source_edges, quarantine.

    `source_group` is the smallest document_id of the group. An edge leads from a document to its oldest likeness
    (source_date, then id; a document without a date is taken as the younger one).
    """
    part = config["origins"]
    documents = tables["documents"].sort_by("document_id")
    found = {
        d: (h, s, n)
        for n, (d, h, s) in enumerate(zip(
            *(tables["sketches"][c].to_pylist() for c in ("document_id", "content_hash", "scheme")), strict=True
        ))
    }
    if len({scheme for _, scheme, _ in found.values()}) > 1:
        raise IntegrityError(
            "sketches of more than one scheme", expected="one scheme, seed and version", fix="run `lode rerun origins`"
        )
    column = tables["sketches"]["sketch"].combine_chunks()
    present = np.asarray(column.is_valid().to_numpy(zero_copy_only=False), bool)
    row_of = np.where(present, np.cumsum(present) - 1, -1)
    flat = column.drop_null().flatten().to_numpy(zero_copy_only=False)
    names = documents["document_id"].to_pylist()
    data: dict[str, Any] = {
        "document_id": names,
        "content_hash": [found[d][0] if d in found else EMPTY_HASH for d in names],
        "row": [int(row_of[found[d][2]]) if d in found else -1 for d in names],
        "date": [NEVER if v is None else v for v in documents["source_date"].cast(pa.int64()).to_pylist()],
        "sketches": flat.reshape(int(present.sum()), -1) if present.any() else np.empty((0, part["permutations"]), np.uint32),
    }
    tenants: dict[str, dict[str, list[int]]] = {}
    for d, (tenant, label) in enumerate(zip(documents["tenant"].to_pylist(), documents["label"].to_pylist(), strict=True)):
        kind = "public" if "public" in label.split(",") else label
        tenants.setdefault(tenant, {}).setdefault(kind, []).append(d)
    group: dict[int, int] = {}
    edges: list[dict] = []
    capped: dict[str, dict] = {}
    for _, labels in sorted(tenants.items()):
        public = labels.pop("public", [])
        over: list[dict] = []
        _pass(public, set(public), group, data, part, edges, over)
        for _, own in sorted(labels.items()):
            _pass(sorted(public + own), set(own), group, data, part, edges, over)
        for row in over:
            capped.setdefault(row["quarantine_id"], row)
    grouped = [{"document_id": names[d], "source_group": names[g]} for d, g in sorted(group.items())]
    return {
        "origins": TABLES["origins"].from_rows(grouped),
        "groups": TABLES["groups"].from_rows(grouped),
        "source_edges": TABLES["source_edges"].from_rows(edges),
        "quarantine": TABLES["quarantine"].from_rows(list(capped.values())),
    }
