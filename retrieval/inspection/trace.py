"""One id through all releases that readers saw: where it came, what it was, why it went, what stands there now.

Guarantees: releases are taken in the order that readers saw them, rollbacks included. Those that were collected are said
to be unreadable, with what the lineage of later ones tells. A chain of successors is followed to the current release.
"""

from __future__ import annotations

from typing import Any

from retrieval.inspection.diff import changes_of
from retrieval.inspection.levels import LEVELS
from retrieval.inspection.succession import Step
from retrieval.inspection.timeline import KINDS, Kind, Timeline
from warehouse.layout import Warehouse

NEIGHBOURS = 10  # other nuggets of the key that are named where a nugget has no successor


def trace(wh: Warehouse, text: str) -> dict[str, Any]:
    """JSON data: {id, kind, current, held, first, last, stands: [{release, time, action, event, …}], gone, lineage, notes}.

    `event` is came, same, changed, went, absent or unreadable; `gone` is None while the current release holds the id, else
    {release, time, action, after, why, cause, chain: [{id, how, release}], now, neighbours}. LodeError on an unknown id.
    """
    with Timeline(wh) as timeline:
        name, wanted = timeline.resolve(text)
        kind = KINDS[name]
        stands, held = _stands(timeline, kind, wanted)
        recorded = [r for r in timeline.lineage(wanted) if r["old_id"] == wanted]
        out: dict[str, Any] = {
            "id": wanted, "kind": name, "current": timeline.stands[-1].release, "held": bool(held) and held[-1] == len(stands) - 1,
            "first": timeline.stands[held[0]].to_json() if held else None, "last": timeline.stands[held[-1]].to_json() if held else None,
            "state": timeline.state(timeline.stands[held[-1]].release, kind, wanted) if held else None,
            "stands": stands, "gone": None, "lineage": recorded, "notes": _notes(timeline, kind, held),
        }
        if not out["held"]:
            out["gone"] = _gone(timeline, kind, wanted, held[-1] if held else None, recorded)
        return out


def _stands(timeline: Timeline, kind: Kind, wanted: str) -> tuple[list[dict[str, Any]], list[int]]:
    """What the id was at each stand, and the numbers of the stands that held it."""
    out, held, left = [], [], []
    before: tuple[int, dict | None] | None = None  # the last readable stand, and what the id was in it
    for n, stand in enumerate(timeline.stands):
        entry: dict[str, Any] = stand.to_json()
        out.append(entry)
        if not timeline.readable(stand.release, kind.table):
            entry["event"] = "unreadable"
            continue
        state = timeline.state(stand.release, kind, wanted)
        was = before[1] if before else None
        if state is not None:
            held.append(n)
        if state is None:
            entry["event"] = "absent" if was is None else "went"
        elif was is None:
            entry |= {"event": "came", "state": state}
        else:
            changes = _changes(kind, was, state)
            entry |= {"event": "changed", "changes": changes, "state": state} if changes else {"event": "same"}
        # The first release that can be read has nothing before it to tell why.
        if before and entry["event"] in ("came", "changed"):
            with _step(timeline, before[0], n) as step:
                entry |= step.why(kind.name, was, state)
        if before and entry["event"] == "went":
            left.append((before[0], n, was))
        before = (n, state)
    for a, n, was in left:
        if held and n < held[-1]:  # it came back; why it went for good is in `gone`
            with _step(timeline, a, n) as step:
                out[n] |= step.why(kind.name, was, None)
    return out, held


def _changes(kind: Kind, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    if kind.name in LEVELS:
        return changes_of(LEVELS[kind.name], old, new)
    return {c: [old[c], new[c]] for c in old if old[c] != new[c]}


def _step(timeline: Timeline, before: int, after: int) -> Step:
    a, b = timeline.stands[before].release, timeline.stands[after].release
    return Step(timeline.wh, timeline.releases[a], timeline.releases[b])


def _after(timeline: Timeline, kind: Kind, last: int) -> int | None:
    """The first readable stand after this one."""
    return next((n for n in range(last + 1, len(timeline.stands)) if timeline.readable(timeline.stands[n].release, kind.table)), None)


def _last_held(timeline: Timeline, kind: Kind, wanted: str) -> int | None:
    readable = [n for n, s in enumerate(timeline.stands) if timeline.readable(s.release, kind.table)]
    return next((n for n in reversed(readable) if timeline.state(timeline.stands[n].release, kind, wanted)), None)


def _gone(timeline: Timeline, kind: Kind, wanted: str, last: int | None, recorded: list[dict]) -> dict[str, Any]:
    """Why the id is not in the current release, and what is there instead."""
    if last is None:  # only lineage knows it
        told = recorded[-1]
        first = {"id": told["new_id"], "how": "lineage", "release": told["release"]} if told["new_id"] else None
        stand = next((s for s in timeline.stands if s.release == told["release"]), timeline.stands[-1])
        why = [f"the releases that held it are no longer readable; lineage says that it went with release {told['release']}"]
        return {**stand.to_json(), "after": None, "why": why, "cause": {"kind": "unreadable"}, **_chain(timeline, kind, first, None)}
    then = _after(timeline, kind, last)
    if then is None:
        why = ["no release after the last one that held it can be read"]
        return {"release": None, "time": None, "action": None, "after": timeline.stands[last].release, "why": why,
                "cause": {"kind": "unreadable"}, **_chain(timeline, kind, None, None)}
    stand, row = timeline.stands[then], timeline.state(timeline.stands[last].release, kind, wanted)
    with _step(timeline, last, then) as step:
        first = step.successor(kind.name, row or {})
        told = step.why(kind.name, row, None, {**first, "state": timeline.state(stand.release, kind, first["id"])} if first else None)
    if stand.action == "rollback":
        told["why"] = [f"rollback to release {stand.release}, which does not hold it", *[f"in it, against the one before: {t}" for t in told["why"]]]
    first = {**first, "release": stand.release} if first else None
    return {**stand.to_json(), "after": timeline.stands[last].release, **told, **_chain(timeline, kind, first, row)}


def _chain(timeline: Timeline, kind: Kind, first: dict | None, row: dict | None) -> dict[str, Any]:
    """Follows successors to the current release: {chain, now, neighbours}."""
    chain: list[dict[str, Any]] = []
    end, now = len(timeline.stands) - 1, None
    while first is not None and first["id"] not in {c["id"] for c in chain}:
        chain.append(first)
        last = _last_held(timeline, kind, first["id"])
        if last is None:
            break
        row = timeline.state(timeline.stands[last].release, kind, first["id"])
        if last == end:
            now = row
            break
        then = _after(timeline, kind, last)
        if then is None:
            break
        with _step(timeline, last, then) as step:
            found = step.successor(kind.name, row or {})
        first = {**found, "release": timeline.stands[then].release} if found else None
    return {"chain": chain, "now": now, "neighbours": _neighbours(timeline, row) if now is None and kind.name == "nugget" and row else []}


def _neighbours(timeline: Timeline, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Nuggets of the current release with the same key and another value."""
    current = timeline.stands[-1].release
    if row["predicate"] == "states" or not timeline.readable(current, "nuggets"):
        return []
    release = timeline.releases[current]
    names = ("nugget_id", "label", "object", "start_min", "start_max", "end_min", "end_max", "state")
    with Step(timeline.wh, release, release) as step:
        found = step.pair.lookup("new", "nuggets", "key_id", [row["key_id"]], names, units=[row["key_id"]])
    return sorted(found, key=lambda r: (r["label"] != row["label"], r["nugget_id"]))[:NEIGHBOURS]


def _notes(timeline: Timeline, kind: Kind, held: list[int]) -> list[str]:
    lost = [n for n, s in enumerate(timeline.stands) if not timeline.readable(s.release, kind.table)]
    notes = []
    if lost:
        names = list(dict.fromkeys(timeline.stands[n].release for n in lost))
        shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        notes.append(f"{len(names)} release(s) of the log are no longer readable: {shown}")
        if held and lost[0] < held[0]:
            notes.append("a release before the first one named may have held it")
        if held and any(n > held[-1] for n in lost):
            notes.append("a release after the last one named may have held it")
    return notes
