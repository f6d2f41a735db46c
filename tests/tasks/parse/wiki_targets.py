"""Parsers that misbehave on purpose, run in the limited parser's child: the real one, with traps set in the text."""

from __future__ import annotations

import os
import signal
import sys
import time

from tasks.parse.wikiblocks import split_blocks
from tasks.parse.wikitext import parse_page


def trapped(document_id, version_id, title, wikitext, config, only=None, skip=(), progress=None):
    blocks = split_blocks(wikitext)

    def trap(index):
        progress(index)
        text = wikitext[blocks[index][0] : blocks[index][1]]
        if "HANG" in text:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                pass
        if "MEMORY" in text:
            held = []
            while True:
                held.append(bytearray(1 << 24))
        if "CRASH" in text:
            os.kill(os.getpid(), signal.SIGSEGV)
        if "RAISE" in text:
            raise ValueError("on purpose")
        if "DEEP" in text:
            trap(index)
        if "SLOW" in text:
            time.sleep(0.4)
        if "PRINT" in text:
            print("noise", flush=True)
            os.write(1, b"noise")

    return parse_page(document_id, version_id, title, wikitext, config, only, skip, trap)


def hang_at_once(*arguments, **more):
    while True:
        time.sleep(60)


def exit_at_once(*arguments, **more):
    sys.stdout.flush()
    os._exit(3)
