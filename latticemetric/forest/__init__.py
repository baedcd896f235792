"""Packed forests: acyclic hypergraphs; edges are rules with words and tails.

`forest` has the class; `validation` checks every forest when it is built; `trees` shows derivations as trees.
"""
