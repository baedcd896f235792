"""The statistics of strings; each string is scored once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from latticemetric.lattice.columns import Floats
from latticemetric.metrics.base import Metric, References, Table
from latticemetric.tuning.cells import String


class ScoredStrings:
    """The statistics of strings of graphs, as they are asked for."""

    def __init__(
        self, references: Sequence[References], metric: Metric[Any], counted: Callable[[String], String]
    ) -> None:
        """Score nothing yet.

        Args:
            references: The references of each graph.
            metric: The metric.
            counted: Returns the words of a string that count.
        """
        self.metric = metric
        self._references, self._counted = references, counted
        self._known: list[dict[String, Floats]] = [{} for _ in references]

    def rows(self, strings: Sequence[Sequence[String]], numbers: Iterable[int] | None = None) -> list[Table]:
        """Return the statistics of the strings of each graph, a row a string; graphs have these numbers, or all."""
        chosen = range(len(strings)) if numbers is None else list(numbers)
        new = [
            [text for text in dict.fromkeys(several) if text not in self._known[number]]
            for number, several in zip(chosen, strings, strict=True)
        ]
        for batch in self._batches(dict(zip(chosen, new, strict=True))):
            texts = [self._counted(text) for _, text in batch]
            table = self.metric.table(texts, [self._references[number] for number, _ in batch])
            for (number, text), row in zip(batch, table, strict=True):
                self._known[number][text] = row
        return [
            np.array([known[text] for text in several])
            for known, several in zip(map(self._known.__getitem__, chosen), strings, strict=True)
        ]

    def _batches(self, new: dict[int, list[String]]) -> Iterable[list[tuple[int, String]]]:
        """Yield strings to be scored together: all; or one of each graph, if each row depends on all references."""
        if not self.metric.weighs_by_references:
            if any(new.values()):
                yield [(number, text) for number, texts in new.items() for text in texts]
            return
        for turn in range(max(map(len, new.values()), default=0)):
            yield [(number, self._at(new, number, turn)) for number in range(len(self._references))]

    def _at(self, new: dict[int, list[String]], number: int, turn: int) -> String:
        """Return a string of a graph; if it has none left that is new, any."""
        texts = new.get(number) or [()]
        return texts[min(turn, len(texts) - 1)]
