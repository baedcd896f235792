"""Texts and graphs made comparable: the rules of pynini's grammars, applied to references and graphs."""
