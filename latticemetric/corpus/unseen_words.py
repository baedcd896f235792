"""The words to ignore that no text of a run has: they may be misspelled."""

from __future__ import annotations

import mmap
from collections.abc import Collection, Iterable
from itertools import chain

import numpy as np

from latticemetric.automata.reference import words_in
from latticemetric.forest.forest import Forest
from latticemetric.formats.streams.stream import warn
from latticemetric.formats.word_lists import note_of_unseen
from latticemetric.graph import Graph
from latticemetric.metrics.base import GraphReference
from latticemetric.nbest import NBest
from latticemetric.vocabulary import EPSILON


class UnseenWords:
    """The words to ignore that no graph and no reference of a run has had so far."""

    def __init__(self) -> None:
        self.begin(())

    def begin(self, words: Collection[str], *, folded: bool = False) -> None:
        """Begin a run that ignores these words, before its workers are forked; `folded`: texts become lower case."""
        self._words, self._folded = sorted(words), folded
        # A byte for each word, and one for any graph; forked workers share them.
        self._seen = mmap.mmap(-1, len(self._words) + 1)
        self.left = frozenset(words)

    def add(self, graph: Graph, references: Iterable[GraphReference] = ()) -> None:
        """Add the words of a graph and its references, before words are removed from them."""
        if not self.left:
            return
        self._seen[len(self._words)] = 1
        self.add_words(chain.from_iterable(map(words_in, references)))
        if self.left:
            self.add_words(self._words_in(graph))

    def add_words(self, words: Iterable[str]) -> None:
        """Add words of texts."""
        if not self.left:
            return
        for word in self.left.intersection(map(str.lower, words) if self._folded else words):
            self._seen[self._words.index(word)] = 1
        self.left = frozenset(word for number, word in enumerate(self._words) if not self._seen[number])

    def add_seen(self, seen: Iterable[str]) -> None:
        """Add the words of a block of graphs and their references, of which these words were sought."""
        if self.left:
            self._seen[len(self._words)] = 1
            self.add_words(seen)

    def _words_in(self, graph: Graph) -> Iterable[str]:
        """Return words of the graph: those that are looked for or, if case does not matter, all."""
        if isinstance(graph, NBest):
            return (word for hypothesis in graph.hypotheses for word in hypothesis.words)
        numbers = graph.target.values if isinstance(graph, Forest) else graph.word
        if self._folded:
            used = np.unique(numbers)
            return graph.vocabulary.decode(used[used > EPSILON])
        wanted = ((word, graph.vocabulary.encode([word])[0]) for word in self.left)
        return [word for word, number in wanted if number > EPSILON and (numbers == number).any()]

    def note(self) -> None:
        """Note which words no text of the run has; say nothing if there was no text."""
        unseen = [word for number, word in enumerate(self._words) if not self._seen[number]]
        if unseen and self._seen[len(self._words)]:
            warn("ignore", note_of_unseen(unseen))


IGNORED = UnseenWords()
"""The words to ignore of the run of this process."""
