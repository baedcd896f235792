"""Posterior probabilities of the parts of a graph: arcs or edges, words and n-grams."""
