"""Check every forest when it is built.

All other code relies on sorted nodes and edges, and on valid numbers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import InputError
from latticemetric.forest.columns import NodeLabels, Nodes, Ragged
from latticemetric.frozen import FrozenDict
from latticemetric.lattice.columns import Column, Labels, check_columns, frozen, taken, without_gaps
from latticemetric.vocabulary import EPSILON, Vocabulary


class Fault(NamedTuple):
    """A node without a complete derivation: it has no edges (`has_edges` is False), or its derivations never end."""

    node: int
    has_edges: bool


def find_fault(head: Sequence[int], tails: Sequence[Sequence[int]], goals: Sequence[int]) -> Fault | None:
    """If no goal has a complete derivation, return a node that is the reason; otherwise, return `None`."""
    productive = _productive(head, tails)
    if any(goal in productive for goal in goals):
        return None
    edges = defaultdict(list)
    for edge, node in enumerate(head):
        edges[node].append(edge)
    seen, pending = set(goals), list(reversed(goals))
    while pending:
        node = pending.pop()
        if node not in edges:
            return Fault(node, has_edges=False)
        needed = dict.fromkeys(tail for edge in edges[node] for tail in tails[edge] if tail not in productive)
        pending += [tail for tail in needed if tail not in seen]
        seen.update(needed)
    # Each of these nodes has an edge with a tail among them, so following such tails leads to a cycle.
    node, passed = goals[0], set[int]()
    while node not in passed:
        passed.add(node)
        node = next(tail for tail in tails[edges[node][0]] if tail not in productive)
    return Fault(node, has_edges=True)


def _productive(head: Sequence[int], tails: Sequence[Iterable[int]]) -> set[int]:
    """Return the nodes that have a complete derivation: an edge whose tails all have complete derivations."""
    missing = [set(row) for row in tails]
    users = defaultdict(list)
    for edge, row in enumerate(missing):
        for tail in row:
            users[tail].append(edge)
    pending = [node for node, row in zip(head, missing, strict=True) if not row]
    productive = set[int]()
    while pending:
        node = pending.pop()
        if node in productive:
            continue
        productive.add(node)
        for edge in users[node]:
            missing[edge].discard(node)
            if not missing[edge]:
                pending.append(head[edge])
    return productive


class EdgeColumns(NamedTuple):
    """The fields of a forest, named as in `Forest`. Before validation, nodes and edges may be in any order."""

    num_nodes: int
    head: Nodes
    tails: Ragged
    target: Ragged
    goals: Nodes
    scores: Mapping[str, Column]
    vocabulary: Vocabulary
    labels: Mapping[str, Labels]
    node_labels: Mapping[str, NodeLabels]


def validated(draft: EdgeColumns, node_name: Callable[[int], str]) -> EdgeColumns:
    """Check columns, remove nodes and edges that are in no complete derivation, and sort the others.

    Nodes are sorted topologically, edges by head. `node_name` returns the name of a node in errors.
    """
    edges, tails, targets = len(draft.head), len(draft.tails), len(draft.target)
    if not edges == tails == targets:
        raise InputError(f"heads ({edges}), tails ({tails}) and target sides ({targets}) differ in number")
    if len(draft.goals) == 0:
        raise InputError("the forest is empty: it has no goal")
    goal, times = Counter(draft.goals.tolist()).most_common(1)[0]
    if times > 1:
        raise InputError(f"{node_name(goal)} appears twice in the list of goals")
    check_columns(draft.scores, draft.labels, edges, len(draft.goals))
    target = draft.target.only(draft.target.values != EPSILON)
    _check_target(target, draft.tails)
    draft.vocabulary.check(target.values[target.values > EPSILON])
    return _in_order(draft, target, node_name)


def _check_target(target: Ragged, tails: Ragged) -> None:
    """Raise an error if the target side of an edge does not use each of its tails exactly once."""
    at = np.flatnonzero(target.values < EPSILON)
    edge = np.repeat(np.arange(len(target)), target.lengths())[at]
    place = -target.values[at].astype(np.int64) - 1
    beyond = np.flatnonzero(place >= tails.lengths()[edge])
    if len(beyond):
        first = beyond[0]
        raise InputError(
            f"the target side of edge {edge[first]} uses tail {place[first] + 1}, which the edge does not have"
        )
    uses = np.bincount(tails.begin[edge] + place, minlength=len(tails.values))
    wrong = np.flatnonzero(uses != 1)
    if len(wrong):
        owner, which = _place_of(tails, int(wrong[0]))
        how = "never uses its tail {}" if uses[wrong[0]] == 0 else "uses its tail {} more than once"
        raise InputError(
            f"the target side of edge {owner} {how.format(which)}",
            advice="use each tail exactly once",
        )


def _place_of(rows: Ragged, value: int) -> tuple[int, int]:
    """Return the row, and the position in this row (from 1), of the value with the index `value` in `rows.values`."""
    row = int(np.searchsorted(rows.begin, value, side="right")) - 1
    return row, value - int(rows.begin[row]) + 1


def _in_order(draft: EdgeColumns, target: Ragged, node_name: Callable[[int], str]) -> EdgeColumns:
    head, tails, goals, names = _renumbered(draft)
    is_goal = np.zeros(len(names), dtype=np.uint8)
    is_goal[goals] = 1
    rank, edges, kept, on_cycle = _native.order_forest(head, tails.begin, tails.values, is_goal)
    if on_cycle >= 0:
        raise InputError(
            f"the forest is cyclic: {node_name(int(names[on_cycle]))} can be derived from itself",
            advice="a forest is acyclic",
        )
    if kept == 0:
        fault = find_fault(draft.head.tolist(), draft.tails.rows(), draft.goals.tolist())
        assert fault is not None
        name = node_name(fault.node)
        why = f"derivations of {name} would never end" if fault.has_edges else f"{name} has no edges"
        raise InputError(f"the forest is empty: no goal has a complete derivation, since {why}")
    ends = np.flatnonzero(rank[goals] >= 0)
    ends = ends[np.argsort(rank[goals[ends]])]
    used = np.flatnonzero(rank >= 0)
    node_of = np.empty(kept, dtype=np.int64)
    node_of[rank[used]] = names[used]
    node_labels = {}
    for name, side in draft.node_labels.items():
        if len(side.node) <= node_of.max():
            raise InputError(f"'{name}' does not have a value for every node")
        side.vocabulary.check(side.node)
        node_labels[name] = NodeLabels(frozen(side.node[node_of].astype(np.int32)), side.vocabulary)
    # Most files list edges in this order already; copying whole arrays is faster than taking rows.
    in_order = len(edges) == len(head) and np.array_equal(edges, np.arange(len(edges)))
    rows = slice(None) if in_order else edges
    kept_tails, kept_target = (part.copied() if in_order else part.taken(edges) for part in (tails, target))
    return EdgeColumns(
        num_nodes=kept,
        head=frozen(rank[head[rows]]),
        tails=_frozen_rows(Ragged(kept_tails.begin, rank[kept_tails.values])),
        target=_frozen_rows(kept_target),
        goals=frozen(rank[goals[ends]]),
        scores=FrozenDict(taken(draft.scores, rows, ends)),
        vocabulary=draft.vocabulary,
        labels=FrozenDict(taken(draft.labels, edges, ends)),
        node_labels=FrozenDict(node_labels),
    )


def _renumbered(
    draft: EdgeColumns,
) -> tuple[npt.NDArray[np.int32], Ragged, npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Renumber nodes without gaps, so that tables with a row per node stay small.

    Return the heads, tails and goals with new numbers, and the old number of each node.
    """
    negative = np.flatnonzero(draft.tails.values < 0)
    if len(negative):
        owner, which = _place_of(draft.tails, int(negative[0]))
        raise InputError(
            f"tail {which} of edge {owner} is {draft.tails.values[negative[0]]}, but node numbers start at 0"
        )
    (head, values, goals), names = without_gaps((draft.head, draft.tails.values, draft.goals))
    return head, Ragged(draft.tails.begin, values), goals, names


def _frozen_rows(ragged: Ragged) -> Ragged:
    return Ragged(frozen(ragged.begin), frozen(ragged.values))
