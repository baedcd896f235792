"""Functions that text formats share: fields, numbers, lines, JSON, and groups of lines per graph."""
