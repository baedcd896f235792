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
from latticemetric.lattice.columns import Costs
from latticemetric.tuning.cells import cells_of, segments_of
from latticemetric.tuning.costs import CostTable
from latticemetric.tuning.regions import Range
from latticemetric.tuning.section import Section

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


def ranges_of(bounds, unit=1):
    """The ranges of x, and of y if there are four bounds."""
    return [
        Range("xy"[k], Fraction(bounds[2 * k], unit), Fraction(bounds[2 * k + 1], unit))
        for k in range(len(bounds) // 2)
    ]


def costs_on(table, ranges, at=None):
    """The costs on the line or plane of the first columns that vary."""
    section = Section.of_columns(at or (Fraction(0),) * len(ranges), ranges, *range(len(ranges)))
    return table.on(section)


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
    table = CostTable([graph], ["first", "second"], None)
    costs = costs_on(table, ranges_of(box[:4], box[4]))
    assert costs.is_exact
    assert costs.scales == (1, 1)
    cells = cells_of(table, costs, 0)
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
        assert string == best_by_ties(graph, [path for path in paths if path.sums == tuple(sums)]).words
        area += sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise([corners[-1], *corners])) / 2
    assert area == Fraction(box[1] - box[0], box[4]) * Fraction(box[3] - box[2], box[4])


@given(seeds)
def test_segments_have_the_cheapest_paths(seed):
    chance = random.Random(seed)
    graph, paths = random_graph(chance)
    low, high, unit = box = [chance.randint(-8, 0), chance.randint(1, 8), chance.choice([1, 3, 7])]
    table = CostTable([graph], ["first"], {"second": 0.0})
    (found,) = segments_of(table, costs_on(table, ranges_of(box[:2], unit)), [0])
    lines = {path.sums[:2] for path in paths}
    begin = Fraction(low, unit)
    assert found.ends[-1] == high / unit
    for end, string in zip(found.ends.tolist(), found.strings, strict=True):
        x = (begin + Fraction(end)) / 2
        least = min(a + x * b for a, b in lines)
        (best,) = [line for line in lines if line[0] + x * line[1] == least]
        assert string == best_by_ties(graph, [path for path in paths if path.sums[:2] == best]).words
        assert Fraction(end) > begin
        begin = Fraction(end)
    assert all(one != other for one, other in pairwise(zip(found.ends, found.strings, strict=True)))


def decimal(chance, least=0):
    return Fraction(repr(round(chance.uniform(-9, 9), chance.randint(least, 4))))


@given(seeds)
def test_costs_on_any_line_are_exact(seed):
    """All columns vary: the costs at a point of a line are those of the weights there."""
    chance = random.Random(seed)
    graph, _ = random_graph(chance)
    names = ["constant", "first", "second"]
    table = CostTable([graph], names, None)
    ranges = [Range(name, Fraction(-10), Fraction(10)) for name in names]
    section = Section.along(
        tuple(decimal(chance) for _ in names), tuple(decimal(chance, least=1) or Fraction(1) for _ in names), ranges
    )
    costs = table.on(section)
    assert costs.is_exact
    x = section.ranges[0].low + section.ranges[0].width * Fraction(chance.randint(0, 100), 100)
    weights = section.point((x,))
    assert all(-10 <= weight <= 10 for weight in weights)
    (in_units,) = costs.in_units([x])
    columns = [[*map(int, column.arc), *map(int, column.final)] for column in graph.scores.values()]
    exact = [sum(w * c for w, c in zip(weights, row, strict=True)) for row in zip(*columns, strict=True)]
    counted = [a + in_units * b for a, b in zip(*map(np.ndarray.tolist, costs.columns), strict=True)]
    scale = next((e / c for e, c in zip(exact, counted, strict=True) if c), 1)
    assert scale > 0
    assert [scale * count for count in counted] == exact


@given(seeds)
def test_a_product_of_weight_and_costs_is_exact(seed):
    chance = random.Random(seed)
    graph, _ = random_graph(chance)
    weights = {"constant": float(decimal(chance)), "first": float(decimal(chance))}
    costs = costs_on(CostTable([graph], ["second"], weights), ranges_of([-1, 1]))
    assert costs.is_exact
    columns = {name: [*map(int, column.arc), *map(int, column.final)] for name, column in graph.scores.items()}
    constant, varied = map(np.ndarray.tolist, costs.columns)
    for number, (count, step) in enumerate(zip(constant, varied, strict=True)):
        exact = sum(Fraction(repr(weight)) * columns[name][number] for name, weight in weights.items())
        # Costs at the weights 0 and 1, in the same unit.
        for weight in (0, 1):
            in_units = count + costs.in_units([Fraction(weight)])[0] * step
            total = exact + weight * columns["second"][number]
            assert (in_units > 0) == (total > 0)
            assert (in_units < 0) == (total < 0)


def test_costs_that_have_no_unit_are_rounded_and_said_to_be():
    nbest = lm.NBest.from_strings(["a", "b"], scores={"am": [1 / 3, 2e5 / 3], "lm": [0.1, 0.7]})
    costs = costs_on(CostTable([nbest.to_lattice()], ["lm"], None), ranges_of([0, 1]))
    assert not costs.is_exact
    constant, varied = costs.columns
    assert constant[0] / constant[1] == pytest.approx(1 / 2e5, rel=1e-6)
    assert varied[1] == 7 * varied[0]


def test_binary_fractions_with_decimal_weights_are_exact():
    nbest = lm.NBest.from_strings(["a", "b"], scores={"am": [1 / 1024, 3 / 512], "lm": [0.5, 0.25]})
    costs = costs_on(CostTable([nbest.to_lattice()], ["lm"], {"am": 0.1}), ranges_of([0, 1]))
    assert costs.is_exact
    assert costs.columns[0][1] == 6 * costs.columns[0][0]


def test_graphs_may_differ_in_the_default_weight_of_a_column():
    graphs = [
        lm.Lattice.from_arcs(
            [0, 0],
            [1, 1],
            [1, 2],
            final=[1],
            scores={"am": lm.Column([1.0, 3.0], [0.0], weight), "lm": lm.Column([2.0, 1.0], [0.0], 1.0)},
            vocabulary=lm.Vocabulary.from_words(["a", "b"]),
        )
        for weight in (1.0, 0.5)
    ]
    constant, _ = costs_on(CostTable(graphs, ["lm"], None), ranges_of([0, 1])).columns
    assert constant.tolist() == [2, 6, 0, 1, 3, 0]


def test_ranges_with_too_many_digits_are_refused():
    nbest = lm.NBest.from_strings(["a", "b"], scores={"am": [1, 2], "lm": [3, 1]})
    table = CostTable([nbest.to_lattice()], ["lm"], None)
    with pytest.raises(lm.UsageError, match="ranges of weights"):
        costs_on(table, [Range("x", Fraction(1, 3**40), Fraction(1))])


@pytest.mark.parametrize(
    ("box", "says"),
    [([0, 0, 0, 1, 1], "empty"), ([0, 1, 0, 1, 0], "unit"), ([0, 2**40, 0, 1, 1], "too large")],
)
def test_kernels_refuse_boxes_that_are_none(box, says):
    lattice = lm.Lattice.from_strings(["a"], costs=[1.0])
    graphs = _native.TunedGraphs()
    graphs.add(lattice.native(lattice.cost(), is_word=lattice.is_word()), lattice.final)
    with pytest.raises(ValueError, match=says):
        graphs.cells(0, [np.zeros(2, np.int64)] * 3, box, 10)


def parallel(rows):
    """Paths of one arc each, as kernels take them."""
    words = lm.Vocabulary.from_words(["a"])
    lattice = lm.Lattice.from_arcs([0] * len(rows), [1] * len(rows), [1] * len(rows), final=[1], vocabulary=words)
    graphs = _native.TunedGraphs()
    ends = np.array([np.inf, 0.0])
    graphs.add(lattice.native(Costs(np.zeros(len(rows)), ends), is_word=lattice.is_word()), lattice.final)
    return graphs, [np.array([*column, 0], dtype=np.int64) for column in zip(*rows, strict=True)]


@given(seeds)
def test_no_comparison_overflows_at_the_largest_costs_and_ranges(seed):
    chance = random.Random(seed)

    def largest(bits):
        most = 2**bits - 1
        return chance.choice([1, -1]) * (most - chance.choice([0, 1, 2, chance.randint(0, most)]))

    rows = [[largest(39) for _ in range(3)] for _ in range(chance.randint(2, 8))]
    low_x, high_x, low_y, high_y = bounds = [-abs(largest(39)) or -1, abs(largest(39)) or 1] * 2
    unit = chance.choice([1, 2**39 - 1, abs(largest(39)) or 1])
    graphs, columns = parallel(rows)
    cells = graphs.cells(0, columns, [*bounds, unit], 1000)
    edges, begin = cells.edges()
    area = Fraction(0)
    for number, sums in enumerate(cells.sums().tolist()):
        lines = [tuple(map(int, edge)) for edge in edges[begin[number] : begin[number + 1]]]
        corners = [crossing(*pair) for pair in pairwise([lines[-1], *lines])]
        for x, y in corners:
            assert cost(sums, x, y) == min(cost(other, x, y) for other in rows)
        area += sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise([corners[-1], *corners])) / 2
    assert area == Fraction(high_x - low_x, unit) * Fraction(high_y - low_y, unit)

    rows = [[largest(52) for _ in range(2)] for _ in range(chance.randint(2, 8))]
    graphs, columns = parallel(rows)
    low, high, unit = -abs(largest(52)) or -1, abs(largest(52)) or 1, chance.choice([1, 2**52 - 1])
    _, ends, sums, _ = graphs.segments(np.zeros(1, np.int64), columns, low, high, unit, 1000)
    begin = Fraction(low, unit)
    for number, one in enumerate(sums.tolist()):
        if number + 1 < len(sums):
            after = sums[number + 1].tolist()
            end = Fraction(after[0] - one[0], one[1] - after[1])
        else:
            end = Fraction(high, unit)
        assert ends[number] == pytest.approx(float(end), rel=1e-15)
        for x in (begin, end):
            assert cost([*one, 0], x) == min(cost([*other, 0], x) for other in rows)
        begin = end


def test_costs_that_are_too_large_for_exact_sums_are_refused():
    graphs, columns = parallel([[2**39 - 1, 0, 0], [0, 1, 0]])
    assert len(graphs.cells(0, columns, [0, 1, 0, 1, 1], 10)) == 1
    graphs, columns = parallel([[2**39, 0, 0], [0, 1, 0]])
    with pytest.raises(ValueError, match="a cost is too large"):
        graphs.cells(0, columns, [0, 1, 0, 1, 1], 10)


def test_too_many_cells_are_an_error(monkeypatch):
    graph, _ = random_graph(random.Random(3))
    table = CostTable([graph], ["first", "second"], None)
    monkeypatch.setattr("latticemetric.tuning.cells.MOST_CELLS", 1)
    with pytest.raises(lm.InputError, match="too many cells; prune the graph, or vary weights less"):
        cells_of(table, costs_on(table, ranges_of([-5, 5, -5, 5])), 0)
