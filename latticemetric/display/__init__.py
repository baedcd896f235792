"""Show results: as text on a screen (`text`), and as tables of other libraries (`frames`)."""
