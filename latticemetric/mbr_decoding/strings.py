"""The distinct strings of a graph with their probabilities: all of them, or a sample."""

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
class Selection:
    """The strings to take from a graph.

    Attributes:
        scale: Factor of the costs, before they become probabilities.
        samples: Number of paths to sample; `None` to list all paths.
        seed: The seed of the samples.
        prune: Prune the graph first to paths that cost at most this much more than the best one.
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


class StringDistribution(NamedTuple):
    """Distinct strings with their probabilities.

    Attributes:
        strings: The words of each string, without duplicates.
        probability: The probability of each string; the sum is 1.
        cost: The least cost of each string's paths that were listed or sampled.
    """

    strings: tuple[_String, ...]
    probability: Floats
    cost: Floats


def string_distribution(graph: Graph, selection: Selection, scales: Scales | None) -> StringDistribution:
    """Return the distinct strings of a graph; the probabilities of paths with the same words are added.

    A path has the probability exp(−scale · cost), normalised over all paths. All sampled paths have the same weight.

    Raises:
        UsageError: The graph has too many paths to list.
        InputError: Costs are too large to be added up.
    """
    pruned = as_lattice_or_forest(graph, scales)
    if selection.prune is not None:
        pruned = pruned.pruned(selection.prune, scales)
    if selection.samples is not None:
        return _merged(list(_sampled(pruned, selection.samples, selection, scales)), scale=0.0)
    if not isinstance(graph, NBest):
        _require_few(pruned)
    paths = pruned.derivations(scales) if isinstance(pruned, Forest) else pruned.paths(scales)
    return _merged([(path.words, path.cost) for path in paths], selection.scale)


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


def _sampled(
    graph: Lattice | Forest, count: int, selection: Selection, scales: Scales | None
) -> Iterator[tuple[_String, float]]:
    distribution = posteriors(graph, scale=selection.scale, scales=scales)
    cost = graph.cost(scales)
    for path in distribution.sample(count, selection.seed):
        yield graph.words(path), graph.cost_of(path, cost)


def _merged(paths: list[tuple[_String, float]], scale: float) -> StringDistribution:
    with np.errstate(over="ignore"):
        logarithms = -scale * np.array([cost for _, cost in paths])
    if not np.isfinite(logarithms).all():
        raise InputError("the costs are too large to be added up", advice="choose smaller scales")
    weights = np.exp(logarithms - logarithms.max())
    together: dict[_String, list[int]] = {}
    for number, (words, _) in enumerate(paths):
        together.setdefault(words, []).append(number)
    probability = np.array([math.fsum(weights[numbers]) for numbers in together.values()])
    cost = np.array([min(paths[number][1] for number in numbers) for numbers in together.values()])
    return StringDistribution(tuple(together), probability / math.fsum(probability), cost)
