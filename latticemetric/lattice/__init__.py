"""Lattices: acyclic word graphs with named costs.

`lattice` has the public class, `arrays` its base class, `columns` the columns of both; `validation` checks every
lattice when it is built. `n_best` finds the best strings; `pruning`, `statistics`, `strings`, `openfst` (with
`fst_binary`) and `networkx` do what their names say.
"""
