"""Regions of weights in which no string changes, and good weights inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

import numpy as np

from latticemetric.lattice.columns import Floats

_HALVINGS = 60
_MOST_DIGITS = 17


@dataclass(frozen=True)
class Range:
    """A range of the weight of a column."""

    name: str
    low: Fraction
    high: Fraction

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
    low, width = (
        np.array([float(value) for value in side]) for side in zip(*((r.low, r.width) for r in ranges), strict=True)
    )
    shares = (corners - low) / width
    if len(ranges) == 1:
        (first,), (last,) = shares
        return [float(low[0] + width[0] * (first + last) / 2)], abs(last - first) / 2
    middle, distance = middle_of_polygon(shares)
    return (low + width * middle).tolist(), distance


def middle_of_polygon(corners: Floats) -> tuple[Floats, float]:
    """Return the point of a convex polygon that is farthest from its border, and its distance, the same in x and y."""
    edges = np.roll(corners, -1, axis=0) - corners
    normals = np.column_stack([-edges[:, 1], edges[:, 0]])  # towards the inside: corners go round to the left
    length = np.abs(normals).sum(axis=1)  # of a step of 1 in each weight, against the edge
    normals, offsets = normals[length > 0], (normals * corners).sum(axis=1)[length > 0]
    length = length[length > 0]
    # Move all edges inwards: halve the interval of distances at which anything is left.
    least, most, left = 0.0, float(np.ptp(corners, axis=0).min()) / 2, corners
    for _ in range(_HALVINGS):
        distance = (least + most) / 2
        part = corners
        for normal, offset, by in zip(normals, offsets, length, strict=True):
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


def short_decimals(point: Sequence[float], margin: float, ranges: Sequence[Range]) -> tuple[Fraction, ...]:
    """Return a point nearby with as few digits as possible: within half of the margin."""
    return tuple(
        _short_decimal(value, Fraction(margin) * one.width / 2, one) for value, one in zip(point, ranges, strict=True)
    )


def _short_decimal(value: float, allowed: Fraction, within: Range) -> Fraction:
    exact = Decimal(value)
    for digits in range(-_MOST_DIGITS, _MOST_DIGITS + 1):
        rounded = Fraction(exact.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_EVEN))
        if abs(rounded - Fraction(value)) <= allowed and within.low <= rounded <= within.high:
            return rounded
    return Fraction(value)
