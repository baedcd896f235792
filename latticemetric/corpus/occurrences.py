"""Find reference words that do not occur in their graphs, and the likely reason.

Reasons: letter case, punctuation, subword pieces, a missing symbol table, or references in another order.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from latticemetric.automata.reference import words_in
from latticemetric.corpus.pairing import words_of
from latticemetric.forest.forest import Forest
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Lattice
from latticemetric.metrics.base import GraphReference
from latticemetric.oracle_search.scored_path import ScoredPath
from latticemetric.vocabulary import distinct_words

# Limits of the search for words in other graphs: graphs, missing words of a graph, and words of a graph.
_MOST_GRAPHS, _MOST_WORDS, _MOST_OF_GRAPH = 50, 100, 1000
_PIECE_MARKS = ("▁", "@@", "##", "</w>")


@dataclass(frozen=True)
class Occurrence:
    """Counts of the reference words of a graph, and of the reference words that occur in the graph.

    Attributes:
        words: Number of reference words.
        occurring: Number of these words that occur in the graph.
        folded: Number of reference words that occur if case is ignored.
        bare: Number of reference words that occur if case and punctuation are ignored.
        numbers: Number of reference words that consist of digits.
        pieces: True if a word of the graph is marked as a subword piece.
        missing: Some reference words that do not occur.
        graph: Some words of the graph.
    """

    words: int
    occurring: int
    folded: int
    bare: int
    numbers: int
    pieces: bool
    missing: tuple[str, ...]
    graph: tuple[str, ...]

    @classmethod
    def of(cls, graph: Graph, references: Iterable[GraphReference], best: ScoredPath) -> Occurrence | None:
        """Count the reference words that occur in a graph.

        Return `None` if the oracle (`best`) matches at least half of the words of its reference.
        """
        if 2 * best.statistics.matches[0] >= len(best.reference):
            return None
        return cls.in_words(_used_words(graph), [word for reference in references for word in words_in(reference)])

    @classmethod
    def in_words(cls, known: AbstractSet[str], expected: Sequence[str]) -> Occurrence:
        """Count the words of references that occur among those of a graph."""
        folded = {word.casefold() for word in known}
        bare = {_bare(word) for word in known}
        absent = [word for word in expected if word not in known]
        return cls(
            words=len(expected),
            occurring=len(expected) - len(absent),
            folded=sum(word.casefold() in folded for word in expected),
            bare=sum(_bare(word) in bare for word in expected),
            numbers=sum(word.isdecimal() for word in expected),
            pieces=any(word.startswith(_PIECE_MARKS) or word.endswith(_PIECE_MARKS) for word in known),
            missing=tuple(dict.fromkeys(absent))[:_MOST_WORDS],
            graph=tuple(sorted(known)[:_MOST_OF_GRAPH]),
        )


def _used_words(graph: Graph) -> set[str]:
    """Return the words that a graph uses; its vocabulary may have more."""
    if isinstance(graph, Lattice | Forest):
        symbols = graph.word if isinstance(graph, Lattice) else graph.target.values
        return set(graph.vocabulary.decode(distinct_words(symbols)))
    return set(words_of(graph))


def _bare(word: str) -> str:
    return "".join(c for c in word.casefold() if unicodedata.category(c)[0] not in "PS") or word


@dataclass
class Occurrences:
    """The totals of occurrences over graphs.

    Attributes:
        reference_words: Number of reference words.
        absent: Number of these words that do not occur in their graphs. Only graphs whose oracle matches less than half
            of the reference are examined; the reference words of all other graphs count as occurring.
        poor: The occurrences of some examined graphs.
    """

    reference_words: int = 0
    absent: int = 0
    poor: list[Occurrence] = field(default_factory=list)

    def add(self, words: int, occurrence: Occurrence | None) -> None:
        """Add a graph with `words` reference words; `occurrence` is the result of `Occurrence.of`."""
        if occurrence is None:
            self.reference_words += words
            return
        self.reference_words += occurrence.words
        self.absent += occurrence.words - occurrence.occurring
        if len(self.poor) < _MOST_GRAPHS:
            self.poor.append(occurrence)

    def warning(self) -> str | None:
        """Return a warning if more than half of the reference words do not occur in their graphs."""
        total, occurring = self.reference_words, self.reference_words - self.absent
        if 2 * self.absent <= total:
            return None
        words = "reference word occurs" if total == 1 else "reference words occur"
        return f"{occurring} of {total} {words} in these lattices: {self._reason()}"

    def _reason(self) -> str:
        """Return the reason that explains most of the missing words, and what to do."""
        words, occurring = sum(one.words for one in self.poor), sum(one.occurring for one in self.poor)
        folded, bare = (sum(getattr(one, name) for one in self.poor) for name in ("folded", "bare"))
        likely = occurring + (words - occurring) / 2
        if folded > likely:
            return f"if case is ignored, {folded} of {words} occur; write references and lattices in the same case"
        if bare > likely:
            return (
                f"if case and punctuation are ignored, {bare} of {words} occur; "
                "remove punctuation from references and lattices"
            )
        if sum(one.numbers for one in self.poor) > words / 2:
            return "the references are numbers; give the symbol table with symbols=…, or references of words"
        if self._share_in_others() > 1 / 2:
            return "most of the missing words occur in other lattices; give lattices and references in the same order"
        if any(one.pieces for one in self.poor):
            return "the lattices have subword pieces; join the pieces, or split the references in the same way"
        return "check letter case, symbol tables and order; Corpus.posteriors(top=20) shows the words of lattices"

    def _share_in_others(self) -> float:
        """Return the share of missing words that occur in another graph."""
        missing = [(number, word) for number, one in enumerate(self.poor) for word in one.missing]
        homes: dict[str, set[int]] = {}
        for number, one in enumerate(self.poor):
            for word in one.graph:
                homes.setdefault(word, set()).add(number)
        found = sum(bool(homes.get(word, set()) - {number}) for number, word in missing)
        return found / len(missing) if missing else 0.0
