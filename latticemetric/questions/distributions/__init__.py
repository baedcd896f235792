"""How probable the parts of a graph are."""
