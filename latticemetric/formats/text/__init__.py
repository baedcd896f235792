"""Shared by text formats: fields, numbers, lines, JSON, n-best lists, and the shapes of graphs."""
