"""Tune the weights of score columns with hope and fear (Chiang 2012), one lattice at a time.

    python margin_training.py LATTICES REFERENCES

References are lines that begin with the ids of the lattices. Each step moves the weights just far enough that
the hope costs less than the fear by the difference of their rates, or by the largest step if that is shorter.
"""

import sys
from pathlib import Path

import latticemetric as lm

LARGEST_STEP = 0.1
ROUNDS = 5


def step(scales: dict[str, float], lattice: lm.Lattice, reference: str, metric: lm.GRR) -> dict[str, float]:
    """Return the weights after one lattice."""
    hope = lm.hope(lattice, reference, metric, weight=1, scales=scales)
    fear = lm.fear(lattice, reference, metric, weight=1, scales=scales)
    # Scores are costs: a column that is larger in the fear should weigh more.
    change = {name: fear.scores[name] - hope.scores[name] for name in scales}
    size = sum(value * value for value in change.values())
    rates = [metric.merit(found.statistics)[1] for found in (hope, fear)]
    violation = float(rates[0] - rates[1]) - (fear.cost - hope.cost)
    if size == 0 or violation <= 0:
        return scales
    length = min(LARGEST_STEP, violation / size)
    return {name: weight + length * change[name] for name, weight in scales.items()}


def tuned(lattices: list[lm.Lattice], references: list[str], metric: lm.GRR) -> dict[str, float]:
    """Return the mean of the weights after each step; it varies less than the last weights."""
    scales = dict.fromkeys(lattices[0].scores, 1.0)
    sums = dict.fromkeys(scales, 0.0)
    for _ in range(ROUNDS):
        for lattice, reference in zip(lattices, references, strict=True):
            scales = step(scales, lattice, reference, metric)
            sums = {name: sums[name] + weight for name, weight in scales.items()}
    return {name: total / (ROUNDS * len(lattices)) for name, total in sums.items()}


def one_best_score(
    lattices: list[lm.Lattice], references: list[str], metric: lm.GRR, scales: dict[str, float] | None
) -> float | None:
    """Return the corpus value of the 1-bests under these weights."""
    said = [
        lm.oracle(lattice, reference, metric, scales=scales).one_best.words
        for lattice, reference in zip(lattices, references, strict=True)
    ]
    return metric.corpus(said, references).score


def main(lattice_file: str, reference_file: str) -> None:
    """Print the weights, and the word error rate before and after."""
    lines = (line.partition(" ") for line in Path(reference_file).read_text(encoding="utf-8").splitlines())
    text = {name: words for name, _, words in lines}
    graphs = {name: graph for name, graph in lm.read(lattice_file) if isinstance(graph, lm.Lattice)}
    lattices, references = list(graphs.values()), [text[name] for name in graphs]
    metric = lm.WER()
    before = one_best_score(lattices, references, metric, None)
    scales = tuned(lattices, references, metric)
    after = one_best_score(lattices, references, metric, scales)
    print(" ".join(f"{name}={weight:.3f}" for name, weight in scales.items()))
    print(f"wer {before:.4f} -> {after:.4f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
