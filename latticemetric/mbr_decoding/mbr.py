"""Minimum Bayes risk: find the string with the best expected score under the model's own distribution.

`mbr` has three methods:

- `ngram`: the string whose n-grams are most probable (Tromble et al. 2008, Kumar et al. 2009). Ties are resolved by
  the tie rule (`latticemetric.engine.ties`). Strings with the same n-grams tie; if the gains of other strings are equal
  by chance, their tenth digit decides.
- `wer`: the words with the least expected edit distance; see `word_mbr`.
- Any other metric: the string with the best expected score against all strings of the evidence (the graph whose
  posteriors are used). Each string of the evidence is one reference with its own denominator, weighted by its
  probability (Kumar & Byrne 2004). For `wer` as a metric, give `latticemetric.WER()`. If the score against a string is
  undefined, that string does not count: an empty reference has no rate. Compare all strings of graphs with at most
  10,000 paths, or a sample; equal strings count as one. Ties: best expected score (up to rounding), least cost, fewest
  words, the alphabet.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any, Literal, overload

from latticemetric.errors import UsageError
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.lattice import Scales
from latticemetric.mbr_decoding.metric import MetricMBR, Selection, metric_mbr
from latticemetric.mbr_decoding.ngram import MBR, GainParameters, NgramMBR
from latticemetric.mbr_decoding.word import FOR_FORESTS, WordMBR, word_mbr
from latticemetric.metrics.base import Metric
from latticemetric.metrics.registry import make_metric, metric_names

Values = float | Iterable[float]


@overload
def mbr(  # type: ignore[overload-overlap]  # two names mean methods, all others metrics
    graph: Graph, method: Literal["wer"], *, scale: float = ..., prune: float | None = ..., scales: Scales | None = ...
) -> WordMBR: ...


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
    prune: float | None = ...,
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
    prune: float | None = ...,
    scales: Scales | None = ...,
) -> MetricMBR: ...


def mbr(
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
    prune: float | None = None,
    scales: Scales | None = None,
) -> MBR | WordMBR | MetricMBR:
    """Return the string of a graph with the best expected score.

    Args:
        graph: A lattice, an n-best list, or a forest: the strings to choose from.
        method: `ngram`, `wer`, or a metric: an object or a name (`4-grr`, `grr` for short, `wrr`, `bleu`, `meteor`, …).
        scale: Factor of the costs, before they become probabilities; below 1, it makes the distribution flatter.
        T: The weight of words against n-grams; see `GainParameters`. T, p, r, order and word_penalty are for `ngram`.
        p: Average precision of unigrams.
        r: Ratio of the precision of each order to that of the order before.
        order: The longest n-grams.
        word_penalty: An additional cost of each word.
        evidence: Another graph, whose posteriors are used. Its words are matched by their spelling.
        hypotheses: For metrics: another graph to choose strings from; `graph` then gives the posteriors.
        samples: For metrics: number of paths to sample from each graph; by default, list all paths (at most 10,000).
        seed: The seed of the samples.
        prune: Drop paths that cost this much more than the best one. Costs are compared before `scale` is applied.
        scales: Weight of each score column of the graph or of the evidence; other columns keep their own.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a x c", "a y c"], costs=[0.0, 0.2, 0.2])
        >>> mbr(lattice).words, mbr(lattice, evidence=Lattice.from_strings(["x c", "x"])).words
        (('a', 'b', 'c'), ('a', 'x', 'c'))
        >>> best = mbr(lattice, "2-grr")
        >>> best.words, round(best.gain, 3), best.one_best
        (('a', 'b', 'c'), 0.627, ('a', 'b', 'c'))
    """
    method = method.strip().lower() if isinstance(method, str) else method
    if method not in ("ngram", "wer"):
        selection, metric = Selection(scale, samples, seed, prune), mbr_metric(method)
        return metric_mbr(graph, metric, selection, hypotheses=hypotheses, evidence=evidence, scales=scales)
    if hypotheses is not None or samples is not None:
        unknown = "other hypotheses" if samples is None else "samples"
        raise UsageError(f"MBR by '{method}' takes no {unknown}", advice="name a metric, like '4-grr'")
    if method == "wer":
        if evidence is not None:
            raise UsageError("MBR by word errors takes no graph as evidence", advice="choose the method 'ngram'")
        lattice = as_lattice(graph, scales, advice=FOR_FORESTS)
        return word_mbr(lattice if prune is None else lattice.pruned(prune, scales), scale=scale, scales=scales)
    (answer,) = mbr_grid(
        graph, scale=scale, T=T, p=p, r=r, order=order, word_penalty=word_penalty,
        evidence=evidence, prune=prune, scales=scales,
    )  # fmt: skip
    return answer


def mbr_metric(method: str | Metric[Any], **parameters: Any) -> Metric[Any]:
    """Return the metric of a method: a metric object, a name that `make_metric` knows, or `grr` for `4-grr`."""
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
    prune: float | None = None,
    scales: Scales | None = None,
) -> list[MBR]:
    """Return the results of `mbr` for all combinations of parameters; compute posteriors only once per scale.

    Each of `scale`, `T`, `p`, `r` and `word_penalty` is a number or several; the last one varies fastest.

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
    axes = [values if isinstance(values, Iterable) else [values] for values in (scale, T, p, r, word_penalty)]
    settings = [
        GainParameters(s, t, precision, ratio, order, penalty)
        for s, t, precision, ratio, penalty in product(*(map(float, values) for values in axes))
    ]
    search = NgramMBR(graph, evidence, prune, scales)
    posteriors = {scale: search.posteriors(scale, order) for scale in dict.fromkeys(s.scale for s in settings)}
    return [search.answer(posteriors[setting.scale], setting) for setting in settings]
