"""`prefect.yaml` deploys on a real server, and a worker runs what it deployed."""

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT
from tests.flows.small import write_pages
from warehouse.layout import Warehouse
from warehouse.refs import read_ref

PREFECT = Path(sys.executable).parent / "prefect"


def _prefect(server, *args, cwd=ROOT):
    done = subprocess.run([str(PREFECT), "--no-prompt", *map(str, args)], cwd=cwd, capture_output=True, text=True, check=False, timeout=300,
                          env={**os.environ, **server, "LODE_HOME": str(ROOT), "PATH": f"{PREFECT.parent}:{os.environ['PATH']}",
                               "PREFECT_LOGGING_LEVEL": "INFO"})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _api(server, path, body=None):
    request = urllib.request.Request(server["PREFECT_API_URL"].rstrip("/") + path, json.dumps(body or {}).encode(), {"Content-Type": "application/json"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=30) as answer:
        return json.load(answer)


def test_the_deployments_name_flows_and_parameters_that_exist(server):  # Prefect reads the address at import
    import inspect

    from flows import deployments

    for entry in yaml.safe_load((ROOT / "prefect.yaml").read_text())["deployments"]:
        path, name = entry["entrypoint"].split(":")
        assert (ROOT / path).exists()
        known = inspect.signature(getattr(deployments, name).fn).parameters
        assert set(entry["parameters"]) <= set(known)
        needed = {n for n, p in known.items() if p.default is inspect.Parameter.empty}
        assert needed <= set(entry["parameters"])


@pytest.mark.slow
def test_a_worker_runs_the_nightly_build(server, tmp_path):
    write_pages(tmp_path / "pages")
    config = tmp_path / "lode.toml"
    config.write_text("[embed]\nenabled = false\n[sources.pages]\npath = 'pages'\ndefault_acl = ['public']\n")
    _prefect(server, "work-pool", "create", "lode", "--type", "process")
    _prefect(server, "deploy", "--all")
    found = {d["name"]: d for d in _api(server, "/deployments/filter")}
    assert set(found) == {"nightly", "weekly-collect"}
    assert found["nightly"]["schedules"][0]["schedule"]["cron"] == "30 2 * * *"
    wh = tmp_path / "wh"
    Warehouse.init(wh, 2)
    _prefect(server, "deployment", "run", "scheduled-build/nightly", "--param", f"config={config}", "--param", f"warehouse={wh}")
    _prefect(server, "worker", "start", "--pool", "lode", "--run-once", "--name", "test", cwd=tmp_path)
    runs = [r for r in _api(server, "/flow_runs/filter") if r["deployment_id"] == found["nightly"]["id"] and r["state_type"] != "SCHEDULED"]
    assert [r["state_type"] for r in runs] == ["COMPLETED"]
    release = read_ref(Warehouse.open(wh))
    shown = _api(server, "/artifacts/filter", {"artifacts": {"key": {"any_": ["lode-report"]}}})
    assert any(release in a["data"] and "report.html" in a["data"] for a in shown)


@pytest.mark.slow
def test_a_source_that_mostly_fails_fails_the_run(server, tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "good.md").write_text("# Good\n\nGood was founded in 1951.\n")
    (tmp_path / "pages" / "bad.md").write_bytes(b"\x00\xff\x00\xfe" * 200)
    config = tmp_path / "lode.toml"
    config.write_text("[embed]\nenabled = false\n[sources.pages]\npath = 'pages'\ndefault_acl = ['public']\n")
    # a process of its own: Prefect reads the server's address once, and another test may have had it read without one
    run = "import sys; from flows.deployments import scheduled_build; scheduled_build(*sys.argv[1:])"
    done = subprocess.run([sys.executable, "-c", run, config, tmp_path / "wh"], cwd=ROOT, env={**os.environ, **server},
                          capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode != 0
    assert "is published, but 1 input" in done.stderr, done.stdout + done.stderr
    assert read_ref(Warehouse.open(tmp_path / "wh")) is not None
