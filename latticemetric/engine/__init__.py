"""Engines: find the best path of a graph, composed with a metric's automaton.

All engines return the same result, also for ties.
"""
