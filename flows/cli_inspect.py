"""Operator commands that look into one release: show, history, visible, why. They read all, and say so."""
