"""Describe, convert, prune, determinize and minimize a graph, and choose the scores and labels that are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from latticemetric.errors import InputError
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.lattice import Lattice, Scales
from latticemetric.nbest import NBest

Record = dict[str, Any]


def described(graph: Graph) -> Record:
    """Return the sizes of a graph. For a forest, `states` are nodes, `arcs` are edges, and `paths` are derivations."""
    if isinstance(graph, Lattice):
        return {"kind": "lattice", "arity": 1} | graph.statistics().asdict()
    if isinstance(graph, NBest):
        # There may be many features: list their names without building all columns.
        sizes = graph.to_lattice(keep=()).statistics().asdict()
        return {"kind": "nbest", "arity": 1} | sizes | {"scores": graph.score_names()}
    names = {"nodes": "states", "edges": "arcs", "goals": "final_states", "derivations": "paths"}
    sizes = {names.get(name, name): size for name, size in graph.statistics().asdict().items() if name != "height"}
    epsilons = int((graph.target.lengths() == 0).sum())
    return {"kind": "forest"} | sizes | {"epsilons": epsilons, "depth": None, "density": None}


@dataclass(frozen=True)
class Written:
    """The choice of the scores and labels that are written with a graph.

    Attributes:
        summed_by: Scales, to write one score per arc: its cost under these scales; `None` to write all scores.
        scores_off: True to write no scores; n-best lists are then sorted by cost.
        drop_labels: True to write no labels.
    """

    summed_by: Scales | None = None
    scores_off: bool = False
    drop_labels: bool = False


def converted(graph: Graph, written: Written) -> Graph:
    """Return the graph with only the scores and labels that `written` selects."""
    from latticemetric.formats.columns import summed, without_labels, without_scores

    if written.summed_by is not None:
        graph = summed(graph, written.summed_by)
    if written.scores_off:
        graph = without_scores(graph)
    return without_labels(graph) if written.drop_labels else graph


def pruned(
    graph: Graph, written: Written, *, beam: float | None, density: float | None, nbest: int | None, scales: Scales
) -> Graph:
    """Prune a graph; keep only the scores and labels that `written` selects."""
    if density is None or isinstance(graph, Lattice):
        limits = {"beam": beam, "nbest": nbest} | ({"density": density} if density is not None else {})
        return converted(graph.pruned(scales=scales, **limits), written)  # type: ignore[arg-type]
    what = "an n-best list" if isinstance(graph, NBest) else "a forest"
    raise InputError(f"{what} has no density", advice="prune it by --beam or --nbest")


def determinized(graph: Graph, written: Written, *, scales: Scales) -> Graph:
    """Return the smallest lattice with the best path of each string.

    Keep only the scores and labels that `written` selects.
    """
    from latticemetric.formats.columns import warn_of_rank

    if isinstance(graph, NBest):
        warn_of_rank(graph, scales)
        return converted(graph.determinized(scales, merge="best"), written)
    return converted(as_lattice(graph, advice="only lattices can be determinized").determinized(scales), written)


def minimized(graph: Graph, written: Written) -> Graph:
    """Keep only the scores and labels that `written` selects, then merge equivalent states of the lattice."""
    from latticemetric.formats.columns import to_lattice

    return to_lattice(converted(graph, written)).minimized()
