"""Answers from the model of one graph: n-best strings, posteriors and minimum Bayes risk of one graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast, overload

from latticemetric.corpus.graphs import Written, converted
from latticemetric.forest.forest import Forest
from latticemetric.frozen import Brief, Frozen
from latticemetric.graph import Graph, as_lattice, as_lattice_or_forest, path_fields, plain_path
from latticemetric.lattice.columns import Costs, Steps
from latticemetric.lattice.lattice import Lattice, Weights
from latticemetric.mbr_decoding.settings import ByNgrams, ByUtility, Decision
from latticemetric.nbest import NBest
from latticemetric.posterior.listing import PosteriorListing, listing
from latticemetric.posterior.posteriors import posteriors

if TYPE_CHECKING:
    from latticemetric.corpus.mbr_evidence import GraphWithUtilities
    from latticemetric.mbr_decoding.consensus import Consensus
    from latticemetric.mbr_decoding.metric import MetricMBR
    from latticemetric.mbr_decoding.ngram import MBR
    from latticemetric.mbr_decoding.risk import RiskMBR


@dataclass(frozen=True, repr=False, eq=False)
class RankedPath(Brief, Frozen):
    """One of the model's best strings or paths.

    Attributes:
        rank: Its rank; the best has 1.
        words: The words, without ε.
        cost: The model's cost under the given weights.
        scores: The sum of each named cost along the path.
        arcs: The numbers of its arcs in the lattice.
        edges: The numbers of its edges in the forest, as in `Derivation`.
        derivation: The tree of these edges, in brackets.
    """

    rank: int
    words: tuple[str, ...]
    cost: float
    scores: Mapping[str, float]
    arcs: tuple[int, ...]
    edges: tuple[int, ...]
    derivation: str | None

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        Fields:
            rank (int): The rank, from 1.
            hypothesis (str): The words, joined by single spaces.
            cost (float): The cost of the path under the weights.
            scores (Mapping): Each score column summed along the path, unweighted, as costs.
            arcs (list[int]): The numbers of the path's arcs; a forest has `edges` and `derivation` in place of them.
        """
        return {
            "rank": self.rank,
            "hypothesis": " ".join(self.words),
            "cost": self.cost,
            "scores": dict(self.scores),
            **plain_path(self),
        }


@dataclass(frozen=True, repr=False, eq=False)
class BestPaths(Sequence[RankedPath], Brief, Frozen):
    """The model's best strings or paths of a graph, by ascending cost.

    Attributes:
        paths: The strings or paths.
        written: The list to write beside the answers; `None` if none is wanted.
    """

    paths: tuple[RankedPath, ...]
    written: NBest | None = None

    def __len__(self) -> int:
        return len(self.paths)

    @overload
    def __getitem__(self, rank: int) -> RankedPath: ...
    @overload
    def __getitem__(self, rank: slice) -> tuple[RankedPath, ...]: ...
    def __getitem__(self, rank: int | slice) -> RankedPath | tuple[RankedPath, ...]:
        return self.paths[rank]

    def __iter__(self) -> Iterator[RankedPath]:
        return iter(self.paths)

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        The field is not named `nbest`, since readers of n-best lists in JSON expect log probabilities there, not costs.
        """
        return {"paths": [path.asdict() for path in self.paths]}


def best_paths(
    graph: Graph, n: int, *, weights: Weights | None = None, paths: bool = False, written: Written | None = None
) -> BestPaths:
    """Return the n best strings of a graph or, with `paths`, its n best paths.

    With `written`, also return the n-best list, with the scores and labels that `written` selects.
    """
    searched = as_lattice_or_forest(graph, weights)
    found = searched.n_best(n, weights, paths=paths)
    sums = _sums_along(searched, found, searched.cost(weights))
    ranked = tuple(
        RankedPath(rank, tuple(searched.words(path)), *sum_along, **path_fields(searched, path))
        for rank, (path, sum_along) in enumerate(zip(found, sums, strict=True), start=1)
    )
    if written is None:
        return BestPaths(ranked)
    nbest = converted(NBest.from_graph(graph, n, weights, paths=paths), written)
    assert isinstance(nbest, NBest)
    return BestPaths(ranked, nbest)


def _sums_along(
    graph: Lattice | Forest, found: Sequence[Steps], cost: Costs
) -> Sequence[tuple[float, Mapping[str, float]]]:
    """Return the cost of each path or derivation, and its sum of each score column."""
    if isinstance(graph, Lattice):
        return graph.sums_along(found, cost)
    return [(graph.cost_of(steps, cost), graph.scores_along(steps)) for steps in found]


def listed_posteriors(
    graph: Graph, *, posterior_scale: float, weights: Weights | None, with_lattice: bool, **options: Any
) -> PosteriorListing:
    """Return the result of `listing` with `options`, which has the lattice with posteriors if `with_lattice`."""
    if not with_lattice and options["of"] != "arcs":
        return listing(posteriors(graph, posterior_scale=posterior_scale, weights=weights), **options)
    lattice = as_lattice(graph, weights, advice='use of="edges" for forests, without with_lattice=True')
    distribution = posteriors(lattice, posterior_scale=posterior_scale, weights=weights)
    found = listing(distribution, **options)
    return replace(found, lattice=distribution.to_lattice()) if with_lattice else found


Decided: TypeAlias = "MBR | Consensus | RiskMBR | MetricMBR | tuple[MBR, ...]"
"""The result of minimum Bayes risk decoding; a tuple if there are several settings."""


def decided(
    graph: Graph, evidence: Graph | None = None, *, settings: tuple[Decision, ...], weights: Weights | None
) -> Decided:
    """Decode a graph by minimum Bayes risk, by one or several settings."""
    from latticemetric.mbr_decoding.mbr import mbr, mbr_grid

    by_ngrams = [by for by in settings if isinstance(by, ByNgrams)]
    if len(by_ngrams) == len(settings):
        found = tuple(mbr_grid(graph, by_ngrams, evidence=evidence, weights=weights))
        return found if len(found) > 1 else found[0]
    (by,) = settings  # other kinds have no grid
    return cast("Decided", mbr(graph, by, evidence=evidence, weights=weights))


def decided_with_gains(
    graph: Graph, evidence: Graph | None = None, *, by: ByNgrams, weights: Weights | None, gains_only: bool
) -> MBR:
    """Decode a graph by n-grams; the result has the lattice with the gains of arcs."""
    from latticemetric.mbr_decoding.ngram import mbr_with_lattice

    found, lattice = mbr_with_lattice(graph, by, evidence=evidence, weights=weights, gains_only=gains_only)
    return replace(found, lattice=lattice)


def decided_by_matrix(given: GraphWithUtilities, *, by: ByUtility, weights: Weights | None) -> MetricMBR:
    """Decode an n-best list by its matrix of utilities."""
    from latticemetric.mbr_decoding.mbr import mbr

    return mbr(given.graph, by.__replace__(utility=given.utilities), weights=weights)
