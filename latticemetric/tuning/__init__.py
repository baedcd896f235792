"""Exact tuning: the best strings of graphs for all weights of score columns, and the best weights."""
