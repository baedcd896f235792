"""Lattices: acyclic word graphs with named costs.

`lattice` is the class, `validation` what every lattice passes when it is built; `pruning`, `statistics`, `strings`,
`openfst`, `networkx` and `fst_binary` are what can be done with it, and what it is made from.
"""
