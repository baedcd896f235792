"""What an engine is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.automata.recognition import Gains
from latticemetric.errors import UsageError
from latticemetric.lattice import Costs, Lattice
from latticemetric.vocabulary import Words


@dataclass(frozen=True)
class Search:
    """One lattice, one reference, one recognition rate.

    Attributes:
        lattice: The lattice.
        label: What each arc counts as: a word number, or ε for ε, ignored words and wildcards.
        is_word: 1 for each arc that carries a word in the result (the tie rule counts them).
        cost: The model's cost.
        reference: The reference's counted words, as numbers.
        gains: The metric's parameters.
    """

    lattice: Lattice
    label: Words
    is_word: npt.NDArray[np.uint8]
    cost: Costs
    reference: Words
    gains: Gains


class Found(NamedTuple):
    """The best path: its arcs, and its gain in units of `1 / gains.unit`.

    Ties are resolved: best gain, then least cost, then fewest words, then the lexicographically smallest arcs.
    """

    arcs: npt.NDArray[np.int64]
    gain: int


Engine = Callable[[Search], Found]


def find_engine(name: str) -> Engine:
    """The engine of that name; `auto` takes the fastest that can answer."""
    if name in {"auto", "native"}:
        from latticemetric.engine.native import best_path

        return best_path
    if name == "openfst":
        from latticemetric.engine.openfst import best_path as composed_best_path

        return composed_best_path
    raise UsageError(f"there is no engine '{name}'", advice="choose auto, native or openfst")
