"""Convert forests to and from lattices and NetworkX graphs; build forests from NLTK grammars.

A forest can become a lattice under two conditions. Each edge has at most one tail; and tails come first in all target
sides, or last in all target sides. If tails come first, the paths of the lattice end at the forest's goals. If tails
come last, the paths start at the goals.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from latticemetric.errors import InputError, UsageError, shortened
from latticemetric.forest.columns import CATEGORY, NodeLabels, Ragged, numbered
from latticemetric.forest.validation import find_fault
from latticemetric.lattice.columns import Column, Labels
from latticemetric.lattice.conversion import named_numbers, named_values, shown
from latticemetric.lattice.lattice import Lattice
from latticemetric.vocabulary import EPSILON, Vocabulary

if TYPE_CHECKING:
    from latticemetric.forest.arrays import ForestArrays

AnyForest = TypeVar("AnyForest", bound="ForestArrays")


def forest_from_lattice(cls: type[AnyForest], lattice: Lattice) -> AnyForest:
    """Build a forest with a node per state, an edge per arc, and an edge without tails and words for the start."""
    arcs = len(lattice.word)
    tails = Ragged(np.concatenate([[0, 0], np.arange(1, arcs + 1)]).astype(np.int64), lattice.source)
    target = np.stack([np.full(arcs, -1, dtype=np.int32), lattice.word], axis=1).ravel()
    begin = np.concatenate([[0, 0], 2 * np.arange(1, arcs + 1)]).astype(np.int64)
    return cls.from_edges(
        np.concatenate([[0], lattice.target]),
        tails,
        Ragged(begin, target),
        goals=lattice.final,
        scores={n: Column(np.concatenate([[0.0], c.arc]), c.final, c.weight) for n, c in lattice.scores.items()},
        vocabulary=lattice.vocabulary,
        labels={
            n: Labels(np.concatenate([[0], x.arc]).astype(np.int32), x.final, x.vocabulary)
            for n, x in lattice.labels.items()
        },
    )


class _ArcBuilder:
    """The arcs of a lattice that is built from a forest.

    An arc gets its scores from its `owner`, an edge or goal of the forest. Owners are numbers: edges come first,
    then goals. The next number means that an arc has no owner.
    """

    def __init__(self, forest: ForestArrays) -> None:
        self.source: list[int] = []
        self.target: list[int] = []
        self.word: list[int] = []
        self.owner: list[int] = []
        self._nobody = len(forest.head) + len(forest.goals)
        self._next = forest.num_nodes + 2

    def add(self, source: int, target: int, words: list[int], owner: int) -> None:
        """Add a chain of arcs for these words; its first arc gets the scores of `owner`, an edge or goal."""
        chain = [source, *range(self._next, self._next + len(words) - 1), target]
        self._next += len(chain) - 2
        self.source += chain[:-1]
        self.target += chain[1:]
        self.word += words or [EPSILON]
        self.owner += [owner, *[self._nobody] * (len(chain) - 2)]

    def values(self, arc: npt.NDArray[Any], final: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return a value for each arc: the value of its owner, or 0 without an owner.

        `arc` has the values of the forest's edges, and `final` has the values of its goals.
        """
        nothing = np.zeros(1, dtype=arc.dtype)
        return np.concatenate([arc, final, nothing])[np.array(self.owner, dtype=np.int64)]


def lattice_from_forest(forest: ForestArrays) -> Lattice:
    """Build a lattice with one state per node, and arcs for the words of each edge; see `Forest.to_lattice`."""
    arcs = _ArcBuilder(forest)
    start, final = (_add_forwards if _tails_are_first(forest) else _add_backwards)(forest, arcs)
    ends_are_goals = len(final) == len(forest.goals) and final == forest.goals.tolist()

    def ends(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return column if ends_are_goals else np.zeros(1, dtype=column.dtype)

    return Lattice.from_arcs(
        arcs.source,
        arcs.target,
        arcs.word,
        start=start,
        final=final,
        scores={n: Column(arcs.values(c.arc, c.final), ends(c.final), c.weight) for n, c in forest.scores.items()},
        vocabulary=forest.vocabulary,
        labels={n: Labels(arcs.values(x.arc, x.final), ends(x.final), x.vocabulary) for n, x in forest.labels.items()},
    )


def _tails_are_first(forest: ForestArrays) -> bool:
    """Return True if tails come first in all edges, False if they come last in all edges; otherwise, raise an error."""
    arity = forest.tails.lengths()
    if arity.max(initial=0) > 1:
        raise _no_lattice(forest, int(np.argmax(arity > 1)), f"has {arity[arity > 1][0]} tails")
    linear = np.flatnonzero(arity == 1)
    begin, target = forest.target.begin, forest.target.values
    first, last = target[begin[linear]] < EPSILON, target[begin[linear + 1] - 1] < EPSILON
    if not first.all() and not last.all():
        odd = linear[~first][0] if not (first | last)[~first][0] else linear[~last][0]
        why = "has words after its tail, but words come before the tail in this or another edge"
        raise _no_lattice(forest, int(odd), why)
    return bool(first.all())


def _no_lattice(forest: ForestArrays, edge: int, why: str) -> InputError:
    return InputError(
        f"the forest is not a lattice: edge {edge}, of node {forest.head[edge]}, {why}",
        advice="give each edge at most one tail, first in all target sides or last in all",
    )


def _add_forwards(forest: ForestArrays, arcs: _ArcBuilder) -> tuple[int, list[int]]:
    """Add the arcs of paths that lead from edges without tails to goals; return the start state and final states."""
    start, silent = forest.num_nodes, None
    leaves = np.flatnonzero(forest.tails.lengths() == 0)
    if len(leaves) == 1 and not forest.target.lengths()[leaf := int(leaves[0])]:
        # This edge only marks the start if it has no costs and labels, and is the only edge of its node.
        sides: list[Column | Labels] = [*forest.scores.values(), *forest.labels.values()]
        if (forest.head == forest.head[leaf]).sum() == 1 and not any(side.arc[leaf] for side in sides):
            silent = leaf
    rows = zip(forest.head.tolist(), forest.tails.rows(), forest.target.rows(), strict=True)
    for edge, (head, tails, target) in enumerate(rows):
        if edge == silent:
            start = head
        elif tails:
            arcs.add(tails[0], head, target[1:], edge)
        else:
            arcs.add(forest.num_nodes, head, target, edge)
    return start, forest.goals.tolist()


def _add_backwards(forest: ForestArrays, arcs: _ArcBuilder) -> tuple[int, list[int]]:
    """Add the arcs of paths that lead from goals to edges without tails; return the start state and final states."""
    start, end = forest.num_nodes, forest.num_nodes + 1
    for number, goal in enumerate(forest.goals.tolist()):
        arcs.add(start, goal, [], len(forest.head) + number)
    rows = zip(forest.head.tolist(), forest.tails.rows(), forest.target.rows(), strict=True)
    for edge, (head, tails, target) in enumerate(rows):
        arcs.add(head, tails[0] if tails else end, target[:-1] if tails else target, edge)
    return start, [end]


# ---- NLTK grammars: nonterminals are nodes, productions are edges ----

PROBABILITY = "probability"


def forest_from_grammar(cls: type[AnyForest], grammar: Any, scores: Mapping[str, Column] | None) -> AnyForest:
    """Build a forest from a grammar: edges are productions, node 0 is the start symbol. See `Forest.from_grammar`."""
    from nltk.grammar import CFG, FeatureGrammar, is_nonterminal

    # Feature grammars are not supported: their nonterminals would have to be unified to become nodes.
    if not isinstance(grammar, CFG) or isinstance(grammar, FeatureGrammar):
        raise InputError(f"{type(grammar).__name__} is not a usable grammar", advice="give an nltk.CFG or nltk.PCFG")
    nodes: dict[Any, int] = {grammar.start(): 0}
    words: dict[str, int] = {}
    head, tails, target = [], list[list[int]](), list[list[int]]()
    for production in grammar.productions():
        tails.append([])
        target.append([])
        for symbol in production.rhs():
            if is_nonterminal(symbol):
                tails[-1].append(nodes.setdefault(symbol, len(nodes)))
                target[-1].append(-len(tails[-1]))
            elif isinstance(symbol, str) and symbol:
                target[-1].append(words.setdefault(symbol, len(words) + 1))
            else:
                raise InputError(
                    f"the production {_name(production)} has {symbol!r} as a word",
                    advice="give words as non-empty texts; if a production has no words, leave its right-hand side "
                    "empty",
                )
        head.append(nodes.setdefault(production.lhs(), len(nodes)))
    names = list(map(str, nodes))
    if (fault := find_fault(head, tails, [0])) is not None:
        name = _name(names[fault.node])
        why = f"derivations of {name} would never end" if fault.has_edges else f"{name} has no productions"
        raise InputError(f"the grammar's start, {_name(names[0])}, derives nothing, since {why}")
    return cls.from_edges(
        head,
        tails,
        target,
        goals=[0],
        scores=_with_probabilities(grammar, scores or {}),
        vocabulary=Vocabulary.from_words(words),
        node_labels={CATEGORY: NodeLabels.from_texts(names)},
        node_name=lambda node: f"nonterminal {_name(names[node])}",
    )


def _with_probabilities(grammar: Any, scores: Mapping[str, Column]) -> dict[str, Column]:
    from nltk.grammar import PCFG

    if not isinstance(grammar, PCFG):
        return dict(scores)
    if PROBABILITY in scores:
        raise UsageError(f"the column name '{PROBABILITY}' is reserved for the grammar's probabilities")
    costs = []
    for production in grammar.productions():
        probability = production.prob()
        # 1 is no upper limit here: nltk has checked, with some tolerance, that a nonterminal's probabilities sum to 1.
        if not 0 < probability < math.inf:
            raise InputError(
                f"the production {_name(production)} of {_name(production.lhs())} has probability {probability}",
                advice="give it a probability above 0, or remove it",
            )
        costs.append(0.0 - math.log(probability))
    return {PROBABILITY: Column(np.array(costs, dtype=np.float64), np.zeros(1)), **scores}


def _name(part: object) -> str:
    return shortened(str(part), 40)


# ---- Bipartite NetworkX graphs, whose vertices are nodes and edges ----

_NODE, _EDGE = 0, 1


def forest_to_networkx(forest: ForestArrays) -> Any:
    """Return the forest as a bipartite NetworkX graph; see `Forest.to_networkx`."""
    import networkx as nx

    graph = nx.DiGraph(weights={name: column.weight for name, column in forest.scores.items()})
    sides = forest.node_labels.items()
    for node in range(forest.num_nodes):
        labels = {name: side.vocabulary.word(int(side.node[node])) for name, side in sides}
        graph.add_node(("node", node), bipartite=_NODE, labels=labels)
    for row, node in enumerate(forest.goals.tolist()):
        goal = graph.nodes["node", node]
        goal["goal"] = {name: float(column.final[row]) for name, column in forest.scores.items()}
        goal["goal_labels"] = {n: side.vocabulary.word(int(side.final[row])) for n, side in forest.labels.items()}
    rows = zip(forest.head.tolist(), forest.tails.rows(), forest.target.rows(), strict=True)
    for edge, (head, tails, target) in enumerate(rows):
        graph.add_node(
            ("edge", edge),
            bipartite=_EDGE,
            target=tuple(forest.vocabulary.word(t) if t > 0 else t for t in target),
            scores={name: float(column.arc[edge]) for name, column in forest.scores.items()},
            labels={name: side.vocabulary.word(int(side.arc[edge])) for name, side in forest.labels.items()},
        )
        for tail in dict.fromkeys(tails):
            places = tuple(place for place, node in enumerate(tails, start=1) if node == tail)
            graph.add_edge(("node", tail), ("edge", edge), tails=places)
        graph.add_edge(("edge", edge), ("node", head))
    return graph


def forest_from_networkx(cls: type[AnyForest], graph: Any) -> AnyForest:
    """Build a forest from a NetworkX graph; see `Forest.from_networkx`."""
    if not hasattr(graph, "is_directed"):
        raise InputError(f"{type(graph).__name__} is not a NetworkX graph")
    if not graph.is_directed():
        raise InputError("the graph is undirected", advice="arcs go from tails to edges, and from edges to heads")
    sides = {vertex: _side(data, vertex) for vertex, data in graph.nodes(data=True)}
    for begin, end in graph.edges():
        if sides[begin] == sides[end]:
            both = "nodes" if sides[begin] == _NODE else "edges"
            raise InputError(
                f"an arc leads from {shown(begin)} to {shown(end)}, but both are {both}",
                advice="an arc joins a node and an edge",
            )
    nodes = {vertex: number for number, vertex in enumerate(v for v, side in sides.items() if side == _NODE)}
    edges = [vertex for vertex, side in sides.items() if side == _EDGE]
    goals = [vertex for vertex in nodes if "goal" in graph.nodes[vertex]]
    if not goals:
        raise InputError("no vertex is a goal", advice="set 'goal' of a node to a mapping from columns to costs, or {}")
    out = {edge: [head for _, head in graph.out_edges(edge)] for edge in edges}
    for edge, heads in out.items():
        if len(heads) != 1:
            raise InputError(
                f"the edge has {len(heads)} heads instead of one",
                where=_at(edge),
                advice="add one arc from the edge to its head",
            )
    tails = [[nodes[tail] for tail in _tails(graph, edge)] for edge in edges]
    targets = [_target(graph, edge, len(row)) for edge, row in zip(edges, tails, strict=True)]
    vocabulary = Vocabulary.from_words(symbol for row in targets for symbol in row if isinstance(symbol, str))
    names = list(nodes)
    return cls.from_edges(
        [nodes[head] for (head,) in out.values()],
        tails,
        [[vocabulary.number(symbol) if isinstance(symbol, str) else symbol for symbol in row] for row in targets],
        goals=[nodes[goal] for goal in goals],
        scores=_columns(graph, edges, goals),
        vocabulary=vocabulary,
        labels=_labels(graph, edges, goals),
        node_labels={name: NodeLabels.from_texts(row) for name, row in _texts(graph, names, "labels").items()},
        node_name=lambda node: f"node {shown(names[node])}",
    )


def _side(data: Mapping[str, Any], vertex: Hashable) -> int:
    side = data.get("bipartite")
    if not isinstance(side, int) or side not in (_NODE, _EDGE):
        raise InputError(
            "'bipartite' is missing" if side is None else f"'bipartite' is {shown(side)}",
            where=f"vertex {shown(vertex)}",
            advice=f"set it to {_NODE} for a node, to {_EDGE} for an edge",
        )
    return int(side)


def _tails(graph: Any, edge: Hashable) -> list[Hashable]:
    """Return the tails of an edge, ordered by the positions in the attribute `tails` of its incoming arcs."""
    tail_at: dict[int, Hashable] = {}
    for tail, _, data in graph.in_edges(edge, data=True):
        places = data.get("tails")
        if not isinstance(places, tuple | list) or not places or any(type(place) is not int for place in places):
            raise InputError(
                f"the arc from {shown(tail)} has {shown(places)} for 'tails'",
                where=_at(edge),
                advice="list the positions, from 1, at which the node is a tail",
            )
        for place in places:
            if place in tail_at:
                raise InputError(f"position {place} occurs twice in 'tails' of the arcs to this edge", where=_at(edge))
            tail_at[place] = tail
    for place in range(1, len(tail_at) + 1):
        if place not in tail_at:
            raise InputError(f"the edge has {len(tail_at)} tails, but none has position {place}", where=_at(edge))
    return [tail_at[place] for place in sorted(tail_at)]


def _target(graph: Any, edge: Hashable, arity: int) -> list[str | int]:
    """Return the target side of an edge without empty words; raise an error unless each tail occurs exactly once."""
    target = graph.nodes[edge].get("target")
    if not isinstance(target, tuple | list):
        raise InputError(
            "'target' is missing" if target is None else f"'target' is {shown(target)}",
            where=_at(edge),
            advice="list the words of the target side in order, with −k where the k-th tail goes",
        )
    for symbol in target:
        if not isinstance(symbol, str) and (type(symbol) is not int or not -arity <= symbol < 0):
            raise InputError(
                f"'target' holds {shown(symbol)}, but the edge has {arity} tails",
                where=_at(edge),
                advice="give words as texts, and tails as −1, −2, …",
            )
    for place in range(1, arity + 1):
        if (times := target.count(-place)) != 1:
            raise InputError(f"'target' must use tail {place} once, but uses it {times} times", where=_at(edge))
    return [symbol for symbol in target if symbol != ""]


def _columns(graph: Any, edges: list[Hashable], goals: list[Hashable]) -> dict[str, Column]:
    weights = named_numbers(graph.graph.get("weights", {}), "weights", "the graph")
    arcs = [named_numbers(graph.nodes[edge].get("scores", {}), "scores", _at(edge)) for edge in edges]
    ends = [named_numbers(graph.nodes[goal]["goal"], "goal", f"node {shown(goal)}") for goal in goals]
    names = dict.fromkeys(name for row in (weights, *arcs, *ends) for name in row)

    def values(rows: list[dict[str, float]], name: str) -> Any:
        return np.array([row.get(name, 0.0) for row in rows], dtype=np.float64)

    return {name: Column(values(arcs, name), values(ends, name), weights.get(name, 1.0)) for name in names}


def _labels(graph: Any, edges: list[Hashable], goals: list[Hashable]) -> dict[str, Labels]:
    of_edges, of_goals = _texts(graph, edges, "labels"), _texts(graph, goals, "goal_labels")
    labels = {}
    for name in of_edges | of_goals:
        texts = of_edges.get(name, [""] * len(edges)) + of_goals.get(name, [""] * len(goals))
        rows, vocabulary = numbered(texts)
        labels[name] = Labels(rows[: len(edges)], rows[len(edges) :], vocabulary)
    return labels


def _texts(graph: Any, vertices: list[Hashable], what: str) -> dict[str, list[str]]:
    """Return the labels of vertices: for each name, one text per vertex, empty if the vertex has none.

    `what` is the attribute of vertices that holds the labels.
    """
    rows = [
        dict(named_values(graph.nodes[vertex].get(what, {}), what, f"vertex {shown(vertex)}")) for vertex in vertices
    ]
    for vertex, row in zip(vertices, rows, strict=True):
        for name, text in row.items():
            if not isinstance(text, str):
                raise InputError(f"'{name}' of '{what}' is {shown(text)}, not a text", where=f"vertex {shown(vertex)}")
    return {name: [row.get(name, "") for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}


def _at(edge: Hashable) -> str:
    return f"edge {shown(edge)}"
