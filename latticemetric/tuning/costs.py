"""The costs of all graphs of a development set, on any line or plane of weights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from latticemetric import _native
from latticemetric.errors import UsageError
from latticemetric.forest.forest import Forest
from latticemetric.lattice.columns import Costs, Floats, Weights, weights_under
from latticemetric.lattice.lattice import Lattice
from latticemetric.tuning.regions import Range
from latticemetric.tuning.section import Section
from latticemetric.tuning.units import CostColumn, Whole, as_written, weighted_sum

# Sums of costs of a path have fewer bits, with one for rounding; see `kernels/tuning/geometry.hpp`.
_LINE_BITS, _PLANE_BITS = 51, 38


@dataclass(frozen=True)
class SectionCosts:
    """The costs of all graphs on a line or a plane.

    Attributes:
        columns: The costs where the coordinates are 0, and by how much they change with each, in units.
        box: The bounds of each coordinate as whole numbers, and their common denominator, in units.
        scales: One unit of each coordinate.
        is_exact: False if costs are rounded to the units.
    """

    columns: tuple[Whole, ...]
    box: tuple[int, ...]
    scales: tuple[Fraction, ...]
    is_exact: bool

    def box_of(self, ranges: Sequence[Range]) -> tuple[int, ...]:
        """Return ranges of the coordinates like `box`."""
        return _box(ranges, self.scales)

    def in_units(self, coordinates: Sequence[Fraction]) -> list[Fraction]:
        """Return coordinates in units."""
        return [value / scale for value, scale in zip(coordinates, self.scales, strict=True)]


class CostTable:
    """The costs of all graphs in each score column: of each graph, those of arcs (edges), then those of ends."""

    def __init__(self, graphs: Sequence[Lattice | Forest], varied: Sequence[str], weights: Weights | None) -> None:
        """Gather the costs.

        Args:
            graphs: The graphs.
            varied: The names of the columns whose weights vary; a column that a graph lacks is 0.
            weights: Weights of the other columns; columns that are not named keep their default weight.
        """
        self.graphs = graphs
        self.native = _native.TunedGraphs()
        for graph in graphs:
            self.native.add(*_topology(graph))
        self._size = sum(map(_rows, graphs))
        self._varied = [self._column([name] * len(graphs), name) for name in varied]
        self._constant = self._terms_that_stay(set(varied), weights)

    def _terms_that_stay(self, varied: set[str], weights: Weights | None) -> list[tuple[CostColumn, Fraction]]:
        """Return the other columns with their weights; graphs may differ in the default weights of a column."""
        each = [
            weights_under({name: column.weight for name, column in graph.scores.items()}, weights)
            for graph in self.graphs
        ]
        pairs = dict.fromkeys(pair for used in each for pair in used.items() if pair[1] and pair[0] not in varied)
        return [
            (self._column([name if used.get(name) == weight else "" for used in each], name), as_written(weight))
            for name, weight in pairs
        ]

    def _column(self, names: Iterable[str], name: str) -> CostColumn:
        """Return the costs of a column in those graphs that have its name; 0 in the others."""
        parts: list[Floats] = []
        for graph, own in zip(self.graphs, names, strict=True):
            column = graph.scores.get(name) if own == name else None
            parts += [np.zeros(_rows(graph))] if column is None else [column.arc, column.final]
        values = np.concatenate(parts)
        return CostColumn.of(values, self.native.largest_sum(values))

    def on(self, section: Section) -> SectionCosts:
        """Return the costs on a line or plane.

        Raises:
            UsageError: The ranges are too large for the costs, or have too many digits.
        """
        exact = self._on(section, rounded=False)
        found = exact or self._on(section, rounded=True)
        if found is None:
            what = "the ranges of weights are too large for these costs, or have too many digits"
            raise UsageError(what, advice="give smaller or rounder bounds")
        return found

    def _on(self, section: Section, *, rounded: bool) -> SectionCosts | None:
        """Return the costs, `rounded` to powers of two where weights do not vary; `None` if ranges do not fit."""
        bits = _LINE_BITS if len(section.directions) == 1 else _PLANE_BITS
        start = [*self._constant, *zip(self._varied, section.origin, strict=True)]
        size, largest_sum = self._size, self.native.largest_sum
        constant = weighted_sum(start, size, bits, largest_sum, rounded=rounded)
        varied = [
            weighted_sum(list(zip(self._varied, direction, strict=True)), size, bits, largest_sum)
            for direction in section.directions
        ]
        # Any unit holds nothing.
        unit = constant.unit if constant.numbers.any() else min(one.unit for one in varied)
        varied = [one.not_coarser_than(unit, bits) for one in varied]
        scales = tuple(unit / one.unit for one in varied)
        box = _box(section.ranges, scales)
        columns = (constant.numbers, *(one.numbers for one in varied))
        is_exact = all(one.is_exact for one in (constant, *varied))
        return SectionCosts(columns, box, scales, is_exact) if _size_of(box) < 2**bits else None


def _box(ranges: Sequence[Range], scales: Sequence[Fraction]) -> tuple[int, ...]:
    bounds = [bound / scale for one, scale in zip(ranges, scales, strict=True) for bound in (one.low, one.high)]
    common = math.lcm(*(bound.denominator for bound in bounds))
    return (*(int(bound * common) for bound in bounds), common)


def _size_of(box: Sequence[int]) -> int:
    return max(map(abs, box))


def _rows(graph: Lattice | Forest) -> int:
    """Return the number of arcs (edges) and ends."""
    return len(graph.word) + len(graph.final) if isinstance(graph, Lattice) else len(graph.head) + len(graph.goals)


def _topology(graph: Lattice | Forest) -> tuple[Any, Any]:
    """Return a graph as kernels take it, and its ends."""
    states, final = (graph.num_states, graph.final) if isinstance(graph, Lattice) else (graph.num_nodes, graph.goals)
    ends = np.full(states, np.inf)
    ends[final] = 0.0
    if isinstance(graph, Lattice):
        return graph.native(Costs(np.zeros(len(graph.word)), ends), is_word=graph.word_counts()), final
    return graph.native(Costs(np.zeros(len(graph.head)), ends), words=graph.word_counts()), final
