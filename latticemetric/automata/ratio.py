"""Find the largest ratio over paths by Dinkelbach's iteration (1967, "On nonlinear fractional programming").

A path's rate, gain / denominator, does not add up over its arcs; gain − λ · denominator does. If its largest value
over all paths is 0, λ is the best rate. Each search at one λ returns a path, whose rate is the next λ. All numbers are
integers, so the iteration ends exactly, after a few searches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.automata.recognition import Gains
from latticemetric.automata.reference import Numbers, ReferenceGraph
from latticemetric.errors import InputError
from latticemetric.memory import most_bytes


class Ratio(NamedTuple):
    """A gain in units of `1 / Gains.unit`, and a denominator."""

    gain: int
    total: int


class Reached(NamedTuple):
    """The arcs of the best path at some rate, with the gain and denominator of one of its best alignments."""

    arcs: npt.NDArray[np.int64]
    ratio: Ratio


def best_ratio(search: Callable[[Ratio], Reached], gains: Gains) -> Reached:
    """Return the best path at the best rate.

    Args:
        search: Returns the path of the largest gain · λ.total − λ.gain · denominator for a λ.
        gains: The metric's parameters.
    """
    rate = Ratio(gains.unit, 1)  # the rate of a perfect path
    while True:
        reached = search(rate)
        gain, total = reached.ratio
        if total == 0 or gain * rate.total == rate.gain * total:
            return reached  # if one path has no denominator, none has
        rate = reached.ratio


_LOW_BITS = 2**64 - 1


def reached_by(graph: dict[str, Any], sizes: Numbers, reference: ReferenceGraph, gains: Gains, rate: Ratio) -> Reached:
    """Return the best path at this rate, by the native search with whole numbers of any size.

    Args:
        graph: The columns of a lattice, as the search of strings takes them.
        sizes: The part of each arc in the denominator.
        reference: The reference.
        gains: The metric's parameters.
        rate: The weight of the denominator.

    Raises:
        InputError: The graphs are too large together, or the numbers are too large to be compared exactly.
    """
    try:
        arcs, high, low, total = _native.search_reference_graph(
            **graph,
            size=sizes,
            reference_source=reference.source,
            reference_target=reference.target,
            reference_label=reference.word,
            reference_size=reference.size,
            reference_final=reference.final.view(np.uint8),
            **gains._asdict(),
            rate_high=rate.gain >> 64,
            rate_low=rate.gain & _LOW_BITS,
            rate_total=rate.total,
            most_bytes=most_bytes(),
        )
    except _native.TooLarge as error:
        raise InputError(str(error), advice="prune the lattice, or shorten the reference") from None
    except OverflowError as error:
        raise InputError(str(error), advice="give alpha and beta with fewer digits") from None
    return Reached(arcs, Ratio((high << 64) + low, total))
