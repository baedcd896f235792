"""Prepare graphs for writing: check that the format can hold them, move words to nodes, split confusion networks."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import InputError, UsageError, shortened
from latticemetric.formats.marks import MARK, without_mark_labels
from latticemetric.formats.streams.once import OnceWarning
from latticemetric.formats.text.fields import number, require_field
from latticemetric.frozen import FrozenDict
from latticemetric.graph import Graph
from latticemetric.lattice.columns import Floats, States, Weights, weights_under
from latticemetric.lattice.lattice import Column, Labels, Lattice
from latticemetric.nbest import Hypothesis, NBest
from latticemetric.vocabulary import EPSILON, UNKNOWN, Vocabulary, Words, spaced_words

if TYPE_CHECKING:
    from latticemetric.forest.forest import Forest

_MAX_CELLS_PER_BYTE = 16
_NEIGHBOURS = 4  # the number of floats to try above and below a probability
_SMALLEST_NORMAL = float(np.finfo(np.float64).tiny)
_BINARY = "write openfst, which is binary"
_SUM = "add the scores up with Corpus.converted(sum_scores=True)"


def lattice_to_write(
    graph: Graph,
    format_name: str,
    labels: Collection[str] | None = (),
    *,
    one_score: bool = False,
    weights: bool = False,
    empty_words: bool = False,
) -> Lattice:
    """Return the graph as a lattice; refuse scores and labels that the format cannot hold.

    Args:
        graph: A lattice, an n-best list (its hypotheses become a lattice), or a forest that can become a lattice (see
            `Forest.to_lattice`).
        format_name: The format's name, for errors.
        labels: The labels that the format can hold; `None` for any. A format without the label of marks drops it.
        one_score: True if the format holds at most one score per arc.
        weights: True if the format can give scores a weight other than 1.
        empty_words: True if the format can hold a word without letters, which is not ε. Others refuse it.
    """
    lattice = to_lattice(graph)
    empty = UNKNOWN if empty_words else lattice.vocabulary.number("")
    if empty != UNKNOWN and (lattice.word == empty).any():
        raise InputError(f"the word '' is empty, and {format_name} would turn it into no word", advice=_BINARY)
    if MARK not in (labels or ()):
        lattice = without_mark_labels(lattice)
    if one_score and len(lattice.scores) > 1:
        raise UsageError(
            f"{format_name} holds one score per arc, but this graph has {', '.join(lattice.scores)}",
            advice="add them up with Corpus.converted(sum_scores=True)",
        )
    if not weights:
        require_unscaled(lattice, format_name)
    if labels is not None:
        require_labels(lattice, format_name, labels)
    return lattice


_OF_RANK = OnceWarning()


def to_lattice(graph: Graph) -> Lattice:
    """Return the graph as a lattice with all scores; warn if hypotheses of an n-best list lose their order."""
    if lost := getattr(graph, "node_labels", None):
        raise UsageError(
            f"a lattice cannot hold the labels of the forest's nodes ({', '.join(lost)})",
            advice="leave them out with Corpus.converted(drop_labels=True)",
        )
    warn_of_rank(graph)
    return graph if isinstance(graph, Lattice) else graph.to_lattice()


def warn_of_rank(graph: Graph, weights: Weights | None = None) -> None:
    """Warn once if hypotheses of an n-best list would lose their order in a lattice."""
    if _OF_RANK:
        return
    ranked = _ranked_strings(graph, weights)
    if any(cost == next_cost and words != next_ for (cost, words), (next_cost, next_) in pairwise(ranked)):
        what = "a lattice cannot keep the order (rank) of their hypotheses"
        _OF_RANK.write("lists without scores, or with equal ones", what)


def _ranked_strings(graph: Graph, weights: Weights | None) -> list[tuple[float, Sequence[str]]]:
    """Return the cost and the words of each hypothesis, by ascending cost; nothing for graphs without ranks."""
    if isinstance(graph, NBest):
        costs = zip(graph.costs(weights), (hypothesis.words for hypothesis in graph), strict=True)
        return sorted(costs, key=lambda pair: pair[0])
    if isinstance(graph, Lattice) and graph.ranked:
        cost = graph.cost(weights)
        return [(graph.cost_of(path, cost), graph.words(path)) for path in graph.ranked_paths(cost)]
    return []


def require_unscaled(graph: Lattice | Forest, format_name: str) -> None:
    """Raise an error if a score column has a weight other than 1."""
    if weighted := [name for name, column in graph.scores.items() if column.weight != 1]:
        raise UsageError(
            f"{format_name} can store only scores of weight 1, not the weight of {', '.join(weighted)}",
            advice="add the scores up with Corpus.converted(sum_scores=True)",
        )


def require_labels(graph: Lattice | Forest, format_name: str, known: Collection[str]) -> None:
    """Raise an error if the graph has a label that is not in `known`, the labels that the format can hold."""
    if lost := set(graph.labels) - set(known):
        raise UsageError(
            f"{format_name} cannot store the labels {', '.join(sorted(lost))}",
            advice="leave them out with Corpus.converted(drop_labels=True)",
        )


def refuse_final_labels(lattice: Lattice, format_name: str) -> None:
    """Raise an error if final states have labels."""
    if any(side.final.any() for side in lattice.labels.values()):
        raise UsageError(
            f"{format_name} cannot store labels of final states",
            advice="leave them out with Corpus.converted(drop_labels=True)",
        )


def require_dense(columns: int, rows: int, size: int) -> None:
    """Raise an error if features are too sparse for a table.

    The table would have `columns` × `rows` cells, far more than the `size` bytes of the text that lists the features.
    """
    if columns * rows > _MAX_CELLS_PER_BYTE * size + 1000:
        raise InputError(
            f"{columns} features of {rows} arcs are too sparse to be kept as columns",
            advice="leave out the features that few arcs have",
        )


def only_column(lattice: Lattice) -> Column:
    """Return the only score column of a lattice, or a column of zeros if the lattice has none."""
    return next(iter(lattice.scores.values()), None) or zero_column(lattice)


def zero_column(lattice: Lattice) -> Column:
    """Return a column of zeros."""
    return Column(np.zeros(len(lattice.word)), np.zeros(len(lattice.final)))


def ends_in_last_state(lattice: Lattice) -> bool:
    """Check whether the last state is the only final state, and has no final costs or labels."""
    sides: list[Column | Labels] = [*lattice.scores.values(), *lattice.labels.values()]
    return lattice.final.tolist() == [lattice.num_states - 1] and not any(side.final.any() for side in sides)


class ClosedArcs(NamedTuple):
    """The arcs of a lattice, for formats whose final states have no costs and labels."""

    states: int
    source: States
    target: States
    word: Words
    costs: dict[str, Floats]
    labels: dict[str, tuple[Words, Vocabulary]]  # the number of each arc's text, and the texts


class ListedArcs(NamedTuple):
    """The arcs of a lattice as lists, for formats whose final states have no costs and labels."""

    states: int
    source: list[int]
    target: list[int]
    word: list[int]
    costs: dict[str, list[float]]
    labels: dict[str, list[str]]


def closed_arcs(lattice: Lattice, *, new_end: bool) -> ClosedArcs:
    """Return the arcs of a lattice.

    If `new_end` is true, add a new final state, and an ε-arc from each old final state to the new one. These ε-arcs get
    the final costs and labels of the old states.
    """
    if not new_end:
        return ClosedArcs(
            lattice.num_states,
            lattice.source,
            lattice.target,
            lattice.word,
            {name: column.arc for name, column in lattice.scores.items()},
            {name: (side.arc, side.vocabulary) for name, side in lattice.labels.items()},
        )
    ends = lattice.final

    def filled(arcs: Words, value: int) -> Words:
        return np.append(arcs, np.full(len(ends), value, dtype=np.int32))

    def values(side: Column | Labels) -> npt.NDArray[Any]:
        return np.concatenate([side.arc, side.final])

    return ClosedArcs(
        lattice.num_states + 1,
        np.append(lattice.source, ends),
        filled(lattice.target, lattice.num_states),
        filled(lattice.word, EPSILON),
        {name: values(column) for name, column in lattice.scores.items()},
        {name: (values(side), side.vocabulary) for name, side in lattice.labels.items()},
    )


def listed_arcs(lattice: Lattice, *, new_end: bool) -> ListedArcs:
    """Return the same arcs as `closed_arcs`, as lists."""
    arcs = closed_arcs(lattice, new_end=new_end)
    return ListedArcs(
        arcs.states,
        arcs.source.tolist(),
        arcs.target.tolist(),
        arcs.word.tolist(),
        {name: costs.tolist() for name, costs in arcs.costs.items()},
        {name: vocabulary.words(numbers) for name, (numbers, vocabulary) in arcs.labels.items()},
    )


def without_labels(graph: Graph) -> Graph:
    """Return the graph without labels."""
    if isinstance(graph, NBest):
        return graph
    nothing: FrozenDict[str, Any] = FrozenDict()
    if isinstance(graph, Lattice):
        return replace(graph, labels=nothing)
    return replace(graph, labels=nothing, node_labels=nothing)


def without_scores(graph: Graph) -> Graph:
    """Remove the scores of a graph; first sort the hypotheses of an n-best list by cost."""
    if isinstance(graph, NBest):
        return NBest(tuple(Hypothesis(h.words, {}) for h in graph.ranking()), {})
    return replace(graph, scores=FrozenDict())


def summed(graph: Graph, weights: Weights | None = None, name: str = "cost") -> Graph:
    """Replace the scores of a graph by their weighted sum, with the name `name`.

    `weights` maps names of scores to weights, which replace the graph's own weights.
    """
    if isinstance(graph, NBest):
        by_name = weights_under({score: graph.weights.get(score, 1.0) for score in graph.score_names()}, weights)
        costs = [math.fsum(by_name[score] * cost for score, cost in h.scores.items()) for h in graph.hypotheses]
        return NBest(
            tuple(Hypothesis(h.words, {name: cost}) for h, cost in zip(graph.hypotheses, costs, strict=True)), {}
        )
    cost = graph.cost(weights)
    ends = graph.final if isinstance(graph, Lattice) else graph.goals
    final = cost.final[ends]
    for values in (cost.arc, final):
        values.flags.writeable = False
    return replace(graph, scores=FrozenDict({name: Column(cost.arc, final)}))


# ---- Confusion networks: columns of words with probabilities ----


def columns_to_write(lattice: Lattice, format_name: str) -> list[list[int]]:
    """Return the numbers of the arcs in each column; refuse a graph that is not a confusion network."""
    last = lattice.num_states - 1
    skipping = np.flatnonzero(lattice.target != lattice.source + 1)
    what = ""
    if lattice.final.tolist() != [last]:
        what = f"several final states, such as state {lattice.final[0]}"
    elif skipping.size:
        row = int(skipping[0])
        what = f"an arc from state {lattice.source[row]} to state {lattice.target[row]}"
    elif any(column.final.any() for column in lattice.scores.values()):
        what = "a cost on its final state"
    elif any(labels.final.any() for labels in lattice.labels.values()):
        what = "a label on its final state"
    if what:
        raise UsageError(
            f"{format_name} holds confusion networks (every arc leads to the next state), but this graph has {what}",
            advice="write another format",
        )
    begin = np.searchsorted(lattice.source, np.arange(last + 1)).tolist()
    return [list(range(begin[k], begin[k + 1])) for k in range(last)]


def cost_of(probability: float) -> float:
    """Return the cost, −ln p, of a probability p > 0."""
    return 0.0 - math.log(probability)


def probability_to_write(cost: float) -> str:
    """Return the probability of a cost as text.

    Readers convert this text to exactly the same cost. If no such number is found, the text is exp(−cost).
    """
    try:
        nearest = math.exp(-cost)
    except OverflowError:
        nearest = math.inf
    if not _SMALLEST_NORMAL <= nearest < math.inf:
        raise InputError(
            f"the probability of cost {cost!r} is too small or too large to be written", advice="write another format"
        )
    return repr(next((p for p in _near(nearest) if cost_of(p) == cost), nearest))


def _near(probability: float) -> Iterator[float]:
    """Yield numbers near a probability. Several may have the same cost: the one with the fewest digits comes first."""
    yield float(f"{probability:.15g}")
    yield probability
    above = below = probability
    for _ in range(_NEIGHBOURS):
        above, below = math.nextafter(above, math.inf), math.nextafter(below, 0.0)
        yield above
        yield below


# ---- Words on nodes ----


class WordNodes(NamedTuple):
    """Nodes with words. The first nodes are those of the states, in order; additional nodes follow."""

    word: Words  # for each node, its word; 0 for none
    state: States  # for each node, its state
    of_arc: States  # for each arc, the node that has its word

    def joints(self, states: int) -> tuple[States, States]:
        """Return the additional nodes, and the states to which the writer links them."""
        return np.arange(states, len(self.state), dtype=np.int32), self.state[states:]


def word_nodes(states: int, near: States, far: States, word: Words, bare: Collection[int] = ()) -> WordNodes:
    """Assign the word of each arc to a node of its near state.

    Each state has its own node. This node gets a word under three conditions: all arcs of the state have this word, no
    two of these arcs join the same states, and the state is not in `bare`. Otherwise, the node gets no word. All other
    words get new nodes; the caller links each new node to the node of its state. If several arcs join the same states
    with the same word, each arc gets a different node, since readers of these formats keep only one arc between two
    nodes.

    Args:
        states: The number of states.
        near: For each arc, the state whose node gets the word: its source or its target.
        far: For each arc, its other state.
        word: For each arc, its word; 0 means none.
        bare: States whose own nodes get no word.
    """
    is_bare = np.zeros(states, dtype=np.uint8)
    is_bare[list(bare)] = True
    near, far, word = (np.ascontiguousarray(column, dtype=np.int32) for column in (near, far, word))
    return WordNodes(*_native.word_nodes(states, near, far, word, is_bare))


# ---- N-best lists ----


def read_cost(text: str, place: str) -> float:
    """Read a natural log probability; return its negated value, the cost."""
    return 0.0 - number(text, place)


def require_nbest(graph: Graph, format_name: str) -> NBest:
    """Return the graph if it is an n-best list; refuse lattices and forests."""
    if not isinstance(graph, NBest):
        kind, other = ("a lattice", "htk-slf") if isinstance(graph, Lattice) else ("a forest", "moses-hypergraph")
        raise UsageError(
            f"{format_name} holds n-best lists, but this is {kind}",
            advice=f"write a format that holds it, e.g. {other}",
        )
    return graph


def require_words(nbest: NBest, name: str = "") -> None:
    """Raise an error if a word or the id (`name`) of a list would be read back as several words or as no word."""
    words = set().union(*(h.words for h in nbest.hypotheses))
    for text in spaced_words(words) or {""} & words:
        require_field(text, "the word")
    if name:
        require_field(name, "the id")


def require_weights(nbest: NBest, format_name: str, expected: dict[str, float]) -> None:
    """Raise an error if readers would change the weight of a score.

    Readers give a score its weight in `expected`, or weight 0 if `expected` does not have the score.
    """
    if changed := [name for name in nbest.score_names() if nbest.weights.get(name, 1.0) != expected.get(name, 0.0)]:
        raise UsageError(
            f"{format_name} would change the weight of {shortened(', '.join(changed), 200)}",
            advice=_advice(nbest, f"{_SUM}, or write jsonl-nbest"),
        )


def _advice(nbest: NBest, json_lines: str) -> str:
    """Return the advice `json_lines` if all weights are 0 or 1; jsonl-nbest stores no others."""
    return json_lines if all(nbest.weights.get(name, 1.0) in {0, 1} for name in nbest.score_names()) else _SUM


def require_all_have(nbest: NBest, total: str) -> None:
    """Raise an error if only some hypotheses have the score `total`."""
    if any(total not in h.scores for h in nbest.hypotheses):
        raise UsageError(
            f"some hypotheses have a score '{shortened(total)}', but others have none",
            advice=_SUM,
        )


def single_costs(graph: NBest, format_name: str) -> list[float]:
    """Return the cost of each hypothesis, or 0 if it has no score; refuse several scores and weights other than 1."""
    names = graph.score_names()
    if len(names) > 1:
        raise UsageError(
            f"{format_name} holds one score per hypothesis, but this list has {shortened(', '.join(names), 200)}",
            advice=_advice(graph, "write jsonl-nbest, which holds them all"),
        )
    if any(graph.weights.get(name, 1.0) != 1 for name in names):
        raise UsageError(
            f"{format_name} cannot store the weight of {shortened(names[0])}, which is not 1",
            advice=_advice(graph, "write jsonl-nbest, which can"),
        )
    return [next(iter(h.scores.values()), 0.0) for h in graph.hypotheses]
