"""The largest ratio over paths, by Dinkelbach's iteration (1967, "On nonlinear fractional programming").

A path's rate, gain / denominator, does not add up over its arcs; gain − λ · denominator does. Where no path makes
that larger than 0, and some path makes it 0, λ is the best rate there is. Each search at a λ gives a path, whose rate
is the next λ; all numbers are integers, so the iteration ends exactly, after a few searches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.automata.recognition import Gains


class Ratio(NamedTuple):
    """A gain in units of `1 / Gains.unit`, and a denominator."""

    gain: int
    total: int


class Reached(NamedTuple):
    """The arcs of the best path at some rate, and what one of its best alignments with a reference gives."""

    arcs: npt.NDArray[np.int64]
    ratio: Ratio


def best_ratio(search: Callable[[Ratio], Reached], gains: Gains) -> Reached:
    """What a search finds at the best rate there is.

    Args:
        search: Finds the largest gain · λ.total − λ.gain · denominator for a λ.
        gains: The metric's parameters.
    """
    rate = Ratio(gains.unit, 1)  # what a perfect path has
    while True:
        found = search(rate)
        gain, total = found.ratio
        if total == 0 or gain * rate.total == rate.gain * total:
            return found  # where one path has no denominator, none has
        rate = found.ratio
