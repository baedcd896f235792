"""Engines: search the product of a graph and a metric's automaton for the best path.

All engines return the same result, also for ties.
"""
