"""Draw deterministic random forests for benchmarks, like those of chart decoders: a node per span, an edge per rule.

`python benchmarks/forests.py` prints the size of the default forest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import latticemetric as lm
from latticemetric.engine.search import ForestSearch


@dataclass(frozen=True)
class Chart:
    """The size of a forest.

    Attributes:
        words: Words of the source sentence; half their square is the number of nodes.
        edges: Edges, spread over the spans.
        vocabulary: Distinct words of the target side.
        reference: Words of the reference.
    """

    words: int = 12
    edges: int = 10_000
    vocabulary: int = 60
    reference: int = 25


def draw_forest(chart: Chart, seed: int = 0) -> tuple[lm.Forest, list[int]]:
    """Return a forest and a reference of its words.

    A third of the edges of a span have one to three words and no tails; the others join two smaller spans, in either
    order, with up to two words before, between or after them. The reference takes its words from derivations that
    the seed chooses.
    """
    random = np.random.default_rng(seed)
    spans = [(i, i + width) for width in range(1, chart.words + 1) for i in range(chart.words - width + 1)]
    node = {span: number for number, span in enumerate(spans)}
    head, tails, target = [], [], []
    for (begin, end), number in node.items():
        for k in range(max(1, chart.edges // len(spans))):
            said = random.integers(1, chart.vocabulary + 1, random.integers(0, 3)).tolist()
            joined = []
            if end - begin > 1 and k % 3:
                middle = int(random.integers(begin + 1, end))
                joined = [node[begin, middle], node[middle, end]]
                places = [-1, -2] if random.random() < 0.7 else [-2, -1]
                for place in places:
                    said.insert(random.integers(0, len(said) + 1), place)
                at = sorted((said.index(-1), said.index(-2)))
                said[at[0]], said[at[1]] = places
            else:
                said.append(int(random.integers(1, chart.vocabulary + 1)))
            head.append(number)
            tails.append(joined)
            target.append(said)
    cost = lm.Column(random.random(len(head)), np.zeros(1))
    forest = lm.Forest.from_edges(head, tails, target, goals=[len(spans) - 1], scores={"model": cost})
    reference: list[int] = []
    while len(reference) < chart.reference:
        reference += _some_words(forest, random)
    return forest, reference[: chart.reference]


def _some_words(forest: lm.Forest, random: np.random.Generator) -> list[int]:
    """Return the words of a derivation with random edges."""
    begin = np.searchsorted(forest.head, np.arange(forest.num_nodes + 1))
    tails, target = forest.tails.rows(), forest.target.rows()

    def say(node: int) -> list[int]:
        edge = int(random.integers(begin[node], begin[node + 1]))
        return [word for t in target[edge] for word in (say(tails[edge][-t - 1]) if t < 0 else [t])]

    return say(int(forest.goals[0]))


def forest_search(chart: Chart, metric: lm.GRR) -> ForestSearch:
    """Return the search of a generated forest and its reference."""
    forest, reference = draw_forest(chart)
    words = forest.target.lengths() - forest.tails.lengths()
    numbers = np.array(reference, dtype=np.int32)
    return ForestSearch(forest, forest.target, words, forest.cost(), numbers, metric.gains)


if __name__ == "__main__":
    print(draw_forest(Chart())[0].statistics())
