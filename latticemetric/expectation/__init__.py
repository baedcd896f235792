"""Expectations of a rate over all paths of a graph."""
