"""References as graphs, whose arcs add up to the denominator of a rate; references as tries of n-grams.

The denominator is Σ_k |g_k(r)|, the number of k-grams of the reference r for k = 1 … n. It is a sum along a path: a
word after i other words adds min(i + 1, n), one for each k-gram that ends with this word. So a state of the graph is a
pair: a state of the reference, and the number of words before it, counted up to n − 1.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.lattice.lattice import Lattice
from latticemetric.vocabulary import EPSILON, Vocabulary, Words, distinct_words

Numbers = npt.NDArray[np.int32]


@dataclass(frozen=True)
class ReferenceGraph:
    """One or several references as a graph: states in topological order, start 0, arcs sorted by source.

    Every state leads to a final state. Paths without words have no rate; they are omitted if any path has words.

    Attributes:
        source: For each arc, the state where it begins.
        target: For each arc, the state where it ends.
        word: For each arc, the number of its word; `UNKNOWN` if the word is not in the vocabulary, ε if there is no
            word, or if the metric ignores it.
        size: For each arc, the number that it adds to the denominator.
        arc: For each arc, its number in the original graph.
        final: For each state, True if a path may end in it.
        words: For each state, the number of words before it, counted up to a limit.
    """

    source: Numbers
    target: Numbers
    word: Words
    size: Numbers
    arc: Numbers
    final: npt.NDArray[np.bool_]
    words: Numbers

    def native(self) -> _native.ReferenceGraph:
        """Return the graph as kernels take it, checked."""
        return _native.ReferenceGraph(self.source, self.target, self.word, self.size, self.final.view(np.uint8))

    @staticmethod
    def of_words(words: Words, order: int) -> ReferenceGraph:
        """Build the graph of one string."""
        places = np.arange(len(words) + 1, dtype=np.int32)
        size = np.minimum(places[1:], order)
        return ReferenceGraph(places[:-1], places[1:], words, size, places[:-1], places == len(words), places)

    @staticmethod
    def of_lattice(lattice: Lattice, word: Words, order: int, *, most: int | None = None) -> ReferenceGraph:
        """Build the graph of all strings of a lattice, with one copy of a state for each number of words before it.

        Args:
            lattice: The reference.
            word: For each arc, the number of its word; see `ReferenceGraph.word`.
            order: n, the length of the longest n-grams.
            most: The limit up to which words before a state are counted; by default, n − 1 (at least 1).
        """
        most = max(1, order - 1) if most is None else most
        source, target, words = lattice.source.tolist(), lattice.target.tolist(), word.tolist()
        onward: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for arc, (here, there) in enumerate(zip(source, target, strict=True)):
            onward[here].append((arc, there))
        final = set(lattice.final.tolist())
        number: dict[tuple[int, int], int] = {}
        counts: dict[int, set[int]] = defaultdict(set, {0: {0}})
        rows = []
        for state in range(lattice.num_states):
            for count in sorted(counts[state]):
                number[state, count] = len(number)
                for arc, there in onward[state]:
                    label = words[arc]
                    after = min(count + (label != EPSILON), most)
                    counts[there].add(after)
                    size = min(count + 1, order) if label != EPSILON else 0
                    rows.append((number[state, count], (there, after), label, size, arc))
        has_words = any(count for end in final for count in counts[end])
        ends_here = np.array([state in final and (count > 0 or not has_words) for state, count in number], np.bool_)
        table = [(source, number[copy], *rest) for source, copy, *rest in rows]
        columns = np.array(table, dtype=np.int32).reshape(-1, 5).T.copy()
        before = np.array([count for _, count in number], dtype=np.int32)
        whole = ReferenceGraph(columns[0], columns[1], columns[2], columns[3], columns[4], ends_here, before)
        return whole.ending_in(ends_here)

    @property
    def has_words(self) -> bool:
        """True if paths have words. Either all paths have words, or none has (see `ReferenceGraph`)."""
        return bool(np.any(self.word != EPSILON))

    def ending_in(self, final: npt.NDArray[np.bool_]) -> ReferenceGraph:
        """Return the graph with other final states; remove arcs and states that do not lead to any of them."""
        kept = final.copy()
        for source, target in zip(self.source[::-1].tolist(), self.target[::-1].tolist(), strict=True):
            kept[source] |= kept[target]
        arcs = np.flatnonzero(kept[self.target])
        number = np.cumsum(kept, dtype=np.int32) - 1
        source, target = number[self.source[arcs]], number[self.target[arcs]]
        rest = self.word[arcs], self.size[arcs], self.arc[arcs]
        return ReferenceGraph(source, target, *rest, final[kept], self.words[kept])


def reversed_lattice(lattice: Lattice) -> tuple[Lattice, Numbers]:
    """Return a lattice with all paths reversed, and the original arc of each of its arcs (−1 for new arcs).

    New arcs lead from a new start to the old final states, in the order of these states. The arcs that leave a state
    keep the order of the original arcs, so that paths are compared from their ends.
    """
    ends, last = lattice.final, np.int32(lattice.num_states)
    nothing = np.zeros_like(ends)
    source, target = np.append(nothing, last - lattice.target), np.append(last - ends, last - lattice.source)
    word, arc = np.append(nothing, lattice.word), np.append(nothing - 1, np.arange(len(lattice.word), dtype=np.int32))
    order = np.argsort(source, kind="stable")
    turned = Lattice.from_arcs(
        source[order], target[order], word[order], final=[int(last)], vocabulary=lattice.vocabulary
    )
    return turned, arc[order]


def words_in(reference: Sequence[str] | Lattice, silent: Collection[str] = ()) -> list[str]:
    """Return the words of a reference, or the distinct words of a reference graph, without the words in `silent`."""
    if isinstance(reference, Lattice):
        reference = reference.vocabulary.decode(distinct_words(reference.word))
    return [word for word in reference if word not in silent]


def counted_labels(reference: Lattice, vocabulary: Vocabulary, silent: Collection[str]) -> Words:
    """Return the number of each arc's word in `vocabulary`: ε if the word is in `silent`, `UNKNOWN` if it is new."""
    numbers, place = np.unique(reference.word, return_inverse=True)
    words = [reference.vocabulary.word(number) for number in numbers.tolist()]
    label = [EPSILON if not word or word in silent else vocabulary.number(word) for word in words]
    return np.array(label, dtype=np.int32)[place]


_EMPTY = 0


@dataclass(frozen=True, eq=False)
class ReferenceNgrams:
    """The n-grams of references, as a trie with one row per n-gram; row 0 is the empty n-gram.

    Attributes:
        order: Length of the longest n-grams.
        parent: The row of the n-gram without its last word; −1 for row 0.
        word: The last word of the n-gram.
        length: The length of the n-gram.
        most: The highest count of the n-gram in a single reference (clipping: further matches do not count).
    """

    order: int
    parent: Words
    word: Words
    length: npt.NDArray[np.int64]
    most: npt.NDArray[np.int64]
    _rows: dict[tuple[int, int], int]

    @classmethod
    def of(cls, references: Sequence[Words], order: int) -> Self:
        """Build the n-grams of the references; leave out n-grams with `UNKNOWN` words: no graph has them."""
        rows: dict[tuple[int, int], int] = {}

        def added(row: int, word: int) -> int:
            return rows.setdefault((row, word), len(rows) + 1)

        counted = [Counter(_rows_in(reference, order, added)) for reference in references]
        parent = np.array([-1, *(row for row, _ in rows)], dtype=np.int32)
        length = np.zeros(len(parent), dtype=np.int64)
        most = np.zeros(len(parent), dtype=np.int64)
        for row in range(1, len(parent)):
            length[row] = length[parent[row]] + 1
            most[row] = max(count[row] for count in counted)
        return cls(order, parent, np.array([EPSILON, *(word for _, word in rows)], dtype=np.int32), length, most, rows)

    def counts_in(self, words: Words) -> npt.NDArray[np.int64]:
        """Count the occurrences of each n-gram in a string."""
        rows = list(_rows_in(words, self.order, lambda row, word: self._rows.get((row, word), _EMPTY)))
        return np.bincount(np.array(rows, dtype=np.int64), minlength=len(self.parent))


def _rows_in(words: Words, order: int, follow: Callable[[int, int], int]) -> Iterator[int]:
    """Yield the row of each n-gram of a string, once per occurrence."""
    numbers = words.tolist()
    for first in range(len(numbers)):
        row = _EMPTY
        for number in numbers[first : first + order]:
            row = follow(row, number) if number > EPSILON else _EMPTY
            if row == _EMPTY:
                break
            yield row
