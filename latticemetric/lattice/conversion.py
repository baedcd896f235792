"""Build lattices from strings with costs, with or without merged states; convert lattices to and from NetworkX."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from latticemetric import _native
from latticemetric.arguments import is_finite, real_number, require_items
from latticemetric.errors import InputError, UsageError, shortened
from latticemetric.lattice.columns import Column, Floats
from latticemetric.vocabulary import EPSILON, Vocabulary, listed_words

if TYPE_CHECKING:
    from latticemetric.lattice.arrays import LatticeArrays

AnyLattice = TypeVar("AnyLattice", bound="LatticeArrays")
_Edge = tuple[Any, Any, Any, dict[str, Any]]  # source, target, key and attributes


def costs_of(given: Iterable[float] | None, log_probs: Iterable[float] | None) -> list[float] | None:
    """Return the given costs, or the negated `log_probs`, or `None` if neither is given.

    Raise an error if both are given; warn if the costs look like log probabilities.
    """
    if log_probs is not None:
        if given is not None:
            raise UsageError("both costs and log_probs are given", advice="give only one")
        return [0.0 - log_prob for log_prob in listed_numbers(log_probs, "log_probs")]
    costs = None if given is None else listed_numbers(given, "costs")
    if costs is not None and len(set(costs)) > 1 and max(costs) <= 0:
        warnings.warn(
            "no cost is positive, and the smallest cost is the best. If these are log probabilities, pass them as "
            "log_probs=",
            stacklevel=4,  # says_new_keywords calls the functions that call this one
        )
    return costs


def listed_numbers(values: Iterable[float], name: str) -> list[float]:
    """Return numbers, such as an array, a tensor or a series, as a list in their order, whatever their index.

    Raises:
        UsageError: They are not a list of numbers. `name` is the argument's name.
    """
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__iter__"):
        raise UsageError(f"{name} is a {type(values).__name__}", advice="give a list with one number per string")
    listed = values.tolist() if hasattr(values, "tolist") else list(values)
    try:
        return list(map(_number, listed))
    except (TypeError, ValueError, OverflowError):
        advice = "give a flat list with one number per string"
        raise UsageError(f"{name} holds a value that is not a number", advice=advice) from None


def _number(value: Any) -> float:
    if isinstance(value, str | bytes):  # `float` would read a number in it
        raise TypeError
    return float(value)


def lattice_of_strings(
    cls: type[AnyLattice], strings: Iterable[str | Sequence[str]], costs: list[float] | None, column: str
) -> AnyLattice:
    """Build a lattice with one path per string, from start state 0 to end state 1; see `Lattice.from_strings`."""
    if isinstance(strings, str):
        raise UsageError("a single string is given, but a list of strings is needed", advice="put it into a list")
    require_items(strings, "strings")
    split = [listed_words(string, f"string {number}") for number, string in enumerate(strings, 1)]
    if costs is not None and len(costs) != len(split):
        raise UsageError(f"there are {len(split)} strings, but {len(costs)} costs or log_probs")
    vocabulary = Vocabulary.from_words(w for words in split for w in words)
    source, target, word, cost = [], [], [], []
    state = 1
    for number, words in enumerate(split):
        here = 0
        for position, symbol in enumerate(words or ("",)):
            last = position + 1 >= len(words)
            state += not last
            source.append(here)
            here = 1 if last else state
            target.append(here)
            word.append(vocabulary.number(symbol) if symbol else EPSILON)
            cost.append(costs[number] if costs is not None and position == 0 else 0.0)
    scores = {} if costs is None else {column: Column(np.array(cost, dtype=np.float64), np.zeros(1))}
    lattice = cls.from_arcs(source, target, word, final=[1], scores=scores, vocabulary=vocabulary)
    return replace(lattice, ranked=costs is None)


def minimal_lattice(
    cls: type[AnyLattice], strings: Sequence[Sequence[str]], cost: Floats, *, merge: str, posterior_scale: float
) -> AnyLattice:
    """Return the smallest lattice with one path per distinct string; see `NBest.determinized`.

    Build a trie of the strings, push its costs towards the root, and merge states with the same continuations. `merge`
    (`sum` or `best`) decides on the cost of equal strings; `posterior_scale` multiplies costs before probabilities are
    summed.
    """
    if merge not in {"sum", "best"}:
        raise UsageError(f"equal strings cannot be merged by '{merge}'", advice="choose 'sum' or 'best'")
    if merge == "sum":
        message = f"the posterior scale is {posterior_scale!r}, but must be above 0 to sum probabilities"
        advice = "give a scale above 0, or merge by 'best', which ignores the scale"
        posterior_scale = real_number(posterior_scale, message, advice, least=math.ulp(0))
    vocabulary = Vocabulary.from_words(word for words in strings for word in words)
    begin = np.cumsum([0, *map(len, strings)], dtype=np.int64)
    parent, word, end = _native.string_trie(begin, vocabulary.encode([word for words in strings for word in words]))
    # The cost of ending in each node: the least, or −ln of the summed probabilities; infinite elsewhere.
    ending = np.full(len(parent), np.inf)
    np.minimum.at(ending, end, cost)
    if merge == "sum":  # each probability is relative to the best one, so that large costs do not overflow
        mass = np.zeros(len(parent))
        with np.errstate(divide="ignore", under="ignore"):
            np.add.at(mass, end, np.exp(-posterior_scale * (cost - ending[end])))
            ending = np.where(mass > 0, ending - np.log(mass) / posterior_scale, np.inf)
    source, target, label, arc_cost, final, final_cost, start = _native.minimize_trie(parent, word, ending)
    return cls.from_arcs(
        source,
        target,
        label,
        final=final,
        start=start,
        scores={"cost": Column(arc_cost, final_cost)},
        vocabulary=vocabulary,
    )


# ---- NetworkX graphs ----


def lattice_to_networkx(lattice: LatticeArrays) -> Any:
    """Return the lattice as a NetworkX graph; see `Lattice.to_networkx`."""
    import networkx as nx

    graph = nx.MultiDiGraph(start=0, weights={name: column.weight for name, column in lattice.scores.items()})
    for state in range(lattice.num_states):
        graph.add_node(state, **({} if lattice.times is None else {"time": float(lattice.times[state])}))
    for row, state in enumerate(lattice.final.tolist()):
        graph.nodes[state]["final"] = {name: float(c.final[row]) for name, c in lattice.scores.items()}
    for arc, (here, there) in enumerate(zip(lattice.source.tolist(), lattice.target.tolist(), strict=True)):
        scores = {name: float(column.arc[arc]) for name, column in lattice.scores.items()}
        graph.add_edge(here, there, key=arc, word=lattice.vocabulary.word(int(lattice.word[arc])), scores=scores)
    return graph


def lattice_from_networkx(cls: type[AnyLattice], graph: Any) -> AnyLattice:
    """Build a lattice from a NetworkX graph; see `Lattice.from_networkx`.

    The graph needs an attribute `start`. Nodes with an attribute `final` are final; this attribute maps names of score
    columns to costs, and may be empty. Edges may have a `word` (none for ε) and the attribute `scores`, a mapping like
    `final`. Nodes may have a `time`: all of them, or none. Nodes may be any hashable objects.
    """
    if not hasattr(graph, "is_directed"):
        raise InputError(f"{type(graph).__name__} is not a NetworkX graph")
    if "start" not in graph.graph:
        raise InputError("the graph has no start", advice="set graph.graph['start'] to a node")
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
            raise InputError(
                f"'final' of node {node!r} is not a mapping of scores", advice="without scores, set it to {}"
            )
    words = list(map(_word, edges))
    vocabulary = Vocabulary.from_words(filter(None, words))
    return cls.from_arcs(
        [number[u] for u, *_ in edges],
        [number[v] for _, v, *_ in edges],
        [vocabulary.number(word) if word else EPSILON for word in words],
        final=[number[node] for node in finals],
        start=number[graph.graph["start"]],
        scores=_columns(graph, edges, finals),
        vocabulary=vocabulary,
        times=_times(graph),
    )


def _times(graph: Any) -> list[float] | None:
    """Return the times of nodes; `None` if no node has one. Raise `InputError` if only some have one."""
    times = [data.get("time") for _, data in graph.nodes(data=True)]
    if all(time is None for time in times):
        return None
    for node, time in zip(graph.nodes, times, strict=True):
        if time is None:
            what = f"node {shown(node)} has no 'time', but other nodes have"
            raise InputError(what, advice="give a time to each node, or to none")
        if not _is_finite(time):
            raise InputError(f"'time' is {shown(time)}, not a finite number", where=f"node {shown(node)}")
    return times


def _columns(graph: Any, edges: Sequence[_Edge], finals: Sequence[object]) -> dict[str, Column]:
    """Return the scores of edges and final nodes as columns."""
    arcs = [named_numbers(edge[3].get("scores", {}), "scores", _at(edge)) for edge in edges]
    ends = [named_numbers(graph.nodes[node]["final"], "final", f"node {shown(node)}") for node in finals]
    weights = named_numbers(graph.graph.get("weights", {}), "weights", "the graph")
    names = dict.fromkeys(name for row in (*arcs, *ends) for name in row)

    def values(rows: list[dict[str, float]], name: str) -> Floats:
        return np.array([row.get(name, 0.0) for row in rows], dtype=np.float64)

    return {name: Column(values(arcs, name), values(ends, name), weights.get(name, 1.0)) for name in names}


def _word(edge: _Edge) -> str:
    """Return the word of an edge; an empty string for ε."""
    word = edge[3].get("word", "")
    if word is None or isinstance(word, str):
        return word or ""
    raise InputError(f"'word' is {shown(word)}, not a text", where=_at(edge), advice="give the word as a string")


def _at(edge: _Edge) -> str:
    return f"edge from {shown(edge[0])} to {shown(edge[1])}"


# ---- Attributes of NetworkX graphs, which forests also have ----


def named_values(value: object, what: str, where: str) -> list[tuple[str, Any]]:
    """Return the items of an attribute that is a mapping from names to values.

    Raises:
        InputError: It is something else. `what` is the attribute's name, and `where` its place, for the message.
    """
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise InputError(
            f"'{what}' is {shown(value)}", where=where, advice="give a mapping from names to values, {} for none"
        )
    return list(value.items())


def named_numbers(value: object, what: str, where: str) -> dict[str, float]:
    """Return the items of an attribute that is a mapping from names to finite numbers; see `named_values`."""
    for name, number in named_values(value, what, where):
        if not _is_finite(number):
            raise InputError(f"'{name}' of '{what}' is {shown(number)}, not a finite number", where=where)
    return {name: float(number) for name, number in named_values(value, what, where)}


def _is_finite(number: object) -> bool:
    return not isinstance(number, bool) and isinstance(number, Real) and is_finite(number)


def shown(part: object) -> str:
    """Return a part of a graph as it appears in a message."""
    return shortened(repr(part), 40)
