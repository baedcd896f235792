"""MBR with any utility: find the string with the best expected score against the strings of the evidence.

The evidence is the graph that gives the posteriors. Its distinct strings, all or a sample, are the references.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from latticemetric.arguments import floats
from latticemetric.engine.ties import TieKey
from latticemetric.errors import InputError, UsageError
from latticemetric.forest.forest import Forest
from latticemetric.frozen import Result
from latticemetric.graph import Graph, as_lattice_or_forest, weights_of_each
from latticemetric.lattice.columns import Floats, Weights
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.pruning import within_beam
from latticemetric.mbr_decoding.confidence_pruning import TIE, PairPruning, pruned_scores
from latticemetric.mbr_decoding.settings import ByMetric, ByScores, ByUtility, EvidenceWeights, metric_of
from latticemetric.mbr_decoding.utility import (
    FunctionScorer,
    MatrixScorer,
    MetricScorer,
    Scorer,
    checked_limits,
    checked_matrix,
)
from latticemetric.metrics.pairs import ScoreRow
from latticemetric.metrics.recognition import WER
from latticemetric.nbest import NBest
from latticemetric.oracle_search.oracle import oracle
from latticemetric.posterior.best import Times, pairs_of, times_along
from latticemetric.posterior.posteriors import posteriors

_MOST_PATHS = 10_000

_String = tuple[str, ...]


class StringDistribution(NamedTuple):
    """Distinct strings, their probabilities, and the cost of each string's cheapest path.

    `rank` is the rank of the cheapest path in an n-best list; `None` for strings of other graphs, and for samples.
    """

    strings: tuple[_String, ...]
    probability: Floats
    cost: Floats
    rank: tuple[int, ...] | None = None

    def tie_key(self, string: int) -> TieKey:
        """Return the sort key of a string among strings with the same expected score."""
        rank = None if self.rank is None else self.rank[string]
        return TieKey.of_string(float(self.cost[string]), self.strings[string], rank)


def string_distribution(
    graph: Graph, by: ByScores, weights: Weights | None, evidence_weights: EvidenceWeights = "probabilities"
) -> StringDistribution:
    """Return the distinct strings of a graph; add the probabilities of paths with the same words.

    The probability of a path is exp(−scale · cost), normalised. If paths are sampled, all samples have the same
    probability. If `weights` are given for an n-best list, they are the probabilities of its entries, normalised.
    """
    if not (isinstance(evidence_weights, str) and evidence_weights == "probabilities"):
        return _weighted_list(graph, by, weights, evidence_weights)
    pruned = as_lattice_or_forest(graph, weights)
    if by.beam is not None:
        pruned = pruned.pruned(by.beam, weights)
    if by.samples is not None:
        sampled = posteriors(pruned, posterior_scale=by.posterior_scale, weights=weights).sample(by.samples, by.seed)
        cost = pruned.cost(weights)
        return _merged([(pruned.words(path), pruned.cost_of(path, cost)) for path in sampled], posterior_scale=0.0)
    if not isinstance(graph, NBest):
        kind = "derivations" if isinstance(pruned, Forest) else "paths"
        number: int | None = getattr(pruned.statistics(), kind)
        if number is None or number > _MOST_PATHS:
            if number is None:
                shown = "too many"
            else:  # Python does not write numbers of more than 4,300 digits
                shown = f"{number:,}" if number < 10**12 else f"more than 10^{int(math.log10(number))}"
            raise UsageError(
                f"there are {shown} {kind}, but at most {_MOST_PATHS:,} can be listed",
                advice="give a number of samples, to draw some of them",
            )
    paths = pruned.derivations(weights) if isinstance(pruned, Forest) else pruned.paths(weights)
    ranked = isinstance(pruned, Lattice) and pruned.ranked
    return _merged([(path.words, path.cost) for path in paths], by.posterior_scale, ranked=ranked)


def _weighted_list(
    graph: Graph, by: ByScores, weights: Weights | None, evidence_weights: EvidenceWeights
) -> StringDistribution:
    """Return the distinct strings of an n-best list with the weights of its entries."""
    if not isinstance(graph, NBest):
        raise UsageError("weights need an n-best list", advice="leave them out, or give a list")
    if by.samples is not None:
        raise UsageError("both weights and samples are given", advice="give one of them")
    if isinstance(evidence_weights, str):
        if evidence_weights != "counts":
            raise UsageError(f"weights are {evidence_weights!r}", advice="give 'probabilities', 'counts' or numbers")
        evidence_weights = np.ones(len(graph))
    values = floats(evidence_weights, "weights", "give one number per entry of the list")
    if values.shape != (len(graph),):
        raise UsageError(f"there are {values.size} weights for {len(graph)} entries", advice="give one per entry")
    total = float(values.sum())
    if not (np.isfinite(values).all() and (values >= 0).all() and 0 < total < math.inf):
        raise InputError(
            "weights must be finite and at least 0, and some of them positive",
            advice="correct wrong weights, or remove their entries from the list",
        )
    costs = np.array(graph.costs(weights))
    if not np.isfinite(costs).all():
        raise InputError("a cost of the list is not finite", advice="remove this entry, or give finite scores")
    kept = np.flatnonzero(within_beam(costs, math.inf if by.beam is None else by.beam)).tolist()
    if not values[kept].any():
        raise InputError("all entries within the beam have weight 0", advice="choose a larger beam")
    paths = [(graph.hypotheses[k].words, float(costs[k])) for k in kept]
    return _merged(paths, by.posterior_scale, ranked=True, weights=values[kept] / total)


def _merged(
    paths: list[tuple[_String, float]], posterior_scale: float, *, ranked: bool = False, weights: Floats | None = None
) -> StringDistribution:
    """Merge paths with the same words, and add their weights; the default weight of a path is exp(−scale · cost)."""
    if weights is None:
        weights = _weights_of(np.array([cost for _, cost in paths]), posterior_scale)
    together: dict[_String, list[int]] = {}
    for number, (words, _) in enumerate(paths):
        together.setdefault(words, []).append(number)
    probability = np.array([math.fsum(weights[numbers]) for numbers in together.values()])
    cheapest = [min(numbers, key=lambda number: paths[number][1]) for numbers in together.values()]
    cost = np.array([paths[number][1] for number in cheapest])
    rank = tuple(cheapest) if ranked else None
    return StringDistribution(tuple(together), probability / math.fsum(probability), cost, rank)


def _weights_of(costs: Floats, posterior_scale: float) -> Floats:
    with np.errstate(over="ignore"):
        logarithms = -posterior_scale * costs
    if not np.isfinite(logarithms).all():
        raise InputError("the costs are too large to be added up", advice="choose smaller weights")
    weights: Floats = np.exp(logarithms - logarithms.max())
    return weights


class ExpectedScores(NamedTuple):
    """The expected scores of candidates, and how far they can be trusted.

    Attributes:
        scores: For each candidate, the expected score over the strings with a defined score; NaN if there are none. The
            rounding error is about 10⁻¹⁵ of the mean absolute score.
        sizes: For each candidate, the mean absolute score over the strings with a defined score.
        undefined: For each candidate, the total probability of the strings with an undefined score.
        exact: False if a search of METEOR's alignments was stopped early.
    """

    scores: Floats
    sizes: Floats
    undefined: Floats
    exact: bool


def expected_scores(scorer: Scorer, candidates: int, probability: Floats) -> ExpectedScores:
    """Return the expected scores of the candidates."""
    probable = np.flatnonzero(probability)
    rows: Iterator[ScoreRow] = scorer.rows(range(candidates), probable.tolist())
    # Sum up for each candidate: its expected score, the probabilities that its score is defined and undefined, and its
    # expected absolute score. `lost` collects the rounding errors of these sums (Knuth's two-sum, Ogita, Rump & Oishi
    # 2005).
    total, lost = np.zeros((2, 4, candidates))
    exact = True
    for weight, row in zip(probability[probable].tolist(), rows, strict=True):
        known = ~np.isnan(row.scores)
        scores = np.where(known, row.scores, 0.0)
        values = weight * np.array([scores, known, ~known, np.abs(scores)])
        before, total = total, total + values
        added = total - before
        lost += (before - (total - added)) + (values - added)
        exact &= row.exact
    scored, defined, undefined, absolute = total + lost
    with np.errstate(invalid="ignore"):
        return ExpectedScores(scored / defined, absolute / defined, undefined, exact)


class RankedString(NamedTuple):
    """One of the candidate strings.

    Attributes:
        words: The words.
        score: Its expected score; `None` if it is undefined, or if confidence-based pruning dropped the string.
        cost: The model's cost of its cheapest path.
        probability: Its probability in the evidence.
    """

    words: tuple[str, ...]
    score: float | None
    cost: float
    probability: float


@dataclass(frozen=True, repr=False)
class MetricMBR(Result):
    """The result of MBR with a metric or with an external utility.

    Attributes:
        words: The string with the best expected score.
        score: Its expected score: Σ probability · metric over the strings of the evidence (the graph that gives the
            posteriors). Each of these strings is used as a single reference. `None` if it is undefined, as for a graph
            with the empty string only.
        higher_is_better: True if higher scores are better, False if the score is a risk.
        cost: The model's cost of the string.
        confidences: For each word, the probability that the evidence has it, at any position.
        one_best: The candidate string with the least cost.
        ranked: All candidate strings, best first.
        evidence_strings: Number of distinct strings of the evidence.
        effective_size: Number of equally probable strings that would be as informative: 1 / Σ probability².
        undefined: The total probability of those strings of the evidence that have an undefined score; the expected
            score omits these strings.
        exact: False if the answer is an estimate: paths were sampled, a search of METEOR's alignments stopped early, or
            hypotheses were pruned and the answer is not certified.
        posterior_scale: The factor of the costs.
        samples: Number of sampled paths; `None` if all were listed.
        seed: The seed of the samples; `None` if all paths were listed.
        beam: The beam of the pruning; `None` if the graphs were not pruned.
        signature: The metric, its parameters and the version.
        pruning: How confidence-based pruning found the answer; `None` if all pairs were scored.
        times: Begin and end of each word on the cheapest path, in seconds; `None` if the lattice has no times.
    """

    words: tuple[str, ...]
    score: float | None
    higher_is_better: bool
    cost: float
    confidences: tuple[float, ...]
    one_best: tuple[str, ...]
    ranked: tuple[RankedString, ...]
    evidence_strings: int
    effective_size: float
    undefined: float
    exact: bool
    posterior_scale: float
    samples: int | None
    seed: int | None
    beam: float | None
    signature: str
    pruning: PairPruning | None = None
    times: Times | None = None

    _AS_THEY_ARE = ("evidence_strings", "effective_size", "undefined", "exact", "posterior_scale", "samples", "seed")

    @property
    def gain(self) -> float | None:
        """The expected score if higher scores of the metric are better, else `None`."""
        return self.score if self.higher_is_better else None

    @property
    def risk(self) -> float | None:
        """The expected score if the metric counts errors, else `None`."""
        return None if self.higher_is_better else self.score

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON, without the ranking.

        Fields:
            gain (float): The expected score; metrics that count errors have `risk` in its place.
            one_best (str): The words of the candidate with the least cost.
            hypotheses (int): Number of distinct candidates.
            pruning (PairPruning | None): With `--pruning-confidence`: `confidence`; number of scored `pairs` and of
                `all_pairs`; number of hypotheses `dropped`; `certified`; and the estimated `risk` that a dropped
                hypothesis is better.
        """
        return {
            "hypothesis": " ".join(self.words),
            "gain" if self.higher_is_better else "risk": self.score,
            "cost": self.cost,
            "confidences": list(self.confidences),
            "times": pairs_of(self.times),
            "one_best": " ".join(self.one_best),
            "hypotheses": len(self.ranked),
            **{name: getattr(self, name) for name in self._AS_THEY_ARE},
            "beam": self.beam,
            "pruning": None if self.pruning is None else self.pruning.asdict(),
            "signature": self.signature,
        }


def metric_mbr(
    graph: Graph,
    by: ByScores,
    *,
    hypotheses: Graph | None = None,
    evidence: Graph | None = None,
    weights: Weights | None = None,
) -> MetricMBR:
    """Rank the strings of a graph by their expected score; see `mbr`."""
    if hypotheses is not None and evidence is not None:
        raise UsageError(
            "the graph has no effect if hypotheses and evidence are given", advice="give only one of the two"
        )
    hypotheses = graph if hypotheses is None else hypotheses
    evidence = graph if evidence is None else evidence
    own, others = weights_of_each(weights, hypotheses, evidence)
    believed = string_distribution(evidence, by, others, by.evidence_weights)
    candidates = believed if hypotheses is evidence else string_distribution(hypotheses, by, own)
    scorer = _scorer(by, (hypotheses, candidates.strings), (evidence, believed.strings))
    number, pruning = len(candidates.strings), None
    if by.pruning_confidence is None:
        scores, sizes, undefined, exact = expected_scores(scorer, number, believed.probability)
    else:
        found = pruned_scores(scorer, believed.probability, number, by.pruning_confidence, by.seed)
        scores, sizes, undefined = found.scores, found.sizes, np.full(number, found.undefined)
        pruning = found.pruning
        exact = found.exact and pruning.certified
    if np.isnan(scores).all() and number > 1:  # a single string is the answer, whatever it scores
        raise InputError(
            f"{scorer.name} is undefined against all strings of the evidence (the graph that gives the posteriors)",
            advice="give evidence with words",
        )
    ranking = _ranking(scores, sizes, candidates, higher_is_better=scorer.higher_is_better)
    ranked = _ranked_strings(ranking, scores, candidates, believed)
    is_sampled = by.samples is not None
    return MetricMBR(
        words=ranked[0].words,
        score=ranked[0].score,
        higher_is_better=scorer.higher_is_better,
        cost=ranked[0].cost,
        confidences=_confidences(ranked[0].words, believed),
        one_best=candidates.strings[min(ranking, key=candidates.tie_key)],
        ranked=ranked,
        evidence_strings=len(believed.strings),
        effective_size=float(1 / (believed.probability**2).sum()),
        undefined=float(undefined[ranking[0]]),
        exact=exact and not is_sampled,
        posterior_scale=by.posterior_scale,
        samples=by.samples,
        seed=by.seed if is_sampled else None,
        beam=by.beam,
        signature=str(scorer.signature),
        pruning=pruning,
        times=_times(hypotheses, ranked[0].words, own),
    )


def _times(graph: Graph, words: _String, weights: Weights | None) -> Times | None:
    """Return the times of words on their cheapest path: of the paths without an error, an oracle takes the cheapest."""
    if not isinstance(graph, Lattice) or graph.times is None:
        return None
    if not words:
        return ()
    found = oracle(graph, [words], WER(), weights=weights)
    return times_along(graph, np.array(found.arcs, dtype=np.int64))


def _scorer(
    by: ByScores,
    hypotheses: tuple[Graph, Sequence[_String]],
    evidence: tuple[Graph, Sequence[_String]],
) -> Scorer:
    """Return the scorer of strings; `hypotheses` and `evidence` are pairs of a graph and its strings."""
    candidates, expected = hypotheses[1], evidence[1]
    if isinstance(by, ByMetric):
        return MetricScorer(metric_of(by.metric), candidates, expected)
    assert isinstance(by, ByUtility)
    if by.utility is None:
        raise UsageError("there is no utility", advice="give a function or a matrix: ByUtility(utility=…)")
    limits = checked_limits(by.utility_range)
    if callable(by.utility):
        function: Callable[[list[str], list[str]], Sequence[float]] = by.utility
        return FunctionScorer(function, candidates, expected, by.higher_is_better, limits)
    matrix = checked_matrix(by.utility, limits)
    (rows, row), (columns, column) = _entries(*hypotheses), _entries(*evidence)
    if matrix.shape != (rows, columns):
        raise InputError(
            f"the matrix of the utility has {matrix.shape[0]} rows and {matrix.shape[1]} columns",
            advice=f"it needs {rows} rows (hypotheses) and {columns} columns (references)",
        )
    low, high = (matrix.min(), matrix.max()) if by.utility_range is None and matrix.size else limits
    return MatrixScorer(matrix, row, column, by.higher_is_better, (float(low), float(high)))


def _entries(graph: Graph, strings: Sequence[_String]) -> tuple[int, list[int]]:
    """Return the number of entries of an n-best list, and for each string, the index of its first entry."""
    if not isinstance(graph, NBest):
        raise UsageError(
            "a matrix of utilities needs an n-best list, with one row per entry",
            advice="give a function, or a list of the graph's strings",
        )
    first: dict[_String, int] = {}
    for number, hypothesis in enumerate(graph.hypotheses):
        first.setdefault(hypothesis.words, number)
    return len(graph), [first[string] for string in strings]


def _ranking(scores: Floats, sizes: Floats, candidates: StringDistribution, *, higher_is_better: bool) -> list[int]:
    """Sort the strings by score, then by the tie rule; strings without a score come last.

    Two scores tie if their difference is smaller than the rounding errors of the two scores. The rounding error of a
    score is proportional to the mean absolute score (`sizes`). So a string with a score of −1e9 does not make all other
    strings tie.
    """
    merit = np.where(np.isnan(scores), -np.inf, scores if higher_is_better else -scores)
    order = np.argsort(-merit, kind="stable")
    size = np.nan_to_num(sizes[order])
    rounding = TIE * np.maximum(size, np.append(size[:1], size[:-1]))
    place = np.empty(len(order), dtype=np.int64)
    with np.errstate(invalid="ignore"):
        place[order] = np.cumsum(np.diff(merit[order], prepend=merit[order[0]]) < -rounding)
    places = place.tolist()
    return sorted(range(len(places)), key=lambda k: (places[k], candidates.tie_key(k)))


def _ranked_strings(
    ranking: Sequence[int], scores: Floats, candidates: StringDistribution, evidence: StringDistribution
) -> tuple[RankedString, ...]:
    """Return the candidates in the order of `ranking`, with their scores, costs and probabilities."""
    probability = dict(zip(evidence.strings, evidence.probability.tolist(), strict=True))
    values = [None if math.isnan(score) else score for score in scores.tolist()]
    cost, strings = candidates.cost.tolist(), candidates.strings
    return tuple(RankedString(strings[k], values[k], cost[k], probability.get(strings[k], 0.0)) for k in ranking)


def _confidences(words: tuple[str, ...], evidence: StringDistribution) -> tuple[float, ...]:
    probabilities: dict[str, list[float]] = {word: [] for word in words}
    for string, probability in zip(evidence.strings, evidence.probability.tolist(), strict=True):
        for word in probabilities.keys() & set(string):
            probabilities[word].append(probability)
    return tuple(min(math.fsum(probabilities[word]), 1.0) for word in words)
