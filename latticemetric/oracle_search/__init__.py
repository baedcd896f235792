"""Oracles: the paths of a graph that score best, or worst, by a metric and its references."""
