"""Texts rewritten by grammars: the rules of pynini's archives, applied to graphs."""
