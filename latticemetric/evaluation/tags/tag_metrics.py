"""Metrics of word-level quality estimation (Logacheva et al. 2016): values of summed tag statistics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from latticemetric.errors import UsageError
from latticemetric.evaluation.bootstrap import value_of
from latticemetric.evaluation.resampling import Values
from latticemetric.evaluation.tags.tag_statistics import Column, tag_table
from latticemetric.evaluation.tags.word_tags import Tags, WordTags
from latticemetric.metrics.base import Table


@dataclass(frozen=True)
class TagMetric:
    """A metric of word tags: its name, and what makes values of sums.

    It is what `bootstrap` and `randomisation_test` ask for, with tables of `tag_table`.
    """

    name: str
    label: str
    formula: Callable[[Table], Values]

    def values(self, sums: Table) -> Values:
        """The score of each row of summed statistics; NaN where it is undefined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.formula(np.asarray(sums)), dtype=np.float64)


def _f1_bad(sums: Table) -> Values:
    return _word_f1(sums, Column.TRUE_BAD)


def _f1_ok(sums: Table) -> Values:
    return _word_f1(sums, Column.TRUE_OK)


def _word_f1(sums: Table, right: Column) -> Values:
    """2 TP / (2 TP + FP + FN): 0/0 where neither side has a tag of the class."""
    twice = 2 * sums[..., right]
    return twice / (twice + sums[..., Column.FALSE_BAD] + sums[..., Column.FALSE_OK])


def _f1_mult(sums: Table) -> Values:
    return _f1_bad(sums) * _f1_ok(sums)


def _phrase_f1_bad(sums: Table) -> Values:
    return _phrase_f1(sums, Column.BAD_PRECISION)


def _phrase_f1(sums: Table, begin: Column) -> Values:
    """Of one class: undefined where neither side has a span, 0 where only one has, or where they do not meet."""
    shares, predicted, recalled, gold = (sums[..., begin + k] for k in range(4))
    precision, recall = shares / np.maximum(predicted, 1), recalled / np.maximum(gold, 1)
    both = precision + recall
    found = np.where(both > 0, 2 * precision * recall / both, 0.0)
    return np.where(predicted + gold > 0, found, np.nan)


def _phrase_f1_mult(sums: Table) -> Values:
    return _phrase_f1_bad(sums) * _phrase_f1(sums, Column.OK_PRECISION)


def _mcc(sums: Table) -> Values:
    """Matthews' coefficient; 0 where its root is 0."""
    tp, fp, fn, tn = (sums[..., column] for column in range(4))
    root = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    found = np.where(root > 0, (tp * tn - fp * fn) / root, 0.0)
    return np.where(tp + fp + fn + tn > 0, found, np.nan)


def _seqcor(sums: Table) -> Values:
    return sums[..., Column.SEQCOR] / sums[..., Column.SEGMENTS]


TAG_METRICS = {
    metric.name: metric
    for metric in (
        TagMetric("f1_bad", "F1-BAD", _f1_bad),
        TagMetric("f1_ok", "F1-OK", _f1_ok),
        TagMetric("f1_mult", "F1-mult", _f1_mult),
        TagMetric("mcc", "MCC", _mcc),
        TagMetric("seqcor", "SeqCor", _seqcor),
        TagMetric("phrase_f1_bad", "phr-F1-BAD", _phrase_f1_bad),
        TagMetric("phrase_f1_mult", "phr-F1-mult", _phrase_f1_mult),
    )
}

COMPARED = tuple(
    TAG_METRICS[name] for name in ("f1_bad", "f1_mult", "phrase_f1_bad", "phrase_f1_mult", "mcc", "seqcor")
)
"""The six metrics that the paper compares, in the order of its section 3.1."""


def find_tag_metric(name: str) -> TagMetric:
    """A metric by its name."""
    try:
        return TAG_METRICS[name]
    except KeyError:
        raise UsageError(f"there is no metric '{name}'", advice=f"choose among {', '.join(TAG_METRICS)}") from None


@dataclass(frozen=True)
class TagScores:
    """The scores of a system.

    Attributes:
        f1_bad: F1 of BAD; `None` where neither side has a BAD tag. So are all others where they are undefined.
        f1_ok: F1 of OK.
        f1_mult: The product of the two.
        mcc: Matthews' correlation coefficient; 0 where one side has the same tag everywhere.
        seqcor: The mean of the segments' sequence correlations.
        phrase_f1_bad: F1 of BAD spans.
        phrase_f1_mult: Its product with that of OK spans.
        tags: How many tags there are.
        bad: How many of them the system calls BAD.
        errors: How many are not those of the gold.
        notes: By metric, why it is undefined, or 0 by definition.
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
    notes: dict[str, str]

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def tag_scores(gold: WordTags | Iterable[Tags], predicted: WordTags | Iterable[Tags]) -> TagScores:
    """Scores predicted tags by every metric.

    Args:
        gold: What is right; tags, or what `WordTags.of` takes.
        predicted: What a system says of the same words; likewise.

    Examples:
        >>> found = tag_scores(["OK BAD BAD OK", "OK OK"], ["OK BAD OK OK", "OK OK"])
        >>> round(found.f1_bad, 4), round(found.f1_ok, 4), round(found.f1_mult, 4)
        (0.6667, 0.8889, 0.5926)
        >>> tag_scores([[0, 0]], [[0, 0]]).notes["f1_bad"]
        'undefined: neither side has a BAD tag'
    """
    return scores_of_table(tag_table(gold, predicted))


def scores_of_table(table: Table) -> TagScores:
    """The same of a table of statistics."""
    values = {name: value_of(metric, table) for name, metric in TAG_METRICS.items()}
    sums = table.sum(axis=0)
    tp, fp, fn, tn = map(int, sums[:4])
    return TagScores(
        **{name: None if np.isnan(value) else value for name, value in values.items()},
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
    constant = [
        side for side, number in (("gold", tp + fn), ("predicted", tp + fp)) if number in (0, tp + fp + fn + tn)
    ]
    if constant:
        notes["mcc"] = f"0 by definition: the {' and the '.join(constant)} tags are all the same"
    return notes
