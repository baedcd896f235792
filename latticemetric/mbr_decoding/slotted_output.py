"""The output of a system as slots with alternative words, and the alignment of the outputs of several systems.

The search for the alignment with the least cost is approximate. The cost of a column is the number of pairs of systems
with different words in the column. If a system has several words in a slot, a pair counts by the probability that the
two words differ. The order of the systems does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import InputError
from latticemetric.frozen import Frozen
from latticemetric.graph import as_lattice
from latticemetric.lattice.columns import Column, Floats, Weights
from latticemetric.lattice.lattice import Lattice
from latticemetric.mbr_decoding.consensus import consensus
from latticemetric.mbr_decoding.median import costs_of, own_weights
from latticemetric.mbr_decoding.word import FOR_FORESTS
from latticemetric.metrics.reference_checks import check_hypothesis
from latticemetric.vocabulary import EPSILON, Vocabulary, listed_words

Numbers: TypeAlias = npt.NDArray[np.int64]

NO_WORD = 0
"""The word number that stands for no word."""

_MOST_SHARED = 200  # words of the longest strings that share arrays


@dataclass(frozen=True, eq=False)
class SlottedOutput(Frozen):
    """The output of a system: a sequence of slots with alternative words.

    Attributes:
        words: The words of all slots, slot by slot; '' means no word.
        probabilities: The probability of each word in its slot; for the only word of a slot, its confidence.
        first: The index in `words` of each slot's first word; the last entry is the number of all words.
        times: Begin and end of each slot, in seconds; NaN if unknown.
        graph: The graph that was converted to slots; `None` for a string.
    """

    words: tuple[str, ...]
    probabilities: Floats
    first: Numbers
    times: Floats
    graph: Lattice | None

    @classmethod
    def of(cls, given: Any, posterior_scale: float = 1.0, weights: Weights | None = None) -> SlottedOutput:
        """Return the output of a system, given as a text, as words, or as a graph.

        A graph with one path becomes its words. Other graphs become the bins of their confusion networks, without the
        bins that contain no word; words of a CTM that are on all paths keep their confidences. For `posterior_scale`
        and `weights`, see `combine`.
        """
        if isinstance(given, Sequence | np.ndarray):
            check_hypothesis(given, "an output")
            return cls.of_words(listed_words(given, "an output"))
        lattice = as_lattice(given, weights, advice=FOR_FORESTS)
        own = own_weights(lattice, weights)
        if len(lattice.word) < lattice.num_states and len(lattice.final) == 1:  # a single path
            return cls._of_path(lattice)
        marked, meant = _with_marked_words(lattice)
        network = consensus(marked, posterior_scale=posterior_scale, weights=own)
        kept = [place for place, bin_ in enumerate(network.bins) if bin_[0][0] or len(bin_) > 1]
        bins = [[meant.get(word, (word, p)) for word, p in network.bins[place]] for place in kept]
        times = network.bin_times
        return cls(
            tuple(word for bin_ in bins for word, _ in bin_),
            np.array([p for bin_ in bins for _, p in bin_], dtype=np.float64),
            np.cumsum([0, *map(len, bins)]),
            np.full((len(bins), 2), np.nan) if times is None else np.array([times[place] for place in kept]),
            lattice,
        )

    @classmethod
    def of_words(cls, words: tuple[str, ...]) -> SlottedOutput:
        """Return the output of a string."""
        size = len(words)
        return cls(words, *(_of_string(size) if size <= _MOST_SHARED else _of_string.__wrapped__(size)), None)

    @classmethod
    def _of_path(cls, lattice: Lattice) -> SlottedOutput:
        """Return the words of a one-path lattice, with the times and confidences of a CTM."""
        arcs = np.flatnonzero(lattice.word != EPSILON)
        words = tuple(lattice.vocabulary.decode(lattice.word[arcs]))
        sure, times = _confidences(lattice, arcs), np.full((len(arcs), 2), np.nan)
        if lattice.times is not None:
            times = np.stack([lattice.times[lattice.source[arcs]], lattice.times[lattice.target[arcs]]], axis=1)
        return cls(words, sure, np.arange(len(arcs) + 1), times, lattice)

    @property
    def is_string(self) -> bool:
        """True if each slot has one word."""
        return len(self.words) == len(self.first) - 1

    @property
    def best_words(self) -> tuple[str, ...]:
        """The best word of each slot."""
        return tuple(word for word in (self.words[first] for first in self.first[:-1].tolist()) if word)

    def as_graph(self) -> Lattice:
        """Return the graph of the output; for a string, a lattice with one path; for other slots, all their paths."""
        if self.graph is not None:
            return self.graph
        if self.is_string:
            return Lattice.from_strings([self.words])
        place = np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))
        shares = self.probabilities / np.add.reduceat(self.probabilities, self.first[:-1])[place]
        vocabulary = Vocabulary.from_words(word for word in self.words if word)
        return Lattice.from_arcs(
            place,
            place + 1,
            [vocabulary.number(word) if word else EPSILON for word in self.words],
            final=[len(self.first) - 1],
            scores={"cost": Column(costs_of(shares), np.zeros(1))},
            vocabulary=vocabulary,
        )

    def content(self) -> tuple[Any, ...]:
        """Return a sort key of the content, equal only for equal outputs."""
        times = np.nan_to_num(self.times, nan=-1.0).ravel()
        return self.words, self.first.tolist(), self.probabilities.tolist(), times.tolist()


@lru_cache(maxsize=_MOST_SHARED + 1)
def _of_string(size: int) -> tuple[Floats, Numbers, Floats]:
    """Return the probabilities, first words and times of a string's slots; strings of one length share these arrays."""
    shared = np.ones(size), np.arange(size + 1), np.full((size, 2), np.nan)
    for array in shared:
        array.flags.writeable = False
    return shared


def _confidences(lattice: Lattice, arcs: npt.NDArray[np.integer[Any]]) -> Floats:
    """Return the confidences of arcs, as labels of a CTM give them; 1 without labels."""
    if (labels := lattice.labels.get("confidence")) is None:
        return np.ones(len(arcs))
    return np.array([_probability(text) for text in labels.vocabulary.words(labels.arc[arcs])], dtype=np.float64)


def _with_marked_words(lattice: Lattice) -> tuple[Lattice, dict[str, tuple[str, float]]]:
    """Give each word of a CTM that is on all paths a spelling of its own, which stays alone in its bin.

    Return the lattice, and the word and confidence of each such spelling. Without confidences, nothing changes.
    """
    if "confidence" not in lattice.labels:
        return lattice, {}
    # States are in topological order. All paths have an arc if each other arc ends before it or begins after it.
    furthest = np.zeros(lattice.num_states + 1, dtype=np.int64)
    np.maximum.at(furthest, lattice.source + 1, lattice.target)
    furthest = np.maximum.accumulate(furthest)
    leaving = np.append(0, np.cumsum(np.bincount(lattice.source, minlength=lattice.num_states)))
    is_shared = (
        (lattice.word != EPSILON)
        & (furthest[lattice.source] <= lattice.source)
        & (leaving[lattice.target] - leaving[lattice.source] == 1)
        & (lattice.target <= lattice.final.min())
    )
    arcs = np.flatnonzero(is_shared)
    words = lattice.vocabulary.words(lattice.word[arcs])
    known = np.unique(np.append(np.int32(EPSILON), lattice.word))  # ties depend on the order of the vocabulary
    spelling = lattice.vocabulary.words(known[1:])
    number = np.searchsorted(known, lattice.word).astype(np.int32)
    number[arcs] = np.arange(len(known), len(known) + len(arcs))
    marks = [f"{word}\0{arc}" for word, arc in zip(words, arcs.tolist(), strict=True)]
    meant = dict(zip(marks, zip(words, _confidences(lattice, arcs).tolist(), strict=True), strict=True))
    return replace(lattice, word=number, vocabulary=Vocabulary.from_words([*spelling, *marks])), meant


def _probability(text: str) -> float:
    """Return the confidence of a word in a CTM; 1 if `text` is no number."""
    try:
        value = float(text)
    except ValueError:
        return 1.0
    if not 0 <= value <= 1:
        raise InputError(f"confidence {text} is not a probability", advice="give confidences from 0 to 1")
    return value


def align_outputs(
    outputs: Sequence[SlottedOutput], *, time_mediated: bool = False
) -> tuple[Numbers, float, float | None]:
    """Return the slots of each column, the cost of the alignment, and a lower bound of this cost.

    The systems are sorted by output before the alignment. So the result does not depend on the order of the systems.
    """
    first = [output.words for output in outputs]  # compare words alone, unless two outputs have the same words
    contents: list[Any] = first if len(set(first)) == len(first) else [output.content() for output in outputs]
    order = sorted(range(len(outputs)), key=contents.__getitem__)
    listed = [outputs[s] for s in order]
    numbers = {"": NO_WORD}
    word = [numbers.setdefault(w, len(numbers)) for output in listed for w in output.words]
    sizes = [len(output.first) - 1 for output in listed]
    entries = np.cumsum([0, *(len(output.words) for output in listed)])
    slot_begin = np.concatenate([output.first[:-1] + at for output, at in zip(listed, entries, strict=False)])
    found, cost, distances = _native.align_systems(
        np.cumsum([0, *sizes]),
        np.append(slot_begin, entries[-1]),
        np.array(word, dtype=np.int32),
        np.concatenate([_integer_probabilities(output) for output in listed]),
        np.concatenate([output.times.ravel() for output in listed]),
        list(numbers),
        time_mediated,
    )
    slots = np.empty_like(found)
    slots[:, order] = found
    return slots, cost, float(distances) if all(output.is_string for output in outputs) else None


def _integer_probabilities(output: SlottedOutput) -> npt.NDArray[np.int32]:
    """Return the probabilities of each slot as integers with a fixed sum; the only word of a slot has all of it."""
    whole = _native.whole_slot
    if output.is_string:
        return np.full(len(output.words), whole, dtype=np.int32)
    parts = []
    for first, end in zip(output.first[:-1].tolist(), output.first[1:].tolist(), strict=True):
        shares = output.probabilities[first:end]
        exact = whole * shares / shares.sum()
        own = np.floor(exact).astype(np.int32)
        # Add 1 to the words with the largest remainders, until the sum is right; of equal remainders, the first.
        own[np.argsort(own - exact, kind="stable")[: whole - int(own.sum())]] += 1
        parts.append(own)
    return np.concatenate([np.empty(0, dtype=np.int32), *parts])
