"""Functions that text formats share: fields, numbers, lines, JSON, n-best lists, and the shapes of graphs."""
