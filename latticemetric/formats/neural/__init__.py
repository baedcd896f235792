"""N-best lists and lattices of neural toolkits, and JSON lines."""
