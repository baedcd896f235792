"""Word error rate by class of words, such as numbers, names and sums of money."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import add

from latticemetric.errors import UsageError
from latticemetric.lattice.lattice import Lattice
from latticemetric.metrics.base import GraphReferences, Text, graphs_of, words_of
from latticemetric.metrics.recognition import WER


@dataclass(frozen=True)
class ClassErrors:
    """The errors of the reference words of a class.

    Attributes:
        words: Number of reference words of the class.
        substitutions: Number of these words that the hypothesis replaces by another word.
        deletions: Number of these words that the hypothesis lacks.
        insertions: Number of words inserted between two words of the class.
    """

    words: int = 0
    substitutions: int = 0
    deletions: int = 0
    insertions: int = 0

    def __add__(self, other: ClassErrors) -> ClassErrors:
        return ClassErrors(*map(add, vars(self).values(), vars(other).values()))

    @property
    def rate(self) -> float | None:
        """Errors divided by words; `None` without words."""
        return (self.substitutions + self.deletions + self.insertions) / self.words if self.words else None


_ONE = {
    "C": ClassErrors(words=1),
    "S": ClassErrors(words=1, substitutions=1),
    "D": ClassErrors(words=1, deletions=1),
    "I": ClassErrors(insertions=1),
}


def errors_by_class(hypothesis: Text, reference: Text, classes: Sequence[str]) -> dict[str, ClassErrors]:
    """Return the word errors of each class of reference words, from the alignment of `WER`.

    If the reference words before and after an insertion have the same class, the insertion has this class. Otherwise,
    its class is `""`.

    Args:
        hypothesis: A string or its words.
        reference: A string or its words.
        classes: The class of each reference word; `""` if it has no class.

    Examples:
        >>> found = errors_by_class("we made for teen dollars", "we made fourteen dollars", ["", "", "MONEY", "MONEY"])
        >>> found["MONEY"], found["MONEY"].rate
        (ClassErrors(words=2, substitutions=1, deletions=0, insertions=1), 1.0)
        >>> found[""].rate
        0.0
    """
    if len(classes) != len(words_of(reference)):
        raise UsageError(
            f"there are {len(classes)} classes for {len(words_of(reference))} reference words",
            advice="give one for each word",
        )
    edits = WER().align(hypothesis, reference).edits
    found: dict[str, ClassErrors] = {}
    for edit, kind in zip(edits, edit_classes(edits, classes), strict=True):
        found[kind] = found.get(kind, ClassErrors()) + _ONE[edit]
    return found


def only_graph(references: GraphReferences) -> Lattice:
    """Return the only reference; raise `UsageError` unless it is a graph, since only arcs have classes."""
    first, *others = graphs_of(references)
    if others or not isinstance(first, Lattice):
        raise UsageError("classes of words need a single reference that is a graph", advice="see nlp_reference()")
    return first


def classes_along(graph: Lattice, words: Sequence[str], label: str = "class") -> tuple[str, ...]:
    """Return the class of each word on a path of a graph.

    The class of a word is the label of its arc, or `""` if the arc has no label. If several paths have these words, one
    of these paths is used.

    Raises:
        UsageError: No path of the graph has these words.
    """
    if label not in graph.labels:
        return ("",) * len(words)
    leaving = _labelled_arcs(graph, label)
    # For each number of words read: the states reached, with (words read before the last arc, its source state, its
    # class).
    reached: list[dict[int, tuple[int, int, str] | None]] = [{0: None}, *({} for _ in words)]
    for read, states in enumerate(reached):
        expected = words[read] if read < len(words) else None
        pending = list(states)
        while pending:
            state = pending.pop()
            for target, word, kind in leaving.get(state, ()):
                if not word and target not in states:
                    states[target] = read, state, ""
                    pending.append(target)
                elif word and word == expected:
                    reached[read + 1].setdefault(target, (read, state, kind))
    ends = [state for state in graph.final.tolist() if state in reached[-1]]
    if not ends:
        raise UsageError(
            "no path of the reference has the words that the metric compared",
            advice="use a metric without ignored words and wildcards",
        )
    kinds: list[str] = []
    read, state = len(words), ends[0]
    while (step_back := reached[read][state]) is not None:
        before, state, kind = step_back
        kinds += [kind] * (read - before)
        read = before
    return tuple(reversed(kinds))


def _labelled_arcs(graph: Lattice, label: str) -> dict[int, list[tuple[int, str, str]]]:
    """Return, for each state, the target, word and class of the arcs that leave it."""
    side = graph.labels[label]
    leaving: dict[int, list[tuple[int, str, str]]] = {}
    columns = (graph.source, graph.target, graph.word, side.arc)
    for source, target, word, kind in zip(*(column.tolist() for column in columns), strict=True):
        step = graph.vocabulary.word(word) if word else "", side.vocabulary.word(kind) if kind else ""
        leaving.setdefault(source, []).append((target, *step))
    return leaving


def edit_classes(edits: str, classes: Sequence[str]) -> list[str]:
    """Return the class of each edit, which is the class of its reference word.

    An insertion has no reference word. It gets the class of the reference words before and after it if both have the
    same class, otherwise `""`.
    """
    found, at = [], 0
    for edit in edits:
        if edit == "I":
            inside = 0 < at < len(classes) and classes[at - 1] == classes[at]
            found.append(classes[at] if inside else "")
        else:
            found.append(classes[at])
            at += 1
    return found
