"""Compute oracles of the first k hypotheses of n-best lists (oracle@k)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.arguments import refuse_unused, require_numbers, whole_number
from latticemetric.corpus.list_arguments import AnyList, Words, check_lengths, columns_of
from latticemetric.corpus.list_results import OracleAtK, Point
from latticemetric.errors import UsageError
from latticemetric.evaluation.intervals import Interval, interval_of, resampled_sums
from latticemetric.lattice.columns import Weights
from latticemetric.metrics.recognition import GRR, EditRate, as_recognition_rate
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.nbest import ListColumns

Counts = npt.NDArray[np.int64]

_FEW = (1, 2, 3, 4, 5, 10, 20, 50, 100, 200, 500, 1000)


def oracle_at_k(
    lists: Sequence[AnyList],
    references: Sequence[Any],
    metric: str | GRR = "wer",
    *,
    at: Collection[int] | None = None,
    weights: Weights | None = None,
    resamples: int = 0,
    seed: int = 0,
    confidence: float = 0.95,
) -> OracleAtK:
    """Return the oracle of the first k hypotheses of n-best lists, for several k.

    Args:
        lists: `NBest` objects, which are sorted by the model's cost (ties: by rank), or lists of strings, best first.
        references: One or several references per list. If there are several, the best rate counts.
        metric: A recognition rate: `wer`, `wrr`, `N-grr`, or a metric object.
        at: The values of k; 1 and the length of the longest list are always added. By default, 1, 2, 3, 4, 5, 10, 20,
            50, 100, 200, 500 and 1000. Values above the length of the longest list are left out.
        weights: Weight of each score in the model's cost; other scores keep their default weight.
        resamples: The number of resamples for intervals; 0 for none.
        seed: The seed of the resamples.
        confidence: The share of resamples inside an interval.

    Examples:
        >>> found = oracle_at_k([["a b", "a c", "a c"], ["x", "y"]], ["a c", "x"])
        >>> [(point.k, point.numerator, point.denominator, point.distinct) for point in found.points]
        [(1, 1, 3, 1.0), (2, 0, 3, 2.0), (3, 0, 3, 2.0)]
        >>> found.ranks, found.oracle.recoverable
        ((1, 1, 0), 1.0)
    """
    check_lengths(lists=lists, references=references)
    if not resamples:
        refuse_unused(oracle_at_k, "without resamples", seed=seed, confidence=confidence)
    rate = as_recognition_rate(metric)
    sums = sums_of(lists, references, rate, at=at, weights=weights, keep=bool(resamples))
    return curve_of([sums], rate, at=at, resamples=resamples, seed=seed, confidence=confidence)


class ListSums(NamedTuple):
    """Sums over some lists; `curve_of` adds the sums of all lists.

    Attributes:
        lists: The number of lists.
        tables: For each k, the counts of the best of the first k hypotheses: one row per list, or one row with the sum
            of all lists. The largest k is the length of the longest list.
        ranks: The numbers of lists whose best hypothesis has rank 1, rank 2, and so on.
        new: The number of lists with a new string, for each rank; index 0 is not used.
        compositional: The number of reference words in no hypothesis; `None` with several references.
        references: The numbers of references per list, without duplicates.
    """

    lists: int
    tables: dict[int, Counts]
    ranks: Counts
    new: Counts
    compositional: int | None
    references: frozenset[int]

    @property
    def longest(self) -> int:
        """The length of the longest list."""
        return len(self.ranks)


def sums_of(
    lists: Sequence[AnyList],
    references: Sequence[Any],
    rate: GRR,
    *,
    at: Collection[int] | None = None,
    weights: Weights | None = None,
    keep: bool = False,
) -> ListSums:
    """Return the sums of lists; with `keep`, `tables` have a row for each list, for resamples."""
    return sums_of_columns(columns_of(lists, references, weights), rate, at=at, keep=keep)


def sums_of_columns(
    lists: ListColumns, rate: GRR, *, at: Collection[int] | None = None, keep: bool = False
) -> ListSums:
    """Return the sums of lists in columns, as `sums_of` does."""
    found = rate.list_counts(lists)
    begin, lengths, references = lists.begin[:-1], np.diff(lists.begin), np.diff(lists.owner)
    longest, single = int(lengths.max()), bool((references == 1).all())
    best = _best_of_first(rate, found.rows, lengths, single=single)
    tables = {k: found.rows[begin + best[:, k - 1]] for k in points_within(at, longest)}
    rank = np.arange(1, len(found.rows) + 1) - np.repeat(begin, lengths)
    return ListSums(
        lists=len(lengths),
        tables=tables if keep else {k: table.sum(axis=0, keepdims=True) for k, table in tables.items()},
        ranks=np.bincount(best[:, -1], minlength=longest),
        new=np.bincount(rank[found.is_new.astype(bool)], minlength=longest + 1),
        compositional=int(found.missing.sum()) if single else None,
        references=frozenset(references.tolist()),
    )


def curve_of(
    parts: Sequence[ListSums],
    rate: GRR,
    *,
    at: Collection[int] | None = None,
    resamples: int = 0,
    seed: int = 0,
    confidence: float = 0.95,
) -> OracleAtK:
    """Return the oracles of all lists from `parts`, the sums of several blocks of lists.

    For resamples, the tables of the parts must have one row per list.
    """
    if not parts:
        raise UsageError("there are no lists", advice="give at least one")
    lists, longest = sum(part.lists for part in parts), max(part.longest for part in parts)
    wanted = points_within(at, longest)
    tables = [np.concatenate([part.tables[min(k, part.longest)] for part in parts]) for k in wanted]
    new, ranks = (_added([getattr(part, name) for part in parts]) for name in ("new", "ranks"))
    missing = [part.compositional for part in parts]
    numbers = sorted(frozenset[int]().union(*(part.references for part in parts)))
    number = numbers[0] if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"
    resampling = _Resampling(resamples, seed, confidence)
    return OracleAtK(
        points=_curve(rate, tables, wanted, [int(new[: k + 1].sum()) / lists for k in wanted], resampling),
        ranks=tuple(ranks.tolist()),
        compositional=None if None in missing else sum(number for number in missing if number is not None),
        lists=lists,
        signature=str(rate.signature_for(number)),
        seed=seed,
    )


def _added(columns: Sequence[Counts]) -> Counts:
    """Add columns of different lengths elementwise."""
    added = np.zeros(max(map(len, columns)), dtype=np.int64)
    for column in columns:
        added[: len(column)] += column
    return added


def points_within(at: Collection[int] | None, longest: int) -> list[int]:
    """Return the values of k for lists of this length at most, in ascending order."""
    if at is not None:
        require_numbers(at, "at")
    numbers = [
        whole_number(k, f"the number of hypotheses is {k!r}", "give whole numbers ≥ 1")
        for k in (_FEW if at is None else at)
    ]
    return sorted({1, longest, *(k for k in numbers if k <= longest)})


def _best_of_first(rate: GRR, counts: Counts, lengths: npt.NDArray[np.int64], *, single: bool) -> Counts:
    """Return the index (in its list) of the best of the first k hypotheses: one row per list, one column per k."""
    order = rate.order
    begin = np.cumsum(lengths) - lengths
    size = counts[:, order + 3 :].sum(axis=1)
    _, unit, alpha, beta = rate.gains
    if single and max(unit, abs(alpha), abs(beta)) * max(int(counts.max(initial=0)), 1) * (order + 2) < 2**62:
        # With one reference, all hypotheses of a list have the same denominator: compare gains in 64-bit integers.
        gain = counts[:, :order].sum(axis=1) * unit - counts[:, order + 2] * alpha - counts[:, order + 1] * beta
        table = np.full((len(lengths), int(lengths.max())), np.iinfo(np.int64).min)
        inside = np.arange(table.shape[1]) < lengths[:, None]
        table[inside] = gain
        highest = np.maximum.accumulate(table, axis=1)
        is_new = np.ones_like(inside)
        is_new[:, 1:] = (table[:, 1:] > highest[:, :-1]) & inside[:, 1:]
        return np.maximum.accumulate(np.where(is_new, np.arange(table.shape[1]), 0), axis=1)
    gains = [
        (bool(words), Fraction(rate.gain(RecognitionStatistics.of_columns(row)), words or 1))
        for words, row in zip(size.tolist(), counts.tolist(), strict=True)
    ]
    best = np.zeros((len(lengths), int(lengths.max())), dtype=np.int64)
    for number, (first, length) in enumerate(zip(begin.tolist(), lengths.tolist(), strict=True)):
        for k in range(1, best.shape[1]):
            before = int(best[number, k - 1])
            better = k < length and gains[first + k] > gains[first + before]
            best[number, k] = k if better else before
    return best


class _Resampling(NamedTuple):
    resamples: int
    seed: int
    confidence: float

    def intervals(self, rate: GRR, tables: Sequence[Counts], scores: Sequence[float | None]) -> list[Interval | None]:
        """Return the interval of each table, all from the same resamples."""
        if not self.resamples:
            return [None] * len(tables)
        sums = resampled_sums([table.astype(np.float64) for table in tables], self.resamples, self.seed)
        values = (np.nan if score is None else score for score in scores)
        pairs = zip(values, sums, strict=True)
        return [interval_of(value, rate.values(rows), self.confidence) for value, rows in pairs]


def _curve(
    rate: GRR, tables: Sequence[Counts], wanted: Sequence[int], distinct: Sequence[float], resampling: _Resampling
) -> tuple[Point, ...]:
    """Return one point for each table with the counts of best hypotheses."""
    totals = [RecognitionStatistics.of_columns(table.sum(axis=0).tolist()) for table in tables]
    scores = [rate.value(total) for total in totals]
    intervals = resampling.intervals(rate, tables, scores)
    errors = [rate.numerator(total) if isinstance(rate, EditRate) else total.errors for total in totals]
    rows = zip(wanted, totals, errors, scores, intervals, distinct, strict=True)
    return tuple(
        Point(
            k=k,
            score=score,
            numerator=rate.numerator(total),
            denominator=rate.denominator(total),
            statistics=total,
            interval=interval,
            recoverable=(errors[0] - left) / errors[0] if errors[0] else None,
            distinct=number,
        )
        for k, total, left, score, interval, number in rows
    )


def compositional_errors(hypotheses: Sequence[Words], reference: Sequence[str]) -> int:
    """Count the words of a reference that are in no hypothesis (o_cp of HyPoradise, Chen et al. 2023, section 5.2).

    This is the number of errors of the best text that uses words of the hypotheses in any order, any number of times.
    """
    missing = set(reference)
    for words in hypotheses:
        missing.difference_update(words)
        if not missing:
            return 0
    return sum(word in missing for word in reference)
