"""Minimum Bayes risk decoding: find the string with the best expected score under the graph's own posteriors."""
