"""The report in a real browser: it fits a desktop and a phone, in light and dark, loads nothing, and can be read."""

import io
import json
import os
import shutil
from pathlib import Path

import pytest
from PIL import Image

from flows.report import make_page

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync"]
SIZES = {"desktop": (1280, 900, 1), "phone": (390, 844, 2)}
PARTS = {"sample": ("verdict", "flow", "lengths", "timelines", "contested", "stores"), "strained": ("timelines",)}

MEASURE = """() => {
  const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
    .map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
  const back = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
    if (c && !/rgba\\(.*, 0\\)$/.test(c)) return c; } return 'rgb(255, 255, 255)'; };
  const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
  const root = document.documentElement, wide = [], faint = [], outside = [], small = [];
  document.querySelectorAll('details').forEach(d => d.open = true);
  for (const e of document.querySelectorAll('body *')) {
    if (e.closest('svg')) continue;
    const b = e.getBoundingClientRect();
    if (b.right > root.clientWidth + 1 && !e.closest('.scroll')) wide.push(e.outerHTML.slice(0, 80));
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (own && contrast(getComputedStyle(e).color, back(e)) < 4.5) faint.push(e.outerHTML.slice(0, 80));
  }
  const pictures = [...document.querySelectorAll('svg')].map(s => {
    const box = s.getBoundingClientRect();
    for (const t of s.querySelectorAll('text')) {
      const b = t.getBoundingClientRect();
      if (b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 1) outside.push(t.textContent);
      if (contrast(getComputedStyle(t).fill, back(s)) < 4.5) faint.push(t.textContent);
      if (b.height < 9) small.push([t.textContent, b.height]);
    }
    return [box.width, box.height, s.querySelectorAll('text').length];
  });
  return { scroll: root.scrollWidth, client: root.clientWidth, wide, faint, outside, small, pictures };
}"""


def chromium() -> str:
    """Path of a Chromium. Without one the test is skipped, and fails where CI is set."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    reason = "no Chromium on this machine: run scripts/browser.sh"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    executable = chromium()
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def pages(sample_warehouse, tmp_path_factory):
    """The sample's page as published, and the same page with texts that strain it."""
    wh, outcome = sample_warehouse
    published = wh / "reports" / outcome["release"] / "report.html"
    return {"sample": published, "strained": strained(json.loads(published.with_name("report.json").read_text("utf-8")),
                                                       tmp_path_factory.mktemp("strained") / "report.html")}


def strained(data: dict, path: Path) -> Path:
    """The sample's data with long words, markup, right-to-left text, emoji, big numbers and days far apart."""
    long, mixed = "Donaudampfschifffahrtsgesellschaft" * 6, "<script>document.title='ran'</script> מגדל לונד & 🏔🗼 " * 3
    for n, key in enumerate(data["timelines"]):
        key["subject"] = (long, mixed)[n % 2]
        key["rows"][0].update(object=(long, mixed)[n % 2], state="contested")
        key["rows"][-1].update(state="deprecated", days={"start_min": -900_000, "start_max": -899_990, "end_min": 2_000_000, "end_max": 2_000_009})
    for step in data["flow"]:
        step.update(rows=step["rows"] * 1_234_567, kept=step["kept"] * 1_234_567)
        step["dropped"] = [{"reason": long, "rows": 1_234_567}, *step["dropped"]] * 2
    for key in data["contested"]["keys"]:
        key["subject"] = long
        for value in key["values"]:
            value.update(object=long, condition=mixed)
            for document in value["documents"]:
                document.update(title=None, uri="https://example.org/" + long, sentence=mixed + long)
    data["quarantine"][0].update(reason=long, rows=123_456_789)
    data["errors"] = [{**data["quarantine"][0]["examples"][0], "stage": "parse", "reason": long, "detail": long + mixed}]
    data["problems"] = [{"store": "chunks", "leg": "dense", "id": long, "problem": mixed}] * 3
    data["sources"][0].update(name=long, acl=[long, mixed])
    page, errors = make_page(data)
    assert errors == []
    path.write_bytes(page)
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("which", ["sample", "strained"])
def test_it_can_be_read(browser, pages, tmp_path, which, size, scheme):
    width, height, scale = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, device_scale_factor=scale, color_scheme=scheme)
    page = context.new_page()
    requests, said = [], []
    page.on("request", lambda r: requests.append(r.url))
    page.on("console", lambda m: said.append(m.text))
    page.on("pageerror", lambda e: said.append(str(e)))
    address = pages[which].as_uri()
    page.goto(address)
    title = page.title()
    found = page.evaluate(MEASURE)
    assert requests == [address] and said == [] and "ran" not in title.split()
    assert found["scroll"] <= found["client"] == width and found["wide"] == []
    assert found["faint"] == [] and found["outside"] == [] and found["small"] == []
    assert len(found["pictures"]) >= 10 and all(w > 100 and h > 30 and texts for w, h, texts in found["pictures"])
    colours = set()
    for part in PARTS[which]:
        page.evaluate(f"document.getElementById('{part}').scrollIntoView()")
        path = tmp_path / f"{part}.png"
        page.screenshot(path=path)
        image = Image.open(io.BytesIO(path.read_bytes())).convert("RGB")
        assert image.size == (width * scale, height * scale) and path.stat().st_size > 10_000, part
        seen = image.getcolors(maxcolors=1 << 24)
        assert len(seen) > 30, part
        colours.add(max(seen)[1])
    assert all((sum(c) > 600) == (scheme == "light") for c in colours), "the background follows the scheme"
    context.close()
