"""Minimum Bayes risk: find the string with the best expected score under the model's own distribution.

`mbr` has three methods:

- `ngram`: the string whose n-grams are most probable (Tromble et al. 2008, Kumar et al. 2009). Ties are resolved by
  the tie rule (`latticemetric.engine.ties`). Strings with the same n-grams always tie; other strings tie if their gains
  are equal up to about the tenth digit.
- `wer`: the words with the least expected edit distance. The search minimises an upper bound of this distance
  (`word_mbr`) or, with `risk="exact"`, the distance itself (`risk_mbr`).
- Any other metric: the string with the best expected score against all strings of the evidence (the graph whose
  posteriors are used). Each string of the evidence is one reference with its own denominator, weighted by its
  probability (Kumar & Byrne 2004). A reference is ignored if scores against it are undefined, such as rates against an
  empty reference. For `wer` as a metric, give `latticemetric.WER()`. Graphs may have at most 10,000 paths; take a
  sample of larger graphs. Equal strings count as one. If expected scores are equal up to rounding, the string with the
  least cost wins, then the string with the fewest words, then the first in alphabetical order.

In place of a metric, `utility` takes an external function of pairs of texts (COMET, BLEURT, …), or a matrix of
scores; see `utility_matrix`.

    >>> from latticemetric import Lattice, mbr
    >>> lattice = Lattice.from_strings(["a b c", "a x c", "a y c"], costs=[0.0, 0.2, 0.2])
    >>> mbr(lattice).words, mbr(lattice, evidence=Lattice.from_strings(["x c", "x"])).words
    (('a', 'b', 'c'), ('a', 'x', 'c'))
    >>> best = mbr(lattice, "2-grr")
    >>> best.words, round(best.gain, 3), best.one_best
    (('a', 'b', 'c'), 0.627, ('a', 'b', 'c'))
    >>> def overlap(hypotheses, references):
    ...     return [len({*h.split()} & {*r.split()}) for h, r in zip(hypotheses, references, strict=True)]
    >>> mbr(lattice, utility=overlap).words
    ('a', 'b', 'c')
    >>> exact = mbr(lattice, "wer", risk="exact")
    >>> exact.words, round(exact.risk, 3), exact.improvement
    (('a', 'b', 'c'), 0.621, 0.0)
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from latticemetric.arguments import numbers_to_try
from latticemetric.errors import UsageError
from latticemetric.graph import Graph, as_lattice, scales_of_each
from latticemetric.lattice.lattice import Scales
from latticemetric.mbr_decoding.metric import MetricMBR, OutsideUtility, Selection, Weights, metric_mbr
from latticemetric.mbr_decoding.ngram import MBR, GainParameters, NgramMBR, determinized
from latticemetric.mbr_decoding.risk import RiskMBR, risk_mbr
from latticemetric.mbr_decoding.utility import Range, Utility
from latticemetric.mbr_decoding.word import FOR_FORESTS, WordMBR, word_mbr
from latticemetric.metrics.base import Metric
from latticemetric.metrics.registry import make_metric, metric_names

Values = float | Iterable[float]


@overload
def mbr(  # type: ignore[overload-overlap]  # two names mean methods, all others metrics
    graph: Graph,
    method: Literal["wer"],
    *,
    scale: float = ...,
    beam: float | None = ...,
    determinize: bool = ...,
    scales: Scales | None = ...,
    risk: Literal["bound"] = ...,
) -> WordMBR: ...


@overload
def mbr(
    graph: Graph,
    method: Literal["wer"],
    *,
    scale: float = ...,
    beam: float | None = ...,
    determinize: bool = ...,
    scales: Scales | None = ...,
    risk: Literal["exact"],
    candidates: int | None = ...,
    most_states: int | None = ...,
) -> RiskMBR: ...


@overload
def mbr(  # type: ignore[overload-overlap]
    graph: Graph,
    method: Literal["ngram"] = ...,
    *,
    scale: float = ...,
    T: float = ...,  # noqa: N803
    p: float = ...,
    r: float = ...,
    order: int = ...,
    word_penalty: float = ...,
    evidence: Graph | None = ...,
    beam: float | None = ...,
    determinize: bool = ...,
    scales: Scales | None = ...,
) -> MBR: ...


@overload
def mbr(
    graph: Graph,
    method: str | Metric[Any],
    *,
    scale: float = ...,
    evidence: Graph | None = ...,
    hypotheses: Graph | None = ...,
    samples: int | None = ...,
    seed: int = ...,
    weights: Weights = ...,
    pruning_confidence: float | None = ...,
    beam: float | None = ...,
    determinize: bool = ...,
    scales: Scales | None = ...,
) -> MetricMBR: ...


@overload
def mbr(
    graph: Graph,
    *,
    utility: Utility,
    higher_is_better: bool = ...,
    utility_range: Range | None = ...,
    scale: float = ...,
    evidence: Graph | None = ...,
    hypotheses: Graph | None = ...,
    samples: int | None = ...,
    seed: int = ...,
    weights: Weights = ...,
    pruning_confidence: float | None = ...,
    beam: float | None = ...,
    determinize: bool = ...,
    scales: Scales | None = ...,
) -> MetricMBR: ...


@np.errstate(under="ignore")  # tiny probabilities are 0, also for users who let NumPy raise errors
def mbr(  # noqa: D417  parameters of one kind share a line
    graph: Graph,
    method: str | Metric[Any] = "ngram",
    *,
    scale: float = 1.0,
    T: float = 10.0,  # noqa: N803  as all papers have it
    p: float = 0.85,
    r: float = 0.72,
    order: int = 4,
    word_penalty: float = 0.0,
    evidence: Graph | None = None,
    hypotheses: Graph | None = None,
    samples: int | None = None,
    seed: int = 0,
    utility: Utility | None = None,
    higher_is_better: bool = True,
    utility_range: Range | None = None,
    weights: Weights = "probabilities",
    pruning_confidence: float | None = None,
    beam: float | None = None,
    determinize: bool = False,
    scales: Scales | None = None,
    risk: Literal["bound", "exact"] = "bound",
    candidates: int | None = None,
    most_states: int | None = None,
) -> MBR | WordMBR | RiskMBR | MetricMBR:
    """Return the string of a graph with the best expected score.

    Args:
        graph: A lattice, an n-best list, or a forest: the strings to choose from.
        method: `ngram`, `wer`, or a metric, as an object or by name (`wrr`, `bleu`, `meteor`, …; `grr` means `4-grr`).
        scale: Factor of the costs, before they become probabilities; below 1, it makes the distribution flatter.
        T, p, r, order, word_penalty: For `ngram`; see `GainParameters`.
        evidence: Another graph, which gives the posteriors in place of `graph`. Words are matched by their spelling.
        hypotheses: For metrics: another graph to choose strings from; `graph` then gives the posteriors.
        samples: For metrics: number of paths to sample from each graph. Default: all paths are listed (at most 10,000).
        seed: The seed of the samples, and of confidence-based pruning.
        utility: In place of a method: a function of texts, or a matrix or its `.npy` file; see `utility_matrix`.
        higher_is_better: For a utility: False if it counts errors.
        utility_range: For a utility: the lowest and the highest possible score.
        weights: For metrics: weights of the entries of an n-best list: `probabilities`, `counts` (1 each), or numbers.
        pruning_confidence: For metrics: to save time, drop strings that lose this share of resamples (`PairPruning`).
        beam: Drop paths that cost more than the best cost plus `beam`. Costs are compared before `scale` is applied.
        determinize: As in HiFST, give a string the probability of its best path, not of all its paths; needs pynini.
        scales: Weights of score columns of the graph or of the evidence; other columns keep their default weights.
        risk, candidates, most_states: For `wer`: `risk="exact"` computes exact risks of candidates; see `risk_mbr`.
    """
    method = _checked_method(method, risk, candidates, most_states)
    if determinize and method != "ngram":
        graph, evidence, hypotheses = _all_determinized(graph, evidence, hypotheses, beam, scales)
        beam = scales = None
    if utility is not None or method not in ("ngram", "wer"):
        scored, how = _utility(method, utility, higher_is_better, utility_range), Selection(scale, samples, seed, beam)
        given: dict[str, Any] = {"weights": weights, "pruning_confidence": pruning_confidence, "scales": scales}
        return metric_mbr(graph, scored, how, hypotheses=hypotheses, evidence=evidence, **given)
    _refuse_options_of_metrics(method, hypotheses, samples, weights, pruning_confidence)
    if method == "wer":
        return _by_word_errors(graph, evidence, _Risks(risk, candidates, most_states), (scale, beam, scales))
    parameters = GainParameters(scale, T, p, r, order, word_penalty)
    search = NgramMBR(graph, evidence, beam, scales, determinize=determinize)
    return search.answer(search.posteriors(scale, order), parameters)


class _Risks(NamedTuple):
    """The options of MBR by word errors; see `risk_mbr`."""

    risk: Literal["bound", "exact"]
    candidates: int | None
    most_states: int | None


def _all_determinized(
    graph: Graph, evidence: Graph | None, hypotheses: Graph | None, beam: float | None, scales: Scales | None
) -> tuple[Graph, Graph | None, Graph | None]:
    other = evidence if evidence is not None else hypotheses
    own_scales, other_scales = scales_of_each(scales, graph, graph if other is None else other)
    evidence, hypotheses = (
        one if one is None else determinized(one, beam, other_scales) for one in (evidence, hypotheses)
    )
    return determinized(graph, beam, own_scales), evidence, hypotheses


def _refuse_options_of_metrics(
    method: str | Metric[Any],
    hypotheses: Graph | None,
    samples: int | None,
    weights: Weights,
    pruning_confidence: float | None,
) -> None:
    for is_given, what in (
        (hypotheses is not None, "other hypotheses"),
        (samples is not None, "samples"),
        (not (isinstance(weights, str) and weights == "probabilities"), "weights"),
        (pruning_confidence is not None, "pruning_confidence"),
    ):
        if is_given:
            raise UsageError(f"MBR by '{method}' does not use {what}", advice="name a metric, like '4-grr'")


def _by_word_errors(
    graph: Graph,
    evidence: Graph | None,
    risks: _Risks,
    given: tuple[float, float | None, Scales | None],
) -> WordMBR | RiskMBR:
    scale, beam, scales = given
    if evidence is not None:
        raise UsageError("MBR by word errors does not use a graph as evidence", advice="choose the method 'ngram'")
    lattice = as_lattice(graph, scales, advice=FOR_FORESTS)
    pruned = lattice if beam is None else lattice.pruned(beam, scales)
    if risks.risk == "bound":
        return word_mbr(pruned, scale=scale, scales=scales)
    limits = {"candidates": risks.candidates, "most_states": risks.most_states}
    given_limits = {name: number for name, number in limits.items() if number is not None}
    return risk_mbr(pruned, scale=scale, scales=scales, **given_limits)


def _utility(
    method: str | Metric[Any],
    utility: Utility | None,
    higher_is_better: bool,  # noqa: FBT001  as in `mbr`
    limits: Range | None,
) -> Metric[Any] | OutsideUtility:
    """Return the metric or the external utility."""
    if utility is None:
        if not higher_is_better or limits is not None:
            raise UsageError(
                "higher_is_better and utility_range have no effect without a utility", advice="leave them out"
            )
        return mbr_metric(method)
    if method != "ngram":
        raise UsageError("both a method and a utility are given", advice="give one of the two")
    if isinstance(utility, Metric) or (isinstance(utility, str) and not utility.endswith(".npy")):
        return mbr_metric(utility)
    return OutsideUtility(utility, higher_is_better, limits)


def _checked_method(
    method: str | Metric[Any], risk: str, candidates: int | None, most_states: int | None
) -> str | Metric[Any]:
    """Return the method; make names lower case. Raise `UsageError` if options of exact risks are wrong or unused."""
    method = method.strip().lower() if isinstance(method, str) else method
    if risk not in ("bound", "exact"):
        raise UsageError(f"the risk is {risk!r}", advice="choose 'bound' or 'exact'")
    if risk == "exact" and method != "wer":
        raise UsageError("exact risks are computed for word errors only", advice="choose the method 'wer'")
    if risk == "bound" and not (candidates is None and most_states is None):
        raise UsageError("candidates and most_states have no effect without exact risks", advice="give risk='exact'")
    return method


def mbr_metric(method: str | Metric[Any], **parameters: Any) -> Metric[Any]:
    """Return the metric of a method: the metric object itself, or the metric with this name (`grr` means `4-grr`)."""
    if isinstance(method, Metric):
        return method
    name = str(method)
    try:
        metric: Metric[Any] = make_metric("4-grr" if name == "grr" else name, **parameters)
    except UsageError as error:
        if not error.what.startswith("there is no metric"):
            raise
        known = ", ".join(metric_names())
        raise UsageError(f"there is no MBR by '{name}'", advice=f"choose 'ngram', 'wer' or one of {known}") from None
    return metric


@np.errstate(under="ignore")  # tiny probabilities are 0, also for users who let NumPy raise errors
def mbr_grid(
    graph: Graph,
    method: str = "ngram",
    *,
    scale: Values = 1.0,
    T: Values = 10.0,  # noqa: N803
    p: Values = 0.85,
    r: Values = 0.72,
    order: int = 4,
    word_penalty: Values = 0.0,
    evidence: Graph | None = None,
    beam: float | None = None,
    determinize: bool = False,
    scales: Scales | None = None,
) -> list[MBR]:
    """Return the results of `mbr` by n-grams for all combinations of parameters; compute posteriors once per scale.

    Each of `scale`, `T`, `p`, `r` and `word_penalty` is a number or several numbers; `word_penalty` varies fastest.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a c", "c d"], costs=[0.0, 0.3, 0.7])
        >>> for answer in mbr_grid(lattice, scale=[1.0, 4.0], word_penalty=[-0.1, 0.0]):
        ...     print(answer.parameters.scale, answer.parameters.word_penalty, *answer.words)
        1.0 -0.1 a b c
        1.0 0.0 a c
        4.0 -0.1 a b c
        4.0 0.0 a b c
    """
    if method != "ngram":
        raise UsageError(f"there is no MBR by '{method}'", advice="choose 'ngram' (or 'wer', for one answer)")
    given = {"scale": scale, "T": T, "p": p, "r": r, "word_penalty": word_penalty}
    axes = [numbers_to_try(values, name) for name, values in given.items()]
    settings = [
        GainParameters(s, t, precision, ratio, order, penalty) for s, t, precision, ratio, penalty in product(*axes)
    ]
    search = NgramMBR(graph, evidence, beam, scales, determinize=determinize)
    posteriors = {scale: search.posteriors(scale, order) for scale in dict.fromkeys(s.scale for s in settings)}
    return [search.answer(posteriors[setting.scale], setting) for setting in settings]
