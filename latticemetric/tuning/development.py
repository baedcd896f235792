"""A development set: what n-gram MBR answers to its graphs under any setting, and what that scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from latticemetric.errors import UsageError
from latticemetric.metrics.base import Metric, References, Table, references_of
from latticemetric.questions.decoding.ngram_gain import GainParameters
from latticemetric.questions.decoding.ngram_mbr import NgramMBR
from latticemetric.questions.distributions.ngram_posteriors import NgramPosteriors

String = tuple[str, ...]

# N-grams whose posteriors are kept for the next settings of the same scale: some 40 bytes each.
_MOST_KEPT = 10_000_000


class Development:
    """Graphs with references. Posteriors are computed once a scale and order, every distinct answer is scored once."""

    def __init__(
        self,
        asked: Sequence[NgramMBR],
        references: Sequence[References],
        metric: Metric[Any],
        ignore: Iterable[str] = (),
    ) -> None:
        if len(asked) != len(references):
            raise UsageError(f"there are {len(asked)} graphs and references of {len(references)}")
        if not asked:
            raise UsageError("there are no graphs to tune on")
        self.metric = metric
        self._asked, self._ignored = asked, frozenset(ignore)
        self.references = [tuple(map(self._counted_words, references_of(several))) for several in references]
        self._posteriors: dict[tuple[int, float, int], NgramPosteriors] = {}
        self._kept = 0
        self._rows: list[dict[String, Table]] = [{} for _ in asked]

    def tables(self, settings: Sequence[GainParameters]) -> list[Table]:
        """The metric's statistics of the answers under each setting, a row a graph."""
        answers: list[list[String]] = [[] for _ in settings]
        in_scales = sorted(range(len(settings)), key=lambda k: (settings[k].scale, settings[k].order))
        for number, asked in enumerate(self._asked):
            for _, chosen in groupby(in_scales, key=lambda k: (settings[k].scale, settings[k].order)):
                alike = list(chosen)
                posteriors = self._posteriors_of(number, settings[alike[0]])
                for k in alike:
                    answers[k].append(self._counted_words(asked.string(posteriors, settings[k])))
        self._score(answers)
        return [self._table(strings) for strings in answers]

    def one_best(self) -> Table:
        """The statistics of the model's own best strings."""
        strings = [self._counted_words(asked.one_best) for asked in self._asked]
        self._score([strings])
        return self._table(strings)

    def _posteriors_of(self, number: int, setting: GainParameters) -> NgramPosteriors:
        key = (number, setting.scale, setting.order)
        if key in self._posteriors:
            return self._posteriors[key]
        found = self._asked[number].posteriors(setting.scale, setting.order)
        if self._kept + len(found) <= _MOST_KEPT:
            self._kept += len(found)
            self._posteriors[key] = found
        return found

    def _score(self, answers: Sequence[Sequence[String]]) -> None:
        """Makes rows of strings that have none yet.

        A table is always made of all graphs at once, since a metric may weigh by the references of the whole set.
        """
        new = [
            [string for string in dict.fromkeys(strings) if string not in rows]
            for rows, strings in zip(self._rows, zip(*answers, strict=True), strict=True)
        ]
        for turn in range(max(map(len, new))):
            said = [strings[turn] if turn < len(strings) else _any(strings, rows) for strings, rows in self._pairs(new)]
            table = self.metric.table(said, self.references)
            for rows, string, row in zip(self._rows, said, table, strict=True):
                rows[string] = row

    def _pairs(self, new: Sequence[list[String]]) -> Iterable[tuple[list[String], Mapping[String, Table]]]:
        return zip(new, self._rows, strict=True)

    def _table(self, strings: Sequence[String]) -> Table:
        return np.stack([rows[string] for rows, string in zip(self._rows, strings, strict=True)])

    def _counted_words(self, words: Iterable[str]) -> String:
        return tuple(word for word in words if word not in self._ignored)


def _any(strings: Sequence[String], rows: Mapping[String, Table]) -> String:
    """A string of which a row is at hand, for a graph that has no new one."""
    return strings[0] if strings else next(iter(rows))
