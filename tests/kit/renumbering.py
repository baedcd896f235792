"""The same graph with other numbers: states, arcs, nodes and edges in another order, and words with other numbers."""

import random
from collections.abc import Callable

import latticemetric as lm


def renumbered(graph: lm.Lattice | lm.Forest, seed: int) -> lm.Lattice | lm.Forest:
    """Return the graph with all its parts in a random order."""
    draw = random.Random(seed)
    return _lattice(graph, draw) if isinstance(graph, lm.Lattice) else _forest(graph, draw)


def _shuffled(draw: random.Random, count: int) -> list[int]:
    return draw.sample(range(count), count)


def _vocabulary(draw: random.Random, vocabulary: lm.Vocabulary) -> tuple[lm.Vocabulary, Callable[[int], int]]:
    items = dict(vocabulary.items())
    if not items:  # numbers are their own words
        return vocabulary, lambda number: number
    numbers = dict(zip(items, draw.sample(sorted(items), len(items)), strict=True))
    return lm.Vocabulary({numbers[number]: word for number, word in items.items()}), {0: 0, **numbers}.__getitem__


def _scores(scores, steps: list[int], ends: list[int]) -> dict[str, lm.Column]:
    return {name: lm.Column(c.arc[steps], c.final[ends], weight=c.weight) for name, c in scores.items()}


def _lattice(lattice: lm.Lattice, draw: random.Random) -> lm.Lattice:
    assert not lattice.ranked
    state, arcs = _shuffled(draw, lattice.num_states), _shuffled(draw, len(lattice.word))
    ends = _shuffled(draw, len(lattice.final))
    vocabulary, number = _vocabulary(draw, lattice.vocabulary)
    times = None
    if lattice.times is not None:
        old = sorted(range(len(state)), key=state.__getitem__)  # by new number: the old one
        times = lattice.times[old]
    return lm.Lattice.from_arcs(
        [state[lattice.source[a]] for a in arcs],
        [state[lattice.target[a]] for a in arcs],
        [number(int(lattice.word[a])) for a in arcs],
        start=state[0],
        final=[state[lattice.final[k]] for k in ends],
        scores=_scores(lattice.scores, arcs, ends),
        vocabulary=vocabulary,
        times=times,
    )


def _forest(forest: lm.Forest, draw: random.Random) -> lm.Forest:
    node, edges = _shuffled(draw, forest.num_nodes), _shuffled(draw, len(forest.head))
    goals = _shuffled(draw, len(forest.goals))
    vocabulary, number = _vocabulary(draw, forest.vocabulary)
    tails, target = forest.tails.rows(), forest.target.rows()
    return lm.Forest.from_edges(
        [node[forest.head[e]] for e in edges],
        [[node[tail] for tail in tails[e]] for e in edges],
        [[number(symbol) if symbol >= 0 else symbol for symbol in target[e]] for e in edges],
        goals=[node[forest.goals[k]] for k in goals],
        scores=_scores(forest.scores, edges, goals),
        vocabulary=vocabulary,
    )
