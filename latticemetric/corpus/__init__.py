"""Evaluate many graphs: pair each graph with its references, and return one result per graph."""
