"""Normalization: the rules of pynini's grammars, applied to references and graphs to make them comparable."""
