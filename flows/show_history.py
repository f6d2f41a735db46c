"""A history for a terminal: bars over years. █ certain, ▒ between the bounds, ░ where a bound is not known."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from flows.show import describe_valid
from flows.show_inspect import STATES
from retrieval.inspection.history import BOUNDS, TITLES
from retrieval.inspection.labels import cut
from schemas.time import Day, Interval, day_from_civil, parse_iso, year_of

CERTAIN, BOUNDED, OPEN = "█", "▒", "░"
NAME_MAX = 26
BAR_MAX = 100
CHAINED = 2
_NICE = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000, 10_000)


def day(text: str | None) -> Day | None:
    return None if text is None else _known(text)


def _known(text: str) -> Day:
    return parse_iso(text).first


def axis_days(axis: dict[str, str]) -> tuple[Day, Day]:
    """Whole years around the known days: [first, until)."""
    return day_from_civil(year_of(_known(axis["first"])), 1, 1), day_from_civil(year_of(_known(axis["until"])) + 1, 1, 1)


def bar(interval: Interval, first: Day, until: Day, width: int) -> str:
    """`width` characters over [first, until); in each the surest that the interval has there."""
    low, high = interval.start_min, interval.end_max
    edges = sorted({first, until, *(b for b in (low, interval.start_max, interval.end_min, high) if b is not None and first < b < until)})
    pieces = []
    for a, b in zip(edges, edges[1:], strict=False):
        if interval.certainly(a):
            pieces.append((a, b, CERTAIN))
        elif interval.possibly(a):
            begun = interval.start_max is not None and interval.start_max <= a
            over = interval.end_min is None or interval.end_min <= a
            unknown = (not begun and low is None) or (over and high is None)
            pieces.append((a, b, OPEN if unknown else BOUNDED))
    rank = {" ": 0, OPEN: 1, BOUNDED: 2, CERTAIN: 3}
    cells = [" "] * width
    for a, b, mark in pieces:
        for i in range((a - first) * width // (until - first), min(width - 1, (b - 1 - first) * width // (until - first)) + 1):
            cells[i] = max(cells[i], mark, key=rank.__getitem__)
    return "".join(cells)


def ticks(first: Day, until: Day, width: int) -> str:
    """The years under which the bars stand, as many as fit; astronomical, so 44 BC is -43."""
    years = year_of(until) - year_of(first)
    step = next((n for n in _NICE if years / n * 8 <= width), _NICE[-1])
    line = [" "] * width
    year = -(-year_of(first) // step) * step
    while (at := day_from_civil(year, 1, 1)) < until:
        i, label = (at - first) * width // (until - first), str(year)
        if i + len(label) <= width and (i == 0 or line[i - 1] == " "):
            line[i : i + len(label)] = label
        year += step
    return "".join(line)


def show_history(out: Console, data: dict[str, Any], limit: int) -> None:
    """Prints what `retrieval.inspection.history.history` gives, at most `limit` nuggets."""
    total = sum(len(k["nuggets"]) for k in data["keys"])
    about = data["predicate"]
    out.print(Text.assemble((f"{data['subject']['name']} — {about['id']}", "bold"), f" · {about['cardinality']} · {total:,} nugget(s)"))
    said = [f"subject {data['subject']['id']}", f"view {data['view']}"]
    said += [f"at {data['at']}"] if data["at"] else []
    said += [f"known at {data['known_at']}"] if data["known_at"] else []
    said += [f"reader holds {', '.join(data['reader']['groups'])}"] if data["reader"] else []
    out.print(Text(" · ".join([*said, f"release {data['release']}"]), style="dim"))
    names = [n["object"] for k in data["keys"] for n in k["nuggets"]]
    wide = min(NAME_MAX, max((len(n) for n in names), default=1))
    width = max(10, min(BAR_MAX, out.width - wide - 6))
    first, until = axis_days(data["axis"]) if data["axis"] else (0, 0)
    left = limit
    for key in data["keys"]:
        scope = f" · scope {key['scope']}" if key["scope"] else ""
        tenant = f" · tenant {key['tenant']}" if key["tenant"] != "default" else ""
        out.print(Text().append(f"{key['label'] or 'nobody'}{scope}{tenant}", style="bold").append(f" · key {key['key_id']}", style="dim"))
        if data["axis"]:
            out.print(Text(" " * (wide + 5) + ticks(first, until, width), style="dim"), no_wrap=True, crop=True)
            if data["at"] and first <= _known(data["at"]) < until:
                out.print(Text(" " * (wide + 5 + (_known(data["at"]) - first) * width // (until - first)) + "▼"), no_wrap=True, crop=True)
        for n in key["nuggets"][: max(0, left)]:
            _nugget(out, n, first, until, wide, width)
        left -= len(key["nuggets"])
    if total > limit:
        out.print(Text(f"… and {total - limit:,} more: --limit or --json", style="dim"))
    out.print(Text(f"{CERTAIN} certain  {BOUNDED} between the bounds  {OPEN} bound not known" + ("  ● certainly  ○ possibly holds" if data["at"] else ""), style="dim"))
    if data["left_out"]:
        out.print(Text(f"note: {data['left_out']:,} nugget(s) lie outside this view, scope or known-at", style="dim"))
    for note in data["notes"]:
        out.print(Text(f"note: {note}", style="dim"))


def _nugget(out: Console, n: dict[str, Any], first: Day, until: Day, wide: int, width: int) -> None:
    color = STATES[n["state"]]
    mark = {"certainly": "●", "possibly": "○"}.get(n["holds"] or "", " ")
    line = Text(f"  {mark} ").append(f"{cut(n['object'], wide):{wide}} ")
    if until > first and any(n["valid"][b] for b in BOUNDS):  # what has no day has no bar
        line.append(bar(Interval(*(day(n["valid"][b]) for b in BOUNDS)), first, until, width), style=color)
    out.print(line, no_wrap=True, crop=True)
    valid = n["valid"]
    bases = "/".join(b or "–" for b in (valid["start_basis"], valid["end_basis"]))
    titles = ", ".join(cut(d["title"], 40) for d in n["documents"][:TITLES]) + (f" +{n['documents_n'] - TITLES}" if n["documents_n"] > TITLES else "")
    sources = f"{n['source_count']} source{'' if n['source_count'] == 1 else 's'}"
    told = [describe_valid(valid) or "undated", bases if bases != "–/–" else "", f"{sources}: {titles}" if titles else sources]
    text = Text().append(n["state"], style=color).append(f" {n['reason']}" + (f", {n['condition']}" if n["condition"] else ""), style="")
    text.append(" · " + " · ".join(t for t in told if t), style="dim")
    out.print(Padding(text, (0, 0, 0, 6), expand=False))
    chain = _chain("follows", n["supersedes"]) + _chain("before", n["superseded_by"])
    out.print(Padding(Text().append(n["nugget_id"], style="cyan").append(chain, style="dim"), (0, 0, 0, 6), expand=False))


def _chain(word: str, ids: list[str]) -> str:
    more = f" and {len(ids) - CHAINED} more" if len(ids) > CHAINED else ""
    return f" {word} {', '.join(ids[:CHAINED])}{more}" if ids else ""
