"""One module a format: how it is told from others, read and written."""
