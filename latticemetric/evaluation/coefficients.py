"""Correlation coefficients: Pearson's r, Spearman's ρ, Kendall's τ-b, of many samples at once.

Points lie along the last axis. Where a coefficient is undefined (fewer than two points, one side constant, a value
missing) it is NaN.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from latticemetric.errors import UsageError

Floats = npt.NDArray[np.float64]
_Counts = npt.NDArray[np.int64]

_FEWEST = 2  # points that have a correlation

# Keys of half a sample at once, while inversions are counted: 32 MB.
_MOST_KEYS = 2**22


def pearson(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """Return the product-moment correlation.

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
    # A large common factor would overflow in the squares, a small one vanish.
    with np.errstate(divide="ignore", invalid="ignore"):
        dx, dy = (side / np.abs(side).max(axis=-1, keepdims=True) for side in (dx, dy))
        found = (dx * dy).sum(axis=-1) / np.sqrt((dx**2).sum(axis=-1) * (dy**2).sum(axis=-1))
    return np.where(_varies(x) & _varies(y), np.clip(found, -1, 1), np.nan)


def spearman(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """Return the rank correlation: Pearson's of the ranks, equal values sharing the mean of theirs.

    Examples:
        >>> float(spearman([1, 2, 3, 4], [1, 20, 300, 250]).round(4))
        0.8
    """
    x, y = _paired(first, second)
    return pearson(ranks(x), ranks(y))


def kendall(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """Return Kendall's τ-b.

    Pairs in the same order minus pairs in the other, over √ of the pairs that differ on each side.

    Examples:
        >>> float(kendall([1, 2, 3, 4], [1, 3, 2, 4]).round(4))
        0.6667
    """
    x, y = _paired(first, second)
    if x.shape[-1] < _FEWEST:
        return np.full(x.shape[:-1], np.nan)
    flat_x, flat_y = (side.reshape(-1, side.shape[-1]) for side in (x, y))
    rows = max(1, _MOST_KEYS // x.shape[-1])
    parts = [
        _tau_b(flat_x[begin : begin + rows], flat_y[begin : begin + rows]) for begin in range(0, len(flat_x), rows)
    ]
    missing = np.isnan(x).any(axis=-1) | np.isnan(y).any(axis=-1)
    return np.where(missing, np.nan, np.concatenate([np.zeros(0), *parts]).reshape(x.shape[:-1]))


COEFFICIENTS: dict[str, Callable[[npt.ArrayLike, npt.ArrayLike], Floats]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}
"""All coefficients, by name."""


def ranks(values: Floats) -> Floats:
    """Return ranks from 1 along the last axis; equal values share the mean of theirs. NaN stays NaN."""
    order = np.argsort(values, axis=-1, kind="stable")
    first, last = _runs(np.take_along_axis(values, order, axis=-1))
    found = np.empty(values.shape)
    np.put_along_axis(found, order, (first + last) / 2 + 1, axis=-1)
    return np.where(np.isnan(values), np.nan, found)


def differences(values: Floats) -> Floats:
    """Return the first minus the second of every pair of points (i, j), i < j."""
    one, other = np.triu_indices(values.shape[-1], 1)
    return values[..., one] - values[..., other]


def fitted_line(first: Floats, second: Floats) -> tuple[float, float] | None:
    """Return slope and intercept of the least-squares line; `None` where there is none.

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
    """Return rows [1, x, y, x², y², xy] of standardised values, zeros where one is missing.

    Sums of rows make Pearson's r. Rounding does no harm, as sums of squares of standardised values are of the size of
    their number.
    """
    there = ~(np.isnan(first) | np.isnan(second))
    x, y = (_standardised(np.where(there, side, np.nan)) for side in (first, second))
    return np.stack([there.astype(np.float64), x, y, x**2, y**2, x * y], axis=-1)


def pearson_of(sums: Floats) -> Floats:
    """Return Pearson's r of summed moments (the last axis)."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_x, mean_y = x / n, y / n
        var_x, var_y = xx / n - mean_x**2, yy / n - mean_y**2
        found = (xy / n - mean_x * mean_y) / np.sqrt(var_x * var_y)
    # What is left of a constant after rounding.
    varies = (var_x > _NO_VARIANCE * xx / np.maximum(n, 1)) & (var_y > _NO_VARIANCE * yy / np.maximum(n, 1))
    return np.where((n >= _FEWEST) & varies, np.clip(found, -1, 1), np.nan)


_NO_VARIANCE = 1e-13


def _standardised(values: Floats) -> Floats:
    """Standardise what is not NaN to zero mean and unit variance; zeros where nothing is left."""
    there = ~np.isnan(values)
    if not there.any():
        return np.zeros(values.shape)
    centred = np.where(there, values - values[there].mean(), 0.0)
    scale = np.sqrt((centred[there] ** 2).mean())
    return centred / scale if scale > 0 and _varies(values[there]) else np.zeros(values.shape)


# ---- Kendall's τ-b ----


def _tau_b(x: Floats, y: Floats) -> Floats:
    """Return τ-b of each row, by Knight's algorithm: sort by x, then count the inversions of y while merging."""
    n = x.shape[-1]
    order = np.lexsort((y, x), axis=-1)
    x, y = (np.take_along_axis(side, order, axis=-1) for side in (x, y))
    pairs = n * (n - 1) // 2
    tied_x, tied_y = _tied_pairs(x), _tied_pairs(np.sort(y, axis=-1))
    tied_both = _tied_pairs(x, y)
    against = _inversions(_dense_ranks(y))
    balance = pairs - tied_x - tied_y + tied_both - 2 * against
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = balance / np.sqrt((pairs - tied_x).astype(np.float64) * (pairs - tied_y))
    return np.clip(found, -1, 1)


def _tied_pairs(*sides: Floats) -> _Counts:
    """Count the pairs of points that are equal in all sides, in which equal points are neighbours."""
    lengths = np.arange(sides[0].shape[-1]) - _runs(*sides)[0]
    found: _Counts = lengths.sum(axis=-1, dtype=np.int64)  # each point has so many equal ones before it
    return found


def _inversions(ranked: _Counts) -> _Counts:
    """Count the pairs i < j with r_i > r_j, in each row; halves are merged bottom-up, all of a size at once."""
    rows, n = ranked.shape
    size = 1 << (n - 1).bit_length()
    values = np.full((rows, size), n, dtype=np.int64)  # what fills up comes last and is in order
    values[:, :n] = ranked
    total = np.zeros(rows, dtype=np.int64)
    width = 1
    while width < size:
        blocks = values.reshape(-1, 2, width) + (np.arange(rows * size // (2 * width)) * (n + 1))[:, None, None]
        left, right = blocks[:, 0].ravel(), blocks[:, 1].ravel()
        not_above = np.searchsorted(left, right, side="right")  # all of the blocks before, and some of its own
        above = np.repeat(np.arange(1, len(blocks) + 1) * width, width) - not_above
        total += above.reshape(rows, -1).sum(axis=-1)
        values = np.sort(values.reshape(-1, 2 * width), axis=-1)
        width *= 2
    return total


def _dense_ranks(values: Floats) -> _Counts:
    """Return ranks from 0 that equal values share."""
    order = np.argsort(values, axis=-1, kind="stable")
    first, _ = _runs(np.take_along_axis(values, order, axis=-1))
    found = np.empty(values.shape, dtype=np.int64)
    np.put_along_axis(found, order, first, axis=-1)
    return found


# ---- Runs and checks ----


def _runs(*sides: Floats) -> tuple[_Counts, _Counts]:
    """Return, for every point, where the run of neighbours that are equal in all sides begins and ends."""
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
    x, y = (np.asarray(side, dtype=np.float64) for side in (first, second))
    if not x.ndim or not y.ndim or x.shape[-1] != y.shape[-1]:
        raise UsageError(
            f"arrays of shapes {x.shape} and {y.shape} cannot be correlated", advice="give as many values on each side"
        )
    x, y = np.broadcast_arrays(x, y)
    return x, y


def _varies(values: Floats) -> npt.NDArray[np.bool_]:
    """Check if points differ; false where one is missing."""
    found: npt.NDArray[np.bool_] = values.max(axis=-1) > values.min(axis=-1)
    return found
