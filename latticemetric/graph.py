"""Graphs: the common type of lattices, forests and n-best lists, and conversions between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from latticemetric.arguments import is_nbest
from latticemetric.errors import InputError, UsageError, shortened
from latticemetric.forest.forest import Forest
from latticemetric.lattice.columns import WORDS, Column, FeatureWeights, Steps, Weights, check_weights, require_columns
from latticemetric.lattice.lattice import Lattice

if TYPE_CHECKING:
    from latticemetric.nbest import NBest

# In quotes: n-best lists are imported only if used.
Graph: TypeAlias = "Lattice | NBest | Forest"


def as_lattice(graph: Graph, weights: Weights | None = None, *, advice: str | None = None) -> Lattice:
    """Convert a graph to a lattice; raise an error for a forest that is not a lattice.

    The lattice of an n-best list omits scores whose weight in the list is 0, unless `weights` names them.

    Args:
        graph: A graph.
        weights: Weight of each score column.
        advice: Advice in the error for a forest that is not a lattice; by default, the advice of `Forest.to_lattice`.
    """
    check_weights(weights)
    if isinstance(graph, Lattice):
        return graph
    from latticemetric.nbest import NBest

    if isinstance(graph, NBest):
        return graph.to_lattice(keep=weights or ())
    if not isinstance(graph, Forest):
        raise _no_graph(graph)
    try:
        return graph.to_lattice()
    except InputError as error:
        raise InputError(error.what, where=error.where, advice=advice or error.advice) from None


def _no_graph(given: object) -> UsageError:
    return UsageError(
        f"{type(given).__name__} is not a lattice, n-best list or forest",
        advice="build one with Lattice.from_strings, from_arcs, from_fst or from_networkx",
    )


def as_lattice_or_forest(graph: Graph, weights: Weights | None = None) -> Lattice | Forest:
    """Convert an n-best list to a lattice; return a lattice or a forest unchanged."""
    return graph if isinstance(graph, Forest) else as_lattice(graph, weights)


def with_word_counts(graph: Graph) -> Graph:
    """Return a graph with the column `words`: 1 for each word. Its weight is 0; a graph that has the column keeps it.

    With a weight, as in `weights={"words": 0.3}`, the column is a penalty for words. A corpus whose weights name the
    column gives it to each graph; a single graph needs it first.

    Examples:
        >>> lattice = with_word_counts(Lattice.from_strings(["a b c", "a"], costs=[1.0, 1.5]))
        >>> lattice.words(lattice.best_path({"words": 0.5}))
        ('a',)
    """
    from latticemetric.nbest import NBest

    if isinstance(graph, NBest):
        if WORDS in graph.score_names():
            return graph
        counted = [replace(one, scores={**one.scores, WORDS: float(len(one.words))}) for one in graph.hypotheses]
        return replace(graph, hypotheses=tuple(counted), weights={**graph.weights, WORDS: 0.0})
    if not isinstance(graph, Lattice | Forest):
        raise _no_graph(graph)
    if WORDS in graph.scores:
        return graph
    counts = graph.word_counts() if isinstance(graph, Forest) else graph.is_word()
    ends = graph.goals if isinstance(graph, Forest) else graph.final
    column = Column(counts.astype(np.float64), np.zeros(len(ends)), 0.0)
    return replace(graph, scores={**graph.scores, WORDS: column})


def named_graphs(graphs: Iterable[tuple[str, Graph]]) -> Iterator[tuple[str, Graph]]:
    """Return an iterator over pairs of a name and a graph, which checks each pair.

    Raises:
        UsageError: `graphs` is a mapping or a single graph, or an item is not a pair of a string and a graph.
    """
    if isinstance(graphs, Mapping):
        raise UsageError(f"graphs is a {type(graphs).__name__}", advice="give its pairs: graphs.items()")
    if is_nbest(graphs) or not isinstance(graphs, Iterable):
        raise UsageError(f"graphs is a {type(graphs).__name__}", advice="give a list of pairs, like [('name', graph)]")
    return map(_checked_pair, graphs)


def _checked_pair(pair: Any) -> tuple[str, Graph]:
    if not (isinstance(pair, tuple | list) and len(pair) == 2):  # noqa: PLR2004
        what = f"a {type(pair).__name__} is given in place of a name and a graph"
        raise UsageError(what, advice="give pairs, like ('name', graph)")
    name, graph = pair
    if not isinstance(name, str):
        raise UsageError(f"the name {name!r} of a graph is not a string", advice=f"give '{name}'")
    if not (isinstance(graph, Lattice | Forest) or is_nbest(graph)):
        raise _no_graph(graph).at(f"graph '{shortened(name)}'")
    return name, graph


def weights_of_each(weights: Weights | None, graph: Graph, other: Graph) -> tuple[Weights | None, Weights | None]:
    """Return the weights for the score columns of `graph`, and the weights for the score columns of `other`.

    If `weights` is `None`, or `other` is `graph`, return `weights` twice.

    Raises:
        InputError: `weights` names a column that neither graph has.
    """
    if weights is None or other is graph or isinstance(weights, FeatureWeights):
        return weights, weights
    from latticemetric.nbest import NBest

    check_weights(weights)
    columns = [g.score_names() if isinstance(g, NBest) else getattr(g, "scores", {}).keys() for g in (graph, other)]
    names = sorted({*columns[0], *columns[1]})
    require_columns(weights, names)
    own, others = ({name: weight for name, weight in weights.items() if name in known} for known in columns)
    return own, others


def path_fields(graph: Lattice | Forest, path: Steps) -> dict[str, Any]:
    """Return the fields `arcs`, `edges` and `derivation` for a result that has this path or derivation.

    For a lattice, `edges` is empty and `derivation` is `None`; for a forest, `arcs` is empty.
    """
    steps = tuple(path.tolist())
    if isinstance(graph, Forest):
        return {"arcs": (), "edges": steps, "derivation": graph.tree(steps).bracketed()}
    return {"arcs": steps, "edges": (), "derivation": None}


def plain_path(result: Any) -> dict[str, Any]:
    """Return the path of a result as plain values: `arcs` for a lattice, `edges` and `derivation` for a forest."""
    if result.derivation is None:
        return {"arcs": list(result.arcs)}
    return {"edges": list(result.edges), "derivation": result.derivation}
