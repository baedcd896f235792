"""Functions that all formats of forests use: convert features to and from columns, list labels, merge goals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from latticemetric.errors import InputError, UsageError, shortened
from latticemetric.forest.columns import Ragged
from latticemetric.forest.forest import Forest, NodeLabels
from latticemetric.formats.columns import require_labels, to_lattice
from latticemetric.formats.marks import without_mark_labels
from latticemetric.graph import Graph
from latticemetric.lattice.columns import Column, Labels, frozen
from latticemetric.vocabulary import Vocabulary, distinct_words, split_words


def forest_of(parts: dict[str, Any], node_name: Callable[[int], str] = "node {}".format) -> Forest:
    """Build a forest from the arrays that a native parser returns; `node_name` names a node in errors."""
    goals = len(parts["goals"])
    scores = {
        # The first column is the total, if there is one: give it weight 1, and the other columns weight 0.
        name: Column(frozen(costs), np.zeros(goals), float(column == 0 or not parts["has_total"]))
        for column, (name, costs) in enumerate(parts["scores"].items())
    }
    labels = {
        name: Labels(numbers, np.zeros(goals, dtype=np.int32), Vocabulary.from_words(texts))
        for name, (numbers, texts) in parts["labels"].items()
    }
    return Forest.from_edges(
        parts["head"],
        Ragged(*parts["tails"]),
        Ragged(*parts["target"]),
        goals=parts["goals"],
        scores=scores,
        vocabulary=Vocabulary.from_words(parts["words"]),
        labels=labels,
        node_labels={
            name: NodeLabels(numbers, Vocabulary.from_words(texts))
            for name, (numbers, texts) in parts["node_labels"].items()
        },
        node_name=node_name,
    )


def forest_to_write(
    graph: Graph, format_name: str, labels: Iterable[str] = (), node_labels: Iterable[str] = ()
) -> Forest:
    """Return the graph as a forest; refuse labels that the format cannot hold."""
    forest = graph if isinstance(graph, Forest) else Forest.from_lattice(without_mark_labels(to_lattice(graph)))
    require_labels(forest, format_name, set(labels))
    if lost := set(forest.node_labels) - set(node_labels):
        raise UsageError(
            f"{format_name} cannot store the labels of nodes ({', '.join(sorted(lost))})",
            advice="leave them out with Corpus.converted(drop_labels=True)",
        )
    return forest


def with_one_goal(forest: Forest) -> Forest:
    """Return a forest with the same derivations and a single goal without costs and labels; add a goal if needed."""
    if len(forest.goals) == 1 and not goals_have_values(forest):
        return forest
    top, goals = forest.num_nodes, len(forest.goals)
    nothing = np.zeros(1, dtype=np.int32)
    return Forest.from_edges(
        np.concatenate([forest.head, np.full(goals, top, dtype=np.int32)]),
        _with_rows(forest.tails, forest.goals),
        _with_rows(forest.target, np.full(goals, -1, dtype=np.int32)),
        goals=[top],
        scores={n: Column(np.concatenate([c.arc, c.final]), np.zeros(1), c.weight) for n, c in forest.scores.items()},
        vocabulary=forest.vocabulary,
        labels={n: Labels(np.concatenate([x.arc, x.final]), nothing, x.vocabulary) for n, x in forest.labels.items()},
        node_labels={n: NodeLabels(np.append(x.node, nothing), x.vocabulary) for n, x in forest.node_labels.items()},
    )


def goals_have_values(forest: Forest) -> bool:
    """Check whether goals have costs or labels."""
    sides: list[Column | Labels] = [*forest.scores.values(), *forest.labels.values()]
    return any(side.final.any() for side in sides)


def _with_rows(rows: Ragged, values: npt.NDArray[np.int32]) -> Ragged:
    """Append new rows: for each of `values`, a row that holds only this value."""
    more = rows.begin[-1] + np.arange(1, len(values) + 1)
    return Ragged(np.concatenate([rows.begin, more]), np.concatenate([rows.values, values]))


def features_of(forest: Forest, leave_out: str | None = None) -> Iterator[list[tuple[str, float]]]:
    """Yield the nonzero features of each edge; for the first edge, yield all features, so that no column is lost."""
    columns = [(name, (0.0 - c.arc).tolist()) for name, c in forest.scores.items() if name != leave_out]
    for edge in range(len(forest.head)):
        yield [(name, values[edge]) for name, values in columns if edge == 0 or values[edge]]


def texts_of(labels: Labels | NodeLabels | None, length: int) -> list[str]:
    """Return the texts of edges or nodes; if `labels` is `None`, return `length` empty texts."""
    if labels is None:
        return [""] * length
    numbers = labels.arc if isinstance(labels, Labels) else labels.node
    return labels.vocabulary.words(numbers)


def spelling_of(forest: Forest, check: Callable[[str], str]) -> dict[int, str]:
    """Map the word numbers of a forest to words; pass each word through `check`, which may raise an error."""
    words = distinct_words(forest.target.values).tolist()
    return {number: check(forest.vocabulary.word(number)) for number in words}


def plain_field(text: str, what: str) -> str:
    """Return the text; raise an error if it is empty, or holds white space or |||."""
    if split_words(text) != [text] or "|||" in text:
        raise InputError(
            f"{what} {shortened(text, 40)!r} cannot be written: it is empty, or holds white space or |||",
            advice="write another format",
        )
    return text
