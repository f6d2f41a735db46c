"""Date expressions as written, read as ranges of days: shared by the stages `normalize` and `validity`."""
