"""Costs of paths as whole numbers of units, so that paths are compared exactly at any weights.

The cost of a path is `constant + x * first + y * second`, where x and y are the weights that vary. Each part has a
unit, the same for all graphs: a power of ten if all its values are short decimals, else a power of two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import UsageError
from latticemetric.forest.forest import Forest
from latticemetric.graph import WORDS, with_word_counts
from latticemetric.lattice.columns import Costs, Floats, Weights, weights_under
from latticemetric.lattice.lattice import Lattice
from latticemetric.nbest import NBest

# The bound of sums and coordinates, with room for rounding; see `kernels/tuning/geometry.hpp`.
_LARGEST, _LARGEST_BITS = 2**37, 37
_MOST_PLACES, _MOST_BITS = 9, 40
_LARGEST_INTEGER = 2.0**62


@dataclass(frozen=True)
class CostParts:
    """The costs of a graph's arcs (edges), then of its ends, in parts.

    Attributes:
        graph: The graph.
        constant: The columns whose weights do not vary, with their weights.
        varied: The columns whose weights vary.
    """

    graph: Lattice | Forest
    constant: tuple[tuple[Floats, float], ...]
    varied: tuple[Floats, ...]

    @classmethod
    def of(cls, graph: Lattice | Forest, varied: Sequence[str], weights: Weights | None) -> CostParts:
        """Return the costs of a graph in parts.

        Args:
            graph: The graph.
            varied: The names of the columns whose weights vary; a column that the graph lacks is 0.
            weights: Weights of the other columns; columns that are not named keep their default weight.
        """
        if WORDS in varied:
            counted = with_word_counts(graph)
            assert not isinstance(counted, NBest)
            graph = counted
        own = {name: column.weight for name, column in graph.scores.items()}
        used = weights_under(own, weights)
        constant = [(_values(graph, name), weight) for name, weight in used.items() if weight and name not in varied]
        return cls(graph, tuple(constant), tuple(_values(graph, name) for name in varied))

    @property
    def size(self) -> int:
        """The number of costs of each part."""
        return _size(self.graph)

    @property
    def sides(self) -> list[Floats]:
        """The constant part, rounded, and the columns whose weights vary."""
        whole = np.zeros(self.size)
        for values, weight in self.constant:
            whole += weight * values
        return [whole, *self.varied]

    def largest(self) -> list[float]:
        """Return for each side the largest sum of absolute costs of a path."""
        return [self._largest(side) for side in self.sides]

    def _largest(self, side: Floats) -> float:
        graph = self.graph
        if isinstance(graph, Lattice):
            return _native.largest_path_cost(graph.native(_costs(side, graph.num_states, graph.final)))
        return _native.largest_cost(graph.native(_costs(side, graph.num_nodes, graph.goals)))


def _costs(side: Floats, states: int, final: npt.NDArray[np.int32]) -> Costs:
    arcs = len(side) - len(final)
    ends = np.full(states, np.inf)
    ends[final] = side[arcs:]
    return Costs(np.ascontiguousarray(side[:arcs]), ends)


def _values(graph: Lattice | Forest, name: str) -> Floats:
    column = graph.scores.get(name)
    return np.zeros(_size(graph)) if column is None else np.concatenate([column.arc, column.final])


def _size(graph: Lattice | Forest) -> int:
    """Return the number of arcs (edges) and ends."""
    return len(graph.word) + len(graph.final) if isinstance(graph, Lattice) else len(graph.head) + len(graph.goals)


@dataclass(frozen=True)
class Units:
    """The units of the constant part and of the columns whose weights vary.

    Attributes:
        constant: The unit of the constant part.
        varied: The unit of each column whose weight varies.
        is_exact: True if all costs are whole numbers of units; False if they are rounded to them.
    """

    constant: Fraction
    varied: tuple[Fraction, ...]
    is_exact: bool

    @classmethod
    def of(cls, parts: Sequence[CostParts]) -> Units:
        """Return units that fit the costs of all graphs."""
        largest = [max(sums) for sums in zip(*(one.largest() for one in parts), strict=True)]
        return cls._decimal(parts, largest) or cls._binary(parts, largest)

    @classmethod
    def _decimal(cls, parts: Sequence[CostParts], largest: Sequence[float]) -> Units | None:
        """Return powers of ten; `None` if values are not decimals with few places, or too large."""
        varied = [_most_places([one.varied[k] for one in parts]) for k in range(len(parts[0].varied))]
        places = [_places_of_weighted(values, weight) for one in parts for values, weight in one.constant]
        if None in places or None in varied:
            return None
        known = [place for place in varied if place is not None]
        constant = max([place for place in places if place is not None], default=max(known))
        if any(size * 10.0**place >= _LARGEST for size, place in zip(largest, [constant, *known], strict=True)):
            return None
        return cls(Fraction(1, 10**constant), tuple(Fraction(1, 10**place) for place in known), is_exact=True)

    @classmethod
    def _binary(cls, parts: Sequence[CostParts], largest: Sequence[float]) -> Units:
        """Return the smallest powers of two with which sums are not too large."""
        bits = [min(_MOST_BITS, _LARGEST_BITS - math.frexp(size)[1]) for size in largest]
        if not largest[0]:  # any unit holds nothing
            bits[0] = max(bits[1:])
        is_exact = all(
            len(one.constant) <= 1
            and all(abs(weight) == 1 for _, weight in one.constant)
            and all(np.array_equal(scaled, np.rint(scaled)) for scaled in map(np.ldexp, one.sides, bits))
            for one in parts
        )
        constant, *varied = (Fraction(2) ** -one for one in bits)
        return cls(constant, tuple(varied), is_exact)

    def counted(self, parts: CostParts) -> list[npt.NDArray[np.int64]]:
        """Return the constant part and the columns of a graph as numbers of units."""
        constant = np.zeros(parts.size, dtype=np.int64)
        if self.constant.numerator == 1 and self._is_decimal:
            for values, weight in parts.constant:
                constant += _whole(values, weight, self.constant)
        else:
            constant += np.rint(parts.sides[0] * float(1 / self.constant)).astype(np.int64)
        varied = zip(parts.varied, self.varied, strict=True)
        return [constant, *(np.rint(values * float(1 / unit)).astype(np.int64) for values, unit in varied)]

    @property
    def _is_decimal(self) -> bool:
        return all(unit.numerator == 1 and _is_power_of_ten(unit.denominator) for unit in (self.constant, *self.varied))

    def box(self, ranges: Sequence[tuple[Fraction, Fraction]]) -> tuple[int, ...]:
        """Return ranges of weights in units: the bounds of each range as whole numbers, and their common denominator.

        Raises:
            UsageError: The bounds are too large, or have too many digits.
        """
        bounds = [
            bound * unit / self.constant for pair, unit in zip(ranges, self.varied, strict=True) for bound in pair
        ]
        common = math.lcm(*(bound.denominator for bound in bounds))
        whole = [int(bound * common) for bound in bounds]
        if max(common, *map(abs, whole)) >= _LARGEST:
            what = "the ranges of weights are too large for these costs, or have too many digits"
            raise UsageError(what, advice="give smaller or rounder bounds")
        return (*whole, common)

    def weight(self, number: int, value: Fraction) -> Fraction:
        """Return a weight from its value in units; `number` is the number of the column."""
        return value * self.constant / self.varied[number]

    def value(self, number: int, weight: Fraction) -> Fraction:
        """Return the value of a weight in units, the inverse of `weight`."""
        return weight * self.varied[number] / self.constant


def _is_power_of_ten(number: int) -> bool:
    return set(str(number)[1:]) <= {"0"} and str(number)[0] == "1"


def _most_places(columns: Sequence[Floats]) -> int | None:
    """Return how many decimal places the values have; `None` if they have more than a few."""
    places = 0
    for values in columns:
        while not _has_places(values, places):
            places += 1
            if places > _MOST_PLACES:
                return None
    return places


def _has_places(values: Floats, places: int) -> bool:
    return bool(np.array_equal(np.rint(values * 10.0**places) / 10.0**places, values))


def _places_of_weighted(values: Floats, weight: float) -> int | None:
    """Return how many decimal places the values have when they are multiplied by a weight."""
    places = _most_places([values])
    of_weight = _places_of_weight(weight)
    if places is None or of_weight > _MOST_PLACES:
        return None
    largest = float(np.abs(values).max(initial=0)) * abs(weight) * 10.0 ** (places + of_weight)
    return places + of_weight if largest < _LARGEST_INTEGER else None


def _places_of_weight(weight: float) -> int:
    exponent = Decimal(repr(weight)).normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    return max(0, -exponent)


def _whole(values: Floats, weight: float, unit: Fraction) -> npt.NDArray[np.int64]:
    """Return weighted decimal values as numbers of units, a power of ten."""
    places = _most_places([values])
    assert places is not None
    factor = Fraction(Decimal(repr(weight))) / 10**places / unit
    assert factor.denominator == 1
    return np.rint(values * 10.0**places).astype(np.int64) * int(factor)
