"""Expected rates over all paths of a graph."""
