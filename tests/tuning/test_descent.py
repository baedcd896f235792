"""Descents in a box, against the conditions of a minimum and against random points."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from latticemetric.tuning.descent import minimum_in_box


def bowl(seed):
    """A convex quadratic function of random shape, in a random box, and a start that may lie outside of it."""
    generator = np.random.default_rng(seed)
    size = int(generator.integers(1, 6))
    root = generator.normal(size=(size, size))
    shape, centre = root @ root.T + 0.1 * np.eye(size), generator.normal(size=size)
    low = generator.uniform(-2, 0.5, size)
    high = low + 10 ** generator.uniform(-3, 1, size)

    def function(point):
        return float((point - centre) @ shape @ (point - centre)), 2 * shape @ (point - centre)

    return function, generator.uniform(-3, 3, size), low, high, generator


@given(seed=st.integers(0, 2**32))
def test_the_end_is_the_minimum_of_a_bowl(seed):
    function, start, low, high, generator = bowl(seed)
    found = minimum_in_box(function, start, low, high, most_steps=500)
    assert ((low <= found.point) & (found.point <= high)).all()
    assert found.value == function(found.point)[0]
    for _ in range(200):
        assert found.value <= function(generator.uniform(low, high))[0] + 1e-4 * abs(found.value) + 1e-9


@given(seed=st.integers(0, 2**32), steps=st.integers(1, 5))
def test_no_step_makes_it_worse(seed, steps):
    function, start, low, high, _ = bowl(seed)
    values = [minimum_in_box(function, start, low, high, most_steps=most).value for most in range(1, steps + 1)]
    assert values == sorted(values, reverse=True)
    assert values[0] <= function(np.clip(start, low, high))[0]


def test_a_flat_function_needs_no_steps():
    found = minimum_in_box(lambda _: (1.0, np.zeros(2)), np.zeros(2), -np.ones(2), np.ones(2), most_steps=9)
    assert (found.point.tolist(), found.value, found.steps) == ([0.0, 0.0], 1.0, 0)
