"""Correlation coefficients (Pearson's r, Spearman's ρ, Kendall's τ-b) of many samples at once.

The last axis of an array runs over the points of one sample. A coefficient is undefined (NaN) if there are fewer than
two points, if a value is missing, or if one variable is constant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.arguments import floats
from latticemetric.errors import UsageError

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

_FEWEST = 2  # points that a correlation needs

# The largest number of values to sort at once while inversions are counted: half a megabyte stays near the processor.
_MOST_KEYS = 2**16
_FEW_PLACES = 48  # up to this number of points, all pairs are compared


def pearson(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """Return Pearson's r, the product-moment correlation.

    Examples:
        >>> float(pearson([1, 2, 3], [1, 2, 4]).round(4))
        0.982
        >>> float(pearson([1, 2, 3], [5, 5, 5]))
        nan
    """
    x, y = _paired(first, second)
    if x.shape[-1] < _FEWEST:
        return np.full(x.shape[:-1], np.nan)
    dx, dy = (side - side.mean(axis=-1, keepdims=True) for side in (x, y))
    # Scale first: squares of very large values would overflow, and squares of very small values would become 0.
    with np.errstate(divide="ignore", invalid="ignore"):
        dx, dy = (side / np.abs(side).max(axis=-1, keepdims=True) for side in (dx, dy))
        found = (dx * dy).sum(axis=-1) / np.sqrt((dx**2).sum(axis=-1) * (dy**2).sum(axis=-1))
    return np.where(_varies(x) & _varies(y), np.clip(found, -1, 1), np.nan)


def spearman(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """Return Spearman's ρ: Pearson's r of the ranks. Equal values share their mean rank.

    Examples:
        >>> float(spearman([1, 2, 3, 4], [1, 20, 300, 250]).round(4))
        0.8
    """
    x, y = _paired(first, second)
    return pearson(ranks(x), ranks(y))


def kendall(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """Return Kendall's τ-b.

    τ-b is the number of concordant pairs minus the number of discordant pairs, divided by √(number of pairs that differ
    in `first` × number of pairs that differ in `second`).

    Examples:
        >>> float(kendall([1, 2, 3, 4], [1, 3, 2, 4]).round(4))
        0.6667
    """
    x, y = _paired(first, second)
    if x.shape[-1] < _FEWEST:
        return np.full(x.shape[:-1], np.nan)
    flat_x, flat_y = (side.reshape(-1, side.shape[-1]) for side in (x, y))
    rows = max(1, _MOST_KEYS // x.shape[-1])
    parts = [_tau_b(flat_x[k : k + rows], flat_y[k : k + rows]) for k in range(0, len(flat_x), rows)]
    missing = np.isnan(x).any(axis=-1) | np.isnan(y).any(axis=-1)
    return np.where(missing, np.nan, np.concatenate([np.zeros(0), *parts]).reshape(x.shape[:-1]))


COEFFICIENTS: dict[str, Callable[[npt.ArrayLike, npt.ArrayLike], Floats]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}
"""All coefficients, by name."""


def ranks(values: Floats) -> Floats:
    """Return ranks from 1 along the last axis; equal values share their mean rank. NaN stays NaN."""
    first, last = rank_ranges(values)
    return np.where(np.isnan(values), np.nan, (first + last) / 2 + 1)


def differences(values: Floats) -> Floats:
    """Return value i minus value j for all pairs of points i < j, along the last axis."""
    one, other = np.triu_indices(values.shape[-1], 1)
    return values[..., one] - values[..., other]


def fitted_line(first: Floats, second: Floats) -> tuple[float, float] | None:
    """Return slope and intercept of the least-squares line through the points (`first`, `second`).

    Points with NaN are left out. Return `None` if fewer than two points are left, or `first` is constant.

    Examples:
        >>> fitted_line(np.array([0.0, 1, 2]), np.array([1.0, 3, 5]))
        (2.0, 1.0)
    """
    there = ~(np.isnan(first) | np.isnan(second))
    x, y = first[there], second[there]
    if len(x) < _FEWEST or not _varies(x):
        return None
    dx = x - x.mean()
    slope = float((dx * (y - y.mean())).sum() / (dx**2).sum())
    return slope, float(y.mean() - slope * x.mean())


# ---- Pearson's r from sums ----


def moments(first: Floats, second: Floats) -> Floats:
    """Return a row [1, x, y, x², y², xy] of standardised values for each point; zeros if a value is missing.

    `pearson_of` computes Pearson's r from sums of these rows. Rounding is harmless, since the squares of n standardised
    values sum to about n.
    """
    there = ~(np.isnan(first) | np.isnan(second))
    x, y = (_standardised(np.where(there, side, np.nan)) for side in (first, second))
    return np.stack([there.astype(np.float64), x, y, x**2, y**2, x * y], axis=-1)


def pearson_of(sums: Floats) -> Floats:
    """Return Pearson's r from sums of rows of `moments`; NaN if undefined. The last axis has the six moments."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_x, mean_y = x / n, y / n
        var_x, var_y = xx / n - mean_x**2, yy / n - mean_y**2
        found = (xy / n - mean_x * mean_y) / np.sqrt(var_x * var_y)
    # A variance below this is only the rounding error of a constant.
    varies = (var_x > _NO_VARIANCE * xx / np.maximum(n, 1)) & (var_y > _NO_VARIANCE * yy / np.maximum(n, 1))
    return np.where((n >= _FEWEST) & varies, np.clip(found, -1, 1), np.nan)


_NO_VARIANCE = 1e-13


def _standardised(values: Floats) -> Floats:
    """Standardise values to mean 0 and variance 1; NaN and constant values become 0."""
    there = ~np.isnan(values)
    if not there.any():
        return np.zeros(values.shape)
    centred = np.where(there, values - values[there].mean(), 0.0)
    # Squares of very small values would become 0, and those of very large ones infinite.
    centred = np.ldexp(centred, -np.frexp(np.abs(centred).max())[1])
    scale = np.sqrt((centred[there] ** 2).mean())
    return centred / scale if scale > 0 and _varies(values[there]) else np.zeros(values.shape)


# ---- Kendall's τ-b ----


class PairCounts(NamedTuple):
    """Numbers of pairs of points, by their order in two variables.

    Attributes:
        concordant: Pairs that have the same order in both variables.
        discordant: Pairs that have opposite orders in both variables.
        tied_first: Pairs that are equal in the first variable only.
        tied_second: Pairs that are equal in the second variable only.
        tied_both: Pairs that are equal in both.
    """

    concordant: Counts
    discordant: Counts
    tied_first: Counts
    tied_second: Counts
    tied_both: Counts


def pair_counts(first: npt.ArrayLike, second: npt.ArrayLike) -> PairCounts:
    """Count the pairs of points in each row by their order in both variables (Knight 1966). NaN is not allowed.

    Examples:
        >>> [int(count) for count in pair_counts([1, 2, 3, 3], [1, 3, 2, 2])]
        [3, 2, 0, 0, 1]
    """
    x, y = _paired(first, second)
    flat_x, flat_y = (side.reshape(-1, side.shape[-1]) for side in (x, y))
    rows = max(1, _MOST_KEYS // max(1, x.shape[-1]))
    parts = [_counted(flat_x[k : k + rows], flat_y[k : k + rows]) for k in range(0, len(flat_x), rows)]
    empty = np.zeros((5, 0), dtype=np.int64)
    return PairCounts(*np.concatenate([empty, *map(np.stack, parts)], axis=1).reshape(5, *x.shape[:-1]))


def _counted(x: Floats, y: Floats) -> PairCounts:
    """Count the pairs of each row: sort points by x, and count the inversions of y in a merge sort (Knight 1966)."""
    n = x.shape[-1]
    order = np.lexsort((y, x), axis=-1)
    x, y = (np.take_along_axis(side, order, axis=-1) for side in (x, y))
    pairs = n * (n - 1) // 2
    tied_x, tied_y = _tied_pairs(x), _tied_pairs(np.sort(y, axis=-1))
    tied_both = _tied_pairs(x, y)
    against = inversions(rank_ranges(y)[0]) if n else np.zeros(len(x), dtype=np.int64)
    balance = pairs - tied_x - tied_y + tied_both - against
    return PairCounts(balance, against, tied_x - tied_both, tied_y - tied_both, tied_both)


def _tau_b(x: Floats, y: Floats) -> Floats:
    """Return τ-b of each row."""
    count = _counted(x, y)
    untied = count.concordant + count.discordant
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = (count.concordant - count.discordant) / np.sqrt(
            (untied + count.tied_second).astype(np.float64) * (untied + count.tied_first)
        )
    return np.clip(found, -1, 1)


def _tied_pairs(*sides: Floats) -> Counts:
    """Count the pairs of points that are equal in all variables; equal points must be adjacent."""
    before = np.arange(sides[0].shape[-1]) - _runs(*sides)[0]  # the number of equal points before each
    return np.asarray(before.sum(axis=-1, dtype=np.int64))


def inversions(ranked: Counts) -> Counts:
    """Count the pairs i < j with r_i > r_j in each row; ranks are integers from 0 to 2n.

    The places of a row are cut into blocks, and its ranks, in order, into as many. A pair of the same block of ranks is
    found by comparing all values of this block, a pair of the same block of places likewise. All others are counted by
    their blocks.
    """
    rows, n = ranked.shape
    if n <= _FEW_PLACES:
        return _inverted(ranked.astype(_smallest(n)))
    width = 1 << ((n - 1).bit_length() + 1) // 2
    blocks = -(-n // width)
    # Equal ranks become different ranks that are in order; padding is in order, too.
    place, rank = (np.tile(np.arange(blocks * width), (rows, 1)) for _ in range(2))
    place[:, :n] = np.argsort(ranked.astype(_smallest(2 * n)), axis=-1, kind="stable")  # a radix sort of 16 bits
    np.put_along_axis(rank, place, np.arange(blocks * width)[None], axis=-1)
    near = place.astype(_smallest(n)).reshape(-1, width), (rank // width).astype(_smallest(blocks)).reshape(-1, width)
    total = sum(_inverted(each).reshape(rows, blocks).sum(axis=-1) for each in near)
    cell = (np.arange(rows)[:, None] * blocks + np.arange(blocks * width) // width) * blocks + rank // width
    cells = np.bincount(cell.ravel(), minlength=rows * blocks**2).reshape(rows, blocks, blocks)
    before = cells.cumsum(axis=1) - cells
    higher = before[..., ::-1].cumsum(axis=-1)[..., ::-1] - before
    return np.asarray(total + (cells * higher).sum(axis=(1, 2)))


def _inverted(values: npt.NDArray[np.integer[Any]]) -> Counts:
    """Count the pairs i < j with v_i > v_j in each short row, by comparing all pairs."""
    columns = np.ascontiguousarray(values.T)
    found = np.zeros(columns.shape, dtype=_smallest(len(columns) - 1))
    for distance in range(1, len(columns)):
        found[:-distance] += (columns[:-distance] > columns[distance:]).view(np.int8)  # no conversion takes time
    return np.asarray(found.sum(axis=0, dtype=np.int64))


def _smallest(largest: int) -> type[np.signedinteger[Any]]:
    """Return a small type of integers up to this number: comparisons of small integers are fast."""
    return next((t for t in (np.int8, np.int16, np.int32) if largest <= np.iinfo(t).max), np.int64)


# ---- Runs and checks ----


def rank_ranges(values: Floats) -> tuple[Counts, Counts]:
    """Return, for each value, the first and the last rank (from 0) of the values that equal it."""
    order = np.argsort(values, axis=-1, kind="stable")
    ranges = np.empty((2, *values.shape), dtype=np.int64)
    for found, of_sorted in zip(ranges, _runs(np.take_along_axis(values, order, axis=-1)), strict=True):
        np.put_along_axis(found, order, of_sorted, axis=-1)
    return ranges[0], ranges[1]


def _runs(*sides: Floats) -> tuple[Counts, Counts]:
    """Return, for each point, the first and last position of its run. A run is a series of adjacent equal points."""
    shape = sides[0].shape
    place = np.broadcast_to(np.arange(shape[-1]), shape)
    new = np.zeros(shape, dtype=bool)
    for side in sides:
        new[..., 1:] |= side[..., 1:] != side[..., :-1]
    first = np.maximum.accumulate(np.where(new, place, 0), axis=-1)
    ends = np.concatenate([new[..., 1:], np.ones((*shape[:-1], 1), dtype=bool)], axis=-1)
    backwards = np.where(ends, place, shape[-1])[..., ::-1]
    return first, np.minimum.accumulate(backwards, axis=-1)[..., ::-1]


def _paired(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[Floats, Floats]:
    x, y = (floats(side, "the values to correlate") for side in (first, second))
    if not x.ndim or not y.ndim or x.shape[-1] != y.shape[-1]:
        raise UsageError(
            f"arrays of shapes {x.shape} and {y.shape} cannot be correlated", advice="give two arrays of equal length"
        )
    x, y = np.broadcast_arrays(x, y)
    return x, y


def _varies(values: Floats) -> npt.NDArray[np.bool_]:
    """Check whether the last axis has at least two different values, and no NaN."""
    return np.asarray(values.max(axis=-1) > values.min(axis=-1))
