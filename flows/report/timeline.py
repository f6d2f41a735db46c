"""The timeline of one key: a bar per nugget, dark where the fact certainly held, pale where it possibly did.

Guarantees: days are plain numbers (years as floats), so BC, years before 1678 and after 2261 are drawn like all others;
a bound that is not known runs to the edge of the picture as a dashed line, never to a made-up date.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flows.report.charts import PT_PER_INCH, _canvas, _state
from flows.report.svg import colour, fit
from schemas.time import civil_from_day, day_from_civil, days_in_month, iso

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DAYS_PER_YEAR = 365.2425
ROW_PT, BAR_PT, HEAD_PT, FOOT_PT = 36, 12, 4, 24
PALE = 0.4
LEAST_LABEL_PT = 110
X0, X1 = 0.5, 99.0
WIDTH_IN, LETTER_PT, SMALL_LETTER_PT = 5.0, 6.3, 5.3  # letters as wide as the widest font has them on average


def year(day: int) -> float:
    """Astronomical year as a number; 1970.0 is 1970-01-01."""
    return 1970 + day / DAYS_PER_YEAR


def year_text(value: int) -> str:
    """As `schemas.time.iso` writes it: astronomical, -0043 is 44 BC."""
    return f"{value}" if value > 999 else f"{'-' if value < 0 else ''}{abs(value):04d}"


def timeline_picture(key: dict, as_of: int | None) -> Figure:
    """`key` as in `facts.timelines`; `as_of` is the release's day, drawn where it falls into the picture."""
    shown = key["rows"]
    known = [d for r in shown for d in r["days"].values() if d is not None]
    low, high = year(min(known)), year(max(known))
    pad = max((high - low) * 0.06, 0.15)
    low, high = low - pad, high + pad

    def x(day: int) -> float:
        return X0 + (X1 - X0) * (year(day) - low) / (high - low)

    height = HEAD_PT + ROW_PT * len(shown) + FOOT_PT
    figure, axes = _canvas(WIDTH_IN, height / PT_PER_INCH, height)
    bottom = HEAD_PT + ROW_PT * len(shown) + 2
    for at, text in _ticks(low, high):
        place = X0 + (X1 - X0) * (at - low) / (high - low)
        axes.plot([place, place], [HEAD_PT, bottom], color=colour("line"), linewidth=0.8, zorder=0)
        side = "left" if place < 6 else "right" if place > 94 else "center"
        axes.text(place, bottom + 14, text, color=colour("dim"), ha=side, va="baseline", fontsize=9.5)
    axes.plot([X0, X1], [bottom, bottom], color=colour("dim"), linewidth=0.8)
    if as_of is not None and low <= year(as_of) <= high:
        axes.plot([x(as_of)] * 2, [HEAD_PT, bottom], color=colour("dim"), linewidth=1, linestyle=(0, (1, 2)), zorder=0)
    for n, row in enumerate(shown):
        _bar(axes, row, HEAD_PT + ROW_PT * n, x)
    return figure


def _bar(axes, row: dict, top: float, x) -> None:
    from matplotlib.patches import Rectangle

    d = row["days"]
    y = top + 18
    tint = colour(_state(row["state"]))
    hatch = "/////" if row["state"] == "contested" else None
    mark = "" if row["state"] == "active" else f" ({row['state']})"
    valid = valid_text(d)
    room = WIDTH_IN * PT_PER_INCH * (X1 - X0) / 100 - LETTER_PT * len(mark) - 8
    if room - SMALL_LETTER_PT * len(valid) < LEAST_LABEL_PT:
        valid = years_text(d)
    room -= SMALL_LETTER_PT * len(valid)
    axes.text(X0, top + 13, fit(row["object"], room, 10) + mark, color=colour("ink"), va="baseline", fontsize=10)
    axes.text(X1, top + 13, valid, color=colour("dim"), va="baseline", ha="right", fontsize=8.5)
    starts = [v for v in (d["start_min"], d["start_max"]) if v is not None]
    ends = [v for v in (d["end_min"], d["end_max"]) if v is not None]
    first, last = min(starts + ends), max(starts + ends)
    sure = d["start_max"] is not None and d["end_min"] is not None and d["start_max"] < d["end_min"]
    least = 1.0

    def box(a: float, b: float, alpha: float) -> None:
        edge_colour = colour("card") if hatch else "none"
        axes.add_patch(Rectangle((a, y), max(b - a, least), BAR_PT, facecolor=tint, edgecolor=edge_colour, linewidth=0, hatch=hatch,
                                 alpha=alpha))

    def edge(a: float, b: float) -> None:
        axes.plot([a, b], [y + BAR_PT / 2] * 2, color=tint, linewidth=1.6, linestyle=(0, (3, 2)))

    pale = PALE
    if sure:
        for a, b in ((first, d["start_max"]), (d["end_min"], last)):
            if a < b:
                box(x(a), x(b), pale)
        box(x(d["start_max"]), x(d["end_min"]), 1.0)
    else:
        box(x(first), x(last), pale)
    if d["start_min"] is None:
        edge(X0, x(first))
    if d["end_max"] is None:
        edge(x(last), X1)


def valid_text(days: dict) -> str:
    """'1949 → 1963-10': the two bounds, each as coarse as it is known. An end is the first day without the fact; of what
    holds for one day, as events do, only that day is told."""
    if None not in days.values() and days["end_min"] - days["start_min"] == days["end_max"] - days["start_max"] == 1:
        return _bound(days["start_min"], days["start_max"], False)
    return f"{_bound(days['start_min'], days['start_max'], False)} → {_bound(days['end_min'], days['end_max'], True)}"


def years_text(days: dict) -> str:
    """The same by years alone, for where there is no room: what is known of the start, what is known of the end."""
    ends = [[d for d in (days[f"{side}_min"], days[f"{side}_max"]) if d is not None] for side in ("start", "end")]
    years = [dict.fromkeys(year_text(civil_from_day(d)[0]) for d in e) for e in ends]
    return " → ".join("..".join(y) or "?" for y in years)


def _bound(low: int | None, high: int | None, end: bool) -> str:
    if low is None and high is None:
        return "?"
    if low is None:
        return f"≤ {iso(high)}"
    if high is None:
        return f"≥ {iso(low)}"
    if low == high:
        return str(iso(low))
    last = high - 1 if end and civil_from_day(high)[2] == 1 else high  # until a year Y: up to the first day of Y + 1
    (y1, m1, d1), (y2, m2, d2) = civil_from_day(low), civil_from_day(last)
    whole = d1 == 1 and d2 == days_in_month(y2, m2)
    if whole and (m1, m2) == (1, 12):
        return year_text(y1) if y1 == y2 else f"{year_text(y1)}..{year_text(y2)}"
    if whole and (y1, m1) == (y2, m2):
        return _month(low)
    return f"{iso(low)}..{iso(high)}" if y1 == y2 else f"{year_text(y1)}..{year_text(y2)}"


def _month(day: int) -> str:
    return str(iso(day))[:-3]


def _ticks(low: float, high: float) -> list[tuple[float, str]]:
    """About five marks at round years, or months where the picture spans little."""
    from matplotlib.ticker import MaxNLocator

    if high - low >= 4:
        marks = MaxNLocator(5, integer=True).tick_values(low, high)
        return [(float(v), year_text(round(v))) for v in marks if low <= v <= high]
    months = [day_from_civil(y, m, 1) for y in range(int(low) - 1, int(high) + 2) for m in range(1, 13)]
    inside = [(year(d), _month(d)) for d in months if low <= year(d) <= high]
    return inside[:: max(1, -(-len(inside) // 5))]

