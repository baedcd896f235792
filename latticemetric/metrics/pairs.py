"""Sentence scores of every hypothesis against every reference, one row per reference."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.automata.recognition import ngram_total
from latticemetric.errors import UsageError
from latticemetric.metrics.base import Metric, Text, words_of
from latticemetric.metrics.character_rates import CER, GCR
from latticemetric.metrics.characters import code_points
from latticemetric.metrics.recognition import GRR, WER, computes_by_gains
from latticemetric.metrics.segments import NumberedStrings, numbered_strings

_Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int32]
_String = tuple[str, ...]

# The largest number of pairs whose gains are in memory at once.
_PAIRS_AT_ONCE = 1 << 20

# Doubles hold all whole numbers up to this one exactly.
_LARGEST_EXACT = 1 << 53
# Times the length of a string, these stay far below.
_SMALL_FACTORS = 1 << 20


def error_counts(hypotheses: Sequence[Text], references: Sequence[Text], metric: WER | CER | None = None) -> Counts:
    """Return the smallest number of errors (S + D + I) of each hypothesis against each reference: a row per reference.

    Args:
        hypotheses: Strings, or lists of words.
        references: Strings, or lists of words; each is compared with every hypothesis.
        metric: A `WER` to count errors in words (the default), or a `CER` to count errors in characters. Parameters of
            the metric apply.

    Raises:
        UsageError: The metric weights substitutions.

    Examples:
        >>> error_counts(["a b c", "a c"], ["a b", "b c"]).tolist()
        [[1, 1], [1, 1]]
        >>> error_counts(["kitten"], ["sitting"], CER()).tolist()
        [[3]]
    """
    if metric is not None and not metric.gains.are_edits:
        raise UsageError(
            f"{metric.name} weights substitutions, so it does not count errors", advice="use utility_matrix"
        )
    if isinstance(metric, CER):
        sides = _numbered_characters(metric, hypotheses, references)
    else:
        counted = (WER() if metric is None else metric).counted
        numbers: dict[str, int] = defaultdict(count().__next__)
        said = numbered_strings([counted(words_of(text)) for text in hypotheses], numbers.__getitem__)
        if references is hypotheses:
            return _native.pair_errors(*said, *said)
        expected = numbered_strings([counted(words_of(text)) for text in references], numbers.__getitem__)
        sides = said, expected
    return _native.pair_errors(*sides[0], *sides[1])


class ScoreRow(NamedTuple):
    """The scores of all hypotheses against one reference."""

    scores: _Floats  # `metric.score` of each hypothesis; NaN if undefined
    exact: bool  # False if the search for some alignment was cut short (METEOR)


def score_rows(metric: Metric[Any], hypotheses: Sequence[_String], references: Sequence[_String]) -> Iterator[ScoreRow]:
    """Yield the scores of all hypotheses against each reference. Memory use does not grow with the number of pairs.

    Recognition rates use fast kernels, which compute no alignments. If penalties have too many digits, rates are
    computed pair by pair. All other metrics compute the statistics of all pairs.
    """
    if isinstance(metric, GRR) and computes_by_gains(metric):
        if _is_exact(metric, hypotheses, references):
            yield from _rates(metric, hypotheses, references)
            return
        for reference in references:  # pair by pair, in exact fractions
            scores = [metric.score(hypothesis, [reference]) for hypothesis in hypotheses]
            yield ScoreRow(np.array([np.nan if score is None else score for score in scores]), exact=True)
        return
    inexact = metric.columns.index("inexact") if "inexact" in metric.columns else None
    for table in _pair_tables(metric, hypotheses, references):
        exact = inexact is None or not table[:, inexact].any()
        yield ScoreRow(np.asarray(metric.values(table), dtype=np.float64), exact)


def _pair_tables(
    metric: Metric[Any], hypotheses: Sequence[_String], references: Sequence[_String]
) -> Iterator[npt.NDArray[np.float64]]:
    """Yield the statistics of all hypotheses against each reference: one table per reference.

    If a subclass overrides only `table`, the inherited `pair_tables` may compute other statistics. In this case, use
    `Metric.pair_tables`, which calls `table`.
    """
    classes = type(metric).__mro__
    counting, pairing = (
        next((one for one in classes if name in vars(one)), object) for name in ("table", "pair_tables")
    )
    own = issubclass(pairing, counting)
    return metric.pair_tables(hypotheses, references) if own else Metric.pair_tables(metric, hypotheses, references)


def _is_exact(metric: GRR, hypotheses: Sequence[_String], references: Sequence[_String]) -> bool:
    """Check whether the numerators of all pairs are integers (times the map's unit) that float64 represents exactly."""
    order, unit, alpha, beta = metric.gains
    factors = abs(metric.rate_map.gain_units), abs(metric.rate_map.size_units)
    if metric.gains.are_edits and sum(factors) < _SMALL_FACTORS:
        return True
    sides = [map(metric.counted, side) if metric.splits_words else side for side in (hypotheses, references)]
    words, expected = (max(map(len, side), default=0) + 1 for side in sides)
    gain = (order * unit + abs(beta)) * expected + abs(alpha) * words
    return factors[0] * gain + factors[1] * order * expected < _LARGEST_EXACT


def _rates(metric: GRR, hypotheses: Sequence[_String], references: Sequence[_String]) -> Iterator[ScoreRow]:
    """Yield recognition rates. All numerators must be integers that float64 represents exactly."""
    gains, rates, of_edits = metric.gains, metric.rate_map, metric.gains.are_edits
    for said, expected in _numbered_parts(metric, hypotheses, references):
        found = _native.pair_errors(*said, *expected) if of_edits else _native.pair_gains(*said, *expected, gains)
        for words, row in zip(expected.lengths.tolist(), found, strict=True):
            size = ngram_total(words, metric.order)
            if not size:
                undefined = np.nan if metric.empty_rate is None else metric.empty_rate
                yield ScoreRow(np.full(len(row), undefined), exact=True)
                continue
            # M + S + D = |r|, so the gain M − I is |r| − (S + D + I).
            constant = rates.units(size * gains.unit if of_edits else 0, size)
            factor = -rates.gain_units * gains.unit if of_edits else rates.gain_units
            units = row if (constant, factor) == (0, 1) else constant + factor * row.astype(np.float64)
            yield ScoreRow(units / (rates.unit * size), exact=True)


def _numbered_parts(
    metric: GRR, hypotheses: Sequence[_String], references: Sequence[_String]
) -> Iterator[tuple[NumberedStrings, NumberedStrings]]:
    """Yield the hypotheses and ranges of the references, with words (or other units) as numbers without gaps."""
    parts = list(_parts(len(hypotheses), len(references)))
    if isinstance(metric, GCR):
        for first, end in parts:
            yield _numbered_characters(metric, hypotheses, references[first:end])
        return
    numbers: dict[str, int] = defaultdict(count().__next__)
    numbered = numbered_strings(list(map(metric.counted, hypotheses)), numbers.__getitem__)
    if references == hypotheses and len(parts) == 1:
        yield numbered, numbered
        return
    # Reference words that are in no hypothesis share one number, so that numbers do not grow with the references.
    strange = len(numbers)
    for first, end in parts:
        counted = list(map(metric.counted, references[first:end]))
        yield numbered, numbered_strings(counted, lambda word: numbers.get(word, strange))


def _numbered_characters(
    metric: GCR, hypotheses: Sequence[Text], references: Sequence[Text]
) -> tuple[NumberedStrings, NumberedStrings]:
    """Return the characters that the metric compares. Equal characters have equal numbers; numbers have no gaps."""
    texts, expected_texts = (list(map(metric.text, side)) for side in (hypotheses, references))
    said = code_points(texts)
    if texts == expected_texts:
        _, numbers = np.unique(said.words, return_inverse=True)
        said = said._replace(words=numbers.astype(np.int32))
        return said, said
    expected = code_points(expected_texts)
    _, numbers = np.unique(np.concatenate([said.words, expected.words]), return_inverse=True)
    words = numbers.astype(np.int32)
    return said._replace(words=words[: len(said.words)]), expected._replace(words=words[len(said.words) :])


def _parts(hypotheses: int, references: int) -> Iterator[tuple[int, int]]:
    """Divide the references into ranges with a bounded number of pairs; yield the first index and the end of each."""
    most = max(1, _PAIRS_AT_ONCE // max(1, hypotheses))
    for first in range(0, references, most):
        yield first, min(first + most, references)
