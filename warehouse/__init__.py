"""Where the data lives: objects, snapshots, releases, locks, stores, DuckDB. Imports `schemas` alone."""
