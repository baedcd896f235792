"""Posteriors against the sum over all paths."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.paths import EXAMPLES
from kit.posteriors import weighed_paths
from kit.strategies import lattices, scalings

import latticemetric as lm


@given(lattice=lattices(), posterior_scale=st.sampled_from([0.0, 0.5, 1.0, 2.0]), data=st.data())
def test_posteriors_are_sums_over_paths(lattice, posterior_scale, data):
    weights = data.draw(scalings(lattice))
    weighed, log_total = weighed_paths(lattice, posterior_scale, weights)
    arc, ending = np.zeros(len(lattice.word)), np.zeros(len(lattice.final))
    for path, probability in weighed:
        arc[list(path.arcs)] += probability
        end = lattice.target[path.arcs[-1]] if path.arcs else 0
        ending[np.searchsorted(lattice.final, end)] += probability
    found = lm.posteriors(lattice, posterior_scale=posterior_scale, weights=weights)
    assert found.arc == pytest.approx(arc, abs=1e-12)
    assert found.ending == pytest.approx(ending, abs=1e-12)
    assert found.entropy == pytest.approx(-math.fsum(p * math.log(p) for _, p in weighed if p), abs=1e-9)
    assert found.log_total == pytest.approx(log_total, rel=1e-12, abs=1e-9)
    values = np.arange(len(lattice.word))
    expected = math.fsum(p * sum(path.arcs) for path, p in weighed)
    assert found.expected(values) == pytest.approx(expected, abs=1e-9)


@given(lattice=lattices())
def test_paths_are_drawn_as_probable_as_they_are(lattice):
    weighed = {tuple(path.arcs): p for path, p in weighed_paths(lattice, 1.0, None)[0]}
    count = 4000
    drawn = Counter(tuple(path.tolist()) for path in lm.posteriors(lattice).sample(count, seed=1))
    assert drawn.keys() <= weighed.keys()
    # Chi-square over paths that are expected often enough; a bound that chance passes once in a million times or so.
    often = {arcs: p for arcs, p in weighed.items() if p * count >= 5}
    square = sum((drawn[arcs] - p * count) ** 2 / (p * count) for arcs, p in often.items())
    assert square < len(often) + 6 * math.sqrt(2 * len(often)) + 30


def test_costs_in_the_thousands_do_not_underflow():
    lattice = lm.Lattice.from_strings(["a", "b"], costs=[5000.0, 5000.0 + math.log(3)])
    assert lm.posteriors(lattice).arc == pytest.approx([0.75, 0.25])
    assert lm.posteriors(lattice).log_total == pytest.approx(-5000 + math.log(4 / 3))


def test_one_path_is_certain():
    lattice = lm.Lattice.from_strings(["a b"], costs=[7.0])
    found = lm.posteriors(lattice)
    assert found.arc.tolist() == [1.0, 1.0]
    assert found.entropy == 0.0
    assert [path.tolist() for path in found.sample(2, seed=3)] == [[0, 1], [0, 1]]


def test_a_lattice_that_only_ends_is_certain_to_end():
    lattice = lm.Lattice.from_strings([""], costs=[7.0])
    found = lm.posteriors(lattice)
    assert found.ending.tolist() == [1.0]
    assert found.sample(1, seed=0)[0].tolist() in ([], [0])


@pytest.mark.parametrize("graph", [lm.Lattice.from_strings(["a b"]), lm.read_one(EXAMPLES / "lantern.target_graph")])
def test_values_to_be_expected_are_one_an_arc_or_an_edge(graph):
    found = lm.posteriors(graph)
    with pytest.raises(lm.UsageError, match="there are 1 values instead of "):
        found.expected([1.0])
    with pytest.raises(lm.UsageError, match="there are 2 values instead of 1; give one value per arc"):
        found.expected(np.zeros(len(found.transition)), [1.0, 2.0])


@pytest.mark.parametrize("posterior_scale", [math.nan, math.inf])
def test_a_scale_that_makes_no_sense_is_refused(posterior_scale):
    with pytest.raises(lm.UsageError, match="the posterior scale is"):
        lm.posteriors(lm.Lattice.from_strings(["a"]), posterior_scale=posterior_scale)


def test_costs_that_cannot_be_added_up_are_refused():
    lattice = lm.Lattice.from_strings(["a b"], costs=[1e300])
    with pytest.raises(lm.InputError, match="too large"):
        lm.posteriors(lattice, posterior_scale=1e300)


@pytest.mark.parametrize(
    ("count", "seed", "says"),
    [
        (2, -1, "the seed is -1"),
        (2, 1.5, r"the seed is 1\.5"),
        (1.5, 0, r"cannot sample 1\.5"),
        (-1, 0, "cannot sample -1"),
    ],
)
def test_samples_and_seeds_are_whole_numbers(count, seed, says):
    lattice = lm.Lattice.from_strings(["a", "b"])
    for graph in (lattice, lm.Forest.from_lattice(lattice)):
        with pytest.raises(lm.UsageError, match=says):
            lm.posteriors(graph).sample(count, seed)
    assert len(lm.posteriors(lattice).sample(np.int64(2), np.uint8(3))) == 2
