"""Flows for schedules: what `prefect.yaml` deploys. They do what `lode build` and `lode gc` do, and fail where those fail.

A run that is done with errors above the threshold (exit code 3 of the command) is a failed run here as well: its release
is published, and somebody should look.
"""

from __future__ import annotations

from pathlib import Path

from prefect import flow
from prefect.artifacts import create_markdown_artifact

from schemas.errors import LodeError


@flow(name="scheduled-build", persist_result=False, retries=0)
def scheduled_build(config: str, warehouse: str, workers: int | None = None) -> str:
    """Builds the sources that a config names; gives the release's id. The report is linked by the artifact `lode-report`."""
    from flows.build import BuildRequest, run_build
    from flows.cli import read_settings
    from flows.progress import Reporter
    from flows.sources import requests_from
    from warehouse.layout import Warehouse

    settings = read_settings(Path(config))
    root = Path(warehouse)
    wh = Warehouse.open(root) if (root / "lode.json").exists() else Warehouse.init(root)
    resolved = dict(settings.resolved)
    if workers is not None:
        resolved["run"] = {**resolved["run"], "workers": workers}
    sources = requests_from([], None, settings.config, None, None, None, None, settings.base)
    with Reporter() as report:
        outcome = run_build(wh, BuildRequest(sources), resolved, report)
    counts = "\n".join(f"| {name} | {n:,} |" for name, n in outcome.counts.items())
    word = "unchanged" if outcome.unchanged else "published"
    create_markdown_artifact(
        key="lode-report", description=f"release {outcome.release}",
        markdown=f"Release `{outcome.release}` {word} in {outcome.seconds:.1f} s, {outcome.errors} input(s) failed.\n\n"
                 f"| table | rows |\n|---|---:|\n{counts}\n\n[Report]({Path(outcome.report).resolve().as_uri()})\n",
    )
    if outcome.above_threshold:
        raise LodeError(
            f"release {outcome.release} is published, but {outcome.errors} input(s) failed ({outcome.error_fraction:.1%})",
            expected=f"at most {resolved['run']['error_threshold']:.1%}",
            fix="see the quarantine in the report, mend the inputs and build again",
        )
    return outcome.release


@flow(name="collect", persist_result=False, retries=0)
def scheduled_collect(warehouse: str, keep: int = 5, grace_hours: float = 24.0) -> int:
    """Deletes what no kept release needs, as `lode gc --apply` does; gives the bytes freed."""
    from warehouse.collect import collect
    from warehouse.layout import Warehouse

    found = collect(Warehouse.open(Path(warehouse)), keep=keep, grace_hours=grace_hours, dry_run=False)
    return found.size_bytes
