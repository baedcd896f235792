"""The strings of a graph with their probabilities, by definition."""

import math

import latticemetric as lm


def paths_of(graph, own=None):
    """Words and cost of each path, entry or derivation, by definition."""
    own = own or {}
    if isinstance(graph, lm.NBest):
        weight = {**dict.fromkeys(graph.score_names(), 1.0), **graph.weights, **own}
        return [(h.words, sum(weight[n] * value for n, value in h.scores.items())) for h in graph.hypotheses]
    listed = graph.derivations(own) if isinstance(graph, lm.Forest) else graph.paths(own)
    return [(path.words, path.cost) for path in listed]


def believed_strings(paths, posterior_scale):
    """The probability of each distinct string."""
    least = min(posterior_scale * cost for _, cost in paths)
    weight = [math.exp(least - posterior_scale * cost) for _, cost in paths]
    total = math.fsum(weight)
    return {said: math.fsum(w for w, (also, _) in zip(weight, paths, strict=True) if also == said) / total
            for said, _ in paths}  # fmt: skip
