"""Lattices: acyclic word graphs with named costs.

`lattice` has the class, `columns` its named costs and labels; `validation` checks every lattice when it is built.
`n_best` finds the best strings; `pruning`, `statistics`, `conversion` and `openfst` (with `fst_binary`) do what their
names say.
"""
