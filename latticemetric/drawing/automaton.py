"""Build the diagram of a recognition rate's automaton for one reference: words, edits and their gains, as defined."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from latticemetric.automata.recognition import Gains, RecognitionAutomaton, recognition_automaton
from latticemetric.automata.reference import ReferenceGraph, counted_labels
from latticemetric.drawing.diagram import AUTOMATON, CIRCLE, END, Diagram, Link, Vertex
from latticemetric.lattice.lattice import Lattice
from latticemetric.metrics.base import Text, words_of
from latticemetric.metrics.recognition import GRR
from latticemetric.vocabulary import EPSILON, STAR, Vocabulary

_STATES = "i, m: i words of the reference are behind, the last m of them matched in a row."
_LABELS = "★: any word, ε: none. C match, D deletion, S substitution, I insertion, and what the numerator gains."


def automaton_diagram(metric: GRR, reference: Text | Lattice, *, title: str | None = None) -> Diagram:
    """Build the diagram of the metric's automaton for a reference.

    Args:
        metric: The metric.
        reference: One reference, as a string, as words or as a graph.
        title: A description in a few words.
    """
    graph, vocabulary = _reference(metric, reference)
    steps = _useful(recognition_automaton(graph, metric.gains.order), metric.gains, vocabulary)
    n = metric.gains.order
    states = sorted({0, *(state for step in steps for state in step[:2])})
    place = {state: number for number, state in enumerate(states)}
    return Diagram(
        AUTOMATON,
        title or f"automaton of {metric.name}",
        tuple(Vertex(f"{s // n},{s % n}" if n > 1 else str(s), END if graph.final[s // n] else CIRCLE) for s in states),
        tuple(Link(place[step.source], place[step.target], step.label, step.edit) for step in steps),
        notes=(_STATES, _LABELS) if n > 1 else (_LABELS,),
    )


class _Step(NamedTuple):
    source: int
    target: int
    label: str
    edit: str


def _reference(metric: GRR, reference: Text | Lattice) -> tuple[ReferenceGraph, Vocabulary]:
    """Return the reference without the words that the metric does not count, and its vocabulary."""
    silent = metric.ignore | metric.wildcard
    if isinstance(reference, Lattice):
        label = counted_labels(reference, reference.vocabulary, silent)
        return ReferenceGraph.of_lattice(reference, label, metric.order), reference.vocabulary
    words = metric.counted(words_of(reference))
    vocabulary = Vocabulary.from_words(words)
    return ReferenceGraph.of_words(vocabulary.encode(words), metric.order), vocabulary


def _useful(automaton: RecognitionAutomaton, gains: Gains, vocabulary: Vocabulary) -> list[_Step]:
    """Return the transitions that the start reaches; in the states (i, m) on them, m ≤ i."""
    reached, steps = {0}, []
    gained = gains.of_edits()
    columns = (automaton.source, automaton.target, automaton.label, automaton.edit)
    # Deletions reach (i, 0) before anything else reaches (i, m): one pass in the order of states is enough.
    for source, target, label, edit in zip(*(column.tolist() for column in columns), strict=True):
        if source in reached:
            reached.add(target)
            steps.append(_Step(source, target, _label(label, vocabulary), _edit(edit, gains, gained[edit])))
    return steps


def _label(label: int, vocabulary: Vocabulary) -> str:
    return {EPSILON: "ε", STAR: "★"}.get(label) or vocabulary.word(label)


def _edit(edit: int, gains: Gains, gained: int) -> str:
    """Return an edit's letter and its gain, in the notation of the paper."""
    if edit == 0:
        return ""
    letter = "C" if edit <= gains.order else "DSI"[edit - gains.order - 1]
    gain = Fraction(gained, gains.unit)
    sign = "+" if gain > 0 else "−" if gain < 0 else ""
    return f"{letter} {sign}{float(abs(gain)):g}"
