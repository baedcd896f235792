"""Check the weights of score columns against each graph of a run, and say if there are none."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from latticemetric.errors import UsageError, placed, shortened
from latticemetric.formats.entry_block import checked_entries
from latticemetric.formats.registry import Entry, find_format
from latticemetric.formats.streams.once import OnceWarning
from latticemetric.graph import Graph, with_word_counts
from latticemetric.lattice.columns import WORDS, FeatureWeights, require_columns
from latticemetric.line_ids import listed_names
from latticemetric.nbest import NBest

_MOST_NAMES = 12
_UNWEIGHTED = OnceWarning()


class UnusedWeights(NamedTuple):
    """A note that weights had no effect.

    Attributes:
        what: What is wrong.
        fatal: True if this is an error, provided that the run read all graphs.
    """

    what: str
    fatal: bool


def as_feature_weights(given: Any) -> FeatureWeights:
    """Return weights of score columns.

    Args:
        given: A mapping from names to numbers; a text such as `lm=12,acoustic=1`; the name of a file of weights; or a
            list of such texts and names, in which numbers replace those of a file.

    Examples:
        >>> dict(as_feature_weights("lm=12,acoustic=1"))
        {'lm': 12.0, 'acoustic': 1.0}
    """
    if given is None or isinstance(given, Mapping):
        return given if isinstance(given, FeatureWeights) else FeatureWeights(given or {})
    several = [given] if isinstance(given, str | os.PathLike) else given
    if not isinstance(several, list | tuple) or not all(isinstance(one, str | os.PathLike) for one in several):
        raise UsageError(f"weights is a {type(given).__name__}", advice="give a dict, or a file of weights")
    weights, named = FeatureWeights({}), dict[str, float]()
    for value in map(os.fspath, several):
        if names_file(value):
            if weights:
                raise UsageError("there are two files of weights", advice="give one of them")
            from latticemetric.formats.weights import read_weights

            weights = read_weights(value)
            continue
        for name, number in _named_numbers(value):
            if named.setdefault(name, number) != number:
                raise UsageError(f"'{name}' has two different weights", advice="give one of them")
    return weights.updated(named)


def names_file(value: str) -> bool:
    """Return True if a value names a file, not columns and their weights."""
    return os.path.exists(value)  # noqa: PTH110  a name may be longer than a path may be


def _named_numbers(text: str) -> Iterator[tuple[str, float]]:
    """Yield the pairs of `NAME=NUMBER,NAME=NUMBER,…`; a name may have commas and equals signs, too."""
    from latticemetric.formats.text.fields import is_number

    rest = ""
    for piece in text.split(","):
        rest = f"{rest},{piece}" if rest else piece
        name, _, number = rest.rpartition("=")
        if name and is_number(number):
            yield name, float(number)
            rest = ""
    if rest or not text:
        what = f"'{shortened(rest)}' is neither NAME=NUMBER, like acoustic=0.1, nor a file"
        raise UsageError(what, advice="name a column and its weight, or a file that exists")


def unused_weights(weights: FeatureWeights) -> UnusedWeights | None:
    """Return a note if weights name score columns that no graph had."""
    unused = weights.unused
    if not unused:
        return None
    if sure := weights.surely_unused:
        return UnusedWeights(f"no graph has a score column '{sure[0]}', so its weight had no effect", fatal=True)
    if len(unused) < len(weights.names):
        what = f"{len(unused)} of {len(weights.names)} weights name columns that no graph has ({listed_names(unused)})"
        return UnusedWeights(what, fatal=False)
    what = f"no graph has any of the {len(unused)} score columns ({listed_names(unused)}), so all scores count 0"
    return UnusedWeights(what, fatal=True)


def weighted_entries(entries: Iterable[Entry], weights: FeatureWeights) -> Iterator[Entry]:
    """Yield the entries; check `weights` against the columns of each graph when it is parsed.

    A feature of a format that lists only the features that a graph has may be absent. Other columns must be there,
    unless the weights come from a file. If they name the column `words`, each graph gets it.
    """
    if WORDS in weights:
        entries = (entry.changed(with_word_counts) for entry in entries)
    return checked_entries(entries, partial(_weighted, weights=weights))


def _weighted(entry: Entry, weights: FeatureWeights) -> Entry:
    return entry.checked(partial(_checked, place=entry.place, sparse=_sparse(entry), weights=weights))


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
        return {name: graph.weights.get(name, 1.0) for name in graph.score_names()}
    return {name: column.weight for name, column in graph.scores.items()}


def _note_features(graph: Graph, place: str) -> None:
    own = _own(graph)
    if len(own) < 2 or any(weight != 1 for weight in own.values()):  # noqa: PLR2004  several features
        return
    names = ", ".join(shortened(name, 40) for name in list(own)[:_MOST_NAMES]) + (
        ", …" if len(own) > _MOST_NAMES else ""
    )
    what = f"no weights are given, so each of the {len(own)} features has weight 1 ({names})"
    _UNWEIGHTED.write(place, f'{what}; give weights="NAME=NUMBER", or weights="FILE" with the decoder\'s weights')
