"""Lattices of Sphinx-3 and PocketSphinx."""
