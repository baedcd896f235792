"""The oracles that kernels find in many lattices, as columns. Objects are made when somebody needs them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from latticemetric.cached import cached_property
from latticemetric.corpus.occurrences import Occurrence, Occurrences
from latticemetric.display.record_columns import Column, Floats, Integers, ListColumn, TextColumn, WholeColumn
from latticemetric.metrics.alignment import Alignment
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.oracle_search.scored_path import Oracle, ScoredPath

COLUMNS = {"lm": 1.0, "acoustic": 1.0}
"""The score columns of the lattices, and the own weight of each."""


class PathColumns(NamedTuple):
    """Paths of lattices: arcs, words with blanks between them, and costs (under the weights, then of each column)."""

    arcs: ListColumn
    words: TextColumn
    costs: Floats

    @classmethod
    def of(cls, columns: Any) -> Self:
        """Take what the kernel returns."""
        arcs, begin, text, costs = columns
        return cls(ListColumn(arcs, begin), TextColumn(*text), costs.reshape(len(begin) - 1, 1 + len(COLUMNS)))


class ScoreColumns(NamedTuple):
    """Scores of paths: the number of the best reference, the edits of the alignment, and their counts."""

    reference: npt.NDArray[np.int32]
    edits: TextColumn
    counts: Integers

    @classmethod
    def of(cls, columns: Any, order: int) -> Self:
        """Take what the kernel returns for a rate of this order."""
        reference, edits, counts = columns
        return cls(reference, TextColumn(*edits), counts.reshape(len(reference), 2 * order + 3))


class SearchedLattices(NamedTuple):
    """Lattices that were searched together.

    Attributes:
        names: Their ids.
        places: The file and line of each.
        references: Their references.
        words: The words of those whose oracle by a rate matches less than half of its reference.
    """

    names: list[str]
    places: list[str]
    references: Sequence[Sequence[tuple[str, ...]]]
    words: TextColumn


class FoundOracles:
    """The oracles of many lattices by a rate, with their 1-bests.

    Attributes:
        rate: The rate.
        lattices: The lattices.
    """

    def __init__(
        self,
        rate: GRR,
        lattices: SearchedLattices,
        paths: Sequence[PathColumns],
        scores: Sequence[ScoreColumns],
    ) -> None:
        """Take the lattices; and the paths and scores of the oracles, then of the 1-bests."""
        self.rate, self.lattices, self._references = rate, lattices, lattices.references
        (self._oracles, self._one_best), (self._oracle_scores, self._one_best_scores) = paths, scores

    @classmethod
    def of(cls, rate: GRR, lattices: SearchedLattices, one_best: Any, columns: Any) -> Self:
        """Take what the kernel returns for lattices: the 1-bests; and by the rate, oracles and scores of both."""
        oracles, *scores = columns
        paths = [PathColumns.of(one) for one in (oracles, one_best)]
        return cls(rate, lattices, paths, [ScoreColumns.of(one, rate.order) for one in scores])

    def __len__(self) -> int:
        return len(self.lattices.names)

    @cached_property
    def _is_poor(self) -> npt.NDArray[np.bool_]:
        """True for oracles that match less than half of the words of their references."""
        poor: npt.NDArray[np.bool_] = 2 * self._oracle_scores.counts[:, 0] < self._reference_words
        return poor

    @cached_property
    def _reference_words(self) -> Integers:
        """The number of words of the best reference of each oracle."""
        return np.fromiter(map(len, self._best_references()), np.int64, len(self))

    @cached_property
    def _reference_texts(self) -> list[str]:
        """The words of the best reference of each oracle, with blanks between them."""
        return list(map(" ".join, self._best_references()))

    def _best_references(self) -> list[tuple[str, ...]]:
        chosen = self._oracle_scores.reference.tolist()
        return [references[number] for references, number in zip(self._references, chosen, strict=True)]

    def sums(self, rows: Sequence[int]) -> tuple[RecognitionStatistics, RecognitionStatistics]:
        """Return the summed statistics of some oracles and of their 1-bests."""
        chosen = slice(rows[0], rows[-1] + 1) if len(rows) == rows[-1] + 1 - rows[0] else np.asarray(rows)
        best, one_best = (
            RecognitionStatistics.of_columns(scores.counts[chosen].sum(axis=0).tolist())
            for scores in (self._oracle_scores, self._one_best_scores)
        )
        return best, one_best

    def add_occurrences(self, rows: Sequence[int], occurrences: Occurrences) -> None:
        """Add up the reference words that occur in some lattices."""
        chosen = np.asarray(rows)
        poor = chosen[self._is_poor[chosen]]
        occurrences.add(int(self._reference_words[chosen].sum() - self._reference_words[poor].sum()), None)
        for row in poor.tolist():
            occurrences.add(0, self.occurrence(row))

    # ---- One lattice ----

    def occurrence(self, row: int) -> Occurrence | None:
        """Return the counts of the reference words in a lattice; see `Occurrence.of`."""
        if not self._is_poor[row]:
            return None
        expected = list(chain.from_iterable(self._references[row]))
        return Occurrence.in_words(set(self.lattices.words.at(row).split(" ")) - {""}, expected)

    def oracle(self, row: int) -> Oracle:
        """Return the oracle of a lattice."""
        references = self._references[row]
        one_best = ScoredPath(**self._path(self._one_best, self._one_best_scores, row))
        path = self._path(self._oracles, self._oracle_scores, row)
        return Oracle(**path, one_best=one_best, exact=True, signature=self.rate.signature_text(len(references)))

    def _path(self, paths: PathColumns, scores: ScoreColumns, row: int) -> dict[str, Any]:
        """Return the fields of a scored path."""
        statistics = RecognitionStatistics.of_columns(scores.counts[row].tolist())
        score, numerator, denominator = self.rate.parts(statistics)
        text, reference = paths.words.at(row), self._references[row][scores.reference[row]]
        words = tuple(text.split(" ")) if text else ()
        cost, *of_columns = paths.costs[row].tolist()
        return {
            "words": words,
            "score": score,
            "numerator": numerator,
            "denominator": denominator,
            "statistics": statistics,
            "cost": cost,
            "scores": dict(zip(COLUMNS, of_columns, strict=True)),
            "arcs": tuple(paths.arcs.at(row)),
            "edges": (),
            "derivation": None,
            "alignment": Alignment(self.rate.counted(words), self.rate.counted(reference), scores.edits.at(row)),
            "reference": reference,
        }

    # ---- All lattices ----

    @cached_property
    def is_written(self) -> npt.NDArray[np.bool_]:
        """True for lattices whose `fields` are those of their records.

        Their numbers are finite, and doubles hold them; and no word of the reference has a space.
        """
        scores = self._oracle_scores, self._one_best_scores
        if not all(self.rate.are_exact_in_doubles(one.counts) for one in scores):
            return np.zeros(len(self), dtype=np.bool_)
        costs = np.concatenate([self._oracles.costs, self._one_best.costs], axis=1)
        spaces = np.fromiter((text.count(" ") for text in self._reference_texts), np.int64, len(self))
        written: npt.NDArray[np.bool_] = np.isfinite(costs).all(axis=1) & (
            spaces < np.maximum(self._reference_words, 1)
        )
        return written

    def fields(self) -> dict[str, Any]:
        """Return the fields of the records as `OracleTable.record_of` gives them, but without the id."""
        order, counts = self.rate.order, self._oracle_scores.counts
        matches = np.ascontiguousarray(counts[:, :order]).reshape(-1)
        costs = self._finite_costs(self._oracles)
        return {
            **self._fields_of(self._oracles, self._oracle_scores),
            "ngram_matches": ListColumn(matches, np.arange(0, len(matches) + 1, order)),
            "reference": self._reference_texts,
            "exact": True,
            "scores": {name: np.ascontiguousarray(costs[:, k]) for k, name in enumerate(COLUMNS, start=1)},
            "arcs": self._oracles.arcs,
            "one_best": self._fields_of(self._one_best, self._one_best_scores),
            "alignment": self._oracle_scores.edits,
        }

    def _fields_of(self, paths: PathColumns, scores: ScoreColumns) -> dict[str, Column]:
        order, counts = self.rate.order, scores.counts
        score, numerator, denominator = self.rate.columns_of_parts(counts)
        return {
            "score": score,
            "numerator": WholeColumn(numerator),
            "denominator": denominator,
            "hypothesis": paths.words,
            "cost": np.ascontiguousarray(self._finite_costs(paths)[:, 0]),
            "matches": counts[:, 0],
            "substitutions": counts[:, order],
            "deletions": counts[:, order + 1],
            "insertions": counts[:, order + 2],
        }

    @staticmethod
    def _finite_costs(paths: PathColumns) -> Floats:
        return np.where(np.isfinite(paths.costs), paths.costs, 0.0)


class OracleRow(NamedTuple):
    """The oracle of one of many lattices."""

    found: FoundOracles
    number: int

    @property
    def name(self) -> str:
        """The id of the lattice."""
        return self.found.lattices.names[self.number]

    @property
    def where(self) -> str:
        """The file and line of the lattice."""
        return self.found.lattices.places[self.number]

    def oracle(self) -> Oracle:
        """Return the oracle."""
        return self.found.oracle(self.number)

    def occurrence(self) -> Occurrence | None:
        """Return the counts of the reference words in the lattice; see `Occurrence.of`."""
        return self.found.occurrence(self.number)
