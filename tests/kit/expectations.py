"""Expected rates by their definition: every path, its probability, and its rate by brute force."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

import latticemetric as lm
from kit.brute_force import Rate, Verdict, enumerate_derivations, enumerate_paths, judge


@dataclass(frozen=True)
class WeighedPath:
    """A path or derivation, its final state or goal, its probability, and its verdict."""

    arcs: tuple[int, ...]
    end: int
    probability: float
    verdict: Verdict


def weighed(graph, references, rate: Rate, posterior_scale, weights=None) -> list[WeighedPath]:
    """Every complete path with the probability exp(-scale * cost), normalised."""
    paths = list(enumerate_derivations(graph) if isinstance(graph, lm.Forest) else enumerate_paths(graph))
    factor = {name: column.weight for name, column in graph.scores.items()} | dict(weights or {})
    costs = [float(sum(Fraction(factor[name]) * total for name, total in path.sums.items())) for path in paths]
    least = min(posterior_scale * cost for cost in costs)
    shares = [math.exp(least - posterior_scale * cost) for cost in costs]
    total = math.fsum(shares)
    verdicts = [judge(rate.reported(path.words), references, rate) for path in paths]
    return [
        WeighedPath(path.arcs, _end(graph, path.arcs), weight / total, verdict)
        for path, weight, verdict in zip(paths, shares, verdicts, strict=True)
    ]


def _end(graph, arcs):
    if isinstance(graph, lm.Forest):
        return int(graph.head[arcs[0]])
    return int(graph.target[arcs[-1]]) if arcs else 0


def mean(paths, value):
    return math.fsum(path.probability * float(value(path.verdict)) for path in paths)


def slopes(graph, paths, posterior_scale):
    """The derivatives of the expected rate by costs: -scale * (E[rate * uses] - E[rate] * E[uses])."""
    expected = mean(paths, lambda verdict: verdict.score)
    finals = (graph.goals if isinstance(graph, lm.Forest) else graph.final).tolist()
    arc = np.zeros(len(graph.head) if isinstance(graph, lm.Forest) else len(graph.word))
    final = np.zeros(len(finals))
    for path in paths:
        excess = -posterior_scale * path.probability * (float(path.verdict.score) - expected)
        for one in path.arcs:
            arc[one] += excess
        final[finals.index(path.end)] += excess
    return arc, final
