"""Regions of weights in which no string changes, and good weights inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from latticemetric.lattice.columns import Floats

_POLYGON = 2  # the number of weights whose regions are polygons
_HALVINGS = 60
_MOST_DIGITS = 17


@dataclass(frozen=True)
class Range:
    """A range of the weight of a column.

    Attributes:
        name: The name of the column.
        low: The lowest weight.
        high: The highest weight.
        is_inverse: True if the weight is written as 1 / weight; then the range is above 0.
    """

    name: str
    low: Fraction
    high: Fraction
    is_inverse: bool = False

    @property
    def width(self) -> Fraction:
        """The width."""
        return self.high - self.low


def middle_of(corners: Floats, ranges: Sequence[Range]) -> tuple[list[float], float]:
    """Return the point of a convex region that is farthest from its border, and its distance.

    The distance is a share of the ranges: each weight may change by this share of its range, all at once.

    Args:
        corners: The corners of the region, in order; for one weight, the two ends.
        ranges: The ranges of the weights.
    """
    low, width = _bounds(ranges)
    shares = (corners - low) / width
    if len(ranges) == 1:
        (first,), (last,) = shares
        return [float(low[0] + width[0] * (first + last) / 2)], abs(last - first) / 2
    middle, distance = middle_of_polygon(shares)
    return (low + width * middle).tolist(), distance


def margin_at(point: Sequence[Fraction], corners: Floats, ranges: Sequence[Range]) -> float:
    """Return the distance of a point from the border of a convex region, as `middle_of` does."""
    low, width = _bounds(ranges)
    shares, at = (corners - low) / width, (np.array([float(value) for value in point]) - low) / width
    if len(ranges) == 1:
        return float(min(at[0] - shares.min(), shares.max() - at[0]))
    normals, offsets, lengths = _edges(shares)
    return float(((normals @ at - offsets) / lengths).min())


def _bounds(ranges: Sequence[Range]) -> tuple[Floats, Floats]:
    """Return the lowest weights, and the widths of the ranges."""
    low, width = (
        np.array([float(value) for value in side]) for side in zip(*((r.low, r.width) for r in ranges), strict=True)
    )
    return low, width


def _edges(corners: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the edges of a convex polygon: points inside have `normal · point >= offset`.

    The third number of an edge is by how much `normal · point` falls if both coordinates change by 1, towards the edge.
    """
    edges = np.roll(corners, -1, axis=0) - corners
    normals = np.column_stack([-edges[:, 1], edges[:, 0]])  # towards the inside: corners go round to the left
    lengths = np.abs(normals).sum(axis=1)
    is_edge = lengths > 0
    return normals[is_edge], (normals * corners).sum(axis=1)[is_edge], lengths[is_edge]


def middle_of_polygon(corners: Floats) -> tuple[Floats, float]:
    """Return the point of a convex polygon that is farthest from its border, and its distance, the same in x and y."""
    normals, offsets, lengths = _edges(corners)
    # Move all edges inwards: halve the interval of distances at which anything is left.
    least, most, left = 0.0, float(np.ptp(corners, axis=0).min()) / 2, corners
    for _ in range(_HALVINGS):
        distance = (least + most) / 2
        part = corners
        for normal, offset, by in zip(normals, offsets, lengths, strict=True):
            part = _part_beyond(part, normal, offset + distance * by)
            if not len(part):
                break
        if len(part):
            least, left = distance, part
        else:
            most = distance
    return left.mean(axis=0), least


def _part_beyond(corners: Floats, normal: Floats, offset: float) -> Floats:
    """Return the part of a polygon where `normal · point >= offset`."""
    heights = corners @ normal - offset
    kept = []
    for k, height in enumerate(heights.tolist()):
        after = (k + 1) % len(corners)
        if height >= 0:
            kept.append(corners[k])
        if (height < 0 < heights[after]) or (heights[after] < 0 < height):
            share = height / (height - heights[after])
            kept.append(corners[k] + share * (corners[after] - corners[k]))
    return np.array(kept)


def chord(corners: Floats, point: Floats, axis: int) -> tuple[float, float]:
    """Return the lowest and the highest value of a weight in a region, if the other one has its value at a point.

    Args:
        corners: The corners of a polygon, in order; or, for another number of weights, the ends along each one.
        point: A point in the region.
        axis: The number of the weight.
    """
    if corners.shape[1] != _POLYGON:
        return float(corners[:, axis].min()), float(corners[:, axis].max())
    heights = corners[:, 1 - axis] - point[1 - axis]
    after, next_height = np.roll(corners[:, axis], -1), np.roll(heights, -1)
    crosses = heights * next_height < 0
    shares = heights[crosses] / (heights - next_height)[crosses]
    met = corners[crosses, axis] + shares * (after - corners[:, axis])[crosses]
    met = np.concatenate([met, corners[heights == 0, axis]])
    return float(met.min()), float(met.max())


def short_decimals(point: Sequence[float], distance: float, ranges: Sequence[Range]) -> tuple[Fraction, ...]:
    """Return a point that is written with as few digits as possible, within a distance: a share of the ranges."""
    return tuple(
        _short_decimal(value, Fraction(distance) * one.width, one) for value, one in zip(point, ranges, strict=True)
    )


def _short_decimal(value: float, allowed: Fraction, within: Range) -> Fraction:
    exact = Fraction(value)
    written = 1 / exact if within.is_inverse else exact
    for digits in range(-_MOST_DIGITS, _MOST_DIGITS + 1):
        rounded = round(written, digits)
        if within.is_inverse:
            rounded = 1 / rounded if rounded else within.low - 1
        if abs(rounded - exact) <= allowed and within.low <= rounded <= within.high:
            return rounded
    return exact
