"""Minimum Bayes risk decoding: find the string with the best expected score under a graph's posteriors."""
