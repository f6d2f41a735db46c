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
    pair = causes.pair
    keys = {(o or n)["key_id"] for o, n in entries}
    claims: dict[str, dict[str, dict]] = {}
    by_key: dict[str, dict[str, list[dict]]] = {side: defaultdict(list) for side in SIDES}
    told: dict[str, dict[str, list[dict]]] = {side: defaultdict(list) for side in SIDES}
    rejected: dict[str, dict[tuple, dict]] = {OLD: {}, NEW: {}}
    for side in SIDES:
        rows = pair.lookup(side, "values", "key_id", keys, _VALUE, units=keys)
        claims[side] = {r["claim_id"]: r for r in rows}
        for r in rows:
            by_key[side][r["key_id"]].append(r)
        for r in pair.lookup(side, "decisions", "key_id", keys, _DECISION, units=keys):
            if r["nugget_id"]:
                told[side][r["nugget_id"]].append({k: r[k] for k in TOLD})
            elif r["claim_id"] and r["verdict"] == "rejected":
                rejected[side][r["label"], r["claim_id"]] = r
    gone, fresh = ({c: r["document_id"] for c, r in claims[a].items() if c not in claims[b]} for a, b in ((OLD, NEW), (NEW, OLD)))
    causes.load({r["document_id"] for side in SIDES for r in claims[side].values()})
    why = causes.claims(gone, fresh)
    return [_one(causes, o, n, claims, by_key, told, rejected, why) for o, n in entries]


def _one(causes: Causes, old: dict | None, new: dict | None, claims, by_key, told, rejected, why) -> dict[str, Any]:
    row = new or old
    label = row["label"]

    def story(claim: str) -> dict[str, Any]:
        """Why a claim is held by one of the two alone."""
        a, b = claims[OLD].get(claim), claims[NEW].get(claim)
        if a is None or b is None:
            return why.get(claim) or causes.document((a or b)["document_id"], "claim")
        if a["label"] != b["label"]:
            return causes.document(a["document_id"], "claim")
        was, now = rejected[OLD].get((label, claim)), rejected[NEW].get((label, claim))
        if now and not was:
            return {"kind": "rejected", "text": f"the claim is now rejected: {now['reason']}"}
        if was and not now:
            return {"kind": "accepted", "text": f"the claim was rejected before: {was['reason']}"}
        return {"kind": "regrouped", "text": "the claim is counted to another interval of its value"}

    def told_of(ids: set[str]) -> list[dict[str, Any]]:
        held = [(claims[NEW].get(c) or claims[OLD].get(c), c) for c in sorted(ids)]
        return [{"claim_id": c, "document_id": r["document_id"], "object": r["object"], **_cause(story(c))} for r, c in held if r]

    def moved(ids: set[str]) -> list[dict[str, Any]]:
        out = []
        for c in sorted(ids):
            a, b = claims[OLD].get(c), claims[NEW].get(c)
            changes = {k: [a[k], b[k]] for k in _BOUNDS if a[k] != b[k]} if a and b else {}
            if changes:
                out.append({"claim_id": c, "document_id": b["document_id"], "object": b["object"], "changes": changes,
                            **_cause(_moved_cause(causes, b["document_id"], changes))})
        return out

    def rivals(side: str) -> set[str]:
        return {
            r["claim_id"] for r in by_key[side][row["key_id"]]
            if row["cardinality"] == "functional" and r["object_id"] != row["object_id"]
            and (r["label"] == label or "public" in r["label"].split(",")) and (label, r["claim_id"]) not in rejected[side]
        }

    mine = set(old["claim_ids"]) if old else set(), set(new["claim_ids"]) if new else set()
    theirs = rivals(OLD), rivals(NEW)
    evidence, others = (
        {"went": told_of(a - b), "came": told_of(b - a), "changed": moved(a & b)} for a, b in (mine, theirs)
    )
    decisions = {
        "before": told[OLD][old["nugget_id"]] if old else [], "after": told[NEW][new["nugget_id"]] if new else [],
    }
    return {
        "why": _sentences(causes, old, new, evidence, others, decisions),
        "evidence": _cut(evidence), "rivals": _cut(others), "decisions": decisions,
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


def _cut(lists: dict[str, list]) -> dict[str, Any]:
    return {**{k: v[:EVIDENCE_MAX] for k, v in lists.items()}, **{f"{k}_n": len(v) for k, v in lists.items()}}


def _sentences(causes: Causes, old, new, evidence, rivals, decisions) -> list[str]:
    """The cause in words, own evidence first."""
    out = []
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
    settings = causes.settings("origins", "conflict")
    if settings["kind"] == "settings_changed":
        out.append(f"judged by other settings: {settings['text']}")
    if not out:
        out.append("the same claims, judged with other neighbours of its key" if old and new else settings["text"])
    if old and new and (old["state"], old["reason"]) != (new["state"], new["reason"]):
        rules = ", ".join(dict.fromkeys(d["rule"] for d in decisions["after"]))
        out.append(f"judged {old['state']} ({old['reason']}) → {new['state']} ({new['reason']}){f', by {rules}' if rules else ''}")
    return out
