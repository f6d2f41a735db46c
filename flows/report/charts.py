"""The pictures: rows through the stages, lengths of chunks, states of nuggets.

Guarantees: each function takes the plain data of the page and gives a matplotlib Figure; no global state of pyplot.
Numbers in a picture are the numbers of the data, never measured from a bar.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flows.report.svg import colour, fit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PT_PER_INCH = 72
FLOW_IN, STATES_IN = 5.6, 6.4
REASONS_SHOWN = 4


def words(code: str) -> str:
    """A reason code as words."""
    return code.replace("_", " ")


def _canvas(width_in: float, height_in: float, high: float) -> tuple[Figure, Any]:
    """A figure whose one axes has a unit of 1/100 of the width across, `high` units down, and no frame."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width_in, height_in))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, 100)
    axes.set_ylim(high, 0)
    return figure, axes


def flow_picture(steps: list[dict]) -> Figure:
    """Each step is a band as wide as all its rows: what goes on narrows into the next, what is dropped bends off."""
    from matplotlib.patches import Rectangle

    pitch, band, full, left = 94, 24, 57.0, 0.6
    heights = [max(pitch, 42 + 16 * min(len(s["dropped"]), REASONS_SHOWN + 1)) for s in steps[:-1]]
    heights.append(24 + max(band, 16 * len(steps[-1].get("states", []))))
    figure, axes = _canvas(FLOW_IN, sum(heights) / PT_PER_INCH, sum(heights))
    top = 0.0
    for n, step in enumerate(steps):
        y = top + 20
        share = step["kept"] / step["rows"] if step["rows"] else 1.0
        kept = full if share == 1 else min(max(full * share, 0.6 if step["kept"] else 0.0), full - 0.6)
        axes.text(left, top + 14, f"{step['rows']:,} {step['what']}", color=colour("ink"), weight="bold", va="baseline")
        if step.get("states"):
            _states_band(axes, left, y, full, band, step)
        elif step["rows"]:
            axes.add_patch(Rectangle((left, y), kept, band, facecolor=colour("flow"), edgecolor="none"))
        else:
            axes.add_patch(Rectangle((left, y), full, band, facecolor="none", edgecolor=colour("line")))
        if n + 1 < len(steps):
            if step["kept"]:
                _ribbon(axes, left, kept, y + band, full, top + heights[n] + 20)
            for line, text in enumerate((f"{step['kept']:,}{share_text(share)}", step["then"])):
                room = 0.55 * FLOW_IN * PT_PER_INCH
                axes.text(left + 1.2, y + band + 16 + 15 * line, fit(text, room), color=colour("ink"), va="baseline")
        if step["dropped"]:
            _branch(axes, left + kept, left + full, y, band, step)
        top += heights[n]
    return figure


def share_text(share: float) -> str:
    """A share in brackets, '' for none and all; what is not all never reads as 100 %."""
    if share in (0.0, 1.0):
        return ""
    text = f"{100 * share:.1f}"
    return f" ({'> 99.9' if text == '100.0' else '< 0.1' if text == '0.0' else text} %)"


def _states_band(axes, left: float, y: float, full: float, band: float, step: dict) -> None:
    from matplotlib.patches import Rectangle

    x = left
    for s in step["states"]:
        width = max(full * s["rows"] / step["rows"], 0.6)
        x = min(x, left + full - width)
        axes.add_patch(Rectangle((x, y), width, band, **_state_look(s["reason"])))
        x += width
    for n, s in enumerate(step["states"]):
        line = y + 10 + 16 * n
        axes.add_patch(Rectangle((left + full + 3, line - 9), 2.4, 10, **_state_look(s["reason"])))
        axes.text(left + full + 6.5, line, f"{s['rows']:,} {s['reason']}", color=colour("ink"), va="baseline")


def _state(name: str) -> str:
    return name if name in ("active", "contested", "deprecated") else "dim"


def _state_look(state: str) -> dict[str, Any]:
    hatch = "////" if state == "contested" else None
    return {"facecolor": colour(_state(state)), "edgecolor": colour("card"), "hatch": hatch}


def _ribbon(axes, left: float, kept: float, y: float, full: float, below: float) -> None:
    """From the kept part of a band to the full width of the next."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    middle = (y + below) / 2
    a, b = left + kept, left + full
    points = [(left, y), (a, y), (a, middle), (b, middle), (b, below), (left, below), (left, y)]
    codes = [Path.MOVETO, Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4, Path.LINETO, Path.CLOSEPOLY]
    axes.add_patch(PathPatch(Path(points, codes), facecolor=colour("flow"), edgecolor="none", alpha=0.16))


def _branch(axes, x0: float, x1: float, y: float, band: float, step: dict) -> None:
    """The dropped part of a band, bending off to the reasons written beside it."""
    from matplotlib.patches import PathPatch, Rectangle
    from matplotlib.path import Path

    axes.add_patch(Rectangle((x0, y), x1 - x0, band, facecolor=colour("drop"), edgecolor="none"))
    shown = step["dropped"][:REASONS_SHOWN]
    rest = step["dropped"][REASONS_SHOWN:]
    if len(rest) == 1:
        shown, rest = step["dropped"], []
    lines = [f"{d['rows']:,} {words(d['reason'])}" for d in shown]
    if rest:
        lines.append(f"{sum(d['rows'] for d in rest):,} for {len(rest)} more reasons")
    high = 16 * len(lines)
    end, low = x1 + 4, y + high
    points = [(x1, y), (x1 + 2.5, y), (x1 + 1.5, y), (end, y), (end, low), (x1 + 2, low), (x1 + 2.5, y + band), (x1, y + band), (x1, y)]
    codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
    axes.add_patch(PathPatch(Path(points, codes), facecolor=colour("drop"), edgecolor="none", alpha=0.55))
    total = sum(d["rows"] for d in step["dropped"])
    axes.text(x1 + 3, y - 6, f"− {total:,} dropped", color=colour("drop"), weight="bold", va="baseline")
    for n, line in enumerate(lines):
        axes.text(x1 + 5.5, y + 11 + 16 * n, fit(line, (99 - x1 - 5.5) / 100 * FLOW_IN * PT_PER_INCH), color=colour("ink"), va="baseline")


def _frame(axes) -> None:
    """Quiet axes: no box, light grid, dim labels."""
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(colour("line"))
    axes.tick_params(colors=colour("dim"), labelcolor=colour("dim"), length=3)
    axes.set_axisbelow(True)


def lengths_picture(lengths: dict) -> Figure:
    """Histogram of chunk lengths in tokens, stacked by kind."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    figure = Figure(figsize=(5.6, 3.7))
    axes = figure.add_axes((0.11, 0.14, 0.855, 0.62))
    bins, width = lengths["bins"], lengths["width"]
    count = len(next(iter(bins.values())))
    below = [0] * count
    for n, (kind, values) in enumerate(bins.items()):
        label = fit(f"{words(kind)} ({sum(values):,})", 120, 9.5)
        middles = [width * (i + 0.5) for i in range(count)]
        axes.bar(middles, values, width * 0.92, bottom=below, label=label, color=colour(f"k{n}"), linewidth=0)
        below = [a + b for a, b in zip(below, values, strict=True)]
    _frame(axes)
    axes.set_xlim(0, width * count)
    axes.grid(axis="y", color=colour("line"), linewidth=0.8)
    axes.xaxis.set_major_locator(MaxNLocator(7, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:,.0f}"))
    more = f", the last bar {width * (count - 1):,} or more" if lengths["last_open"] else ""
    axes.set_xlabel(f"tokens per chunk, {width:,} per bar{more}", color=colour("dim"))
    axes.set_title("chunks", color=colour("dim"), loc="left", fontsize=10.5, x=-0.12, pad=4)
    axes.legend(loc="lower left", bbox_to_anchor=(-0.12, 1.1), ncols=3, frameon=False, labelcolor=colour("ink"), handlelength=1,
                handleheight=0.9, columnspacing=1.0, handletextpad=0.5, borderaxespad=0, fontsize=9.5)
    return figure


def states_picture(states: list[dict]) -> Figure:
    """One bar per state and reason, with its number written out."""
    from matplotlib.patches import Rectangle

    merged: dict[tuple[str, str], int] = {}
    for s in states:
        merged[s["state"], s["reason"]] = merged.get((s["state"], s["reason"]), 0) + s["nuggets"]
    bars = sorted(merged.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
    most = max(merged.values())
    figure, axes = _canvas(STATES_IN, (24 * len(bars) + 6) / PT_PER_INCH, 24 * len(bars) + 6)
    for n, ((state, reason), count) in enumerate(bars):
        y = 24 * n + 4
        axes.text(0.5, y + 13, fit(f"{state}: {words(reason)}", 0.38 * STATES_IN * PT_PER_INCH), color=colour("ink"), va="baseline")
        width = max(46 * count / most, 0.5)
        axes.add_patch(Rectangle((40, y), width, 17, **_state_look(state)))
        axes.text(41 + width, y + 13, f"{count:,}", color=colour("ink"), va="baseline")
    return figure
