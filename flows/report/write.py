"""Writes the report beside its release, at publish or anew.

Guarantees: the page is written last, so a folder with a page has all three files; each file is whole or not there.
"""

from __future__ import annotations

import json
from pathlib import Path

from flows.report.data import report_data
from flows.report.page import make_page
from warehouse.auditing import audit_tables
from warehouse.layout import Warehouse
from warehouse.objects import parquet_bytes
from warehouse.reconcile import Reconciliation, reconcile
from warehouse.releases import Release
from warehouse.tableset import TableSet

FILES = ("reconciliation.parquet", "report.json", "report.html")


def write_report(
    release: Release, tables: TableSet, audits: list[dict], result: Reconciliation, stages: list[dict], folder: Path | None = None
) -> Path:
    """Writes reconciliation.parquet, report.json and report.html into `folder` (default reports/<release>); gives it."""
    wh = release.wh
    folder = folder or report_folder(wh, release.id)
    data = report_data(release, tables, audits, result, stages)
    page, data["picture_errors"] = make_page(data)
    wh.write(folder / FILES[0], parquet_bytes(result.table()))
    wh.write(folder / FILES[1], json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False).encode())
    wh.write(folder / FILES[2], page)
    return folder


def report_folder(wh: Warehouse, release: str) -> Path:
    return wh.path("reports", release)


def remake_report(release: Release) -> Path:
    """Audits the release and reads its stores back once more, and writes the report from that. The account of the run
    (seconds, peaks) is kept where an earlier report.json still holds it; otherwise the page says that it is not known."""
    from tasks.index import manifest

    tables = release.tables()
    audits = audit_tables(release.wh, tables)
    result = reconcile(release.wh, tables, release.body["indexes"], manifest(release.config))
    return write_report(release, tables, audits, result, recorded_stages(release.wh, release.id))


def recorded_stages(wh: Warehouse, release: str) -> list[dict]:
    """What an earlier report.json says of the run; [] where there is none that can be read."""
    try:
        stages = json.loads((report_folder(wh, release) / FILES[1]).read_text("utf-8"))["stages"]
    except (OSError, ValueError, KeyError):
        return []
    return stages if isinstance(stages, list) else []
