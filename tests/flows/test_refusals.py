"""What a wrong call or the machine refuses is one message, JSON where JSON was asked for, never a traceback."""

import errno
import json

import pytest

from flows.cli import refusal_of


@pytest.mark.parametrize("call", [("query",), ("nope",), ("status", "--nope"), ("query", "x", "-k", "many"), ("gc", "--keep", "0"), ("show",)])
def test_a_wrong_call_with_json_is_a_json_object(lode_offline, call):
    done = lode_offline(*call, "--json", code=2)
    said = json.loads(done.stdout)
    assert said["error"] and said["expected"] and not done.stderr.strip()


@pytest.mark.parametrize("call", [
    ("config", "check", "/"), ("gc", "--grace-hours", "inf"), ("gc", "--grace-hours", "nan"), ("verify", "--release", ""), ("report", ""),
    ("diff", "", ""), ("pin", "", "--name", "a"), ("rollback", ""), ("query", "x", "--at", ""), ("query", "x", "--release", ""),
    ("history", "IBM", "ceo", "--at", ""), ("history", "IBM", "ceo", "--known-at", ""),
])
def test_no_call_ends_in_a_python_error(lode_offline, tmp_path, call):
    from warehouse.layout import Warehouse

    Warehouse.init(tmp_path / "wh", 2)
    done = lode_offline(*call, "-w", tmp_path / "wh", ok=False)
    assert done.returncode in (1, 2) and "Error:" not in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert "error" in done.stderr.lower()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.ENOENT])
def test_what_the_machine_refuses_names_the_file_and_what_to_do(code):
    said = refusal_of(OSError(code, "refused", "/wh/objects/x"))
    assert "/wh/objects/x" in said.found and said.expected and said.fix
