"""References as graphs and tries of n-grams, the automaton of a recognition rate, and lattices of units of words."""
