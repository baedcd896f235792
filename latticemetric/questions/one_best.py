"""The model's own best path of a lattice, and the ranks of an n-best list."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.lattice import Costs, Lattice
from latticemetric.vocabulary import EPSILON

Path = npt.NDArray[np.int64]


def one_best(lattice: Lattice, cost: Costs, is_word: npt.NDArray[np.uint8] | None = None) -> Path:
    """The path of least cost; ties: fewest words, then smallest arcs. In n-best lists the first path wins ties.

    Args:
        lattice: A lattice.
        cost: The model's cost.
        is_word: Which arcs count as words; by default all but ε.
    """
    if lattice.ranked:
        # Arcs of a list are in its order, so that smallest arcs are the first path.
        is_word = np.zeros(len(lattice.word), dtype=np.uint8)
    elif is_word is None:
        is_word = (lattice.word != EPSILON).astype(np.uint8)
    path: Path = _native.best_path(lattice.source, lattice.target, cost.arc, is_word, cost.final)
    return path


def ranked_paths(lattice: Lattice, cost: Costs) -> list[Path]:
    """The paths of an n-best list, the cheapest first; those that cost the same in the order of the list."""
    following = {int(source): arc for arc, source in enumerate(lattice.source.tolist()) if source}
    paths = []
    for first in np.flatnonzero(lattice.source == 0).tolist():
        path = [first]
        while (arc := following.get(int(lattice.target[path[-1]]))) is not None:
            path.append(arc)
        paths.append(np.array(path, dtype=np.int64))
    return sorted(paths, key=lambda path: cost.along(path, lattice))
