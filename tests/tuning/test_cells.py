"""The cells and segments of weights against all paths of small graphs, in fractions."""

import random
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import latticemetric as lm
from latticemetric import _native
from latticemetric.tuning.cells import cells_of, segments_of
from latticemetric.tuning.units import CostParts, Units

from .graphs import best_by_ties, random_graph

seeds = st.integers(0, 2**32)


def crossing(one, other):
    """The point where a x + b y + c = 0 for both."""
    w = one[0] * other[1] - one[1] * other[0]
    return (
        Fraction(one[1] * other[2] - other[1] * one[2], w),
        Fraction(one[2] * other[0] - other[2] * one[0], w),
    )


def cost(sums, x, y=0):
    return sums[0] + x * sums[1] + y * sums[2]


@given(seeds)
def test_cells_fill_the_box_and_have_the_cheapest_paths(seed):
    chance = random.Random(seed)
    graph, paths = random_graph(chance)
    box = [
        chance.randint(-8, 0),
        chance.randint(1, 8),
        chance.randint(-8, 0),
        chance.randint(1, 8),
        chance.choice([1, 3, 7]),
    ]
    if chance.random() < 0.3:
        box[0], box[3] = 1000 * box[0], 1000 * box[3]
    parts = CostParts.of(graph, ["first", "second"], None)
    units = Units.of([parts])
    assert units == Units(Fraction(1), (Fraction(1), Fraction(1)), is_exact=True)
    cells = cells_of(parts, units, box)
    edges, begin = cells.native.edges()
    every = {path.sums for path in paths}
    area = Fraction(0)
    for number, (string, sums) in enumerate(zip(cells.strings, cells.native.sums().tolist(), strict=True)):
        lines = [tuple(map(int, edge)) for edge in edges[begin[number] : begin[number + 1]]]
        corners = [crossing(*pair) for pair in pairwise([lines[-1], *lines])]
        for x, y in corners:
            assert cost(sums, x, y) == min(cost(other, x, y) for other in every)
        x, y = (sum(side) / len(corners) for side in zip(*corners, strict=True))
        assert [other for other in every if cost(other, x, y) <= cost(sums, x, y)] == [tuple(sums)]
        assert string == best_by_ties([path for path in paths if path.sums == tuple(sums)]).words
        area += sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise([corners[-1], *corners])) / 2
    assert area == Fraction(box[1] - box[0], box[4]) * Fraction(box[3] - box[2], box[4])


@given(seeds)
def test_segments_have_the_cheapest_paths(seed):
    chance = random.Random(seed)
    graph, paths = random_graph(chance)
    low, high, unit = box = [chance.randint(-8, 0), chance.randint(1, 8), chance.choice([1, 3, 7])]
    parts = CostParts.of(graph, ["first"], {"second": 0.0})
    found = segments_of(parts, Units.of([parts]), box)
    lines = {path.sums[:2] for path in paths}
    begin = Fraction(low, unit)
    assert found.ends[-1] == high / unit
    for end, string in zip(found.ends.tolist(), found.strings, strict=True):
        x = (begin + Fraction(end)) / 2
        least = min(a + x * b for a, b in lines)
        (best,) = [line for line in lines if line[0] + x * line[1] == least]
        assert string == best_by_ties([path for path in paths if path.sums[:2] == best]).words
        assert Fraction(end) > begin
        begin = Fraction(end)
    assert all(one != other for one, other in pairwise(zip(found.ends, found.strings, strict=True)))


@given(seeds)
def test_a_product_of_weight_and_costs_is_exact_in_decimals(seed):
    chance = random.Random(seed)
    graph, _ = random_graph(chance)
    values = [round(chance.uniform(-9, 9), chance.randint(0, 4)) for _ in range(2)]
    parts = CostParts.of(graph, ["second"], {"constant": values[0], "first": values[1]})
    units = Units.of([parts])
    assert units.is_exact
    constant, varied = units.counted(parts)
    columns = {name: [*map(int, column.arc), *map(int, column.final)] for name, column in graph.scores.items()}
    for number, count in enumerate(constant.tolist()):
        exact = sum(
            Fraction(repr(weight)) * columns[name][number]
            for name, weight in zip(("constant", "first"), values, strict=True)
        )
        assert count * units.constant == exact
    assert [count * units.varied[0] for count in varied.tolist()] == columns["second"]


def test_costs_that_are_no_short_decimals_are_rounded_and_said_to_be():
    nbest = lm.NBest.from_strings(["a", "b"], scores={"am": [1 / 3, 2 / 3], "lm": [0.1, 0.7]})
    parts = CostParts.of(nbest.to_lattice(), ["lm"], None)
    units = Units.of([parts])
    assert not units.is_exact
    assert units.constant.numerator == 1
    constant, varied = units.counted(parts)
    assert constant[0] * units.constant == pytest.approx(1 / 3, abs=float(units.constant))
    assert float(varied[1] * units.varied[0]) == pytest.approx(0.7, abs=float(units.varied[0]))


def test_ranges_with_too_many_digits_are_refused():
    nbest = lm.NBest.from_strings(["a", "b"], scores={"am": [1, 2], "lm": [3, 1]})
    parts = CostParts.of(nbest.to_lattice(), ["lm"], None)
    with pytest.raises(lm.UsageError, match="ranges of weights"):
        Units.of([parts]).box([(Fraction(1, 3**40), Fraction(1))])


@pytest.mark.parametrize(
    ("box", "says"),
    [([0, 0, 0, 1, 1], "empty"), ([0, 1, 0, 1, 0], "unit"), ([0, 2**40, 0, 1, 1], "too large")],
)
def test_kernels_refuse_boxes_that_are_none(box, says):
    lattice = lm.Lattice.from_strings(["a"], costs=[1.0])
    graph = _native.TunedGraph(
        lattice.native(lattice.cost(), is_word=lattice.is_word()), lattice.final, [np.zeros(2, np.int64)] * 3
    )
    with pytest.raises(ValueError, match=says):
        _native.WeightCells(graph, box, 10)


def test_too_many_cells_are_an_error(monkeypatch):
    graph, _ = random_graph(random.Random(3))
    parts = CostParts.of(graph, ["first", "second"], None)
    monkeypatch.setattr("latticemetric.tuning.cells.MOST_CELLS", 1)
    with pytest.raises(lm.InputError, match="too many cells; prune the graph, or vary weights less"):
        cells_of(parts, Units.of([parts]), [-5, 5, -5, 5, 1])
