"""Random graphs and lists with three columns of whole costs, and all their paths."""

import random
from typing import NamedTuple

import latticemetric as lm

WORDS = ("a", "b", "c")
COLUMNS = ("constant", "first", "second")
_MOST_PATHS = 2000


class Listed(NamedTuple):
    """A path: its words, the sums of the columns, and its arcs (edges)."""

    words: tuple[str, ...]
    sums: tuple[int, int, int]
    steps: tuple[int, ...]


class Sample(NamedTuple):
    """A graph, and all its paths."""

    graph: lm.Lattice | lm.Forest
    paths: list[Listed]


def random_graph(chance: random.Random) -> Sample:
    """Return a lattice, a list as a lattice, or a forest, with many ties."""
    while True:
        kind = chance.choices([_random_lattice, _random_list, _random_forest], [5, 2, 3])[0]
        found = kind(chance)
        if found is not None:
            return found


def _costs(chance: random.Random, size: int) -> list[list[float]]:
    most = chance.choice([1, 2, 5, 50, 10**6])
    columns = [[float(chance.randint(-most, most)) for _ in range(size)] for _ in COLUMNS]
    if chance.random() < 0.1:
        columns[1] = [0.0] * size
    return columns


def _random_lattice(chance: random.Random) -> Sample:
    states = chance.randint(2, 6)
    arcs = [(chance.randint(0, v - 1), v) for v in range(1, states) for _ in range(chance.randint(1, 3))]
    arcs += [(v, chance.randint(v + 1, states - 1)) for v in range(states - 1) if all(s != v for s, _ in arcs)]
    arcs.sort()
    final = sorted({states - 1, chance.randrange(states)})
    costs = _costs(chance, len(arcs) + len(final))
    vocabulary = lm.Vocabulary.from_words(WORDS)
    graph = lm.Lattice.from_arcs(
        [source for source, _ in arcs],
        [target for _, target in arcs],
        vocabulary.encode([chance.choice(WORDS) for _ in arcs]) * [chance.randint(0, 1) for _ in arcs],
        final=final,
        scores={
            name: lm.Column(column[: len(arcs)], column[len(arcs) :])
            for name, column in zip(COLUMNS, costs, strict=True)
        },
        vocabulary=vocabulary,
    )
    return Sample(graph, [_listed(graph, path.arcs) for path in graph.paths()])


def _random_list(chance: random.Random) -> Sample:
    texts = [" ".join(chance.choices(WORDS, k=chance.randint(0, 3))) for _ in range(chance.randint(1, 8))]
    nbest = lm.NBest.from_strings(texts, scores=dict(zip(COLUMNS, _costs(chance, len(texts)), strict=True)))
    graph = nbest.to_lattice()
    return Sample(graph, [_listed(graph, path.arcs) for path in graph.paths()])


def _listed(graph: lm.Lattice | lm.Forest, steps: tuple[int, ...]) -> Listed:
    sums = graph.scores_along(steps)
    constant, first, second = (round(sums[name]) for name in COLUMNS)
    return Listed(graph.words(steps), (constant, first, second), tuple(steps))


def _random_forest(chance: random.Random) -> Sample | None:
    nodes = chance.randint(2, 6)
    head, tails, target = [], [], []
    for node in range(nodes):
        for _ in range(chance.randint(1, 3)):
            own = [chance.randint(0, node - 1) for _ in range(chance.randint(0, min(2, node)))]
            side = [-k - 1 for k in range(len(own))] + [chance.randint(1, len(WORDS))] * chance.randint(0, 2)
            chance.shuffle(side)
            head.append(node)
            tails.append(own)
            target.append(side)
    costs = _costs(chance, len(head) + 1)
    graph = lm.Forest.from_edges(
        head,
        tails,
        target,
        goals=[nodes - 1],
        scores={name: lm.Column(column[:-1], column[-1:]) for name, column in zip(COLUMNS, costs, strict=True)},
        vocabulary=lm.Vocabulary.from_words(WORDS),
    )
    if graph.statistics().derivations is None or graph.statistics().derivations > _MOST_PATHS:
        return None
    return Sample(graph, [_listed(graph, derivation.edges) for derivation in graph.derivations()])


def best_by_ties(graph: lm.Lattice | lm.Forest, paths: list[Listed]) -> Listed:
    """Return the first path by the tie rule of 1-bests: fewest words, then the smallest arcs or edges.

    In a list, the first path counts, whatever its words.
    """
    is_list = isinstance(graph, lm.Lattice) and graph.ranked
    return min(paths, key=lambda path: (0 if is_list else len(path.words), path.steps))
