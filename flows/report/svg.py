"""From matplotlib to SVG that lives inside the page.

Guarantees: the same figure gives the same bytes (fixed hash salt, no date, the bundled font for measuring, no user's
matplotlibrc); text stays text; colours are CSS variables, so that one picture serves light and dark; ids are unique on
the page; nothing outside the page is named. A picture that cannot be drawn becomes a note and an entry in the errors.
"""

from __future__ import annotations

import functools
import io
import re
import unicodedata
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What matplotlib is told -> the CSS variable that it becomes. The colours themselves are in report.css.
NAMES = (
    "ink", "dim", "line", "card", "active", "contested", "deprecated", "flow", "drop", "k0", "k1", "k2", "k3", "k4", "k5", "k6",
)
COLOURS = {name: f"#a1b0{n:02x}" for n, name in enumerate(NAMES, 1)}
FONT_PT = 10.5


def colour(name: str) -> str:
    """The colour to hand to matplotlib for a named colour of the page."""
    return COLOURS[name]


@dataclass
class Pictures:
    """The pictures of one page, in the order drawn: SVG by name, and what could not be drawn."""

    svg: dict[str, str] = field(default_factory=dict)
    errors: list[dict[str, str]] = field(default_factory=list)

    def add(self, name: str, label: str, min_width_px: int, draw: Callable[[], Figure]) -> None:
        """Draws one picture. `label` is what a screen reader says. An Exception is kept, and shown in its place."""
        try:
            self.svg[name] = draw_svg(name, label, min_width_px, draw)
        except Exception as error:
            self.errors.append({"picture": name, "error": f"{type(error).__name__}: {error}"})


def draw_svg(name: str, label: str, min_width_px: int, draw: Callable[[], Figure]) -> str:
    """One inline <svg> element."""
    import matplotlib

    out = io.StringIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # the browser has the glyphs
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({
            "svg.fonttype": "none", "svg.hashsalt": name, "text.parse_math": False, "font.size": FONT_PT,
            "font.family": "DejaVu Sans", "axes.unicode_minus": False, "hatch.linewidth": 1.2,
        })
        draw().savefig(out, format="svg", metadata={"Date": None}, transparent=True)
    return _inline(out.getvalue(), name, label, min_width_px)


def _inline(text: str, name: str, label: str, min_width_px: int) -> str:
    body = text[text.index("<svg"):]
    body = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", body, flags=re.S)
    view = body.split('viewBox="', 1)[1].split('"', 1)[0]
    body = body[body.index(">") + 1:]
    body = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', body)
    body = re.sub(r"url\(#", f"url(#{name}-", body)
    body = re.sub(r'xlink:href="#', f'href="#{name}-', body)
    body = re.sub(r"font-family: [^;\"]*;?", "", body)
    body = re.sub(r'fill="(#a1b0[0-9a-f]{2})"', r'style="fill: \1"', body)
    variables = {value: f"var(--{key})" for key, value in COLOURS.items()}
    body = re.sub(r"#a1b0[0-9a-f]{2}", lambda m: variables[m[0]], body)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" role="img" aria-labelledby="{name}-title" '
        f'style="min-width: {min_width_px}px"><title id="{name}-title">{escape(label)}</title>'
    )
    return head + re.sub(r"\n\s*", "\n", body).strip() + "\n"


def plain(text: str, most: int) -> str:
    """A label for a picture: one line, no control characters, shortened, isolated from the text around it when it runs
    from right to left."""
    line = " ".join("".join(c if unicodedata.category(c)[0] != "C" else " " for c in text).split())
    if len(line) > most:
        line = line[: most - 1].rstrip() + "…"
    if any(unicodedata.bidirectional(c) in ("R", "AL") for c in line):
        return f"\u2068{line}\u2069"
    return line


@functools.cache
def _advance_em(letter: str) -> float:
    """Width of one letter in em, in the font that matplotlib measures with; a full em or more where it lacks the letter."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    font = get_font(findfont(FontProperties(family="DejaVu Sans")))
    if not font.get_char_index(ord(letter)):
        return 0.0 if unicodedata.combining(letter) else 1.3 if unicodedata.category(letter) == "So" else 1.0
    font.set_size(64, 72)
    return font.load_char(ord(letter)).linearHoriAdvance / 65536 / 64


def fit(text: str, width_pt: float, size_pt: float = FONT_PT) -> str:
    """`plain`, shortened until it is at most `width_pt` wide (at least one letter is left)."""
    line = " ".join(plain(text, 10**6).strip("\u2068\u2069").split())
    room, used = width_pt / size_pt, 0.0
    if sum(_advance_em(c) for c in line) <= room:
        return plain(line, len(line) + 1)
    for n, letter in enumerate(line):
        used += _advance_em(letter)
        if used + _advance_em("…") > room:
            return plain(line, max(n, 1) + 1)
    return plain(line, len(line) + 1)
