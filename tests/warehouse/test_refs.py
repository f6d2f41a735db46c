"""Refs: compare-and-swap, the log, and two writers at once."""

import multiprocessing

import pytest

from schemas.errors import LodeError, StaleBaseError
from warehouse.layout import Warehouse
from warehouse.refs import move_ref, read_log, read_ref


@pytest.fixture
def wh(tmp_path):
    return Warehouse.init(tmp_path / "wh", 2)


def test_a_move_needs_the_right_base(wh):
    assert read_ref(wh) is None
    move_ref(wh, None, "a", "publish")
    with pytest.raises(StaleBaseError):
        move_ref(wh, None, "b", "publish")
    assert read_ref(wh) == "a"
    move_ref(wh, "a", "b", "publish")
    assert [(m["from"], m["to"]) for m in read_log(wh)] == [(None, "a"), ("a", "b")]


def _writer(root, name, queue):
    wh = Warehouse.open(root)
    won = 0
    for n in range(20):
        base = read_ref(wh)
        try:
            move_ref(wh, base, f"{name}{n}", "publish")
            won += 1
        except StaleBaseError:
            pass
    queue.put(won)


def test_two_writers_never_lose_a_move(wh):
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    writers = [context.Process(target=_writer, args=(wh.root, name, queue)) for name in "ab"]
    for w in writers:
        w.start()
    won = sum(queue.get(timeout=60) for _ in writers)
    for w in writers:
        w.join()
    log = read_log(wh)
    assert len(log) == won
    assert all(a["to"] == b["from"] for a, b in zip(log, log[1:], strict=False)), "each move starts where the last one ended"
    assert read_ref(wh) == log[-1]["to"]


def test_init_and_open_say_what_is_wrong(tmp_path):
    with pytest.raises(LodeError, match="lode init"):
        Warehouse.open(tmp_path / "absent")
    with pytest.raises(LodeError, match="power of two"):
        Warehouse.init(tmp_path / "a", 3)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("")
    with pytest.raises(LodeError, match="not empty"):
        Warehouse.init(tmp_path / "full", 2)
    Warehouse.init(tmp_path / "b", 2)
    assert Warehouse.init(tmp_path / "b", 2).shards == 2
    with pytest.raises(LodeError, match="2 shards"):
        Warehouse.init(tmp_path / "b", 4)
