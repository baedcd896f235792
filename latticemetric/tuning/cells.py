"""The best strings of a graph for all weights in a range (a line) or a box (a plane)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.forest.forest import Forest
from latticemetric.lattice.columns import Costs, Floats
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.n_best import small_enough
from latticemetric.tuning.units import CostParts, Units

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


def segments_of(parts: CostParts, units: Units, box: Sequence[int]) -> LineCells:
    """Return the segments of a graph, whose costs depend on one weight."""
    low, high, unit = box
    with small_enough(_ADVICE):
        _, ends, paths = _native.weight_segments(_weighted(parts, units), low, high, unit, MOST_CELLS)
    return LineCells(ends, _strings(parts.graph, paths))


def cells_of(parts: CostParts, units: Units, box: Sequence[int]) -> PlaneCells:
    """Return the cells of a graph, whose costs depend on two weights."""
    with small_enough(_ADVICE):
        native = _native.WeightCells(_weighted(parts, units), list(box), MOST_CELLS)
    return PlaneCells(native, _strings(parts.graph, native.paths()))


def _weighted(parts: CostParts, units: Units) -> Any:
    graph, columns = parts.graph, units.counted(parts)
    columns += [np.zeros_like(columns[0])] * (3 - len(columns))
    if isinstance(graph, Lattice):
        native = graph.native(_no_costs(len(graph.word), graph.num_states, graph.final), is_word=graph.word_counts())
        return _native.TunedGraph(native, graph.final, columns)
    return _native.TunedGraph(
        graph.native(_no_costs(len(graph.head), graph.num_nodes, graph.goals), words=graph.word_counts()),
        graph.goals,
        columns,
    )


def _no_costs(arcs: int, states: int, final: npt.NDArray[np.int32]) -> Costs:
    ends = np.full(states, np.inf)
    ends[final] = 0.0
    return Costs(np.zeros(arcs), ends)


def _strings(graph: Lattice | Forest, paths: Any) -> list[String]:
    arcs, begin, _ = paths
    return [tuple(graph.words(arcs[first:end])) for first, end in pairwise(begin.tolist())]
