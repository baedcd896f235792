"""Word-level quality estimation: compare tags of words with gold tags."""
