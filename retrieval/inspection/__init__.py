"""Inspection: what a release holds, where it comes from, who may see it, and how releases differ. Reads only."""
