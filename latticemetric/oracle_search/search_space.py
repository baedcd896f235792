"""The search space of a recognition rate: the paths of a lattice, or the derivations of a forest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from latticemetric import _native
from latticemetric.automata.recognition import MachinePath, ngram_total
from latticemetric.automata.reference import ReferenceGraph, ReferenceNgrams, counted_labels
from latticemetric.automata.spelling import Spelling, spelled_lattice
from latticemetric.cached import cached_property
from latticemetric.engine import native
from latticemetric.engine.native import ExactGains, StringLoss
from latticemetric.engine.search import BestDerivation, ForestSearch, Search
from latticemetric.engine.ties import TieKey
from latticemetric.errors import InputError, UsageError
from latticemetric.forest.forest import Forest
from latticemetric.graph import Graph, as_lattice, path_fields
from latticemetric.lattice.columns import Costs, Steps, Weights, is_any_of
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.n_best import TOO_MANY_NGRAMS, rounded
from latticemetric.memory import most_bytes
from latticemetric.metrics.base import GraphReference
from latticemetric.metrics.character_rates import SpelledRate
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import Merit, RecognitionStatistics, merit
from latticemetric.oracle_search.reference_strings import strings_of_graph
from latticemetric.oracle_search.scored_path import ScoredPath
from latticemetric.vocabulary import EPSILON, Words, distinct_words


def find_engine(name: str) -> ModuleType:
    """Return the module of the engine with this name; `auto` is the fastest engine."""
    if name not in {"auto", "native", "openfst"}:
        raise UsageError(f"there is no engine '{name}'", advice="choose auto, native or openfst")
    if name != "openfst":
        return native
    from latticemetric.engine import openfst

    return openfst


class Candidate(NamedTuple):
    """The best path for one reference, and the rate that the search found (a `Merit`)."""

    path: Steps
    promised: Merit


class SearchSpace(ABC):
    """The paths of a lattice or the derivations of a forest, to be searched by a recognition rate.

    Ignored words and wildcards are not compared. Below, "path" also stands for a derivation.

    Attributes:
        metric: The recognition rate.
        cost: The model's cost of each arc or edge, and of each ending.
        compared_cost: The costs that the tie rule compares: `cost`; in forests, rounded so that sums are exact.
        word_counts: The number of words that each arc or edge adds to the result.
        strings_by_rounded_costs: True if `best_strings` rounds costs more than `best` does.
    """

    graph: Lattice | Forest
    strings_by_rounded_costs = False

    def __init__(self, metric: GRR, cost: Costs, compared_cost: Costs, word_counts: Any) -> None:
        self.metric, self.cost, self.compared_cost, self.word_counts = metric, cost, compared_cost, word_counts

    @abstractmethod
    def best(self, reference: GraphReference, engine: str = "auto") -> Candidate:
        """Return the best path against one reference; for a reference graph, against the best of its strings."""

    @abstractmethod
    def best_by_ngrams(self, ngrams: ReferenceNgrams, gains: ExactGains) -> Steps:
        """Return the path with the largest sum of gains of its n-grams and words; each occurrence counts."""

    @abstractmethod
    def best_strings(self, reference: Sequence[str], n: int) -> list[Candidate]:
        """Return the `n` best strings against one reference, each with its best path."""

    def preferred(self, candidates: Sequence[Candidate]) -> Candidate:
        """Return the best candidate by rate, then by the tie rule."""
        return candidates[0] if len(candidates) == 1 else min(candidates, key=self.preference)

    def preference(self, candidate: Candidate) -> tuple[Any, ...]:
        """Return a candidate's sort key: defined rates before undefined ones, then higher rates, then the tie rule."""
        defined, rate = candidate.promised
        return (not defined, -rate, self.tie_key(candidate.path))

    def tie_key(self, path: Steps) -> TieKey:
        """Return the sort key of a path among paths with the same score."""
        return TieKey.of_path(self.graph.cost_of(path, self.compared_cost), int(self.word_counts[path].sum()), path)

    def reported(self, path: Steps) -> tuple[str, ...]:
        """Return the words of a path, except ignored words."""
        words, ignored = self.graph.words(path), self.metric.ignore
        return tuple(word for word in words if word not in ignored) if ignored else words

    def scored(self, path: Steps, references: Sequence[GraphReference]) -> ScoredPath:
        """Score the words of a path with the string metric."""
        metric, words = self.metric, self.reported(path)
        _, statistics, alignment, reference = metric.best_reference(words, references)
        score, numerator, denominator = metric.parts(statistics)
        return ScoredPath(
            words=words,
            score=score,
            numerator=numerator,
            denominator=denominator,
            statistics=statistics,
            cost=self.graph.cost_of(path, self.cost),
            scores=self.graph.scores_along(path),
            **path_fields(self.graph, path),
            alignment=alignment,
            reference=reference,
        )

    def one_best(self) -> Steps:
        """Return the model's 1-best."""
        return self.graph.best_path(self.cost, ignore=self.metric.ignore)

    def _merit(self, gain: int, reference: Sequence[str]) -> Merit:
        total = ngram_total(len(self.metric.counted(reference)), self.metric.order)
        return merit(gain, total, self.metric.gains)

    def encoded(self, reference: Sequence[str]) -> Words:
        """Return the numbers (in the graph) of those reference words that the metric counts."""
        return self.graph.vocabulary.encode(self.metric.counted(reference))


class LatticeSpace(SearchSpace):
    """The paths of a lattice.

    `label` is the word that the metric counts on each arc; ε for ignored words and wildcards.
    """

    strings_by_rounded_costs = True

    def __init__(self, lattice: Lattice, metric: GRR, weights: Weights | None) -> None:
        cost = lattice.cost(weights)
        super().__init__(metric, cost, cost, lattice.word_counts(metric.ignore))
        self.graph: Lattice = lattice
        self.label = lattice.word
        if silent := metric.ignore | metric.wildcard:
            self.label = self._without(is_any_of(lattice.word, silent, lattice.vocabulary))

    @cached_property
    def spelling(self) -> Spelling | None:
        """The units of the arcs' words, such as characters; `None` if the metric compares words."""
        return self.metric.spelling(self.graph) if isinstance(self.metric, SpelledRate) else None

    def encoded(self, reference: Sequence[str]) -> Words:
        """Return the numbers of those reference words (or their units) that the metric counts."""
        if self.spelling is None:
            return super().encoded(reference)
        return self.spelling.numbers.encode(self.metric.counted(reference))

    @property
    def shown(self) -> Words:
        """The word of each arc in the result; ε for ignored words."""
        return self._without(self.graph.is_word(self.metric.ignore) == 0)

    def best(self, reference: GraphReference, engine: str = "auto") -> Candidate:
        """Return the best path against one reference; for a reference graph, against the best of its strings."""
        metric = self.metric
        expected = self._graph_of(reference) if isinstance(reference, Lattice) else self.encoded(reference)
        best: MachinePath = find_engine(engine).search_lattice(self._search_for(expected))
        return Candidate(best.arcs, merit(*best.ratio, metric.gains))

    def one_best(self) -> Steps:
        """Return the model's 1-best."""
        return native.best_path(self.graph, self.cost, self.word_counts)

    def best_arcs(self, references: Sequence[Sequence[str]]) -> native.BestArcs:
        """Return all paths that are best against at least one reference; each path appears once."""
        encoded = [self.encoded(reference) for reference in references]
        return native.best_arcs(self._search_for(encoded[0]), encoded)

    def _search_for(self, reference: Words | ReferenceGraph) -> Search:
        return Search(self.graph, self.label, self.word_counts, self.cost, reference, self.metric.gains, self.spelling)

    def _graph_of(self, reference: Lattice) -> ReferenceGraph:
        """Return a reference as a graph of the words that the metric counts."""
        metric, spelling = self.metric, self.spelling
        if spelling is not None and isinstance(metric, SpelledRate):
            spelled = spelled_lattice(reference, metric.spelling(reference, spelling.numbers)).lattice
            return ReferenceGraph.of_lattice(spelled, spelled.word, metric.order)
        label = counted_labels(reference, self.graph.vocabulary, metric.ignore | metric.wildcard)
        return ReferenceGraph.of_lattice(reference, label, metric.order)

    def best_by_ngrams(self, ngrams: ReferenceNgrams, gains: ExactGains) -> Steps:
        """Return the path with the largest sum of gains of its n-grams and words."""
        graph = self.graph.native(self.cost, self.label, self.word_counts)
        return native.path_of_ngrams(graph, ngrams, gains)[0]

    def best_strings(self, reference: Sequence[str], n: int) -> list[Candidate]:
        """Return the best strings, each with its cheapest path; costs that differ only by rounding are ties."""
        found = self.strings_by_loss(
            rounded(self.cost, self.graph.largest_cost(self.cost)),
            [reference],
            shares=[Fraction(1)],
            starts=[0],
            gains=self.metric.gains,
            costs_count=False,
            penalize=False,
            most=n,
            memory=most_bytes(),
        )
        if any(string.bound is not None for string in found):
            raise InputError(
                "the search for strings does not fit into memory",
                advice="ask for fewer strings, or allow more memory (max_memory=…)",
            )
        return [Candidate(string.arcs, self._merit(int(-string.loss), reference)) for string in found]

    def strings_by_loss(self, cost: Costs, references: Sequence[Sequence[str]], **settings: Any) -> list[StringLoss]:
        """Return the strings with the smallest losses, in ascending order; see `native.search_loss_augmented`."""
        expected = [self.encoded(reference) for reference in references]
        if self.spelling is None:
            lattice, label, shown = self.graph, self.label, self.shown
            return native.search_loss_augmented(
                lattice, cost, label=label, shown=shown, references=expected, **settings
            )
        spelled = spelled_lattice(self.graph, self.spelling)
        lattice, cost, label, shown = spelled.lattice, spelled.cost(cost), spelled.lattice.word, self.shown
        found = native.search_loss_augmented(
            lattice, cost, label=label, shown=spelled.of_arcs(shown), references=expected, **settings
        )
        return [string._replace(arcs=spelled.arcs_of(string.arcs)) for string in found]

    def _without(self, silent: Any) -> Words:
        return np.where(silent, EPSILON, self.graph.word).astype(np.int32)


class ListSpace(LatticeSpace):
    """The hypotheses of an n-best list (`Lattice.ranked`); `best_strings` scores each of them."""

    strings_by_rounded_costs = False

    def best_strings(self, reference: Sequence[str], n: int) -> list[Candidate]:
        """Return the best strings, each with its cheapest path; of equally cheap paths, the first in the list."""
        paths = self.strings()
        counts = self.metric.counts(list(paths), [[reference]] * len(paths)).tolist()
        scored = zip(paths.values(), map(RecognitionStatistics.of_columns, counts), strict=True)
        candidates = [Candidate(path, self.metric.merit(statistics)) for path, statistics in scored]
        return sorted(candidates, key=self.preference)[:n]

    def strings(self) -> dict[tuple[str, ...], Steps]:
        """Return the cheapest path of each distinct string; of equally cheap paths, the first in the list."""
        first: dict[tuple[str, ...], Steps] = {}
        for path in self.graph.ranked_paths(self.cost):
            first.setdefault(self.reported(path), path)
        return first


class ForestSpace(SearchSpace):
    """The derivations of a forest."""

    def __init__(self, forest: Forest, metric: GRR, weights: Weights | None) -> None:
        if isinstance(metric, SpelledRate):
            raise InputError(
                f"{metric.name} cannot search a forest",
                advice="use wer, wrr or N-grr; or search its best strings as a list (Corpus.nbest(lists=True)), "
                "or its lattice, if it is one (Forest.to_lattice)",
            )
        cost = forest.cost(weights)
        self.graph: Forest = forest
        compared = rounded(cost, _native.largest_cost(forest.native(cost)))
        super().__init__(metric, cost, compared, forest.word_counts(metric.ignore))
        self._counted_target = forest.target_without(metric.ignore | metric.wildcard)
        self._shown = forest.target_without(metric.ignore)

    def search_for(self, reference: Sequence[str]) -> ForestSearch:
        """Return the input of the search for the best derivation against one reference."""
        target, words = self._counted_target, self.word_counts
        return ForestSearch(self.graph, target, words, self.compared_cost, self.encoded(reference), self.metric.gains)

    def best(self, reference: GraphReference, engine: str = "auto") -> Candidate:
        """Return the best derivation against one reference; for a reference graph, against the best of its strings."""
        if isinstance(reference, Lattice):
            return self.preferred([self.best(words, engine) for words in strings_of_graph(reference)])
        best: BestDerivation = find_engine(engine).search_forest(self.search_for(reference))
        return Candidate(best.edges, self._merit(best.gain, reference))

    def best_by_ngrams(self, ngrams: ReferenceNgrams, gains: ExactGains) -> Steps:
        """Return the derivation with the largest sum of gains of its n-grams and words."""
        known = distinct_words(ngrams.word)
        forest = self.graph.native(self.compared_cost, self._counted_target, self.word_counts)
        found = native.derivation_of_ngrams(forest, known, known, ngrams, gains)
        if not found.exact:
            what = "the search for n-grams of the forest does not fit into memory"
            raise InputError(what, advice=TOO_MANY_NGRAMS)
        return found.edges

    def best_strings(self, reference: Sequence[str], n: int) -> list[Candidate]:
        """Return the best strings, each with its best derivation."""
        strings = native.search_strings(self.search_for(reference), self._shown, n)
        return [Candidate(best.edges, self._merit(best.gain, reference)) for best in strings]


def as_search_space(graph: Graph, metric: GRR, weights: Weights | None) -> SearchSpace:
    """Return any graph as a search space of its paths or derivations."""
    if isinstance(graph, Forest):
        return ForestSpace(graph, metric, weights)
    lattice = as_lattice(graph, weights)
    return (ListSpace if lattice.ranked else LatticeSpace)(lattice, metric, weights)
