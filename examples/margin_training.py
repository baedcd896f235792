"""Tune the weights of score columns with hope and fear (Chiang 2012), one graph at a time.

    python margin_training.py GRAPHS REFERENCES

Graphs are lattices, n-best lists, or small forests. References are lines in the order of the graphs; they may begin
with the ids of the graphs. Each step moves the weights just far enough that the hope costs less than the fear by the
difference of their rates, or by the largest step if that is shorter.
"""

import sys
from pathlib import Path

import latticemetric as lm

LARGEST_STEP = 0.1
ROUNDS = 5

Graph = lm.Lattice | lm.Forest


def step(weights: dict[str, float], graph: Graph, reference: str, metric: lm.GRR) -> dict[str, float]:
    """Return the weights after one graph."""
    hope = lm.hope(graph, reference, metric, weight=1, weights=weights)
    fear = lm.fear(graph, reference, metric, weight=1, weights=weights)
    # Scores are costs: a column that is larger in the fear should weigh more.
    change = {name: fear.scores[name] - hope.scores[name] for name in weights}
    size = sum(value * value for value in change.values())
    rates = [metric.merit(found.statistics)[1] for found in (hope, fear)]
    violation = float(rates[0] - rates[1]) - (fear.cost - hope.cost)
    if size == 0 or violation <= 0:
        return weights
    length = min(LARGEST_STEP, violation / size)
    return {name: weight + length * change[name] for name, weight in weights.items()}


def tuned(graphs: list[Graph], references: list[str], metric: lm.GRR) -> dict[str, float]:
    """Return the mean of the weights after each step; it varies less than the last weights."""
    weights = {name: column.weight for name, column in graphs[0].scores.items()}
    sums = dict.fromkeys(weights, 0.0)
    for _ in range(ROUNDS):
        for graph, reference in zip(graphs, references, strict=True):
            weights = step(weights, graph, reference, metric)
            sums = {name: sums[name] + weight for name, weight in weights.items()}
    return {name: total / (ROUNDS * len(graphs)) for name, total in sums.items()}


def one_best_score(
    graphs: list[Graph], references: list[str], metric: lm.GRR, weights: dict[str, float] | None
) -> float | None:
    """Return the corpus value of the 1-bests under these weights."""
    said = [
        lm.oracle(graph, reference, metric, weights=weights).one_best.words
        for graph, reference in zip(graphs, references, strict=True)
    ]
    return metric.corpus(said, references).score


def main(graph_file: str, reference_file: str) -> None:
    """Print the weights, and the word error rate before and after."""
    named = {name: g.to_lattice() if isinstance(g, lm.NBest) else g for name, g in lm.read(graph_file)}
    references = Path(reference_file).read_text(encoding="utf-8").splitlines()
    text = dict(line.partition(" ")[::2] for line in references)
    if named.keys() <= text.keys():
        references = [text[name] for name in named]
    graphs = list(named.values())
    metric = lm.WER()
    before = one_best_score(graphs, references, metric, None)
    weights = tuned(graphs, references, metric)
    after = one_best_score(graphs, references, metric, weights)
    print(" ".join(f"{name}={weight:.3f}" for name, weight in weights.items()))
    print(f"wer {before:.4f} -> {after:.4f}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    main(*sys.argv[1:])
