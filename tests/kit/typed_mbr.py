"""Ways to call `mbr`, with the types that checkers see; mypy reads this file, and a test runs it."""

from typing import assert_type

import numpy as np

import latticemetric as lm
from latticemetric.graph import Graph
from latticemetric.mbr_decoding.metric import MetricMBR
from latticemetric.mbr_decoding.ngram import MBR
from latticemetric.mbr_decoding.risk import RiskMBR
from latticemetric.mbr_decoding.word import WordMBR


def answers(graph: lm.NBest) -> list[tuple[str, ...]]:
    """Decode a list of three strings in all ways."""
    weights = np.ones(3)
    by_ngrams = [
        assert_type(lm.mbr(graph), MBR),
        assert_type(lm.mbr(graph, p=0.7), MBR),
        assert_type(lm.mbr(graph, "ngram", order=2), MBR),
        assert_type(lm.mbr(graph, lm.ByNgrams(p=0.7, beam=3), evidence=graph), MBR),
        *assert_type(lm.mbr_grid(graph, lm.ByNgrams.grid(p=[0.7, 0.8])), list[MBR]),
    ]
    by_errors = [
        assert_type(lm.mbr(graph, "wer", posterior_scale=0.5), WordMBR),
        assert_type(lm.mbr(graph, lm.ByWordErrors(posterior_scale=0.5)), WordMBR),
    ]
    by_exact_errors = [
        assert_type(lm.mbr(graph, "wer", risk="exact", candidates=3), RiskMBR),
        assert_type(lm.mbr(graph, lm.ByExactErrors(candidates=3)), RiskMBR),
    ]
    by_scores = [
        assert_type(lm.mbr(graph, "chrf", samples=3, seed=1), MetricMBR),
        assert_type(lm.mbr(graph, lm.CHRF()), MetricMBR),
        assert_type(lm.mbr(graph, lm.ByMetric(metric="wrr", evidence_weights="counts"), hypotheses=graph), MetricMBR),
        assert_type(lm.mbr(graph, lm.ByMetric(metric=lm.WER(), evidence_weights=weights)), MetricMBR),
        assert_type(lm.mbr(graph, utility=lambda hypotheses, _: [1.0 for _ in hypotheses]), MetricMBR),
        assert_type(lm.mbr(graph, lm.ByUtility(utility=np.ones((3, 3)), utility_range=(0, 1))), MetricMBR),
    ]
    return [
        *(answer.words for answer in by_ngrams),
        *(answer.words for answer in by_errors),
        *(answer.words for answer in by_exact_errors),
        *(answer.words for answer in by_scores),
    ]


def fields(by: lm.ByNgrams) -> tuple[float, float | None, int]:
    """Return three fields; their types are those of the class."""
    return assert_type(by.p, float), assert_type(by.beam, float | None), assert_type(by.order, int)


def refused(graph: Graph) -> None:
    """Each line is an error for type checkers."""
    lm.mbr(graph, "wer", p=0.7)  # type: ignore[call-overload]
    lm.mbr(graph, "wer", candidates=3)  # type: ignore[call-overload]
    lm.mbr(graph, "bleu", order=3)  # type: ignore[call-overload]
    lm.mbr(graph, lm.ByNgrams(), p=0.7)  # type: ignore[call-overload]
    lm.mbr(graph, method="wer")  # type: ignore[call-overload]
    lm.mbr_grid(graph, [lm.ByWordErrors()])  # type: ignore[list-item]
    lm.ByNgrams(q=1)  # type: ignore[call-arg]
    lm.ByNgrams(p="x")  # type: ignore[arg-type]
    lm.ByNgrams().p = 3  # type: ignore[misc]
