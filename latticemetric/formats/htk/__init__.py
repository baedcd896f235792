"""HTK's lattices, and n-best lists of tools that rescore them."""
