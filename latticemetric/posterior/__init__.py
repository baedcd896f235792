"""How probable the parts of a graph are: its arcs or edges, words and n-grams."""
