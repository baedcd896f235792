"""Check the weights of score columns against each graph of a run, and say if there are none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from latticemetric.errors import placed, shortened
from latticemetric.formats.registry import Entry, find_format
from latticemetric.formats.streams.once import OnceWarning
from latticemetric.graph import Graph
from latticemetric.lattice.columns import FeatureWeights, require_columns
from latticemetric.nbest import NBest

_MOST_NAMES = 12
_UNWEIGHTED = OnceWarning()


def weighted_entries(entries: Iterable[Entry], weights: FeatureWeights) -> Iterator[Entry]:
    """Yield the entries; check `weights` against the columns of each graph when it is parsed.

    A feature of a format that lists only the features that a graph has may be absent. Other columns must be there,
    unless the weights come from a file.
    """
    for entry in entries:
        yield entry.changed(partial(_checked, place=entry.place, sparse=_sparse(entry), weights=weights))


def check_columns(graph: Graph, entry: Entry | None, weights: FeatureWeights) -> None:
    """Check `weights` against the columns of a graph that is already parsed."""
    if entry is not None:
        with placed(entry.place):
            _checked(graph, place=entry.place, sparse=_sparse(entry), weights=weights)


def _sparse(entry: Entry) -> str | None:
    return find_format(entry.format).sparse if entry.format else None


def _checked(graph: Graph, *, place: str, sparse: str | None, weights: FeatureWeights) -> Graph:
    """Return the graph; raise `InputError` if it lacks a column of `weights` that may not be absent.

    Without weights, note once a run that features have none. `sparse` is the pattern of the format (see `Format`).
    """
    if not weights:
        if sparse is not None and not _UNWEIGHTED:
            _note_features(graph, place)
        return graph
    if not weights.whole:
        may_be_absent = re.compile(sparse or "(?!)")
        require_columns((name for name in weights if not may_be_absent.fullmatch(name)), _own(graph))
    return graph


def _own(graph: Graph) -> Mapping[str, float]:
    """Return the own weight of each score column of a graph."""
    if isinstance(graph, NBest):
        return {name: graph.scales.get(name, 1.0) for name in graph.score_names()}
    return {name: column.scale for name, column in graph.scores.items()}


def _note_features(graph: Graph, place: str) -> None:
    own = _own(graph)
    if len(own) < 2 or any(weight != 1 for weight in own.values()):  # noqa: PLR2004  several features
        return
    names = ", ".join(shortened(name, 40) for name in list(own)[:_MOST_NAMES]) + (
        ", …" if len(own) > _MOST_NAMES else ""
    )
    what = f"no weights are given, so each of the {len(own)} features has weight 1 ({names})"
    _UNWEIGHTED.write(place, f"{what}; give --scale NAME=NUMBER, or --scale FILE with the decoder's weights")
