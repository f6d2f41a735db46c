"""Commands that keep a warehouse well: gc, pin, doctor, config check."""
