"""Packed forests: acyclic hypergraphs of rules with words and tails.

`forest` is the class, `validation` what every forest passes when it is built; `derivations` are what it derives.
"""
