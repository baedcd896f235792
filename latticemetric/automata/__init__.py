"""References as graphs and tries, the automaton of a recognition rate, and words split into units."""
