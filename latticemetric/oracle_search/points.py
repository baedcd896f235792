"""The sizes at which a sweep finds oracles: beams, densities and sizes of n-best lists."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from latticemetric.arguments import MOST_STRINGS, require_numbers, whole_number
from latticemetric.errors import UsageError

Kind = Literal["one_best", "beam", "density", "nbest", "whole"]


class SweepPoint(NamedTuple):
    """One size to which a graph is pruned.

    Attributes:
        kind: `one_best` (the 1-best), `beam` (the paths within the beam `at`), `density` (the widest beam that keeps
            the density within `at`), `nbest` (the `at` cheapest strings), or `whole` (the whole graph); see `Points`.
        at: The size; `None` for `one_best` and `whole`.
    """

    kind: Kind
    at: float | None = None


@dataclass(frozen=True)
class Points:
    """The sizes to which a sweep prunes each graph.

    Attributes:
        beams: Beams, ascending; a beam is the largest difference between the cost of a path and the best cost.
        densities: Densities, ascending; a density is the number of arcs with a word, divided by the number of reference
            words.
        nbest: Sizes of n-best lists, ascending.
    """

    beams: tuple[float, ...] = ()
    densities: tuple[float, ...] = ()
    nbest: tuple[int, ...] = ()

    @classmethod
    def of(cls, beams: Iterable[float], densities: Iterable[float], nbest: Iterable[int]) -> Points:
        """Return the points, sorted and without duplicates.

        Raises:
            UsageError: A point is not valid.
        """
        for name, numbers in (("beams", beams), ("densities", densities), ("nbest_sizes", nbest)):
            require_numbers(numbers, name)
        costs, ratios = (tuple(sorted(set(map(float, numbers)))) for numbers in (beams, densities))
        sizes = {whole_number(n, f"the number of best strings is {n!r}", "give 1 or more") for n in nbest}
        if max(sizes, default=0) > MOST_STRINGS:
            raise UsageError(f"the number of best strings is {max(sizes)}", advice=f"give {MOST_STRINGS} or fewer")
        points = cls(costs, ratios, tuple(sorted(sizes)))
        for beam in points.beams:
            if not 0 <= beam < math.inf:
                raise UsageError(
                    f"the beam is {beam}", advice="give a cost ≥ 0; a sweep always searches the whole graph, too"
                )
        for density in points.densities:
            if not 0 < density < math.inf:
                raise UsageError(
                    f"the density is {density}",
                    advice="give a number above 0: the number of arcs with a word, divided by the number of reference "
                    "words",
                )
        return points

    def listed(self) -> list[SweepPoint]:
        """Return all points, from the 1-best to the whole graph."""
        beams = [SweepPoint("beam", beam) for beam in self.beams]
        densities = [SweepPoint("density", density) for density in self.densities]
        nbest = [SweepPoint("nbest", number) for number in self.nbest]
        return [SweepPoint("one_best"), *beams, *densities, *nbest, SweepPoint("whole")]
