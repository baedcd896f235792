"""Engines intersect a graph with a metric's automaton and take out the best path.

A result never depends on the engine, ties included.
"""
