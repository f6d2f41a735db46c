"""The report: its numbers are the tables' numbers, nothing is lost between stages, nothing in it can run or load."""

import html
import json
import os
import re
import shlex
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from flows.report import make_page, report_data
from flows.report.base import open_tables, rows
from flows.report.funnel import UNACCOUNTED, flow_steps
from flows.report.svg import Pictures, plain
from flows.report.timeline import timeline_picture, valid_text
from schemas.time import day_from_civil
from tests.flows.conftest import ROOT
from warehouse.layout import Warehouse
from warehouse.reconcile import Reconciliation
from warehouse.releases import open_release

EVIL = "<script>alert('x')</script> & 🏔"
HEBREW = "מגדל לונד"
DOCUMENTS = {
    "evil.md": f"---\ntitle: {json.dumps(EVIL, ensure_ascii=False)}\n---\n\nBlackpool Tower is 148 metres tall. The $x_1$ & <b>price</b> is $5.\n",
    "rival.md": "---\ntitle: \"Rival & <img src=x onerror=alert(1)>\"\n---\n\nBlackpool Tower is 159 metres tall.\n",
    "hebrew.md": f"# {HEBREW}\n\nBlackpool Tower is 170 metres tall. Ada Long was chief executive officer of Acme Corporation from 2001 to 2010. Bert Moss became "
                 "chief executive officer of Acme Corporation in 2010.\n",
    "broken.txt": b"\x00\x01\x02\xff\xfe\x00broken\x00" * 40,
    "page.xyz": "no such format",
}


class Page(HTMLParser):
    """Tags with attributes, ids, and visible text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags, self.ids, self.text, self.headings = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if dict(attrs).get("id"):
            self.ids.append(dict(attrs)["id"])

    def handle_data(self, data):
        self.text.append(data)


def read(wh: Path, release: str) -> tuple[str, dict]:
    folder = Path(wh) / "reports" / release
    return (folder / "report.html").read_text("utf-8"), json.loads((folder / "report.json").read_text("utf-8"))


def counted(con, sql: str) -> int:
    return rows(con, f"SELECT ({sql}) AS n")[0]["n"]


@pytest.fixture(scope="module")
def built(sample_warehouse):
    """(page text, data, connection, release) of the bundled sample as it was published."""
    wh, outcome = sample_warehouse
    text, data = read(wh, outcome["release"])
    release = open_release(Warehouse.open(wh), outcome["release"])
    con = open_tables(release.wh, release.tables())
    yield text, data, con, release
    con.close()


@pytest.fixture(scope="module")
def odd(lode, without_vectors, tmp_path_factory):
    """Two releases without vectors: hostile titles and failing files; then one page without any fact."""
    folder = tmp_path_factory.mktemp("odd")
    wh, source = folder / "wh", folder / "notes"
    source.mkdir()
    for name, text in DOCUMENTS.items():
        (source / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    arguments = ("build", source, "--acl", "public", "-c", without_vectors, "-w", wh, "--json")
    first = json.loads(lode(*arguments, code=3).stdout)
    for name in DOCUMENTS:
        (source / name).unlink()
    (source / "plain.md").write_text("# Nothing\n\nOh well.\n", "utf-8")
    second = json.loads(lode(*arguments, "--allow-delete").stdout)
    return wh, first["release"], second["release"]


# --- numbers


def test_numbers_are_the_tables(built):
    _, data, con, release = built
    tables = release.tables()
    assert data["counts"]["nuggets"] == counted(con, "SELECT count(*) FROM nuggets") == sum(s["nuggets"] for s in data["nugget_states"])
    assert sum(k["chunks"] for k in data["chunk_lengths"]["kinds"]) == tables.rows("chunks")
    assert sum(sum(b) for b in data["chunk_lengths"]["bins"].values()) == tables.rows("chunks")
    assert sum(k["tokens"] for k in data["chunk_lengths"]["kinds"]) == counted(con, "SELECT sum(tokens)::BIGINT FROM chunks")
    assert data["contested"]["total"] == counted(con, "SELECT count(DISTINCT (key_id, label)) FROM nuggets WHERE state = 'contested'") > 0
    assert sum(len(k["values"]) + k["more_values"] for k in data["contested"]["keys"]) == data["states"]["contested"]
    assert sum(q["rows"] for q in data["quarantine"]) == tables.rows("quarantine") > 0
    assert {(m["store"], m["metadata"], m["legs"]["sparse"]["found"], m["legs"]["dense"]["found"]) for m in data["matrix"]} == {
        (s, n, n, n) for s, n in (("chunks", tables.rows("chunks")), ("nuggets", tables.rows("nuggets")))}
    assert data["picture_errors"] == []


def test_numbers_stand_on_the_page(built):
    text, data, _, release = built
    shown = " ".join("".join(Page(text).text).split())
    assert data["verdict"]["sound"] and "The stores agree." in shown and release.id in shown
    for table in ("documents", "elements", "chunks", "sentences", "mentions", "claims", "nuggets"):
        assert f"{data['counts'][table]:,} {table}" in shown, "as the flow picture writes it"
    for state in data["nugget_states"]:
        assert f"{state['nuggets']:,}" in shown
    for key in data["contested"]["keys"]:
        assert key["subject"] in shown and all(v["object"] in shown for v in key["values"])
        assert all(d["title"] in shown for v in key["values"] for d in v["documents"])
    for source in data["sources"]:
        assert source["name"] in shown
    assert "board" in shown and "For operators." in shown
    for stage in data["stages"]:
        assert stage["stage"] in shown


def test_timelines_show_the_busiest(built):
    text, data, con, _ = built
    most = counted(con, "SELECT max(n) FROM (SELECT count(*) AS n FROM nuggets WHERE start_min IS NOT NULL OR end_max IS NOT NULL GROUP BY key_id, label)")
    assert data["timelines"][0]["nuggets"] == most and 0 < len(data["timelines"]) <= 12
    for n, key in enumerate(data["timelines"]):
        picture = re.search(rf'<svg[^>]*aria-labelledby="timeline-{n}-title".*?</svg>', text, re.S)[0]
        assert all(valid_text(r["days"]) in picture for r in key["rows"])


# --- conservation


def test_nothing_is_lost_between_stages(built):
    _, data, con, release = built
    steps = {s["table"]: s for s in data["flow"]}
    for table, step in steps.items():
        assert step["rows"] == step["kept"] + sum(d["rows"] for d in step["dropped"]), table
        assert all(d["reason"] != UNACCOUNTED for d in step["dropped"]), table
        if table != "inputs":
            assert step["rows"] == release.tables().rows(table), table
    assert steps["inputs"]["kept"] == steps["documents"]["rows"]
    assert steps["mentions"]["kept"] == counted(con, "SELECT count(DISTINCT mention_id) FROM claims")
    assert steps["claims"]["kept"] == counted(con, "SELECT count(DISTINCT c) FROM (SELECT unnest(claim_ids) AS c FROM nuggets)")
    assert sum(s["rows"] for s in steps["nuggets"]["states"]) == steps["nuggets"]["rows"]
    found = dict(con.execute("SELECT reason, count(*) FROM quarantine WHERE stage = 'normalize' GROUP BY reason").fetchall())
    assert {d["reason"]: d["rows"] for d in steps["mentions"]["dropped"]} == found != {}


def test_what_nobody_explains_is_called_so(built):
    """Without its quarantine rows, a dropped mention must not vanish from the picture."""
    _, data, _, release = built
    con = open_tables(release.wh, release.tables())
    con.execute("CREATE OR REPLACE VIEW nothing AS SELECT * FROM quarantine WHERE false")
    con.execute("CREATE OR REPLACE TEMP TABLE none AS SELECT * FROM nothing")
    con.execute("CREATE OR REPLACE VIEW quarantine AS SELECT * FROM temp.none")
    before, after = ({s["table"]: s for s in steps}["mentions"] for steps in (data["flow"], flow_steps(con)))
    con.close()
    assert after["dropped"] == [{"reason": UNACCOUNTED, "rows": before["rows"] - before["kept"]}]


def test_a_store_that_differs_is_said_to(built):
    _, data, _, release = built
    result = Reconciliation([dict(c) for c in data["reconciliation"]], [], data["texts_checked"])
    for n in range(3):
        result.add("nuggets", "dense", f"id{n}", "missing from the store")
    result.add("chunks", "metadata", "c1", "text differs from what its spans render to")
    changed = report_data(release, release.tables(), [{**data["audits"][0], "bad_rows": 7}, *data["audits"][1:]], result, [])
    assert changed["verdict"] == {"sound": False, "problems": 4, "failed_audits": [data["audits"][0]["audit"]], "warnings": []}
    by_store = {m["store"]: m for m in changed["matrix"]}
    assert by_store["nuggets"]["legs"]["dense"]["problems"] == {"missing from the store": 3}
    assert by_store["nuggets"]["legs"]["sparse"]["problems"] == {} and by_store["chunks"]["metadata_problems"]
    shown = " ".join("".join(Page(make_page(changed)[0].decode()).text).split())
    assert "The stores do not agree, or an audit failed." in shown and "3 missing from the store" in shown
    assert "not all are equal" in shown and "The stores agree." not in shown and "id2" in shown


# --- what a hostile corpus says


def test_hostile_text_is_text(odd):
    wh, first, _ = odd
    text, data = read(wh, first)
    page = Page(text)
    assert {d["title"] for k in data["contested"]["keys"] for v in k["values"] for d in v["documents"]} >= {EVIL}
    assert "<script" not in text and "<img" not in text and not any(t in ("script", "img", "iframe", "object") for t, _ in page.tags)
    assert not any(name.startswith("on") for _, attrs in page.tags for name in attrs)
    assert EVIL in "".join(page.text) and "Rival & <img src=x onerror=alert(1)>" in "".join(page.text)
    assert f"<bdi>{HEBREW}</bdi>" in text, "its direction is its own"


def test_control_characters_are_replaced(built):
    _, data, _, _ = built
    title = "a\x00b\x1b[31m\u202ec"
    changed = json.loads(json.dumps(data))
    changed["sources"][0]["name"] = title
    changed["timelines"][0]["subject"] = title
    changed["timelines"][0]["rows"][0]["object"] = title
    page, errors = make_page(changed)
    assert errors == [] and b"\x00" not in page and b"\x1b" not in page


def test_labels_of_pictures_are_safe():
    assert plain("a\n\tb\x00c", 20) == "a b c"
    assert plain("x" * 50, 10) == "x" * 9 + "…"
    assert plain(HEBREW, 40) == f"\u2068{HEBREW}\u2069"


@pytest.mark.parametrize("which", ["built", "odd"])
def test_the_page_is_self_contained(which, request):
    if which == "built":
        text = request.getfixturevalue("built")[0]
    else:
        text = read(*request.getfixturevalue("odd")[:2])[0]
    page = Page(text)
    assert text.startswith("<!doctype html>") and ("html", {"lang": "en"}) in page.tags
    for tag, attrs in page.tags:
        assert tag not in ("link", "script", "iframe", "img", "image", "object", "embed", "base", "video", "audio"), tag
        assert not {"src", "srcset", "data", "poster", "background"} & set(attrs), (tag, attrs)
        for name in ("href", "xlink:href"):
            target = attrs.get(name) or ""
            assert tag == "a" or not target or target.startswith("#"), (tag, target)
            assert target.startswith(("#", "http://", "https://")) or not target, target
    assert not re.search(r"@import|url\((?!#)", text)
    assert len(page.ids) == len(set(page.ids)), "ids are unique, over all pictures"
    wanted = set(re.findall(r'(?:href="|url\()#([^")]+)', text))
    assert wanted <= set(page.ids)


def test_the_page_is_accessible(built):
    page = Page(built[0])
    assert page.headings[0] == 1 and page.headings.count(1) == 1
    assert all(b <= a + 1 for a, b in zip(page.headings, page.headings[1:], strict=False)), "headings in order"
    assert all(attrs.get("scope") in ("col", "row") for tag, attrs in page.tags if tag == "th")
    pictures = [attrs for tag, attrs in page.tags if tag == "svg"]
    assert len(pictures) == 3 + len(built[1]["timelines"])
    assert all(p["role"] == "img" and p["aria-labelledby"] in page.ids for p in pictures)


def _luminance(colour: str) -> float:
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_has_contrast(theme):
    css = (ROOT / "flows" / "templates" / "report.css").read_text("utf-8")
    block = re.findall(r":root \{(.*?)\}", css, re.S)[theme]
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))
    pairs = [(text, back) for text in ("ink", "dim", "link", "good", "bad") for back in ("bg", "card")]
    pairs += [("ink", b) for b in ("goodbg", "badbg", "notebg", "code")] + [("good", "goodbg"), ("bad", "badbg"), ("drop", "card")]
    for text, back in pairs:
        a, b = sorted((_luminance(colours[text]), _luminance(colours[back])))
        assert (b + 0.05) / (a + 0.05) >= 4.5, (text, back)


# --- odd releases


def test_without_vectors_and_parent(odd):
    wh, first, _ = odd
    text, data = read(wh, first)
    assert all(m["legs"]["dense"] is None and m["legs"]["sparse"]["problems"] == {} for m in data["matrix"])
    assert "not built" in text and "There is no release before this one." in text
    assert data["changes"]["parent"] is None and data["picture_errors"] == []
    assert data["errors_total"] >= 1 and {e["where"] for e in data["errors"]} >= {"broken.txt"} and "broken.txt" in text
    steps = {s["table"]: s for s in data["flow"]}
    assert steps["inputs"]["rows"] == len(DOCUMENTS) == steps["inputs"]["kept"] + sum(d["rows"] for d in steps["inputs"]["dropped"])


def test_without_nuggets(odd):
    wh, first, second = odd
    text, data = read(wh, second)
    assert data["counts"]["nuggets"] == 0 and data["picture_errors"] == [] and "The release holds no nuggets." in text
    release, parent = (open_release(Warehouse.open(wh), r) for r in (second, first))
    for change in data["changes"]["tables"]:
        key = change["table"][:-1] + "_id"
        old, new = (set(r.read(change["table"], [key])[key].to_pylist()) for r in (parent, release))
        assert (change["added"], change["removed"], change["kept"]) == (len(new - old), len(old - new), len(old & new)), change["table"]
        assert {e["id"] for e in change["examples"]["removed"]} <= old - new
    assert data["changes"]["tables"][3]["removed"] > 0 and EVIL in "".join(Page(text).text), "what went is shown by its title"


DAY = day_from_civil
TIMES = {
    "BC": (DAY(-500, 1, 1), DAY(-500, 12, 31), DAY(-43, 3, 15), DAY(-43, 3, 15)),
    "far": (DAY(1, 1, 1), DAY(1677, 9, 20), DAY(2262, 4, 12), DAY(12000, 1, 1)),
    "one day": (0, 0, 1, 1),
    "no start": (None, None, None, 5),
    "only start": (None, 7, None, None),
    "open": (3, 3, 9, None),
    "overlapping": (0, 400, 200, 600),
}


@pytest.mark.parametrize("name", TIMES)
@pytest.mark.parametrize("state", ["active", "contested", "deprecated"])
def test_any_day_can_be_drawn(name, state):
    days = dict(zip(("start_min", "start_max", "end_min", "end_max"), TIMES[name], strict=True))
    key = {"rows": [{"object": "$5 <&> x^2", "state": state, "days": days}]}
    pictures = Pictures()
    pictures.add("t", "a & b", 300, lambda: timeline_picture(key, 3))
    assert pictures.errors == []
    picture = pictures.svg["t"]
    assert "$5 &lt;&amp;&gt; x^2" in picture and "a &amp; b" in picture and "nan" not in picture.lower()
    assert ("pattern" in picture) == (state == "contested")
    if name == "BC":
        assert re.search(r">-0\d\d0<", picture) and "-0500 → -0043-03-15" in picture


def test_a_picture_that_fails_is_seen(built, monkeypatch):
    _, data, _, _ = built

    def broken(_):
        raise ValueError("no <ink> left")

    monkeypatch.setattr("flows.report.page.flow_picture", broken)
    page, errors = make_page(data)
    assert errors == [{"picture": "flow", "error": "ValueError: no <ink> left"}]
    assert b"This picture could not be drawn: <code>ValueError: no &lt;ink&gt; left</code>" in page
    assert page.count(b"<svg") == 2 + len(data["timelines"])


# --- the same bytes, and the command

REMAKE = """
import json, sys
from pathlib import Path
from flows.report import write_report
from warehouse.layout import Warehouse
from warehouse.reconcile import Reconciliation
from warehouse.releases import open_release
wh, old = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
release = open_release(Warehouse.open(wh), old["release"])
result = Reconciliation(old["reconciliation"], old["problems"], old["texts_checked"])
write_report(release, release.tables(), old["audits"], result, old["stages"], Path(sys.argv[3]))
"""


def test_same_release_same_bytes(built, tmp_path):
    """Another process, another hash seed, another time zone, and a user's own matplotlibrc."""
    _, data, _, release = built
    folder = release.wh.path("reports", release.id)
    (tmp_path / "matplotlibrc").write_text("font.size: 30\nsvg.fonttype: path\naxes.facecolor: red\ntext.color: red\npatch.linewidth: 9\n")
    environment = {**os.environ, "MPLCONFIGDIR": str(tmp_path), "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", REMAKE, release.wh.root, folder / "report.json", tmp_path / "again"], env=environment,
                          capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    for name in ("report.html", "report.json", "reconciliation.parquet"):
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes(), name


def test_report_says_where_the_page_is(sample_warehouse, lode_offline):
    wh, outcome = sample_warehouse
    found = lode_offline.json("report", "-w", wh)
    page = Path(found["report_html"])
    assert found["release"] == outcome["release"] and not found["made_anew"] and page.is_file() and str(page) == outcome["report"]
    shown = lode_offline("report", outcome["release"][:8], "-w", wh)
    assert shown.stdout.strip() == str(page) and "operator view" in shown.stderr
    before = page.read_bytes()
    page.unlink()
    assert lode_offline.json("report", "-w", wh)["made_anew"]
    assert page.read_bytes() == before, "audited, read back and drawn anew: nothing changed"
    assert lode_offline.json("report", "0000", "-w", wh, code=1)["error"]


def test_what_the_page_caps_can_be_listed(built, lode_offline):
    """The commands on the page, as a shell would take them."""
    text, data, _, release = built
    commands = [shlex.split(c) for c in re.findall(r"<pre>(.*?)</pre>", html.unescape(text)) if c.startswith("lode sql")]
    assert len(commands) >= 2
    listed = [json.loads(lode_offline(*c[1:], "-w", release.wh.root).stdout) for c in commands]
    contested = next(rows for rows in listed if "nugget_id" in rows[0])
    assert len(contested) == data["states"]["contested"]
    assert next(r for r in listed if "nuggets" in r[0])[0]["nuggets"] >= data["timelines"][0]["nuggets"]


def test_report_after_everything_is_gone(odd, lode_offline):
    """An earlier release, its report deleted whole: made from audits and stores; the seconds of its run are not known."""
    wh, first, _ = odd
    folder = wh / "reports" / first
    _, before = read(wh, first)
    for path in folder.iterdir():
        path.unlink()
    assert lode_offline.json("report", "previous", "-w", wh)["made_anew"]
    text, after = read(wh, first)
    assert after == {**before, "stages": []} and "seconds and peaks are not known" in text
    assert pq.read_table(folder / "reconciliation.parquet").num_rows == 0
