"""Users may let NumPy raise errors (`numpy.seterr`): probabilities that underflow are 0 all the same."""

import numpy as np
import pytest

import latticemetric as lm
from latticemetric.training import Batch

QUESTIONS = {
    "batch": lambda g: Batch([g], ["a b d"]).expected(np.resize(costs_of(g), sum(Batch([g], ["a b d"]).sizes))).value,
    "expected": lambda g: lm.expected(g, "a b d", gradient=True).gradient,
    "mbr": lambda g: lm.mbr(g).asdict(),
    "mbr by chrF": lambda g: lm.mbr(g, "chrf").asdict(),
    "mbr by WER": lambda g: lm.mbr(g, "wer").asdict(),
    "entropy": lambda g: lm.posteriors(g).entropy,
    "combine": lambda g: lm.combine({"x": g, "y": ["a"]}).asdict(),
}
DISTANCES = [350.0, 700.0, 708.0, 730.0, 744.0, 745.1, 800.0, 1e5]  # exp(−745) is the smallest number above 0


def costs_of(graph):
    return graph.costs() if isinstance(graph, lm.NBest) else graph.cost().arc


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("kind", ["list", "lattice", "forest"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_probabilities_that_underflow_raise_no_error(question, kind, distance):
    graph = lm.NBest.from_strings(["a b", "a c", "x y z"], costs=[0.0, distance, distance])
    if kind != "list":
        graph = graph.to_lattice() if kind == "lattice" else lm.Forest.from_lattice(graph.to_lattice())
    found = QUESTIONS[question](graph)
    with np.errstate(all="raise"):
        np.testing.assert_equal(QUESTIONS[question](graph), found)


@pytest.mark.parametrize("metric", ["bleu", "bleu-sbp", "nist"])
def test_brevity_penalties_that_underflow_raise_no_error(metric):
    with np.errstate(all="raise"):
        assert lm.make_metric(metric).score("a", "a " * 3000) == 0
