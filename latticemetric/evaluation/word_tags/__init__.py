"""Word-level quality estimation: comparison of predicted word tags with gold tags."""
