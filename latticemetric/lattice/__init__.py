"""Lattices: acyclic word graphs with named costs.

`lattice` has the class, `columns` its named costs and labels; `validation` checks every lattice when it is built.
`n_best` finds the best strings; `pruning` drops what is far from the best path; `statistics` measures; `conversion` and
`openfst` (with `fst_binary`) convert from and to strings, NetworkX graphs and OpenFst machines.
"""
