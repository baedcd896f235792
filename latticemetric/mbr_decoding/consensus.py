"""Confusion networks (sausages): a lattice as a sequence of bins of alternative words with posteriors.

The bins are the positions of word MBR (see `word_mbr`): its words, and the gaps between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from latticemetric.errors import UsageError
from latticemetric.formats.columns import cost_of
from latticemetric.frozen import Brief
from latticemetric.graph import Graph
from latticemetric.lattice.columns import Column, Floats, Weights
from latticemetric.lattice.lattice import Lattice
from latticemetric.mbr_decoding.word import TIE, Aligner, search_words, times_in_order
from latticemetric.posterior.best import Times, pairs_of
from latticemetric.renamed import says_new_keywords
from latticemetric.vocabulary import Vocabulary

Bin = tuple[tuple[str, float], ...]


@dataclass(frozen=True, repr=False)
class Consensus(Brief):
    """The confusion network of a lattice.

    Attributes:
        bins: For each position, the words aligned with it and their posteriors, most probable first; '' means no word.
            Bins 0, 2, 4, … are gaps between words, and often contain only ''.
        words: The hypothesis with the least Bayes risk, among the hypotheses tried. As a rule, it consists of the first
            word of each bin, without ''.
        confidences: The posterior of each of these words.
        bayes_risk: A tight upper bound of the expected number of word errors of `words`.
        iterations: Number of hypotheses tried.
        times: Mean begin and end of each word, in seconds; `None` if the lattice has no times.
        bin_times: Mean begin and end of each bin, over all of its words.
        vocabulary: The vocabulary of the lattice.
    """

    bins: tuple[Bin, ...]
    words: tuple[str, ...]
    confidences: tuple[float, ...]
    bayes_risk: float
    iterations: int
    times: Times | None
    bin_times: Times | None
    vocabulary: Vocabulary

    @says_new_keywords
    def to_lattice(self, least: float = 0.0) -> Lattice:
        """Return the network as a lattice with the column `posterior`; omit bins without words.

        Args:
            least: Also omit words with posteriors below `least`, except the best word of each bin.
        """
        if not least >= 0:
            raise UsageError(f"the least posterior is {least}", advice="give a number ≥ 0")
        kept = [[(word, p) for rank, (word, p) in enumerate(words) if rank == 0 or p >= least] for words in self.bins]
        places = [place for place, words in enumerate(kept) if any(word for word, _ in words)]
        rows = [(k, word, p) for k, place in enumerate(places) for word, p in kept[place]]
        source = np.array([k for k, _, _ in rows], dtype=np.int32)
        return Lattice.from_arcs(
            source,
            source + 1,
            [self.vocabulary.number(word) if word else 0 for _, word, _ in rows],
            final=[len(places)],
            scores={"posterior": Column(np.array([cost_of(min(p, 1.0)) for _, _, p in rows]), np.zeros(1))},
            vocabulary=self.vocabulary,
            times=None if self.bin_times is None else _borders([self.bin_times[place] for place in places]),
        )

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        Fields:
            bins (list[tuple]): For each bin its pairs `[word, posterior]`, the most probable first; an empty word
                stands for no word. Bins 0, 2, 4, … lie between words.
        """
        return {
            "hypothesis": " ".join(self.words),
            "confidences": list(self.confidences),
            "bayes_risk": self.bayes_risk,
            "iterations": self.iterations,
            "times": pairs_of(self.times),
            "bins": [[list(pair) for pair in words] for words in self.bins],
            "bin_times": pairs_of(self.bin_times),
        }

    def _repr_svg_(self) -> str:
        from latticemetric.drawing.notebook import graph_svg

        return graph_svg(self)


@says_new_keywords
def consensus(graph: Graph, *, posterior_scale: float = 1.0, weights: Weights | None = None) -> Consensus:
    """Build the confusion network of a graph.

    Args:
        graph: A lattice, or an n-best list.
        posterior_scale: Factor of the costs, before they become probabilities; below 1, it flattens the distribution.
        weights: Weights of score columns in the model's cost; columns that are not named keep their default weight.

    Examples:
        >>> lattice = Lattice.from_strings(["a b c", "a d c", "a d e"], costs=[0.0, 0.1, 0.2])
        >>> network = consensus(lattice)
        >>> network.words, [round(confidence, 3) for confidence in network.confidences]
        (('a', 'd', 'c'), [1.0, 0.633, 0.699])
        >>> [[(word, round(posterior, 3)) for word, posterior in words] for words in network.bins[-2:]]
        [[('c', 0.699), ('e', 0.301)], [('', 1.0)]]
    """
    _, best, iterations = search_words(Aligner.of(graph, posterior_scale, weights))
    spelling = [best.lattice.vocabulary.word(number) for number in best.numbers.tolist()]
    bin_times = None
    if len(best.begin):
        bin_times = times_in_order(best.sums(best.begin), best.sums(best.end))
    # Sort by posterior, largest first; ties: the position's own word, no word, then alphabetical order.
    is_best = (best.word == best.positions[best.place]) & (best.mass >= best.largest[best.place] - TIE)
    ranked = np.lexsort((best.word, -best.mass.round(12), ~is_best, best.place))
    listed = [
        (spelling[word], mass)
        for word, mass in zip(best.word[ranked].tolist(), best.mass[ranked].tolist(), strict=True)
    ]
    ends = [*best.first[1:].tolist(), len(listed)]
    bins = [tuple(listed[first:end]) for first, end in zip(best.first.tolist(), ends, strict=True)]
    return Consensus(
        bins=tuple(bins),
        words=best.words,
        confidences=best.confidences,
        bayes_risk=best.risk,
        iterations=iterations,
        times=best.times,
        bin_times=bin_times,
        vocabulary=best.lattice.vocabulary,
    )


def _borders(times: list[tuple[float, float]]) -> Floats:
    """Return the times of states, given begin and end of each bin; all in seconds.

    A state between two bins has the mean of the end of the first bin and the begin of the second.
    """
    if not times:
        return np.zeros(1)
    begin, end = np.array(times).T
    return np.concatenate([begin[:1], (end[:-1] + begin[1:]) / 2, end[-1:]])
