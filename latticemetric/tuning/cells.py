"""The best strings of graphs for all weights on a line or in a plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from latticemetric.forest.forest import Forest
from latticemetric.lattice.columns import Floats
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.n_best import small_enough
from latticemetric.tuning.costs import CostTable, SectionCosts

String = tuple[str, ...]

MOST_CELLS = 1_000_000
"""The largest number of cells or segments of a graph."""

_ADVICE = "prune the graph, or vary weights less"


@dataclass(frozen=True)
class LineCells:
    """The best strings of a graph along a line of weights, from the lowest weight to the highest.

    Attributes:
        ends: The weight where each segment ends, in units; the last is the end of the range.
        strings: The string of each segment.
    """

    ends: Floats
    strings: list[String]


@dataclass(frozen=True)
class PlaneCells:
    """The best strings of a graph in a box of weights.

    Attributes:
        native: The cells.
        strings: The string of each cell.
    """

    native: Any
    strings: list[String]


def segments_of(table: CostTable, costs: SectionCosts, chosen: Sequence[int]) -> list[LineCells]:
    """Return the segments of the graphs of these numbers along a line."""
    low, high, unit = costs.box
    numbers = np.array(chosen, dtype=np.int64)
    with small_enough(_ADVICE):
        counts, ends, _, (arcs, begin) = table.native.segments(numbers, costs.columns, low, high, unit, MOST_CELLS)
    first = np.concatenate([[0], np.cumsum(counts)])
    return [
        LineCells(ends[here:there], _strings(table.graphs[number], arcs, begin[here : there + 1]))
        for number, here, there in zip(chosen, first[:-1].tolist(), first[1:].tolist(), strict=True)
    ]


def cells_of(table: CostTable, costs: SectionCosts, number: int) -> PlaneCells:
    """Return the cells of the graph of a number in a plane."""
    with small_enough(_ADVICE):
        native = table.native.cells(number, costs.columns, costs.box, MOST_CELLS)
    return PlaneCells(native, _strings(table.graphs[number], *native.paths()))


def _strings(graph: Lattice | Forest, arcs: Any, begin: Any) -> list[String]:
    return [tuple(graph.words(arcs[first:end])) for first, end in pairwise(begin.tolist())]
