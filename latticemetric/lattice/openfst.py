"""Convert lattices to and from OpenFst through its binary layout, without a loop over arcs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from latticemetric.errors import InputError, UsageError, require_pynini, shortened
from latticemetric.lattice import fst_binary
from latticemetric.lattice.columns import Column, Labels, Weights
from latticemetric.lattice.fst_binary import FstArrays
from latticemetric.vocabulary import EPSILON, Vocabulary, Words, distinct_words

if TYPE_CHECKING:
    from latticemetric.lattice.arrays import LatticeArrays

AnyLattice = TypeVar("AnyLattice", bound="LatticeArrays")

_MOST_CELLS_A_VALUE = 128
_LARGEST_WEIGHT = float(np.finfo(np.float32).max)


def lattice_to_arrays(lattice: LatticeArrays, weights: Weights | None = None, *, symbols: bool = True) -> FstArrays:
    """Return a lattice as the columns of an OpenFst machine.

    Words become the output labels. The lattice's labels named `input` become the input labels; if there are none, words
    become the input labels, too. If `symbols` is true, the result has symbol tables.
    """
    cost = lattice.cost(weights)
    for part in (cost.arc, cost.final[lattice.final]):
        if part.size and np.abs(part).max() > _LARGEST_WEIGHT:
            raise InputError("a cost is too large for OpenFst's 32-bit weights")
    side = lattice.labels.get("input")
    words = symbol_table(lattice.vocabulary)
    is_labelled = side is not None and not side.vocabulary.is_numeric and np.array_equal(side.arc, lattice.word)
    if words is None and is_labelled and lattice.word.any():
        # Give the output its own table. Otherwise, readers would use the input's table for both sides.
        words = {EPSILON: "<eps>", **{number: str(number) for number in distinct_words(lattice.word).tolist()}}
    return FstArrays(
        start=0,
        final=cost.final,
        source=lattice.source,
        target=lattice.target,
        input=lattice.word if side is None else side.arc,
        output=lattice.word,
        weight=cost.arc,
        input_symbols=symbol_table(lattice.vocabulary if side is None else side.vocabulary) if symbols else None,
        output_symbols=words if symbols else None,
    )


def lattice_from_arrays(
    cls: type[AnyLattice],
    machine: FstArrays,
    vocabulary: Vocabulary | None = None,
    column: str = "weight",
    *,
    by_spelling: bool = False,
) -> AnyLattice:
    """Build a lattice from the columns of an OpenFst machine.

    Output labels become words. If input labels differ from output labels, in their numbers or their symbol tables, the
    input labels become the lattice's labels named `input`.

    `vocabulary` replaces the machine's symbol table. But if `by_spelling` is true, the symbol table gives the spelling
    of the words, and `vocabulary` gives their numbers.
    """
    if machine.start < 0:
        raise InputError("the lattice is empty: it has no start state")
    final = np.flatnonzero(~np.isposinf(machine.final)).astype(np.int32)
    same = np.array_equal(machine.input, machine.output)
    symbols = machine.input_symbols if machine.output_symbols is None and same else machine.output_symbols
    output, words = _words(machine, symbols if by_spelling or vocabulary is None else None, vocabulary)
    labels = {}
    # If both sides have tables, equal numbers may stand for different words. A single table applies to both sides.
    tables = (machine.input_symbols, machine.output_symbols)
    if not same or (None not in tables and tables[0] is not tables[1] and tables[0] != tables[1]):
        inputs = _vocabulary(machine.input_symbols)
        labels["input"] = Labels(machine.input, np.zeros(len(final), dtype=np.int32), inputs)
    return cls.from_arcs(
        machine.source,
        machine.target,
        output,
        final=final,
        start=machine.start,
        scores=_scores(machine, final, column),
        vocabulary=words,
        labels=labels,
    )


def _scores(machine: FstArrays, final: Words, column: str) -> dict[str, Column]:
    """Return the weights of a machine as score columns.

    Pairs of costs become two columns; the second one, which only resolves ties, has weight 0. Sparse vectors become one
    column per feature and a column of default values. If there are features, and all default values are 0, the column
    of default values is left out.
    """
    weight = Column(machine.weight, machine.final[final])
    features = machine.features
    arcs, states = len(machine.weight), len(machine.final)
    if machine.second is not None:
        return {column: weight, _SECOND: Column(machine.second[:arcs], machine.second[arcs:][final], 0.0)}
    if features is None:
        return {column: weight}
    numbers, places = np.unique(features.number, return_inverse=True)
    if len(numbers) * (arcs + states) > _MOST_CELLS_A_VALUE * (len(features.value) + arcs + states):
        raise InputError(f"{len(numbers)} features of {arcs} arcs are too sparse to be kept as columns")
    cells = np.zeros((len(numbers), arcs + states))
    np.add.at(cells, (places, features.row), features.value)
    scores = {f"feature_{n}": Column(row[:arcs], row[arcs:][final]) for n, row in zip(numbers, cells, strict=True)}
    return scores if scores and not weight.arc.any() and not weight.final.any() else {column: weight, **scores}


_SECOND = "second"
"""The column of the second cost of a pair."""

FEATURE_NAMES = r"feature_[0-9]+"
"""The pattern of the names of sparse features, which a machine lacks if all their values are 0."""


# The vocabulary asked for last, and its symbols: both sides of a machine, and many machines, have the same.
_last_symbols: tuple[Vocabulary, Mapping[int, str]] = (Vocabulary.numeric(), {})


def symbol_table(vocabulary: Vocabulary) -> Mapping[int, str] | None:
    """Return the words of a vocabulary and a symbol for ε; `None` if words are numbers."""
    global _last_symbols  # noqa: PLW0603  one per process
    if vocabulary.is_numeric:
        return None
    if _last_symbols[0] is not vocabulary:
        _last_symbols = vocabulary, _symbols(vocabulary)
    return _last_symbols[1]


def _symbols(vocabulary: Vocabulary) -> dict[int, str]:
    epsilon = "<eps>"
    while epsilon in vocabulary:  # a table in OpenFst cannot hold the same symbol twice
        epsilon = f"<{epsilon}>"
    return {EPSILON: epsilon, **dict(vocabulary.items())}


# The vocabulary made last, and its table: machines with the same table share it.
_last: tuple[Mapping[int, str] | None, Vocabulary] = (None, Vocabulary.numeric())


def _vocabulary(symbols: Mapping[int, str] | None) -> Vocabulary:
    global _last  # noqa: PLW0603  one per process
    table, vocabulary = _last
    if symbols is not table:
        vocabulary = Vocabulary.numeric() if symbols is None else Vocabulary.embedded(symbols)
        _last = symbols, vocabulary
    return vocabulary


def _words(machine: FstArrays, symbols: Mapping[int, str] | None, table: Vocabulary | None) -> tuple[Words, Vocabulary]:
    """Return the output labels as word numbers, and their vocabulary.

    If both `symbols` and `table` are given, find the words of the labels in `symbols` and their numbers in `table`.
    """
    if table is None or symbols is None or table.is_numeric:
        return machine.output, _vocabulary(symbols) if table is None else table
    numbers, where = np.unique(machine.output, return_inverse=True)
    spellings = _vocabulary(symbols)
    words = [spellings.word(number) for number in numbers.tolist()]
    if missing := [word for word in words if word and word not in table]:
        raise InputError(
            f"the machine's symbol '{shortened(missing[0], 40)}' is not in the given symbol table",
            advice="give the symbol table of this graph, or give none: the machine has its own symbols",
        )
    return np.array([table.number(word) if word else EPSILON for word in words], dtype=np.int32)[where], table


def fst_from_arrays(machine: FstArrays) -> Any:
    """Build a `pynini.Fst` from columns, through OpenFst's `const` layout."""
    require_pynini()
    import pynini

    return pynini.Fst.read_from_string(fst_binary.encode(machine))


def fst_to_arrays(fst: Any) -> FstArrays:
    """Return the columns of a `pynini.Fst`, through OpenFst's `const` layout."""
    require_pynini()
    import pywrapfst

    if not isinstance(fst, pywrapfst.Fst):
        raise UsageError(f"a {type(fst).__name__} is not an FST of pynini", advice="give a pynini.Fst")
    return fst_binary.decode(pywrapfst.convert(fst, "const").write_to_string())[0]
