"""Metrics of strings: additive statistics, and the scores computed from them."""
