"""What all metrics of word tags are made of: sums over segments (Logacheva et al. 2016, section 2).

A row a segment. BAD is the positive class. A span is a maximal run of one tag.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.evaluation.tags.word_tags import Flags, Numbers, Tags, WordTags, as_word_tags, check_same_words
from latticemetric.metrics.base import Table

Floats = npt.NDArray[np.float64]


class Column(IntEnum):
    """Columns of a table of tag statistics.

    For phrases, `*_PREDICTED` and `*_GOLD` are numbers of spans, `*_PRECISION` and `*_RECALL` the sums, over predicted
    and over gold spans, of the share of a span's words that have the same tag on the other side.
    """

    TRUE_BAD = 0
    FALSE_BAD = 1
    FALSE_OK = 2
    TRUE_OK = 3
    BAD_PRECISION = 4
    BAD_PREDICTED = 5
    BAD_RECALL = 6
    BAD_GOLD = 7
    OK_PRECISION = 8
    OK_PREDICTED = 9
    OK_RECALL = 10
    OK_GOLD = 11
    SEQCOR = 12
    SEGMENTS = 13
    """1 where a segment has a tag: one without has no SeqCor."""


def tag_table(gold: WordTags | Iterable[Tags], predicted: WordTags | Iterable[Tags]) -> Table:
    """Statistics of predicted tags, a row a segment.

    Args:
        gold: What is right; tags, or what `WordTags.of` takes.
        predicted: What a system says of the same words; likewise.

    Raises:
        InputError: The two are not of the same words.
    """
    gold, predicted = as_word_tags(gold), as_word_tags(predicted)
    check_same_words(gold, predicted)
    table = np.zeros((len(gold), len(Column)))
    sides = _spans(gold), _spans(predicted)
    _count_words(table, gold, predicted)
    agreed = gold.bad == predicted.bad
    for spans, precision, number in zip(
        sides[::-1], (Column.BAD_PRECISION, Column.BAD_RECALL), (Column.BAD_PREDICTED, Column.BAD_GOLD), strict=True
    ):
        _count_spans(table, spans, agreed, precision, number)
    table[:, Column.SEQCOR] = _sequence_correlation(gold, agreed, *sides)
    table[:, Column.SEGMENTS] = gold.lengths > 0
    return table


class _Spans(NamedTuple):
    """The spans of a test set, in order."""

    start: Numbers
    size: Numbers
    bad: Flags
    segment: Numbers
    opens: Flags  # of each tag, whether a span starts there

    def per_segment(self, segments: int) -> Numbers:
        return np.bincount(self.segment, minlength=segments)


def _spans(tags: WordTags) -> _Spans:
    opens = np.zeros(len(tags.bad), np.bool_)
    opens[1:] = tags.bad[1:] != tags.bad[:-1]
    opens[tags.begin[:-1][tags.lengths > 0]] = True
    start = np.flatnonzero(opens)
    return _Spans(start, np.diff(start, append=len(opens)), tags.bad[start], tags.segment[start], opens)


def _count_words(table: Table, gold: WordTags, predicted: WordTags) -> None:
    # TRUE_BAD, FALSE_BAD, FALSE_OK, TRUE_OK stand in this order.
    kind = np.where(predicted.bad, np.where(gold.bad, 0, 1), np.where(gold.bad, 2, 3))
    counts = np.bincount(4 * gold.segment + kind, minlength=4 * len(gold))
    table[:, :4] = counts.reshape(-1, 4)


def _count_spans(table: Table, spans: _Spans, agreed: Flags, shares: Column, number: Column) -> None:
    """Of BAD spans into the columns named, of OK spans into those four further on."""
    share = _sums(agreed, spans.start) / spans.size
    for bad, shift in ((True, 0), (False, Column.OK_PRECISION - Column.BAD_PRECISION)):
        of_class = spans.bad == bad
        segment = spans.segment[of_class]
        table[:, shares + shift] = np.bincount(segment, share[of_class], minlength=len(table))
        table[:, number + shift] = np.bincount(segment, minlength=len(table))


def _sums(values: Flags, start: Numbers) -> Numbers:
    """Sums from each start to the next; a span is never empty."""
    return np.add.reduceat(values.astype(np.int64), start) if len(start) else np.zeros(0, np.int64)


def _sequence_correlation(gold: WordTags, agreed: Flags, of_gold: _Spans, of_predicted: _Spans) -> Floats:
    """SeqCor of each segment (Bojar et al. 2015): ratio · (λ_OK I_OK + λ_BAD I_BAD) / n; λ_c = n / (2 n_c)."""
    segments = len(gold)
    found = np.zeros(segments)
    matched = _matched_words(agreed, of_gold, of_predicted)
    for bad in (True, False):
        of_class = of_gold.bad == bad
        words = np.bincount(of_gold.segment[of_class], of_gold.size[of_class], minlength=segments)
        right = np.bincount(of_gold.segment[of_class], matched[of_class], minlength=segments)
        found += right / (2 * np.maximum(words, 1))
    numbers = [spans.per_segment(segments) for spans in (of_gold, of_predicted)]
    return found * np.minimum(*numbers) / np.maximum(1, np.maximum(*numbers))


def _matched_words(agreed: Flags, of_gold: _Spans, of_predicted: _Spans) -> Numbers:
    """Of each gold span, its overlap with the predicted span of its class that it is matched with.

    One to one, largest overlap first; of equal ones the first gold span, then the first predicted one. Two runs overlap
    in one run, and those of different segments or classes in none, so that all are matched in one go.
    """
    start = np.flatnonzero(of_gold.opens | of_predicted.opens)
    size = np.diff(start, append=len(agreed))
    one, other = (np.cumsum(spans.opens)[start] - 1 for spans in (of_gold, of_predicted))
    alike = agreed[start]
    size, one, other = size[alike], one[alike], other[alike]
    matched, taken = np.zeros(len(of_gold.start), np.int64), np.zeros(len(of_predicted.start), np.bool_)
    order = np.argsort(-size, kind="stable")  # which keeps the order of words, and so of spans, among equals
    for overlap, left, right in zip(*(side[order].tolist() for side in (size, one, other)), strict=True):
        if not matched[left] and not taken[right]:
            matched[left] = overlap
            taken[right] = True
    return matched
