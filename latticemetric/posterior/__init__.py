"""Probabilities of paths: posteriors of arcs, words and n-grams, and expected rates over all paths."""
