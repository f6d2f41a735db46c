"""The commands that list in full what the page caps."""

from __future__ import annotations

from flows.report.dropped import ERRORS_SQL
from flows.report.facts import CONTESTED_SQL

TIMELINE_SQL = (
    "SELECT subject, predicate, scope, label, count(*) AS nuggets FROM nuggets GROUP BY ALL "
    "ORDER BY nuggets DESC, subject, predicate, scope, label"
)


def listing_command(release: str) -> dict[str, str]:
    """`lode sql` commands, ready to paste into a shell."""
    return {
        name: f'lode sql "{sql}" --release {release} --json'
        for name, sql in (("contested", CONTESTED_SQL), ("errors", ERRORS_SQL), ("busiest", TIMELINE_SQL))
    }
