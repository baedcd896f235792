"""Normalize references and graphs with the rules of pynini's grammars, to make them comparable."""
