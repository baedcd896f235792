"""Lattices: acyclic word graphs with named costs.

`lattice` is the public class and `arrays` the class below it, made of `columns`; `validation` checks every lattice
when it is built. `n_best` finds the best strings; `pruning`, `statistics`, `strings`, `openfst` (`fst_binary`) and
`networkx` do what their names say.
"""
