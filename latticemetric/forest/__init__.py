"""Packed forests: acyclic hypergraphs whose edges are rules with words and tails.

`forest` defines the class; `validation` checks every forest when it is built; `trees` shows derivations as trees.
"""
