"""Automata of references, for the metrics that have a finite-state form."""
