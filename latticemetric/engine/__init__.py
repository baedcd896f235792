"""Engines: find the best path of a graph under a recognition rate.

All engines return the same result, also for ties.
"""
