"""The distinct strings of a graph with their probabilities: all that there are, or some that are drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from latticemetric.errors import InputError, UsageError
from latticemetric.forest.forest import Forest
from latticemetric.graph import Graph, as_lattice_or_forest
from latticemetric.lattice.lattice import Floats, Lattice, Scales
from latticemetric.nbest import NBest
from latticemetric.posterior.posteriors import posteriors

_MOST_PATHS = 10_000

_String = tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """What is taken from a graph.

    Attributes:
        scale: What costs are multiplied by before they become probabilities.
        samples: How many paths are drawn; `None` for all paths.
        seed: Of what is drawn.
        prune: The cost above the best path or derivation that graphs are pruned to first.
    """

    scale: float
    samples: int | None
    seed: int
    prune: float | None

    def __post_init__(self) -> None:
        if not math.isfinite(self.scale):
            raise UsageError(f"the scale is {self.scale}, not a finite number")
        if self.samples is not None and not _is_whole(self.samples, 1):
            raise UsageError(f"{self.samples} samples cannot be drawn", advice="give a whole number from 1")
        if not _is_whole(self.seed, 0):
            raise UsageError(f"the seed is {self.seed}", advice="give a whole number from 0")


def _is_whole(number: object, least: int) -> bool:
    return isinstance(number, int | np.integer) and not isinstance(number, bool) and int(number) >= least


class WeighedStrings(NamedTuple):
    """Distinct strings.

    Attributes:
        strings: Their words; none of them twice.
        probability: Of each; they sum to 1.
        cost: Of each, the least cost of its paths, of those that were met.
    """

    strings: tuple[_String, ...]
    probability: Floats
    cost: Floats


class _Weighed(NamedTuple):
    words: _String
    cost: float


def weighed_strings(graph: Graph, choice: Choice, scales: Scales | None) -> WeighedStrings:
    """The distinct strings of a graph; paths that say the same share one.

    A path has the probability exp(−scale · cost), normalised over all paths. Drawn paths have the same weight each.

    Raises:
        UsageError: All paths are asked for, and there are too many.
        InputError: Costs are too large to be added up.
    """
    searched = _searched(graph, choice, scales)
    if choice.samples is not None:
        return _merged(list(_drawn(searched, choice, scales)), scale=0.0)
    if not isinstance(graph, NBest):
        _require_few(searched)
    return _merged(list(_listed(searched, scales)), choice.scale)


def _searched(graph: Graph, choice: Choice, scales: Scales | None) -> Lattice | Forest:
    searched = as_lattice_or_forest(graph, scales)
    return searched if choice.prune is None else searched.pruned(choice.prune, scales)


def _require_few(graph: Lattice | Forest) -> None:
    if isinstance(graph, Forest):
        number, paths = graph.statistics().derivations, "derivations"
    else:
        number, paths = graph.statistics().paths, "paths"
    if number is None or number > _MOST_PATHS:
        raise UsageError(
            f"there are {_shown(number)} {paths}, and no more than {_MOST_PATHS:,} are listed",
            advice="give a number of samples, to draw some of them",
        )


def _shown(number: int | None) -> str:
    if number is None:
        return "too many"
    return f"{number:,}" if number < 10**12 else f"more than 10^{int(math.log10(number))}"


def _listed(graph: Lattice | Forest, scales: Scales | None) -> Iterator[_Weighed]:
    paths = graph.derivations(scales) if isinstance(graph, Forest) else graph.paths(scales)
    return (_Weighed(path.words, path.cost) for path in paths)


def _drawn(graph: Lattice | Forest, choice: Choice, scales: Scales | None) -> Iterator[_Weighed]:
    assert choice.samples is not None
    found = posteriors(graph, scale=choice.scale, scales=scales)
    walked: Lattice | Forest = getattr(found, "lattice", graph)  # a forest that is a lattice is walked as one
    cost = walked.cost(scales)
    for path in found.sample(choice.samples, choice.seed):
        if isinstance(walked, Forest):
            end = cost.final[walked.head[path[0]]]  # in preorder: the first edge leads to the goal
            yield _Weighed(walked.words(path), float(cost.arc[path].sum() + end))
        else:
            yield _Weighed(walked.words(path), walked.cost_of(path, cost))


def _merged(weighed: list[_Weighed], scale: float) -> WeighedStrings:
    with np.errstate(over="ignore"):
        logarithms = -scale * np.array([path.cost for path in weighed])
    if not np.isfinite(logarithms).all():
        raise InputError("the costs are too large to be added up", advice="choose smaller scales")
    weights = np.exp(logarithms - logarithms.max())
    together: dict[_String, list[int]] = {}
    for number, path in enumerate(weighed):
        together.setdefault(path.words, []).append(number)
    probability = np.array([math.fsum(weights[numbers]) for numbers in together.values()])
    cost = np.array([min(weighed[number].cost for number in numbers) for numbers in together.values()])
    return WeighedStrings(tuple(together), probability / math.fsum(probability), cost)
