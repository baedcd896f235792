"""Sentence scores of every candidate against every reference, one row per reference."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.metrics.base import Metric, Text, words_of
from latticemetric.metrics.character_rates import CER, GCR, MixedErrorRate
from latticemetric.metrics.characters import code_points
from latticemetric.metrics.recognition import GRR, WER, WRR
from latticemetric.metrics.segments import NumberedStrings, numbered_strings

_Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int32]
_String = tuple[str, ...]

# The largest number of pairs whose gains are in memory at once.
_PAIRS_AT_ONCE = 1 << 20

_WORD_ERRORS = WER().gains
_OWN = (GRR, WRR, WER, GCR, MixedErrorRate)

# Doubles hold all whole numbers up to this one exactly.
_LARGEST_EXACT = 1 << 53


def error_counts(candidates: Sequence[Text], references: Sequence[Text], metric: WER | CER | None = None) -> Counts:
    """Return the smallest number of errors (S + D + I) of each candidate against each reference: a row per reference.

    Args:
        candidates: Strings, or lists of words.
        references: Strings, or lists of words; each is compared with every candidate.
        metric: A `WER` to count errors in words (the default), or a `CER` to count errors in characters. Parameters of
            the metric apply.

    Examples:
        >>> error_counts(["a b c", "a c"], ["a b", "b c"]).tolist()
        [[1, 1], [1, 1]]
        >>> error_counts(["kitten"], ["sitting"], CER()).tolist()
        [[3]]
    """
    if isinstance(metric, CER):
        sides = _numbered_characters(metric, candidates, references)
    else:
        counted = (WER() if metric is None else metric).counted
        numbers: dict[str, int] = defaultdict(count().__next__)
        said = numbered_strings([counted(words_of(text)) for text in candidates], numbers.__getitem__)
        if references is candidates:
            return _native.pair_errors(*said, *said)
        expected = numbered_strings([counted(words_of(text)) for text in references], numbers.__getitem__)
        sides = said, expected
    return _native.pair_errors(*sides[0], *sides[1])


class ScoreRow(NamedTuple):
    """The scores of all candidates against one reference."""

    scores: _Floats  # `metric.score` of each candidate; NaN if undefined
    exact: bool  # False if the search for some alignment was cut short (METEOR)


def score_rows(metric: Metric[Any], candidates: Sequence[_String], references: Sequence[_String]) -> Iterator[ScoreRow]:
    """Yield the scores of all candidates against each reference. Memory use does not grow with the number of pairs.

    Recognition rates and CER use fast kernels, which compute no alignments. If penalties have too many digits, rates
    are computed pair by pair. All other metrics compute the statistics of all pairs.
    """
    # Not for subclasses, which may compute other scores from the gains.
    rate = metric if isinstance(metric, GRR) and type(metric) in _OWN else None
    if rate is not None:
        order, unit, alpha, beta = rate.gains
        words, expected = (max(map(len, strings), default=0) + 1 for strings in (candidates, references))
        if (order * unit + abs(beta)) * expected + abs(alpha) * words < _LARGEST_EXACT:
            yield from _rates(rate, candidates, references)
            return
    if type(metric) is CER:
        yield from _character_rates(metric, candidates, references)
        return
    if rate is not None:  # pair by pair, in exact fractions
        for reference in references:
            scores = [rate.score(candidate, [reference]) for candidate in candidates]
            yield ScoreRow(np.array([np.nan if score is None else score for score in scores]), exact=True)
        return
    inexact = metric.columns.index("inexact") if "inexact" in metric.columns else None
    for table in _pair_tables(metric, candidates, references):
        exact = inexact is None or not table[:, inexact].any()
        yield ScoreRow(np.asarray(metric.values(table), dtype=np.float64), exact)


def _pair_tables(
    metric: Metric[Any], candidates: Sequence[_String], references: Sequence[_String]
) -> Iterator[npt.NDArray[np.float64]]:
    """Yield the statistics of all candidates against each reference: one table per reference.

    If a subclass overrides only `table`, the inherited `pair_tables` may compute other statistics. In this case, use
    `Metric.pair_tables`, which calls `table`.
    """
    classes = type(metric).__mro__
    counting, pairing = (
        next((one for one in classes if name in vars(one)), object) for name in ("table", "pair_tables")
    )
    own = issubclass(pairing, counting)
    return metric.pair_tables(candidates, references) if own else Metric.pair_tables(metric, candidates, references)


def _rates(metric: GRR, candidates: Sequence[_String], references: Sequence[_String]) -> Iterator[ScoreRow]:
    """Yield recognition rates. All gains must be integers that float64 represents exactly."""
    numbers: dict[str, int] = defaultdict(count().__next__)
    numbered = numbered_strings(list(map(metric.counted, candidates)), numbers.__getitem__)
    same = references == candidates
    # Reference words that are in no candidate share one number, so that numbers do not grow with the references.
    strange = len(numbers)
    counts_errors = metric.gains == _WORD_ERRORS
    for first, end in _parts(len(candidates), len(references)):
        whole = same and end - first == len(references)
        counted = [] if whole else list(map(metric.counted, references[first:end]))
        expected = numbered if whole else numbered_strings(counted, lambda word: numbers.get(word, strange))
        if counts_errors:  # M + S + D = |r|, so the errors S + D + I are |r| − (M − I)
            errors = _native.pair_errors(*numbered, *expected)
            gains = errors if metric.counts_errors else expected.lengths[:, None] - errors
        else:
            gains = _native.pair_gains(*numbered, *expected, *metric.gains)
        for words, row in zip(expected.lengths.tolist(), gains, strict=True):
            size = sum(max(0, words - k) for k in range(metric.order)) * metric.gains.unit
            if not size:
                yield ScoreRow(np.full(len(row), np.nan), exact=True)
            else:
                yield ScoreRow(row / size, exact=True)


def _character_rates(metric: CER, candidates: Sequence[_String], references: Sequence[_String]) -> Iterator[ScoreRow]:
    """Yield character error rates."""
    for first, end in _parts(len(candidates), len(references)):
        said, expected = _numbered_characters(metric, candidates, references[first:end])
        for size, row in zip(expected.lengths.tolist(), _native.pair_errors(*said, *expected), strict=True):
            yield ScoreRow(row / size if size else np.full(len(row), np.nan), exact=True)


def _numbered_characters(
    metric: CER, candidates: Sequence[Text], references: Sequence[Text]
) -> tuple[NumberedStrings, NumberedStrings]:
    """Return the characters that the metric compares. Equal characters have equal numbers; numbers have no gaps."""
    texts, expected_texts = (list(map(metric.text, side)) for side in (candidates, references))
    said = code_points(texts)
    if texts == expected_texts:
        _, numbers = np.unique(said.words, return_inverse=True)
        said = said._replace(words=numbers.astype(np.int32))
        return said, said
    expected = code_points(expected_texts)
    _, numbers = np.unique(np.concatenate([said.words, expected.words]), return_inverse=True)
    words = numbers.astype(np.int32)
    return said._replace(words=words[: len(said.words)]), expected._replace(words=words[len(said.words) :])


def _parts(candidates: int, references: int) -> Iterator[tuple[int, int]]:
    """Divide the references into ranges with a bounded number of pairs; yield the first index and the end of each."""
    most = max(1, _PAIRS_AT_ONCE // max(1, candidates))
    for first in range(0, references, most):
        yield first, min(first + most, references)
