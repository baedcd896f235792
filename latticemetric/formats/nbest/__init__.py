"""Read and write n-best lists of neural toolkits, and JSON lines."""
