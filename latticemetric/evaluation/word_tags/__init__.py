"""Word-level quality estimation: compare predicted tags of words with gold tags."""
