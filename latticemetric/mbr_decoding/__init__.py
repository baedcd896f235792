"""Minimum Bayes risk decoding: the string of a graph that is expected to score best, by the graph's own posteriors."""
