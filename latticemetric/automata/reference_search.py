"""The native search against a reference graph, with whole numbers of any size."""

from __future__ import annotations

from typing import Any

import numpy as np

from latticemetric import _native
from latticemetric.automata.ratio import Ratio, Reached
from latticemetric.automata.recognition import Gains
from latticemetric.automata.reference_graph import Numbers, ReferenceGraph
from latticemetric.errors import InputError
from latticemetric.memory import most_bytes

_LOW_BITS = 2**64 - 1


def reached_by(graph: dict[str, Any], sizes: Numbers, reference: ReferenceGraph, gains: Gains, rate: Ratio) -> Reached:
    """The best path at a rate.

    Args:
        graph: The columns of a lattice, as the search of strings takes them.
        sizes: What each of its arcs adds to the denominator.
        reference: The reference.
        gains: The metric's parameters.
        rate: Weighs the denominator.

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
