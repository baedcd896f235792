"""Lattices to and from OpenFst (as binary layouts, no loop over arcs) and NetworkX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from latticemetric import fst_layout
from latticemetric.errors import InputError, require_pynini, shortened
from latticemetric.fst_layout import FstArrays
from latticemetric.lattice import Column, Labels, Lattice, Scales
from latticemetric.vocabulary import EPSILON, Vocabulary, Words

_MOST_CELLS_A_VALUE = 128
_LARGEST_WEIGHT = float(np.finfo(np.float32).max)


def lattice_to_arrays(lattice: Lattice, scales: Scales | None = None, *, symbols: bool = True) -> FstArrays:
    """A lattice as an OpenFst acceptor's columns; an `input` label column becomes the input side."""
    cost = lattice.cost(scales)
    for weights in (cost.arc, cost.final[lattice.final]):
        if weights.size and np.abs(weights).max() > _LARGEST_WEIGHT:
            raise InputError("a cost is too large for OpenFst's 32-bit weights")
    side = lattice.labels.get("input")
    return FstArrays(
        start=0,
        final=cost.final,
        source=lattice.source,
        target=lattice.target,
        input=lattice.word if side is None else side.arc,
        output=lattice.word,
        weight=cost.arc,
        input_symbols=_symbols(lattice.vocabulary if side is None else side.vocabulary) if symbols else None,
        output_symbols=_symbols(lattice.vocabulary) if symbols else None,
    )


def lattice_from_arrays(
    machine: FstArrays, vocabulary: Vocabulary | None = None, column: str = "weight", *, by_spelling: bool = False
) -> Lattice:
    """A lattice from an OpenFst machine's columns: words are its output side, a differing input side a label.

    Args:
        machine: The columns.
        vocabulary: Spells word numbers instead of the machine's own symbols.
        column: What weights are called.
        by_spelling: Whether words keep the spelling that the machine's own symbols give them, and only get the
            numbers of the vocabulary.
    """
    if machine.start < 0:
        raise InputError("the lattice is empty: it has no start state")
    final = np.flatnonzero(~np.isposinf(machine.final)).astype(np.int32)
    same = np.array_equal(machine.input, machine.output)
    symbols = machine.input_symbols if machine.output_symbols is None and same else machine.output_symbols
    output, words = _words(machine, symbols if by_spelling or vocabulary is None else None, vocabulary)
    labels = {}
    # With tables on both sides, equal numbers may still be different words; with one table, it spells both sides.
    tables = (machine.input_symbols, machine.output_symbols)
    if not same or (None not in tables and tables[0] != tables[1]):
        inputs = _vocabulary(machine.input_symbols)
        labels["input"] = Labels(machine.input, np.zeros(len(final), dtype=np.int32), inputs)
    return Lattice.from_arcs(
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
    """The weights; where they are vectors, a column a feature, and their default values if they cost anything."""
    weight = Column(machine.weight, machine.final[final])
    features = machine.features
    if features is None:
        return {column: weight}
    arcs, states = len(machine.weight), len(machine.final)
    numbers, places = np.unique(features.number, return_inverse=True)
    if len(numbers) * (arcs + states) > _MOST_CELLS_A_VALUE * (len(features.value) + arcs + states):
        raise InputError(f"{len(numbers)} features of {arcs} arcs are too sparse to be kept as columns")
    cells = np.zeros((len(numbers), arcs + states))
    np.add.at(cells, (places, features.row), features.value)
    scores = {f"feature_{n}": Column(row[:arcs], row[arcs:][final]) for n, row in zip(numbers, cells, strict=True)}
    return scores if scores and not weight.arc.any() and not weight.final.any() else {column: weight, **scores}


def _symbols(vocabulary: Vocabulary) -> dict[int, str] | None:
    if vocabulary.is_numeric:
        return None
    return {EPSILON: "<eps>", **dict(vocabulary.items())}


def _vocabulary(symbols: dict[int, str] | None) -> Vocabulary:
    return Vocabulary.numeric() if symbols is None else Vocabulary.embedded(symbols)


def _words(machine: FstArrays, symbols: dict[int, str] | None, table: Vocabulary | None) -> tuple[Words, Vocabulary]:
    """The output side in the numbers of the table, if one is given: words stay what the machine spells."""
    if table is None or symbols is None or table.is_numeric:
        return machine.output, _vocabulary(symbols) if table is None else table
    numbers, where = np.unique(machine.output, return_inverse=True)
    spellings = _vocabulary(symbols)
    translated = [_number(spellings.word(number), table) for number in numbers.tolist()]
    return np.array(translated, dtype=np.int32)[where], table


def _number(word: str, table: Vocabulary) -> int:
    if word == "":
        return EPSILON
    if word not in table:
        raise InputError(
            f"'{shortened(word, 40)}' of the machine's own symbols is not in the symbol table",
            advice="give the table of this graph, or leave it out: the machine spells its words",
        )
    return table.number(word)


def lattice_to_fst(lattice: Lattice, scales: Scales | None, *, symbols: bool) -> Any:
    """See `Lattice.to_fst`."""
    return fst_from_arrays(lattice_to_arrays(lattice, scales, symbols=symbols))


def lattice_from_fst(fst: Any, vocabulary: Vocabulary | None, column: str) -> Lattice:
    """See `Lattice.from_fst`."""
    return lattice_from_arrays(fst_to_arrays(fst), vocabulary, column)


def fst_from_arrays(machine: FstArrays) -> Any:
    """A `pynini.Fst` from columns, by way of OpenFst's `const` layout."""
    require_pynini()
    import pynini

    return pynini.Fst.read_from_string(fst_layout.encode(machine))


def fst_to_arrays(fst: Any) -> FstArrays:
    """The columns of a `pynini.Fst`, by way of OpenFst's `const` layout."""
    require_pynini()
    import pywrapfst

    return fst_layout.decode(pywrapfst.convert(fst, "const").write_to_string())[0]


def lattice_to_networkx(lattice: Lattice) -> Any:
    """See `Lattice.to_networkx`."""
    import networkx as nx

    graph = nx.MultiDiGraph(start=0, scales={name: column.scale for name, column in lattice.scores.items()})
    for state in range(lattice.num_states):
        graph.add_node(state, **({} if lattice.times is None else {"time": float(lattice.times[state])}))
    for row, state in enumerate(lattice.final.tolist()):
        graph.nodes[state]["final"] = {name: float(c.final[row]) for name, c in lattice.scores.items()}
    for arc, (here, there) in enumerate(zip(lattice.source.tolist(), lattice.target.tolist(), strict=True)):
        scores = {name: float(column.arc[arc]) for name, column in lattice.scores.items()}
        graph.add_edge(here, there, key=arc, word=lattice.vocabulary.word(int(lattice.word[arc])), scores=scores)
    return graph


def lattice_from_networkx(graph: Any) -> Lattice:
    """See `Lattice.from_networkx`.

    The graph has an attribute `start`; a final node has a mapping `final` of scores (perhaps empty); an edge has a
    `word` (empty for ε) and a mapping `scores`; a node may have a `time`. Nodes may be anything hashable.
    """
    if not hasattr(graph, "is_directed"):
        raise InputError(f"{type(graph).__name__} is no NetworkX graph")
    if "start" not in graph.graph:
        raise InputError("the graph does not say where it starts", advice="set graph.graph['start'] to a node")
    if not graph.is_directed():
        raise InputError("the graph is undirected", advice="a lattice is a directed graph")
    number = {node: k for k, node in enumerate(graph.nodes)}
    if graph.graph["start"] not in number:
        raise InputError(f"the start, {graph.graph['start']!r}, is not a node of the graph")
    edges = (
        list(graph.edges(keys=True, data=True))
        if graph.is_multigraph()
        else [(u, v, k, data) for k, (u, v, data) in enumerate(graph.edges(data=True))]
    )
    if all(isinstance(key, int) for _, _, key, _ in edges):
        edges.sort(key=lambda edge: (number[edge[0]], edge[2]))
    finals = [node for node in graph.nodes if "final" in graph.nodes[node]]
    for node in finals:
        if not isinstance(graph.nodes[node]["final"], Mapping):
            raise InputError(f"'final' of node {node!r} is no mapping of scores", advice="set it to {} for none")
    names = dict.fromkeys(name for *_, data in edges for name in data.get("scores", {}))
    names |= dict.fromkeys(name for node in finals for name in graph.nodes[node]["final"])
    scales = graph.graph.get("scales", {})
    vocabulary = Vocabulary.from_words(word for *_, data in edges if (word := data.get("word", "")))
    times = [graph.nodes[node].get("time") for node in graph.nodes]
    return Lattice.from_arcs(
        [number[u] for u, *_ in edges],
        [number[v] for _, v, *_ in edges],
        [vocabulary.number(word) if (word := data.get("word", "")) else EPSILON for *_, data in edges],
        final=[number[node] for node in finals],
        start=number[graph.graph["start"]],
        scores={
            name: Column(
                np.array([data.get("scores", {}).get(name, 0.0) for *_, data in edges], dtype=np.float64),
                np.array([graph.nodes[node]["final"].get(name, 0.0) for node in finals], dtype=np.float64),
                scales.get(name, 1.0),
            )
            for name in names
        },
        vocabulary=vocabulary,
        times=None if not times or any(t is None for t in times) else times,
    )
