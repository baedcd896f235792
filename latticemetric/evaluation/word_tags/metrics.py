"""Metrics of word-level quality estimation, computed from summed tag statistics (Logacheva et al. 2016, section 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import NamedTuple

import numpy as np

from latticemetric.errors import UsageError
from latticemetric.evaluation.intervals import Values, or_none, value_of
from latticemetric.evaluation.word_tags.tags import Flags, Numbers, Tags, WordTags, check_same_words
from latticemetric.frozen import Record, freeze
from latticemetric.likeness import which_of
from latticemetric.metrics.base import Table


class TagColumn(IntEnum):
    """Columns of a table of tag statistics, with one row per segment. BAD is the positive class.

    `TRUE_*` count the words with a right predicted tag; `FALSE_*` count the words with a wrong predicted tag. `SEQCOR`
    is the sequence correlation of the segment.

    The columns for phrase F1 describe spans; a span is a maximal run of equal tags. `*_PREDICTED` and `*_GOLD` are
    numbers of spans. `*_PRECISION` sums, over predicted spans, the share of words whose gold tag equals the predicted
    tag. `*_RECALL` sums, over gold spans, the share of words whose predicted tag equals the gold tag.
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
    """1 if the segment has tags, else 0; a segment without tags has no SeqCor."""


def tag_table(gold: WordTags | Iterable[Tags], predicted: WordTags | Iterable[Tags]) -> Table:
    """Return the statistics of predicted tags, one row per segment.

    Args:
        gold: The gold tags, or an argument of `WordTags.of`.
        predicted: A system's tags of the same words, or an argument of `WordTags.of`.

    Raises:
        InputError: The numbers of words differ.
    """
    gold, predicted = (tags if isinstance(tags, WordTags) else WordTags.of(tags) for tags in (gold, predicted))
    check_same_words(gold, predicted)
    table = np.zeros((len(gold), len(TagColumn)))
    # The columns are TRUE_BAD, FALSE_BAD, FALSE_OK, TRUE_OK, in this order.
    kind = np.where(predicted.bad, np.where(gold.bad, 0, 1), np.where(gold.bad, 2, 3))
    table[:, :4] = np.bincount(4 * gold.segment + kind, minlength=4 * len(gold)).reshape(-1, 4)
    agreed = gold.bad == predicted.bad
    of_gold, of_predicted = _spans(gold), _spans(predicted)
    for spans, first in ((of_predicted, TagColumn.BAD_PRECISION), (of_gold, TagColumn.BAD_RECALL)):
        right = np.add.reduceat(agreed.astype(np.int64), spans.start) if len(spans.start) else np.zeros(0)
        share = right / spans.size
        for bad, column in ((True, first), (False, first + TagColumn.OK_PRECISION - TagColumn.BAD_PRECISION)):
            of_class = spans.bad == bad
            segment = spans.segment[of_class]
            table[:, column] = np.bincount(segment, share[of_class], minlength=len(gold))
            table[:, column + 1] = np.bincount(segment, minlength=len(gold))
    # SeqCor (Bojar et al. 2015): ratio · (λ_OK I_OK + λ_BAD I_BAD) / n; λ_c = n / (2 n_c).
    matched = _matched_words(agreed, of_gold, of_predicted)
    for bad in (True, False):
        of_class = of_gold.bad == bad
        words, right = (
            np.bincount(of_gold.segment[of_class], numbers[of_class], minlength=len(gold))
            for numbers in (of_gold.size, matched)
        )
        table[:, TagColumn.SEQCOR] += right / (2 * np.maximum(words, 1))
    numbers = [np.bincount(spans.segment, minlength=len(gold)) for spans in (of_gold, of_predicted)]
    ratio = np.minimum(*numbers), np.maximum(1, np.maximum(*numbers))
    table[:, TagColumn.SEQCOR] = table[:, TagColumn.SEQCOR] * ratio[0] / ratio[1]
    table[:, TagColumn.SEGMENTS] = gold.lengths > 0
    return table


class _Spans(NamedTuple):
    """The spans of a test set, one after the other. A span is a maximal run of equal tags in a segment."""

    start: Numbers
    size: Numbers
    bad: Flags
    segment: Numbers
    opens: Flags  # for each tag: true if a span starts there


def _spans(tags: WordTags) -> _Spans:
    opens = np.zeros(len(tags.bad), np.bool_)
    opens[1:] = tags.bad[1:] != tags.bad[:-1]
    opens[tags.begin[:-1][tags.lengths > 0]] = True
    start = np.flatnonzero(opens)
    return _Spans(start, np.diff(start, append=len(opens)), tags.bad[start], tags.segment[start], opens)


def _matched_words(agreed: Flags, of_gold: _Spans, of_predicted: _Spans) -> Numbers:
    """Match gold spans with predicted spans of the same class; return the overlap of each gold span with its match.

    Spans are matched one to one, by the largest overlap; ties: the first gold span, then the first predicted span.
    Overlap counts only words whose tags agree (`agreed`). So spans of different classes never overlap, and one pass
    handles all segments and both classes.
    """
    start = np.flatnonzero(of_gold.opens | of_predicted.opens)
    size = np.diff(start, append=len(agreed))
    one, other = (np.cumsum(spans.opens)[start] - 1 for spans in (of_gold, of_predicted))
    alike = agreed[start]
    size, one, other = size[alike], one[alike], other[alike]
    matched, taken = np.zeros(len(of_gold.start), np.int64), np.zeros(len(of_predicted.start), np.bool_)
    order = np.argsort(-size, kind="stable")  # stable: equal sizes keep the order of spans
    for overlap, left, right in zip(*(side[order].tolist() for side in (size, one, other)), strict=True):
        if not matched[left] and not taken[right]:
            matched[left] = overlap
            taken[right] = True
    return matched


# ---- Metrics ----


@dataclass(frozen=True)
class TagMetric:
    """A metric of word tags: its name, and a formula that computes values from sums.

    `bootstrap` and `randomisation_test` accept this metric, with tables from `tag_table`.
    """

    name: str
    label: str
    formula: Callable[[Table], Values]

    def values(self, sums: Table) -> Values:
        """Return the score of each row of summed statistics; NaN if undefined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.formula(np.asarray(sums)), dtype=np.float64)


def _word_f1(sums: Table, right: TagColumn) -> Values:
    """Return 2 TP / (2 TP + FP + FN); NaN (0/0) if neither gold nor prediction has a tag of the class."""
    twice = 2 * sums[..., right]
    return twice / (twice + sums[..., TagColumn.FALSE_BAD] + sums[..., TagColumn.FALSE_OK])


def _phrase_f1(sums: Table, begin: TagColumn) -> Values:
    """Return the phrase F1 of a class.

    Return 0 if no spans overlap, or if only one of gold and prediction has spans; NaN if neither has spans.
    """
    shares, predicted, recalled, gold = (sums[..., begin + k] for k in range(4))
    precision, recall = shares / np.maximum(predicted, 1), recalled / np.maximum(gold, 1)
    both = precision + recall
    found = np.where(both > 0, 2 * precision * recall / both, 0.0)
    return np.where(predicted + gold > 0, found, np.nan)


def _mcc(sums: Table) -> Values:
    """Return Matthews' correlation coefficient; 0 if its denominator is 0, NaN if there are no tags."""
    tp, fp, fn, tn = (sums[..., column] for column in range(4))
    root = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    found = np.where(root > 0, (tp * tn - fp * fn) / root, 0.0)
    return np.where(tp + fp + fn + tn > 0, found, np.nan)


def _seqcor(sums: Table) -> Values:
    return sums[..., TagColumn.SEQCOR] / sums[..., TagColumn.SEGMENTS]


def _product(sums: Table, one: Callable[[Table], Values], other: Callable[[Table], Values]) -> Values:
    return one(sums) * other(sums)


_F1_BAD, _F1_OK = (partial(_word_f1, right=right) for right in (TagColumn.TRUE_BAD, TagColumn.TRUE_OK))
_PHRASE_BAD, _PHRASE_OK = (
    partial(_phrase_f1, begin=begin) for begin in (TagColumn.BAD_PRECISION, TagColumn.OK_PRECISION)
)

TAG_METRICS = {
    metric.name: metric
    for metric in (
        TagMetric("f1_bad", "F1-BAD", _F1_BAD),
        TagMetric("f1_ok", "F1-OK", _F1_OK),
        TagMetric("f1_mult", "F1-mult", partial(_product, one=_F1_BAD, other=_F1_OK)),
        TagMetric("mcc", "MCC", _mcc),
        TagMetric("seqcor", "SeqCor", _seqcor),
        TagMetric("phrase_f1_bad", "phr-F1-BAD", _PHRASE_BAD),
        TagMetric("phrase_f1_mult", "phr-F1-mult", partial(_product, one=_PHRASE_BAD, other=_PHRASE_OK)),
    )
}

COMPARED = tuple(
    TAG_METRICS[name] for name in ("f1_bad", "f1_mult", "phrase_f1_bad", "phrase_f1_mult", "mcc", "seqcor")
)
"""The six metrics that Logacheva et al. 2016 compare, in the order of their section 3.1."""


def find_tag_metric(name: str) -> TagMetric:
    """Return a metric by its name."""
    try:
        return TAG_METRICS[name]
    except KeyError:
        raise UsageError(f"there is no metric '{name}'", advice=which_of(name, TAG_METRICS)) from None


@dataclass(frozen=True)
class TagScores(Record):
    """The scores of a system's tags.

    Attributes:
        f1_bad: F1 of BAD; `None` if neither gold nor prediction has a BAD tag. Other undefined scores are `None`, too.
        f1_ok: F1 of OK.
        f1_mult: The product of `f1_bad` and `f1_ok`.
        mcc: Matthews' correlation coefficient; 0 if gold or prediction has only OK or only BAD.
        seqcor: The mean of the segments' sequence correlations.
        phrase_f1_bad: F1 of BAD spans.
        phrase_f1_mult: The product of F1 of BAD spans and F1 of OK spans.
        tags: The number of tags.
        bad: The number of the system's BAD tags.
        errors: The number of tags that differ from the gold tags.
        notes: By name of a metric, the reason why the metric is undefined, or is 0 by definition.
    """

    f1_bad: float | None
    f1_ok: float | None
    f1_mult: float | None
    mcc: float | None
    seqcor: float | None
    phrase_f1_bad: float | None
    phrase_f1_mult: float | None
    tags: int
    bad: int
    errors: int
    notes: Mapping[str, str]

    def __post_init__(self) -> None:
        freeze(self, "notes")


def tag_scores(gold: WordTags | Iterable[Tags], predicted: WordTags | Iterable[Tags]) -> TagScores:
    """Score predicted tags by every metric.

    Args:
        gold: The gold tags, or an argument of `WordTags.of`.
        predicted: A system's tags of the same words, or an argument of `WordTags.of`.

    Examples:
        >>> found = tag_scores(["OK BAD BAD OK", "OK OK"], ["OK BAD OK OK", "OK OK"])
        >>> round(found.f1_bad, 4), round(found.f1_ok, 4), round(found.f1_mult, 4)
        (0.6667, 0.8889, 0.5926)
        >>> tag_scores([[0, 0]], [[0, 0]]).notes["f1_bad"]
        'undefined: neither side has a BAD tag'
    """
    return scores_of_table(tag_table(gold, predicted))


def scores_of_table(table: Table) -> TagScores:
    """Return the scores of a system from its table of statistics (`tag_table`)."""
    values = {name: value_of(metric, table) for name, metric in TAG_METRICS.items()}
    sums = table.sum(axis=0)
    tp, fp, fn, tn = map(int, sums[:4])
    return TagScores(
        **{name: or_none(value) for name, value in values.items()},
        tags=tp + fp + fn + tn,
        bad=tp + fp,
        errors=fp + fn,
        notes=_notes(tp, fp, fn, tn),
    )


def _notes(tp: int, fp: int, fn: int, tn: int) -> dict[str, str]:
    if not tp + fp + fn + tn:
        return dict.fromkeys(TAG_METRICS, "undefined: there are no tags")
    notes: dict[str, str] = {}
    if not tp + fp + fn:
        of_bad = ("f1_bad", "f1_mult", "phrase_f1_bad", "phrase_f1_mult")
        notes |= dict.fromkeys(of_bad, "undefined: neither side has a BAD tag")
    if not tn + fp + fn:
        of_ok = ("f1_ok", "f1_mult", "phrase_f1_mult")
        notes |= dict.fromkeys(of_ok, "undefined: neither side has an OK tag")
    bad = {"gold": tp + fn, "predicted": tp + fp}
    if constant := [side for side, number in bad.items() if number in (0, tp + fp + fn + tn)]:
        notes["mcc"] = f"0 by definition: the {' and the '.join(constant)} tags are all the same"
    return notes
