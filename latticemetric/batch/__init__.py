"""Evaluate many graphs: pair each graph with its references, and give one result per graph."""
