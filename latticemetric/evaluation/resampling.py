"""Sums of resampled segments: the one loop behind every interval, as products of matrices in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError
from latticemetric.metrics.base import Table

Values = npt.NDArray[np.float64]

ROUNDING = 1e-12
"""Values this close are equal: sums made in another order may differ in their last bits, and a tie has to be one."""

# Cells of a matrix of counts: 32 MB.
_MOST_CELLS = 2**22


class TabledMetric(Protocol):
    """What resampling asks of a metric."""

    def values(self, sums: Table) -> Values:
        """The score of each row of summed statistics; NaN where it is undefined."""
        ...


def resample_counts(segments: int, resamples: int, seed: int) -> Iterator[Table]:
    """How often each segment is drawn: a row a resample, which draws as many segments as there are, with replacement.

    Each row is a multinomial sample. The rows come in matrices of bounded size; how they are cut does not change them.
    """
    generator = np.random.default_rng(checked_seed(seed))
    for rows in _chunks(segments, checked_resamples(resamples)):
        if not segments:
            yield np.zeros((rows, 0))
            continue
        drawn = generator.integers(0, segments, size=(rows, segments))
        drawn += segments * np.arange(rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * segments)
        yield counts.reshape(rows, segments).astype(np.float64)


def resampled_sums(tables: Sequence[Table], resamples: int, seed: int) -> list[Table]:
    """Sums of each table's rows in each resample, a row a resample; all tables share their resamples."""
    segments = shared_length(tables)
    pieces: list[list[Table]] = [[] for _ in tables]
    for counts in resample_counts(segments, resamples, seed):
        for piece, table in zip(pieces, tables, strict=True):
            piece.append(counts @ table)
    return _joined(pieces, tables)


def swapped_sums(pairs: Sequence[tuple[Table, Table]], trials: int, seed: int) -> list[tuple[Table, Table]]:
    """Sums of the rows of two tables in each trial, in which each segment changes sides with probability one half.

    All pairs share their trials.
    """
    flat = [table for pair in pairs for table in pair]
    moved = moving_sums(flat, trials, seed)
    each = zip(pairs, moved[::2], moved[1::2], strict=True)
    return [exchanged(*pair, leaving, coming) for pair, leaving, coming in each]


def moving_sums(tables: Sequence[Table], trials: int, seed: int) -> list[Table]:
    """Of each table, the sums of those rows whose segments change sides in each trial, each with probability one half.

    All tables share their trials, so that any two of them can be exchanged: n tables need n sums, not one a pair.
    """
    segments = shared_length(tables)
    generator = np.random.default_rng(checked_seed(seed))
    pieces: list[list[Table]] = [[] for _ in tables]
    for rows in _chunks(segments, checked_resamples(trials)):
        moves = (generator.random((rows, segments)) < 1 / 2).astype(np.float64)
        for piece, table in zip(pieces, tables, strict=True):
            piece.append(moves @ table)
    return _joined(pieces, tables)


def exchanged(first: Table, second: Table, leaving: Table, coming: Table) -> tuple[Table, Table]:
    """Sums of two tables in each trial, from the sums of the rows that leave the first and the second one."""
    return first.sum(axis=0) - leaving + coming, second.sum(axis=0) - coming + leaving


def shared_length(tables: Sequence[Table]) -> int:
    """How many segments all tables have."""
    lengths = {len(table) for table in tables} or {0}
    if len(lengths) > 1:
        raise UsageError(f"tables of {' and '.join(map(str, sorted(lengths)))} segments cannot be paired")
    return lengths.pop()


# More of them change no digit that anybody reads.
_MOST_RESAMPLES = 10**6


def checked_resamples(number: int) -> int:
    """A number of resamples."""
    if number < 1:
        raise UsageError(f"{number} resamples", advice="draw one at least, usually 1000")
    if number > _MOST_RESAMPLES:
        raise UsageError(f"{number} resamples", advice=f"draw up to {_MOST_RESAMPLES}, usually 1000")
    return number


def checked_seed(seed: int) -> int:
    """A seed, which NumPy wants to be no negative number."""
    if seed < 0:
        raise UsageError(f"seed {seed} is negative", advice="give 0 or more")
    return seed


def _chunks(segments: int, rows: int) -> Iterator[int]:
    most = max(1, _MOST_CELLS // max(1, segments))
    for begin in range(0, rows, most):
        yield min(most, rows - begin)


def _joined(pieces: Sequence[Sequence[Table]], tables: Sequence[Table]) -> list[Table]:
    return [np.vstack(several).reshape(-1, table.shape[1]) for several, table in zip(pieces, tables, strict=True)]
