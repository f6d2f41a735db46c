"""What each stage does: pure functions on Arrow tables, one package per stage. Imports `schemas` alone."""
