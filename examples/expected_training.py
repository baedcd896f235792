"""Train the weights of a log-linear model by the exact expected WER, and compare with sampled minimum-WER training.

    python expected_training.py GRAPHS REFERENCES [GRAPHS REFERENCES …]

Graphs are lattices or n-best lists in any format. References are lines in the order of the graphs; they may begin with
the ids of the graphs. The model's cost is the sum of all score columns, of the number of words, and of one column for
each of the most frequent words, each times its weight. Plain gradient descent moves all weights at once.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

import latticemetric as lm
from latticemetric.training import Batch

STEPS = 30
RATE = 0.5
WORDS = 5  # that have a column of their own
PATHS = 200
DRAWS = 100
METRIC = lm.WER()


def read(graph_file: str, reference_file: str) -> list[tuple[lm.Lattice, str]]:
    """Return the graphs of a file as lattices, with their references."""
    graphs = [(name, g.to_lattice() if isinstance(g, lm.NBest) else g) for name, g in lm.read(graph_file)]
    lines = Path(reference_file).read_text(encoding="utf-8").splitlines()
    by_name = {name: words for name, _, words in (line.partition(" ") for line in lines)}
    if all(name in by_name for name, _ in graphs):
        lines = [by_name[name] for name, _ in graphs]
    return [(graph, line) for (_, graph), line in zip(graphs, lines, strict=True) if line.strip()]


def with_words(lattices: list[lm.Lattice]) -> list[lm.Lattice]:
    """Add a column that counts words, and one for each of the most frequent words."""
    counts = Counter(w for one in lattices for w in one.vocabulary.decode(one.word[one.word > 0]))
    frequent = [word for word, _ in counts.most_common(WORDS)]
    found = []
    for lattice in lattices:
        ends = np.zeros(len(lattice.final))
        columns = {"words": lm.Column((lattice.word > 0).astype(float), ends, weight=0.0)}
        for word, number in zip(frequent, lattice.vocabulary.encode(frequent).tolist(), strict=True):
            columns[f"={word}"] = lm.Column((lattice.word == number).astype(float), ends, weight=0.0)
        found.append(replace(lattice, scores={**lattice.scores, **columns}))
    return found


class Model:
    """A log-linear model on some graphs: its expected WER under some weights, exactly and by samples."""

    def __init__(self, lattices: list[lm.Lattice], references: list[str]) -> None:
        self.lattices, self.references = lattices, references
        self.batch = Batch(lattices, references, METRIC)
        self.names = list(dict.fromkeys(name for lattice in lattices for name in lattice.scores))
        self.features = self.batch.features(self.names)
        # The WER of all graphs together: each rate counts as much as its reference has words.
        self.shares = self.batch.totals / self.batch.totals.sum()
        first = [next(one.scores[name].weight for one in lattices if name in one.scores) for name in self.names]
        self.first_weights = np.array(first)

    def exact(self, weights: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the expected WER and its gradient by the weights."""
        found = self.batch.expected(self.features @ weights)
        shares = np.repeat(self.shares, self.batch.sizes)
        return float(self.shares @ found.value), self.features.T @ (shares * found.gradient)

    def sampled(self, weights: np.ndarray, seed: int) -> tuple["Estimate", "Estimate"]:
        """Return two estimates from the same paths.

        The first is the mean over the paths, with the gradient by their covariance with the scores. The second takes
        each distinct path once, with its probability among them: the loss of common tools.
        """
        by_mean, by_list = Estimate.nothing(weights), Estimate.nothing(weights)
        parts = zip(self.lattices, self.references, self.batch.split(self.features), self.shares, strict=True)
        for number, (lattice, reference, rows, share) in enumerate(parts):
            by_name = {name: w for name, w in zip(self.names, weights.tolist(), strict=True) if name in lattice.scores}
            paths = lm.posteriors(lattice, weights=by_name).sample(PATHS, seed * len(self.lattices) + number)
            listed, place = np.unique([str(path.tolist()) for path in paths], return_inverse=True)
            distinct = [paths[np.flatnonzero(place == k)[0]] for k in range(len(listed))]
            values = np.array([path_features(lattice, rows, path) for path in distinct])
            words = [list(lattice.words(path)) for path in distinct]
            errors = METRIC.values(METRIC.table(words, [[reference.split()]] * len(words)))
            counts = np.bincount(place, minlength=len(listed))
            mean = float(counts @ errors) / PATHS
            slope = -((counts * (errors - mean)) @ values) / (PATHS - 1)
            by_mean = by_mean.plus(share, mean, slope)
            costs = values @ weights
            odds = np.exp(costs.min() - costs)
            odds /= odds.sum()
            value = float(odds @ errors)
            by_list = by_list.plus(share, value, -(odds * (errors - value)) @ values)
        return by_mean, by_list

    def one_best(self, weights: np.ndarray) -> float:
        """Return the WER of the cheapest paths."""
        said = []
        for lattice in self.lattices:
            by_name = {name: w for name, w in zip(self.names, weights.tolist(), strict=True) if name in lattice.scores}
            said.append(list(lattice.words(lattice.best_path(by_name))))
        return METRIC.corpus(said, [[reference.split()] for reference in self.references]).score


class Estimate(NamedTuple):
    """A loss, and its gradient by the weights."""

    loss: float
    gradient: np.ndarray

    @classmethod
    def nothing(cls, weights: np.ndarray) -> "Estimate":
        """Return the sum over no graphs."""
        return cls(0.0, np.zeros(len(weights)))

    def plus(self, share: float, loss: float, gradient: np.ndarray) -> "Estimate":
        """Add a graph that counts so much."""
        return Estimate(self.loss + share * loss, self.gradient + share * gradient)


def path_features(lattice: lm.Lattice, rows: np.ndarray, path: np.ndarray) -> np.ndarray:
    """Return the sums of the score columns along a path."""
    end = lattice.target[path[-1]] if len(path) else 0
    return rows[path].sum(axis=0) + rows[len(lattice.word) + np.searchsorted(lattice.final, end)]


def trained(model: Model) -> np.ndarray:
    """Descend along the gradient; print the loss after each step."""
    weights = model.first_weights
    for step in range(STEPS + 1):
        loss, gradient = model.exact(weights)
        print(f"step {step:3} expected WER {loss:.6f}")
        if step < STEPS:
            weights = weights - RATE * gradient
    return weights


def compare(model: Model, weights: np.ndarray) -> None:
    """Print bias, variance and time of exact and of sampled losses under the same weights."""
    begin = time.perf_counter()
    for _ in range(DRAWS):
        loss, gradient = model.exact(weights)
    exact_time = (time.perf_counter() - begin) / DRAWS
    begin = time.perf_counter()
    draws = [model.sampled(weights, seed) for seed in range(DRAWS)]
    sampled_time = (time.perf_counter() - begin) / DRAWS
    print(f"{'':28}{'loss':>9}{'bias':>11}{'its error':>11}{'variance':>11}{'of slopes':>11}{'ms':>9}")
    print(f"{'exact':28}{loss:9.5f}{0:11.1e}{0:11.1e}{0:11.1e}{0:11.1e}{exact_time * 1e3:9.2f}")
    for name, estimates in zip(("mean of samples", "distinct samples"), zip(*draws, strict=True), strict=True):
        losses = np.array([one.loss for one in estimates])
        slopes = np.array([one.gradient for one in estimates])
        bias, variance = losses.mean() - loss, losses.var(ddof=1)
        error = np.sqrt(variance / DRAWS)
        spread = slopes.var(axis=0, ddof=1).sum()
        numbers = f"{losses.mean():9.5f}{bias:11.1e}{error:11.1e}{variance:11.1e}{spread:11.1e}"
        print(f"{f'{name}, {PATHS} paths':28}{numbers}{sampled_time * 1e3:9.2f}")
        distance = np.linalg.norm(slopes.mean(axis=0) - gradient) / np.sqrt(spread / DRAWS)
        print(f"  mean gradient: {distance:.1f} standard errors from the exact one")


def main(files: Iterable[str]) -> None:
    """Train, and print the weights, the WER of the 1-bests before and after, and the comparison."""
    names = list(files)
    pairs = [pair for k in range(0, len(names), 2) for pair in read(*names[k : k + 2])]
    model = Model(with_words([graph for graph, _ in pairs]), [line for _, line in pairs])
    weights = trained(model)
    print(" ".join(f"{name}={weight:.3f}" for name, weight in zip(model.names, weights, strict=True)))
    print(f"1-best WER {model.one_best(model.first_weights):.4f} -> {model.one_best(weights):.4f}")
    compare(model, weights)


if __name__ == "__main__":
    if len(sys.argv) < 3 or len(sys.argv) % 2 == 0:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    main(sys.argv[1:])
