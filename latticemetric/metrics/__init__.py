"""Metrics of strings: statistics that add up, and scores made from them."""
