"""Measure exact tuning: seconds of one processor for all weights, beside a grid of weights by ordinary searches.

`python benchmarks/weights.py` measures drawn graphs. With `--hifst DIR` (lattices 1–50, `refs.50`, `params.0`),
`--kaldi LATTICES REFERENCES` (integers) and `--plf LATTICES REFERENCES`, also these.
Reading is not counted.
"""

from __future__ import annotations

import argparse
import math
import resource
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from generate import Size, draw

import latticemetric as lm
from latticemetric.graph import Graph, with_word_counts

T = TypeVar("T")
GRID = 20


class Row(NamedTuple):
    """What was measured.

    Attributes:
        what: The graphs, and what varies.
        parts: The number of segments or cells, of all graphs.
        seconds: The time of the search, and of finding the best weights.
        best: The score of the best weights, and of the default ones.
        note: What else was measured.
    """

    what: str
    parts: int
    seconds: float
    best: tuple[float | None, float | None]
    note: str

    def __str__(self) -> str:
        best, default = ("–" if score is None else f"{score:.6f}" for score in self.best)
        return f"| {self.what} | {self.parts} | {self.seconds:.2f} | {best} | {default} | {self.note} |"


HEAD = "| graphs | cells | seconds | best | default | |\n|---|---|---|---|---|---|"


def timed(called: Callable[[], T]) -> tuple[T, float]:
    """Return a result and the seconds of one processor that it took."""
    before = time.process_time()
    result = called()
    return result, time.process_time() - before


def tuned(corpus: lm.Corpus, metric: str, vary: dict[str, tuple[float, float]], **settings: Any) -> tuple[Any, float]:
    """Return the best weights, and the seconds that they took."""
    return timed(lambda: corpus.tune(metric, vary=vary, **{"resamples": 0, "folds": 0, **settings}))


def row(what: str, found: Any, seconds: float, note: str = "") -> Row:
    """Return a row of one or two weights."""
    parts = sum(found._development().search.sizes)
    return Row(what, parts, seconds, (found.best.score, found.default.score), note)


def grid_seconds(graphs: Sequence[Any], vary: dict[str, tuple[float, float]]) -> float:
    """Return the seconds of ordinary searches at a grid of weights."""
    axes = [np.linspace(low, high, GRID).tolist() for low, high in vary.values()]

    def searched() -> None:
        for point in product(*axes):
            weights = dict(zip(vary, point, strict=True))
            for graph in graphs:
                graph.words(graph.best_path(weights))

    return timed(searched)[1]


# ---- Drawn graphs ----


def sausage(slots: int, seed: int = 0) -> tuple[lm.Lattice, str]:
    """Return a sausage with three columns of short decimals, and a reference."""
    chance = np.random.default_rng(seed)
    source = np.repeat(np.arange(slots), 3)
    scores = {
        name: lm.Column(np.round(chance.normal(0, 3, len(source)), 3), np.zeros(1), 1.0) for name in ("am", "lm", "tm")
    }
    words = lm.Vocabulary.from_words([f"w{k}" for k in range(1, 51)])
    lattice = lm.Lattice.from_arcs(
        source, source + 1, chance.integers(0, 51, len(source)), final=[slots], scores=scores, vocabulary=words
    )
    return lattice, " ".join(f"w{k}" for k in chance.integers(1, 51, slots))


def drawn(number: int, size: Size) -> tuple[list[lm.Lattice], list[str]]:
    """Return lattices with acoustic and language costs, and references."""
    lattices, references = [], []
    for seed in range(number):
        one = draw(size, seed)
        words = lm.Vocabulary.from_words([f"w{k}" for k in range(1, size.vocabulary + 1)])
        scores = {"lm": lm.Column(one.graph, np.zeros(1), 1.0), "acoustic": lm.Column(one.acoustic, np.zeros(1), 1.0)}
        lattices.append(
            lm.Lattice.from_arcs(
                one.source, one.target, one.word, final=[one.states - 1], scores=scores, vocabulary=words
            )
        )
        references.append(" ".join(f"w{k}" for k in one.reference))
    return lattices, references


def of_drawn_graphs(slots: int, number: int, size: Size) -> Iterator[Row]:
    """Yield what a sausage and many small lattices take."""
    lattice, reference = sausage(slots)
    before = peak_megabytes()
    found, seconds = tuned(lm.Corpus([lattice], [reference]), "wer", {"lm": (-2, 2), "tm": (-2, 2)})
    yield row(f"a sausage of {slots} slots, a plane", found, seconds, f"{peak_megabytes() - before:.0f} MB")
    yield from of_many("drawn lattices", *drawn(number, size), "acoustic", (0.05, 0.2))


def of_many(what: str, graphs: list[Any], references: list[Any], name: str, ends: tuple[float, float]) -> Iterator[Row]:
    """Yield what a line takes, without and with resamples."""
    corpus = lm.Corpus(graphs, references)
    found, seconds = tuned(corpus, "wer", {name: ends})
    with_resamples = tuned(corpus, "wer", {name: ends}, resamples=1000)[1]
    note = f"1,000 resamples: {max(0.0, with_resamples - seconds):.2f} s more"
    yield row(f"{len(graphs)} {what}, a line", found, seconds, note)


def peak_megabytes() -> float:
    """Return the largest memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# ---- Given files ----


def of_hifst(folder: Path) -> Iterator[Row]:
    """Yield what lines, a plane and all twelve weights of a translation decoder take, by BLEU."""
    files = [str(folder / f"{number}.fst.gz") for number in range(1, 51)]
    start = lm.read_weights(folder / "params.0")
    references = (folder / "refs.50").read_text().splitlines()
    corpus = lm.Corpus([lm.read_one(file) for file in files], references, weights=start, ignore=["1", "2"])
    for names in (*([name] for name in start), ["feature_2", "feature_4"]):
        found, seconds = tuned(corpus, "bleu", dict.fromkeys(names, (-2, 2)))
        grid = float(np.nanmax(found.map(200)))
        assert grid <= found.best.score + 1e-12
        assert found.at() == found.best.score
        yield row(f"HiFST, {' × '.join(names)}", found, seconds, f"grid of 200: {grid:.6f}")
    vary = {name: (round(w - max(2, 2 * abs(w)), 2), round(w + max(2, 2 * abs(w)), 2)) for name, w in start.items()}
    for seed in (1, 2, 3):
        found, seconds = tuned(corpus, "bleu", vary, seed=seed)
        folded, more = tuned(corpus, "bleu", vary, seed=seed, folds=5)
        note = f"held out {folded.held_out:.4f}, in {more - seconds:.1f} s more"
        yield Row(f"HiFST, twelve, seed {seed}", 0, seconds, (found.best.score, found.default.score), note)


def of_kaldi(lattices: Path, references: Path) -> Iterator[Row]:
    """Yield what Kaldi's box of weights takes on lattices with a bigram column, beside a grid of 400 points."""
    texts = {name: words for name, *words in map(str.split, references.read_text().splitlines())}
    pairs = [(with_bigrams(graph, list(texts.values())), " ".join(texts[name])) for name, graph in lm.read(lattices)]
    graphs = [graph for graph, _ in pairs]
    corpus = lm.Corpus(graphs, [text for _, text in pairs])
    vary = {"acoustic": (0.05, 0.2), "words": (0.0, 1.0)}
    found, seconds = tuned(corpus, "wer", vary)
    by_grid = grid_seconds([with_word_counts(graph) for graph in graphs], vary)
    arcs = sum(len(graph.word) for graph in graphs)
    yield row(f"Kaldi with bigrams, {arcs} arcs", found, seconds, f"{GRID} × {GRID} searches: {by_grid:.2f} s")


def with_bigrams(lattice: Graph, texts: Sequence[Sequence[str]]) -> lm.Lattice:
    """Return the lattice with a column of smoothed bigram costs, estimated on texts."""
    assert isinstance(lattice, lm.Lattice)
    unigrams = Counter(word for text in texts for word in text)
    bigrams = Counter(pair for text in texts for pair in zip(["", *text], text, strict=False))
    heads = Counter(head for head, _ in bigrams.elements())
    leaving = defaultdict(list)
    for arc, source in enumerate(lattice.source.tolist()):
        leaving[source].append(arc)
    target, word = lattice.target.tolist(), lattice.word.tolist()
    name = {number: lattice.vocabulary.decode(np.array([number]))[0] for number in set(word) if number}

    def cost(before: str, after: str) -> float:
        share = (unigrams[after] + 1) / (unigrams.total() + 1000)
        return round(-math.log((bigrams[before, after] + 5 * share) / (heads[before] + 5)), 4)

    states, pending, rows = {(0, ""): 0}, [(0, "")], []
    while pending:
        state = pending.pop()
        for arc in leaving[state[0]]:
            said = name.get(word[arc])
            reached = (target[arc], said or state[1])
            if reached not in states:
                states[reached] = len(states)
                pending.append(reached)
            rows.append((state, reached, arc, cost(state[1], said) if said else 0.0))
    order = {state: k for k, state in enumerate(sorted(states, key=lambda state: (state[0], states[state])))}
    rows.sort(key=lambda one: (order[one[0]], order[one[1]]))
    arcs = np.array([arc for _, _, arc, _ in rows])
    ends = {state: k for k, state in enumerate(lattice.final.tolist())}
    final = sorted((order[state], ends[state[0]]) for state in states if state[0] in ends)
    rest = np.array([end for _, end in final])
    scores = {key: lm.Column(one.arc[arcs], one.final[rest], one.weight) for key, one in lattice.scores.items()}
    scores["bigram"] = lm.Column(np.array([one[3] for one in rows]), np.zeros(len(final)), 1.0)
    return lm.Lattice.from_arcs(
        [order[one[0]] for one in rows],
        [order[one[1]] for one in rows],
        lattice.word[arcs],
        final=[state for state, _ in final],
        scores=scores,
        vocabulary=lattice.vocabulary,
    )


def of_plf(lattices: Path, references: Path) -> Iterator[Row]:
    """Yield what a line takes on many lattices."""
    graphs = [graph for _, graph in lm.read(lattices)]
    yield from of_many("lattices in PLF", graphs, references.read_text().splitlines(), "words", (-2, 2))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hifst", type=Path)
    parser.add_argument("--kaldi", type=Path, nargs=2)
    parser.add_argument("--plf", type=Path, nargs=2)
    given = parser.parse_args()
    print(HEAD)
    rows = [of_drawn_graphs(160, 1000, Size(40, 120, 300, 15))]
    rows += [of_hifst(given.hifst)] if given.hifst else []
    rows += [of_kaldi(*given.kaldi)] if given.kaldi else []
    rows += [of_plf(*given.plf)] if given.plf else []
    for several in rows:
        for one in several:
            print(one, flush=True)


if __name__ == "__main__":
    main()
