"""Minimize a smooth function in a box: projected steps along quasi-Newton directions (L-BFGS)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.lattice.columns import Floats

Mask = npt.NDArray[np.bool_]
Pair = tuple[Floats, Floats]
Function = Callable[[Floats], tuple[float, Floats]]
"""Returns the value and the gradient at a point."""

# Pairs of steps and changes of gradients that give the curvature.
_PAIRS = 8
# A step must gain at least this share of what the gradient promises.
_LEAST_GAIN = 1e-4
_MOST_HALVINGS = 30
_FIRST_STEP = 0.1
# The search ends if a step gains less than this share of the value.
_LEAST_CHANGE = 1e-7


class Descent(NamedTuple):
    """The end of a search.

    Attributes:
        point: The best point.
        value: The value there.
        steps: The number of steps.
    """

    point: Floats
    value: float
    steps: int


class _BoxPoint(NamedTuple):
    """A point with its value and its gradient, in shares of the box."""

    point: Floats
    value: float
    slope: Floats

    def free(self) -> Mask:
        """Return which coordinates may move: not those at a border towards which the value falls."""
        outwards: Mask = ((self.point <= 0) & (self.slope > 0)) | ((self.point >= 1) & (self.slope < 0))
        return ~outwards


def minimum_in_box(function: Function, start: Floats, low: Floats, high: Floats, *, most_steps: int) -> Descent:
    """Descend from a point to a local minimum of a function in a box; the value never rises.

    Coordinates at a border stay there while the value falls outwards; the others move along the quasi-Newton direction,
    projected to the box, by the first of 1, 1/2, 1/4, … of the step that lowers the value enough. All is measured in
    shares of the box, so that coordinates of any size are alike.

    Examples:
        >>> def bowl(x):
        ...     return float(((x - [2.0, 0.5]) ** 2).sum()), 2 * (x - [2.0, 0.5])
        >>> found = minimum_in_box(bowl, np.zeros(2), np.zeros(2), np.ones(2), most_steps=20)
        >>> found.point.round(6).tolist(), round(found.value, 6)
        ([1.0, 0.5], 1.0)
    """
    width = high - low

    def at(share: Floats) -> _BoxPoint:
        value, gradient = function(np.clip(low + share * width, low, high))
        return _BoxPoint(share, value, gradient * width)

    place, pairs, steps = at(np.clip((start - low) / width, 0, 1)), list[Pair](), 0
    while steps < most_steps and place.slope[place.free()].any():
        following = _stepped(at, place, _quasi_newton(place, pairs))
        if following is None and pairs:
            pairs.clear()
            following = _stepped(at, place, _quasi_newton(place, pairs))
        if following is None:
            break
        steps += 1
        moved, change = following.point - place.point, following.slope - place.slope
        if moved @ change > 0:
            pairs = [*pairs[1 - _PAIRS :], (moved, change)]
        gained, place = place.value - following.value, following
        if gained <= _LEAST_CHANGE * abs(place.value):
            break
    return Descent(np.clip(low + place.point * width, low, high), place.value, steps)


def _quasi_newton(place: _BoxPoint, pairs: list[Pair]) -> Floats:
    """Return the direction in which to step: from the last steps and changes of slopes (Nocedal 1980), downhill.

    Without pairs, the direction of steepest descent, of a tenth of the box.
    """
    free = place.free()
    steepest: Floats = np.where(free, -place.slope, 0.0)
    steepest = steepest * (_FIRST_STEP / np.abs(steepest).max())
    kept = [(moved * free, change * free) for moved, change in pairs]
    kept = [(moved, change) for moved, change in kept if moved @ change > 0]
    if not kept:
        return steepest
    direction: Floats = np.where(free, -place.slope, 0.0)
    shares: list[float] = []
    for moved, change in reversed(kept):
        shares.append(float(moved @ direction / (moved @ change)))
        direction = direction - shares[-1] * change
    moved, change = kept[-1]
    direction = direction * (moved @ change / (change @ change))
    for (moved, change), share in zip(kept, reversed(shares), strict=True):
        direction = direction + moved * (share - change @ direction / (moved @ change))
    return direction if direction @ place.slope < 0 else steepest


def _stepped(at: Callable[[Floats], _BoxPoint], place: _BoxPoint, direction: Floats) -> _BoxPoint | None:
    """Return the first place along a direction, projected to the box, that is low enough; `None` if there is none."""
    share = 1.0
    for _ in range(_MOST_HALVINGS):
        point = np.clip(place.point + share * direction, 0, 1)
        promised = place.slope @ (point - place.point)
        if promised < 0:
            following = at(point)
            if following.value <= place.value + _LEAST_GAIN * promised:
                return following
        share /= 2
    return None
