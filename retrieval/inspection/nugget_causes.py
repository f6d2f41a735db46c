"""Why a nugget came, went, or was judged anew: its evidence, its rivals, the decision before and after, the settings.

Guarantees: evidence is what the nugget's own `claim_ids` gained and lost; rivals are claims of the same key with another
value that the nugget's label reads, where the key admits one value at a time. Lists hold at most EVIDENCE_MAX claims, beside the full number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from retrieval.inspection.causes import Causes
from retrieval.inspection.pair import NEW, OLD, SIDES

EVIDENCE_MAX = 20
BATCH = 2_000
_BOUNDS = ("start_min", "start_max", "end_min", "end_max", "start_basis", "end_basis", "recorded_from", "recorded_to", "source_group")
_VALUE = ("claim_id", "key_id", "document_id", "label", "object_id", "object", "rule_id", *_BOUNDS)
_DECISION = ("key_id", "label", "nugget_id", "claim_id", "rule", "conflict_type", "verdict", "reason", "against", "evidence")
TOLD = ("rule", "conflict_type", "verdict", "reason", "against", "evidence")


def nugget_causes(causes: Causes, entries: Sequence[tuple[dict | None, dict | None]]) -> list[dict[str, Any]]:
    """One cause per (old row, new row) of nuggets, None being absent: {why: [text], evidence: {went, came, changed and
    their numbers}, rivals: the same, decisions: {before, after}}. Rows have the columns of the nugget level's `shown`."""
    out: list[dict[str, Any]] = []
    for start in range(0, len(entries), BATCH):
        out += _batch(causes, entries[start : start + BATCH])
    return out


def _batch(causes: Causes, entries: Sequence[tuple[dict | None, dict | None]]) -> list[dict[str, Any]]:
    known = _Known(causes, {(o or n or {})["key_id"] for o, n in entries})
    return [_one(known, o, n) for o, n in entries]


class _Known:
    """What both releases say of some keys: their claims, decisions and rejections, read once."""

    def __init__(self, causes: Causes, keys: set[str]) -> None:
        self.causes, pair = causes, causes.pair
        self.claims: dict[str, dict[str, dict]] = {}
        self.decisions: dict[str, dict[str, list[dict]]] = {side: defaultdict(list) for side in SIDES}
        self.rejected: dict[str, dict[tuple, dict]] = {OLD: {}, NEW: {}}
        self._by_key: dict[str, dict[str, list[dict]]] = {side: defaultdict(list) for side in SIDES}
        self._read: dict[tuple[str, str, str], set[str]] = {}
        for side in SIDES:
            rows = pair.lookup(side, "values", "key_id", keys, _VALUE, units=keys)
            self.claims[side] = {r["claim_id"]: r for r in rows}
            for r in rows:
                self._by_key[side][r["key_id"]].append(r)
            for r in pair.lookup(side, "decisions", "key_id", keys, _DECISION, units=keys):
                if r["nugget_id"]:
                    self.decisions[side][r["nugget_id"]].append({k: r[k] for k in TOLD})
                elif r["claim_id"] and r["verdict"] == "rejected":
                    self.rejected[side][r["label"], r["claim_id"]] = r
        old, new = self.claims[OLD], self.claims[NEW]
        self.changed = {
            c: found for c in old.keys() & new.keys() if (found := {k: [old[c][k], new[c][k]] for k in _BOUNDS if old[c][k] != new[c][k]})
        }
        causes.load({r["document_id"] for side in SIDES for r in self.claims[side].values()})
        gone, fresh = ({c: r["document_id"] for c, r in a.items() if c not in b} for a, b in ((old, new), (new, old)))
        self._why = causes.claims(gone, fresh)

    def rivals(self, side: str, row: dict[str, Any]) -> set[str]:
        """Claims of the nugget's key with another value, that its label reads, where one value holds at a time."""
        if row["cardinality"] != "functional":
            return set()
        key, label = row["key_id"], row["label"]
        if (side, key, label) not in self._read:
            self._read[side, key, label] = {
                r["claim_id"] for r in self._by_key[side][key]
                if (r["label"] == label or "public" in r["label"].split(",")) and (label, r["claim_id"]) not in self.rejected[side]
            }
        claims = self.claims[side]
        return {c for c in self._read[side, key, label] if claims[c]["object_id"] != row["object_id"]}

    def story(self, claim: str, label: str) -> dict[str, Any]:
        """Why a claim is held by one of the two alone."""
        a, b = self.claims[OLD].get(claim), self.claims[NEW].get(claim)
        if a is None or b is None:
            return self._why.get(claim) or {"kind": "elsewhere", "text": "its claim is in neither release"}
        if a["label"] != b["label"]:
            return self.causes.document(a["document_id"], "claim")
        was, now = self.rejected[OLD].get((label, claim)), self.rejected[NEW].get((label, claim))
        if now and not was:
            return {"kind": "rejected", "text": f"the claim is now rejected: {now['reason']}"}
        if was and not now:
            return {"kind": "accepted", "text": f"the claim was rejected before: {was['reason']}"}
        return {"kind": "regrouped", "text": "the claim is counted to another interval of its value"}

    def told(self, ids: set[str], label: str) -> list[dict[str, Any]]:
        out = []
        for c in sorted(ids)[:EVIDENCE_MAX]:
            row = self.claims[NEW].get(c) or self.claims[OLD].get(c) or {"document_id": None, "object": ""}
            out.append({"claim_id": c, "document_id": row["document_id"], "object": row["object"], **_cause(self.story(c, label))})
        return out

    def moved(self, ids: set[str]) -> list[dict[str, Any]]:
        out = []
        for c in sorted(ids)[:EVIDENCE_MAX]:
            row, changes = self.claims[NEW][c], self.changed[c]
            out.append({"claim_id": c, "document_id": row["document_id"], "object": row["object"], "changes": changes,
                        **_cause(_moved_cause(self.causes, row["document_id"], changes))})
        return out


def _one(known: _Known, old: dict | None, new: dict | None) -> dict[str, Any]:
    row = new or old or {}
    mine = set(old["claim_ids"]) if old else set(), set(new["claim_ids"]) if new else set()
    evidence, rivals = (
        {
            "went": known.told(a - b, row["label"]), "came": known.told(b - a, row["label"]), "changed": known.moved(both),
            "went_n": len(a - b), "came_n": len(b - a), "changed_n": len(both),
        }
        for a, b in (mine, (known.rivals(OLD, row), known.rivals(NEW, row))) for both in [(a & b) & known.changed.keys()]
    )
    decisions = {
        "before": known.decisions[OLD][old["nugget_id"]] if old else [], "after": known.decisions[NEW][new["nugget_id"]] if new else [],
    }
    return {
        "why": _sentences(known.causes, old, new, evidence, rivals, decisions), "evidence": evidence, "rivals": rivals, "decisions": decisions,
    }


def _cause(cause: dict[str, Any]) -> dict[str, Any]:
    return {"cause": {k: v for k, v in cause.items() if k != "document_id"}}


def _moved_cause(causes: Causes, document: str, changes: dict[str, Any]) -> dict[str, Any]:
    if set(changes) == {"source_group"}:
        cause = causes.settings("origins", "origins")
        if cause["kind"] == "elsewhere":
            cause["text"] = "documents were grouped anew as copies of one source"
        return cause
    return causes.document(document, "claim")


def _sentences(causes: Causes, old, new, evidence, rivals, decisions) -> list[str]:
    """The cause in words, own evidence first."""
    out: list[str] = []
    words = (("evidence", evidence, ("evidence went", "evidence came", "evidence changed")),
             ("rivals", rivals, ("a rival went", "a rival came", "a rival changed")))
    for what, lists, verbs in words:
        if what == "rivals" and out and not (old and new):
            break  # its own evidence says it all
        for verb, part in zip(verbs, ("went", "came", "changed"), strict=True):
            groups: dict[tuple, int] = defaultdict(int)
            for item in lists[part]:
                who = f" “{item['object']}”" if what == "rivals" else ""
                fields = f" ({', '.join(item['changes'])})" if part == "changed" else ""
                groups[who + fields, item["cause"]["text"]] += 1
            for (extra, text), n in sorted(groups.items()):
                out.append(f"{verb}{extra}: {text}{f' ({n} claims)' if n > 1 else ''}")
            if rest := lists[f"{part}_n"] - len(lists[part]):
                out.append(f"{verb}: {rest} more claims")
    settings = causes.settings("origins", "conflict")
    if settings["kind"] == "settings_changed":
        out.append(f"judged by other settings: {settings['text']}")
    if not out:
        out.append("the same claims, judged with other neighbours of its key" if old and new else settings["text"])
    if old and new and (old["state"], old["reason"]) != (new["state"], new["reason"]):
        rules = ", ".join(dict.fromkeys(d["rule"] for d in decisions["after"]))
        out.append(f"judged {old['state']} ({old['reason']}) → {new['state']} ({new['reason']}){f', by {rules}' if rules else ''}")
    return out
