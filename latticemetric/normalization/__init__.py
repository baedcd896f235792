"""Normalize references and graphs with rewrite rules (pynini grammars), so that they can be compared."""
