"""Word-level quality estimation: tags of words against the right ones."""
