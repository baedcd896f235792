"""Lattices: acyclic word graphs with named costs.

`lattice` defines the class, `arrays` its base class, `columns` its named costs and labels, and `texts` the texts of
labels. `validation` checks every lattice when it is built. `n_best` finds the best strings, `pruning` removes arcs far
from the best path, `determinization` keeps the best path of each string, `minimization` merges states, and `statistics`
measures sizes.

`conversion` builds lattices from strings, and converts lattices to and from NetworkX graphs. `openfst` and `fst_binary`
convert lattices to and from OpenFst machines. `k2` and `k2_vectors` convert lattices to and from the arrays of k2.
"""
