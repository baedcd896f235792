"""Find the oracle by a user's own automaton: the path of a lattice with the largest exact value under the automaton.

The automaton is a tropical acceptor of words with costs −score; its label ★ accepts any word.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from latticemetric import _native
from latticemetric.automata.recognition import STAR_SYMBOL
from latticemetric.automata.reference import counted_labels
from latticemetric.engine.openfst import composed, lattice_machine, sorted_machine
from latticemetric.engine.ties import resolve_ties
from latticemetric.errors import InputError, UsageError, placed, require_pynini
from latticemetric.formats.streams.stream import open_stream
from latticemetric.frozen import Result, freeze
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice import fst_binary
from latticemetric.lattice.columns import Costs, Steps, Weights
from latticemetric.lattice.fst_binary import FstArrays
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.openfst import fst_from_arrays, fst_to_arrays
from latticemetric.metrics.base import GraphReferences, graphs_of, plain_number
from latticemetric.metrics.reference_checks import check_references
from latticemetric.metrics.signature import Signature
from latticemetric.renamed import says_new_keywords
from latticemetric.vocabulary import EPSILON, STAR, UNKNOWN, Vocabulary, Words

_MOST_TIES = 1_000_000  # arcs of the best paths: some seconds in Python


@dataclass(frozen=True, repr=False)
class ValuedPath(Result):
    """A path of a lattice, with its value under an automaton.

    Attributes:
        words: The words, without ε.
        score: The value (−weight of the automaton); `None` if the automaton does not accept the words.
        cost: The model's cost under the given weights.
        scores: The sum of each named cost along the path; for an n-best list, without the costs of weight 0 that
            `weights` does not name.
        arcs: The numbers of its arcs in the lattice.
    """

    words: tuple[str, ...]
    score: int | float | None
    cost: float
    scores: Mapping[str, float]
    arcs: tuple[int, ...]

    def __post_init__(self) -> None:
        freeze(self, "scores")

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"score": self.score, "hypothesis": " ".join(self.words), "cost": self.cost}


@dataclass(frozen=True, repr=False)
class AutomatonOracle(ValuedPath):
    """The path of a lattice with the largest value under an automaton.

    Attributes:
        one_best: The model's 1-best, with its value under the automaton: `hypothesis`, `score` and `cost` in JSON.
        exact: Always True: no path of the lattice has a larger value.
        signature: A digest of the automaton, and the version.
    """

    one_best: ValuedPath
    exact: bool
    signature: str

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON; `one_best` is nested."""
        own = {"exact": self.exact, "scores": dict(self.scores), "arcs": list(self.arcs), "signature": self.signature}
        return {**super().asdict(), **own, "one_best": self.one_best.asdict()}


def read_automaton(path: str) -> Any:
    """Read a `pynini.Fst` from a file in OpenFst's binary format."""
    require_pynini()
    import pynini

    with open_stream(path) as stream, placed(path):
        data = stream.read()
        fst_binary.decode(data)  # raises an error for a bad file; OpenFst would only write to stderr
    return pynini.Fst.read_from_string(data)


@says_new_keywords
def automaton_oracle(
    graph: Graph, automaton: Any, references: GraphReferences | None = None, *, weights: Weights | None = None
) -> AutomatonOracle:
    """Return the path of a lattice with the largest value under an automaton.

    Ties are resolved by the tie rule (`latticemetric.engine.ties`).

    Args:
        graph: A lattice, or an n-best list.
        automaton: A tropical `pynini.Fst` with costs −score. Its label ★ accepts any word. With references, it is a
            transducer from hypotheses to references.
        references: If the automaton is a transducer, the texts that its outputs must match: one reference or several,
            as strings or lattices.
        weights: Weights of score columns in the model's cost; columns that are not named keep their default weight.

    Raises:
        InputError: The automaton accepts no string of the lattice.
    """
    check_references(references)
    lattice = as_lattice(graph, weights)
    own = _columns_of(automaton if references is None else _of_references(automaton, graphs_of(references)))
    cost = lattice.cost(weights)
    label = _word_labels(lattice.vocabulary, own)
    best = best_by_automaton(lattice, own, label, cost)
    if best is None:
        raise InputError(
            "the automaton accepts no string of the lattice",
            advice="check that its symbols are the lattice's words; ★ accepts any word",
        )
    first = lattice.best_path(cost)
    places = np.arange(len(first) + 1)
    alone = Lattice.from_arcs(
        places[:-1], places[1:], lattice.word[first], final=places[-1:], vocabulary=lattice.vocabulary
    )
    accepted = best_by_automaton(alone, own, label, alone.cost())
    # Hash the automaton of the user, so that the signature is the same for all graphs and references.
    digest = hashlib.sha256(fst_binary.encode(fst_to_arrays(automaton))).hexdigest()
    return AutomatonOracle(
        **vars(_valued_path(lattice, cost, *best)),
        one_best=_valued_path(lattice, cost, first, None if accepted is None else accepted[1]),
        exact=True,
        signature=str(Signature("automaton", {"sha256": digest[:12], "case": "mixed", "tok": "none"})),
    )


def _valued_path(lattice: Lattice, cost: Costs, path: Steps, value: Fraction | None) -> ValuedPath:
    score = None if value is None else plain_number(value)
    words, scores = lattice.words(path), lattice.scores_along(path)
    return ValuedPath(words, score, lattice.cost_of(path, cost), scores, tuple(path.tolist()))


def _columns_of(fst: Any) -> FstArrays:
    """Return the columns of a `pynini.Fst`; raise `UsageError` if it is not a tropical acceptor with a start state."""
    _check_tropical(fst)
    arrays = fst_to_arrays(fst)
    if arrays.start < 0:
        raise UsageError("the automaton is empty: it has no start state", advice="check how it was made")
    if not np.array_equal(arrays.input, arrays.output):
        raise UsageError("the automaton is a transducer", advice="give references, or project('input')")
    if np.isnan(arrays.weight).any() or np.isneginf(arrays.weight).any():
        raise UsageError("a weight of the automaton is NaN or −∞", advice="give finite weights, or ∞ for no path")
    return arrays


def _word_labels(vocabulary: Vocabulary, automaton: FstArrays) -> Words:
    """Return the label of each arc as a number of `vocabulary`: ε, ★, a word, or `UNKNOWN`."""
    if automaton.input_symbols is None:
        if not vocabulary.is_numeric and not vocabulary.is_given:
            raise UsageError(
                "the automaton has no symbol table to compare its labels with the words of the lattice",
                advice="set its input symbols",
            )
        return automaton.input
    numbers, place = np.unique(automaton.input, return_inverse=True)
    table = []
    for label in numbers.tolist():
        if label in (EPSILON, STAR):
            table.append(label)
        elif (word := automaton.input_symbols.get(label)) is None:
            raise UsageError(f"label {label} of the automaton is not in its symbol table", advice="add it to the table")
        else:
            table.append(STAR if word == STAR_SYMBOL else vocabulary.number(word))
    return np.array(table, dtype=np.int32)[place]


def best_by_automaton(
    lattice: Lattice, automaton: FstArrays, label: Words, cost: Costs
) -> tuple[Steps, Fraction] | None:
    """Return the path with the largest value (ties: the tie rule), and its value; `None` if no path is accepted.

    `label` has the label of each arc of the automaton: ε, ★, the number of a word of the lattice, or `UNKNOWN`.
    """
    import pywrapfst

    machine = fst_from_arrays(lattice_machine(lattice, lattice.word, label))
    metric, worth = _with_arc_outputs(automaton, label)
    product = composed(machine, fst_from_arrays(metric))
    if product.start() < 0:
        return None
    if product.properties(pywrapfst.ACYCLIC, True) != pywrapfst.ACYCLIC:  # noqa: FBT003  test it
        raise InputError("the automaton has a cycle of ε-arcs", advice="remove ε-arcs with rmepsilon()")
    product.topsort()
    whole = fst_to_arrays(product)
    # Keep the arcs on paths as cheap as the best one, up to the rounding of 64-bit sums.
    native = _native.Lattice(whole.source, whole.target, whole.weight, whole.final)
    through, ending = _native.best_costs_through_arcs(native)
    steps, largest = len(whole.final), float(np.abs(whole.weight).max(initial=0.0))
    slack = 8.0 * steps * steps * largest * float(np.finfo(np.float64).eps)
    kept = np.flatnonzero(through <= min(through.min(initial=np.inf), ending.min(initial=np.inf)) + slack)
    if len(kept) > _MOST_TIES:
        raise InputError("too many paths have the same value", advice="prune the lattice")
    columns = ("source", "target", "input", "output", "weight")
    optimum = replace(whole, **{name: getattr(whole, name)[kept] for name in columns})
    # In an n-best list, the rank decides ties instead of the number of words.
    words = np.zeros(len(lattice.word), dtype=bool) if lattice.ranked else lattice.word != EPSILON
    arcs, outputs = resolve_ties(optimum, cost, words, lattice.final, worth)
    return arcs, sum((worth[output] for output in outputs), Fraction(0))


def _with_arc_outputs(automaton: FstArrays, label: Words) -> tuple[FstArrays, Sequence[Fraction]]:
    """Return the automaton with arc numbers (from 1) as output labels, and the value of each output label.

    Each final state gets an additional arc to a new end state; the additional arcs have the last numbers. Arcs whose
    word is not in the lattice are dropped.
    """
    finals = np.flatnonzero(np.isfinite(automaton.final))
    kept = np.flatnonzero((label != UNKNOWN) & np.isfinite(automaton.weight))
    end = len(automaton.final)
    costs = np.concatenate([automaton.weight, automaton.final[finals]])
    output = np.concatenate([kept + 1, len(label) + 1 + np.arange(len(finals))])
    machine = sorted_machine(
        np.append(np.full(end, np.inf), 0.0),
        np.concatenate([automaton.source[kept], finals]),
        np.concatenate([automaton.target[kept], np.full(len(finals), end)]),
        (np.concatenate([label[kept], np.full(len(finals), EPSILON)]), output),
        costs[output - 1],
    )
    machine = replace(machine, start=automaton.start)
    return machine, [Fraction(0), *(-Fraction(cost) if math.isfinite(cost) else Fraction(0) for cost in costs.tolist())]


def _check_tropical(fst: Any) -> None:
    require_pynini()
    import pywrapfst

    if not isinstance(fst, pywrapfst.Fst):
        raise UsageError(
            f"a {type(fst).__name__} is not a metric", advice="give the name or object of a metric, or a pynini.Fst"
        )
    if fst.arc_type() != "standard":
        found = f"the automaton's arcs are of type '{fst.arc_type()}'"
        raise UsageError(found, advice="give a tropical automaton (arc type 'standard')")


def _of_references(transducer: Any, references: Sequence[Lattice | tuple[str, ...]]) -> Any:
    """Compose a transducer (from hypotheses to references) with the references; return an acceptor of hypotheses.

    The output label ★ matches any word of a reference.
    """
    _check_tropical(transducer)
    import pynini

    symbols = transducer.output_symbols()
    spelling = None if symbols is None else dict(symbols)
    lattices = [r if isinstance(r, Lattice) else Lattice.from_strings([r]) for r in references]
    machines = [_reference_acceptor(lattice, spelling) for lattice in lattices]
    expected = pynini.union(*machines).optimize() if len(machines) > 1 else machines[0]
    bare = transducer.copy().set_output_symbols(None)
    product = pynini.compose(bare.arcsort("olabel"), expected)
    if product.start() < 0:
        raise InputError(
            "the automaton accepts none of the references",
            advice="check that its output symbols are words of the references",
        )
    return product.project("input")


def _reference_acceptor(reference: Lattice, spelling: dict[int, str] | None) -> Any:
    """Return the acceptor of a reference, with the output labels of the transducer.

    Each arc with a word has a parallel arc with the label ★. If the word has no output label, only the ★ arc remains.
    """
    words_of = {number: word for number, word in (spelling or {}).items() if 0 < number < STAR}
    vocabulary = Vocabulary.numeric() if spelling is None else Vocabulary(words_of)
    label = counted_labels(reference, vocabulary, ())
    star = next((n for n, w in (spelling or {}).items() if w == STAR_SYMBOL), STAR)
    words, known = np.flatnonzero(label != EPSILON), np.flatnonzero(label != UNKNOWN)
    number = np.concatenate([known, words])
    labels = np.concatenate([label[known], np.full(len(words), star)])
    final = np.full(reference.num_states, np.inf)
    final[reference.final] = 0.0
    return fst_from_arrays(sorted_machine(final, reference.source[number], reference.target[number], (labels, labels)))
