"""A small corpus for the tests of the flows, and what a release's tables hash to."""

from __future__ import annotations

from pathlib import Path

from warehouse.layout import Warehouse
from warehouse.releases import open_release

PAGES = {
    "acme.md": "# Acme Corporation\n\nAcme Corporation is a maker of pumps. Acme Corporation was founded in 1954. Ada Long was "
               "chief executive officer of Acme Corporation from 2001 to 2010.\n\nBert Moss became chief executive officer of Acme "
               "Corporation in 2010.\n\n| Year | Revenue |\n|---|---|\n| 2012 | $12 million |\n| 2013 | $14 million |\n",
    "borin.md": "# Borin\n\nBorin is the capital of Lund. The population of Borin was 120,000 in 2015.\n\n## Mayors\n\n"
                "- Carl Ness (1999–2007)\n- Dora Pihl (2007–2015)\n",
    "copy/acme.md": "# Acme Corporation\n\nAcme Corporation is a maker of pumps. Acme Corporation was founded in 1954. Ada Long was "
                    "chief executive officer of Acme Corporation from 2001 to 2010.\n\nBert Moss became chief executive officer of Acme "
                    "Corporation in 2010.\n\n| Year | Revenue |\n|---|---|\n| 2012 | $12 million |\n| 2013 | $14 million |\n",
    "tower.html": "<html><head><title>Tower of Lund</title></head><body><h1>Tower of Lund</h1><p>The Tower of Lund was built in 1901. "
                  "Its height is 88 metres.</p><table><tr><th>Year</th><th>Visitors</th></tr><tr><td>1999</td><td>4,000</td></tr></table></body></html>",
    "plain.txt": "Erik Dahl founded Dahl Works in 1988.\n\nDahl Works is headquartered in Borin.\n",
}


def write_pages(folder: Path, pages: dict[str, str] | None = None) -> Path:
    for name, text in (PAGES if pages is None else pages).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def table_hashes(warehouse: Path, release: str | None = None) -> dict[str, list[str]]:
    """Per table the hashes of its objects, per shard: equal bytes, equal hashes."""
    tables = open_release(Warehouse.open(Path(warehouse)), release).tables()
    return {t: [[r.hash for r in shard if r.rows] for shard in tables.get(t)] for t in sorted(tables.tables) if t != "lineage"}
