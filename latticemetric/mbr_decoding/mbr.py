"""Minimum Bayes risk: find the string with the best expected score under the model's own distribution.

`mbr` has three methods:

- `ngram`: the string whose n-grams are most probable (Tromble et al. 2008, Kumar et al. 2009). Strings with the same
  n-grams always tie; other strings tie if their gains are equal up to about the tenth digit. Of strings that tie, the
  cheapest wins (so the 1-best, if it is one of them), then the one with the fewest words; then, in a lattice, the first
  in an order that words, scores and times decide, not the numbers of states and arcs; in a forest, the tie rule decides
  (`latticemetric.engine.ties`).
- `wer`: the words with the least expected edit distance. The search minimises an upper bound of this distance
  (`word_mbr`) or, with `risk="exact"`, the distance itself (`risk_mbr`). Of equal risks (up to 1e-9), the 1-best wins.
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
from typing import Any, Literal, overload

import numpy as np

from latticemetric.errors import UsageError
from latticemetric.graph import Graph, as_lattice, weights_of_each
from latticemetric.lattice.lattice import Weights
from latticemetric.mbr_decoding.metric import MetricMBR, metric_mbr
from latticemetric.mbr_decoding.ngram import MBR, NgramMBR, determinized
from latticemetric.mbr_decoding.risk import RiskMBR, risk_mbr
from latticemetric.mbr_decoding.settings import (
    ByExactErrors,
    ByMetric,
    ByNgrams,
    ByScores,
    ByUtility,
    ByWordErrors,
    Decision,
    EvidenceWeights,
    decided_by,
)
from latticemetric.mbr_decoding.utility import Range, Utility
from latticemetric.mbr_decoding.word import FOR_FORESTS, WordMBR, word_mbr
from latticemetric.metrics.base import Metric
from latticemetric.renamed import says_new_keywords


@overload
def mbr(graph: Graph, by: ByNgrams, *, evidence: Graph | None = ..., weights: Weights | None = ...) -> MBR: ...


@overload
def mbr(graph: Graph, by: ByWordErrors, *, weights: Weights | None = ...) -> WordMBR: ...


@overload
def mbr(graph: Graph, by: ByExactErrors, *, weights: Weights | None = ...) -> RiskMBR: ...


@overload
def mbr(
    graph: Graph,
    by: ByMetric | ByUtility,
    *,
    evidence: Graph | None = ...,
    hypotheses: Graph | None = ...,
    weights: Weights | None = ...,
) -> MetricMBR: ...


@overload
def mbr(
    graph: Graph,
    by: Decision,
    *,
    evidence: Graph | None = ...,
    hypotheses: Graph | None = ...,
    weights: Weights | None = ...,
) -> MBR | WordMBR | RiskMBR | MetricMBR: ...


# The overloads of names are made from the settings: python tests/kit/overloads.py


@overload
def mbr(  # type: ignore[overload-overlap]  # two names mean methods, all others metrics
    graph: Graph,
    by: Literal["wer"],
    *,
    weights: Weights | None = ...,
    risk: Literal["bound"] = ...,
    posterior_scale: float = ...,
    beam: float | None = ...,
    determinize: bool = ...,
) -> WordMBR: ...


@overload
def mbr(
    graph: Graph,
    by: Literal["wer"],
    *,
    weights: Weights | None = ...,
    risk: Literal["exact"],
    posterior_scale: float = ...,
    beam: float | None = ...,
    determinize: bool = ...,
    candidates: int = ...,
    most_states: int = ...,
) -> RiskMBR: ...


@overload
def mbr(  # type: ignore[overload-overlap]  # two names mean methods, all others metrics
    graph: Graph,
    by: Literal["ngram"] = ...,
    *,
    evidence: Graph | None = ...,
    weights: Weights | None = ...,
    posterior_scale: float = ...,
    beam: float | None = ...,
    determinize: bool = ...,
    p: float = ...,
    r: float = ...,
    T: float = ...,  # noqa: N803  as all papers have it
    word_penalty: float = ...,
    order: int = ...,
    most_items: int = ...,
    seconds: float | None = ...,
) -> MBR: ...


@overload
def mbr(
    graph: Graph,
    by: str | Metric[Any],
    *,
    evidence: Graph | None = ...,
    hypotheses: Graph | None = ...,
    weights: Weights | None = ...,
    posterior_scale: float = ...,
    beam: float | None = ...,
    determinize: bool = ...,
    samples: int | None = ...,
    seed: int = ...,
    evidence_weights: EvidenceWeights = ...,
    pruning_confidence: float | None = ...,
) -> MetricMBR: ...


@overload
def mbr(
    graph: Graph,
    by: Literal["ngram"] = ...,
    *,
    evidence: Graph | None = ...,
    hypotheses: Graph | None = ...,
    weights: Weights | None = ...,
    posterior_scale: float = ...,
    beam: float | None = ...,
    determinize: bool = ...,
    samples: int | None = ...,
    seed: int = ...,
    evidence_weights: EvidenceWeights = ...,
    pruning_confidence: float | None = ...,
    utility: Utility,
    higher_is_better: bool = ...,
    utility_range: Range | None = ...,
) -> MetricMBR: ...


# End of the overloads of names


@np.errstate(under="ignore")  # tiny probabilities are 0, also for users who let NumPy raise errors
@says_new_keywords
def mbr(
    graph: Graph,
    by: str | Metric[Any] | Decision = "ngram",
    *,
    evidence: Graph | None = None,
    hypotheses: Graph | None = None,
    weights: Weights | None = None,
    **settings: Any,
) -> Any:
    """Return the string of a graph with the best expected score.

    Args:
        graph: A lattice, an n-best list, or a forest: the strings to choose from.
        by: How to decide: the settings, such as `ByNgrams(p=0.7)`; or `ngram`, `wer` or a metric, by name or as an
            object (`wrr`, `bleu`, `meteor`, …; `grr` means `4-grr`). Keywords then give the settings.
        evidence: Another graph, which gives the posteriors in place of `graph`. Words are matched by their spelling.
        hypotheses: For metrics: another graph to choose strings from; `graph` then gives the posteriors.
        weights: Weights of score columns of the graph or of the evidence; other columns keep their default weights.
        settings: The settings of `ByNgrams` (`ngram`); `ByWordErrors` (`wer`) or, with `risk="exact"`, `ByExactErrors`;
            `ByMetric` (a metric); or, with `utility=…`, `ByUtility`.

    Raises:
        UsageError: This way to decide does not have one of the settings, or cannot use other evidence or hypotheses.
    """
    decision = decided_by(by, settings)
    for name, other in (("evidence", evidence), ("hypotheses", hypotheses)):
        if other is not None and name not in decision.takes:
            raise UsageError(f"MBR by {decision.named} does not use other {name}", advice="leave them out")
    if isinstance(decision, ByNgrams):
        search = NgramMBR(graph, decision, evidence, weights)
        return search.answer(search.posteriors(decision), decision)
    if decision.determinize:
        graph, evidence, hypotheses = _all_determinized(graph, evidence, hypotheses, decision.beam, weights)
        decision, weights = decision.__replace__(beam=None), None
    if isinstance(decision, ByScores):
        return metric_mbr(graph, decision, hypotheses=hypotheses, evidence=evidence, weights=weights)
    assert isinstance(decision, ByWordErrors | ByExactErrors)
    return _by_word_errors(graph, decision, weights)


def _all_determinized(
    graph: Graph, evidence: Graph | None, hypotheses: Graph | None, beam: float | None, weights: Weights | None
) -> tuple[Graph, Graph | None, Graph | None]:
    other = evidence if evidence is not None else hypotheses
    own_weights, other_weights = weights_of_each(weights, graph, graph if other is None else other)
    evidence, hypotheses = (
        one if one is None else determinized(one, beam, other_weights) for one in (evidence, hypotheses)
    )
    return determinized(graph, beam, own_weights), evidence, hypotheses


def _by_word_errors(graph: Graph, by: ByWordErrors | ByExactErrors, weights: Weights | None) -> WordMBR | RiskMBR:
    lattice = as_lattice(graph, weights, advice=FOR_FORESTS)
    pruned = lattice if by.beam is None else lattice.pruned(by.beam, weights)
    if isinstance(by, ByExactErrors):
        return risk_mbr(pruned, by, weights)
    return word_mbr(pruned, posterior_scale=by.posterior_scale, weights=weights)


@np.errstate(under="ignore")  # tiny probabilities are 0, also for users who let NumPy raise errors
@says_new_keywords
def mbr_grid(
    graph: Graph, settings: Iterable[ByNgrams], *, evidence: Graph | None = None, weights: Weights | None = None
) -> list[MBR]:
    """Return the results of `mbr` for several settings of n-grams; compute posteriors once per scale and order.

    Examples:
        >>> from latticemetric import ByNgrams, Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a c", "c d"], costs=[0.0, 0.3, 0.7])
        >>> for answer in mbr_grid(lattice, ByNgrams.grid(posterior_scale=[1.0, 4.0], word_penalty=[-0.1, 0.0])):
        ...     print(answer.by.posterior_scale, answer.by.word_penalty, *answer.words)
        1.0 -0.1 a b c
        1.0 0.0 a c
        4.0 -0.1 a b c
        4.0 0.0 a b c
    """
    answers, searches, posteriors = [], dict[Any, NgramMBR](), dict[Any, Any]()
    if not isinstance(settings, Iterable):
        raise UsageError(
            f"{settings!r} is no list of settings", advice="give several, such as ByNgrams.grid(p=[0.7, 0.8])"
        )
    for by in settings:
        if not isinstance(by, ByNgrams):
            raise UsageError(f"{by!r} are no settings by n-grams", advice="give objects like ByNgrams(p=0.7)")
        pruning, posterior_scale = (by.beam, by.determinize), (by.beam, by.determinize, by.posterior_scale, by.order)
        if pruning not in searches:
            searches[pruning] = NgramMBR(graph, by, evidence, weights)
        if posterior_scale not in posteriors:
            posteriors[posterior_scale] = searches[pruning].posteriors(by)
        answers.append(searches[pruning].answer(posteriors[posterior_scale], by))
    return answers
