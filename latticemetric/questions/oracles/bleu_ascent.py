"""The ascent to a corpus's oracle by BLEU: one graph after the other says what makes the whole better."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from latticemetric.automata.reference_ngrams import ReferenceNgrams
from latticemetric.lattice import Floats, Scales
from latticemetric.metrics.bleu import BLEU
from latticemetric.questions.decoding.ngram_gain import ExactGains
from latticemetric.questions.longest_string import longest_string
from latticemetric.questions.oracles.bleu_gain import BleuGain, BleuObjective
from latticemetric.questions.oracles.cheapest_strings import cheapest_paths, has_few_paths
from latticemetric.questions.oracles.scored_path import ScoredPath
from latticemetric.questions.oracles.searched import Path, Searched

# How much of the brevity penalty a word is taken to make up for. Where the best length is that of the references, which
# is where the penalty sets in, no one slope finds it. A few shares as long as they move something, then more of them.
_FEW_SHARES, _MANY_SHARES = (0.0, 0.5, 1.0), (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)

# How often a graph is searched again after its answer matched n-grams more often than counts.
_FEW_ROUNDS, _MANY_ROUNDS = 3, 6

# All strings of a graph are tried where it has no more paths than this.
MOST_TRIED = 1000

# What is better by less may be rounding, and would not end.
_LEAST_STEP = 1e-12


class Member:
    """A graph of the corpus with its references."""

    def __init__(
        self, searched: Searched, references: Sequence[tuple[str, ...]], order: int, scales: Scales | None
    ) -> None:
        self.searched, self._references, self._scales = searched, references, scales
        self.is_small = has_few_paths(searched.graph, MOST_TRIED)
        self._longest = longest_string(searched.graph)
        self._counted = [searched.metric.counted(words) for words in references]
        self._ngrams = ReferenceNgrams.of([searched.vocabulary.encode(words) for words in self._counted], order)

    def oracle(self) -> Path:
        """The path of the best recognition rate."""
        searched = self.searched
        return min((searched.best(words, "auto") for words in self._references), key=searched.preference).path

    def scored(self, path: Path) -> ScoredPath:
        """A path as the recognition rate scores it."""
        return self.searched.scored(path, self._references)

    def row(self, metric: BLEU, path: Path) -> Floats:
        """The statistics of a path."""
        row: Floats = self.rows(metric, [path])[0]
        return row

    def rows(self, metric: BLEU, paths: Sequence[Path]) -> Floats:
        """The statistics of some paths, a row each."""
        return metric.table(list(map(self.searched.reported, paths)), [self._counted] * len(paths))

    def all_paths(self) -> list[Path]:
        """The cheapest path of each string that a small graph says, the cheapest of all first."""
        return cheapest_paths(self.searched.graph, MOST_TRIED, ignore=self.searched.metric.ignore, scales=self._scales)

    def best(self, gain: BleuGain, share: float, weight: Floats | None = None) -> Path:
        """The path whose n-grams gain most, each as often as it stands there, times a weight."""
        gains = gain.of_match[self._ngrams.length] * (1.0 if weight is None else weight)
        word = gain.of_word(share)
        largest = max(self._longest, 1) * (math.fsum(gain.of_match) + abs(word))
        return self.searched.best_by_ngrams(self._ngrams, ExactGains.of(gains, word, largest))

    def proposals(self, gain: BleuGain, shares: Sequence[float], rounds: int) -> Iterator[Path]:
        """Paths that may gain most.

        Matches beyond what a reference has do not count, which no sum over a path can say: where a path has them, it
        is searched again with gains so much smaller that all its matches together gain what counts of them.
        """
        for share in shares:
            weight = np.ones(len(self._ngrams.most))
            for _ in range(rounds):
                path = self.best(gain, share, weight)
                yield path
                counts = self.counts(path)
                beyond = counts > self._ngrams.most
                if not beyond.any():
                    break
                weight[beyond] *= self._ngrams.most[beyond] / counts[beyond]

    def counts(self, path: Path) -> Floats:
        """How often a path matches each n-gram; the empty one is none."""
        return self._ngrams.counts_in(self.searched.vocabulary.encode(self.searched.reported(path))).astype(np.float64)

    def gain(self, path: Path, gain: BleuGain, share: float, *, clipped: bool) -> float:
        """What a path gains, to first order."""
        counts = self.counts(path)
        if clipped:
            counts = np.minimum(counts, self._ngrams.most)
        words = len(self.searched.reported(path))
        return float(counts @ gain.of_match[self._ngrams.length]) + gain.of_word(share) * words


class _Step(NamedTuple):
    """A better path for one graph."""

    value: float
    row: Floats
    path: Path


class Ascent:
    """A path for each graph, and the totals of all."""

    def __init__(self, metric: BLEU, members: Sequence[Member], paths: Sequence[Path]) -> None:
        self._metric, self._members, self.paths = metric, members, list(paths)
        rows = [member.row(metric, path) for member, path in zip(members, paths, strict=True)]
        self.rows = np.array(rows).reshape(len(rows), len(metric.columns))
        self._objective = BleuObjective(metric)
        self._value = self._objective(self.totals)

    @property
    def totals(self) -> Floats:
        """The statistics of the corpus."""
        totals: Floats = self.rows.sum(axis=0)
        return totals

    def climb(self) -> int:
        """Goes through all graphs until nothing moves; how often it did."""
        sweeps = self._climb_by(partial(self._proposed, _FEW_SHARES, _FEW_ROUNDS))
        while True:
            sweeps += self._climb_by(partial(self._proposed, _MANY_SHARES, _MANY_ROUNDS))
            tried = self._climb_by(self._listed) if any(member.is_small for member in self._members) else 0
            sweeps += tried
            if tried <= 1:  # no string of a small graph makes it better
                return sweeps

    def _climb_by(self, step: Callable[[int], _Step | None]) -> int:
        """Goes through all graphs by one kind of step until nothing moves; how often it did."""
        sweeps, moved = 0, True
        while moved and self._value < 1:
            moved = self._sweep(step)
            sweeps += 1
        return sweeps

    def headroom(self, k: int) -> float:
        """How much more a path of graph k could gain, to first order: by what it gains without clipping at most."""
        gain = BleuGain.around(self._metric, self.totals)
        share, member = float(gain.too_short), self._members[k]
        most = member.gain(member.best(gain, share), gain, share, clipped=False)
        return max(0.0, most - member.gain(self.paths[k], gain, share, clipped=True))

    def _sweep(self, step_of: Callable[[int], _Step | None]) -> bool:
        moved = False
        for k in range(len(self._members)):
            step = step_of(k)
            if step is not None:
                self._value, self.rows[k], self.paths[k] = step
                moved = True
        return moved

    def _listed(self, k: int) -> _Step | None:
        """The best of all paths of a small graph, if it is better."""
        member = self._members[k]
        if not member.is_small:
            return None
        paths = member.all_paths()
        rows = member.rows(self._metric, paths)
        values = self._objective.each(self.totals - self.rows[k] + rows)
        best = int(np.argmax(values))
        value = float(values[best])
        return _Step(value, rows[best], paths[best]) if value > self._value + _LEAST_STEP else None

    def _proposed(self, shares: Sequence[float], rounds: int, k: int) -> _Step | None:
        """The best of the paths that may gain most, if it is better."""
        gain = BleuGain.around(self._metric, self.totals)
        return self._best_step(k, self._members[k].proposals(gain, shares, rounds))

    def _best_step(self, k: int, proposals: Iterator[Path]) -> _Step | None:
        best, value = None, self._value
        others = self.totals - self.rows[k]
        for path in proposals:
            row = self._members[k].row(self._metric, path)
            reached = self._objective(others + row)
            if reached > value + _LEAST_STEP:
                best, value = _Step(reached, row, path), reached
        return best
