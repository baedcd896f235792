"""A graph composed with the metric's automaton in OpenFst, and pruned to the optimum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from latticemetric.automata.ratio import Ratio
from latticemetric.automata.recognition import Gains, RecognitionAutomaton, recognition_automaton
from latticemetric.automata.reference_graph import ReferenceGraph
from latticemetric.fst_layout import FstArrays
from latticemetric.interchange import fst_from_arrays, fst_to_arrays

_EXACT_FLOAT32 = 2**24

NUMERATOR = Ratio(0, 1)
"""The rate at which only the numerator counts."""


def optimal_product(graph: Any, reference: ReferenceGraph, gains: Gains, rate: Ratio, steps: int) -> FstArrays:
    """The paths of the product that reach the best gain · rate.total − rate.gain · denominator.

    States are in topological order; what the outputs are worth is said by `worths`.

    Args:
        graph: A transducer whose output side is words of the reference, each of them also as ★, and ★ for others.
        reference: The reference's counted words, as numbers.
        gains: The metric's parameters.
        rate: Weighs the denominator.
        steps: How many arcs of a path of the graph may have words, at most.
    """
    worth = worths(gains, rate)
    metric = fst_from_arrays(_metric_machine(recognition_automaton(reference, gains.order), gains, worth))
    product = composed(graph, metric)
    product.prune(weight=_rounding_slack(steps + len(reference.final), worth))
    product.topsort()
    return fst_to_arrays(product)


def composed(graph: Any, metric: Any) -> Any:
    """The product of a graph and an automaton, whose arcs get sorted."""
    import pynini

    metric.arcsort("ilabel")
    return pynini.compose(graph, metric, connect=True)


def steps_of(gains: Gains) -> list[Ratio]:
    """What each output of a product gains, and adds to the denominator: edit codes come with each size."""
    return [Ratio(gain, size) for size in range(gains.order + 1) for gain in gains.of_edits()]


def worths(gains: Gains, rate: Ratio) -> list[int]:
    """What each output of a product is worth at a rate."""
    return [rate.total * gain - rate.gain * size for gain, size in steps_of(gains)]


def _metric_machine(automaton: RecognitionAutomaton, gains: Gains, worth: Sequence[int]) -> FstArrays:
    """The automaton with edits and sizes as its output side, so that gains can be read off a path exactly."""
    output = automaton.edit + automaton.size * len(gains.of_edits())
    final = np.where(automaton.final, 0.0, np.inf)
    weight = -np.array(worth, dtype=np.float64)[output]
    return FstArrays(0, final, automaton.source, automaton.target, automaton.label, output, weight)


def _rounding_slack(steps: int, worth: Sequence[int]) -> float:
    """How far from OpenFst's best a true best path can be: nothing where all sums are whole 32-bit floats."""
    largest = max(map(abs, worth)) * steps
    return 0.0 if largest < _EXACT_FLOAT32 else 8.0 * steps * largest / _EXACT_FLOAT32
