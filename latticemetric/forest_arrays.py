"""Forests as the loops in C++ take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from latticemetric.lattice import Costs
from latticemetric.vocabulary import EPSILON

if TYPE_CHECKING:
    from latticemetric.forest import Forest, Ragged


def native_arrays(
    forest: Forest, cost: Costs, said: Ragged | None = None, words: npt.NDArray[np.int64] | None = None
) -> dict[str, Any]:
    """The arrays of a forest, by the names of parameters.

    Args:
        forest: The forest.
        cost: Of its edges, and of ending in its nodes.
        said: What edges say, where that is not their target sides.
        words: How many words each edge carries, where it is not all of those.
    """
    said = forest.target if said is None else said
    return {
        "head": forest.head,
        "tail_begin": forest.tails.begin,
        "tail": forest.tails.values,
        "said_begin": said.begin,
        "said": said.values,
        "cost": cost.arc,
        "words": said.only(said.values > EPSILON).lengths() if words is None else words,
        "goal_cost": cost.final,
    }
