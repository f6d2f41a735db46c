"""The report of a release: Parquet, JSON and one HTML page that needs nothing but itself.

Guarantees: every number is counted from the release's tables or was read back from its stores; the same release with the
same account of its run gives the same bytes; a picture that cannot be drawn is replaced by a note with the error and
listed under `picture_errors`, so that drawing never stops a publish and never fails unseen. The page reads everything,
whatever the access, and says so.
"""

from flows.report.data import report_data
from flows.report.page import make_page
from flows.report.write import remake_report, write_report

__all__ = ["make_page", "remake_report", "report_data", "write_report"]
