"""Metrics of strings: additive statistics, and scores computed from them."""
