"""Convert forests for text formats: features to and from score columns, texts of labels, a single goal."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from latticemetric.errors import FormatError, InputError, UsageError, shortened
from latticemetric.forest.columns import Ragged
from latticemetric.forest.forest import Forest, NodeLabels
from latticemetric.formats.columns import require_dense, require_labels, to_lattice
from latticemetric.formats.text.fields import number
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Column, Labels
from latticemetric.vocabulary import split_words

_MOST_CACHED = 100_000


class Features:
    """Collect named log probabilities of edges as score columns; costs are the negated values."""

    def __init__(self) -> None:
        self._columns: dict[str, int] = {}
        self._cached: dict[str, tuple[int, float]] = {}
        self._edge, self._column, self._cost = array("q"), array("q"), array("d")

    def add(self, edge: int, name: str, value: float) -> None:
        """Add the value of a feature of an edge."""
        self._edge.append(edge)
        self._column.append(self._columns.setdefault(name, len(self._columns)))
        self._cost.append(0.0 - value)

    def add_fields(self, edge: int, fields: Sequence[str], file: str, line: int) -> None:
        """Add the features `name=value` of an edge; split each at the last equals sign."""
        cached = self._cached
        for field in fields:
            column, cost = cached.get(field) or self._parsed(field, f"{file}:{line}")
            self._column.append(column)
            self._cost.append(cost)
        self._edge.extend([edge] * len(fields))

    def _parsed(self, field: str, place: str) -> tuple[int, float]:
        name, equals, value = field.rpartition("=")
        if not name or not equals:
            raise FormatError(f"'{shortened(field, 40)}' is not a feature", where=place, advice="write name=value")
        if len(self._cached) >= _MOST_CACHED:
            self._cached.clear()
        cost = 0.0 - number(value, place)
        self._cached[field] = self._columns.setdefault(name, len(self._columns)), cost
        return self._cached[field]

    def columns(
        self, edges: int, size: int, place: Callable[[int], str], goals: int = 1, scale: float = 1.0
    ) -> dict[str, Column]:
        """Return a column per name, 0 for edges without it; the text's `size` limits the size of the columns."""
        names = list(self._columns)
        require_dense(len(names), edges, size)
        edge, column = (np.array(part, dtype=np.int64) for part in (self._edge, self._column))
        cells = column * edges + edge
        order = np.argsort(cells, kind="stable")
        twice = np.flatnonzero(np.diff(cells[order]) == 0)
        if len(twice):
            at = int(order[twice + 1].min())
            name = shortened(names[column[at]], 40)
            raise FormatError(f"feature '{name}' appears twice", where=place(int(edge[at])))
        table = np.zeros((len(names), edges))
        table[column, edge] = np.array(self._cost, dtype=np.float64)
        return {name: Column(row, np.zeros(goals), scale) for name, row in zip(names, table, strict=True)}


def forest_to_write(
    graph: Graph, format_name: str, labels: Iterable[str] = (), node_labels: Iterable[str] = ()
) -> Forest:
    """Return the graph as a forest; refuse labels that the format cannot hold."""
    forest = graph if isinstance(graph, Forest) else Forest.from_lattice(to_lattice(graph))
    require_labels(forest, format_name, set(labels))
    if lost := set(forest.node_labels) - set(node_labels):
        raise UsageError(
            f"{format_name} has no place for the labels of nodes ({', '.join(sorted(lost))})",
            advice="leave them out with --drop-labels",
        )
    return forest


def with_one_goal(forest: Forest) -> Forest:
    """Return the same derivations with a single goal: the last node, without words and costs."""
    if len(forest.goals) == 1 and not goals_have_values(forest):
        return forest
    top, goals = forest.num_nodes, len(forest.goals)
    nothing = np.zeros(1, dtype=np.int32)
    return Forest.from_edges(
        np.concatenate([forest.head, np.full(goals, top, dtype=np.int32)]),
        _followed(forest.tails, forest.goals),
        _followed(forest.target, np.full(goals, -1, dtype=np.int32)),
        goals=[top],
        scores={n: Column(np.concatenate([c.arc, c.final]), np.zeros(1), c.scale) for n, c in forest.scores.items()},
        vocabulary=forest.vocabulary,
        labels={n: Labels(np.concatenate([x.arc, x.final]), nothing, x.vocabulary) for n, x in forest.labels.items()},
        node_labels={n: NodeLabels(np.append(x.node, nothing), x.vocabulary) for n, x in forest.node_labels.items()},
    )


def goals_have_values(forest: Forest) -> bool:
    """Check whether goals have costs or labels."""
    sides: list[Column | Labels] = [*forest.scores.values(), *forest.labels.values()]
    return any(side.final.any() for side in sides)


def _followed(rows: Ragged, values: npt.NDArray[np.int32]) -> Ragged:
    """Append one row for each value; the row holds only that value."""
    more = rows.begin[-1] + np.arange(1, len(values) + 1)
    return Ragged(np.concatenate([rows.begin, more]), np.concatenate([rows.values, values]))


def features_of(forest: Forest, leave_out: str | None = None) -> Iterator[list[tuple[str, float]]]:
    """Yield each edge's features that are not 0; for the first edge, yield all, so that no column is lost."""
    columns = [(name, (0.0 - c.arc).tolist()) for name, c in forest.scores.items() if name != leave_out]
    for edge in range(len(forest.head)):
        yield [(name, values[edge]) for name, values in columns if edge == 0 or values[edge]]


def texts_of(labels: Labels | NodeLabels | None, length: int) -> list[str]:
    """Return the texts of edges or nodes; without labels, return `length` empty texts."""
    if labels is None:
        return [""] * length
    numbers = labels.arc if isinstance(labels, Labels) else labels.node
    return [labels.vocabulary.word(n) for n in numbers.tolist()]


def spelling_of(forest: Forest, check: Callable[[str], str]) -> dict[int, str]:
    """Return the words of a forest by number; check each word once."""
    words = np.unique(forest.target.values[forest.target.values > 0]).tolist()
    return {number: check(forest.vocabulary.word(number)) for number in words}


def plain_field(text: str, what: str) -> str:
    """Return the text if it is one field between |||; refuse other texts."""
    if split_words(text) != [text] or "|||" in text:
        raise InputError(
            f"{what} {shortened(text, 40)!r} cannot be written: it is empty, or holds white space or |||",
            advice="write another format",
        )
    return text
