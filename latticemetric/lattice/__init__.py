"""Lattices: acyclic word graphs with named costs.

`lattice` defines the class, `arrays` its base class, `columns` its named costs and labels, and `texts` the texts of
labels. `validation` checks every lattice when it is built. `n_best` finds the best strings, `pruning` removes arcs far
from the best path, `minimization` merges states, `statistics` measures sizes.

`conversion` builds lattices from strings, and converts them from and to NetworkX graphs; `openfst` (with `fst_binary`)
converts from and to OpenFst machines, `k2` and `k2_vectors` from and to the arrays of k2.
"""
