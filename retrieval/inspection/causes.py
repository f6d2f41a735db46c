"""Why a row came, went or changed between two releases, from the document up.

Guarantees: a cause is read from the two releases alone. `kind` is one of KINDS; `text` says it in words. A document's
own change is told before a change of settings, and both before "elsewhere", which is what is left: other documents moved
a decision that is taken for the corpus (names, copies).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from retrieval.inspection.pair import NEW, OLD, Pair
from retrieval.inspection.settings import MADE_BY, definition_changes

KINDS = ("document_added", "document_deleted", "source_added", "source_dropped", "document_edited", "access_changed",
         "tenant_changed", "key_moved", "rejected", "accepted", "regrouped", "settings_changed", "elsewhere")
_DOCUMENT = ("document_id", "version_id", "source", "uri", "title", "label", "tenant", "status", "source_date")
_CLAIM = ("claim_id", "mention_id", "key_id", "subject", "predicate", "scope", "object", "label")


def _gone(row: dict | None) -> bool:
    return row is None or row["status"] == "deleted"


class Causes:
    """Causes between the releases of a pair. `changes` is what `settings_changes` gave."""

    def __init__(self, pair: Pair, changes: dict[str, Any]) -> None:
        self.pair, self.changes = pair, changes
        self._documents: dict[str, dict[str, dict]] = {OLD: {}, NEW: {}}
        self._seen: set[str] = set()

    def load(self, documents: Iterable[str]) -> None:
        """Reads the heads of these documents on both sides."""
        wanted = set(documents) - self._seen - {None}
        self._seen |= wanted
        for side, held in self._documents.items():
            for row in self.pair.lookup(side, "documents", "document_id", wanted, _DOCUMENT, units=wanted):
                held[row["document_id"]] = row

    def document(self, document: str, level: str) -> dict[str, Any]:
        """Why rows of `level` that come from this document are not on both sides, or differ."""
        if document not in self._seen:
            self.load([document])
        old, new = self._documents[OLD].get(document), self._documents[NEW].get(document)
        told = new or old
        if told is None:
            return {"kind": "elsewhere", "document_id": document, "text": "its document is in neither release"}
        name = f"{told['title'] or told['uri']}" if "://" in (told["uri"] or "") else f"{told['source']}/{told['uri']}"
        base = {"document_id": document, "document": name}
        if old is None or new is None or _gone(old) or _gone(new):
            return {**base, **self._came_or_went(name, told["source"], _gone(old), _gone(new))}
        if old["version_id"] != new["version_id"]:
            versions = [old["version_id"], new["version_id"]]
            dates = [old["source_date"], new["source_date"]]
            when = f", {dates[1]}" if dates[1] and dates[0] != dates[1] else ""
            access = f"; readers: {old['label'] or 'nobody'} → {new['label'] or 'nobody'}" if old["label"] != new["label"] else ""
            return {**base, "kind": "document_edited", "versions": versions, "dates": dates,
                    "text": f"{name} was edited ({versions[0]} → {versions[1]}{when}){access}"}
        if old["label"] != new["label"]:
            return {**base, "kind": "access_changed", "labels": [old["label"], new["label"]],
                    "text": f"the readers of {name} changed: {old['label'] or 'nobody'} → {new['label'] or 'nobody'}"}
        if old["tenant"] != new["tenant"]:
            return {**base, "kind": "tenant_changed", "tenants": [old["tenant"], new["tenant"]],
                    "text": f"the tenant of {name} changed: {old['tenant']} → {new['tenant']}"}
        return {**base, **self.settings("parse", MADE_BY[level], name)}

    def settings(self, first: str, last: str, name: str = "") -> dict[str, Any]:
        """The cause where no document changed: settings or stage versions between two stages, else `elsewhere`."""
        found = definition_changes(self.changes, first, last)
        what = [f"{c['key']}: {short(c['old'])} → {short(c['new'])}" for c in found["config"][:4]]
        what += [f"… {len(found['config']) - 4} more settings"] if len(found["config"]) > 4 else []
        what += [f"stage {s['stage']}: version {s['old']} → {s['new']}" for s in found["stages"]]
        same = f"{name} did not change; " if name else ""
        if what:
            return {"kind": "settings_changed", **found, "text": same + ", ".join(what)}
        return {"kind": "elsewhere", "text": same + "other documents changed how names or copies are decided for the corpus"}

    def _came_or_went(self, name: str, source: str, was_gone: bool, is_gone: bool) -> dict[str, Any]:
        old, new = (source in self.pair.release(side).body["sources"] for side in (OLD, NEW))
        if was_gone and is_gone:
            return {"kind": "document_deleted", "text": f"{name} is deleted in both releases"}
        if is_gone:
            if old and not new:
                return {"kind": "source_dropped", "text": f"{name} went with its source {source}"}
            return {"kind": "document_deleted", "text": f"{name} was deleted"}
        if new and not old:
            return {"kind": "source_added", "text": f"{name} came with its source {source}"}
        return {"kind": "document_added", "text": f"{name} is a new document"}

    def claims(self, gone: dict[str, str], fresh: dict[str, str]) -> dict[str, dict[str, Any]]:
        """Causes of claims that are in one release alone: claim_id -> cause. `gone`, `fresh`: claim_id -> document_id."""
        self.load([*gone.values(), *fresh.values()])
        out = {}
        for side, other, mine in ((OLD, NEW, gone), (NEW, OLD, fresh)):
            rows = {r["claim_id"]: r for r in self.pair.lookup(side, "claims", "claim_id", mine, _CLAIM, changed=True)}
            mentions = {r["mention_id"] for r in rows.values()}
            # With another key the mention makes another claim.
            twins = {r["mention_id"]: r for r in self.pair.lookup(other, "claims", "mention_id", mentions, _CLAIM, changed=True)}
            for claim, document in mine.items():
                row = rows.get(claim)
                twin = None if row is None else twins.get(row["mention_id"])
                cause = self.document(document, "claim")
                if row is not None and twin is not None and twin["claim_id"] != claim:
                    before, after = (row, twin) if side == OLD else (twin, row)
                    cause = {**cause, "kind": "key_moved", "claims": [before["claim_id"], after["claim_id"]],
                             "text": f"the same words are read as {_statement(after)}, before as {_statement(before)}; {cause['text']}"}
                out[claim] = cause
        return out


def _statement(row: dict[str, Any]) -> str:
    scope = f" [{row['scope']}]" if row["scope"] else ""
    return f"“{row['subject']} · {row['predicate']}{scope} · {row['object']}”"


def short(value: Any, limit: int = 60) -> str:
    """A setting's value for one line."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
