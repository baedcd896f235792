"""Build diagrams of lattices, forests, confusion networks, derivation trees and automata of recognition rates."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from latticemetric.drawing.diagram import (
    AUTOMATON,
    BOX,
    CIRCLE,
    END,
    FOREST,
    GOAL,
    LATTICE,
    NETWORK,
    ROUND,
    TREE,
    WORD,
    Diagram,
    HighlightedPaths,
    Link,
    Vertex,
    checked_paths,
    detail_writer,
    paths_through,
    probability,
    shades_of,
)
from latticemetric.drawing.selection import MOST_STATES, Bounds, select_arcs
from latticemetric.errors import UsageError, shortened
from latticemetric.forest.forest import CATEGORY, Forest
from latticemetric.forest.trees import DerivationTree
from latticemetric.lattice.lattice import Lattice, Weights
from latticemetric.vocabulary import EPSILON, STAR, Vocabulary

if TYPE_CHECKING:
    from latticemetric.metrics.base import Text
    from latticemetric.metrics.recognition import GRR

# ---- Lattices: states become circles, arcs become links with words ----

EPSILON_LABEL = "ε"
_MOST_WORDS = 4


def lattice_diagram(
    lattice: Lattice,
    paths: HighlightedPaths | None = None,
    *,
    title: str = "lattice",
    posteriors: npt.ArrayLike | None = None,
    rates: npt.ArrayLike | None = None,
    scores: Sequence[str] = (),
    times: bool = True,
    most_drawn: int | None = MOST_STATES,
    beam: float | None = None,
    weights: Weights | None = None,
    merged: bool = False,
) -> Diagram:
    """Return the diagram of a lattice, or of the best part of a large one, with highlighted paths; see `draw`.

    If `merged` is true and only a part is drawn, parallel arcs become one link with several words, unless they are on
    highlighted paths.
    """
    highlighted = checked_paths(paths, len(lattice.word), "arc")
    kept = [arc for arcs in highlighted.values() for arc in arcs]
    arcs, omissions = select_arcs(lattice, kept, Bounds(most_drawn, beam), weights)
    states = np.unique(np.concatenate([[0], lattice.source[arcs], lattice.target[arcs]])).astype(int).tolist()
    place = {state: number for number, state in enumerate(states)}
    on_arc = paths_through(highlighted)
    on_state = paths_through(highlighted, {arc: (int(lattice.source[arc]), int(lattice.target[arc])) for arc in kept})
    written = detail_writer(len(lattice.word), posteriors, rates, lattice.scores, scores)
    shades, shading = shades_of(rates, arcs)
    links = [
        Link(
            place[int(lattice.source[arc])],
            place[int(lattice.target[arc])],
            lattice.vocabulary.word(int(lattice.word[arc])) or EPSILON_LABEL,
            written(arc),
            on_arc.get(arc, ()),
            shades.get(arc),
        )
        for arc in arcs.tolist()
    ]
    notes: tuple[str, ...] = ()
    if merged and omissions:
        links, notes = _merged(links, lattice.cost(weights).arc[arcs].tolist())
    finals = set(lattice.final.tolist())
    seconds = lattice.times if times else None
    vertices = tuple(
        Vertex(
            str(state),
            END if state in finals else CIRCLE,
            "" if seconds is None else f"{seconds[state]:.2f} s",
            on_state.get(state, ()),
        )
        for state in states
    )
    diagram = Diagram(LATTICE, title, vertices, tuple(links), tuple(highlighted), shading=shading)
    return replace(diagram, omissions=omissions, notes=notes)


def _merged(links: Sequence[Link], costs: Sequence[float]) -> tuple[list[Link], tuple[str, ...]]:
    """Merge links between the same two vertices, except those of highlighted paths; return all links, and notes.

    The words of a merged link are sorted by cost; words with equal costs keep their order.
    """
    parallel: dict[tuple[int, ...], list[int]] = {}
    for number, link in enumerate(links):
        # Do not merge a link of a highlighted path.
        parallel.setdefault((link.source, link.target, number if link.paths else -1), []).append(number)
    merged = [_one_of([links[n] for n in sorted(group, key=costs.__getitem__)]) for group in parallel.values()]
    notes = (
        ("A line with several words, separated by /, stands for one arc per word.",) if len(merged) < len(links) else ()
    )
    return merged, notes


def _one_of(links: Sequence[Link]) -> Link:
    """Return one link in place of several links; its label has their first words, and the number of other words."""
    if len(links) == 1:
        return links[0]
    shown, more = links[:_MOST_WORDS], len(links) - _MOST_WORDS
    rest = [f"+{more}"] if more > 0 else []
    label = " / ".join([*(link.label for link in shown), *rest])
    detail = " / ".join([link.detail for link in shown] + (["…"] if rest else [])) if links[0].detail else ""
    return replace(links[0], label=label, detail=detail)


# ---- Forests: links from each node to the rules that derive it, and from each rule to its tails, in their order ----

_LONGEST_RULE = 48
_TAILS_NOTE = "A box is a rule: its words, and [k] in the place of its k-th tail."


def forest_diagram(
    forest: Forest,
    paths: HighlightedPaths | None = None,
    *,
    title: str = "forest",
    posteriors: npt.ArrayLike | None = None,
    rates: npt.ArrayLike | None = None,
    scores: Sequence[str] = (),
    most_drawn: int | None = MOST_STATES,
    beam: float | None = None,
    weights: Weights | None = None,
) -> Diagram:
    """Return the diagram of a forest, or of the best part of a large one, with highlighted derivations; see `draw`."""
    highlighted = checked_paths(paths, len(forest.head), "edge")
    kept = [edge for edges in highlighted.values() for edge in edges]
    edges, omissions = select_arcs(forest, kept, Bounds(most_drawn, beam), weights)
    on_edge = paths_through(highlighted)
    written = detail_writer(len(forest.head), posteriors, rates, forest.scores, scores)
    shades, shading = shades_of(rates, edges)
    rules = [(edge, int(forest.head[edge]), forest.tails.row(edge)) for edge in edges.tolist()]
    nodes = sorted({node for _, head, tails in rules for node in (head, *tails)}, reverse=True)
    place = {node: number for number, node in enumerate(nodes)}
    boxes, links = [], []
    for box, (edge, head, tails) in enumerate(rules, start=len(nodes)):
        parts = (f"[{-symbol}]" if symbol < 0 else forest.vocabulary.word(symbol) for symbol in forest.target.row(edge))
        text = shortened(" ".join(parts), _LONGEST_RULE) or EPSILON_LABEL
        passing, shade = on_edge.get(edge, ()), shades.get(edge)
        boxes.append(Vertex(text, BOX, written(edge), passing))
        links.append(Link(place[head], box, paths=passing, shade=shade))
        for number, tail in enumerate(tails, start=1):
            links.append(Link(box, place[tail], str(number) if len(tails) > 1 else "", paths=passing, shade=shade))
    side = forest.node_labels.get(CATEGORY)
    goals = set(forest.goals.tolist())
    taken = {edge: [int(forest.head[edge]), *forest.tails.row(edge)] for edge in kept}
    on_node = paths_through(highlighted, taken)
    vertices = []
    for n in nodes:
        category = "" if side is None else side.vocabulary.word(int(side.node[n]))
        text = f"{category} {n}" if category else str(n)
        vertices.append(Vertex(text, GOAL if n in goals else ROUND, paths=on_node.get(n, ())))
    return Diagram(
        FOREST,
        title,
        (*vertices, *boxes),
        tuple(links),
        tuple(highlighted),
        omissions=omissions,
        notes=(_TAILS_NOTE,) if any(tails for _, _, tails in rules) else (),
        shading=shading,
    )


# ---- Confusion networks: alternative words in one place, the most probable first ----

Bin = Sequence[tuple[str, float]]
"""The words of a bin and their posteriors, the most probable first; an empty string means no word."""

BEST = "consensus"
"""The name of the path with the best words."""


@runtime_checkable
class Network(Protocol):
    """A confusion network, such as a `Consensus`."""

    bins: Sequence[Bin]


def network_diagram(
    bins: Sequence[Bin], *, title: str = "confusion network", least: float = 0.01, most_drawn: int | None = None
) -> Diagram:
    """Build the diagram of a confusion network with at most `most_drawn` states (`None`: no limit).

    Words with posteriors below `least` are omitted, except the best word of each bin. Bins without words are omitted.
    """
    kept = [[pair for rank, pair in enumerate(words) if rank == 0 or pair[1] >= least] for words in bins]
    spoken = [words for words in kept if any(word for word, _ in words)]
    drawn = spoken if most_drawn is None else spoken[: max(1, most_drawn - 1)]
    links = tuple(
        Link(place, place + 1, word or EPSILON_LABEL, probability(posterior), (0,) if rank == 0 else ())
        for place, words in enumerate(drawn)
        for rank, (word, posterior) in enumerate(words)
    )
    vertices = tuple(
        Vertex(str(place), END if place == len(drawn) else CIRCLE, paths=(0,) if drawn else ())
        for place in range(len(drawn) + 1)
    )
    omissions = []
    if len(drawn) < len(spoken):
        omissions.append(f"Shown: {len(drawn)} of {len(spoken)} bins, the first ones.")
    if words := sum(map(len, bins)) - sum(map(len, spoken)):
        omissions.append(
            f"{words} entries are left out: those with posteriors below {least:g}, and those of bins without words."
        )
    return Diagram(NETWORK, title, vertices, links, (BEST,), omissions=tuple(omissions))


# ---- Derivation trees: nodes above their children, words as leaves ----

MOST_VERTICES = 400
"""The default number of vertices of a tree; deeper vertices are omitted, with a note."""


def tree_diagram(
    tree: DerivationTree, *, title: str = "derivation tree", most_vertices: int | None = MOST_VERTICES
) -> Diagram:
    """Build the diagram of a derivation tree, level by level, until it has about `most_vertices` vertices."""
    vertices: list[Vertex] = []
    links: list[Link] = []
    pending: deque[tuple[Any, int]] = deque([(tree.asdict(), -1)])
    room = float("inf") if most_vertices is None else most_vertices
    left_out = 0
    while pending:
        node, parent = pending.popleft()
        place = len(vertices)
        if isinstance(node, str):
            vertices.append(Vertex(node, WORD))
        else:
            vertices.append(Vertex(node["label"], ROUND))
            if place + len(pending) + len(node["children"]) < room:
                pending.extend((child, place) for child in node["children"])
            elif node["children"]:
                left_out += 1
                pending.append(("…", place))
        if parent >= 0:
            links.append(Link(parent, place))
    omissions = (
        (f"…: the children of {left_out} {'node' if left_out == 1 else 'nodes'} are left out.",) if left_out else ()
    )
    return Diagram(TREE, title, tuple(vertices), tuple(links), omissions=omissions)


# ---- Automata of recognition rates: the words, edits and gains of one reference ----

_STATES = "i, m: i reference words were read, the last m of them matched in a row."
_LABELS = "★: any word, ε: no word. C match, D deletion, S substitution, I insertion, each with its gain."


def automaton_diagram(metric: GRR, reference: Text | Lattice, *, title: str | None = None) -> Diagram:
    """Build the diagram of a metric's automaton for one reference (a string, words or a graph)."""
    from latticemetric.automata.recognition import recognition_automaton
    from latticemetric.automata.reference import ReferenceGraph, counted_labels
    from latticemetric.metrics.base import words_of
    from latticemetric.metrics.character_rates import SpelledRate

    if isinstance(reference, Lattice):
        if isinstance(metric, SpelledRate):
            raise UsageError(
                f"{metric.name} can be drawn only for a reference that is a string", advice="give a string"
            )
        vocabulary = reference.vocabulary
        label = counted_labels(reference, vocabulary, metric.ignore | metric.wildcard)
        graph = ReferenceGraph.of_lattice(reference, label, metric.order)
    else:
        words = metric.counted(words_of(reference))
        vocabulary = Vocabulary.from_words(words)
        graph = ReferenceGraph.of_words(vocabulary.encode(words), metric.order)
    n = metric.gains.order
    automaton = recognition_automaton(graph, n)
    gained = metric.gains.of_edits()
    reached, steps = {0}, []
    columns = (automaton.source, automaton.target, automaton.label, automaton.edit)
    # Draw the states (i, m) that the start reaches: there m ≤ i. Deletions reach (i, 0) before anything else reaches
    # (i, m), so one pass in the order of states is enough.
    for source, target, symbol, edit in zip(*(column.tolist() for column in columns), strict=True):
        if source in reached:
            reached.add(target)
            word = {EPSILON: "ε", STAR: "★"}.get(symbol) or vocabulary.word(symbol)
            letter = "C" if edit <= n else "DSI"[edit - n - 1]
            gain = Fraction(gained[edit], metric.gains.unit)
            sign = "+" if gain > 0 else "−" if gain < 0 else ""
            steps.append((source, target, word, f"{letter} {sign}{float(abs(gain)):g}" if edit else ""))
    states = sorted(reached)
    place = {state: number for number, state in enumerate(states)}
    return Diagram(
        AUTOMATON,
        title or f"automaton of {metric.name}",
        tuple(Vertex(f"{s // n},{s % n}" if n > 1 else str(s), END if graph.final[s // n] else CIRCLE) for s in states),
        tuple(Link(place[source], place[target], word, edit) for source, target, word, edit in steps),
        notes=(_STATES, _LABELS) if n > 1 else (_LABELS,),
    )
