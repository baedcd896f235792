"""Drawings of results. matplotlib is imported when something is to be drawn."""
