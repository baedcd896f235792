"""N-best lists of neural toolkits, and JSON lines."""
