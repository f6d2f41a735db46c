"""Page parsing in a child process that can be killed: limits on time, memory and recursion, and only the bad block is lost.

Guarantees: the rows are those of the parser called directly; a block on which the parser hangs, eats memory or dies costs
one `quarantine` row and nothing else of the page; a child never outlives its parent by more than one time limit, even if it
loops in C code with signals ignored by Python: idle it ends with its standard input, busy by an alarm that is left to the
kernel. One child is kept for many pages. It is a plain subprocess, so it can be used inside a daemonic pool worker.
"""

from __future__ import annotations

import contextlib
import importlib
import mmap
import os
import pickle
import resource
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from schemas.tables import quarantine_row

DEFAULT_TARGET = "tasks.parse.wikitext:parse_page"
MAX_BAD_BLOCKS = 25
PAGE_TIME_FACTOR = 10
_ALARM_GRACE_SECONDS = 2.0
_RECURSION_PER_DEPTH = 100
_HEAD = struct.Struct("<Q")
_AT = struct.Struct("<qd")  # block being read (-1: before the first), monotonic time when it began
_ROOT = Path(__file__).resolve().parents[2]


class Breach(Exception):
    """The child broke a limit. `reason` is parse_timeout, parse_memory or parse_crash; `block` -1 before the first block."""

    def __init__(self, reason: str, block: int, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.block, self.detail = reason, block, detail


class _Gone(Exception):
    """The child ended before it took the request: not the page's fault."""


class LimitedParser:
    """A parser of pages in a killable child. Use as a context manager or call `close`; not for use from two threads.

    `target` is `module:function` with the signature of `parse_page`; `search_path` are folders put before sys.path in
    the child.
    """

    def __init__(self, target: str = DEFAULT_TARGET, search_path: Sequence[str] = ()) -> None:
        self.target = target
        self.search_path = [*map(str, search_path), str(_ROOT)]
        self._child: subprocess.Popen | None = None
        self._board: mmap.mmap | None = None

    def __enter__(self) -> LimitedParser:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.close()

    def parse(
        self, document_id: str, version_id: str, title: str, wikitext: str, config: Mapping[str, Any]
    ) -> tuple[list[dict], list[dict]]:
        """(`elements` rows, `quarantine` rows) of one page; limits come from `config["parse"]`."""
        bad: dict[int, Breach] = {}
        whole: Breach | None = None
        rows: list[dict] = []
        while True:
            try:
                rows = self._run((document_id, version_id, title, wikitext, config), tuple(sorted(bad)), config["parse"])
                break
            except Breach as breach:
                if breach.block < 0 or breach.block in bad or len(bad) >= MAX_BAD_BLOCKS:
                    whole = breach
                    break
                bad[breach.block] = breach
        quarantined = [
            quarantine_row("parse", document_id, f"{title}: {_place(wikitext, block)}", breach.reason,
                           f"{breach.detail}; the rest of the page is kept")
            for block, breach in sorted(bad.items())
        ]
        if whole is not None:
            quarantined.append(quarantine_row("parse", document_id, f"{title}: whole page", whole.reason, f"{whole.detail}; the page is left out"))
        return rows, quarantined

    def close(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        with contextlib.suppress(OSError):
            child.stdin.close()
        try:
            child.wait(timeout=1)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        child.stdout.close()
        self._board.close()

    # --- the parent's side

    def _start(self) -> None:
        board = tempfile.TemporaryFile()  # noqa: SIM115 - closed below, once the child holds it
        board.truncate(mmap.PAGESIZE)
        self._board = mmap.mmap(board.fileno(), mmap.PAGESIZE)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*self.search_path, *filter(None, [os.environ.get("PYTHONPATH")])])}
        code = "import sys; from tasks.parse.limited import child_main; child_main(int(sys.argv[1]), sys.argv[2])"
        self._child = subprocess.Popen(
            [sys.executable, "-c", code, str(board.fileno()), self.target],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=(board.fileno(),), env=environment,
        )
        board.close()
        if self._read(time.monotonic() + 120) != ("ready",):
            detail = "the parser's process did not start"
            self._kill()
            raise RuntimeError(f"{detail}: run `{sys.executable} -c 'import {self.target.partition(':')[0]}'` to see why")

    def _kill(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()
            child.stdin.close()
            child.stdout.close()
            self._board.close()

    def _run(self, arguments: tuple, skip: tuple[int, ...], limits: Mapping[str, Any]) -> list[dict]:
        for attempt in (0, 1):
            if self._child is None or self._child.poll() is not None:
                self._kill()
                self._start()
            try:
                return self._ask(arguments, skip, limits)
            except _Gone:
                self._kill()
                if attempt:
                    raise Breach("parse_crash", -1, "the parser's process ended before it took the page") from None
        raise AssertionError("unreachable")

    def _ask(self, arguments: tuple, skip: tuple[int, ...], limits: Mapping[str, Any]) -> list[dict]:
        seconds, megabytes = limits["page_timeout_seconds"], limits["page_memory_mb"]
        _AT.pack_into(self._board, 0, -2, time.monotonic())
        payload = pickle.dumps((arguments, skip, seconds, megabytes, limits["max_depth"]), protocol=pickle.HIGHEST_PROTOCOL)
        try:
            self._child.stdin.write(_HEAD.pack(len(payload)) + payload)
            self._child.stdin.flush()
        except OSError:
            raise _Gone from None
        began = time.monotonic()
        last = began + seconds * PAGE_TIME_FACTOR
        deadline = began + seconds
        while True:
            try:
                answer = self._read(min(deadline, last))
                break
            except TimeoutError:
                block, since = _AT.unpack_from(self._board, 0)
                now = time.monotonic()
                if now < last and now < since + seconds:
                    deadline = since + seconds  # another block began meanwhile
                    continue
                self._kill()
                if now >= last:
                    block = -1
                raise Breach("parse_timeout", max(block, -1), f"parsing took longer than parse.page_timeout_seconds = {seconds}") from None
        block = _AT.unpack_from(self._board, 0)[0]
        if answer is None:
            code = self._child.wait()
            if block == -2:
                raise _Gone
            self._kill()
            reason = "parse_timeout" if code == -signal.SIGALRM else "parse_crash"
            raise Breach(reason, max(block, -1), f"the parser's process ended with exit code {code}")
        kind, value = answer
        if kind == "rows":
            return value
        if kind == "parse_memory":
            self._kill()
            value = f"parsing took more than parse.page_memory_mb = {megabytes}"
        raise Breach(kind, max(block, -1), value)

    def _read(self, deadline: float) -> Any:
        """The child's next message; None where it ended. Raises TimeoutError at the deadline (monotonic seconds)."""
        descriptor = self._child.stdout.fileno()
        poll = select.poll()  # takes no descriptor of its own, as a selector would for each of many small answers
        poll.register(descriptor, select.POLLIN)
        data, wanted = bytearray(), -1
        while True:
            # Once the answer has begun to come the page is parsed: only a stuck pipe could still time out.
            left = deadline - time.monotonic() if wanted < 0 else max(deadline - time.monotonic(), 60.0)
            if left <= 0 or not poll.poll(left * 1000):
                raise TimeoutError
            piece = os.read(descriptor, 1 << 16 if wanted < 0 else min(1 << 20, wanted - len(data)))
            if not piece:
                return None
            data += piece  # of one answer: the next one comes when it is asked for
            if wanted < 0 and len(data) >= _HEAD.size:
                wanted = _HEAD.size + _HEAD.unpack_from(data)[0]
            if 0 <= wanted <= len(data):
                return pickle.loads(memoryview(data)[_HEAD.size : wanted])


def _place(wikitext: str, block: int) -> str:
    from tasks.parse.wikiblocks import split_blocks

    blocks = split_blocks(wikitext)
    if block < len(blocks):
        return f"block {block}, characters {blocks[block][0]}-{blocks[block][1]}"
    return f"block {block}"


# --- the child's side


def child_main(board_descriptor: int, target: str) -> None:
    """Reads requests from standard input until it ends. What the parser prints goes to standard error."""
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    board = mmap.mmap(board_descriptor, mmap.PAGESIZE)
    module, _, name = target.partition(":")
    parse = getattr(importlib.import_module(module), name)

    def reply(message: tuple) -> None:
        payload = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
        sink.write(_HEAD.pack(len(payload)) + payload)
        sink.flush()

    def progress(block: int) -> None:
        _AT.pack_into(board, 0, block, time.monotonic())

    reply(("ready",))
    while len(head := source.read(_HEAD.size)) == _HEAD.size:
        arguments, skip, seconds, megabytes, depth = pickle.loads(source.read(_HEAD.unpack(head)[0]))
        progress(-1)
        signal.setitimer(signal.ITIMER_REAL, seconds * PAGE_TIME_FACTOR + _ALARM_GRACE_SECONDS)
        _limit_memory(megabytes)
        sys.setrecursionlimit(max(1000, _RECURSION_PER_DEPTH * depth))
        try:
            message = ("rows", parse(*arguments, skip=skip, progress=progress))
        except MemoryError:
            message = ("parse_memory", "")
        except RecursionError:
            message = ("parse_crash", f"nested too deeply (recursion limit {sys.getrecursionlimit()})")
        except Exception as error:
            message = ("parse_crash", f"{type(error).__name__}: {error}")
        _limit_memory(None)
        signal.setitimer(signal.ITIMER_REAL, 0)
        reply(message)


def _limit_memory(megabytes: int | None) -> None:
    """Address space that may be taken on top of what the process has; None lifts the limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    soft = hard
    if megabytes is not None:
        try:
            held = int(Path("/proc/self/statm").read_text().split()[0]) * mmap.PAGESIZE
        except OSError:
            held = 1 << 30
        soft = held + (megabytes << 20)
        if hard != resource.RLIM_INFINITY:
            soft = min(soft, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
