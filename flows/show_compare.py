"""What `lode diff` and `lode trace` found, for a terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape

from flows.show import describe_valid
from retrieval.inspection.causes import short
from retrieval.inspection.levels import LEVELS, STATUSES

MARKS = {"added": "[green]+[/]", "removed": "[red]-[/]", "moved": "[yellow]>[/]", "changed": "[yellow]~[/]"}
WHY_LINES = 6


def _line(out: Console, text: str) -> None:
    out.print(text, highlight=False, soft_wrap=True)


def show_diff(out: Console, found: dict[str, Any]) -> None:
    """Prints settings, then each level: its counts, and the rows with their causes."""
    _line(out, f"[bold]{found['old']}[/] → [bold]{found['new']}[/]{': the same release' if found['same'] else ''}")
    if not found["same"]:
        show_settings(out, found["settings"])
    for name, level in found["levels"].items():
        c = level["counts"]
        told = [f"{c[s]:,} {s}" for s in STATUSES if c[s] or s != "moved"]
        if c.get("state_moved"):
            told.append(f"{c['state_moved']:,} with another state")
        _line(out, f"\n[bold]{name}s[/] {c['old']:,} → {c['new']:,}: {', '.join(told)}")
        if name == "nugget":
            for s in found["states"]:
                _line(out, f"  {s['count']:>6,}  {s['before'] or 'none'} → {s['after'] or 'none'}")
        for status in STATUSES:
            for row in level[status]:
                _show_row(out, name, status, row)
            rest = c[status] - len(level[status])
            if rest and level[status] and not found["only_states"]:
                _line(out, f"  [dim]… {rest:,} more {status}: --limit, or --json[/]")
        if found["only_states"] and (rest := c["state_moved"] - sum(len(level[s]) for s in STATUSES)):
            _line(out, f"  [dim]… {rest:,} more with another state: --limit, or --json[/]")


def show_settings(out: Console, settings: dict[str, Any]) -> None:
    """One line per source, setting, stage version and index manifest that differs."""
    sources = settings["sources"]
    for word in ("added", "removed"):
        for name in sources[word]:
            _line(out, f"  source {escape(name)} {word}")
    for s in sources["changed"]:
        for key, (a, b) in s["changes"].items():
            told = "read again" if key == "scans" else f"{key} {escape(short(a))} → {escape(short(b))}"
            _line(out, f"  source {escape(s['source'])}: {told}")
    for c in settings["config"]:
        _line(out, f"  config {escape(c['key'])}: {escape(short(c['old']))} → {escape(short(c['new']))}")
    stages = settings["stages"]
    for s in stages:
        if s["old_version"] != s["new_version"]:
            _line(out, f"  stage {s['stage']}: version {s['old_version']} → {s['new_version']}")
    if stages:
        _line(out, f"  stages with other output: {', '.join(s['stage'] for s in stages)}")
    for i in settings["indexes"]:
        what = ", ".join(f"{escape(m['key'])} {escape(short(m['old']))} → {escape(short(m['new']))}" for m in i["manifest"])
        _line(out, f"  index of {i['store']}, {i['leg']}: {'built with ' + what if what else 'other content'}")


def _show_row(out: Console, level: str, status: str, row: dict[str, Any]) -> None:
    own = f"{row['old_id']} → {row['new_id']}" if status == "moved" else row[LEVELS[level].id]
    _line(out, f"{MARKS[status]} {describe(level, row)} [dim]{own}[/]")
    if changes := row.get("changes"):
        _line(out, f"    {'; '.join(describe_change(k, v) for k, v in changes.items())}")
    successor = row.get("successor")
    if successor:
        _line(out, f"    now there: {successor if isinstance(successor, str) else successor['nugget_id']}")
    why = row["cause"].get("why") or [row["cause"]["text"]]
    for sentence in why[:WHY_LINES]:
        _line(out, f"    [cyan]{escape(sentence)}[/]")
    if len(why) > WHY_LINES:
        _line(out, f"    [dim]… {len(why) - WHY_LINES} more reasons: --json[/]")


def describe(level: str, row: dict[str, Any]) -> str:
    """One line for a row of a level, escaped for rich."""
    label = "" if row.get("label") in (None, "public") else f" ({row['label'] or 'nobody'})"
    if level == "document":
        text = f"{row['source']}/{row['uri']} “{row['title'] or ''}” {row['status']}"
    elif level == "chunk":
        text = f"{' > '.join([row['title'] or '', *(row['heading_path'] or [])])} · {row['kind']} {row['ordinal']}: {short(' '.join(row['text'].split()))}"
    else:
        scope = f" [{row['scope']}]" if row["scope"] else ""
        valid = describe_valid(row)
        state = f" {row['state']}, {row['reason']}" if "state" in row else ""
        text = f"{short(row['subject'])} · {row['predicate']}{scope} · {short(row['object'], 100)}{' · ' + valid if valid else ''}{state}"
    return escape(text + label)


def describe_change(key: str, value: Any) -> str:
    """'state: active → contested'; for lists of ids how many came and went."""
    if isinstance(value, dict):
        return escape(f"{key}: +{len(value['came'])} −{len(value['went'])}")
    a, b = ("none" if v is None else ", ".join(map(str, v)) if isinstance(v, list) else str(v) for v in value)
    return escape(f"{key}: {short(a)} → {short(b)}")


def show_trace(out: Console, found: dict[str, Any]) -> None:
    """Prints what the id is, the releases where something happened to it, and where it went."""
    _line(out, f"{found['kind']} [bold]{found['id']}[/]" + (f" {_told(found['kind'], found['state'])}" if found["state"] else ""))
    if found["first"]:
        _line(out, f"  first held by {_when(found['first'])}")
        _line(out, f"  last held by  {_when(found['last'])}{' (current)' if found['held'] else ''}")
    quiet = 0
    for n, stand in enumerate(found["stands"]):
        event = stand["event"]
        if event in ("same", "absent") and n < len(found["stands"]) - 1:
            quiet += 1
            continue
        if quiet:
            _line(out, f"  [dim]… {quiet} release(s) without a change[/]")
            quiet = 0
        _line(out, f"  {_when(stand)}: [bold]{event}[/]")
        for key, value in stand.get("changes", {}).items():
            _line(out, f"      {describe_change(key, value)}")
        for sentence in stand.get("why", [])[:WHY_LINES]:
            _line(out, f"      [cyan]{escape(sentence)}[/]")
    gone = found["gone"]
    if gone:
        where = f" in {_when(gone)}" if gone["release"] else ""
        _line(out, f"[bold]gone[/]{where}{', after ' + gone['after'] if gone['after'] else ''}")
        for sentence in gone["why"][:WHY_LINES]:
            _line(out, f"  [cyan]{escape(sentence)}[/]")
        for link in gone["chain"]:
            _line(out, f"  → {link['id']} in release {link['release']} [dim]{escape(link['how'])}[/]")
        if gone["now"]:
            _line(out, f"  now there: {_told(found['kind'], gone['now'])}")
        else:
            _line(out, "  nothing took its place" if not gone["chain"] else "  nothing stands there now")
        for row in gone["neighbours"]:
            valid = describe_valid(row)
            _line(out, escape(f"  of the same key: {short(row['object'], 100)}{' · ' + valid if valid else ''} {row['state']} {row['nugget_id']}"))
    for row in found["lineage"]:
        _line(out, f"[dim]lineage of release {row['release']}: {row['old_id']} → {row['new_id'] or 'nothing'}[/]")
    for note in found["notes"]:
        _line(out, f"[dim]note: {escape(note)}[/]")


def _when(stand: dict[str, Any]) -> str:
    return f"{stand['release']} [dim]({stand['action']} {stand['time']})[/]"


def _told(kind: str, row: dict[str, Any]) -> str:
    if kind in LEVELS:
        return describe(kind, row)
    if kind == "mention":
        return escape(f"{short(row['subject'])} · {row['predicate']} · {short(row['object'], 100)} “{short(row['sentence'], 120)}”")
    if kind == "entity":
        return escape(f"{row['entity_name']} ({len(row['surfaces'])} name(s): {short(', '.join(row['surfaces']), 100)})")
    if kind == "block":
        return escape("; ".join(f"revision {t['first_revision']} to {t['last_revision'] or 'head'}" for t in row["lifetimes"][:3]))
    if kind == "version":
        return escape(f"revision {row['revision']} {row['time'] or ''} {row['status']}")
    return escape(f"{row['kind']} {row['ordinal']}: {short(' '.join(row['text'].split()), 120)}")
