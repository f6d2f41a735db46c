"""The page: data and pictures through the template.

Guarantees: whatever a corpus says is escaped, isolated in its own direction and free of control characters; an address
becomes a link only where it is http or https; the page loads nothing.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

from flows.report.charts import flow_picture, lengths_picture, states_picture, words
from flows.report.commands import listing_command
from flows.report.svg import Pictures, plain
from flows.report.timeline import timeline_picture, valid_text
from schemas.time import day_from_civil

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
YEAR_1 = day_from_civil(1, 1, 1)
CAPS = {"problems": 100, "audit_examples": 5, "contested_open": 20}


def make_page(data: dict[str, Any]) -> tuple[bytes, list[dict[str, str]]]:
    """The page as UTF-8 bytes, and the pictures that could not be drawn."""
    pictures = draw(data)
    return render(data, pictures).encode("utf-8"), pictures.errors


def draw(data: dict[str, Any]) -> Pictures:
    """All pictures of the page that there is something to draw for."""
    out = Pictures()
    steps = data["flow"]
    label = "Rows through the stages. " + " ".join(
        f"{s['rows']:,} {s['what']}" + (f", {s['kept']:,} {s['then']}" if s["then"] else "")
        + (f", {s['rows'] - s['kept']:,} dropped." if s["then"] else ".") for s in steps
    )
    out.add("flow", label, 400, lambda: flow_picture(steps))
    if data["chunk_lengths"]["kinds"]:
        out.add("lengths", "Histogram of chunk lengths in tokens by kind; the table below has the numbers.", 400,
                lambda: lengths_picture(data["chunk_lengths"]))
    if data["nugget_states"]:
        out.add("states", "Nuggets by state and reason; the table below has the numbers.", 380,
                lambda: states_picture(data["nugget_states"]))
    for n, key in enumerate(data["timelines"]):
        told = "; ".join(f"{plain(r['object'], 60)}: {valid_text(r['days'])}, {r['state']}" for r in key["rows"])
        draw_key = partial(timeline_picture, key, data["as_of_int_day"])
        out.add(f"timeline-{n}", f"Timeline of {plain(key_text(key), 120)}. {told}", 345, draw_key)
    return out


def render(data: dict[str, Any], pictures: Pictures) -> str:
    from jinja2 import Environment, FileSystemLoader
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True, finalize=_clean,
    )
    environment.filters.update(n=lambda v: f"{v:,}", words=words, key=key_text, valid=lambda r: dates_text(r["days"]))
    environment.tests["web"] = lambda uri: bool(re.match(r"https?://", uri or ""))
    return environment.get_template("report.html.j2").render(
        **data, svg={name: Markup(text) for name, text in pictures.svg.items()},
        ancient=any(d is not None and d < YEAR_1 for k in data["timelines"] for r in k["rows"] for d in r["days"].values()),
        broken={e["picture"]: e["error"] for e in pictures.errors}, caps=CAPS, commands=listing_command(data["release"]),
    )


def key_text(row: dict[str, Any]) -> str:
    """'IBM — chief executive officer (acting)'."""
    scope = f" ({row['scope']})" if row.get("scope") else ""
    return f"{row['subject']} — {words(row['predicate'])}{scope}"


def dates_text(days: dict[str, int | None]) -> str:
    return "undated" if all(d is None for d in days.values()) else valid_text(days)


def _clean(value: Any) -> Any:
    return _CONTROL.sub("\ufffd", value) if type(value) is str else value
