"""Compute sentence scores of every candidate against every reference, one row per reference."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.metrics.base import Metric
from latticemetric.metrics.recognition import GRR, WER, WRR
from latticemetric.metrics.segments import numbered_strings

_Floats = npt.NDArray[np.float64]
_String = tuple[str, ...]

# The largest number of pairs whose gains are held at a time.
_PAIRS_AT_ONCE = 1 << 20

# Doubles hold all whole numbers up to this one exactly.
_LARGEST_EXACT = 1 << 53


class ScoreRow(NamedTuple):
    """The scores of all candidates against one reference."""

    scores: _Floats  # `metric.score` of each candidate; NaN if undefined
    exact: bool  # false if the search of an alignment was cut short (METEOR)


def score_rows(metric: Metric[Any], candidates: Sequence[_String], references: Sequence[_String]) -> Iterator[ScoreRow]:
    """Yield the scores of all candidates against each reference; memory does not grow with the number of pairs.

    Recognition rates come from a kernel that computes no alignments, unless penalties have too many digits for it. For
    other metrics, each reference is a separate test set, so that statistics are the same as in `metric.score`.
    """
    # A subclass may compute a different score from the gains.
    rate = metric if isinstance(metric, GRR) and type(metric) in (GRR, WRR, WER) else None
    if rate is not None:
        order, unit, alpha, beta = rate.gains
        words, expected = (max(map(len, strings), default=0) + 1 for strings in (candidates, references))
        if (order * unit + abs(beta)) * expected + abs(alpha) * words < _LARGEST_EXACT:
            yield from _rates(rate, candidates, references)
            return
    for reference in references:
        if rate is not None:  # one by one, in exact fractions
            scores = [rate.score(candidate, [reference]) for candidate in candidates]
            yield ScoreRow(np.array([np.nan if score is None else score for score in scores]), exact=True)
            continue
        table = metric.table(candidates, [[reference]] * len(candidates))
        exact = "inexact" not in metric.columns or not table[:, metric.columns.index("inexact")].any()
        yield ScoreRow(np.asarray(metric.values(table), dtype=np.float64), exact)


def _rates(metric: GRR, candidates: Sequence[_String], references: Sequence[_String]) -> Iterator[ScoreRow]:
    """Yield recognition rates; their gains must be whole numbers that doubles hold exactly."""
    numbers: dict[str, int] = defaultdict(count().__next__)
    numbered = numbered_strings(list(map(metric.counted, candidates)), numbers.__getitem__)
    # All reference words that are in no candidate share one number, so that numbers do not grow with the references.
    strange = len(numbers)
    most = max(1, _PAIRS_AT_ONCE // max(1, len(candidates)))
    for first in range(0, len(references), most):
        counted = list(map(metric.counted, references[first : first + most]))
        expected = numbered_strings(counted, lambda word: numbers.get(word, strange))
        gains = _native.pair_gains(*numbered, *expected, *metric.gains)
        for words, row in zip(expected.lengths.tolist(), gains, strict=True):
            size = sum(max(0, words - k) for k in range(metric.order)) * metric.gains.unit
            if not size:
                yield ScoreRow(np.full(len(row), np.nan), exact=True)
            else:  # M + S + D = |r|, so the errors S + D + I are |r| − (M − I)
                yield ScoreRow((size - row if isinstance(metric, WER) else row) / size, exact=True)
