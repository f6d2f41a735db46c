"""Operator commands that compare releases: trace, diff."""
