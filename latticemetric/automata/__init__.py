"""Automata of metrics and references, for metrics with a finite-state form."""
