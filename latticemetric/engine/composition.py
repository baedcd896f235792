"""A graph composed with the metric's automaton in OpenFst, and pruned to the optimum."""

from __future__ import annotations

from typing import Any

import numpy as np

from latticemetric.automata.recognition import Gains, RecognitionAutomaton, recognition_automaton
from latticemetric.fst_layout import FstArrays
from latticemetric.interchange import fst_from_arrays, fst_to_arrays
from latticemetric.vocabulary import Words

_EXACT_FLOAT32 = 2**24


def optimal_product(graph: Any, reference: Words, gains: Gains, steps: int) -> FstArrays:
    """The paths of the product that reach the best gain, states in topological order.

    Args:
        graph: A transducer whose output side is words of the reference, each of them also as ★, and ★ for others.
        reference: The reference's counted words, as numbers.
        gains: The metric's parameters.
        steps: How many arcs of a path of the graph may have words, at most.
    """
    import pynini

    metric = fst_from_arrays(_metric_machine(recognition_automaton(reference, gains.order), gains))
    metric.arcsort("ilabel")
    product = pynini.compose(graph, metric, connect=True)
    product.prune(weight=_rounding_slack(steps + len(reference), gains))
    product.topsort()
    return fst_to_arrays(product)


def _metric_machine(automaton: RecognitionAutomaton, gains: Gains) -> FstArrays:
    """The automaton with edit codes as its output side, so that gains can be read off a path exactly."""
    gain = np.array(gains.of_edits(), dtype=np.float64)
    final = np.full(automaton.states, np.inf)
    final[automaton.first_final :] = 0.0
    weight = -gain[automaton.edit]
    return FstArrays(0, final, automaton.source, automaton.target, automaton.label, automaton.edit, weight)


def _rounding_slack(steps: int, gains: Gains) -> float:
    """How far from OpenFst's best a true best path can be: nothing where all sums are whole 32-bit floats."""
    largest = (gains.order * gains.unit + abs(gains.alpha) + abs(gains.beta)) * steps
    return 0.0 if largest < _EXACT_FLOAT32 else 8.0 * steps * largest / _EXACT_FLOAT32
