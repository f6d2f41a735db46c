"""Limits on page parsing, with a parser that really hangs, allocates and dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tasks.parse.limited import LimitedParser
from tasks.parse.wikitext import parse_page

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
CONFIG = {"parse": {"page_timeout_seconds": 3.0, "page_memory_mb": 256, "max_depth": 40}}
PAGE = ("d", "v", "Title")


def limited(target: str = "wiki_targets:trapped") -> LimitedParser:
    return LimitedParser(target, search_path=[str(HERE)])


def test_same_rows_with_and_without_the_limiter():
    text = "== A ==\n\nOne [[b]].<ref>c</ref>\n\n* d\n** e\n\n{{Infobox x|k=v}}\n\n{|\n! h\n|-\n| 1\n|}"
    with LimitedParser() as parser:
        for _ in range(3):
            assert parser.parse(*PAGE, text, CONFIG) == (parse_page(*PAGE, text, CONFIG), [])


@pytest.mark.parametrize(
    ("trap", "reason"),
    [("HANG", "parse_timeout"), ("MEMORY", "parse_memory"), ("CRASH", "parse_crash"), ("RAISE", "parse_crash"), ("DEEP", "parse_crash")],
)
def test_only_the_bad_block_is_lost(trap, reason):
    text = f"First.\n\n== Head ==\n\nBad {trap} block.\n\nLast."
    with limited() as parser:
        rows, quarantined = parser.parse(*PAGE, text, CONFIG)
        assert [r["text"] for r in rows] == ["First.", "Head", "Last."]
        assert [r["ordinal"] for r in rows] == [0, 1, 2]
        assert rows[2]["heading_path"] == ["Head"]
        assert [(q["reason"], q["severity"], q["document_id"]) for q in quarantined] == [(reason, "error", "d")]
        assert "block 2, characters 20-" in quarantined[0]["where"]
        # the next page is parsed as if nothing had been
        assert parser.parse(*PAGE, "Fine.", CONFIG)[0][0]["text"] == "Fine."


def test_several_bad_blocks_of_one_page():
    text = "a\n\nCRASH 1\n\nb\n\nHANG\n\nc\n\nMEMORY\n\nd"
    with limited() as parser:
        rows, quarantined = parser.parse(*PAGE, text, CONFIG)
    assert [r["text"] for r in rows] == list("abcd")
    assert [q["reason"] for q in quarantined] == ["parse_crash", "parse_timeout", "parse_memory"]
    assert len({q["quarantine_id"] for q in quarantined}) == 3


def test_a_long_page_of_quick_blocks_is_not_blamed():
    text = "\n\n".join(f"SLOW {n}" for n in range(6))  # 2.4 s in all, the limit is 1.5 s without progress
    with limited() as parser:
        rows, quarantined = parser.parse(*PAGE, text, {"parse": {**CONFIG["parse"], "page_timeout_seconds": 1.5}})
    assert len(rows) == 6 and not quarantined


def test_output_of_the_parser_does_not_break_the_protocol():
    with limited() as parser:
        rows, quarantined = parser.parse(*PAGE, "PRINT this", CONFIG)
    assert [r["text"] for r in rows] == ["PRINT this"] and not quarantined


@pytest.mark.parametrize(("target", "reason"), [("hang_at_once", "parse_timeout"), ("exit_at_once", "parse_crash")])
def test_a_parser_that_fails_before_the_first_block_loses_the_page(target, reason):
    with limited(f"wiki_targets:{target}") as parser:
        rows, quarantined = parser.parse(*PAGE, "x", CONFIG)
    assert rows == [] and [q["reason"] for q in quarantined] == [reason]
    assert "whole page" in quarantined[0]["where"]


def test_a_child_killed_from_outside_is_started_again():
    with limited() as parser:
        parser.parse(*PAGE, "x", CONFIG)
        os.kill(parser._child.pid, signal.SIGKILL)
        time.sleep(0.1)
        rows, quarantined = parser.parse(*PAGE, "y", CONFIG)
    assert [r["text"] for r in rows] == ["y"] and not quarantined


@pytest.mark.parametrize("text", ["idle", "HANG"])
def test_the_child_dies_with_its_parent(text):
    """Idle it ends with its standard input; busy by the kernel's alarm."""
    code = (
        "import threading\nfrom tasks.parse.limited import LimitedParser\n"
        f"parser = LimitedParser('wiki_targets:trapped', [{str(HERE)!r}])\n"
        "config = {'parse': {'page_timeout_seconds': 0.2, 'page_memory_mb': 256, 'max_depth': 40}}\n"
        "parser.parse('d', 'v', 't', 'x', config)\n"
        "print(parser._child.pid, flush=True)\n"
        "config['parse']['page_timeout_seconds'] = 0.3\n"
        "import tasks.parse.limited as limited\n"
        "limited.LimitedParser._read = lambda *a: threading.Event().wait()\n"
        f"parser.parse('d', 'v', 't', {text!r}, config)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    child = int(parent.stdout.readline())
    time.sleep(0.3)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline and _alive(child):
        time.sleep(0.1)
    assert not _alive(child)


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
