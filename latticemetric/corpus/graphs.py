"""Describe, convert, prune, determinize and minimize a graph, and choose the scores and labels that are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from latticemetric.errors import InputError
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.lattice import Lattice, Weights
from latticemetric.nbest import NBest

Record = dict[str, Any]


def described(graph: Graph) -> Record:
    """Return the sizes of a graph. For a forest, `states` are nodes, `arcs` are edges, and `paths` are derivations.

    Fields:
        kind (str): `lattice`, `forest` or `nbest`.
        arity (int): Largest number of tails of an edge; 1 for lattices and n-best lists.
        states (int): Number of states on complete paths; for a forest, of nodes.
        arcs (int): Number of arcs on complete paths; for a forest, of edges.
        epsilons (int): Arcs without a word; for a forest, edges without words and tails.
        final_states (int): Final states; for a forest, goals.
        paths (int | None): Complete paths (derivations), exactly; may exceed 64 bits. `None` with more than 9864
            digits. (Python's `json` reads more than 4300 digits after `sys.set_int_max_str_digits(0)`.)
        shortest (int | None): Words on the shortest path; `None` for 2⁶² or more, which derivations of a forest may
            have.
        longest (int | None): Words on the longest path; `None` for 2⁶² or more.
        depth (float | None): Mean number of parallel arcs between start and end; `None` for a forest.
        density (float | None): The number of arcs with a word, divided by the number of words of the model's 1-best;
            `None` for a forest.
        scores (list[str]): Names of the score columns (TSV: joined by commas).
        best_cost (float): Cost of the model's 1-best, each column with its own weight.
    """
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
        summed_by: Weights, to write one score per arc: its cost under these weights; `None` to write all scores.
        scores_off: True to write no scores; n-best lists are then sorted by cost.
        drop_labels: True to write no labels.
    """

    summed_by: Weights | None = None
    scores_off: bool = False
    drop_labels: bool = False


AS_IT_IS = Written()
"""All scores and labels."""


def converted(graph: Graph, written: Written = AS_IT_IS) -> Graph:
    """Return the graph with only the scores and labels that `written` selects."""
    from latticemetric.formats.columns import summed, without_labels, without_scores

    if written.summed_by is not None:
        graph = summed(graph, written.summed_by)
    if written.scores_off:
        graph = without_scores(graph)
    return without_labels(graph) if written.drop_labels else graph


def pruned(
    graph: Graph,
    written: Written = AS_IT_IS,
    *,
    beam: float | None,
    density: float | None,
    nbest: int | None,
    weights: Weights,
) -> Graph:
    """Prune a graph; keep only the scores and labels that `written` selects."""
    if density is None or isinstance(graph, Lattice):
        limits = {"beam": beam, "nbest": nbest} | ({"density": density} if density is not None else {})
        return converted(graph.pruned(weights=weights, **limits), written)  # type: ignore[arg-type]
    what = "an n-best list" if isinstance(graph, NBest) else "a forest"
    raise InputError(f"{what} has no density", advice="prune it by beam=… or nbest=…")


def determinized(graph: Graph, written: Written = AS_IT_IS, *, weights: Weights) -> Graph:
    """Return the smallest lattice with the best path of each string.

    Keep only the scores and labels that `written` selects.
    """
    from latticemetric.formats.columns import warn_of_rank

    if isinstance(graph, NBest):
        warn_of_rank(graph, weights)
        return converted(graph.determinized(weights, merge="best"), written)
    return converted(as_lattice(graph, advice="only lattices can be determinized").determinized(weights), written)


def minimized(graph: Graph, written: Written = AS_IT_IS) -> Graph:
    """Keep only the scores and labels that `written` selects, then merge equivalent states of the lattice."""
    from latticemetric.formats.columns import to_lattice

    return to_lattice(converted(graph, written)).minimized()
