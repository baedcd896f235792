"""Metrics that have a finite-state form, as automata of a reference."""
