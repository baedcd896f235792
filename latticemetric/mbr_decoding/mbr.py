"""Minimum Bayes risk: the string that is expected to score best, if the model's distribution is to be believed."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any, Literal, overload

from latticemetric.errors import UsageError
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.lattice import Scales
from latticemetric.mbr_decoding.metric import MetricMBR, metric_mbr
from latticemetric.mbr_decoding.ngram import MBR, NgramMBR
from latticemetric.mbr_decoding.ngram_gain import GainParameters
from latticemetric.mbr_decoding.strings import Choice
from latticemetric.mbr_decoding.word import FOR_FORESTS, WordMBR, word_mbr
from latticemetric.metrics.base import Metric
from latticemetric.metrics.registry import make_metric, metric_names
from latticemetric.posterior.ngrams import NgramPosteriors

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
    """The string of a graph that is expected to score best.

    - By `ngram`, the one whose n-grams are most probable (Tromble et al. 2008, Kumar et al. 2009).
    - By `wer`, the words of least expected edit distance (see `word_mbr`).
    - By any other metric, the string with the best expected score against all strings of the evidence, each of them
      the only reference with its own denominator, weighed by their probabilities (Kumar & Byrne 2004). `wer` as such a
      metric is `lm.WER()`. Strings against which a score is undefined are left out: an empty reference has no rate.

    `T`, `p`, `r`, `order` and `word_penalty` mean something to `ngram` only.

    Metrics look at the strings of an n-best list, at all strings of a graph that has no more than 10,000 paths, or at
    strings that are drawn. Equal strings count as one.

    Ties of n-grams are resolved: largest gain, then least cost, then fewest words, then smallest arc numbers (of
    derivations: smallest edge numbers in preorder). Strings of the same n-grams tie; where others gain as much by
    chance, the tenth digit of their gains decides. Ties of metrics: best expected score (as far as rounding tells),
    then least cost, then fewest words, then the alphabet.

    Args:
        graph: A lattice, an n-best list, or a forest: the strings to choose from.
        method: `ngram`, `wer`, or a metric: its name (`4-grr`, `grr` for short, `wrr`, `bleu`, `meteor`, …) or itself.
        scale: What costs are multiplied by before they become probabilities: below 1 makes them flatter.
        T: What n-grams are worth beside words, see `GainParameters`.
        p: Average precision of unigrams.
        r: How much less precise each order is than the one before.
        order: Words of the longest n-grams.
        word_penalty: A further cost of each word.
        evidence: A graph for the posteriors, where it is another one. Its words are matched by their spelling.
        hypotheses: A graph to choose strings from, where it is another one; then `graph` is the evidence. Of metrics.
        samples: How many paths are drawn from each graph, with their probabilities, instead of listing all. Of metrics.
        seed: Of the samples.
        prune: The cost above the best path or derivation, before scaling, that graphs are pruned to first.
        scales: Weight of each score column in the model's cost; columns not named keep their own. Columns may be those
            of the graph or those of the evidence.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a x c", "a y c"], costs=[0.0, 0.2, 0.2])
        >>> mbr(lattice).words
        ('a', 'b', 'c')
        >>> found = mbr(lattice, evidence=Lattice.from_strings(["x c", "x"]))
        >>> found.words, found.confidences
        (('a', 'x', 'c'), (0.0, 1.0, 0.5))
        >>> lattice = Lattice.from_strings(["a b c", "x y z", "x y c"], costs=[0.0, 0.2, 0.2])
        >>> found = mbr(lattice, "2-grr")
        >>> found.words, round(found.gain, 3), found.one_best
        (('x', 'y', 'c'), 0.573, ('a', 'b', 'c'))
    """
    if isinstance(method, str):
        method = method.strip().lower()
    if method not in ("ngram", "wer"):
        choice = Choice(scale, samples, seed, prune)
        return metric_mbr(graph, mbr_metric(method), choice, hypotheses=hypotheses, evidence=evidence, scales=scales)
    if hypotheses is not None or samples is not None:
        unknown = "other hypotheses" if samples is None else "samples"
        raise UsageError(f"MBR by '{method}' takes no {unknown}", advice="name a metric, like '4-grr'")
    if method == "wer":
        if evidence is not None:
            raise UsageError("MBR by word errors takes no other evidence", advice="choose the method 'ngram'")
        lattice = as_lattice(graph, scales, advice=FOR_FORESTS)
        return word_mbr(lattice if prune is None else lattice.pruned(prune, scales), scale=scale, scales=scales)
    (found,) = mbr_grid(
        graph, "ngram", scale=scale, T=T, p=p, r=r, order=order, word_penalty=word_penalty,
        evidence=evidence, prune=prune, scales=scales,
    )  # fmt: skip
    return found


def mbr_metric(method: str | Metric[Any], **parameters: Any) -> Metric[Any]:
    """The metric that a method is, or names: as `make_metric` knows them, and `grr` for `4-grr`."""
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
    """The answers of `mbr` for all combinations of parameters, posteriors computed once a scale.

    Each of `scale`, `T`, `p`, `r` and `word_penalty` is a number or several; the last one varies fastest.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a c", "c d"], costs=[0.0, 0.3, 0.7])
        >>> for found in mbr_grid(lattice, scale=[1.0, 4.0], word_penalty=[-0.1, 0.0]):
        ...     print(found.parameters.scale, found.parameters.word_penalty, *found.words)
        1.0 -0.1 a b c
        1.0 0.0 a c
        4.0 -0.1 a b c
        4.0 0.0 a b c
    """
    if method != "ngram":
        raise UsageError(f"there is no MBR by '{method}'", advice="choose 'ngram' (or 'wer', for one answer)")
    settings = [
        GainParameters(s, t, precision, ratio, order, penalty)
        for s, t, precision, ratio, penalty in product(*map(_several, (scale, T, p, r, word_penalty)))
    ]
    asked = NgramMBR(graph, evidence, prune, scales)
    counted: dict[float, NgramPosteriors] = {}
    for setting in settings:
        if setting.scale not in counted:
            counted[setting.scale] = asked.posteriors(setting.scale, order)
    return [asked.answer(counted[setting.scale], setting) for setting in settings]


def _several(values: Values) -> list[float]:
    return [float(value) for value in values] if isinstance(values, Iterable) else [float(values)]
