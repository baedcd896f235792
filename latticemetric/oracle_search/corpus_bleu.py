"""Find the oracle of a whole corpus by BLEU. BLEU is not a sum over sentences, so the search is iterative.

log BLEU = 1/n · Σ_k log(m_k / g_k) + min(0, 1 − ρ/c), k = 1 … n. The whole corpus has m_k matching k-grams, g_k
k-grams, c words, and ρ reference words (the effective reference length).

The search uses a linear approximation at the current counts. A matching k-gram adds 1 / (n m_k). A word subtracts
Σ_k 1 / (n g_k), and adds ρ/c² if the corpus is too short. (Tromble et al. 2008 use average counts instead.) The search
visits each graph, and changes its path if the change improves the BLEU of the corpus.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from latticemetric.automata.reference import ReferenceNgrams
from latticemetric.engine.native import ExactGains
from latticemetric.errors import UsageError
from latticemetric.forest.forest import Forest
from latticemetric.frozen import Result
from latticemetric.graph import Graph
from latticemetric.lattice.columns import Floats, Steps, Weights
from latticemetric.lattice.lattice import Lattice
from latticemetric.metrics.base import CorpusScore, GraphReferences, Table, Tally
from latticemetric.metrics.bleu import BLEU, BLEUSBP
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.registry import make_metric
from latticemetric.oracle_search.reference_strings import strings_of_references
from latticemetric.oracle_search.scored_path import ScoredPath
from latticemetric.oracle_search.search_space import SearchSpace, as_search_space

# Matches to assume if the corpus has none at an order: with 0, the gain of the first match would be infinite.
_FEWEST = 0.5


@dataclass(frozen=True)
class BleuGain:
    """The derivatives of log BLEU with respect to the number of matches of each order, and to the number of words.

    The derivative with respect to words has two parts, `of_ngrams` and `of_length`.

    Attributes:
        of_match: The derivatives with respect to matches, by order; the value for order 0 is 0.
        of_ngrams: The derivative of the precisions; negative, since more words make more n-grams.
        of_length: The derivative of the brevity penalty; also computed if the corpus is long enough to have no penalty.
        too_short: True if the corpus is shorter than the references.
    """

    of_match: Floats
    of_ngrams: float
    of_length: float
    too_short: bool

    @classmethod
    def around(cls, metric: BLEU, totals: Floats) -> BleuGain:
        """Compute the derivatives of log BLEU at these totals (summed statistics)."""
        n = metric.order
        matches, ngrams = np.maximum(totals[:n], _FEWEST), np.maximum(totals[n : 2 * n], 1.0)
        words, wanted, covered = totals[2 * n :]
        counted = max(covered if isinstance(metric, BLEUSBP) else words, 1.0)
        slope = wanted / counted**2
        of_match, of_ngrams = np.concatenate([[0.0], 1 / (n * matches)]), -float((1 / (n * ngrams)).sum())
        return cls(of_match, of_ngrams, slope, counted < wanted)

    def of_word(self, share: float) -> float:
        """Return the gain of a word; `share` multiplies the derivative of the brevity penalty."""
        return self.of_ngrams + share * self.of_length


# Factors of the brevity penalty's derivative to try. The best length is often the length of the references, where the
# penalty begins; no single factor leads to this length. The search uses few factors while they improve a path, then
# more factors.
_FEW_SHARES, _MANY_SHARES = (0.0, 0.5, 1.0), (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)

# The largest number of searches of a graph per factor; see `Member.proposals`.
_FEW_ROUNDS, _MANY_ROUNDS = 3, 6

# If a graph has at most this number of paths, try all of its strings.
MOST_TRIED = 1000

# Ignore smaller gains: they may be rounding errors, and the search might never end.
_LEAST_STEP = 1e-12


def has_few_paths(graph: Lattice | Forest, limit: int) -> bool:
    """Return True if a graph has at most `limit` complete paths or derivations."""
    if isinstance(graph, Lattice):
        counts, ends = [1, *([0] * (graph.num_states - 1))], graph.final.tolist()
        steps = zip(graph.target.tolist(), ([source] for source in graph.source.tolist()), strict=True)
    else:
        counts, ends = [0] * graph.num_nodes, graph.goals.tolist()
        steps = zip(graph.head.tolist(), map(graph.tails.row, range(len(graph.head))), strict=True)
    for here, before in steps:
        counts[here] += math.prod(counts[place] for place in before)
        if counts[here] > limit:
            return False
    complete: int = sum(counts[end] for end in ends)
    return complete <= limit


class Member:
    """A graph of the corpus with its references."""

    def __init__(
        self, space: SearchSpace, references: Sequence[tuple[str, ...]], order: int, weights: Weights | None
    ) -> None:
        self.space, self.references, self._weights = space, references, weights
        self.is_small = has_few_paths(space.graph, MOST_TRIED)
        self._longest = space.graph.max_words()
        self._counted = [space.metric.counted(words) for words in references]
        self._ngrams = ReferenceNgrams.of([space.graph.vocabulary.encode(words) for words in self._counted], order)
        # By path, since the search proposes the same few paths again and again.
        self._rows: dict[bytes, Floats] = {}
        self._clippings: dict[bytes, Floats | None] = {}

    def oracle(self) -> Steps:
        """Return the path with the best recognition rate."""
        return self.space.preferred([self.space.best(words) for words in self.references]).path

    def rows(self, metric: BLEU, paths: Sequence[Steps]) -> Floats:
        """Return the statistics of these paths, one row per path."""
        return metric.table(list(map(self.space.reported, paths)), [self._counted] * len(paths))

    def row(self, metric: BLEU, path: Steps) -> Floats:
        """Return the statistics of a path."""
        key = path.tobytes()
        if key not in self._rows:
            self._rows[key] = self.rows(metric, [path])[0]
        return self._rows[key]

    def all_paths(self) -> list[Steps]:
        """Return the cheapest path of each string of a small graph, by ascending cost."""
        # All strings have the same gain by this rate, so the tie rule sorts them by cost.
        constant = GRR(1, alpha=0, beta=0, ignore=self.space.metric.ignore)
        strings = as_search_space(self.space.graph, constant, self._weights).best_strings((), MOST_TRIED)
        return [string.path for string in strings]

    def best(self, gain: BleuGain, share: float, weight: Floats | None = None) -> Steps:
        """Return the path whose n-grams and words have the largest total gain.

        `weight` has a factor for each n-gram's gain; for `share`, see `BleuGain.of_word`.
        """
        gains = gain.of_match[self._ngrams.length] * (1.0 if weight is None else weight)
        word = gain.of_word(share)
        largest = max(self._longest, 1) * (math.fsum(gain.of_match) + abs(word))
        return self.space.best_by_ngrams(self._ngrams, ExactGains.of(gains, word, largest))

    def proposals(self, gain: BleuGain, shares: Sequence[float], rounds: int) -> Iterator[Steps]:
        """Yield paths with a large gain, for each of `shares` (see `BleuGain.of_word`).

        BLEU clips the matches of an n-gram at its count in the references; a sum over a path cannot express this. If a
        path has an n-gram more often than the references, search again with a smaller gain of this n-gram. Then the
        total gain of the n-gram in the path is equal to the gain of its clipped matches.
        """
        for share in shares:
            weight = np.ones(len(self._ngrams.most))
            for _ in range(rounds):
                path = self.best(gain, share, weight)
                yield path
                clipping = self._clipping(path)
                if clipping is None:
                    break
                weight *= clipping

    def _clipping(self, path: Steps) -> Floats | None:
        """Return the share of each n-gram's matches that remains when they are clipped; `None` if all remain."""
        key = path.tobytes()
        if key not in self._clippings:
            counts, most = self.counts(path), self._ngrams.most
            beyond = counts > most
            share = np.divide(most, counts, where=beyond, out=np.ones(len(counts)))
            self._clippings[key] = share if beyond.any() else None
        return self._clippings[key]

    def counts(self, path: Steps) -> Floats:
        """Count how often each n-gram of the references occurs in a path, without clipping."""
        return self._ngrams.counts_in(self.space.graph.vocabulary.encode(self.space.reported(path))).astype(np.float64)

    def gain(self, path: Steps, gain: BleuGain, share: float, *, clipped: bool) -> float:
        """Return the gain of a path by the linear approximation; `clipped` clips matches at the references' counts."""
        counts = self.counts(path)
        if clipped:
            counts = np.minimum(counts, self._ngrams.most)
        words = len(self.space.reported(path))
        return float(counts @ gain.of_match[self._ngrams.length]) + gain.of_word(share) * words


# A better path for one graph: the objective of the corpus with this path, the statistics of the path, the path.
_Step = tuple[float, Floats, Steps]


class Ascent:
    """One path for each graph, and the summed statistics of all paths."""

    def __init__(self, metric: BLEU, members: Sequence[Member], paths: Sequence[Steps]) -> None:
        self._metric, self._members, self.paths = metric, members, list(paths)
        self._smoothed = replace(metric, smoothing="floor", smoothing_value=0.1, effective_order=True)
        rows = [member.row(metric, path) for member, path in zip(members, paths, strict=True)]
        self.rows = np.array(rows).reshape(len(rows), len(metric.columns))
        self._value = float(self._objective(self.totals))

    @property
    def totals(self) -> Floats:
        """The summed statistics of the corpus."""
        totals: Floats = self.rows.sum(axis=0)
        return totals

    def tally(self, row: Floats) -> Tally:
        """Return the named statistics of the corpus or of one graph."""
        return Tally(self._metric.columns, tuple(row.tolist()))

    def _objective(self, totals: Table) -> Floats:
        """Return the BLEU of each row of totals; for rows with BLEU 0, smoothed BLEU − 1, to compare these rows."""
        values = self._metric.values(totals)
        return values if (values > 0).all() else np.where(values > 0, values, self._smoothed.values(totals) - 1)

    def climb(self) -> int:
        """Improve the paths of all graphs in turn until none changes; return the number of rounds."""
        sweeps = self._climb_by(lambda k: self._proposed(k, _FEW_SHARES, _FEW_ROUNDS))
        while True:
            sweeps += self._climb_by(lambda k: self._proposed(k, _MANY_SHARES, _MANY_ROUNDS))
            tried = self._climb_by(self._best_of_all) if any(member.is_small for member in self._members) else 0
            sweeps += tried
            if tried <= 1:  # no string of a small graph improves the corpus
                return sweeps

    def _climb_by(self, step_of: Callable[[int], _Step | None]) -> int:
        """Improve the paths of all graphs by one kind of step until none changes; return the number of rounds."""
        sweeps, moves, moved = 0, 0, True
        tried = [-1] * len(self._members)  # the number of moves when the graph was tried in vain
        while moved and self._value < 1:
            sweeps, moved = sweeps + 1, False
            for k in range(len(self._members)):
                if tried[k] == moves:
                    continue
                if (step := step_of(k)) is None:
                    tried[k] = moves
                else:
                    self._value, self.rows[k], self.paths[k] = step
                    moves, moved = moves + 1, True
        return sweeps

    def headroom(self, k: int) -> float:
        """Return the largest increase of log BLEU by another path of graph k, in the linear approximation.

        This is an upper bound: matches of the other path are not clipped.
        """
        gain = BleuGain.around(self._metric, self.totals)
        share, member = float(gain.too_short), self._members[k]
        most = member.gain(member.best(gain, share), gain, share, clipped=False)
        return max(0.0, most - member.gain(self.paths[k], gain, share, clipped=True))

    def _best_of_all(self, k: int) -> _Step | None:
        """Return the best of all paths of a small graph k, if it improves the corpus; otherwise `None`."""
        member = self._members[k]
        if not member.is_small:
            return None
        paths = member.all_paths()
        rows = member.rows(self._metric, paths)
        values = self._objective(self.totals - self.rows[k] + rows)
        best = int(np.argmax(values))
        value = float(values[best])
        return (value, rows[best], paths[best]) if value > self._value + _LEAST_STEP else None

    def _proposed(self, k: int, shares: Sequence[float], rounds: int) -> _Step | None:
        """Return the best of the proposed paths of graph k, if it improves the corpus; otherwise `None`."""
        member, value = self._members[k], self._value
        best: _Step | None = None
        others = self.totals - self.rows[k]
        known = {self.paths[k].tobytes()}
        for path in member.proposals(BleuGain.around(self._metric, self.totals), shares, rounds):
            if path.tobytes() in known:
                continue
            known.add(path.tobytes())
            row = member.row(self._metric, path)
            reached = float(self._objective(others + row))
            if reached > value + _LEAST_STEP:
                best, value = (reached, row, path), reached
        return best


@dataclass(frozen=True, repr=False)
class CorpusPath(Result):
    """The path of one graph in the oracle of the corpus.

    Attributes:
        path: The path or derivation, scored by 4-GRR.
        score: The sentence score; `None` if it is undefined.
        headroom: Upper bound of the log BLEU that another path of this graph could add, to first order, without
            clipping.
        one_best: The model's 1-best.
        one_best_score: The sentence score of `one_best`.
    """

    path: ScoredPath
    score: float | None
    headroom: float
    one_best: ScoredPath
    one_best_score: float | None

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the path, without ignored words."""
        return self.path.words

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON; counts come from the 4-GRR alignment of the path's words."""
        nothing = {"numerator": None, "denominator": None}
        one_best = {**self.one_best.asdict(), "score": self.one_best_score, **nothing}
        return {
            **self.path.asdict(),
            **self.path.details(exact=False),
            "score": self.score,
            **nothing,
            "headroom": self.headroom,
            "one_best": one_best,
        }


@dataclass(frozen=True)
class CorpusOracle:
    """One path for each graph: the paths with the best joint BLEU that the search found.

    If a graph has at most 1000 paths, no change of its path alone improves this BLEU.

    Attributes:
        paths: One path per graph.
        corpus: The joint score of the paths.
        start: The score of the 4-GRR oracles, where the search starts; not better than the score of the paths.
        one_best: The score of the 1-bests.
        sweeps: Number of rounds through all graphs.
        exact: Always False: the graphs may have better paths.
    """

    paths: tuple[CorpusPath, ...]
    corpus: CorpusScore[Tally]
    start: CorpusScore[Tally]
    one_best: CorpusScore[Tally]
    sweeps: int
    exact: bool = False


def corpus_oracle(
    graphs: Sequence[Graph],
    references: Sequence[GraphReferences],
    bleu: BLEU,
    signature: str,
    *,
    ignore: frozenset[str] = frozenset(),
    weights: Weights | None = None,
) -> CorpusOracle:
    """Search several graphs for the paths with the best joint BLEU.

    This is a local search, since BLEU is not a sum over sentences. It starts from the 4-GRR oracles and visits each
    graph in turn: it finds the best path by log BLEU, linearised at the current totals, and keeps it if the BLEU of the
    corpus improves. It stops when no path changes. In graphs with at most 1000 paths, it also tries all strings. The
    result is never worse than the 4-GRR oracles, but may not be optimal.

    Args:
        graphs: Lattices, forests or n-best lists.
        references: One or several references per graph.
        bleu: The metric.
        signature: The signature of the scores.
        ignore: Words that do not count, for example `<s>`.
        weights: Weight of each score column in the model's cost, which decides ties.
    """
    recognition = GRR(4, ignore=ignore)
    members = [
        Member(as_search_space(graph, recognition, weights), strings_of_references(several), bleu.order, weights)
        for graph, several in zip(graphs, references, strict=True)
    ]
    start = Ascent(bleu, members, [member.oracle() for member in members])
    one_best = Ascent(bleu, members, [member.space.one_best() for member in members])
    best = Ascent(bleu, members, start.paths)
    sweeps = best.climb()
    paths = []
    for k, member in enumerate(members):
        path, one = (member.space.scored(ascent.paths[k], member.references) for ascent in (best, one_best))
        score, one_score = (bleu.value(ascent.tally(ascent.rows[k])) for ascent in (best, one_best))
        paths.append(CorpusPath(path, score, best.headroom(k), one, one_score))
    totals = [ascent.tally(ascent.totals) for ascent in (best, start, one_best)]
    joint, first, models = (CorpusScore(bleu.value(total), None, None, total, signature) for total in totals)
    return CorpusOracle(tuple(paths), joint, first, models, sweeps)


def as_bleu(metric: str | BLEU) -> BLEU:
    """Return the metric with this name; raise `UsageError` unless it is `bleu` or `bleu-sbp`."""
    bleu = make_metric(metric) if isinstance(metric, str) else metric
    if not isinstance(bleu, BLEU):
        name = metric if isinstance(metric, str) else bleu.name
        raise UsageError(
            f"'{name}' cannot be the metric of a corpus oracle",
            advice="use bleu or bleu-sbp; for a rate, search each graph with `oracle`",
        )
    if bleu.stem:
        raise UsageError("a corpus oracle cannot compare stems", advice="use bleu or bleu-sbp")
    return bleu
