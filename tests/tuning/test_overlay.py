"""The best weights for several graphs against samples in every face of the arrangement of all borders."""

import math
import random
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from latticemetric import _native
from latticemetric.tuning.cells import cells_of
from latticemetric.tuning.costs import CostTable

from .graphs import random_graph
from .test_cells import cost, costs_on, crossing, ranges_of

BOX = [-4, 4, -4, 4, 1]
SIDES = [(1, 0, 4), (1, 0, -4), (0, 1, 4), (0, 1, -4)]
STEP = Fraction(1, 10**9)


def errors(low, high):  # noqa: ARG001
    return -low[:, 0].copy()


def small_bleu(low, high):
    """BLEU of two orders: matches, n-grams, words, reference words."""
    matches, ngrams = high[:, :2], np.maximum(low[:, 2:4], 1)
    with np.errstate(divide="ignore"):
        precision = np.minimum(0, np.log(matches / ngrams)).sum(axis=1) / 2
        brevity = np.where(high[:, 4] >= low[:, 5], 0, 1 - low[:, 5] / np.maximum(high[:, 4], 1e-300))
    return np.where((matches <= 0).any(axis=1), 0.0, np.exp(precision + brevity))


def random_row(chance, bounds):
    if bounds is errors:
        return [chance.randint(0, 9)]
    unigrams = chance.randint(0, 5)
    words = unigrams + chance.randint(0, 3)
    return [unigrams, chance.randint(0, unigrams), words, max(words - 1, 0), words, 5]


def random_graphs(chance, bounds):
    graphs = []
    while len(graphs) < chance.randint(2, 3):
        graph, paths = random_graph(chance)
        if len(paths) > 40 or max(abs(value) for path in paths for value in path.sums) > 500:
            continue
        table = CostTable([graph], ["first", "second"], None)
        cells = cells_of(table, costs_on(table, ranges_of(BOX[:4])), 0)
        rows = np.array([random_row(chance, bounds) for _ in cells.strings], dtype=float)
        graphs.append((cells.native, cells.native.sums().tolist(), rows))
    return graphs


def points_of_faces(graphs):
    """Yield a point in each face: near each corner, between each pair of neighbouring lines."""
    lines = set(SIDES)
    for _, sums, _ in graphs:
        for k, one in enumerate(sums):
            lines |= {(one[1] - two[1], one[2] - two[2], one[0] - two[0]) for two in sums[:k]}
    lines = {tuple(Fraction(v, line[0] or line[1]) for v in line) for line in lines if line[0] or line[1]}
    through = {}
    for one in lines:
        for other in lines:
            if one[0] * other[1] != one[1] * other[0]:
                corner = crossing(one, other)
                if max(map(abs, corner)) <= 4:
                    through.setdefault(corner, set()).update((one, other))
    for (x, y), crossed in through.items():
        ways = [way for a, b, _ in crossed for way in ((-b, a), (b, -a))]
        ways.sort(key=lambda way: math.atan2(way[1], way[0]))
        for one, other in zip(ways, ways[1:] + ways[:1], strict=True):
            dx, dy = (sum(way[k] / max(map(abs, way)) for way in (one, other)) for k in (0, 1))
            if max(abs(x + STEP * dx), abs(y + STEP * dy)) < 4:
                yield x + STEP * dx, y + STEP * dy


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.sampled_from([errors, small_bleu]))
def test_the_best_face_of_all_is_found(seed, bounds):
    chance = random.Random(seed)
    graphs = random_graphs(chance, bounds)
    counts = np.array([chance.choice([1.0, 1.0, 2.0, 0.0]) for _ in graphs])
    overlay = _native.Overlay(BOX, graphs[0][2].shape[1])
    for native, _, rows in graphs:
        overlay.add(native, rows)
    merits, chosen = [], []
    for x, y in points_of_faces(graphs):
        cells = [min(range(len(sums)), key=lambda k: cost(sums[k], x, y)) for _, sums, _ in graphs]
        total = sum(count * rows[cell] for count, cell, (_, _, rows) in zip(counts, cells, graphs, strict=True))
        merits.append(float(bounds(total[None], total[None])[0]))
        chosen.append(_rows_of(graphs, counts, cells))
    best = max(merits)
    expected = {row for row, merit in zip(chosen, merits, strict=True) if merit >= best - 1e-12}
    for all_faces in (False, True):
        merit, bound, _, faces = overlay.best(counts, bounds, 1e-12, all_faces, 10_000, 0.0, 10**6)
        assert abs(merit - best) < 1e-12
        assert bound == merit
        found = {_rows_of(graphs, counts, cells) for cells, _ in faces}
        assert found == expected if all_faces else found <= expected
    assert overlay.best(counts, bounds, 1e-12, False, 1, 0.0, 1)[1] >= best - 1e-12


def _rows_of(graphs, counts, cells):
    """The rows of the graphs that count."""
    return tuple(
        tuple(rows[cell]) if count else None for count, cell, (_, _, rows) in zip(counts, cells, graphs, strict=True)
    )
