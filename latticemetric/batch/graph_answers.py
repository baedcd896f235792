"""Answers for one graph without references: its sizes, a conversion, posteriors, MBR.

The command line sends these functions to workers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from latticemetric.forest.forest import Forest
from latticemetric.formats.columns import summed, without_labels
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.lattice import Lattice, Scales
from latticemetric.nbest import NBest

if TYPE_CHECKING:
    from latticemetric.posterior.listing import PosteriorListing

Record = dict[str, Any]
Decoded = tuple[list[Record], Lattice | None]
"""Results of a graph, and the lattice to write, if any."""


def described(graph: Graph) -> Record:
    """Return the sizes of a graph. In a forest, nodes count as `states` and derivations as `paths`."""
    if isinstance(graph, Lattice):
        return {"kind": "lattice", "arity": 1} | graph.statistics().asdict()
    if isinstance(graph, NBest):
        # There may be many features: list their names without building all columns.
        sizes = graph.to_lattice(keep=()).statistics().asdict()
        return {"kind": "nbest", "arity": 1} | sizes | {"scores": graph.score_names()}
    return {"kind": "forest"} | _forest_sizes(graph)


def _forest_sizes(forest: Forest) -> Record:
    names = {"nodes": "states", "edges": "arcs", "goals": "final_states", "derivations": "paths"}
    sizes = {names.get(name, name): value for name, value in forest.statistics().asdict().items() if name != "height"}
    return sizes | {"epsilons": int((forest.target.lengths() == 0).sum()), "depth": None, "density": None}


def converted(graph: Graph, *, summed_by: dict[str, float] | None, drop_labels: bool) -> Graph:
    """Return the graph with one score (the sum under the scales `summed_by`), or without texts of arcs."""
    if summed_by is not None:
        graph = summed(graph, summed_by)
    return without_labels(graph) if drop_labels else graph


def listed_posteriors(
    graph: Graph, *, scale: float, scales: Scales | None, options: Mapping[str, Any], with_lattice: bool
) -> tuple[PosteriorListing, Lattice | None]:
    """Return the posteriors, listed by the options of `listing`, and the lattice with them if it is to be written."""
    from latticemetric.posterior.listing import listing
    from latticemetric.posterior.posteriors import posteriors

    if not with_lattice and options["of"] != "arcs":
        return listing(posteriors(graph, scale=scale, scales=scales), **options), None
    lattice = as_lattice(graph, scales, advice="use --of edges for forests, without --write-lattices")
    distribution = posteriors(lattice, scale=scale, scales=scales)
    return listing(distribution, **options), distribution.to_lattice() if with_lattice else None


def mbr_by_ngrams(graph: Graph, evidence: Graph | None = None, **parameters: Any) -> Decoded:
    """Decode a graph by n-grams, under each combination of parameters."""
    from latticemetric.mbr_decoding.mbr import mbr_grid

    return [answer.asdict() for answer in mbr_grid(graph, evidence=evidence, **parameters)], None


def mbr_with_gains(
    graph: Graph,
    evidence: Graph | None = None,
    *,
    parameters: Mapping[str, Any],
    scales: Scales | None,
    prune: float | None,
    gains_only: bool,
) -> Decoded:
    """Decode a graph by n-grams under one set of parameters; return the lattice with the gains of its arcs, too."""
    from latticemetric.mbr_decoding.ngram import GainParameters, mbr_with_lattice

    answer, lattice = mbr_with_lattice(
        graph, GainParameters(**parameters), evidence=evidence, scales=scales, prune=prune, gains_only=gains_only
    )
    return [answer.asdict()], lattice


def mbr_by_strings(graph: Graph, evidence: Graph | None = None, **parameters: Any) -> Decoded:
    """Decode a graph by word errors or by a metric of strings."""
    from latticemetric.mbr_decoding.mbr import mbr

    return [mbr(graph, evidence=evidence, **parameters).asdict()], None
