"""The text with the least expected word errors under the outputs of several systems, each with its weight.

If each output is one text, the expected errors are the weighted mean of edit distances. Their minimum is a weighted
median string, which is NP-hard to find for any number of texts (de la Higuera & Casacuberta 2000), but easy for few
texts that are similar. So a local search finds a text, and a best-first search then looks for a better one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from latticemetric import _native
from latticemetric.lattice.columns import Column, FeatureWeights, Floats, Weights
from latticemetric.lattice.lattice import Lattice
from latticemetric.mbr_decoding.word import TIE, AlignedHypothesis, Aligner, WordMBR, search_words
from latticemetric.metrics.pairs import error_counts
from latticemetric.vocabulary import EPSILON, Vocabulary

Text = tuple[str, ...]

_MOST_ARCS = 200_000  # of the best-first search
_MOST_CELLS = 1 << 22  # of its tables
_MOST_STARTS = 5  # outputs where local searches start
_MOST_RISK_STATES = 20_000  # of the search for one exact risk under lattices
_LEAST_SHARE = 1e-300  # of the largest weight; weights below count as 0


@dataclass(frozen=True, repr=False)
class CombinedMBR(WordMBR):
    """The text with the least expected number of word errors under all systems, among those found.

    `one_best` is the first start of the search: the words of a vote.

    Attributes:
        bound: No text has a smaller risk than this. `None` if an output is a graph with several texts.
    """

    bound: float | None = None

    @property
    def is_optimal(self) -> bool:
        """True if no text has a smaller risk."""
        return self.bound is not None and self.risk <= self.bound + TIE

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return super().asdict() | {"bound": self.bound}


class WeightedOutput(NamedTuple):
    """The output of a system.

    Attributes:
        graph: All of its paths.
        words: Its best words.
        is_text: True if there are no other words.
        weight: The weight of the system.
    """

    graph: Lattice
    words: Text
    is_text: bool
    weight: float


class _Found(NamedTuple):
    """A text that was tried, with its risk."""

    words: Text
    risk: float


def least_risk(
    outputs: Sequence[WeightedOutput], voted: Text, posterior_scale: float, weights: Weights | None
) -> CombinedMBR:
    """Find the text with the least expected word errors, starting from `voted` and from the outputs.

    If each output is one text, risks are exact. A local search starts from `voted`, then a best-first search looks for
    a better text, or proves that there is none. If this ends early, and if outputs are graphs, local searches start
    from the best words of the outputs, too, of up to `_MOST_STARTS` with the least risk. At the end, the exact risks of
    texts under small graphs are compared. Of texts with equal risks, the first one that was found wins.
    """
    largest = max(output.weight for output in outputs)  # a sum of large weights would be infinite
    used = [one._replace(weight=one.weight / largest) for one in outputs if one.weight / largest >= _LEAST_SHARE]
    used.sort(key=lambda one: (one.words, one.weight))
    texts = _distinct(used) if all(output.is_text for output in used) else None
    aligner = Aligner.of(_union(used, posterior_scale, weights), 1.0, None)
    encode = aligner.lattice.vocabulary.encode

    def with_risk(text: AlignedHypothesis) -> _Found:
        return _Found(text.words, text.risk if texts is None else texts.risk(text.words))

    first, best, tried = search_words(aligner, voted)
    others = dict.fromkeys(output.words for output in used if output.words != voted)
    starts = [
        with_risk(aligner.aligned(encode(words))) if texts is None else _Found(words, texts.risk(words))
        for words in others
    ]
    found, bound = [with_risk(first), with_risk(best), *starts], None
    if texts is not None:
        better, bound = texts.better_than(_best(found).risk)
        found += [] if better is None else [_Found(better, texts.risk(better))]
    if bound is None or _best(found).risk > bound + TIE:
        for words, _ in sorted(starts, key=lambda one: one.risk)[:_MOST_STARTS]:
            _, best, number = search_words(aligner, words)
            found.append(with_risk(best))
            tried += number
    if texts is None:
        found = _with_exact_risks(aligner.lattice, found) or found
    words, risk = _best(found)
    text = aligner.aligned(encode(words))
    bound = None if bound is None else min(bound, risk)
    return CombinedMBR(words, risk, text.confidences, first.words, found[0].risk, tried, text.times, bound)


def _with_exact_risks(lattice: Lattice, found: Sequence[_Found]) -> list[_Found] | None:
    """Return texts with their exact risks under a lattice; `None` if a search for one needs too many states."""
    from latticemetric.posterior.expected import expected
    from latticemetric.posterior.posteriors import posteriors

    risks: dict[Text, float] = {}
    for words, _ in found:
        if words in risks:
            continue
        if not words:  # every word of a path is an error
            risks[words] = posteriors(lattice).expected(lattice.is_word())
            continue
        errors = expected(lattice, [words], "wer", most_states=_MOST_RISK_STATES)
        if not errors.exact or errors.numerator is None:
            return None
        risks[words] = errors.numerator
    return [_Found(words, risks[words]) for words, _ in found]


def _best(found: Sequence[_Found]) -> _Found:
    """Return the first text with the least risk."""
    least = min(one.risk for one in found)
    return next(one for one in found if one.risk <= least + TIE)


class _Texts(NamedTuple):
    """Different texts with shares of the weights, which add up to 1."""

    words: tuple[Text, ...]
    shares: Floats

    def risk(self, text: Text) -> float:
        """Return the weighted mean of the edit distances of a text from all texts."""
        return math.fsum((self.shares * error_counts([text], self.words)[:, 0]).tolist())

    def better_than(self, risk: float) -> tuple[Text | None, float]:
        """Return a text with a smaller risk, or `None`; and a lower bound of the risk of any text."""
        vocabulary = Vocabulary.from_words(chain.from_iterable(self.words))
        numbers = [vocabulary.encode(text) for text in self.words]
        begin = np.cumsum([0, *map(len, numbers)])
        word = np.concatenate([np.empty(0, dtype=np.int32), *numbers]).astype(np.int32)
        found, _, bound = _native.median_text(begin, word, self.shares, risk, TIE, _MOST_ARCS, _MOST_CELLS)
        return None if found is None else tuple(vocabulary.decode(found)), max(bound, self.bound())

    def bound(self) -> float:
        """Return a bound by distances: those of a text from two others add up to at least the distance of these."""
        if len(self.words) == 1:
            return 0.0
        pairs = self.shares[:, None] * self.shares * error_counts(self.words, self.words)
        return math.fsum(pairs.ravel().tolist()) / 2 / (1 - float(self.shares.min()))


def _distinct(outputs: Iterable[WeightedOutput]) -> _Texts:
    shares: dict[Text, list[float]] = {}
    for output in outputs:
        shares.setdefault(output.words, []).append(output.weight)
    words = tuple(sorted(shares))
    summed = np.array([math.fsum(shares[text]) for text in words])
    return _Texts(words, summed / math.fsum(summed.tolist()))


def own_weights(graph: Lattice, weights: Weights | None) -> Weights:
    """Return the weights of the score columns that this graph has."""
    if isinstance(weights, FeatureWeights):
        return weights
    return {name: weight for name, weight in (weights or {}).items() if name in graph.scores}


def _union(outputs: Sequence[WeightedOutput], posterior_scale: float, weights: Weights | None) -> Lattice:
    """Return the union of graphs; the weight of each graph is divided among its paths, by their posteriors."""
    from latticemetric.posterior.posteriors import step_probabilities

    spelled = [one.graph.vocabulary.words(one.graph.word) for one in outputs]
    vocabulary = Vocabulary.from_words(sorted({word for words in spelled for word in words if word}))
    parts: dict[str, list[Any]] = {name: [] for name in ("source", "target", "word", "cost", "final", "final_cost")}
    all_weights = math.fsum(one.weight for one in outputs)
    states = 1
    for (graph, _, _, weight), words in zip(outputs, spelled, strict=True):
        # Large costs of a model would change the share of its graph by rounding; those of probable steps are small.
        steps = step_probabilities(graph, posterior_scale, own_weights(graph, weights))
        # An arc without a word leads from the new start state to the start of each graph, and has the graph's share.
        parts["source"] += [[0], graph.source + states]
        parts["target"] += [[states], graph.target + states]
        parts["word"] += [[EPSILON], [vocabulary.number(word) if word else EPSILON for word in words]]
        parts["cost"] += [[-math.log(weight / all_weights)], costs_of(steps.transition)]
        parts["final"].append(graph.final + states)
        parts["final_cost"].append(costs_of(steps.ending[graph.final]))
        states += graph.num_states
    return Lattice.from_arcs(
        np.concatenate(parts["source"]),
        np.concatenate(parts["target"]),
        np.concatenate(parts["word"]).astype(np.int32),
        final=np.concatenate(parts["final"]),
        scores={"cost": Column(np.concatenate(parts["cost"]), np.concatenate(parts["final_cost"]))},
        vocabulary=vocabulary,
        times=_times_of([one.graph for one in outputs]),
    )


def _times_of(graphs: Sequence[Lattice]) -> Floats | None:
    """Return the times of the states of a union; `None` if a graph has words, but no times."""
    known = [np.zeros(graph.num_states) if graph.times is None else graph.times for graph in graphs]
    if any(graph.times is None and graph.is_word().any() for graph in graphs) or all(g.times is None for g in graphs):
        return None
    return np.concatenate([[min(float(times.min()) for times in known)], *known])


def costs_of(probabilities: Floats) -> Floats:
    """Return −log of probabilities; a probability of 0 counts as the smallest normal number."""
    costs: Floats = -np.log(np.maximum(probabilities, np.finfo(np.float64).tiny))
    return costs
