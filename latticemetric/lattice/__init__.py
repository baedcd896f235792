"""Lattices: acyclic word graphs with named costs.

`lattice` defines the class, and `columns` its named costs and labels. `validation` checks every lattice when it is
built. `n_best` finds the best strings, `pruning` removes arcs far from the best path, `statistics` measures sizes.
`conversion` and `openfst` (with `fst_binary`) convert from and to strings, NetworkX graphs and OpenFst machines.
"""
