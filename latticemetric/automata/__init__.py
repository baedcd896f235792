"""Automata of references and metrics, for metrics that an automaton can compute."""
