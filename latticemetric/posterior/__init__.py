"""Posteriors of the parts of a graph: its arcs or edges, words and n-grams."""
