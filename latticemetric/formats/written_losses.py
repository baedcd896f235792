"""Say what a format does not hold of the graphs that are written to it: their ids, or the order of their paths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from latticemetric.errors import shortened
from latticemetric.formats.registry import Format
from latticemetric.formats.streams.stream import warn
from latticemetric.graph import Graph
from latticemetric.lattice.columns import Costs
from latticemetric.lattice.lattice import Lattice

_MOST_DIGITS = 18


class Losses:
    """The losses of graphs that are written as files of a format.

    Args:
        target: The file, or the folder with `/` at its end.
        written: The format.
    """

    def __init__(self, target: str, written: Format) -> None:
        self._target, self._format = target, written
        self._keeps_ids = written.has_ids or written.single or target.endswith("/")
        self._lost: str | None = None
        self._changed: list[str] = []

    def watched(self, graphs: Iterable[tuple[str, Graph]]) -> Iterator[tuple[str, Graph]]:
        """Yield the graphs."""
        if self._keeps_ids and not self._format.rounds:
            yield from graphs
            return
        expected = None
        for position, (name, graph) in enumerate(graphs, start=1):
            number = int(name) if name.isdecimal() and len(name) <= _MOST_DIGITS else None
            is_named_by_file = position == 1 and name == Path(self._target).name.partition(".")[0]
            if self._lost is None and not is_named_by_file and (number is None or expected not in (None, number)):
                self._lost = name
            expected = None if number is None else number + 1
            if self._format.rounds and _is_changed_by_rounding(graph):
                self._changed.append(name)
            yield name, graph

    def note(self) -> None:
        """Note what was lost."""
        if self._lost is not None and not self._keeps_ids:
            what = f"{self._format.name} holds no ids, so '{shortened(self._lost)}' is lost"
            warn(self._target, f"{what}; a folder (NAME/) keeps ids as names of files")
        if self._changed:
            others = f" and of {len(self._changed) - 1} more" if len(self._changed) > 1 else ""
            what = f"which changes the best path of '{shortened(self._changed[0])}'{others}"
            warn(self._target, f"{self._format.name} rounds costs to 32 bits, {what}; openfst-text and plf do not")


def _is_changed_by_rounding(graph: Graph) -> bool:
    """Check whether the best path has other words if the costs are rounded to 32 bits."""
    if not isinstance(graph, Lattice) or len(graph.scores) != 1:
        return False
    cost = graph.cost()
    with np.errstate(over="ignore"):
        arc, final = (values.astype(np.float32).astype(np.float64) for values in cost)
    if np.array_equal(arc, cost.arc) and np.array_equal(final, cost.final):
        return False
    if not np.isfinite(arc).all():
        return False  # the writer refuses this graph
    return graph.words(graph.best_path(cost)) != graph.words(graph.best_path(Costs(arc, final)))
